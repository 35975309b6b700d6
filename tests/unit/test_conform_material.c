#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <spv/block.h>
#include <spv/header.h>
#include <spv/material.h>
#include <spv/merkle.h>
#include <spv/network.h>
#include <spv/script.h>
#include <spv/witness.h>

#include "base/digest.h"
#include "base/u256.h"
#include "chain/pow.h"
#include "no_memory.h"

enum { COINS_MAX = 16384, TXS_MAX = 300, WITNESS_FROM = 120 };

/* A book of every output, as a full node keeps it ----------------------------
 */

typedef struct coin {
    spv_outpoint at;
    int64_t value;
    int32_t height;
    bool coinbase;
    spv_script_kind kind;
    int32_t spent; /* the height; -1: not yet */
} coin;

static struct {
    coin coins[COINS_MAX];
    size_t n;
} book;

static coin *find(const spv_outpoint *at)
{
    for (size_t i = book.n; i-- > 0;)
        if (spv_outpoint_equal(&book.coins[i].at, at))
            return &book.coins[i];
    return NULL;
}

/** Spend what a transaction spends; the sum. */
static int64_t spend(const spv_tx *tx, int32_t height)
{
    int64_t sum = 0;

    for (size_t i = 0; i < tx->n_in; i++) {
        coin *c = find(&tx->in[i].prev);

        assert_non_null(c);
        assert_int_equal(c->spent, -1);
        assert_true(!c->coinbase || height - c->height >= 100);
        c->spent = height;
        sum += c->value;
    }
    return sum;
}

/** Note what it pays; the sum. */
static int64_t pay(const spv_tx *tx, int32_t height, bool coinbase)
{
    int64_t sum = 0;

    for (size_t i = 0; i < tx->n_out; i++) {
        const spv_txout *out = &tx->out[i];

        assert_true(out->value >= 0);
        assert_true(book.n < COINS_MAX);
        book.coins[book.n++] =
            (coin){{tx->txid, (uint32_t)i},
                   out->value,
                   height,
                   coinbase,
                   spv_script_classify(out->script, out->script_len),
                   -1};
        sum += out->value;
    }
    return sum;
}

static int64_t subsidy(int32_t height)
{
    return INT64_C(5000000000) >> (height / 150);
}

/* Blocks read -----------------------------------------------------------------
 */

typedef struct block {
    spv_material_block made;
    spv_header header;
    spv_tx txs[TXS_MAX];
    size_t n;
} block;

static block *open(const spv_material *m, size_t i)
{
    block *b = calloc(1, sizeof(*b));
    spv_block_reader r;

    assert_non_null(b);
    b->made = spv_material_block_at(m, i);
    assert_int_equal(spv_block_open(&r, b->made.bytes, b->made.len), SPV_OK);
    spv_header_decode(&b->header, r.header);
    while (b->n < r.n_tx)
        assert_int_equal(spv_block_next(&r, &b->txs[b->n++]), SPV_OK);
    assert_int_equal(r.left, 0);
    assert_int_equal(b->n, b->made.n_tx);
    return b;
}

static void close(block *b)
{
    for (size_t i = 0; i < b->n; i++)
        spv_tx_clear(&b->txs[i]);
    free(b);
}

static void enter(const block *b)
{
    int32_t height = b->made.height;
    int64_t fees = 0;

    for (size_t i = 1; i < b->n; i++) {
        int64_t in = spend(&b->txs[i], height);
        int64_t out = pay(&b->txs[i], height, false);

        assert_true(in >= out);
        fees += in - out;
    }
    assert_int_equal(pay(&b->txs[0], height, true), subsidy(height) + fees);
}

static spv_material_options short_chain(void)
{
    spv_material_options o = spv_material_defaults();

    o.witness_from = WITNESS_FROM;
    return o;
}

static spv_material *make(const spv_material_options *o)
{
    spv_material *m;

    assert_int_equal(spv_material_new(&m, o), SPV_OK);
    return m;
}

