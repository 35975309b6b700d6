#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <spv/conform.h>

#include "cli/commands.h"
#include "cli/conform_report.h"
#include "cli/drive.h"
#include "cli/feed.h"
#include "cli/only.h"
#include "cli/secret.h"
#include "cli/values.h"

/* Seeds are exact in every JSON reader, and drawn short enough to be typed. */
#define SEED_MOST (UINT64_C(1) << 53)

enum { PATTERNS_MAX = 64, TIMEOUT_MAX = 86400 };

/* ---- Options ---- */

/* What --only names, taken apart at commas. */
typedef struct patterns {
    char *text; /* owned: all of them, each ended by a zero */
    const char *of[PATTERNS_MAX];
    size_t n;
} patterns;

static bool selects_any(const char *pattern)
{
    size_t n = 0;
    const spv_conform_check *list = spv_conform_list(&n);

    for (size_t i = 0; i < n; i++)
        if (spv_conform_selects(pattern, list[i].id))
            return true;
    return false;
}

static const char *id_at(size_t i)
{
    size_t n = 0;
    const spv_conform_check *list = spv_conform_list(&n);

    return i < n ? list[i].id : NULL;
}

static spv_err add_patterns(cli *c, patterns *p, char *text)
{
    size_t before = p->n;
    char *rest = NULL;

    for (char *one = strtok_r(text, ",", &rest); one;
         one = strtok_r(NULL, ",", &rest)) {
        if (p->n == PATTERNS_MAX)
            return cli_fail(c, SPV_INVAL, "--only names too many checks");
        if (!selects_any(one)) {
            (void)cli_fail(c, SPV_INVAL, "no check is called '%s'", one);
            return cli_only_hint(c, one, id_at,
                                 "'spvclient conform --list' lists them");
        }
        p->of[p->n++] = one;
    }
    if (p->n > before)
        return SPV_OK;
    (void)cli_fail(c, SPV_INVAL, "--only names no check");
    return cli_hint(&c->trouble, "'spvclient conform --list' lists them");
}

static spv_err read_only(cli *c, patterns *p)
{
    const cli_value *only = &c->values.of[CLI_ONLY];
    size_t len = 1;
    char *at = NULL;
    spv_err err = SPV_OK;

    for (size_t i = 0; i < only->n; i++)
        len += strlen(only->texts[i]) + 1;
    p->text = at = calloc(len, 1);
    if (!at)
        return cli_fail_plain(c, SPV_NOMEM);
    for (size_t i = 0; i < only->n && err == SPV_OK; i++) {
        size_t n = strlen(only->texts[i]) + 1;

        memcpy(at, only->texts[i], n);
        err = add_patterns(c, p, at);
        at += n;
    }
    return err;
}

static spv_err read_seed(cli *c, uint64_t *seed)
{
    uint32_t drawn = 0;
    spv_err err = cli_entropy(c, &drawn, sizeof(drawn));

    if (err != SPV_OK)
        return err;
    return cli_number(c, CLI_SEED, 0, SEED_MOST, drawn, seed);
}

static spv_err read_connect(cli *c, const char **out)
{
    const cli_value *connect = &c->values.of[CLI_CONNECT];

    *out = connect->n > 0 ? connect->texts[0] : NULL;
    if (connect->n == 1)
        return SPV_OK;
    (void)cli_fail(c, connect->n ? SPV_INVAL : SPV_NO_PEER,
                   connect->n ? "one node is looked at at a time"
                              : "no node was named");
    return cli_hint(&c->trouble, "name the node with --connect HOST[:PORT]");
}

static spv_err read_options(cli *c, spv_conform_options *o, const patterns *p)
{
    uint64_t timeout = 0;
    spv_err err = read_connect(c, &o->connect);

    if (err == SPV_OK)
        err = cli_number(c, CLI_TIMEOUT, 1, TIMEOUT_MAX, 0, &timeout);
    if (err == SPV_OK)
        err = read_seed(c, &o->seed);
    o->network = c->network;
    o->gentle = cli_on(c, CLI_GENTLE);
    o->only = (const char *const *)p->of;
    o->n_only = p->n;
    o->timeout_s = (uint32_t)timeout;
    o->unix_time = (int64_t)time(NULL);
    return err;
}

/* ---- What it comes to ---- */

/* What the results say together. */
typedef struct tally {
    int of[4]; /* how many checks had which result */
    int musts_failed;
    int musts_untried;      /* that concern this node */
    bool wants_filters;     /* any check is of a node that serves filters */
    const char *unfinished; /* static: why it is no verdict, or NULL */
    spv_err err;            /* the exit code of that */
} tally;

/* Those of nodes without filters do not concern one with them, and the other
 * way round: they are not missed. */
static bool concerns(const spv_conform_check *check, const spv_conform_node *n)
{
    return spv_conform_selects("nobloom", check->id) != n->serves_filters;
}

