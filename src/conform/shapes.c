#include "conform/shapes.h"

#include <string.h>

#include "base/digest.h"
#include "conform/one_keys.h"
#include "conform/one_sign.h"
#include "wire/opcode.h"

enum {
    OP_PUSHDATA2 = 0x4d,
    OP_DROP = 0x75,
    SIG_LEN = SPV__ONE_SIG_LEN,
    COMPRESSED = 33,
    UNCOMPRESSED = 65,
    PUSH_MAX = 600 /* longest push here; 520 can be spent */
};

static const uint8_t op_true[] = {SPV__OP_1};
static const uint8_t drop_true[] = {OP_DROP, SPV__OP_1};

/* Pieces of scripts -------------------------------------------------------- */

static void op(spv_buf *b, unsigned opcode)
{
    spv__put_u8(b, (uint8_t)opcode);
}

/** Push bytes in the shortest way. */
static void push(spv_buf *b, const uint8_t *bytes, size_t len)
{
    if (len < SPV__OP_PUSHDATA1) {
        op(b, (unsigned)len);
    } else if (len <= UINT8_MAX) {
        op(b, SPV__OP_PUSHDATA1);
        spv__put_u8(b, (uint8_t)len);
    } else {
        op(b, OP_PUSHDATA2);
        spv__put_u16(b, (uint16_t)len);
    }
    spv__put_bytes(b, bytes, len);
}

static void push_drawn(spv_buf *b, spv_rng *d, size_t len)
{
    uint8_t bytes[PUSH_MAX];

    spv__rng_bytes(d, bytes, len);
    push(b, bytes, len);
}

/** Push bytes and take them away again: the script stays what it was. */
static void push_and_drop(spv_buf *b, spv_rng *d, size_t len)
{
    push_drawn(b, d, len);
    op(b, OP_DROP);
}

static void put_drawn(spv_buf *b, spv_rng *d, size_t len)
{
    uint8_t bytes[PUSH_MAX];

    spv__rng_bytes(d, bytes, len);
    spv__put_bytes(b, bytes, len);
}

/** What looks like a signature, or a public key, and is none. */
static void push_like_signature(spv_buf *b, spv_rng *d)
{
    static const uint8_t head[] = {0x30, SIG_LEN - 3, 2, 32};
    uint8_t sig[SIG_LEN];

    spv__rng_bytes(d, sig, sizeof(sig));
    memcpy(sig, head, sizeof(head));
    sig[SIG_LEN - 1] = 1;
    push(b, sig, sizeof(sig));
}

static void push_like_key(spv_buf *b, spv_rng *d, size_t len)
{
    uint8_t key[UNCOMPRESSED];

    spv__rng_bytes(d, key, len);
    key[0] = len == COMPRESSED ? (uint8_t)(2 | (key[0] & 1)) : 4;
    push(b, key, len);
}

/** A witness of some items; the last is the script. */
static void witness_of(spv_buf *b, const spv_buf *script, const uint8_t *item,
                       size_t len)
{
    spv__put_compact(b, item ? 2 : 1);
    if (item)
        spv__put_var_bytes(b, item, len);
    spv__put_var_bytes(b, script->bytes, script->len);
}

static void pay_witness_hash(spv_buf *b, const spv_buf *script)
{
    uint8_t program[32];

    spv__sha256(program, script->bytes, script->len);
    op(b, SPV__OP_0);
    push(b, program, sizeof(program));
}

static void pay_script_hash(spv_buf *b, const spv_buf *script)
{
    uint8_t hash[20];

    spv__hash160(hash, script->bytes, script->len);
    op(b, SPV__OP_HASH160);
    push(b, hash, sizeof(hash));
    op(b, SPV__OP_EQUAL);
}

static void pay_key_hash(spv_buf *b, const uint8_t hash[20])
{
    op(b, SPV__OP_DUP);
    op(b, SPV__OP_HASH160);
    push(b, hash, 20);
    op(b, SPV__OP_EQUALVERIFY);
    op(b, SPV__OP_CHECKSIG);
}

/* Spends that show something, of outputs that ask for nothing ---------------
 */

static void true_(spv_shape *s, spv_rng *d)
{
    (void)d;
    op(&s->script, SPV__OP_1);
}

static void true_by_sig_and_key(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    push_like_signature(&s->input, d);
    push_like_key(&s->input, d, COMPRESSED);
}

static void true_by_two_sigs(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    op(&s->input, SPV__OP_0);
    push_like_signature(&s->input, d);
    push_like_signature(&s->input, d);
}

