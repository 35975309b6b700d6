#include <stdlib.h>

#include "cli/commands.h"
#include "cli/decode.h"
#include "cli/entry.h"
#include "cli/open.h"
#include "cli/standing.h"
#include "cli/text.h"
#include "cli/values.h"

/* What the wallet holds: balance, coins, history, one transaction. */

typedef spv_err question(cli *c, const spv_client *client, json_t **doc);

/* Open the wallet, ask it one thing, close it. */
static spv_err ask(cli *c, question *q, json_t **doc)
{
    spv_client *client = NULL;
    spv_wallet_info info;
    spv_err err = cli_open(c, &client);

    if (err != SPV_OK)
        return err;
    spv_client_info(client, &info);
    cli_tell_standing(c, &info);
    err = q(c, client, doc);
    spv_client_free(client);
    return err;
}

static spv_err ask_balance(cli *c, const spv_client *client, json_t **doc)
{
    (void)c;
    *doc = cli_balance_doc(client);
    return SPV_OK;
}

spv_err cli_balance(cli *c, json_t **doc)
{
    return ask(c, ask_balance, doc);
}

void cli_balance_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"confirmed_sat", "confirmed", CLI_AS_AMOUNT},
        {"unconfirmed_sat", "unconfirmed", CLI_AS_AMOUNT},
        {"immature_sat", "immature", CLI_AS_AMOUNT},
        {"total_sat", "total", CLI_AS_AMOUNT},
        {"height", "height", CLI_AS_IS},
    };

    (void)c;
    cli_print_fields(doc, CLI_FIELDS(fields));
}

/* ---- coins ---- */

static json_t *coin_doc(const spv_coin *coin, const spv_network *network,
                        int32_t tip)
{
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "txid",
                     cli_json_hash(&coin->outpoint.txid), "vout",
                     (json_int_t)coin->outpoint.vout, "amount_sat",
                     cli_json_amount(coin->amount), "address",
                     cli_json_address(coin->script, coin->script_len, network),
                     "script_pubkey",
                     cli_json_hex(coin->script, coin->script_len), "height",
                     cli_json_height(coin->height), "confirmations",
                     cli_json_confirmations(coin->height, tip), "coinbase",
                     coin->coinbase, "spendable", coin->spendable);
}

static spv_err ask_coins(cli *c, const spv_client *client, json_t **doc)
{
    spv_wallet_info info;
    spv_coin *coins = NULL;
    size_t n = 0;
    spv_err err = spv_client_coins(client, &coins, &n);

    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    spv_client_info(client, &info);
    *doc = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(
            *doc, coin_doc(&coins[i], c->network, info.reached_height));
    free(coins);
    return SPV_OK;
}

spv_err cli_coins(cli *c, json_t **doc)
{
    return ask(c, ask_coins, doc);
}

void cli_coins_text(const cli *c, const json_t *doc)
{
    static const cli_field columns[] = {
        {"txid", "TXID", CLI_AS_IS},
        {"vout", "VOUT", CLI_AS_IS},
        {"amount_sat", "AMOUNT", CLI_AS_AMOUNT},
        {"height", "HEIGHT", CLI_AS_IS},
        {"confirmations", "CONF", CLI_AS_IS},
        {"spendable", "SPENDABLE", CLI_AS_IS},
        {"address", "ADDRESS", CLI_AS_IS},
    };

    cli_print_table(c, doc, CLI_FIELDS(columns));
}

/* ---- history ---- */

static spv_err ask_history(cli *c, const spv_client *client, json_t **doc)
{
    spv_wallet_info info;
    spv_wallet_tx *txs = NULL;
    size_t n = 0;
    spv_err err = spv_client_history(client, &txs, &n);

    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    spv_client_info(client, &info);
    *doc = json_array();
    for (size_t i = 0; i < n && err == SPV_OK; i++) {
        json_t *entry = NULL;

        err = cli_entry_doc(c, client, &txs[i], info.reached_height, &entry);
        if (err == SPV_OK)
            (void)json_array_append_new(*doc, entry);
    }
    free(txs);
    return err;
}

spv_err cli_history(cli *c, json_t **doc)
{
    return ask(c, ask_history, doc);
}