static void count(tally *t, const spv_conform_check *check,
                  const spv_conform_node *node)
{
    bool must = check->severity == SPV_CONFORM_MUST;

    t->of[check->result]++;
    t->musts_failed += must && check->result == SPV_CONFORM_FAIL;
    t->musts_untried +=
        must && check->result == SPV_CONFORM_SKIPPED && concerns(check, node);
    t->wants_filters |= !spv_conform_selects("nobloom", check->id);
}

/* Whoever asks for nothing but nobloom.* is answered in full. */
static void judge(tally *t, const spv_conform *battery,
                  const spv_conform_node *node)
{
    if (!node->serves_filters && t->wants_filters) {
        t->err = SPV_NO_PEER;
        t->unfinished = "the node offers no NODE_BLOOM";
        return;
    }
    t->err = SPV_TIMEOUT;
    if (*spv_conform_why(battery))
        t->unfinished = "time ran out before all checks were tried";
    else if (t->of[SPV_CONFORM_PASS] + t->of[SPV_CONFORM_FAIL] == 0)
        t->unfinished = node->height < 0
                            ? "nothing was tested: the node's chain is empty"
                            : "nothing was tested";
    else
        t->err = SPV_OK;
}

static tally tally_of(const spv_conform *battery)
{
    tally t = {0};
    size_t n = 0;
    const spv_conform_check *checks = spv_conform_checks(battery, &n);
    spv_conform_node node;

    spv_conform_get_node(battery, &node);
    for (size_t i = 0; i < n; i++)
        count(&t, &checks[i], &node);
    judge(&t, battery, &node);
    return t;
}

/* ---- The document ---- */

static json_t *check_doc(const spv_conform_check *k)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "id", k->id, "title", k->title,
                     "basis", k->basis, "severity",
                     spv_conform_severity_name(k->severity));
}

static bool is_wanted(const patterns *only, const char *id)
{
    for (size_t i = 0; i < only->n; i++)
        if (spv_conform_selects(only->of[i], id))
            return true;
    return only->n == 0;
}

static json_t *list_doc(const patterns *only)
{
    size_t n = 0;
    const spv_conform_check *list = spv_conform_list(&n);
    json_t *checks = json_array();

    for (size_t i = 0; i < n; i++)
        if (is_wanted(only, list[i].id))
            (void)json_array_append_new(checks, check_doc(&list[i]));
    return json_pack("{s:o}", "checks", checks);
}

static json_t *node_doc(const spv_conform_node *node)
{
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:s, s:b, s:o}", "address",
                     node->address, "user_agent", node->user_agent,
                     "protocol_version", (int)node->version, "services",
                     cli_json_count(node->services), "height",
                     cli_json_height(node->height), "chain", node->chain,
                     "node_bloom", (int)node->serves_filters, "blocks_sampled",
                     cli_json_count(node->blocks));
}

static json_t *message_doc(const spv_conform_message *m)
{
    return json_pack("{s:s, s:o, s:o, s:b}", "command", m->command, "payload",
                     cli_json_hex(m->payload, m->len), "length",
                     cli_json_count(m->whole_len), "optional",
                     (int)m->optional);
}

/* NULL when there is none. */
static json_t *exchange_doc(const spv_conform *battery, size_t check)
{
    static const char *const parts[SPV_CONFORM_PARTS] = {"sent", "expected",
                                                         "got"};
    json_t *doc = json_object();
    size_t all = 0;

    for (size_t part = 0; part < SPV_CONFORM_PARTS; part++) {
        size_t n = 0;
        const spv_conform_message *m =
            spv_conform_exchange(battery, check, (spv_conform_part)part, &n);
        json_t *list = json_array();

        for (size_t i = 0; i < n; i++)
            (void)json_array_append_new(list, message_doc(&m[i]));
        (void)json_object_set_new(doc, parts[part], list);
        all += n;
    }
    if (all > 0)
        return doc;
    json_decref(doc);
    return NULL;
}

static json_t *result_doc(const spv_conform *battery,
                          const spv_conform_check *check, size_t i)
{
    json_t *doc = check_doc(check);
    json_t *exchange = exchange_doc(battery, i);

    (void)json_object_set_new(
        doc, "result", json_string(spv_conform_result_name(check->result)));
    (void)json_object_set_new(doc, "detail", json_string(check->detail));
    if (exchange)
        (void)json_object_set_new(doc, "exchange", exchange);
    return doc;
}

static json_t *results_doc(const spv_conform *battery, const tally *t)
{
    size_t n = 0;
    const spv_conform_check *checks = spv_conform_checks(battery, &n);
    json_t *list = json_array();
    spv_conform_node node;

    spv_conform_get_node(battery, &node);
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(list, result_doc(battery, &checks[i], i));
    return json_pack("{s:o, s:o, s:i, s:i, s:i, s:i, s:s?, s:o}", "node",
                     node_doc(&node), "checks", list, "passed",
                     t->of[SPV_CONFORM_PASS], "failed", t->of[SPV_CONFORM_FAIL],
                     "skipped", t->of[SPV_CONFORM_SKIPPED], "musts_untried",
                     t->musts_untried, "unfinished", t->unfinished, "seed",
                     cli_json_count(spv_conform_seed(battery)));
}

