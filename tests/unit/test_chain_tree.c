#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "chain/pow.h"
#include "chain/tree.h"

#define NOW INT64_C(1700000000)

/* Headers as miners make them ---------------------------------------------- */

typedef struct mined {
    uint8_t bytes[SPV_HEADER_LEN];
    spv_hash hash;
    uint32_t time;
} mined;

static const spv_network *regtest(void)
{
    return spv_network_get(SPV_REGTEST);
}

static mined genesis_of(const spv_network *network)
{
    mined m = {.hash = network->genesis_hash};
    spv_header h;

    memcpy(m.bytes, network->genesis, SPV_HEADER_LEN);
    spv_header_decode(&h, m.bytes);
    m.time = h.time;
    return m;
}

/** A child of `parent`; `tag` tells siblings apart. */
static mined mine_at(const mined *parent, uint8_t tag, uint32_t bits)
{
    spv_header h = {.version = 4,
                    .prev = parent->hash,
                    .merkle_root = {{tag}},
                    .time = parent->time + 1,
                    .bits = bits};
    mined m = {.time = h.time};

    do {
        h.nonce++;
        spv_header_encode(m.bytes, &h);
        spv_header_hash(&m.hash, m.bytes);
    } while (!spv_pow_check(&m.hash, h.bits, regtest()));
    return m;
}

static mined mine(const mined *parent, uint8_t tag)
{
    return mine_at(parent, tag, 0x207fffff);
}

static void mine_many(mined *out, const mined *parent, size_t n, uint8_t tag)
{
    for (size_t i = 0; i < n; i++)
        out[i] = mine(i ? &out[i - 1] : parent, tag);
}

static spv_header_tree *tree_of(size_t side_max)
{
    spv_header_tree *tree = NULL;

    assert_int_equal(
        spv__tree_new(&tree, &(spv_tree_config){.network = regtest(),
                                                .side_max = side_max}),
        SPV_OK);
    return tree;
}

static spv_tree_change add(spv_header_tree *tree, const mined *m,
                           spv_verdict want)
{
    spv_tree_change change;

    assert_string_equal(
        spv_verdict_text(spv__tree_add(tree, m->bytes, NOW, &change)),
        spv_verdict_text(want));
    return change;
}

static void add_many(spv_header_tree *tree, const mined *m, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)add(tree, &m[i], SPV_VERDICT_ADDED);
}

static void assert_tip(const spv_header_tree *tree, const mined *m)
{
    spv_tree_block tip = spv__tree_tip(tree);

    assert_true(spv_hash_equal(&tip.hash, &m->hash));
}

/* Growing ------------------------------------------------------------------ */

static void begins_at_genesis(void **state)
{
    (void)state;
    for (int chain = 0; chain < SPV_CHAIN_COUNT; chain++) {
        const spv_network *network = spv_network_get((spv_chain)chain);
        mined genesis = genesis_of(network);
        spv_header_tree *tree = NULL;
        spv_tree_change change;

        assert_int_equal(
            spv__tree_new(&tree, &(spv_tree_config){.network = network}),
            SPV_OK);
        assert_tip(tree, &genesis);
        assert_int_equal(spv__tree_tip(tree).height, 0);
        assert_int_equal(spv__tree_add(tree, genesis.bytes, NOW, &change),
                         SPV_VERDICT_DUPLICATE);
        assert_false(change.moved);
        spv__tree_free(tree);
    }
}

