#include "conform_world.h"
#include "no_memory.h"

/* Memory that runs out at any moment of a battery's life ends it, and that is
 * all. */

enum { LAST = 400 }; /* allocations, of those that are needed */

static void battery_runs(bool does)
{
    no_memory.armed = does;
}

static spv_err run_with(size_t allocations)
{
    static const char *const only[] = {"match.txid",
                                       "update.none",
                                       "limit.filteradd-520-bytes",
                                       "limit.filterload-51-functions",
                                       "relay",
                                       "mempool"};
    spv_conform_options o = world_options();
    spv_conform_tx txs[WORLD_TXS];
    spv_err err = SPV_OK;
    world w;

    world_init(&w, "withhold_tx"); /* failures take memory too */
    world_take_txs(&w, &o, txs);
    o.only = only;
    o.n_only = sizeof(only) / sizeof(only[0]);
    w.battery_runs = battery_runs;
    no_memory.before = allocations;
    no_memory.armed = true;
    err = spv_conform_new(&w.battery, &o);
    no_memory.armed = false;
    if (err == SPV_OK) {
        world_run(&w);
        err = w.outcome;
    }
    world_clear(&w);
    return err;
}

static void fail_after(size_t allocations)
{
    spv_err err = run_with(allocations);

    if (err != SPV_NOMEM)
        fail_msg("%zu allocations: %s", allocations, spv_err_name(err));
}

/* The survey's allocations are many and alike, those of the checks behind it
 * are not: there every one fails once. */
static void a_battery_without_memory_says_so_and_ends(void **state)
{
    size_t needed = 0;
    size_t n = 0;

    (void)state;
    assert_int_equal(run_with(SIZE_MAX), SPV_OK);
    needed = SIZE_MAX - no_memory.before;
    assert_true(needed > LAST);
    for (; n < needed - LAST; n += 1 + n / 16)
        fail_after(n);
    for (n = needed - LAST; n < needed; n++)
        fail_after(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_battery_without_memory_says_so_and_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
