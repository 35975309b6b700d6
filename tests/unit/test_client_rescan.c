#include "client_world.h"

#include <stdio.h>

#include "client/client.h"

enum { HEIGHT = 200 };

/* Each block pays WORLD_RAW once. */
static world_block chain[HEIGHT + 1];

static int mine_chain(void **state)
{
    (void)state;
    world_chain(chain, HEIGHT, 1);
    return 0;
}

static int bury_chain(void **state)
{
    (void)state;
    world_chain_clear(chain, HEIGHT);
    return 0;
}

static void sync_up_to(spv_client *c, world_node *node, int32_t until)
{
    spv_sync_options o = options_for(node);

    o.until = until;
    node->asked = 0;
    assert_int_equal(run_whole(c, node, &o), SPV_OK);
}

static spv_client *synced(world_node *node, int32_t birthday)
{
    spv_client *c = client_watching(WORLD_RAW, birthday);

    *node = (world_node){.chain = chain, .height = HEIGHT};
    sync_up_to(c, node, 0);
    return c;
}

static spv_wallet_info info_of(const spv_client *c)
{
    spv_wallet_info info;

    spv_client_info(c, &info);
    return info;
}

static int32_t rescan(spv_client *c, int32_t height, int64_t time)
{
    int32_t start = -2;

    assert_int_equal(spv_client_rescan(c, height, time, 0, &start), SPV_OK);
    return start;
}

static void until_it_begins_all_is_shown_as_before(void **state)
{
    world_node node;
    spv_client *c = synced(&node, -1);
    spv_wallet_info info;

    (void)state;
    assert_int_equal(info_of(c).rescan_height, -1);
    assert_int_equal(rescan(c, 5, -1), 5);
    info = info_of(c);
    assert_int_equal(info.rescan_height, 5);
    assert_int_equal(info.synced_height, HEIGHT);
    assert_int_equal(info.reached_height, HEIGHT);
    assert_true(spv_hash_equal(&info.synced_hash, &chain[HEIGHT].hash));
    sync_up_to(c, &node, 0);
    assert_int_equal(node.asked, HEIGHT - 4);
    assert_int_equal(info_of(c).rescan_height, -1);
    spv_client_free(c);
    node_clear(&node);
}

