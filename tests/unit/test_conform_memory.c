#include "conform_world.h"
#include "no_memory.h"

/* Memory that runs out at any moment of a battery's life ends it, and that is
 * all. */

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

    world_init(&w, "honest");
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

static void a_battery_without_memory_says_so_and_ends(void **state)
{
    spv_err err = SPV_NOMEM;
    size_t failures = 0;

    (void)state;
    for (size_t n = 0; err != SPV_OK; n += 1 + n / 16) {
        err = run_with(n);
        if (err != SPV_OK)
            if (err != SPV_NOMEM)
                fail_msg("%zu: %s", n, spv_err_name(err));
        failures += err == SPV_NOMEM;
    }
    assert_true(failures > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_battery_without_memory_says_so_and_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
