#include <stdio.h>

#include "client_world.h"
#include "wallet_world.h"

#include "client/client.h"

/*
 * What is announced and in no block, as a run takes it in.
 */
enum { ALONE = 250 };

typedef struct warnings {
    unsigned n;
    char last[300];
} warnings;

static void note_warning(void *ctx, const char *line)
{
    warnings *w = ctx;

    w->n++;
    (void)snprintf(w->last, sizeof(w->last), "%s", line);
}

/* The script of WORLD_RAW is paid `paid` times. */
static void announce(spv_client *c, uint32_t nonce, size_t paid)
{
    static const uint8_t script[22] = {0x00, 20, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                       1,    1,  1, 1, 1, 1, 1, 1, 1, 1, 1};
    spv_relayed relayed = {0};
    paper p = {.nonce = nonce};

    paper_spend(&p, stranger_coin(nonce));
    for (size_t i = 0; i < paid; i++)
        paper_pay(&p, 1, script, sizeof(script));
    relayed.tx = *paper_seal(&p);
    assert_int_equal(spv__client_take_relayed(c, &relayed), SPV_OK);
    paper_clear(&p);
}

static int64_t unconfirmed(const spv_client *c)
{
    spv_balance b;

    spv_client_balance(c, &b);
    return b.unconfirmed;
}

static void a_crowd_is_told_of_once_a_run(void **state)
{
    world_block genesis = world_genesis();
    world_node node = {.chain = &genesis};
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    warnings told = {0};

    (void)state;
    o.log = note_warning;
    o.log_ctx = &told;
    for (unsigned run = 1; run <= 2; run++) {
        assert_int_equal(spv_client_prepare(c, &o, NULL), SPV_OK);
        for (uint32_t i = 0; i < ALONE; i++)
            announce(c, i, 1);
        assert_int_equal(unconfirmed(c), ALONE);
        assert_int_equal(told.n, run - 1);
        announce(c, ALONE, 1);
        announce(c, ALONE + 1, 1);
        assert_int_equal(unconfirmed(c), ALONE);
        assert_int_equal(told.n, run);
        assert_non_null(strstr(told.last, "so many unconfirmed payments"));
    }
    spv_client_free(c);
    node_clear(&node);
    world_block_clear(&genesis);
}

static void what_no_node_relays_leaves_the_filter_alone(void **state)
{
    world_block genesis = world_genesis();
    world_node node = {.chain = &genesis};
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    size_t filtered = 0;

    (void)state;
    assert_int_equal(spv_client_prepare(c, &o, NULL), SPV_OK);
    filtered = c->filtered;
    announce(c, 1, 21);
    assert_int_equal(c->filtered, filtered);
    assert_int_equal(unconfirmed(c), 0);
    announce(c, 1, 20);
    assert_int_equal(c->filtered, filtered + 21);
    assert_int_equal(unconfirmed(c), 20);
    spv_client_free(c);
    node_clear(&node);
    world_block_clear(&genesis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_is_told_of_once_a_run),
        cmocka_unit_test(what_no_node_relays_leaves_the_filter_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