static void true_by_redeem_script(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    op(&s->input, SPV__OP_0);
    push_like_signature(&s->input, d);
    push_drawn(&s->input, d, 105);
}

static void true_by_hashes(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    push_drawn(&s->input, d, 20);
    push_drawn(&s->input, d, 32);
    push_drawn(&s->input, d, 36);
}

static void true_by_long_pushes(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    push_drawn(&s->input, d, 300);
    push_drawn(&s->input, d, 520);
}

static void true_by_empty_pushes(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    op(&s->input, SPV__OP_0);
    push_drawn(&s->input, d, 20);
    op(&s->input, SPV__OP_0);
    push_drawn(&s->input, d, 24);
    op(&s->input, SPV__OP_0);
}

static void true_by_small_numbers(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    op(&s->input, SPV__OP_1);
    push_drawn(&s->input, d, 20);
    op(&s->input, SPV__OP_16);
}

/** The same length in each of the longer ways to say it. */
static void put_wide_pushes(spv_buf *b, spv_rng *d, bool drop)
{
    static const uint8_t heads[][5] = {{SPV__OP_PUSHDATA1, 20},
                                       {OP_PUSHDATA2, 21, 0},
                                       {SPV__OP_PUSHDATA4, 22, 0, 0, 0}};
    static const size_t head_lens[] = {2, 3, 5};

    for (size_t i = 0; i < 3; i++) {
        spv__put_bytes(b, heads[i], head_lens[i]);
        put_drawn(b, d, 20 + i);
        if (drop)
            op(b, OP_DROP);
    }
}

static void true_by_wide_pushes(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1);
    put_wide_pushes(&s->input, d, false);
}

/** An empty output script asks the input for the truth. */
static void empty(spv_shape *s, spv_rng *d)
{
    op(&s->input, SPV__OP_1);
    push_drawn(&s->input, d, 20);
}

/* Output scripts with pushes in many ways -----------------------------------
 */

static void one_push(spv_shape *s, spv_rng *d)
{
    push_and_drop(&s->script, d, 20);
    op(&s->script, SPV__OP_1);
}

static void several_pushes(spv_shape *s, spv_rng *d)
{
    push_and_drop(&s->script, d, 20);
    push_and_drop(&s->script, d, 33);
    push_and_drop(&s->script, d, 32);
    op(&s->script, SPV__OP_1);
}

static void empty_pushes(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_0);
    op(&s->script, OP_DROP);
    push_and_drop(&s->script, d, 20);
    op(&s->script, SPV__OP_0);
    op(&s->script, OP_DROP);
    op(&s->script, SPV__OP_1);
}

static void long_pushes(spv_shape *s, spv_rng *d)
{
    push_and_drop(&s->script, d, 100);
    push_and_drop(&s->script, d, 300);
    push_and_drop(&s->script, d, 520);
    op(&s->script, SPV__OP_1);
}

static void wide_pushes(spv_shape *s, spv_rng *d)
{
    put_wide_pushes(&s->script, d, true);
    op(&s->script, SPV__OP_1);
}

/** Longer than an interpreter takes, and than filteradd does. */
static void too_long_a_push(spv_shape *s, spv_rng *d)
{
    push_and_drop(&s->script, d, 20);
    push_and_drop(&s->script, d, PUSH_MAX);
}

/** A push that runs past the end: what stands before it is a push still. */
static void broken(spv_shape *s, spv_rng *d)
{
    push_and_drop(&s->script, d, 20);
    op(&s->script, 32);
    put_drawn(&s->script, d, 20);
}

static void data_nothing(spv_shape *s, spv_rng *d)
{
    (void)d;
    op(&s->script, SPV__OP_RETURN);
}

static void data_one(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_RETURN);
    push_drawn(&s->script, d, 32);
}

static void data_several(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_RETURN);
    push_drawn(&s->script, d, 4);
    op(&s->script, SPV__OP_0);
    push_drawn(&s->script, d, 80);
}

/* Outputs to keys ------------------------------------------------------------
 */

static const spv_one_key *some_key(spv_shape *s, spv_rng *d)
{
    s->key = (size_t)spv__rng_below(d, SPV__ONE_KEYS);
    return &spv__one_keys[s->key];
}

static void push_key(spv_buf *b, const spv_one_key *k, size_t len)
{
    uint8_t key[UNCOMPRESSED];

    memcpy(key, k->key, sizeof(key));
    if (len == COMPRESSED)
        spv__one_key_short(key, (size_t)(k - spv__one_keys));
    push(b, key, len);
}