static void a_chain_is_read_by_height_and_by_hash(void **state)
{
    enum { N = 700 };
    static mined chain[N];
    mined genesis = genesis_of(regtest());
    spv_header_tree *tree = tree_of(0);

    (void)state;
    mine_many(chain, &genesis, N, 0);
    for (int32_t i = 0; i < N; i++) {
        spv_tree_change change = add(tree, &chain[i], SPV_VERDICT_ADDED);

        assert_true(change.moved);
        assert_int_equal(change.fork, i);
        assert_int_equal(change.n_disconnected, 0);
    }
    for (int32_t i = 0; i < N; i++) {
        spv_tree_block at;
        spv_tree_block found;
        uint8_t bytes[SPV_HEADER_LEN];

        assert_true(spv__tree_at(tree, i + 1, &at));
        assert_true(spv__tree_find(tree, &chain[i].hash, &found));
        assert_true(spv_hash_equal(&at.hash, &chain[i].hash));
        assert_int_equal(found.height, i + 1);
        assert_true(found.active);
        assert_true(spv__tree_header(tree, &chain[i].hash, bytes));
        assert_memory_equal(bytes, chain[i].bytes, SPV_HEADER_LEN);
        memset(bytes, 0, sizeof(bytes));
        assert_true(spv__tree_header_at(tree, i + 1, bytes));
        assert_memory_equal(bytes, chain[i].bytes, SPV_HEADER_LEN);
        (void)add(tree, &chain[i], SPV_VERDICT_DUPLICATE);
    }
    assert_int_equal(
        spv__u256_compare(spv__tree_work(tree), spv__u256(2 * (N + 1))), 0);
    assert_false(spv__tree_at(tree, N + 1, &(spv_tree_block){0}));
    assert_false(spv__tree_at(tree, -1, &(spv_tree_block){0}));
    spv__tree_free(tree);
}

static void S29_bad_headers_are_named_and_change_nothing(void **state)
{
    mined genesis = genesis_of(regtest());
    mined first = mine(&genesis, 0);
    mined second = mine(&first, 0);
    mined bad = first;
    spv_header_tree *tree = tree_of(0);
    spv_tree_change change;

    (void)state;
    (void)add(tree, &second, SPV_VERDICT_ORPHAN);
    do
        bad.bytes[76]++;
    while (spv_header_hash(&bad.hash, bad.bytes), bad.hash.bytes[31] < 0x80);
    (void)add(tree, &bad, SPV_VERDICT_BAD_POW);
    bad = first;
    bad.bytes[75] = 0x1d;
    (void)add(tree, &bad, SPV_VERDICT_BAD_POW);
    assert_int_equal(
        spv__tree_add(tree, first.bytes, (int64_t)first.time - 7201, &change),
        SPV_VERDICT_FUTURE);
    assert_tip(tree, &genesis);
    assert_int_equal(spv__tree_side_count(tree), 0);
    (void)add(tree, &first, SPV_VERDICT_ADDED);
    (void)add(tree, &second, SPV_VERDICT_ADDED);
    spv__tree_free(tree);
}

static void S29_wrong_bits_and_early_times_are_refused(void **state)
{
    mined genesis = genesis_of(regtest());
    mined early = genesis;
    spv_header_tree *tree = tree_of(0);
    spv_header h = {.version = 4, .prev = genesis.hash, .bits = 0x207ffffe};

    (void)state;
    for (int wrong_bits = 0; wrong_bits < 2; wrong_bits++) {
        h.time = genesis.time + (uint32_t)wrong_bits;
        h.bits = wrong_bits ? 0x207ffffe : 0x207fffff;
        do {
            h.nonce++;
            spv_header_encode(early.bytes, &h);
            spv_header_hash(&early.hash, early.bytes);
        } while (!spv_pow_check(&early.hash, h.bits, regtest()));
        (void)add(tree, &early,
                  wrong_bits ? SPV_VERDICT_BAD_BITS : SPV_VERDICT_OLD_TIME);
    }
    spv__tree_free(tree);
}

/* Reorganisations ---------------------------------------------------------- */

static void ties_go_to_the_first_seen(void **state)
{
    mined genesis = genesis_of(regtest());
    mined a = mine(&genesis, 1);
    mined b = mine(&genesis, 2);
    spv_header_tree *tree = tree_of(0);

    (void)state;
    (void)add(tree, &a, SPV_VERDICT_ADDED);
    assert_false(add(tree, &b, SPV_VERDICT_ADDED).moved);
    assert_tip(tree, &a);
    assert_int_equal(spv__tree_side_count(tree), 1);
    spv__tree_free(tree);
}