/* ---- The run ---- */

static spv_err explain(cli *c, const spv_conform *battery, spv_err err)
{
    const char *why = spv_conform_why(battery);
    spv_conform_node node;

    if (err == SPV_INTERRUPTED || !*why)
        return cli_fail_plain(c, err);
    spv_conform_get_node(battery, &node);
    (void)cli_fail(c, err, "%s: %s", node.address, why);
    if (err == SPV_NOT_FOUND) {
        (void)cli_fail(c, err,
                       "%s: it does not show the blocks that --rpc has made",
                       node.address);
        return cli_hint(&c->trouble,
                        "--connect and --rpc are to be one node, or two that "
                        "are connected");
    }
    if (err != SPV_NO_PEER || node.version != 0)
        return err;
    if (strcmp(node.chain, c->network->name) != 0)
        return cli_hint(&c->trouble, "--chain %s chooses its network",
                        node.chain);
    return cli_hint(&c->trouble,
                    "is a node of %s there? --regtest, --signet, --testnet4 "
                    "and --chain NAME choose another network",
                    node.chain);
}

/* What to do about checks that were not tried. */
static void advise(const cli *c, const spv_conform *battery, const tally *t)
{
    spv_conform_node node;

    spv_conform_get_node(battery, &node);
    if (!node.serves_filters && t->unfinished)
        cli_say(c, CLI_WARN,
                "the node offers no NODE_BLOOM: set peerbloomfilters=1 in its "
                "bitcoin.conf, or whitelist=bloomfilter@ADDRESS");
    else if (*spv_conform_why(battery))
        cli_say(c, CLI_WARN, "%s: --timeout gives them longer", t->unfinished);
    else if (t->musts_untried > 0 && c->network->chain == SPV_REGTEST &&
             !cli_text(c, CLI_RPC))
        cli_say(c, CLI_WARN,
                "%d check%s not tried of what a node must do: on regtest --rpc "
                "URL gives it the blocks that are lacking",
                t->musts_untried, t->musts_untried == 1 ? "" : "s");
    else if (t->unfinished)
        cli_say(c, CLI_WARN, "%s", t->unfinished);
}

/* A line on the terminal, written over by the next. */
static void draw(void *ctx, size_t done, size_t total)
{
    (void)ctx;
    (void)fprintf(stderr, "\r\033[K%zu of %zu checks", done, total);
    (void)fflush(stderr);
}

static bool is_watched(const cli *c)
{
    return c->level >= CLI_WARN && isatty(STDERR_FILENO);
}

static void wipe(const cli *c)
{
    if (is_watched(c))
        (void)fputs("\r\033[K", stderr);
}

static double seconds_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void answer(cli *c, const spv_conform *battery, double began,
                   json_t **doc)
{
    tally t = tally_of(battery);

    *doc = results_doc(battery, &t);
    cli_conform_took(c, *doc, seconds_now() - began);
    c->verdict = t.musts_failed ? EXIT_FAILURE : cli_exit_code(t.err);
    advise(c, battery, &t);
}

static spv_err run(cli *c, spv_conform_options *o, json_t **doc)
{
    double began = seconds_now();
    spv_conform *battery = NULL;
    spv_err err = SPV_OK;

    o->progress = is_watched(c) ? draw : NULL;
    err = spv_conform_new(&battery, o);

    if (err == SPV_INVAL)
        return cli_fail(c, err, "'%s' is not HOST[:PORT]", o->connect);
    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    err = cli_drive(spv_conform_machine(), battery);
    wipe(c);
    if (err == SPV_OK)
        answer(c, battery, began, doc);
    else
        err = explain(c, battery, err);
    spv_conform_free(battery);
    return err;
}

static spv_err look_at_node(cli *c, spv_conform_options *o, json_t **doc)
{
    cli_feed feed = {0};
    spv_err err = cli_feed_node(c, o->seed, o->timeout_s, &feed);

    o->txs = feed.unsent;
    o->n_txs = feed.n_unsent;
    o->must_have = feed.material ? &feed.tip : NULL;
    if (err == SPV_OK)
        err = run(c, o, doc);
    cli_feed_clear(&feed);
    return err;
}

spv_err cli_conform(cli *c, json_t **doc)
{
    spv_conform_options options = {0};
    patterns only = {0};
    spv_err err = cli_conform_format(c);

    if (err != SPV_OK)
        return err;
    err = read_only(c, &only);
    if (err == SPV_OK && cli_on(c, CLI_LIST)) {
        *doc = list_doc(&only);
    } else if (err == SPV_OK) {
        err = read_options(c, &options, &only);
        if (err == SPV_OK)
            err = look_at_node(c, &options, doc);
    }
    if (err != SPV_OK)
        cli_conform_bail(c);
    free(only.text);
    return err;
}