static void p2pk_of(spv_shape *s, spv_rng *d, size_t key_len)
{
    const spv_one_key *k = some_key(s, d);

    push_key(&s->script, k, key_len);
    op(&s->script, SPV__OP_CHECKSIG);
    push(&s->input, k->sig, sizeof(k->sig));
}

static void p2pk(spv_shape *s, spv_rng *d)
{
    p2pk_of(s, d, COMPRESSED);
}

static void p2pk_uncompressed(spv_shape *s, spv_rng *d)
{
    p2pk_of(s, d, UNCOMPRESSED);
}

static void p2pkh_of(spv_shape *s, spv_rng *d, size_t key_len)
{
    const spv_one_key *k = some_key(s, d);
    spv_buf pushed = SPV_BUF_EMPTY;
    uint8_t hash[20] = {0};

    push_key(&pushed, k, key_len);
    if (!pushed.err) /* else the same failure is in the input */
        spv__hash160(hash, pushed.bytes + 1, pushed.len - 1);
    pay_key_hash(&s->script, hash);
    push(&s->input, k->sig, sizeof(k->sig));
    spv__put_bytes(&s->input, pushed.bytes, pushed.len);
    if (pushed.err && !s->input.err)
        s->input.err = pushed.err;
    spv__buf_clear(&pushed);
}

static void p2pkh(spv_shape *s, spv_rng *d)
{
    p2pkh_of(s, d, COMPRESSED);
}

static void p2pkh_uncompressed(spv_shape *s, spv_rng *d)
{
    p2pkh_of(s, d, UNCOMPRESSED);
}

/** One of two, the other key being nobody's. */
static void put_multisig(spv_buf *b, spv_rng *d, const spv_one_key *k)
{
    op(b, SPV__OP_1);
    push_like_key(b, d, COMPRESSED);
    push_key(b, k, COMPRESSED);
    op(b, SPV__OP_1 + 1);
    op(b, SPV__OP_CHECKMULTISIG);
}

static void multisig(spv_shape *s, spv_rng *d)
{
    const spv_one_key *k = some_key(s, d);

    put_multisig(&s->script, d, k);
    op(&s->input, SPV__OP_0);
    push(&s->input, k->sig, sizeof(k->sig));
}

static void multisig_mixed(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_1 + 1);
    push_key(&s->script, &spv__one_keys[0], UNCOMPRESSED);
    push_like_key(&s->script, d, COMPRESSED);
    push_key(&s->script, &spv__one_keys[1], COMPRESSED);
    op(&s->script, SPV__OP_1 + 2);
    op(&s->script, SPV__OP_CHECKMULTISIG);
    op(&s->input, SPV__OP_0);
    push(&s->input, spv__one_keys[0].sig, SPV__ONE_SIG_LEN);
    push(&s->input, spv__one_keys[1].sig, SPV__ONE_SIG_LEN);
}

static void p2wpkh(spv_shape *s, spv_rng *d)
{
    uint8_t key[COMPRESSED];
    uint8_t hash[20];

    (void)some_key(s, d);
    spv__one_key_short(key, s->key);
    spv__hash160(hash, key, sizeof(key));
    op(&s->script, SPV__OP_0);
    push(&s->script, hash, sizeof(hash));
}

static void sign_p2wpkh(spv_shape *s, const spv_coin *coin)
{
    spv__one_sign_p2wpkh(&s->witness, coin, s->key);
}

static void p2tr(spv_shape *s, spv_rng *d)
{
    (void)d;
    op(&s->script, SPV__OP_1);
    push(&s->script, spv__one_keys[0].key + 1, 32);
}

static void sign_p2tr(spv_shape *s, const spv_coin *coin)
{
    spv__one_sign_p2tr(&s->witness, coin);
}

/* Outputs to hashes of scripts ------------------------------------------------
 */

static void in_script_hash(spv_shape *s, const spv_buf *redeem)
{
    pay_script_hash(&s->script, redeem);
    push(&s->input, redeem->bytes, redeem->len);
    if (redeem->err && !s->input.err)
        s->input.err = redeem->err;
}

static void in_witness_hash(spv_shape *s, const spv_buf *redeem,
                            const uint8_t *item, size_t len)
{
    pay_witness_hash(&s->script, redeem);
    witness_of(&s->witness, redeem, item, len);
    if (redeem->err && !s->witness.err)
        s->witness.err = redeem->err;
}

void spv__shape_p2sh_true(spv_shape *s, spv_rng *d)
{
    spv_buf redeem = SPV_BUF_EMPTY;

    (void)d;
    spv__put_bytes(&redeem, op_true, sizeof(op_true));
    in_script_hash(s, &redeem);
    spv__buf_clear(&redeem);
}

