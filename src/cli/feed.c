#include "cli/feed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spv/hex.h>

#include "cli/interrupt.h"
#include "cli/rpc.h"

enum {
    TIMEOUT_DEFAULT_S = 300, /* as the battery's */
    MEMPOOL_TRIES = 100,
    MEMPOOL_PAUSE_NS = 20000000,
    HEIGHT_MAX = INT32_MAX / 2 /* no chain is as high */
};

/* ---- The tip ---- */

static spv_err refuse_network(cli *c, const char *name)
{
    (void)cli_fail(c, SPV_NETWORK,
                   "--rpc makes blocks, and on regtest alone: this is %s",
                   name);
    return cli_hint(&c->trouble,
                    "without --rpc the node's own blocks are taken");
}

static spv_err strange(cli *c, const char *method)
{
    return cli_fail(c, SPV_PROTOCOL,
                    "the node's answer to %s lacks what is needed", method);
}

static spv_err too_far(cli *c, const char *what, json_int_t n)
{
    return cli_fail(c, SPV_PROTOCOL,
                    "the node's tip has the %s %" JSON_INTEGER_FORMAT
                    ", which no chain has",
                    what, n);
}

static spv_err read_time(cli *c, cli_rpc *rpc, spv_material_options *o)
{
    char hash[SPV_HASH_TEXT];
    json_t *header = NULL;
    json_int_t at = 0;
    spv_err err;

    spv_hash_format(hash, &o->tip);
    err = cli_rpc_call(rpc, "getblockheader", json_pack("[s, b]", hash, 1),
                       &header);
    if (err != SPV_OK)
        return err;
    if (json_unpack(header, "{s:I}", "time", &at) != 0)
        err = strange(c, "getblockheader");
    else if (at < 0 || at > UINT32_MAX)
        err = too_far(c, "time", at);
    o->tip_time = (uint32_t)at;
    json_decref(header);
    return err;
}

static spv_err read_tip(cli *c, cli_rpc *rpc, spv_material_options *o)
{
    const char *chain = NULL;
    const char *hash = NULL;
    json_t *info = NULL;
    json_int_t height = 0;
    spv_err err = cli_rpc_call(rpc, "getblockchaininfo", json_array(), &info);

    if (err != SPV_OK)
        return err;
    if (json_unpack(info, "{s:s, s:I, s:s}", "chain", &chain, "blocks", &height,
                    "bestblockhash", &hash) != 0 ||
        spv_hash_parse(&o->tip, hash) != SPV_OK)
        err = strange(c, "getblockchaininfo");
    else if (strcmp(chain, "regtest") != 0)
        err = refuse_network(c, cli_rpc_quote(rpc, chain));
    else if (height < 0 || height > HEIGHT_MAX)
        err = too_far(c, "height", height);
    o->height = (int32_t)height;
    json_decref(info);
    return err == SPV_OK ? read_time(c, rpc, o) : err;
}

/* ---- Blocks and transactions ---- */

/** A call whose only operand is bytes, in hex. */
static spv_err send(cli *c, cli_rpc *rpc, const char *method,
                    const uint8_t *bytes, size_t len, json_t **result)
{
    char *hex = malloc(2 * len + 1);
    spv_err err;

    if (!hex)
        return cli_fail_plain(c, SPV_NOMEM);
    spv_hex_format(hex, bytes, len);
    err = cli_rpc_call(rpc, method, json_pack("[s]", hex), result);
    free(hex);
    return err;
}

static spv_err send_block(cli *c, cli_rpc *rpc, const spv_material_block *b)
{
    json_t *refusal = NULL;
    spv_err err = send(c, rpc, "submitblock", b->bytes, b->len, &refusal);

    if (err == SPV_OK && json_is_string(refusal))
        err = cli_fail(
            c, SPV_PROTOCOL, "the node refuses block %d, which is valid: %s",
            b->height, cli_rpc_quote(rpc, json_string_value(refusal)));
    json_decref(refusal);
    return err;
}

static spv_err send_blocks(cli *c, cli_rpc *rpc, const spv_material *m)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < spv_material_blocks(m) && err == SPV_OK; i++) {
        spv_material_block b = spv_material_block_at(m, i);

        err = send_block(c, rpc, &b);
        if (err == SPV_INTERRUPTED)
            return cli_fail(c, err, "interrupted: the node has %zu blocks more",
                            i);
    }
    return err;
}

/* The node is gone or too slow, or the user has enough: more calls are of no
 * use. Without what a node refuses the battery can do. */