/** All of a material into the book. */
static void enter_all(const spv_material *m)
{
    book.n = 0;
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);

        enter(b);
        close(b);
    }
}

/* Valid
 * -------------------------------------------------------------------------- */

static void check_header(const block *b, const spv_hash *prev)
{
    spv_target target = spv__bits_decode(b->header.bits);
    spv_hash hash;
    spv_hash root;
    spv_hash txids[TXS_MAX];

    spv_header_hash(&hash, b->made.bytes);
    assert_true(spv_hash_equal(&hash, &b->made.hash));
    assert_true(spv_hash_equal(&b->header.prev, prev));
    assert_int_equal(b->header.bits,
                     spv_network_get(SPV_REGTEST)->pow_limit_bits);
    assert_true(spv__u256_compare(spv__u256_of_hash(&hash), target.value) <= 0);
    for (size_t i = 0; i < b->n; i++)
        txids[i] = b->txs[i].txid;
    assert_int_equal(spv_merkle_root(&root, txids, b->n), SPV_OK);
    assert_true(spv_hash_equal(&root, &b->header.merkle_root));
}

static void blocks_are_linked_and_have_their_work(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);
    spv_hash prev = o.tip;
    uint32_t before = o.tip_time;

    (void)state;
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);

        assert_int_equal(b->made.height, (int32_t)i + 1);
        check_header(b, &prev);
        assert_true(b->header.time > before);
        before = b->header.time;
        prev = b->made.hash;
        close(b);
    }
    assert_int_equal(before, o.end_time);
    spv_material_free(m);
}

static void times_increase_where_there_is_no_time(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m;
    block *b;

    (void)state;
    o.tip_time = o.end_time;
    m = make(&o);
    b = open(m, 0);
    assert_int_equal(b->header.time, o.tip_time + 1);
    close(b);
    b = open(m, spv_material_blocks(m) - 1);
    assert_int_equal(b->header.time, o.tip_time + spv_material_blocks(m));
    close(b);
    spv_material_free(m);
}

static void no_money_is_made_and_none_is_lost(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);

    (void)state;
    enter_all(m); /* asserts it of each block */
    spv_material_free(m);
}

static void a_long_chain_without_subsidies_is_valid_too(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m;

    (void)state;
    o.height = 33 * 150;
    m = make(&o);
    assert_int_equal(spv_material_block_at(m, 0).height, o.height + 1);
    enter_all(m);
    assert_int_equal(spv_material_txs(m), 0);
    spv_material_free(m);
}

/** BIP 34, up to the heights that two bytes hold. */
static void a_coinbase_says_its_height(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);

    (void)state;
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);
        const uint8_t *script = b->txs[0].in[0].script;
        int32_t h = b->made.height;

        assert_true(spv_tx_is_coinbase(&b->txs[0]));
        if (h <= 16)
            assert_int_equal(script[0], 0x50 + h);
        else if (h < 128)
            assert_true(script[0] == 1 && script[1] == h);
        else
            assert_true(script[0] == 2 && script[1] == (h & 0xff) &&
                        script[2] == h >> 8);
        close(b);
    }
    spv_material_free(m);
}

static void check_commitment(const block *b)
{
    static const uint8_t head[] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};
    const spv_hash reserved = {{0}};
    const spv_txout *out = &b->txs[0].out[1];
    spv_hash wtxids[TXS_MAX] = {{{0}}};
    spv_hash root;
    spv_hash want;

    for (size_t i = 1; i < b->n; i++)
        wtxids[i] = b->txs[i].wtxid;
    assert_int_equal(spv_merkle_root(&root, wtxids, b->n), SPV_OK);
    spv__sha256d_pair(&want, &root, &reserved);
    assert_int_equal(out->script_len, sizeof(head) + 32);
    assert_memory_equal(out->script, head, sizeof(head));
    assert_memory_equal(out->script + sizeof(head), want.bytes, 32);
}

