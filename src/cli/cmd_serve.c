#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spv/descriptor.h>
#include <spv/serve.h>
#include <spv/uv.h>

#include "cli/commands.h"
#include "cli/drive.h"
#include "cli/serve_report.h"
#include "cli/text.h"
#include "cli/values.h"

/* The wallet that is paid unless addresses are named: the one everybody knows.
 * Its keys reach beyond the first twenty, the gap that BIP 44 recommends. */
static const char MNEMONIC[] =
    "abandon abandon abandon abandon abandon abandon "
    "abandon abandon abandon abandon abandon about";
static const char DESCRIPTOR[] =
    "wpkh([73c5da0a/84h/1h/0h]"
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4L"
    "AxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/<0;1>/*)";

enum {
    RECEIVE = 30,
    CHANGE = 12,
    NODES_MAX = 16,
    PAID_MAX = 1000,
    TIMEOUT_MAX = 86400,
    PORT_MAX = 65535,
    HOST_MAX = 48,
    EXIT_UNTESTED = 6
};

static const uint64_t SEED_MOST = UINT64_C(1) << 53;

/** A run of the command. */
typedef struct server {
    cli *c;
    spv_serve_options options;
    spv_serve_script *scripts; /* owned, with their bytes: one memory */
    char host[HOST_MAX];       /* as it is written before ":PORT" */
    spv_netaddr at;            /* of the first node */
    spv_serve *serve;
    spv_reactor *reactor;
} server;

/* ---- Options ---- */

static spv_err check_chain(cli *c)
{
    const char *chain = cli_text(c, CLI_CHAIN);

    if (!chain || spv_network_find(chain) == spv_network_get(SPV_REGTEST))
        return SPV_OK;
    return cli_fail(c, SPV_NETWORK, "scripted nodes serve regtest only, not %s",
                    chain);
}

static spv_err check_scenario(cli *c, const char *name)
{
    const spv_serve_scenario *scenario = NULL;

    for (size_t i = 0; (scenario = spv_serve_scenario_at(i)); i++)
        if (strcmp(scenario->name, name) == 0)
            return SPV_OK;
    return cli_fail(c, SPV_INVAL, "there is no scenario '%s'", name);
}

/* Options of every command that would be given in error here. */
static spv_err check_globals(cli *c)
{
    static const cli_option strange[] = {CLI_CONNECT, CLI_AUDIT, CLI_WALLET,
                                         CLI_RPC, CLI_RPC_COOKIE};

    for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
        if (c->values.of[strange[i]].source == CLI_FROM_ARGV) {
            (void)cli_fail(c, SPV_INVAL, "'conform serve' does not take --%s",
                           cli_option_get(strange[i])->name);
            return cli_hint(&c->trouble,
                            "it asks no node and has no wallet: point your "
                            "client at where it listens");
        }
    return SPV_OK;
}

static spv_err read_scenarios(server *s)
{
    const cli_value *names = &s->c->values.of[CLI_SCENARIO];
    spv_err err = SPV_OK;

    if (names->n == 0)
        err = cli_fail(s->c, SPV_INVAL, "no scenario was named");
    if (names->n > NODES_MAX)
        err = cli_fail(s->c, SPV_INVAL, "at most %d nodes serve", NODES_MAX);
    for (size_t i = 0; i < names->n && err == SPV_OK; i++)
        err = check_scenario(s->c, names->texts[i]);
    if (err != SPV_OK)
        return cli_hint(&s->c->trouble,
                        "'spvclient conform serve --list' tells what there is");
    s->options.scenarios = (const char *const *)names->texts;
    s->options.n_scenarios = names->n;
    return SPV_OK;
}

static uint8_t *script_bytes(server *s, size_t i, size_t n)
{
    return (uint8_t *)(s->scripts + n) + i * SPV_ADDRESS_SCRIPT_MAX;
}

static spv_err make_room(server *s, size_t n)
{
    s->scripts = calloc(n, sizeof(*s->scripts) + SPV_ADDRESS_SCRIPT_MAX);
    if (!s->scripts)
        return cli_fail_plain(s->c, SPV_NOMEM);
    for (size_t i = 0; i < n; i++)
        s->scripts[i].bytes = script_bytes(s, i, n);
    s->options.scripts = s->scripts;
    s->options.n_scripts = n;
    return SPV_OK;
}

static spv_err pay_addresses(server *s, const cli_value *pay)
{
    spv_err err = make_room(s, pay->n);

    for (size_t i = 0; i < pay->n && err == SPV_OK; i++) {
        err = spv_address_parse(script_bytes(s, i, pay->n), &s->scripts[i].len,
                                pay->texts[i], spv_network_get(SPV_REGTEST));
        if (err != SPV_OK)
            (void)cli_fail(s->c, err, "'%s' is no address of regtest",
                           pay->texts[i]);
    }
    return err;
}