/** The redeem script matches as a push; what is pushed inside of it does not.
 */
static void p2sh_data(spv_shape *s, spv_rng *d)
{
    spv_buf redeem = SPV_BUF_EMPTY;

    push_and_drop(&redeem, d, 20);
    op(&redeem, SPV__OP_1);
    in_script_hash(s, &redeem);
    spv__buf_clear(&redeem);
}

static void p2sh_multisig(spv_shape *s, spv_rng *d)
{
    const spv_one_key *k = some_key(s, d);
    spv_buf redeem = SPV_BUF_EMPTY;

    put_multisig(&redeem, d, k);
    op(&s->input, SPV__OP_0);
    push(&s->input, k->sig, sizeof(k->sig));
    in_script_hash(s, &redeem);
    spv__buf_clear(&redeem);
}

void spv__shape_p2wsh_true(spv_shape *s, spv_rng *d)
{
    spv_buf redeem = SPV_BUF_EMPTY;

    (void)d;
    spv__put_bytes(&redeem, op_true, sizeof(op_true));
    in_witness_hash(s, &redeem, NULL, 0);
    spv__buf_clear(&redeem);
}

/** With a witness item that looks like a key: no filter ever sees it. */
static void p2wsh_item(spv_shape *s, spv_rng *d)
{
    spv_buf redeem = SPV_BUF_EMPTY;
    uint8_t item[COMPRESSED];

    spv__rng_bytes(d, item, sizeof(item));
    item[0] = 2;
    spv__put_bytes(&redeem, drop_true, sizeof(drop_true));
    in_witness_hash(s, &redeem, item, sizeof(item));
    spv__buf_clear(&redeem);
}

static void p2wsh_data(spv_shape *s, spv_rng *d)
{
    spv_buf redeem = SPV_BUF_EMPTY;

    push_and_drop(&redeem, d, 20);
    op(&redeem, SPV__OP_1);
    in_witness_hash(s, &redeem, NULL, 0);
    spv__buf_clear(&redeem);
}

/** P2WSH inside P2SH: the input pushes the witness program. */
static void p2sh_p2wsh(spv_shape *s, spv_rng *d)
{
    spv_buf redeem = SPV_BUF_EMPTY;
    spv_buf program = SPV_BUF_EMPTY;

    push_and_drop(&redeem, d, 20);
    op(&redeem, SPV__OP_1);
    pay_witness_hash(&program, &redeem);
    witness_of(&s->witness, &redeem, NULL, 0);
    if (redeem.err && !s->witness.err)
        s->witness.err = redeem.err;
    in_script_hash(s, &program);
    spv__buf_clear(&redeem);
    spv__buf_clear(&program);
}

/* Outputs to nobody -----------------------------------------------------------
 */

static void to_key_hash(spv_shape *s, spv_rng *d)
{
    uint8_t hash[20];

    spv__rng_bytes(d, hash, sizeof(hash));
    pay_key_hash(&s->script, hash);
}

static void to_script_hash(spv_shape *s, spv_rng *d)
{
    op(&s->script, SPV__OP_HASH160);
    push_drawn(&s->script, d, 20);
    op(&s->script, SPV__OP_EQUAL);
}

static void to_program(spv_shape *s, spv_rng *d, unsigned version, size_t len)
{
    op(&s->script, version);
    push_drawn(&s->script, d, len);
}

static void to_p2wpkh(spv_shape *s, spv_rng *d)
{
    to_program(s, d, SPV__OP_0, 20);
}

static void to_p2wsh(spv_shape *s, spv_rng *d)
{
    to_program(s, d, SPV__OP_0, 32);
}

static void to_p2tr(spv_shape *s, spv_rng *d)
{
    to_program(s, d, SPV__OP_1, 32);
}

static void later_witness(spv_shape *s, spv_rng *d)
{
    to_program(s, d, SPV__OP_16, 40);
}

/* The table -------------------------------------------------------------------
 */