static void witness_data_is_committed_to_and_not_too_early(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);
    size_t with = 0;

    (void)state;
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);
        bool has = false;

        for (size_t t = 1; t < b->n; t++)
            has |= b->txs[t].has_witness;
        assert_int_equal(b->txs[0].has_witness, has);
        assert_int_equal(b->txs[0].n_out, has ? 2 : 1);
        assert_true(!has || b->made.height >= WITNESS_FROM);
        if (has)
            check_commitment(b);
        with += has;
        close(b);
    }
    assert_true(with > 4);
    spv_material_free(m);
}

/** "node is transaction": no proof may vouch for one of 64 bytes. */
static void every_transaction_can_be_proved(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);

    (void)state;
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);

        for (size_t t = 0; t < b->n; t++)
            assert_true(spv_merkle_may_prove(&b->txs[t]));
        close(b);
    }
    spv_material_free(m);
}

/* Of every shape
 * ------------------------------------------------------------------ */

static void every_kind_is_paid_and_spent_soon_and_late(void **state)
{
    static const spv_script_kind paid[] = {
        SPV_SCRIPT_OTHER,    SPV_SCRIPT_P2PK,   SPV_SCRIPT_P2PKH,
        SPV_SCRIPT_P2SH,     SPV_SCRIPT_P2WPKH, SPV_SCRIPT_P2WSH,
        SPV_SCRIPT_MULTISIG, SPV_SCRIPT_P2TR,   SPV_SCRIPT_WITNESS,
        SPV_SCRIPT_NULLDATA};
    static const spv_script_kind spent[] = {
        SPV_SCRIPT_OTHER,  SPV_SCRIPT_P2PK,  SPV_SCRIPT_P2PKH,
        SPV_SCRIPT_P2SH,   SPV_SCRIPT_P2WSH, SPV_SCRIPT_MULTISIG,
        SPV_SCRIPT_P2WPKH, SPV_SCRIPT_P2TR};
    static const int32_t delays[] = {0, 1, 3};
    bool is_paid[16] = {false};
    bool is_spent[16][4] = {{false}};
    spv_material_options o = short_chain();
    spv_material *m = make(&o);

    (void)state;
    enter_all(m);
    for (size_t i = 0; i < book.n; i++) {
        const coin *c = &book.coins[i];

        is_paid[c->kind] = true;
        if (c->spent >= 0 && c->spent - c->height < 4)
            is_spent[c->kind][c->spent - c->height] = true;
    }
    for (size_t i = 0; i < sizeof(paid) / sizeof(*paid); i++)
        assert_true(is_paid[paid[i]]);
    for (size_t i = 0; i < sizeof(spent) / sizeof(*spent); i++)
        for (size_t d = 0; d < sizeof(delays) / sizeof(*delays); d++)
            assert_true(is_spent[spent[i]][delays[d]]);
    spv_material_free(m);
}

static void blocks_of_many_sizes_are_there(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 257};
    spv_material_options o = short_chain();
    spv_material *m = make(&o);
    bool seen[TXS_MAX] = {false};

    (void)state;
    for (size_t i = 0; i < spv_material_blocks(m); i++)
        seen[spv_material_block_at(m, i).n_tx] = true;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        assert_true(seen[sizes[i]]);
    spv_material_free(m);
}

static bool shows(const uint8_t *script, size_t len, const uint8_t *want)
{
    for (size_t i = 0; i + 20 <= len; i++)
        if (memcmp(script + i, want, 20) == 0)
            return true;
    return false;
}

static bool tx_shows(const spv_tx *tx, const uint8_t *want)
{
    for (size_t i = 0; i < tx->n_out; i++)
        if (shows(tx->out[i].script, tx->out[i].script_len, want))
            return true;
    for (size_t i = 0; i < tx->n_in; i++)
        if (shows(tx->in[i].script, tx->in[i].script_len, want))
            return true;
    return false;
}

/** How often the first push of an OP_RETURN of 20 bytes is in a block. */
static size_t echoes(const block *b)
{
    size_t n = 0;

    for (size_t t = 1; t < b->n; t++)
        if (b->txs[t].out[0].script_len == 22 &&
            b->txs[t].out[0].script[0] == 0x6a)
            for (size_t other = 1; other < b->n; other++)
                n += tx_shows(&b->txs[other], b->txs[t].out[0].script + 2);
    return n;
}

