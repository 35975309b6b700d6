#include <spv/tx.h>

#include "base/bytes.h"
#include "vectors/kinds_wire.h"

/* The stack of an input, item by item; a vector of a legacy one has none. */
static void check_witness(spv_case *c, const spv_txin *in, const json_t *want)
{
    spv_reader r = spv__reader(in->witness, in->witness_len);
    size_t n = in->witness ? spv__read_count(&r, 1) : 0;

    spv__expect_int(c, "witness items", (int64_t)n,
                    (int64_t)json_array_size(want));
    for (size_t i = 0; i < n; i++) {
        size_t len = 0;
        const uint8_t *item = spv__read_var_bytes(&r, &len);

        spv__expect_bytes(c, "witness", item, len,
                          spv__case_hex_of(c, json_array_get(want, i)));
    }
    spv__expect_ok(c, "end of witness", spv__read_end(&r));
}

static void check_txin(spv_case *c, const spv_txin *in, const json_t *want)
{
    spv_hash txid = spv__case_hash_of(c, json_object_get(want, "prev_txid"));

    spv__expect_hash(c, "prev_txid", &in->prev.txid, &txid);
    spv__expect_member_int(c, want, "prev_index", in->prev.vout);
    spv__expect_member_bytes(c, want, "script_sig", in->script, in->script_len);
    spv__expect_member_int(c, want, "sequence", in->sequence);
    check_witness(c, in, json_object_get(want, "witness"));
}

static void check_sizes(spv_case *c, const spv_tx *tx)
{
    spv__expect_int(c, "size", (int64_t)tx->len, spv__case_int(c, "size"));
    spv__expect_int(c, "stripped_size", (int64_t)tx->stripped_len,
                    spv__case_int(c, "stripped_size"));
    spv__expect_int(c, "weight", (int64_t)spv_tx_weight(tx),
                    spv__case_int(c, "weight"));
    spv__expect_int(c, "vsize", (int64_t)spv_tx_vsize(tx),
                    spv__case_int(c, "vsize"));
}

static void check_tx(spv_case *c, const spv_tx *tx)
{
    const json_t *in =
        spv__expect_array(c, spv__case_vector(c), "inputs", tx->n_in);
    const json_t *out =
        spv__expect_array(c, spv__case_vector(c), "outputs", tx->n_out);
    spv_hash txid = spv__case_hash(c, "txid");
    spv_hash wtxid = spv__case_hash(c, "wtxid");

    spv__expect_hash(c, "txid", &tx->txid, &txid);
    spv__expect_hash(c, "wtxid", &tx->wtxid, &wtxid);
    spv__expect_int(c, "version", tx->version, spv__case_int(c, "version"));
    spv__expect_int(c, "lock_time", tx->lock_time,
                    spv__case_int(c, "lock_time"));
    spv__expect_true(c, "has_witness",
                     tx->has_witness == spv__case_bool(c, "has_witness"));
    check_sizes(c, tx);
    for (size_t i = 0; in && i < tx->n_in; i++)
        check_txin(c, &tx->in[i], json_array_get(in, i));
    for (size_t i = 0; out && i < tx->n_out; i++) {
        const json_t *want = json_array_get(out, i);

        spv__expect_member_int(c, want, "value", tx->out[i].value);
        spv__expect_member_bytes(c, want, "script_pubkey", tx->out[i].script,
                                 tx->out[i].script_len);
    }
}

void spv__kind_tx_serialization(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "tx");
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL);

    if (spv__expect_ok(c, "decoding", err))
        check_tx(c, &tx);
    spv_tx_clear(&tx);
}

void spv__kind_tx_invalid_encoding(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "tx");
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL);

    spv__expect_text(c, "encoding", err == SPV_OK ? "accept" : "reject",
                     spv__case_text(c, "expected"));
    spv_tx_clear(&tx);
}

/* "not-as-intended": zero inputs and one output do not come back as that. */
void spv__kind_tx_serialization_edge(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "tx");
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL);
    bool intended = err == SPV_OK && tx.n_in == 0 && tx.n_out <= 1;

    spv__expect_text(c, "encoding", intended ? "parses" : "not-as-intended",
                     spv__case_text(c, "expected"));
    if (err == SPV_OK && spv__case_has(c, "txid")) {
        spv_hash txid = spv__case_hash(c, "txid");

        spv__expect_hash(c, "txid", &tx.txid, &txid);
    }
    spv_tx_clear(&tx);
}
