#include "cli/decode.h"

#include <string.h>

#include <spv/chain.h>
#include <spv/hex.h>
#include <spv/script.h>
#include <spv/witness.h>

#include "cli/values.h"

/* ---- Scripts ---- */

json_t *cli_script_doc(const uint8_t *script, size_t len,
                       const spv_network *network)
{
    json_t *address = cli_json_address(script, len, network);
    json_t *doc =
        json_pack("{s:o, s:o, s:s}", "asm", cli_script_asm(script, len), "hex",
                  cli_json_hex(script, len), "type",
                  spv_script_kind_name(spv_script_classify(script, len)));

    if (doc && !json_is_null(address))
        (void)json_object_set(doc, "address", address);
    json_decref(address);
    return doc;
}

/* ---- Transactions ---- */

static json_t *witness_doc(const spv_txin *in)
{
    json_t *list = json_array();
    spv_witness_reader reader;
    const uint8_t *item = NULL;
    size_t len = 0;

    spv_witness_open(&reader, in);
    while (spv_witness_next(&reader, &item, &len))
        (void)json_array_append_new(list, cli_json_hex(item, len));
    return list;
}

static json_t *input_doc(const spv_txin *in, bool coinbase)
{
    json_t *doc =
        coinbase ? json_pack("{s:o}", "coinbase",
                             cli_json_hex(in->script, in->script_len))
                 : json_pack("{s:o, s:I, s:{s:o, s:o}}", "txid",
                             cli_json_hash(&in->prev.txid), "vout",
                             (json_int_t)in->prev.vout, "scriptSig", "asm",
                             cli_script_asm(in->script, in->script_len), "hex",
                             cli_json_hex(in->script, in->script_len));

    if (in->witness)
        (void)json_object_set_new(doc, "txinwitness", witness_doc(in));
    (void)json_object_set_new(doc, "sequence", cli_json_count(in->sequence));
    return doc;
}

static json_t *inputs_doc(const spv_tx *tx)
{
    json_t *list = json_array();

    for (size_t i = 0; i < tx->n_in; i++)
        (void)json_array_append_new(
            list, input_doc(&tx->in[i], spv_tx_is_coinbase(tx)));
    return list;
}

static json_t *outputs_doc(const spv_tx *tx, const spv_network *network)
{
    json_t *list = json_array();

    for (size_t i = 0; i < tx->n_out; i++)
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "value_sat",
                            cli_json_amount(tx->out[i].value), "n",
                            cli_json_count(i), "scriptPubKey",
                            cli_script_doc(tx->out[i].script,
                                           tx->out[i].script_len, network)));
    return list;
}

json_t *cli_tx_doc(const spv_tx *tx, const spv_network *network)
{
    return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "txid",
                     cli_json_hash(&tx->txid), "hash",
                     cli_json_hash(&tx->wtxid), "version", (int)tx->version,
                     "size", cli_json_count(tx->len), "vsize",
                     cli_json_count(spv_tx_vsize(tx)), "weight",
                     cli_json_count(spv_tx_weight(tx)), "locktime",
                     cli_json_count(tx->lock_time), "vin", inputs_doc(tx),
                     "vout", outputs_doc(tx, network));
}

/* ---- Headers ---- */

static json_t *word_hex(uint32_t word)
{
    char text[9];

    (void)snprintf(text, sizeof(text), "%08lx", (unsigned long)word);
    return json_string(text);
}

json_t *cli_header_doc(const uint8_t bytes[SPV_HEADER_LEN],
                       const spv_network *network)
{
    spv_header h;
    spv_hash hash;

    spv_header_decode(&h, bytes);
    spv_header_hash(&hash, bytes);
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "hash",
                     cli_json_hash(&hash), "version", (int)h.version,
                     "versionHex", word_hex((uint32_t)h.version),
                     "previousblockhash", cli_json_hash(&h.prev), "merkleroot",
                     cli_json_hash(&h.merkle_root), "block_time",
                     cli_json_count(h.time), "bits", word_hex(h.bits), "nonce",
                     cli_json_count(h.nonce), "proof_of_work",
                     spv_pow_check(&hash, h.bits, network));
}

/* ---- Addresses ---- */

spv_err cli_address_fail(cli *c, spv_err err, const char *text)
{
    uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
    size_t len = 0;

    if (err == SPV_CHECKSUM)
        return cli_fail(c, err,
                        "'%.90s' is not an address: its checksum does not "
                        "match, so something in it was mistyped",
                        text);
    if (err != SPV_NETWORK)
        return cli_fail(c, err,
                        "'%.90s' is not an address: it is neither base58 of 25 "
                        "bytes nor bech32 that begins with %s1",
                        text, c->network->hrp);
    (void)cli_fail(c, err, "'%.90s' is an address of another network than %s",
                   text, c->network->name);
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *other = spv_network_get((spv_chain)i);

        if (spv_address_parse(script, &len, text, other) == SPV_OK)
            return cli_hint(&c->trouble, "try --chain %s", other->name);
    }
    return err;
}