static void six_transactions_of_one_block_show_the_same_push(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);

        if (echoes(b) > 0) {
            assert_int_equal(echoes(b), 6);
            n++;
        }
        close(b);
    }
    assert_int_equal(n, 1);
    spv_material_free(m);
}

/* From a seed
 * ---------------------------------------------------------------------- */

static bool same_bytes(const spv_material *a, const spv_material *b, size_t i)
{
    spv_material_block x = spv_material_block_at(a, i);
    spv_material_block y = spv_material_block_at(b, i);

    return x.len == y.len && memcmp(x.bytes, y.bytes, x.len) == 0;
}

static void equal_options_give_equal_bytes_and_a_seed_others(void **state)
{
    spv_material_options o = short_chain();
    spv_material *a = make(&o);
    spv_material *b = make(&o);
    spv_material *other;

    (void)state;
    o.seed++;
    other = make(&o);
    for (size_t i = 0; i < spv_material_blocks(a); i++) {
        assert_true(same_bytes(a, b, i));
        assert_false(same_bytes(a, other, i));
    }
    for (size_t i = 0; i < spv_material_txs(a); i++) {
        size_t len_a;
        size_t len_b;
        const uint8_t *tx_a = spv_material_tx_at(a, i, &len_a);
        const uint8_t *tx_b = spv_material_tx_at(b, i, &len_b);

        assert_int_equal(len_a, len_b);
        assert_memory_equal(tx_a, tx_b, len_a);
    }
    spv_material_free(a);
    spv_material_free(b);
    spv_material_free(other);
}

static void impossible_heights_are_refused(void **state)
{
    spv_material_options o = spv_material_defaults();
    spv_material *m;

    (void)state;
    o.height = -1;
    assert_int_equal(spv_material_new(&m, &o), SPV_INVAL);
    assert_null(m);
    o.height = INT32_MAX;
    assert_int_equal(spv_material_new(&m, &o), SPV_INVAL);
}

/* Transactions that wait
 * ------------------------------------------------------------ */

static void waiting_transactions_spend_what_is_there(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = make(&o);
    spv_hash before = {{0}};

    (void)state;
    enter_all(m);
    assert_int_equal(spv_material_txs(m), 24);
    for (size_t i = 0; i < spv_material_txs(m); i++) {
        size_t len;
        const uint8_t *bytes = spv_material_tx_at(m, i, &len);
        int64_t fee;
        spv_tx tx;

        assert_int_equal(spv_tx_decode(&tx, bytes, len, NULL), SPV_OK);
        fee = spend(&tx, INT32_MAX) - pay(&tx, INT32_MAX, false);
        assert_int_equal(fee, 5000);
        assert_int_equal(i % 2, spv_hash_equal(&tx.in[0].prev.txid, &before));
        before = tx.txid;
        spv_tx_clear(&tx);
    }
    spv_material_free(m);
}

/* Payments to given scripts
 * ---------------------------------------------------------- */

static const uint8_t wpkh[22] = {0x00, 0x14, 1, 2, 3};
static const uint8_t pkh[25] = {0x76, 0xa9, 0x14, 4, 5, [23] = 0x88, 0xac};
static const uint8_t sh[23] = {0xa9, 0x14, 6, 7, [22] = 0x87};
static const uint8_t tr[34] = {0x51, 0x20, 8, 9};
static const spv_material_script given[] = {{wpkh, sizeof(wpkh)},
                                            {pkh, sizeof(pkh)},
                                            {sh, sizeof(sh)},
                                            {tr, sizeof(tr)}};

enum { GIVEN = sizeof(given) / sizeof(*given) };

