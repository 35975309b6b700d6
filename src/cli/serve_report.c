#include "cli/serve_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "cli/values.h"

/* ---- The documents ---- */

json_t *cli_serve_scenario_doc(const spv_serve_scenario *s, const char *address)
{
    return json_pack("{s:s*, s:s, s:s, s:s}", "address", address, "scenario",
                     s->name, "lie", s->lie, "right", s->right);
}

static json_t *coin_doc(const spv_serve_coin *coin)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "txid",
                     cli_json_hash(&coin->at.txid), "vout",
                     cli_json_count(coin->at.vout), "amount_sat",
                     cli_json_amount(coin->value), "address",
                     cli_json_address(coin->script.bytes, coin->script.len,
                                      spv_network_get(SPV_REGTEST)),
                     "height", cli_json_height(coin->height));
}

json_t *cli_serve_truth_doc(const spv_serve_truth *truth)
{
    json_t *coins = json_array();

    for (size_t i = 0; i < truth->n_coins; i++)
        (void)json_array_append_new(coins, coin_doc(&truth->coins[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "height",
                     cli_json_height(truth->height), "block_hash",
                     cli_json_hash(&truth->block_hash), "balance_sat",
                     cli_json_amount(truth->balance), "transactions",
                     cli_json_count(truth->n_txs), "blocks",
                     cli_json_count(truth->n_blocks), "coins", coins);
}

static const char *const results[] = {
    [SPV_SERVE_PASS] = "pass",
    [SPV_SERVE_FAIL] = "fail",
    [SPV_SERVE_SKIPPED] = "skipped",
};

static json_t *received_doc(const spv_serve_report *r)
{
    json_t *of = json_object();

    for (size_t i = 0; i < r->n_received; i++) {
        const char *command = r->received[i].command;

        (void)json_object_set_new(of, *command ? command : "unknown",
                                  cli_json_count(r->received[i].n));
    }
    return of;
}

static json_t *filter_doc(const spv_serve_filter *f)
{
    if (f->loads == 0)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "loads", cli_json_count(f->loads),
        "bytes", cli_json_count(f->bytes), "hash_functions",
        cli_json_count(f->hash_functions), "tweak", cli_json_count(f->tweak),
        "flags", cli_json_count(f->flags), "fp_rate",
        cli_json_real(f->fp_rate));
}

static json_t *checks_doc(const spv_serve_report *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->n_checks; i++) {
        const spv_serve_check *k = &r->checks[i];

        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s}", "id", k->id, "rule", k->rule,
                      "result", results[k->result], "reason", k->reason));
    }
    return list;
}

/* What the client asked for. */
static json_t *asked_doc(const spv_serve_report *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "filtered_blocks",
                     cli_json_count(r->filtered_asked), "whole_blocks",
                     cli_json_count(r->whole_asked), "refetched",
                     cli_json_count(r->refetched), "before_filter",
                     cli_json_count(r->asked_before_filter), "after_lie",
                     cli_json_count(r->asked_after_lie));
}

static json_t *node_doc(const spv_serve_report *r, const char *host)
{
    char address[80];
    json_t *left = json_null();
    json_t *fenced = r->filtered_asked > 0 && r->filter.loads > 0
                         ? json_boolean(r->fenced)
                         : json_null();

    (void)snprintf(address, sizeof(address), "%s:%u", host, r->port);
    if (r->left_after_ms >= 0)
        left = json_integer(r->left_after_ms);
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:b, s:o, s:b, s:o}",
        "address", address, "scenario", r->scenario->name, "verdict",
        results[r->verdict], "connections", cli_json_count(r->connections),
        "user_agent", r->user_agent, "relay", (int)r->relay, "received",
        received_doc(r), "filter", filter_doc(&r->filter), "fenced", fenced,
        "filter_adds", cli_json_count(r->filter_adds), "filter_clears",
        cli_json_count(r->filter_clears), "asked", asked_doc(r), "lies",
        cli_json_count(r->lies), "omissions", cli_json_count(r->omissions),
        "hung_up", (int)r->hung_up, "left_after_ms", left, "took_the_bait",
        (int)r->took_the_bait, "checks", checks_doc(r));
}

json_t *cli_serve_report_doc(const spv_serve *serve, const char *host)
{
    json_t *nodes = json_array();

    for (size_t i = 0; i < spv_serve_nodes(serve); i++) {
        spv_serve_report r;

        spv_serve_report_of(serve, i, &r);
        (void)json_array_append_new(nodes, node_doc(&r, host));
    }
    return json_pack("{s:s, s:o}", "verdict", results[spv_serve_verdict(serve)],
                     "nodes", nodes);
}

/* ---- For people ---- */

void cli_serve_print_scenarios(const json_t *list)
{
    size_t i = 0;
    const json_t *s = NULL;

    json_array_foreach(list, i, s)
    {
        const char *address = json_string_value(json_object_get(s, "address"));

        (void)printf("%s%s%s: %s; a right client %s\n", address ? address : "",
                     address ? " " : "", cli_doc_text(s, "scenario"),
                     cli_doc_text(s, "lie"), cli_doc_text(s, "right"));
    }
}