static bool ends_all(spv_err err)
{
    return err == SPV_NO_PEER || err == SPV_TIMEOUT || err == SPV_INTERRUPTED;
}

static spv_err count_mempool(cli_rpc *rpc, size_t *n)
{
    json_t *txids = NULL;
    spv_err err = cli_rpc_call(rpc, "getrawmempool", json_array(), &txids);

    *n = json_array_size(txids);
    json_decref(txids);
    return ends_all(err) ? err : SPV_OK;
}

/* bcoin answers before it has looked. */
static spv_err wait_for_mempool(cli_rpc *rpc, size_t n)
{
    const struct timespec pause = {.tv_nsec = MEMPOOL_PAUSE_NS};
    size_t there = 0;
    spv_err err = count_mempool(rpc, &there);

    for (int i = 1; i < MEMPOOL_TRIES && err == SPV_OK && there < n; i++) {
        (void)nanosleep(&pause, NULL);
        err = count_mempool(rpc, &there);
    }
    return err;
}

/** The first half; what a node's policy refuses is told and done without. */
static spv_err send_txs(cli *c, cli_rpc *rpc, const spv_material *m)
{
    size_t taken = 0;
    size_t before = 0;
    spv_err err = count_mempool(rpc, &before);

    for (size_t i = 0; i < spv_material_txs(m) / 2 && !ends_all(err); i++) {
        size_t len = 0;
        const uint8_t *tx = spv_material_tx_at(m, i, &len);
        json_t *txid = NULL;

        err = send(c, rpc, "sendrawtransaction", tx, len, &txid);
        if (err == SPV_OK)
            taken++;
        else if (!ends_all(err))
            cli_say(c, CLI_WARN, "%s", c->trouble.text);
        json_decref(txid);
    }
    return ends_all(err) ? err : wait_for_mempool(rpc, before + taken);
}

static spv_err keep_txs(cli *c, cli_feed *feed)
{
    const spv_material *m = feed->material;
    size_t first = spv_material_txs(m) / 2;

    feed->unsent = calloc(spv_material_txs(m) + 1, sizeof(*feed->unsent));
    if (!feed->unsent)
        return cli_fail_plain(c, SPV_NOMEM);
    for (size_t i = first; i < spv_material_txs(m); i++) {
        spv_conform_tx *tx = &feed->unsent[feed->n_unsent++];

        tx->bytes = spv_material_tx_at(m, i, &tx->len);
    }
    return SPV_OK;
}

/* ---- All of it ---- */

static spv_err make(cli *c, cli_rpc *rpc, uint64_t seed, spv_material **out)
{
    spv_material_options o = spv_material_defaults();
    spv_err err = read_tip(c, rpc, &o);

    if (err != SPV_OK)
        return err;
    o.seed = seed;
    o.end_time = (uint32_t)time(NULL);
    err = spv_material_new(out, &o);
    return err == SPV_OK ? SPV_OK : cli_fail_plain(c, err);
}

static spv_err feed_over(cli *c, cli_rpc *rpc, uint64_t seed, cli_feed *feed)
{
    spv_err err = make(c, rpc, seed, &feed->material);

    if (err == SPV_OK)
        err = send_blocks(c, rpc, feed->material);
    if (err == SPV_OK)
        feed->tip = spv_material_block_at(
                        feed->material, spv_material_blocks(feed->material) - 1)
                        .hash;
    if (err == SPV_OK)
        err = send_txs(c, rpc, feed->material);
    if (err == SPV_OK)
        err = keep_txs(c, feed);
    if (err == SPV_OK)
        cli_say(c, CLI_INFO, "the node has %zu blocks more",
                spv_material_blocks(feed->material));
    return err;
}

spv_err cli_feed_node(cli *c, uint64_t seed, uint32_t timeout_s, cli_feed *out)
{
    cli_rpc *rpc = NULL;
    spv_err err;

    *out = (cli_feed){0};
    if (!cli_text(c, CLI_RPC))
        return SPV_OK;
    if (c->network->chain != SPV_REGTEST)
        return refuse_network(c, c->network->name);
    err = cli_rpc_open(c, timeout_s ? timeout_s : TIMEOUT_DEFAULT_S, &rpc);
    cli_interrupt_begin();
    if (err == SPV_OK)
        err = feed_over(c, rpc, seed, out);
    cli_interrupt_end();
    cli_rpc_close(rpc);
    if (err != SPV_OK)
        cli_feed_clear(out);
    return err;
}

void cli_feed_clear(cli_feed *feed)
{
    spv_material_free(feed->material);
    free(feed->unsent);
    *feed = (cli_feed){0};
}