const spv_shape_kind spv__shape_kinds[] = {
    {"true", SPV__SPENT_FREELY, true_, NULL},
    {"true, by signature and key", SPV__SPENT_FREELY, true_by_sig_and_key,
     NULL},
    {"true, by two signatures", SPV__SPENT_FREELY, true_by_two_sigs, NULL},
    {"true, by redeem script", SPV__SPENT_FREELY, true_by_redeem_script, NULL},
    {"true, by hashes", SPV__SPENT_FREELY, true_by_hashes, NULL},
    {"true, by long pushes", SPV__SPENT_FREELY, true_by_long_pushes, NULL},
    {"true, by empty pushes", SPV__SPENT_FREELY, true_by_empty_pushes, NULL},
    {"true, by small numbers", SPV__SPENT_FREELY, true_by_small_numbers, NULL},
    {"true, by wide pushes", SPV__SPENT_FREELY, true_by_wide_pushes, NULL},
    {"empty script", SPV__SPENT_FREELY, empty, NULL},
    {"one push", SPV__SPENT_FREELY, one_push, NULL},
    {"several pushes", SPV__SPENT_FREELY, several_pushes, NULL},
    {"empty pushes", SPV__SPENT_FREELY, empty_pushes, NULL},
    {"long pushes", SPV__SPENT_FREELY, long_pushes, NULL},
    {"wide pushes", SPV__SPENT_FREELY, wide_pushes, NULL},
    {"too long a push", SPV__SPENT_NEVER, too_long_a_push, NULL},
    {"broken", SPV__SPENT_NEVER, broken, NULL},
    {"data, nothing", SPV__SPENT_NEVER, data_nothing, NULL},
    {"data, one push", SPV__SPENT_NEVER, data_one, NULL},
    {"data, several pushes", SPV__SPENT_NEVER, data_several, NULL},
    {"P2PK", SPV__SPENT_AS_SECOND, p2pk, NULL},
    {"P2PK, uncompressed", SPV__SPENT_AS_SECOND, p2pk_uncompressed, NULL},
    {"P2PKH", SPV__SPENT_AS_SECOND, p2pkh, NULL},
    {"P2PKH, uncompressed", SPV__SPENT_AS_SECOND, p2pkh_uncompressed, NULL},
    {"multisig", SPV__SPENT_AS_SECOND, multisig, NULL},
    {"multisig, mixed keys", SPV__SPENT_AS_SECOND, multisig_mixed, NULL},
    {"P2SH of true", SPV__SPENT_FREELY, spv__shape_p2sh_true, NULL},
    {"P2SH of a push", SPV__SPENT_FREELY, p2sh_data, NULL},
    {"P2SH of multisig", SPV__SPENT_AS_SECOND, p2sh_multisig, NULL},
    {"P2WPKH", SPV__SPENT_FREELY, p2wpkh, sign_p2wpkh},
    {"P2TR", SPV__SPENT_FREELY, p2tr, sign_p2tr},
    {"P2WSH of true", SPV__SPENT_FREELY, spv__shape_p2wsh_true, NULL},
    {"P2WSH, a witness item", SPV__SPENT_FREELY, p2wsh_item, NULL},
    {"P2WSH of a push", SPV__SPENT_FREELY, p2wsh_data, NULL},
    {"P2SH of P2WSH", SPV__SPENT_FREELY, p2sh_p2wsh, NULL},
    {"P2PKH, nobody's", SPV__SPENT_NEVER, to_key_hash, NULL},
    {"P2SH, nobody's", SPV__SPENT_NEVER, to_script_hash, NULL},
    {"P2WPKH, nobody's", SPV__SPENT_NEVER, to_p2wpkh, NULL},
    {"P2WSH, nobody's", SPV__SPENT_NEVER, to_p2wsh, NULL},
    {"P2TR, nobody's", SPV__SPENT_NEVER, to_p2tr, NULL},
    {"a later witness version", SPV__SPENT_NEVER, later_witness, NULL},
};

const size_t spv__shape_kinds_n =
    sizeof(spv__shape_kinds) / sizeof(*spv__shape_kinds);

static void reset(spv_shape *s)
{
    spv__buf_reset(&s->script);
    spv__buf_reset(&s->input);
    spv__buf_reset(&s->witness);
}

void spv__shape_make(spv_shape *s, const spv_shape_kind *kind, spv_rng *d)
{
    reset(s);
    kind->make(s, d);
}

void spv__shape_sign(spv_shape *s, const spv_shape_kind *kind,
                     const spv_coin *coin)
{
    if (!kind->sign)
        return;
    spv__buf_reset(&s->witness);
    kind->sign(s, coin);
}

void spv__shape_clear(spv_shape *s)
{
    spv__buf_clear(&s->script);
    spv__buf_clear(&s->input);
    spv__buf_clear(&s->witness);
}

void spv__shape_nobody(spv_shape *s, spv_rng *d, size_t n)
{
    static void (*const makers[])(spv_shape *, spv_rng *) = {
        to_p2wpkh, to_key_hash, to_p2tr, to_script_hash, to_p2wsh};

    reset(s);
    makers[n % (sizeof(makers) / sizeof(*makers))](s, d);
}
