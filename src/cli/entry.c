#include "cli/entry.h"

#include <stdlib.h>

#include "cli/values.h"

json_t *cli_balance_doc(const spv_client *client)
{
    spv_wallet_info info;
    spv_balance b;

    spv_client_info(client, &info);
    spv_client_balance(client, &b);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "confirmed_sat",
                     cli_json_amount(b.confirmed), "unconfirmed_sat",
                     cli_json_amount(b.unconfirmed), "immature_sat",
                     cli_json_amount(b.immature), "total_sat",
                     cli_json_amount(b.total), "height",
                     cli_json_height(info.synced_height), "block_hash",
                     info.synced_height < 0 ? json_null()
                                            : cli_json_hash(&info.synced_hash));
}

static spv_err conflicts_doc(cli *c, const spv_client *client,
                             const spv_hash *txid, json_t **out)
{
    spv_hash *others = NULL;
    size_t n = 0;
    spv_err err = spv_client_conflicts(client, txid, &others, &n);

    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    *out = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(*out, cli_json_hash(&others[i]));
    free(others);
    return SPV_OK;
}

spv_err cli_entry_doc(cli *c, const spv_client *client, const spv_wallet_tx *tx,
                      int32_t tip, json_t **out)
{
    json_t *conflicts = NULL;
    bool in_block = tx->height >= 0;
    spv_err err = conflicts_doc(c, client, &tx->txid, &conflicts);

    if (err != SPV_OK)
        return err;
    *out = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "txid",
        cli_json_hash(&tx->txid), "height", cli_json_height(tx->height),
        "block_hash", in_block ? cli_json_hash(&tx->block_hash) : json_null(),
        "block_time", in_block ? cli_json_time(tx->block_time) : json_null(),
        "net_sat", cli_json_amount(tx->net), "fee_sat",
        tx->fee == SPV_NO_FEE ? json_null() : cli_json_amount(tx->fee),
        "confirmations", cli_json_confirmations(tx->height, tip), "state",
        spv_tx_state_name(tx->state), "conflicts_with", conflicts);
    return SPV_OK;
}
