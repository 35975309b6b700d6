#include "p2p_world.h"
#include "wallet_world.h"

#include "client/doubt.h"

enum { HEIGHT = 9, FORK = 6, SHORTER = 8 };

/* Two chains that part at FORK. */
static world_block chain_a[HEIGHT + 1];
static world_block chain_b[HEIGHT + 1];

static int mine_chains(void **state)
{
    (void)state;
    chain_a[0] = chain_b[0] = world_genesis();
    for (uint32_t h = 1; h <= HEIGHT; h++) {
        chain_a[h] = world_next(&chain_a[h - 1], h, 1);
        chain_b[h] = world_next(&chain_b[h - 1], h < FORK ? h : 50 + h, 1);
    }
    return 0;
}

static int bury_chains(void **state)
{
    (void)state;
    world_chain_clear(chain_a, HEIGHT);
    world_chain_clear(chain_b, HEIGHT);
    return 0;
}

/* A wallet that was paid once in each block of the first chain. */
static spv_wallet *paid_wallet(void)
{
    spv_wallet *w = world_open(20, 5);

    for (int32_t h = 1; h <= HEIGHT; h++) {
        spv_block_ref block = {.height = h, .hash = chain_a[h].hash};
        paper p = {0};

        paper_spend(&p, stranger_coin((uint32_t)h));
        paper_pay_to(&p, w, 0, 0, 1);
        assert_int_equal(
            spv__wallet_apply(w, &block, paper_seal(&p), NULL, 1, NULL),
            SPV_OK);
        paper_clear(&p);
    }
    return w;
}

static spv_header_tree *tree_of(const world_block *chain, int32_t height)
{
    spv_tree_config config = {.network = world_network()};
    spv_header_tree *tree = NULL;
    spv_tree_change change;

    assert_int_equal(spv__tree_new(&tree, &config), SPV_OK);
    for (int32_t h = 1; h <= height; h++)
        assert_int_equal(
            spv__tree_add(tree, chain[h].header, chain[HEIGHT].time, &change),
            SPV_VERDICT_ADDED);
    return tree;
}

static int64_t confirmed(const spv_wallet *w)
{
    return world_balance(w, HEIGHT).confirmed;
}

static void what_the_position_cannot_reach_is_looked_up_at_once(void **state)
{
    static const struct {
        int32_t position;
        int64_t left; /* payments */
    } cases[] = {
        {0, HEIGHT},
        {FORK - 1, HEIGHT},
        {FORK, HEIGHT - 1},
        {HEIGHT, FORK - 1},
    };
    spv_header_tree *tree = tree_of(chain_b, HEIGHT);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_wallet *w = paid_wallet();
        spv_doubts d = {0};

        assert_int_equal(spv__doubts_begin(&d, w, tree, cases[i].position),
                         SPV_OK);
        assert_int_equal(confirmed(w), cases[i].left);
        spv__doubts_clear(&d);
        spv__wallet_free(w);
    }
    spv__tree_free(tree);
}

static void a_block_that_is_met_settles_the_doubt(void **state)
{
    spv_header_tree *tree = tree_of(chain_b, HEIGHT);
    spv_wallet *w = paid_wallet();
    spv_doubts d = {0};

    (void)state;
    assert_int_equal(spv__doubts_begin(&d, w, tree, 0), SPV_OK);
    for (int32_t h = 1; h <= HEIGHT; h++) {
        assert_int_equal(spv__doubts_meet(&d, w, h, &chain_b[h].hash), SPV_OK);
        assert_int_equal(confirmed(w),
                         h < FORK ? HEIGHT : HEIGHT + FORK - 1 - h);
    }
    spv__doubts_clear(&d);
    spv__wallet_free(w);
    spv__tree_free(tree);
}

static void blocks_above_the_tip_have_left_the_chain(void **state)
{
    spv_header_tree *tree = tree_of(chain_a, SHORTER);
    spv_wallet *w = paid_wallet();
    spv_doubts d = {0};

    (void)state;
    assert_int_equal(spv__doubts_begin(&d, w, tree, 3), SPV_OK);
    assert_int_equal(confirmed(w), HEIGHT);
    assert_int_equal(spv__doubts_look_up(&d, w, tree, INT32_MAX), SPV_OK);
    assert_int_equal(confirmed(w), SHORTER);
    spv__doubts_clear(&d);
    spv__doubts_clear(&d);
    spv__wallet_free(w);
    spv__tree_free(tree);
}

/* It may turn out to be ours when the block has long been gone. */
static void what_is_not_ours_yet_is_doubted_too(void **state)
{
    spv_block_ref stale = {.height = FORK, .hash = chain_a[FORK].hash};
    spv_header_tree *tree = tree_of(chain_b, HEIGHT);
    spv_wallet *w = world_open(20, 100);
    spv_doubts d = {0};
    paper early = {0};
    paper later = {0};

    (void)state;
    paper_spend(&early, stranger_coin(1));
    paper_pay_to(&early, w, 0, 25, 1);
    assert_int_equal(
        spv__wallet_apply(w, &stale, paper_seal(&early), NULL, 1, NULL),
        SPV_OK);
    assert_int_equal(spv__doubts_begin(&d, w, tree, HEIGHT), SPV_OK);
    paper_spend(&later, stranger_coin(2));
    paper_pay_to(&later, w, 0, 10, 10);
    world_apply(w, HEIGHT, paper_seal(&later));
    assert_int_equal(confirmed(w), 10);
    assert_int_equal(world_balance(w, HEIGHT).unconfirmed, 1);
    spv__doubts_clear(&d);
    paper_clear(&early);
    paper_clear(&later);
    spv__wallet_free(w);
    spv__tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_position_cannot_reach_is_looked_up_at_once),
        cmocka_unit_test(a_block_that_is_met_settles_the_doubt),
        cmocka_unit_test(blocks_above_the_tip_have_left_the_chain),
        cmocka_unit_test(what_is_not_ours_yet_is_doubted_too),
    };

    return cmocka_run_group_tests_name("client.doubt", tests, mine_chains,
                                       bury_chains);
}