void cli_serve_print_truth(const cli *c, const json_t *truth)
{
    static const cli_field fields[] = {
        {"height", "height", CLI_AS_IS},
        {"block_hash", "block", CLI_AS_IS},
        {"balance_sat", "balance", CLI_AS_AMOUNT},
        {"transactions", "transactions", CLI_AS_IS},
        {"blocks", "in blocks", CLI_AS_IS},
    };

    static const cli_field coin[] = {
        {"txid", "coin of", CLI_AS_IS},
        {"vout", "vout", CLI_AS_IS},
        {"amount_sat", "amount", CLI_AS_AMOUNT},
        {"height", "height", CLI_AS_IS},
        {"address", "address", CLI_AS_IS},
    };

    cli_print_fields(truth, CLI_FIELDS(fields));
    (void)putchar('\n');
    cli_print_table(c, json_object_get(truth, "coins"), CLI_FIELDS(coin));
}

/* Those that are not 0, on a line; none, no line. */
static void print_counts(const char *title, json_t *counts)
{
    size_t n = 0;
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(counts, key, value)
    {
        double count = json_number_value(value);

        if (count > 0 && n++ == 0)
            (void)printf("  %-15s", title);
        if (count > 0)
            (void)printf("%s%s %.10g", n > 1 ? ", " : "", key, count);
    }
    if (n > 0)
        (void)putchar('\n');
}

static void print_checks(const json_t *checks)
{
    size_t i = 0;
    const json_t *k = NULL;

    json_array_foreach(checks, i, k)
    {
        const char *reason = cli_doc_text(k, "reason");

        (void)printf("  %-7s  %-14s  %s%s%s\n", cli_doc_text(k, "result"),
                     cli_doc_text(k, "id"), cli_doc_text(k, "rule"),
                     *reason ? ": " : "", reason);
    }
}

/* Leave out what says nothing: of filters where none was loaded, of lies where
 * none was told. */
static void drop_empty(json_t *node)
{
    static const char *const of_filters[] = {"filter_adds", "filter_clears"};
    static const char *const of_lies[] = {"lies", "hung_up"};
    bool loaded = json_is_object(json_object_get(node, "filter"));
    bool lied = cli_doc_number(node, "lies") > 0;
    bool omitted = cli_doc_number(node, "omissions") > 0;

    for (size_t i = 0; !loaded && i < 2; i++)
        (void)json_object_del(node, of_filters[i]);
    for (size_t i = 0; !lied && i < 2; i++)
        (void)json_object_del(node, of_lies[i]);
    if (!omitted)
        (void)json_object_del(node, "omissions");
    if (!lied && !omitted)
        (void)json_object_del(node, "took_the_bait");
    if (json_is_null(json_object_get(node, "fenced")))
        (void)json_object_del(node, "fenced");
    if (json_is_null(json_object_get(node, "left_after_ms")))
        (void)json_object_del(node, "left_after_ms");
}

static void print_facts(const json_t *node)
{
    static const cli_field fields[] = {
        {"connections", "  connections  ", CLI_AS_IS},
        {"user_agent", "  user agent", CLI_AS_IS},
        {"relay", "  relay", CLI_AS_IS},
        {"fenced", "  fenced", CLI_AS_IS},
        {"filter_adds", "  filter adds", CLI_AS_IS},
        {"filter_clears", "  filter clears", CLI_AS_IS},
        {"lies", "  lies told", CLI_AS_IS},
        {"omissions", "  omissions", CLI_AS_IS},
        {"hung_up", "  hung up", CLI_AS_IS},
        {"left_after_ms", "  left after ms", CLI_AS_IS},
        {"took_the_bait", "  took the bait", CLI_AS_IS},
    };
    json_t *facts = json_deep_copy(node);

    drop_empty(facts);
    cli_print_fields(facts, CLI_FIELDS(fields));
    json_decref(facts);
    print_counts("filter", json_object_get(node, "filter"));
    print_counts("received", json_object_get(node, "received"));
    print_counts("asked", json_object_get(node, "asked"));
}

static void print_node(const json_t *node)
{
    (void)printf("\n%s %s: %s\n", cli_doc_text(node, "address"),
                 cli_doc_text(node, "scenario"), cli_doc_text(node, "verdict"));
    if (cli_doc_number(node, "connections") > 0)
        print_facts(node);
    print_checks(json_object_get(node, "checks"));
}

static const char *meaning_of(const char *verdict)
{
    if (strcmp(verdict, results[SPV_SERVE_FAIL]) == 0)
        return "";
    if (strcmp(verdict, results[SPV_SERVE_PASS]) == 0)
        return " (of what can be seen from outside; compare the wallet with "
               "the truth above)";
    return " (not all was put to the test: see what was skipped)";
}

void cli_serve_print_report(const json_t *report)
{
    const char *verdict = cli_doc_text(report, "verdict");
    size_t i = 0;
    const json_t *node = NULL;

    json_array_foreach(json_object_get(report, "nodes"), i, node)
        print_node(node);
    (void)printf("\ncompare your wallet with the truth: that was not "
                 "checked\nverdict: %s%s\n",
                 verdict, meaning_of(verdict));
}