static spv_err pay_known_wallet(server *s)
{
    enum { N = RECEIVE + CHANGE };
    spv_err err = make_room(s, N);

    for (size_t i = 0; i < N && err == SPV_OK; i++)
        err =
            spv_descriptor_script(script_bytes(s, i, N), SPV_ADDRESS_SCRIPT_MAX,
                                  &s->scripts[i].len, DESCRIPTOR, i >= RECEIVE,
                                  (uint32_t)(i >= RECEIVE ? i - RECEIVE : i),
                                  spv_network_get(SPV_REGTEST), NULL);
    s->options.n_scripts = RECEIVE;
    s->options.change = s->scripts + RECEIVE;
    s->options.n_change = CHANGE;
    return err == SPV_OK ? err : cli_fail_plain(s->c, err);
}

static spv_err read_pay(server *s)
{
    const cli_value *pay = &s->c->values.of[CLI_PAY];

    if (pay->n > PAID_MAX)
        return cli_fail(s->c, SPV_INVAL, "at most %d addresses are paid",
                        PAID_MAX);
    return pay->n ? pay_addresses(s, pay) : pay_known_wallet(s);
}

/* "127.0.0.1:PORT" or "[::1]:PORT": names would have to be looked up. */
static bool parse_listen(server *s, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    char bare[HOST_MAX];
    uint64_t port = 0;

    if (!colon || len >= sizeof(s->host) ||
        !cli_parse_number(&port, colon + 1, PORT_MAX))
        return false;
    memcpy(s->host, text, len);
    s->host[len] = '\0';
    s->at.port = (uint16_t)port;
    s->at.net = 1;
    s->at.len = 4;
    if (inet_pton(AF_INET, s->host, s->at.addr) == 1)
        return true;
    if (len < 2 || s->host[0] != '[' || s->host[len - 1] != ']')
        return false;
    memcpy(bare, s->host + 1, len - 2);
    bare[len - 2] = '\0';
    s->at.net = 2;
    s->at.len = 16;
    return inet_pton(AF_INET6, bare, s->at.addr) == 1;
}

static spv_err read_options(server *s)
{
    const char *listen = cli_text(s->c, CLI_LISTEN);
    uint64_t timeout = 0;
    spv_err err = check_chain(s->c);

    if (err == SPV_OK)
        err = check_globals(s->c);
    if (err == SPV_OK)
        err = read_scenarios(s);
    if (err == SPV_OK)
        err = cli_number(s->c, CLI_TIMEOUT, 1, TIMEOUT_MAX, 0, &timeout);
    if (err == SPV_OK)
        err = cli_number(s->c, CLI_SEED, 0, SEED_MOST, 1, &s->options.seed);
    if (err == SPV_OK && !parse_listen(s, listen ? listen : "127.0.0.1:0"))
        err = cli_fail(s->c, SPV_INVAL,
                       "--listen is an address and a port, as 127.0.0.1:18444 "
                       "or [::1]:0, not '%s'",
                       listen);
    if (err == SPV_OK && s->at.port + s->options.n_scenarios - 1 > PORT_MAX)
        err = cli_fail(s->c, SPV_INVAL,
                       "%zu nodes need as many ports, and there are fewer "
                       "from %u on",
                       s->options.n_scenarios, s->at.port);
    if (err == SPV_OK)
        err = read_pay(s);
    s->options.timeout = (spv_time)timeout * 1000;
    return err;
}

/* ---- Listening ---- */

static spv_err listen_for(server *s, size_t node)
{
    spv_netaddr at = s->at;
    uint16_t port = 0;
    spv_err err;

    if (at.port > 0)
        at.port = (uint16_t)(at.port + node);
    err = spv_reactor_listen(s->reactor, &at, &port);
    if (err == SPV_OK) {
        spv_serve_at(s->serve, node, port);
        return SPV_OK;
    }
    if (err == SPV_EXISTS)
        (void)cli_fail(s->c, err, "%s:%u is taken by another program", s->host,
                       at.port);
    else
        (void)cli_fail(s->c, err, "cannot listen at %s:%u", s->host, at.port);
    return cli_hint(&s->c->trouble,
                    "--listen 127.0.0.1:0 takes any port that is free");
}

static json_t *listening_doc(const server *s)
{
    json_t *list = json_array();

    for (size_t i = 0; i < spv_serve_nodes(s->serve); i++) {
        char address[HOST_MAX + 8];
        spv_serve_report r;

        spv_serve_report_of(s->serve, i, &r);
        (void)snprintf(address, sizeof(address), "%s:%u", s->host, r.port);
        (void)json_array_append_new(
            list, cli_serve_scenario_doc(r.scenario, address));
    }
    return list;
}

static json_t *pay_doc(const server *s)
{
    const cli_value *pay = &s->c->values.of[CLI_PAY];
    json_t *list = json_array();

    for (size_t i = 0; i < pay->n; i++)
        (void)json_array_append_new(list, json_string(pay->texts[i]));
    return list;
}