void cli_history_text(const cli *c, const json_t *doc)
{
    static const cli_field columns[] = {
        {"block_time", "TIME", CLI_AS_TIME}, {"height", "HEIGHT", CLI_AS_IS},
        {"net_sat", "NET", CLI_AS_CHANGE},   {"fee_sat", "FEE", CLI_AS_AMOUNT},
        {"state", "STATE", CLI_AS_IS},       {"txid", "TXID", CLI_AS_IS},
    };

    cli_print_table(c, doc, CLI_FIELDS(columns));
}

/* ---- tx show ---- */

static spv_err decode_known(cli *c, const spv_wallet_tx *known, json_t *doc)
{
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, known->bytes, known->len, NULL);

    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    (void)json_object_set_new(doc, "hex",
                              cli_json_hex(known->bytes, known->len));
    (void)json_object_set_new(doc, "decoded", cli_tx_doc(&tx, c->network));
    spv_tx_clear(&tx);
    return SPV_OK;
}

static spv_err ask_tx(cli *c, const spv_client *client, json_t **doc)
{
    spv_wallet_info info;
    spv_wallet_tx tx;
    spv_hash txid;
    spv_err err = spv_hash_parse(&txid, c->args[0]);

    if (err != SPV_OK)
        return cli_fail(c, err, "'%s' is not a TXID: 64 hex digits",
                        c->args[0]);
    err = spv_client_tx(client, &txid, &tx);
    if (err != SPV_OK)
        return cli_fail(c, err, "the wallet has no transaction %s", c->args[0]);
    spv_client_info(client, &info);
    err = cli_entry_doc(c, client, &tx, info.reached_height, doc);
    return err == SPV_OK ? decode_known(c, &tx, *doc) : err;
}

spv_err cli_tx_show(cli *c, json_t **doc)
{
    return ask(c, ask_tx, doc);
}

/* Where each input's money comes from. */
static json_t *source_of(const json_t *in)
{
    if (json_object_get(in, "coinbase"))
        return json_string("coinbase");
    return json_sprintf("%s:%lld", cli_doc_text(in, "txid"),
                        (long long)cli_doc_number(in, "vout"));
}

static void print_inputs(const cli *c, const json_t *inputs)
{
    static const cli_field columns[] = {
        {"n", "INPUT", CLI_AS_IS},
        {"from", "SPENDS", CLI_AS_IS},
    };
    json_t *rows = json_array();
    size_t i = 0;
    const json_t *in = NULL;

    json_array_foreach(inputs, i, in)(void) json_array_append_new(
        rows,
        json_pack("{s:o, s:o}", "n", cli_json_count(i), "from", source_of(in)));
    cli_print_table(c, rows, CLI_FIELDS(columns));
    json_decref(rows);
}

static void print_outputs(const cli *c, const json_t *outputs)
{
    static const cli_field columns[] = {
        {"n", "OUTPUT", CLI_AS_IS},
        {"value_sat", "AMOUNT", CLI_AS_AMOUNT},
        {"address", "ADDRESS", CLI_AS_IS},
    };
    json_t *rows = json_array();
    size_t i = 0;
    const json_t *out = NULL;

    json_array_foreach(outputs, i, out)(void) json_array_append_new(
        rows,
        json_pack(
            "{s:O, s:O, s:O*}", "n", json_object_get(out, "n"), "value_sat",
            json_object_get(out, "value_sat"), "address",
            json_object_get(json_object_get(out, "scriptPubKey"), "address")));
    cli_print_table(c, rows, CLI_FIELDS(columns));
    json_decref(rows);
}

void cli_tx_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"txid", "txid", CLI_AS_IS},
        {"state", "state", CLI_AS_IS},
        {"net_sat", "net", CLI_AS_CHANGE},
        {"fee_sat", "fee", CLI_AS_AMOUNT},
        {"height", "height", CLI_AS_IS},
        {"block_hash", "block", CLI_AS_IS},
        {"block_time", "time", CLI_AS_TIME},
        {"confirmations", "confirmations", CLI_AS_IS},
        {"conflicts_with", "conflicts with", CLI_AS_IS},
        {"size", "bytes", CLI_AS_IS},
        {"vsize", "virtual bytes", CLI_AS_IS},
        {"locktime", "lock time", CLI_AS_IS},
    };
    json_t *all = json_deep_copy(doc);
    json_t *tx = json_object_get(all, "decoded");

    (void)json_object_update_missing(all, tx);
    cli_print_fields(all, CLI_FIELDS(fields));
    (void)putchar('\n');
    print_inputs(c, json_object_get(tx, "vin"));
    (void)putchar('\n');
    print_outputs(c, json_object_get(tx, "vout"));
    json_decref(all);
}