static void a_heavier_branch_disconnects_tip_first(void **state)
{
    mined genesis = genesis_of(regtest());
    mined trunk[5], a[3], b[4];
    spv_header_tree *tree = tree_of(0);
    spv_tree_change change;
    spv_tree_block block;

    (void)state;
    mine_many(trunk, &genesis, 5, 0);
    mine_many(a, &trunk[4], 3, 1);
    mine_many(b, &trunk[4], 4, 2);
    add_many(tree, trunk, 5);
    add_many(tree, a, 3);
    add_many(tree, b, 3);
    assert_tip(tree, &a[2]);
    change = add(tree, &b[3], SPV_VERDICT_ADDED);

    assert_true(change.moved);
    assert_int_equal(change.fork, 5);
    assert_int_equal(change.n_disconnected, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(spv_hash_equal(&change.disconnected[i], &a[2 - i].hash));
    for (int32_t i = 0; i < 4; i++) {
        assert_true(spv__tree_at(tree, 6 + i, &block));
        assert_true(spv_hash_equal(&block.hash, &b[i].hash));
    }
    assert_true(spv__tree_find(tree, &a[1].hash, &block));
    assert_false(block.active);
    assert_int_equal(block.height, 7);
    assert_int_equal(spv__tree_side_count(tree), 3);
    assert_int_equal(spv__tree_fork(tree, &a[2].hash, &b[3].hash), 5);
    assert_int_equal(spv__tree_fork(tree, &a[2].hash, &a[0].hash), 6);
    assert_int_equal(spv__tree_fork(tree, &b[1].hash, &trunk[1].hash), 2);
    assert_int_equal(spv__tree_fork(tree, &b[1].hash, &b[1].hash), 7);
    assert_int_equal(spv__tree_fork(tree, &b[1].hash, &(spv_hash){{1}}), -1);
    spv__tree_free(tree);
}

static void branches_win_and_win_back(void **state)
{
    mined genesis = genesis_of(regtest());
    mined a[40], b[40];
    spv_header_tree *tree = tree_of(0);

    (void)state;
    mine_many(a, &genesis, 40, 1);
    mine_many(b, &genesis, 40, 2);
    (void)add(tree, &a[0], SPV_VERDICT_ADDED);
    for (size_t i = 0; i + 1 < 40; i++) {
        mined *lead = i % 2 ? a : b;
        spv_tree_change change;
        uint8_t bytes[SPV_HEADER_LEN];

        (void)add(tree, &lead[i], SPV_VERDICT_ADDED);
        change = add(tree, &lead[i + 1], SPV_VERDICT_ADDED);
        assert_int_equal(change.fork, 0);
        assert_int_equal(change.n_disconnected, i + 1);
        assert_tip(tree, &lead[i + 1]);
        assert_int_equal(spv__tree_side_count(tree), i + 1);
        for (size_t k = 0; k <= i; k++) {
            assert_true(spv__tree_header(tree, &a[k].hash, bytes));
            assert_memory_equal(bytes, a[k].bytes, SPV_HEADER_LEN);
            assert_true(spv__tree_header(tree, &b[k].hash, bytes));
            assert_memory_equal(bytes, b[k].bytes, SPV_HEADER_LEN);
        }
    }
    spv__tree_free(tree);
}

/* A branch of a branch survives when the branch below it wins or loses. */
static void branches_of_branches_stay_connected(void **state)
{
    mined genesis = genesis_of(regtest());
    mined a[4], b[5], c[8];
    spv_header_tree *tree = tree_of(0);

    (void)state;
    mine_many(a, &genesis, 4, 1);
    mine_many(b, &a[1], 5, 2);
    mine_many(c, &b[1], 8, 3);
    add_many(tree, a, 4);
    add_many(tree, b, 2);
    add_many(tree, c, 1); /* the heaviest by one */
    add_many(tree, b + 2, 3);
    assert_tip(tree, &b[4]);
    add_many(tree, c + 1, 7);
    assert_tip(tree, &c[7]);
    assert_int_equal(spv__tree_fork(tree, &b[4].hash, &c[7].hash), 4);
    assert_int_equal(spv__tree_fork(tree, &a[3].hash, &b[4].hash), 2);
    assert_int_equal(spv__tree_side_count(tree), 2 + 3);
    spv__tree_free(tree);
}

/* S28: "Twenty easy headers against twelve hard ones". No rule of regtest asks
 * for hard ones, so they are loaded, which only asks for work. */
static void work_wins_not_height(void **state)
{
    mined genesis = genesis_of(regtest());
    mined easy[20], hard[12];
    spv_header_tree *tree = tree_of(0);

    (void)state;
    mine_many(easy, &genesis, 20, 1);
    for (size_t i = 0; i < 12; i++)
        hard[i] = mine_at(i ? &hard[i - 1] : &genesis, 2, 0x201fffff);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(spv__tree_load(tree, easy[i].bytes),
                         SPV_VERDICT_ADDED);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(spv__tree_load(tree, hard[i].bytes),
                         SPV_VERDICT_ADDED);
    assert_tip(tree, &hard[11]);
    assert_int_equal(spv__tree_tip(tree).height, 12);
    spv__tree_free(tree);
}

/* Bounds ------------------------------------------------------------------- */

static void a_flood_of_branches_is_bounded(void **state)
{
    enum { TRUNK = 60, SIDES = 16 };
    mined genesis = genesis_of(regtest());
    mined trunk[TRUNK];
    spv_header_tree *tree = tree_of(SIDES);
    size_t bytes = 0;

    (void)state;
    mine_many(trunk, &genesis, TRUNK, 0);
    add_many(tree, trunk, TRUNK);
    for (int i = 0; i < 2000; i++) {
        mined m = mine(&trunk[i % 50], (uint8_t)(1 + i % 200));

        (void)add(tree, &m, SPV_VERDICT_ADDED);
        assert_true(spv__tree_side_count(tree) <= SIDES);
        if (i == 100)
            bytes = spv__tree_bytes(tree);
    }
    assert_int_equal(spv__tree_bytes(tree), bytes);
    assert_tip(tree, &trunk[TRUNK - 1]);
    spv__tree_free(tree);
}

/* A branch that fills the pool alone is refused; one that is being extended is
 * not forgotten for the sake of others. */
static void a_long_light_branch_ends_at_the_limit(void **state)
{
    enum { TRUNK = 60, SIDES = 16 };
    mined genesis = genesis_of(regtest());
    mined trunk[TRUNK], a[SIDES + 1], b;
    spv_header_tree *tree = tree_of(SIDES);

    (void)state;
    mine_many(trunk, &genesis, TRUNK, 0);
    mine_many(a, &genesis, SIDES + 1, 1);
    add_many(tree, trunk, TRUNK);
    b = mine(&trunk[3], 2);
    add_many(tree, a, 10);
    (void)add(tree, &b, SPV_VERDICT_ADDED);
    add_many(tree, a + 10, SIDES - 10); /* forgets b */
    assert_false(spv__tree_find(tree, &b.hash, NULL));
    (void)add(tree, &a[SIDES], SPV_VERDICT_SIDE_LIMIT);
    assert_int_equal(spv__tree_side_count(tree), SIDES);
    (void)add(tree, &b, SPV_VERDICT_ADDED); /* forgets a */
    assert_int_equal(spv__tree_side_count(tree), 1);
    assert_tip(tree, &trunk[TRUNK - 1]);
    spv__tree_free(tree);
}

static void a_deep_reorganisation_keeps_what_fits(void **state)
{
    enum { SIDES = 16 };
    mined genesis = genesis_of(regtest());
    mined trunk[15], branch[16], twig;
    spv_header_tree *tree = tree_of(SIDES);
    spv_tree_change change;

    (void)state;
    mine_many(trunk, &genesis, 15, 0);
    mine_many(branch, &genesis, 16, 1);
    add_many(tree, trunk, 15);
    add_many(tree, branch, 15);
    change = add(tree, &branch[15], SPV_VERDICT_ADDED);
    assert_int_equal(change.n_disconnected, 15);
    assert_int_equal(spv__tree_side_count(tree), 15);
    twig = mine(&trunk[7], 5);
    (void)add(tree, &twig, SPV_VERDICT_ADDED);
    twig = mine(&twig, 5);
    (void)add(tree, &twig, SPV_VERDICT_ADDED); /* full: only its branch stays */
    assert_int_equal(spv__tree_side_count(tree), 8 + 2);
    assert_true(spv__tree_find(tree, &trunk[7].hash, NULL));
    assert_false(spv__tree_find(tree, &trunk[8].hash, NULL));
    spv__tree_free(tree);
}

/* A few hard headers push out more easy ones than fit: what hangs on those is
 * forgotten with them. */
static void nothing_is_kept_without_its_parent(void **state)
{
    enum { SIDES = 16 };
    mined genesis = genesis_of(regtest());
    mined trunk[20], twig[6], hard = genesis;
    spv_header_tree *tree = tree_of(SIDES);

    (void)state;
    mine_many(trunk, &genesis, 20, 0);
    add_many(tree, trunk, 20);
    for (uint8_t i = 0; i < 6; i++) {
        twig[i] = mine(&trunk[18], (uint8_t)(i + 1));
        (void)add(tree, &twig[i], SPV_VERDICT_ADDED);
    }
    for (uint8_t i = 0; i < 6; i++) {
        hard = mine_at(&hard, 9, 0x201fffff);
        assert_int_equal(spv__tree_load(tree, hard.bytes), SPV_VERDICT_ADDED);
    }
    assert_tip(tree, &hard);
    assert_int_equal(spv__tree_side_count(tree), SIDES);
    assert_true(spv__tree_find(tree, &trunk[15].hash, NULL));
    assert_false(spv__tree_find(tree, &trunk[16].hash, NULL));
    assert_false(spv__tree_find(tree, &twig[0].hash, NULL));
    spv__tree_free(tree);
}

/* Random trees against a model that keeps every header for ever ------------ */

enum { MODEL = 400 };

static struct {
    mined block;
    int parent;
    int height;
} model[MODEL];

static int model_ancestor(int i, int height)
{
    while (model[i].height > height)
        i = model[i].parent;
    return i;
}

static int model_fork(int a, int b)
{
    while (a != b)
        if (model[a].height >= model[b].height)
            a = model[a].parent;
        else
            b = model[b].parent;
    return model[a].height;
}

static void check_against_model(const spv_header_tree *tree, int n, int tip)
{
    for (int h = 0; h <= model[tip].height; h++) {
        spv_tree_block block;

        assert_true(spv__tree_at(tree, h, &block));
        assert_true(spv_hash_equal(&block.hash,
                                   &model[model_ancestor(tip, h)].block.hash));
    }
    for (int i = 0; i < n; i++) {
        spv_tree_block block;
        int other = rand() % n;

        assert_true(spv__tree_find(tree, &model[i].block.hash, &block));
        assert_int_equal(block.height, model[i].height);
        assert_int_equal(block.active,
                         model_ancestor(tip, model[i].height) == i);
        assert_int_equal(spv__tree_fork(tree, &model[i].block.hash,
                                        &model[other].block.hash),
                         model_fork(i, other));
    }
}

static void random_trees_agree_with_the_model(void **state)
{
    (void)state;
    srand(5);
    for (int round = 0; round < 5; round++) {
        spv_header_tree *tree = tree_of(0);
        int tip = 0;

        model[0].block = genesis_of(regtest());
        for (int i = 1; i < MODEL; i++) {
            int parent = rand() % 3 ? i - 1 : rand() % i;
            spv_tree_change change;

            model[i].parent = parent;
            model[i].height = model[parent].height + 1;
            model[i].block = mine(&model[parent].block, (uint8_t)(i % 251));
            change = add(tree, &model[i].block, SPV_VERDICT_ADDED);
            assert_int_equal(change.moved, model[i].height > model[tip].height);
            if (change.moved) {
                int fork = model_fork(tip, i);

                assert_int_equal(change.fork, fork);
                assert_int_equal(change.n_disconnected,
                                 model[tip].height - fork);
                tip = i;
            }
        }
        check_against_model(tree, MODEL, tip);
        spv__tree_free(tree);
    }
}

/* What is set aside -------------------------------------------------------- */

static spv_tree_change set_aside(spv_header_tree *tree, const mined *m)
{
    spv_tree_change change;

    assert_int_equal(spv__tree_set_aside(tree, &m->hash, &change), SPV_OK);
    return change;
}

static bool recall(spv_header_tree *tree, const mined *m)
{
    spv_tree_change change;

    assert_int_equal(spv__tree_recall(tree, &m->hash, &change), SPV_OK);
    return change.moved;
}

static void what_is_set_aside_is_known_and_counts_again(void **state)
{
    mined genesis = genesis_of(regtest());
    mined trunk[5], a[2], b[2];
    spv_header_tree *tree = tree_of(0);
    spv_tree_change change;

    (void)state;
    mine_many(trunk, &genesis, 5, 0);
    mine_many(a, &trunk[4], 2, 1);
    mine_many(b, &trunk[4], 2, 2);
    add_many(tree, trunk, 5);
    (void)add(tree, &a[0], SPV_VERDICT_ADDED);
    assert_int_equal(spv__tree_compare_aside(tree), -1);
    change = set_aside(tree, &a[0]);
    assert_true(change.moved && change.fork == 5);
    assert_int_equal(change.n_disconnected, 1);
    assert_tip(tree, &trunk[4]);
    assert_int_equal(spv__tree_compare_aside(tree), 1);
    (void)add(tree, &a[0], SPV_VERDICT_DUPLICATE);
    assert_tip(tree, &trunk[4]);
    (void)add(tree, &b[0], SPV_VERDICT_ADDED);
    assert_tip(tree, &b[0]);
    assert_int_equal(spv__tree_compare_aside(tree), 0);
    assert_false(recall(tree, &a[0])); /* like work */
    (void)add(tree, &a[1], SPV_VERDICT_ADDED);
    assert_tip(tree, &a[1]);
    assert_int_equal(spv__tree_compare_aside(tree), -1);
    (void)set_aside(tree, &a[0]);
    assert_tip(tree, &b[0]);
    assert_true(recall(tree, &a[1]));
    assert_tip(tree, &a[1]);
    spv__tree_free(tree);
}

/** Branches that were set aside, and what hangs on them, do not take turns. */
static void most_work_wins_of_what_was_not_set_aside(void **state)
{
    mined genesis = genesis_of(regtest());
    mined a[4], b[3], c[2], twig;
    spv_header_tree *tree = tree_of(0);

    (void)state;
    mine_many(a, &genesis, 4, 1);
    mine_many(b, &genesis, 3, 2);
    mine_many(c, &genesis, 2, 3);
    twig = mine(&a[2], 4);
    add_many(tree, a, 4);
    add_many(tree, b, 3);
    add_many(tree, c, 2);
    (void)add(tree, &twig, SPV_VERDICT_ADDED); /* as heavy as the tip */
    (void)set_aside(tree, &a[3]);
    assert_tip(tree, &twig);
    (void)set_aside(tree, &a[1]);
    assert_tip(tree, &b[2]);
    (void)set_aside(tree, &b[2]);
    assert_tip(tree, &b[1]);
    (void)set_aside(tree, &b[0]);
    assert_tip(tree, &c[1]);
    (void)set_aside(tree, &c[0]);
    assert_tip(tree, &a[0]);
    (void)set_aside(tree, &a[0]);
    assert_tip(tree, &genesis);
    assert_false(set_aside(tree, &genesis).moved);
    assert_int_equal(spv__tree_side_count(tree), 4 + 3 + 2 + 1);
    spv__tree_free(tree);
}

/* Bases -------------------------------------------------------------------- */

static void starts_at_a_checkpoint_and_knows_nothing_older(void **state)
{
    const spv_network *network = spv_network_get(SPV_MAIN);
    const spv_checkpoint *base = spv_checkpoint_find(network, 500000);
    mined genesis = genesis_of(network);
    spv_header_tree *tree = NULL;
    spv_hash locator[SPV__TREE_LOCATOR_MAX];
    spv_hash wide = {{0}};
    spv_hash work;

    (void)state;
    assert_int_equal(spv__tree_new(&tree, &(spv_tree_config){.network = network,
                                                             .base = base}),
                     SPV_OK);
    memcpy(wide.bytes, base->work, sizeof(base->work));
    spv__u256_to_hash(&work, spv__tree_work(tree));
    assert_true(spv_hash_equal(&work, &wide));
    assert_int_equal(spv__tree_tip(tree).height, 499968);
    assert_int_equal(spv__tree_base(tree).height, 499968);
    assert_int_equal(spv__tree_locator(tree, locator), 1);
    (void)add(tree, &genesis, SPV_VERDICT_ORPHAN);
    assert_false(spv__tree_at(tree, 0, &(spv_tree_block){0}));
    spv__tree_free(tree);
}

static void a_base_without_proof_of_work_is_refused(void **state)
{
    spv_checkpoint base = *spv_checkpoint_find(spv_network_get(SPV_MAIN), 2016);
    spv_header_tree *tree = NULL;

    (void)state;
    base.header[4] ^= 1;
    assert_int_equal(
        spv__tree_new(&tree,
                      &(spv_tree_config){.network = spv_network_get(SPV_MAIN),
                                         .base = &base}),
        SPV_INVAL);
    assert_null(tree);
}

/* A branch may neither contradict a checkpoint nor, once the chain has passed
 * one, leave it below (S31). */
static void checkpoints_hold(void **state)
{
    mined genesis = genesis_of(regtest());
    mined chain[12], liar, twig;
    spv_checkpoint known = {.height = 10};
    const spv_checkpoint_list list = {.items = &known, .n = 1};
    spv_header_tree *tree = NULL;

    (void)state;
    mine_many(chain, &genesis, 12, 0);
    memcpy(known.header, chain[9].bytes, SPV_HEADER_LEN);
    liar = mine(&chain[8], 1);
    twig = mine(&chain[7], 2);
    assert_int_equal(
        spv__tree_new(&tree, &(spv_tree_config){.network = regtest(),
                                                .checkpoints = &list}),
        SPV_OK);
    add_many(tree, chain, 9);
    (void)add(tree, &liar, SPV_VERDICT_CHECKPOINT);
    (void)add(tree, &twig, SPV_VERDICT_ADDED); /* not passed yet */
    add_many(tree, chain + 9, 1);
    twig = mine(&twig, 3);
    (void)add(tree, &twig, SPV_VERDICT_CHECKPOINT);
    twig = mine(&chain[3], 4);
    (void)add(tree, &twig, SPV_VERDICT_CHECKPOINT);
    add_many(tree, chain + 10, 2);
    assert_false(set_aside(tree, &chain[9]).moved);
    assert_true(set_aside(tree, &chain[10]).moved);
    assert_true(recall(tree, &chain[11]));
    twig = mine(&chain[9], 5);
    (void)add(tree, &twig, SPV_VERDICT_ADDED); /* above it all is open */
    (void)add(tree, &chain[4], SPV_VERDICT_DUPLICATE);
    spv__tree_free(tree);
}

/* Loading ------------------------------------------------------------------ */

static void loading_gives_the_same_tree(void **state)
{
    mined genesis = genesis_of(regtest());
    mined a[30], b[31];
    spv_header_tree *tree = tree_of(0);
    mined damaged;

    (void)state;
    mine_many(a, &genesis, 30, 1);
    mine_many(b, &a[9], 21, 2);
    for (size_t i = 0; i < 30; i++)
        assert_int_equal(spv__tree_load(tree, a[i].bytes), SPV_VERDICT_ADDED);
    for (size_t i = 0; i < 21; i++)
        assert_int_equal(spv__tree_load(tree, b[i].bytes), SPV_VERDICT_ADDED);
    assert_tip(tree, &b[20]);
    damaged = mine(&b[20], 0);
    damaged.bytes[10] ^= 4;
    assert_int_not_equal(spv__tree_load(tree, damaged.bytes),
                         SPV_VERDICT_ADDED);
    assert_tip(tree, &b[20]);
    spv__tree_free(tree);
}

/* Reading ------------------------------------------------------------------ */

static void heights_are_found_by_time(void **state)
{
    enum { N = 300 };
    static mined chain[N];
    mined genesis = genesis_of(regtest());
    spv_header_tree *tree = tree_of(0);

    (void)state;
    mine_many(chain, &genesis, N, 0);
    add_many(tree, chain, N);
    assert_int_equal(spv__tree_height_at_time(tree, 0), 0);
    assert_int_equal(spv__tree_height_at_time(tree, UINT32_MAX), N);
    for (int32_t h = 20; h < N; h += 37) {
        uint32_t median = spv__tree_median_time(tree, h);

        assert_int_equal(median, genesis.time + (uint32_t)h - 5);
        assert_int_equal(spv__tree_height_at_time(tree, median), h);
    }
    spv__tree_free(tree);
}

static void a_header_takes_about_ninety_bytes(void **state)
{
    enum { N = 20000 };
    mined m = genesis_of(regtest());
    spv_header_tree *tree = tree_of(0);

    (void)state;
    for (int i = 0; i < N; i++) {
        m = mine(&m, 0);
        assert_int_equal(spv__tree_load(tree, m.bytes), SPV_VERDICT_ADDED);
    }
    assert_true(spv__tree_bytes(tree) / N < 100);
    spv__tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_at_genesis),
        cmocka_unit_test(a_chain_is_read_by_height_and_by_hash),
        cmocka_unit_test(S29_bad_headers_are_named_and_change_nothing),
        cmocka_unit_test(S29_wrong_bits_and_early_times_are_refused),
        cmocka_unit_test(ties_go_to_the_first_seen),
        cmocka_unit_test(a_heavier_branch_disconnects_tip_first),
        cmocka_unit_test(branches_win_and_win_back),
        cmocka_unit_test(branches_of_branches_stay_connected),
        cmocka_unit_test(work_wins_not_height),
        cmocka_unit_test(a_flood_of_branches_is_bounded),
        cmocka_unit_test(a_long_light_branch_ends_at_the_limit),
        cmocka_unit_test(a_deep_reorganisation_keeps_what_fits),
        cmocka_unit_test(nothing_is_kept_without_its_parent),
        cmocka_unit_test(random_trees_agree_with_the_model),
        cmocka_unit_test(what_is_set_aside_is_known_and_counts_again),
        cmocka_unit_test(most_work_wins_of_what_was_not_set_aside),
        cmocka_unit_test(starts_at_a_checkpoint_and_knows_nothing_older),
        cmocka_unit_test(a_base_without_proof_of_work_is_refused),
        cmocka_unit_test(checkpoints_hold),
        cmocka_unit_test(loading_gives_the_same_tree),
        cmocka_unit_test(heights_are_found_by_time),
        cmocka_unit_test(a_header_takes_about_ninety_bytes),
    };

    return cmocka_run_group_tests_name("chain.tree", tests, NULL, NULL);
}
