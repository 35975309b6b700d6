#include "cli/commands.h"
#include "cli/drive.h"
#include "cli/open.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/values.h"

/* ---- The document ---- */

static json_t *filter_doc(const spv_sync_report *r)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "elements",
        cli_json_count(r->filter_elements), "bytes",
        cli_json_count(r->filter_bytes), "hash_functions",
        cli_json_count(r->hash_functions), "fp_rate", cli_json_real(r->fp_rate),
        "tweak", cli_json_count(r->tweak), "flags", cli_json_count(r->flags),
        "generation", cli_json_count(r->generation));
}

static json_t *peers_doc(const spv_sync_report *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->n_peers; i++) {
        const spv_sync_peer *peer = &r->peers[i];

        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:o, s:o}", "address", peer->address,
                      "user_agent", peer->user_agent, "services",
                      cli_json_count(peer->services), "blocks",
                      cli_json_count(peer->blocks), "bytes_received",
                      cli_json_count(peer->bytes_received)));
    }
    return list;
}

static json_t *report_doc(const spv_client *client, const spv_network *network)
{
    spv_sync_report r;
    bool known = false;

    spv_client_report(client, &r);
    known = r.height >= 0;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "chain", network->name, "height", cli_json_height(r.height),
        "block_hash", known ? cli_json_hash(&r.block_hash) : json_null(),
        "headers", cli_json_height(r.headers), "filtered_blocks",
        cli_json_count(r.filtered_blocks), "matched_transactions",
        cli_json_count(r.matched_transactions), "wallet_transactions",
        cli_json_count(r.wallet_transactions), "false_positives",
        cli_json_count(r.false_positives), "expected_false_positives",
        cli_json_real(r.expected_false_positives), "refetched_blocks",
        cli_json_count(r.refetched_blocks), "audited_blocks",
        cli_json_count(r.audited_blocks), "omissions",
        cli_json_count(r.omissions), "filter", filter_doc(&r), "bytes_received",
        cli_json_count(r.bytes_received), "bytes_sent",
        cli_json_count(r.bytes_sent), "elapsed_s",
        cli_json_real((double)r.elapsed_ms / 1000), "peers", peers_doc(&r));
}

/* ---- The run ---- */

/* Before a node is there, the heights are those of earlier runs. */
static spv_err explain_interrupt(cli *c, const spv_client *client)
{
    spv_sync_report r;

    spv_client_report(client, &r);
    if (r.phase == SPV_PHASE_CONNECT) {
        (void)cli_fail(c, SPV_INTERRUPTED, "interrupted while connecting");
        return cli_hint(&c->trouble,
                        "no node had answered, and nothing changed");
    }
    if (r.height < 0)
        (void)cli_fail(c, SPV_INTERRUPTED, "interrupted at the beginning");
    else
        (void)cli_fail(c, SPV_INTERRUPTED, "interrupted at height %d of %d",
                       r.height, r.headers);
    return cli_hint(&c->trouble,
                    "what was found is kept; 'spvclient sync' goes on");
}

static spv_err explain(cli *c, const spv_client *client, spv_err err)
{
    if (err == SPV_INTERRUPTED)
        return explain_interrupt(c, client);
    spv_client_trouble(client, &c->trouble);
    if (c->trouble.code != err)
        (void)cli_fail_plain(c, err);
    return err;
}

static spv_err drive(cli *c, cli_progress *progress)
{
    spv_err err = cli_drive(cli_progress_machine(), progress);

    cli_progress_wipe(progress);
    return err == SPV_OK ? err : explain(c, progress->client, err);
}

/* A script that asks for a height must not go on below it. */
static spv_err check_goal(cli *c, const spv_client *client, int32_t until)
{
    spv_sync_report r;

    spv_client_report(client, &r);
    if (r.height >= until)
        return SPV_OK;
    (void)cli_fail(c, SPV_TIMEOUT,
                   "synced, but the chain ends at height %d, below %d",
                   r.height, until);
    return cli_hint(&c->trouble, "sync again when there are more blocks");
}

/* A wallet never goes back. */
static void tell_passed(const cli *c, const spv_client *client, int32_t until)
{
    spv_wallet_info info;

    spv_client_info(client, &info);
    if (until && info.synced_height > until && info.rescan_height < 0 &&
        info.rescan_time < 0)
        cli_say(c, CLI_NOTE,
                "--until %d is passed already: all is known up to height %d",
                until, info.synced_height);
}

static spv_err run(cli *c, spv_client *client, json_t **doc)
{
    cli_progress progress;
    spv_sync_options options = {.log = cli_progress_warn, .log_ctx = &progress};
    spv_err err = cli_run_options(c, &options);

    cli_progress_init(&progress, c, client, options.until);
    if (err == SPV_OK)
        tell_passed(c, client, options.until);
    if (err == SPV_OK)
        err = spv_client_prepare(client, &options, &c->trouble);
    if (err == SPV_OK)
        err = drive(c, &progress);
    if (err == SPV_OK)
        err = check_goal(c, client, options.until);
    if (err == SPV_OK)
        *doc = report_doc(client, c->network);
    return err;
}

static void tell_wallet(const cli *c, const spv_client *client)
{
    spv_wallet_info info;

    spv_client_info(client, &info);
    if (info.synced_height < 0)
        cli_say(c, CLI_INFO, "syncing '%s' on %s from the beginning", info.name,
                c->network->name);
    else
        cli_say(c, CLI_INFO, "syncing '%s' on %s from height %d", info.name,
                c->network->name, info.synced_height);
}

/* How far was looked is part of the answer: coins beyond the gap stay unseen.
 */
static void add_gap(const spv_client *client, json_t *doc)
{
    spv_wallet_info info;

    spv_client_info(client, &info);
    (void)json_object_set_new(doc, "gap", cli_json_count(info.gap));
}

spv_err cli_sync(cli *c, json_t **doc)
{
    spv_client *client = NULL;
    spv_err err = cli_open(c, &client);

    if (err == SPV_OK) {
        tell_wallet(c, client);
        err = run(c, client, doc);
    }
    if (err == SPV_OK && *doc)
        add_gap(client, *doc);
    spv_client_free(client);
    return err;
}

void cli_sync_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"chain", "chain", CLI_AS_IS},
        {"height", "height", CLI_AS_IS},
        {"block_hash", "block", CLI_AS_IS},
        {"headers", "headers", CLI_AS_IS},
        {"filtered_blocks", "filtered blocks", CLI_AS_IS},
        {"wallet_transactions", "wallet transactions", CLI_AS_IS},
        {"false_positives", "false positives", CLI_AS_IS},
        {"refetched_blocks", "refetched blocks", CLI_AS_IS},
        {"audited_blocks", "audited blocks", CLI_AS_IS},
        {"omissions", "omissions found", CLI_AS_IS},
        {"gap", "addresses ahead", CLI_AS_IS},
        {"bytes_received", "received", CLI_AS_BYTES},
        {"bytes_sent", "sent", CLI_AS_BYTES},
        {"elapsed_s", "seconds", CLI_AS_IS},
    };
    static const cli_field columns[] = {
        {"address", "PEER", CLI_AS_IS},
        {"blocks", "BLOCKS", CLI_AS_IS},
        {"bytes_received", "RECEIVED", CLI_AS_BYTES},
        {"user_agent", "USER AGENT", CLI_AS_IS},
    };

    cli_print_fields(doc, CLI_FIELDS(fields));
    (void)putchar('\n');
    cli_print_table(c, json_object_get(doc, "peers"), CLI_FIELDS(columns));
}
