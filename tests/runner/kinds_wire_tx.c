#include <spv/tx.h>

#include "base/bytes.h"
#include "kinds_wire.h"

/* The stack of an input, item by item; a vector of a legacy one has none. */
static void check_witness(spv_case *c, const spv_txin *in, const json_t *want)
{
    spv_reader r = spv__reader(in->witness, in->witness_len);
    size_t n = in->witness ? spv__read_count(&r, 1) : 0;

    expect_int(c, "witness items", (int64_t)n, (int64_t)json_array_size(want));
    for (size_t i = 0; i < n; i++) {
        size_t len = 0;
        const uint8_t *item = spv__read_var_bytes(&r, &len);

        expect_bytes(c, "witness", item, len,
                     case_hex_of(c, json_array_get(want, i)));
    }
    expect_ok(c, "end of witness", spv__read_end(&r));
}

static void check_txin(spv_case *c, const spv_txin *in, const json_t *want)
{
    spv_hash txid = case_hash_of(c, json_object_get(want, "prev_txid"));

    expect_hash(c, "prev_txid", &in->prev.txid, &txid);
    expect_member_int(c, want, "prev_index", in->prev.vout);
    expect_member_bytes(c, want, "script_sig", in->script, in->script_len);
    expect_member_int(c, want, "sequence", in->sequence);
    check_witness(c, in, json_object_get(want, "witness"));
}

static void check_sizes(spv_case *c, const spv_tx *tx)
{
    expect_int(c, "size", (int64_t)tx->len, case_int(c, "size"));
    expect_int(c, "stripped_size", (int64_t)tx->stripped_len,
               case_int(c, "stripped_size"));
    expect_int(c, "weight", (int64_t)spv_tx_weight(tx), case_int(c, "weight"));
    expect_int(c, "vsize", (int64_t)spv_tx_vsize(tx), case_int(c, "vsize"));
}

static void check_tx(spv_case *c, const spv_tx *tx)
{
    const json_t *in = expect_array(c, case_vector(c), "inputs", tx->n_in);
    const json_t *out = expect_array(c, case_vector(c), "outputs", tx->n_out);
    spv_hash txid = case_hash(c, "txid");
    spv_hash wtxid = case_hash(c, "wtxid");

    expect_hash(c, "txid", &tx->txid, &txid);
    expect_hash(c, "wtxid", &tx->wtxid, &wtxid);
    expect_int(c, "version", tx->version, case_int(c, "version"));
    expect_int(c, "lock_time", tx->lock_time, case_int(c, "lock_time"));
    expect_true(c, "has_witness",
                tx->has_witness == case_bool(c, "has_witness"));
    check_sizes(c, tx);
    for (size_t i = 0; in && i < tx->n_in; i++)
        check_txin(c, &tx->in[i], json_array_get(in, i));
    for (size_t i = 0; out && i < tx->n_out; i++) {
        const json_t *want = json_array_get(out, i);

        expect_member_int(c, want, "value", tx->out[i].value);
        expect_member_bytes(c, want, "script_pubkey", tx->out[i].script,
                            tx->out[i].script_len);
    }
}

void run_tx_serialization(spv_case *c)
{
    spv_view bytes = case_hex(c, "tx");
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL);

    expect_ok(c, "decoding", err);
    if (err == SPV_OK)
        check_tx(c, &tx);
    spv_tx_clear(&tx);
}

void run_tx_invalid_encoding(spv_case *c)
{
    spv_view bytes = case_hex(c, "tx");
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL);

    expect_text(c, "encoding", err == SPV_OK ? "accept" : "reject",
                case_text(c, "expected"));
    spv_tx_clear(&tx);
}

/* "not-as-intended": zero inputs and one output do not come back as that. */
void run_tx_serialization_edge(spv_case *c)
{
    spv_view bytes = case_hex(c, "tx");
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL);
    bool intended = err == SPV_OK && tx.n_in == 0 && tx.n_out <= 1;

    expect_text(c, "encoding", intended ? "parses" : "not-as-intended",
                case_text(c, "expected"));
    if (case_has(c, "txid")) {
        spv_hash txid = case_hash(c, "txid");

        expect_hash(c, "txid", &tx.txid, &txid);
    }
    spv_tx_clear(&tx);
}
