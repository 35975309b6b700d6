#include "conform/one_sign.h"

#include <string.h>

#include "base/digest.h"
#include "base/u256.h"
#include "conform/one_keys.h"
#include "wire/opcode.h"

enum {
    HASH_TYPE = 0x82, /* SIGHASH_NONE | SIGHASH_ANYONECANPAY */
    X_LEN = 32,
    SCHNORR_LEN = 2 * X_LEN + 1
};

/** The order of secp256k1. */
static const spv_u256 order = {
    {UINT64_C(0xbfd25e8cd0364141), UINT64_C(0xbaaedce6af48a03b),
     UINT64_C(0xfffffffffffffffe), UINT64_C(0xffffffffffffffff)}};

/* Numbers modulo the order --------------------------------------------------
 */

static spv_hash turned(const uint8_t bytes[X_LEN])
{
    spv_hash out;

    for (size_t i = 0; i < X_LEN; i++)
        out.bytes[i] = bytes[X_LEN - 1 - i];
    return out;
}

static spv_u256 reduced(spv_u256 v)
{
    return spv__u256_compare(v, order) < 0 ? v : spv__u256_sub(v, order);
}

static spv_u256 read_number(const uint8_t bytes[X_LEN])
{
    spv_hash little = turned(bytes);

    return reduced(spv__u256_of_hash(&little));
}

static void write_number(uint8_t out[X_LEN], spv_u256 v)
{
    spv_hash little;
    spv_hash big;

    spv__u256_to_hash(&little, v);
    big = turned(little.bytes);
    memcpy(out, big.bytes, X_LEN);
}

static spv_u256 plus(spv_u256 a, spv_u256 b)
{
    spv_u256 sum = spv__u256_add(a, b);
    bool wrapped = spv__u256_compare(sum, a) < 0;

    return wrapped ? spv__u256_sub(sum, order) : reduced(sum);
}

/** x of the generator, which is the first public key, and R. */
static const uint8_t *generator(void)
{
    return spv__one_keys[0].key + 1;
}

/* ECDSA ----------------------------------------------------------------------
 */

/** An integer in DER: as short as can be, and not negative. */
static void put_der_number(spv_buf *b, const uint8_t bytes[X_LEN])
{
    size_t from = 0;
    bool pad;

    while (from < X_LEN - 1 && bytes[from] == 0)
        from++;
    pad = bytes[from] & 0x80;
    spv__put_u8(b, 2);
    spv__put_u8(b, (uint8_t)(X_LEN - from + pad));
    if (pad)
        spv__put_u8(b, 0);
    spv__put_bytes(b, bytes + from, X_LEN - from);
}

/** With one for the nonce: r is x of the generator, and s is z + r * d. */
static void put_ecdsa(spv_buf *b, const spv_hash *hash, size_t d)
{
    spv_u256 r = read_number(generator());
    spv_u256 s = read_number(hash->bytes);
    spv_buf numbers = SPV_BUF_EMPTY;
    uint8_t bytes[X_LEN];

    for (size_t i = 0; i < d; i++)
        s = plus(s, r);
    if (spv__u256_compare(s, spv__u256_shr(order, 1)) > 0)
        s = spv__u256_sub(order, s); /* as short, and what nodes relay */
    put_der_number(&numbers, generator());
    write_number(bytes, s);
    put_der_number(&numbers, bytes);
    spv__put_compact(b, numbers.len + 3);
    spv__put_u8(b, 0x30);
    spv__put_u8(b, (uint8_t)numbers.len);
    spv__put_bytes(b, numbers.bytes, numbers.len);
    spv__put_u8(b, HASH_TYPE);
    if (numbers.err && !b->err)
        b->err = numbers.err;
    spv__buf_clear(&numbers);
}

static void put_outpoint(spv_buf *b, const spv_coin *coin)
{
    spv__put_hash(b, &coin->at.txid);
    spv__put_u32(b, coin->at.vout);
}