static void every_given_script_is_paid_four_times_and_spent_twice(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m;
    size_t paid[GIVEN] = {0};
    size_t spent[GIVEN] = {0};

    (void)state;
    o.scripts = given;
    o.n_scripts = GIVEN;
    m = make(&o);
    enter_all(m);
    for (size_t i = 0; i < spv_material_blocks(m); i++) {
        block *b = open(m, i);

        for (size_t t = 0; t < b->n; t++)
            for (size_t n = 0; n < b->txs[t].n_out; n++)
                for (size_t g = 0; g < GIVEN; g++) {
                    const spv_txout *out = &b->txs[t].out[n];
                    spv_outpoint at = {b->txs[t].txid, (uint32_t)n};

                    if (out->script_len != given[g].len ||
                        memcmp(out->script, given[g].bytes, given[g].len) != 0)
                        continue;
                    assert_int_equal(out->value, SPV_MATERIAL_PAID);
                    paid[g]++;
                    spent[g] += find(&at)->spent >= 0;
                }
        close(b);
    }
    for (size_t g = 0; g < GIVEN; g++) {
        assert_int_equal(paid[g], 4);
        assert_int_equal(spent[g], 2);
    }
    spv_material_free(m);
}

/** What comes first does not depend on whom it is for. */
static void given_scripts_only_add_blocks(void **state)
{
    spv_material_options o = short_chain();
    spv_material *without = make(&o);
    spv_material *with;
    size_t n = spv_material_blocks(without);

    (void)state;
    o.end_time += 5 * 600;
    o.scripts = given;
    o.n_scripts = GIVEN;
    with = make(&o);
    assert_int_equal(spv_material_blocks(with), n + 5);
    for (size_t i = 0; i < n; i++)
        assert_true(same_bytes(without, with, i));
    spv_material_free(without);
    spv_material_free(with);
}

static void scripts_that_nobody_can_pay_are_said(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m;

    (void)state;
    o.height = 33 * 150;
    o.scripts = given;
    o.n_scripts = GIVEN;
    assert_int_equal(spv_material_new(&m, &o), SPV_FUNDS);
    assert_null(m);
}

/* Memory
 * -------------------------------------------------------------------------------
 */

/** Each of the first allocations fails, then every hundredth or so. */
static void out_of_memory_is_an_error_wherever_it_happens(void **state)
{
    spv_material_options o = short_chain();
    spv_material *m = NULL;
    spv_err err = SPV_NOMEM;
    size_t failures = 0;

    (void)state;
    o.scripts = given;
    o.n_scripts = GIVEN;
    for (size_t n = 0; err != SPV_OK; n += n < 200 ? 1 : 97) {
        no_memory.armed = true;
        no_memory.before = n;
        err = spv_material_new(&m, &o);
        no_memory.armed = false;
        if (err) {
            assert_int_equal(err, SPV_NOMEM);
            assert_null(m);
            failures++;
        }
    }
    assert_true(failures > 200);
    spv_material_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_linked_and_have_their_work),
        cmocka_unit_test(times_increase_where_there_is_no_time),
        cmocka_unit_test(no_money_is_made_and_none_is_lost),
        cmocka_unit_test(a_long_chain_without_subsidies_is_valid_too),
        cmocka_unit_test(a_coinbase_says_its_height),
        cmocka_unit_test(witness_data_is_committed_to_and_not_too_early),
        cmocka_unit_test(every_transaction_can_be_proved),
        cmocka_unit_test(every_kind_is_paid_and_spent_soon_and_late),
        cmocka_unit_test(blocks_of_many_sizes_are_there),
        cmocka_unit_test(six_transactions_of_one_block_show_the_same_push),
        cmocka_unit_test(equal_options_give_equal_bytes_and_a_seed_others),
        cmocka_unit_test(impossible_heights_are_refused),
        cmocka_unit_test(waiting_transactions_spend_what_is_there),
        cmocka_unit_test(every_given_script_is_paid_four_times_and_spent_twice),
        cmocka_unit_test(given_scripts_only_add_blocks),
        cmocka_unit_test(scripts_that_nobody_can_pay_are_said),
        cmocka_unit_test(out_of_memory_is_an_error_wherever_it_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
