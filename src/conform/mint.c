#include "conform/mint.h"

#include <string.h>

#include <spv/header.h>
#include <spv/merkle.h>
#include <spv/network.h>

#include "base/digest.h"
#include "wire/opcode.h"

enum {
    HALVING = 150, /* regtest's */
    /* BIP 9, with its bits for CSV and segwit: bcoin's regtest waits for
     * miners to want them. */
    VERSION = 0x20000003,
    TARGET_TOP = 0x7f /* the most significant byte of regtest's target */
};

static const uint8_t anyone[] = {SPV__OP_1};

void spv__mint_begin(spv_mint *m, int32_t height, const spv_hash *prev,
                     uint32_t time)
{
    static const spv_hash unknown; /* the coinbase's, for later */

    m->height = height;
    m->prev = *prev;
    m->time = time;
    spv__buf_reset(&m->body);
    spv__buf_reset(&m->txids);
    spv__buf_reset(&m->wtxids);
    spv__put_hash(&m->txids, &unknown);
    spv__put_hash(&m->wtxids, &unknown);
    m->n_tx = 1;
    m->fees = 0;
    m->has_witness = false;
}

void spv__mint_clear(spv_mint *m)
{
    spv__buf_clear(&m->body);
    spv__buf_clear(&m->txids);
    spv__buf_clear(&m->wtxids);
}

void spv__mint_add(spv_mint *m, const spv_draft *d, spv_hash *txid)
{
    spv_hash wtxid = {{0}};

    spv__draft_finish(&m->body, d, txid, &wtxid);
    spv__put_hash(&m->txids, txid);
    spv__put_hash(&m->wtxids, &wtxid);
    m->fees += d->fee;
    m->has_witness |= d->has_witness;
    m->n_tx++;
}

/* The coinbase ------------------------------------------------------------- */

/** BIP 34: the height as the shortest push, then what makes it unique. */
static void put_coinbase_script(spv_buf *b, int32_t height, spv_rng *rng)
{
    uint32_t h = (uint32_t)height;
    uint8_t extra[8];

    if (h <= 16) {
        spv__put_u8(b, (uint8_t)(SPV__OP_1 + h - 1));
    } else {
        size_t len = h < 0x80 ? 1 : h < 0x8000 ? 2 : h < 0x800000 ? 3 : 4;

        spv__put_u8(b, (uint8_t)len);
        for (size_t i = 0; i < len; i++)
            spv__put_u8(b, (uint8_t)(h >> (8 * i)));
    }
    spv__rng_bytes(rng, extra, sizeof(extra));
    spv__put_var_bytes(b, extra, sizeof(extra));
}

static spv_err pay_commitment(spv_draft *base, const spv_mint *m)
{
    static const uint8_t head[] = {SPV__OP_RETURN, 36, 0xaa, 0x21, 0xa9, 0xed};
    static const spv_hash reserved;
    uint8_t script[sizeof(head) + 32];
    spv_hash root;
    spv_hash commitment;
    spv_err err =
        spv_merkle_root(&root, (const spv_hash *)m->wtxids.bytes, m->n_tx);

    if (err)
        return err;
    spv__sha256d_pair(&commitment, &root, &reserved);
    memcpy(script, head, sizeof(head));
    memcpy(script + sizeof(head), commitment.bytes, 32);
    spv__draft_pay(base, 0, script, sizeof(script));
    return SPV_OK;
}

static int64_t subsidy(int32_t height)
{
    int32_t halvings = height / HALVING;

    return halvings < 64 ? INT64_C(5000000000) >> halvings : 0;
}

static spv_err make_coinbase(spv_draft *base, const spv_mint *m, spv_rng *rng)
{
    static const uint8_t reserved[34] = {1, 32}; /* one item: 32 zeros */
    const spv_coin nothing = {{{{0}}, UINT32_MAX}, 0};
    spv_buf script = SPV_BUF_EMPTY;
    spv_buf witness = SPV_BUF_EMPTY;
    spv_err err = SPV_OK;

    put_coinbase_script(&script, m->height, rng);
    if (m->has_witness)
        spv__put_bytes(&witness, reserved, sizeof(reserved));
    spv__draft_spend(base, &nothing, &script, &witness);
    spv__draft_pay(base, subsidy(m->height) + m->fees, anyone, sizeof(anyone));
    if (m->has_witness)
        err = pay_commitment(base, m);
    spv__buf_clear(&script);
    spv__buf_clear(&witness);
    return err;
}

/* The header --------------------------------------------------------------- */

/** Find a nonce; regtest's target lets every second one through. */
static void mine(uint8_t bytes[SPV_HEADER_LEN], spv_hash *hash,
                 spv_header *header)
{
    do {
        header->nonce++;
        spv_header_encode(bytes, header);
        spv_header_hash(hash, bytes);
    } while (hash->bytes[31] >= TARGET_TOP);
}

static spv_err put_header(spv_minted *out, const spv_mint *m)
{
    spv_header header = {.version = VERSION,
                         .prev = m->prev,
                         .time = m->time,
                         .bits = spv_network_get(SPV_REGTEST)->pow_limit_bits};
    uint8_t bytes[SPV_HEADER_LEN];
    spv_err err = spv_merkle_root(&header.merkle_root,
                                  (const spv_hash *)m->txids.bytes, m->n_tx);

    if (err)
        return err;
    mine(bytes, &out->hash, &header);
    spv__put_bytes(&out->bytes, bytes, sizeof(bytes));
    return SPV_OK;
}

static spv_err put_block(spv_minted *out, const spv_mint *m,
                         const spv_buf *coinbase)
{
    spv_err err = put_header(out, m);

    if (err)
        return err;
    spv__put_compact(&out->bytes, m->n_tx);
    spv__put_bytes(&out->bytes, coinbase->bytes, coinbase->len);
    spv__put_bytes(&out->bytes, m->body.bytes, m->body.len);
    out->n_tx = m->n_tx;
    return out->bytes.err;
}

static spv_err failed(const spv_mint *m)
{
    return m->body.err     ? m->body.err
           : m->txids.err  ? m->txids.err
           : m->wtxids.err ? m->wtxids.err
                           : SPV_OK;
}

spv_err spv__mint_seal(spv_mint *m, spv_minted *out, spv_rng *rng)
{
    spv_buf coinbase = SPV_BUF_EMPTY;
    spv_draft base = {0};
    spv_err err = failed(m);

    *out = (spv_minted){.height = m->height};
    if (!err)
        err = make_coinbase(&base, m, rng);
    if (!err) {
        spv__draft_finish(&coinbase, &base, &out->reward.at.txid, NULL);
        out->reward.value = subsidy(m->height) + m->fees;
        err = coinbase.err;
    }
    if (!err) {
        memcpy(m->txids.bytes, out->reward.at.txid.bytes, 32);
        err = put_block(out, m, &coinbase);
    }
    spv__buf_clear(&coinbase);
    spv__draft_clear(&base);
    return err;
}