/** BIP 143's preimage: zeros stand for inputs and outputs not signed. */
static void hash_p2wpkh(spv_hash *out, const spv_coin *coin,
                        const uint8_t key_hash[20])
{
    static const spv_hash unsigned_;
    static const uint8_t head[] = {25, SPV__OP_DUP, SPV__OP_HASH160, 20};
    static const uint8_t tail[] = {SPV__OP_EQUALVERIFY, SPV__OP_CHECKSIG};
    spv_buf b = SPV_BUF_EMPTY;

    spv__put_u32(&b, SPV__DRAFT_VERSION);
    spv__put_hash(&b, &unsigned_);
    spv__put_hash(&b, &unsigned_);
    put_outpoint(&b, coin);
    spv__put_bytes(&b, head, sizeof(head));
    spv__put_bytes(&b, key_hash, 20);
    spv__put_bytes(&b, tail, sizeof(tail));
    spv__put_u64(&b, (uint64_t)coin->value);
    spv__put_u32(&b, SPV__DRAFT_SEQUENCE);
    spv__put_hash(&b, &unsigned_);
    spv__put_u32(&b, SPV__DRAFT_LOCK_TIME);
    spv__put_u32(&b, HASH_TYPE);
    spv__sha256d(out, b.bytes, b.len);
    spv__buf_clear(&b);
}

void spv__one_sign_p2wpkh(spv_buf *witness, const spv_coin *coin, size_t n)
{
    uint8_t key[SPV__ONE_KEY_SHORT];
    uint8_t key_hash[20];
    spv_hash hash;

    spv__one_key_short(key, n);
    spv__hash160(key_hash, key, sizeof(key));
    hash_p2wpkh(&hash, coin, key_hash);
    spv__put_compact(witness, 2);
    put_ecdsa(witness, &hash, n + 1);
    spv__put_var_bytes(witness, key, sizeof(key));
}

/* Schnorr --------------------------------------------------------------------
 */

/** BIP 341's signature message for one input that is signed alone. */
static void hash_p2tr(uint8_t out[32], const spv_coin *coin)
{
    static const uint8_t script_head[] = {34, SPV__OP_1, X_LEN};
    spv_buf b = SPV_BUF_EMPTY;

    spv__put_u8(&b, 0); /* epoch */
    spv__put_u8(&b, HASH_TYPE);
    spv__put_u32(&b, SPV__DRAFT_VERSION);
    spv__put_u32(&b, SPV__DRAFT_LOCK_TIME);
    spv__put_u8(&b, 0); /* by the key, no annex */
    put_outpoint(&b, coin);
    spv__put_u64(&b, (uint64_t)coin->value);
    spv__put_bytes(&b, script_head, sizeof(script_head));
    spv__put_bytes(&b, generator(), X_LEN);
    spv__put_u32(&b, SPV__DRAFT_SEQUENCE);
    spv__tagged_hash(out, "TapSighash", &(spv_slice){b.bytes, b.len}, 1);
    spv__buf_clear(&b);
}

/** BIP 340 with one for the nonce and for the key: s is 1 + e. */
void spv__one_sign_p2tr(spv_buf *witness, const spv_coin *coin)
{
    uint8_t message[32];
    uint8_t e[32];
    uint8_t s[X_LEN];
    const spv_slice challenge[] = {
        {generator(), X_LEN}, {generator(), X_LEN}, {message, sizeof(message)}};

    hash_p2tr(message, coin);
    spv__tagged_hash(e, "BIP0340/challenge", challenge, 3);
    write_number(s, plus(read_number(e), spv__u256(1)));
    spv__put_compact(witness, 1);
    spv__put_compact(witness, SCHNORR_LEN);
    spv__put_bytes(witness, generator(), X_LEN);
    spv__put_bytes(witness, s, sizeof(s));
    spv__put_u8(witness, HASH_TYPE);
}
