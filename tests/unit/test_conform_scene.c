#include "conform_world.h"

#include "conform/battery.h"

/* What is made of a mempool that a node shows, or does not. */

enum { POOL = 3 }; /* transactions that the node has from the start */

static void begin_pool(world *w, const spv_script_habits *habits)
{
    static const char *const only[] = {"mempool"};
    spv_conform_options o = world_options();

    o.only = only;
    o.n_only = 1;
    world_init(w, "honest");
    w->habits = habits ? habits : w->habits;
    for (size_t i = 0; i < POOL; i++)
        w->known[i] = true;
    world_begin(w, &o);
}

/* The watcher that asks for all of the mempool, or NULL. */
static const spv_watcher *find_asker(const world *w)
{
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++) {
        const spv_watcher *one = &w->battery->scene.watchers[i];

        if (one->used && one->role == SPV_ROLE_POOL)
            return one;
    }
    return NULL;
}

static void expect(const world *w, const char *id, spv_conform_result result)
{
    const spv_conform_check *check = world_check(w, id);

    if (check->result != result)
        fail_msg("%s is %s: %s", id, spv_conform_result_name(check->result),
                 check->detail);
}

/* ---- mempool.all ---- */

static void what_was_not_asked_for_is_no_answer(void **state)
{
    static const spv_script_habits silent = {.breaks =
                                                 SPV_BREAK_MEMPOOL_SILENT};
    const spv_inv item = {SPV_INV_TX, {{0x42}}};
    const spv_watcher *asker = NULL;
    spv_buf wire = SPV_BUF_EMPTY;
    size_t mark = 0;
    world w;

    (void)state;
    begin_pool(&w, &silent);
    while (!asker || !asker->said) {
        if (!world_step(&w))
            world_wait(&w);
        asker = find_asker(&w);
    }
    assert_false(asker->acted);
    mark = spv__frame_begin(&wire, "inv", spv_network_get(SPV_REGTEST));
    spv__put_inv(&wire, &item, 1);
    spv__frame_end(&wire, mark);
    WORLD_CALL(&w, received, asker->session.conn, wire.bytes, wire.len, w.now);
    world_run(&w);
    expect(&w, "mempool.all", SPV_CONFORM_SKIPPED);
    expect(&w, "mempool.getdata", SPV_CONFORM_SKIPPED);
    spv__buf_clear(&wire);
    world_clear(&w);
}

static void all_of_an_unknown_mempool_cannot_be_told(void **state)
{
    world w;

    (void)state;
    begin_pool(&w, NULL);
    world_run(&w);
    expect(&w, "mempool.all", SPV_CONFORM_SKIPPED);
    assert_non_null(strstr(world_check(&w, "mempool.all")->detail, "--rpc"));
    expect(&w, "mempool.getdata", SPV_CONFORM_PASS);
    expect(&w, "mempool.filtered", SPV_CONFORM_PASS);
    world_clear(&w);
}

/* With something to send, it is sent for the mempool's sake alone. */
static void what_was_sent_must_be_in_the_mempool(void **state)
{
    static const char *const only[] = {"mempool.all"};
    static const struct {
        spv_script_habits habits;
        spv_conform_result result;
    } table[] = {
        {{0}, SPV_CONFORM_PASS},
        {{.breaks = SPV_BREAK_MEMPOOL_SILENT}, SPV_CONFORM_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        spv_conform_options o = world_options();
        spv_conform_tx txs[WORLD_TXS];
        world w;

        world_init(&w, "honest");
        w.habits = &table[i].habits;
        o.only = only;
        o.n_only = 1;
        world_take_txs(&w, &o, txs);
        world_begin(&w, &o);
        world_run(&w);
        expect(&w, "mempool.all", table[i].result);
        world_clear(&w);
    }
}

/* ---- mempool.getdata ---- */

/* A digit: the transaction of that number; a letter: notfound for it, from A
 * on. */
static const char *given;

static void put_answer(const world *w, spv_buf *wire, char one)
{
    const spv_network *network = spv_network_get(SPV_REGTEST);
    bool gone = one >= 'A';
    size_t mark = spv__frame_begin(wire, gone ? "notfound" : "tx", network);
    size_t len = 0;
    const uint8_t *bytes = spv_material_tx_at(
        w->material, (size_t)(one - (gone ? 'A' : '0')), &len);
    spv_inv item = {.type = SPV_INV_TX};
    spv_tx tx;

    assert_int_equal(spv_tx_decode(&tx, bytes, len, NULL), SPV_OK);
    item.hash = tx.txid;
    spv_tx_clear(&tx);
    if (gone)
        spv__put_inv(wire, &item, 1);
    else
        spv__put_bytes(wire, bytes, len);
    spv__frame_end(wire, mark);
}

/* To the getdata of what the mempool holds. */
static bool answer_oddly(world *w, const spv_out *out)
{
    const spv_watcher *asker = find_asker(w);
    spv_buf wire = SPV_BUF_EMPTY;

    if (!asker || asker->session.conn != out->conn || asker->n_asked == 0)
        return false;
    w->answers = NULL;
    for (const char *one = given; *one; one++)
        put_answer(w, &wire, *one);
    if (wire.len > 0)
        WORLD_CALL(w, received, out->conn, wire.bytes, wire.len, w->now);
    spv__buf_clear(&wire);
    return true;
}

static void a_transaction_is_had_when_it_comes_itself(void **state)
{
    static const struct {
        const char *given;
        spv_conform_result result;
        const char *detail;
    } table[] = {
        {"012", SPV_CONFORM_PASS, ""},
        {"0120", SPV_CONFORM_PASS, ""},
        {"01C", SPV_CONFORM_PASS, ""},
        {"000", SPV_CONFORM_SKIPPED, "1 of 3 came"},
        {"2A", SPV_CONFORM_SKIPPED, "of 1 nothing"},
        {"", SPV_CONFORM_FAIL, "got none"},
        {"ABC", SPV_CONFORM_FAIL, "got none"},
        {"0123", SPV_CONFORM_FAIL, "not asked for"},
        {"333", SPV_CONFORM_FAIL, "not asked for"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        world w;

        begin_pool(&w, NULL);
        w.answers = answer_oddly;
        given = table[i].given;
        world_run(&w);
        assert_null(w.answers);
        expect(&w, "mempool.getdata", table[i].result);
        assert_non_null(strstr(world_check(&w, "mempool.getdata")->detail,
                               table[i].detail));
        world_clear(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_asked_for_is_no_answer),
        cmocka_unit_test(all_of_an_unknown_mempool_cannot_be_told),
        cmocka_unit_test(what_was_sent_must_be_in_the_mempool),
        cmocka_unit_test(a_transaction_is_had_when_it_comes_itself),
    };

    return cmocka_run_group_tests_name("conform.scene", tests, NULL, NULL);
}
