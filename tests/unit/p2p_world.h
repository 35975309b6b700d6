#ifndef TESTS_UNIT_P2P_WORLD_H
#define TESTS_UNIT_P2P_WORLD_H

#include "cmocka_all.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <spv/chain.h>
#include <spv/filter.h>
#include <spv/merkle.h>

#include "base/digest.h"
#include "bloom/filter.h"
#include "chain/merkle.h"
#include "wire/frame.h"
#include "wire/message.h"

/*
 * A small world for one peer at a time: a regtest chain, and a remote side
 * that says what a test scripts, byte for byte.
 */

enum { WORLD_TXS_MAX = 8 };

static inline const spv_network *world_network(void)
{
    return spv_network_get(SPV_REGTEST);
}

/* ---- Transactions and blocks ---- */

typedef struct world_tx {
    spv_buf bytes;
    spv_hash txid;
} world_tx;

typedef struct world_block {
    uint8_t header[SPV_HEADER_LEN];
    spv_hash hash;
    uint32_t time;
    int32_t height;
    world_tx tx[WORLD_TXS_MAX];
    size_t n_tx;
} world_block;

/** A transaction that spends `prev` and pays one script; `number` makes it
 * unlike others. */
static inline world_tx world_spend(uint32_t number, const spv_outpoint *prev,
                                   const uint8_t *script, size_t len)
{
    world_tx t = {.bytes = SPV_BUF_EMPTY};

    spv__put_u32(&t.bytes, 2);
    spv__put_compact(&t.bytes, 1);
    spv__put_hash(&t.bytes, &prev->txid);
    spv__put_u32(&t.bytes, prev->vout);
    spv__put_compact(&t.bytes, 0);
    spv__put_u32(&t.bytes, 0xffffffff);
    spv__put_compact(&t.bytes, 1);
    spv__put_u64(&t.bytes, 50000);
    spv__put_var_bytes(&t.bytes, script, len);
    spv__put_u32(&t.bytes, number);
    assert_int_equal(t.bytes.err, SPV_OK);
    spv__sha256d(&t.txid, t.bytes.bytes, t.bytes.len);
    return t;
}

/** A payment out of nowhere. */
static inline world_tx world_pay(uint32_t number, const uint8_t *script,
                                 size_t len)
{
    spv_outpoint prev = {.vout = number};

    memset(prev.txid.bytes, 0xee, sizeof(prev.txid.bytes));
    return world_spend(number, &prev, script, len);
}

/** A payment to the witness program whose twenty bytes are all `who`. */
static inline world_tx world_pay_who(uint32_t number, uint8_t who)
{
    uint8_t script[22] = {0x00, 20};

    memset(script + 2, who, 20);
    return world_pay(number, script, sizeof(script));
}

/** The genesis block, without its transaction. */
static inline world_block world_genesis(void)
{
    world_block b = {.hash = world_network()->genesis_hash};
    spv_header h;

    memcpy(b.header, world_network()->genesis, SPV_HEADER_LEN);
    spv_header_decode(&h, b.header);
    b.time = h.time;
    return b;
}

static inline void world_block_clear(world_block *b)
{
    for (size_t i = 0; i < b->n_tx; i++)
        spv__buf_clear(&b->tx[i].bytes);
    b->n_tx = 0;
}

static inline size_t world_txids(const world_block *b, spv_hash *txids)
{
    for (size_t i = 0; i < b->n_tx; i++)
        txids[i] = b->tx[i].txid;
    return b->n_tx;
}

/** Put a block with its transactions on top of `parent`. */
static inline void world_mine(world_block *b, const world_block *parent)
{
    spv_hash txids[WORLD_TXS_MAX];
    spv_header h = {.version = 4,
                    .prev = parent->hash,
                    .time = parent->time + 600,
                    .bits = 0x207fffff};

    assert_int_equal(
        spv_merkle_root(&h.merkle_root, txids, world_txids(b, txids)), SPV_OK);
    do {
        h.nonce++;
        spv_header_encode(b->header, &h);
        spv_header_hash(&b->hash, b->header);
    } while (!spv_pow_check(&b->hash, h.bits, world_network()));
    b->time = h.time;
    b->height = parent->height + 1;
}

/** A block of `n` payments to the strangers 1, 2, ... on top of `parent`. */
static inline world_block world_next(const world_block *parent, uint32_t number,
                                     size_t n)
{
    world_block b = {.n_tx = n};

    for (size_t i = 0; i < n; i++)
        b.tx[i] = world_pay_who(16 * number + (uint32_t)i, (uint8_t)(1 + i));
    world_mine(&b, parent);
    return b;
}

/** A chain from genesis up to `height`, of blocks with `n` payments each. */
static inline void world_chain(world_block *chain, uint32_t height, size_t n)
{
    chain[0] = world_genesis();
    for (uint32_t h = 1; h <= height; h++)
        chain[h] = world_next(&chain[h - 1], h, n);
}