static void print_pay(const server *s)
{
    const cli_value *pay = &s->c->values.of[CLI_PAY];

    (void)printf("\npaid are\n");
    for (size_t i = 0; i < pay->n; i++)
        (void)printf("  %s\n", pay->texts[i]);
}

/* The first line: where, and what a client should end with. */
static spv_err announce(const server *s)
{
    const spv_serve_truth truth = spv_serve_tell(s->serve);
    bool known = s->options.n_change > 0;
    json_t *doc = json_pack(
        "{s:s, s:o, s:s*, s:s*, s:o*, s:o, s:o}", "chain", "regtest",
        "listening", listening_doc(s), "mnemonic", known ? MNEMONIC : NULL,
        "descriptor", known ? DESCRIPTOR : NULL, "pay",
        known ? NULL : pay_doc(s), "seed", cli_json_count(s->options.seed),
        "truth", cli_serve_truth_doc(&truth));

    if (!doc)
        return cli_fail_plain(s->c, SPV_NOMEM);
    if (s->c->json) {
        cli_print_json_line(doc);
    } else {
        cli_serve_print_scenarios(json_object_get(doc, "listening"));
        if (known)
            (void)printf("\nthe wallet paid is wpkh of\n  %s\n", MNEMONIC);
        else
            print_pay(s);
        (void)printf("\nseed %" PRIu64 "\n", s->options.seed);
        (void)printf("\na client that is right ends with\n");
        cli_serve_print_truth(s->c, json_object_get(doc, "truth"));
    }
    json_decref(doc);
    return SPV_OK;
}

/* Nodes of which nobody could be told where they listen would wait for ever;
 * why it could not be told, the program says of any command. */
static bool is_told(void)
{
    return fflush(stdout) == 0 && !ferror(stdout);
}

/* ---- The run ---- */

static bool has_client(const server *s)
{
    for (size_t i = 0; i < spv_serve_nodes(s->serve); i++) {
        spv_serve_report r;

        spv_serve_report_of(s->serve, i, &r);
        if (r.connections > 0)
            return true;
    }
    return false;
}

/* Wrong is one thing, not put to the test another. */
static const int exit_codes[] = {
    [SPV_SERVE_PASS] = EXIT_SUCCESS,
    [SPV_SERVE_FAIL] = EXIT_FAILURE,
    [SPV_SERVE_SKIPPED] = EXIT_UNTESTED,
};

static spv_err report(const server *s)
{
    json_t *doc = cli_serve_report_doc(s->serve, s->host);

    if (!doc)
        return cli_fail_plain(s->c, SPV_NOMEM);
    s->c->verdict = exit_codes[spv_serve_verdict(s->serve)];
    if (s->c->json)
        cli_print_json_line(doc);
    else
        cli_serve_print_report(doc);
    json_decref(doc);
    return SPV_OK;
}

/* However it ended: what was seen of a client is told. */
static spv_err conclude(const server *s, spv_err err)
{
    bool ended = err == SPV_OK || err == SPV_TIMEOUT || err == SPV_INTERRUPTED;

    if (!ended)
        return cli_fail_plain(s->c, err);
    if (has_client(s))
        return report(s);
    return cli_fail(s->c, err,
                    err == SPV_TIMEOUT ? "the time is up, and no client came"
                                       : "interrupted before a client came");
}

static spv_err open_all(server *s)
{
    spv_err err = spv_serve_new(&s->serve, &s->options);

    if (err == SPV_OK)
        err = spv_reactor_new(&s->reactor, spv_serve_machine(), s->serve);
    if (err != SPV_OK)
        return cli_fail_plain(s->c, err);
    for (size_t i = 0; i < s->options.n_scenarios && err == SPV_OK; i++)
        err = listen_for(s, i);
    return err;
}

static json_t *list_doc(void)
{
    json_t *list = json_array();
    const spv_serve_scenario *scenario = NULL;

    for (size_t i = 0; (scenario = spv_serve_scenario_at(i)); i++)
        (void)json_array_append_new(list,
                                    cli_serve_scenario_doc(scenario, NULL));
    return json_pack("{s:o}", "scenarios", list);
}

spv_err cli_conform_serve(cli *c, json_t **doc)
{
    server s = {.c = c};
    spv_err err;

    if (cli_on(c, CLI_LIST)) {
        *doc = list_doc();
        return SPV_OK;
    }
    c->by_line = true;
    err = read_options(&s);
    if (err == SPV_OK)
        err = open_all(&s);
    if (err == SPV_OK)
        err = announce(&s);
    if (err == SPV_OK && is_told())
        err = conclude(&s, cli_drive_reactor(s.reactor));
    spv_reactor_free(s.reactor);
    spv_serve_free(s.serve);
    free(s.scripts);
    return err;
}

void cli_conform_serve_text(const cli *c, const json_t *doc)
{
    (void)c;
    cli_serve_print_scenarios(json_object_get(doc, "scenarios"));
}