static void one_that_was_broken_off_counts_from_where_the_wallet_was(
    void **state)
{
    world_node node;
    spv_client *c = synced(&node, -1);
    spv_wallet_info info;

    (void)state;
    (void)rescan(c, 1, -1);
    sync_up_to(c, &node, 20);
    info = info_of(c);
    assert_int_equal(info.synced_height, 20);
    assert_int_equal(info.reached_height, HEIGHT);
    (void)rescan(c, 10, -1); /* and another on top of it */
    sync_up_to(c, &node, 15);
    info = info_of(c);
    assert_int_equal(info.synced_height, 15);
    assert_int_equal(info.reached_height, HEIGHT);
    sync_up_to(c, &node, 0);
    assert_int_equal(info_of(c).synced_height, HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

static void it_never_counts_from_beyond_the_headers(void **state)
{
    world_node node;
    spv_client *c = synced(&node, -1);

    (void)state;
    c->reached = HEIGHT + 7; /* of a chain that is gone */
    (void)rescan(c, 1, -1);
    sync_up_to(c, &node, 20);
    assert_int_equal(info_of(c).reached_height, HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

static void asked_twice_the_lower_start_stays(void **state)
{
    world_node node;
    spv_client *c = synced(&node, -1);

    (void)state;
    assert_int_equal(spv_client_rescan(c, 30, -1, 90, NULL), SPV_OK);
    assert_int_equal(rescan(c, 100, -1), 30);
    assert_int_equal(rescan(c, 12, -1), 12);
    assert_int_equal(rescan(c, -1, chain[100].time), 12);
    assert_int_equal(rescan(c, -1, INT64_C(4000000000)), 12);
    assert_int_equal(info_of(c).gap, 90);
    sync_up_to(c, &node, 0);
    assert_int_equal(node.asked, HEIGHT - 11);
    spv_client_free(c);
    node_clear(&node);
}

static void only_a_start_that_was_named_moves_the_birthday(void **state)
{
    static const struct {
        int32_t from;
        int32_t start;
        int32_t birthday;
    } cases[] = {{-1, 6, 150}, {-1, 6, 150}, {170, 6, 150}, {3, 3, 3}};
    world_node node;
    spv_client *c = synced(&node, 150);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(rescan(c, cases[i].from, -1), cases[i].start);
        assert_int_equal(info_of(c).birthday_height, cases[i].birthday);
    }
    sync_up_to(c, &node, 0);
    assert_int_equal(info_of(c).birthday_height, 3);
    assert_int_equal(node.asked, HEIGHT - 2);
    spv_client_free(c);
    node_clear(&node);
}

static void write_down(void *ctx, const char *line)
{
    (void)snprintf(ctx, 200, "%s", line);
}

static void a_start_beyond_the_chain_is_kept_until_it_begins(void **state)
{
    char told[200] = "";
    world_node node;
    spv_client *c = synced(&node, -1);
    spv_sync_options o = options_for(&node);

    (void)state;
    assert_int_equal(rescan(c, HEIGHT + 50, -1), HEIGHT + 50);
    assert_int_equal(info_of(c).rescan_height, HEIGHT + 50);
    o.log = write_down;
    o.log_ctx = told;
    node.asked = 0;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_non_null(strstr(told, "250"));
    assert_non_null(strstr(told, "200"));
    assert_int_equal(node.asked, 1);
    spv_client_free(c);
    node_clear(&node);
}

static void a_date_without_headers_stays_a_date(void **state)
{
    world_node node = {.chain = chain, .height = HEIGHT};
    spv_client *c = client_watching(WORLD_RAW, -1);
    int64_t time = chain[120].time;
    int32_t at = 0;

    (void)state;
    assert_int_equal(rescan(c, -1, time), SPV_NO_HEIGHT);
    assert_int_equal(info_of(c).rescan_height, -1);
    assert_int_equal(info_of(c).rescan_time, time);
    sync_up_to(c, &node, 0);
    at = spv__tree_height_at_time(c->tree, (uint32_t)time);
    assert_in_range(at, 100, 130);
    assert_int_equal(node.asked, HEIGHT); /* nothing was looked at before */
    assert_int_equal(info_of(c).rescan_time, -1);
    assert_int_equal(rescan(c, -1, time), at); /* now headers are known */
    sync_up_to(c, &node, 0);
    assert_int_equal(node.asked, HEIGHT - at + 1);
    spv_client_free(c);
    node_clear(&node);
}

/* Guards a mended bug: the blocks between were never looked at. */
static void a_start_above_the_position_leaves_nothing_out(void **state)
{
    world_node node = {.chain = chain, .height = HEIGHT};
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_balance b;

    (void)state;
    sync_up_to(c, &node, 100);
    (void)rescan(c, 150, -1);
    sync_up_to(c, &node, 0);
    spv_client_balance(c, &b);
    assert_int_equal(b.confirmed, 50000 * HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

static void before_the_first_sync_it_leaves_nothing_out_either(void **state)
{
    world_node node = {.chain = chain, .height = HEIGHT};
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_balance b;

    (void)state;
    (void)rescan(c, 150, -1);
    sync_up_to(c, &node, 0);
    spv_client_balance(c, &b);
    assert_int_equal(b.confirmed, 50000 * HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(until_it_begins_all_is_shown_as_before),
        cmocka_unit_test(
            one_that_was_broken_off_counts_from_where_the_wallet_was),
        cmocka_unit_test(it_never_counts_from_beyond_the_headers),
        cmocka_unit_test(asked_twice_the_lower_start_stays),
        cmocka_unit_test(only_a_start_that_was_named_moves_the_birthday),
        cmocka_unit_test(a_start_beyond_the_chain_is_kept_until_it_begins),
        cmocka_unit_test(a_date_without_headers_stays_a_date),
        cmocka_unit_test(a_start_above_the_position_leaves_nothing_out),
        cmocka_unit_test(before_the_first_sync_it_leaves_nothing_out_either),
    };

    return cmocka_run_group_tests_name("client.rescan", tests, mine_chain,
                                       bury_chain);
}