static inline void world_chain_clear(world_block *chain, uint32_t height)
{
    for (uint32_t h = 0; h <= height; h++)
        world_block_clear(&chain[h]);
}

/* ---- What the remote side says ---- */

/** A frame around whatever `payload` holds; the payload is cleared. */
static inline void say_payload(spv_buf *out, spv_message_kind kind,
                               spv_buf *payload)
{
    size_t mark =
        spv__frame_begin(out, spv__message_command(kind), world_network());

    spv__put_bytes(out, payload->bytes, payload->len);
    spv__frame_end(out, mark);
    assert_int_equal(out->err, SPV_OK);
    spv__buf_clear(payload);
}

static inline void say(spv_buf *out, spv_message_kind kind)
{
    spv_buf none = SPV_BUF_EMPTY;

    say_payload(out, kind, &none);
}

static inline void say_nonce(spv_buf *out, spv_message_kind kind,
                             uint64_t nonce)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_u64(&payload, nonce);
    say_payload(out, kind, &payload);
}

static inline void say_version(spv_buf *out, int32_t version, uint64_t services,
                               uint64_t nonce)
{
    spv_version v = {.version = version,
                     .services = services,
                     .nonce = nonce,
                     .user_agent = "/world\x1b:1/",
                     .user_agent_len = 10,
                     .start_height = 7};
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_version(&payload, &v);
    say_payload(out, SPV_MSG_VERSION, &payload);
}

/** The greeting of a node that serves filters. */
static inline void say_hello(spv_buf *out)
{
    say_version(out, SPV__PROTOCOL_VERSION, SPV__NODE_NETWORK | SPV__NODE_BLOOM,
                0x1234);
    say(out, SPV_MSG_VERACK);
}

static inline void say_tx(spv_buf *out, const world_tx *t)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_bytes(&payload, t->bytes.bytes, t->bytes.len);
    say_payload(out, SPV_MSG_TX, &payload);
}

/** The merkleblock payload of a block that matches where `matched` says. */
static inline spv_buf proof_of(const world_block *b, const bool *matched)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_hash txids[WORLD_TXS_MAX];
    size_t n = world_txids(b, txids);
    spv_merkle_tree tree;
    spv_merkleblock m;

    assert_int_equal(spv_merkle_build(&tree, txids, matched, (uint32_t)n),
                     SPV_OK);
    m = spv__merkleblock_of(b->header, &tree);
    spv__put_merkleblock(&payload, &m);
    spv_merkle_tree_free(&tree);
    return payload;
}

static inline void say_merkleblock(spv_buf *out, const world_block *b,
                                   const bool *matched)
{
    spv_buf payload = proof_of(b, matched);

    say_payload(out, SPV_MSG_MERKLEBLOCK, &payload);
}

/** Merkleblock and transactions, by a filter, with the node's updates. */
static inline void say_filtered(spv_buf *out, const world_block *b,
                                spv_filter *filter)
{
    bool matched[WORLD_TXS_MAX] = {false};
    spv_match match;

    for (size_t i = 0; i < b->n_tx; i++) {
        spv_tx tx;

        assert_int_equal(
            spv_tx_decode(&tx, b->tx[i].bytes.bytes, b->tx[i].bytes.len, NULL),
            SPV_OK);
        matched[i] = spv_filter_match(filter, &tx, &match);
        spv_tx_clear(&tx);
    }
    say_merkleblock(out, b, matched);
    for (size_t i = 0; i < b->n_tx; i++)
        if (matched[i])
            say_tx(out, &b->tx[i]);
}

/** Headers of `n` blocks in a row. */
static inline void say_headers(spv_buf *out, const world_block *b, size_t n)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_compact(&payload, n);
    for (size_t i = 0; i < n; i++) {
        spv__put_bytes(&payload, b[i].header, SPV_HEADER_LEN);
        spv__put_u8(&payload, 0);
    }
    say_payload(out, SPV_MSG_HEADERS, &payload);
}

static inline void say_inv(spv_buf *out, const spv_inv *items, size_t n)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_inv(&payload, items, n);
    say_payload(out, SPV_MSG_INV, &payload);
}

/* ---- What it hears ---- */

/** The next message in what was sent to it, from `*at` on. */
static inline bool hear_next(const spv_buf *sent, size_t *at, spv_message *m)
{
    spv_frame f;

    if (spv__frame_decode(&f, sent->bytes + *at, sent->len - *at,
                          world_network()) != SPV_FRAME_WHOLE)
        return false;
    assert_int_equal(
        spv__message_decode(m, spv__message_find(f.command), f.payload, f.len),
        SPV_OK);
    *at += f.size;
    return true;
}

/** How many messages of a kind lie in what was sent; the last goes to `m`
 * (borrows; may be NULL). */
static inline size_t heard(const spv_buf *sent, spv_message_kind kind,
                           spv_message *m)
{
    spv_message next;
    size_t n = 0;

    for (size_t at = 0; hear_next(sent, &at, &next);) {
        if (next.kind != kind)
            continue;
        n++;
        if (m)
            *m = next;
    }
    return n;
}

#endif
