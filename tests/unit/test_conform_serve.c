#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <spv/block.h>
#include <spv/serve.h>

#include "conform/script_node.h"
#include "conform/serve_history.h"
#include "no_memory.h"

/*
 * The chain that scripted nodes serve, against a book that another reader keeps
 * of it; and the machine where no socket is needed to see it. What it makes of
 * clients is for tests/cli/test_conform_serve*.py.
 */
enum { SCRIPTS = 7, CHANGE = 2, COINS_MAX = 1000, PORT = 4711 };

static uint8_t scripts[SCRIPTS][22];
static spv_serve_script named[SCRIPTS];

static spv_serve_options options(uint64_t seed)
{
    static const char *const scenarios[] = {"honest", "omit_tx"};

    for (size_t i = 0; i < SCRIPTS; i++) {
        memset(scripts[i], (int)(0x30 + i), sizeof(scripts[i]));
        scripts[i][0] = 0;
        scripts[i][1] = 20; /* P2WPKH */
        named[i] = (spv_serve_script){scripts[i], sizeof(scripts[i])};
    }
    return (spv_serve_options){.scenarios = scenarios,
                               .n_scenarios = 2,
                               .scripts = named,
                               .n_scripts = SCRIPTS - CHANGE,
                               .change = named + SCRIPTS - CHANGE,
                               .n_change = CHANGE,
                               .seed = seed};
}

/* ---- The book of another reader ---- */

typedef struct book {
    spv_serve_coin coins[COINS_MAX];
    size_t n;
    size_t n_txs;
    size_t without_change; /* spends that pay nobody of ours */
    size_t in_a_block;     /* spends of what was paid in the same block */
} book;

static bool is_ours(const spv_txout *out)
{
    for (size_t i = 0; i < SCRIPTS; i++)
        if (out->script_len == sizeof(scripts[i]) &&
            memcmp(out->script, scripts[i], out->script_len) == 0)
            return true;
    return false;
}

static bool spend(book *b, const spv_outpoint *at, int32_t height)
{
    for (size_t i = 0; i < b->n; i++)
        if (spv_outpoint_equal(&b->coins[i].at, at)) {
            b->in_a_block += b->coins[i].height == height;
            b->coins[i] = b->coins[--b->n];
            return true;
        }
    return false;
}

static void read_tx(book *b, const spv_tx *tx, int32_t height)
{
    bool spends = false;
    bool pays = false;

    for (size_t i = 0; i < tx->n_in; i++)
        spends |= spend(b, &tx->in[i].prev, height);
    for (size_t i = 0; i < tx->n_out; i++)
        if (is_ours(&tx->out[i])) {
            assert_true(b->n < COINS_MAX);
            pays = true;
            b->coins[b->n++] = (spv_serve_coin){.at = {tx->txid, (uint32_t)i},
                                                .value = tx->out[i].value,
                                                .height = height};
        }
    b->n_txs += spends || pays;
    b->without_change += spends && !pays;
}

/** Whether anything in the block is ours. */
static bool read_block(book *b, const spv_script_block *block)
{
    spv_block_reader reader;
    size_t before = b->n_txs;

    assert_int_equal(spv_block_open(&reader, block->bytes, block->len), SPV_OK);
    for (uint64_t i = 0; i < reader.n_tx; i++) {
        spv_tx tx;

        assert_int_equal(spv_block_next(&reader, &tx), SPV_OK);
        read_tx(b, &tx, block->height);
        spv_tx_clear(&tx);
    }
    return b->n_txs > before;
}

static const spv_serve_coin *find(const spv_serve_history *h,
                                  const spv_outpoint *at)
{
    for (size_t i = 0; i < h->n_coins; i++)
        if (spv_outpoint_equal(&h->coins[i].at, at))
            return &h->coins[i];
    return NULL;
}

static void the_truth_is_what_another_reader_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const spv_serve_options o = options(seed);
        spv_serve_history h;
        book b = {.n = 0};

        assert_int_equal(spv__serve_history_init(&h, &o), SPV_OK);
        for (int32_t i = 1; i <= spv__script_chain_tip(h.chain); i++)
            assert_int_equal(read_block(&b, spv__script_chain_at(h.chain, i)),
                             h.concerns[i]);
        assert_int_equal(b.n_txs, h.n_txs);
        assert_int_equal(b.n, h.n_coins);
        for (size_t i = 0; i < b.n; i++) {
            const spv_serve_coin *coin = find(&h, &b.coins[i].at);

            assert_non_null(coin);
            assert_int_equal(coin->value, b.coins[i].value);
            assert_int_equal(coin->height, b.coins[i].height);
        }
        assert_true(b.without_change >= 5 && b.in_a_block >= 5);
        spv__serve_history_clear(&h);
    }
}

/** Blocks of one, of odd, of even and of very many transactions. */
static void blocks_are_of_many_sizes(void **state)
{
    const spv_serve_options o = options(1);
    spv_serve_history h;
    size_t one = 0;
    size_t odd = 0;
    size_t even = 0;
    size_t most = 0;

    (void)state;
    assert_int_equal(spv__serve_history_init(&h, &o), SPV_OK);
    for (int32_t i = 1; i <= spv__script_chain_tip(h.chain); i++) {
        const spv_script_block *block = spv__script_chain_at(h.chain, i);
        spv_block_reader reader;

        assert_int_equal(spv_block_open(&reader, block->bytes, block->len),
                         SPV_OK);
        one += reader.n_tx == 1;
        odd += reader.n_tx > 1 && reader.n_tx % 2 == 1;
        even += reader.n_tx % 2 == 0;
        most = reader.n_tx > most ? reader.n_tx : most;
    }
    assert_true(one >= 20 && odd >= 20 && even >= 20 && most > 256);
    spv__serve_history_clear(&h);
}

/* ---- The tables ---- */

static void every_habit_is_a_scenario_and_every_scenario_a_habit(void **state)
{
    const char *const *names = spv__script_habits_names();
    size_t n = 0;

    (void)state;
    for (; spv_serve_scenario_at(n); n++)
        assert_non_null(
            spv__script_habits_find(spv_serve_scenario_at(n)->name));
    for (size_t i = 0; names[i]; i++) {
        const char *covered =
            strcmp(names[i], "four_headers") == 0 ||
                    strcmp(names[i], "headers_beyond") == 0
                ? "honest" /* the chain is too short to see these */
                : names[i];
        bool found = false;

        for (size_t k = 0; k < n; k++)
            found |= strcmp(spv_serve_scenario_at(k)->name, covered) == 0;
        assert_true(found);
    }
    assert_string_equal(spv_serve_scenario_at(0)->name, "honest");
}

static void what_cannot_be_served_is_refused(void **state)
{
    static const char *const unknown[] = {"honest", "kind"};
    spv_serve_options o = options(1);
    spv_serve *serve = NULL;

    (void)state;
    o.scenarios = unknown;
    assert_int_equal(spv_serve_new(&serve, &o), SPV_NOT_FOUND);
    assert_null(serve);
    o.n_scenarios = 0;
    assert_int_equal(spv_serve_new(&serve, &o), SPV_INVAL);
    o = options(1);
    o.n_scripts = 0;
    assert_int_equal(spv_serve_new(&serve, &o), SPV_INVAL);
}

/* ---- The machine ---- */

static spv_err outcome(spv_serve *serve, spv_time now)
{
    const spv_machine *m = spv_serve_machine();
    spv_out out;

    m->elapsed(serve, now);
    if (!m->next(serve, &out))
        return SPV_BUSY;
    assert_int_equal(out.kind, SPV_OUT_DONE);
    return out.why;
}

static void its_time_is_over_though_nobody_came(void **state)
{
    const spv_machine *m = spv_serve_machine();
    spv_serve_options o = options(1);
    spv_serve_report r;
    spv_serve *serve;

    (void)state;
    o.timeout = 1000;
    assert_int_equal(spv_serve_new(&serve, &o), SPV_OK);
    assert_true(m->deadline(serve) <= 0); /* as soon as can be */
    assert_int_equal(outcome(serve, 5000), SPV_BUSY);
    assert_int_equal(m->deadline(serve), 6000);
    assert_int_equal(outcome(serve, 5999), SPV_BUSY);
    assert_int_equal(outcome(serve, 6000), SPV_TIMEOUT);
    spv_serve_report_of(serve, 0, &r);
    assert_int_equal(r.verdict, SPV_SERVE_SKIPPED);
    spv_serve_free(serve);
}

static void it_ends_when_the_last_client_has_left(void **state)
{
    const spv_machine *m = spv_serve_machine();
    const spv_serve_options o = options(1);
    spv_serve_report r;
    spv_serve *serve;
    spv_conn first;
    spv_conn second;

    (void)state;
    assert_int_equal(spv_serve_new(&serve, &o), SPV_OK);
    assert_true(m->deadline(serve) == SPV_NEVER);
    spv_serve_at(serve, 1, PORT);
    assert_int_equal(m->accepted(serve, PORT + 1, 0), 0);
    first = m->accepted(serve, PORT, 0);
    second = m->accepted(serve, PORT, 10);
    assert_true(first != 0 && second != 0 && first != second);
    m->closed(serve, first, SPV_CLOSED, 20);
    assert_int_equal(outcome(serve, 10000), SPV_BUSY);
    m->closed(serve, second, SPV_CLOSED, 10000);
    assert_int_equal(outcome(serve, m->deadline(serve) - 1), SPV_BUSY);
    assert_int_equal(outcome(serve, m->deadline(serve)), SPV_OK);
    spv_serve_report_of(serve, 1, &r);
    assert_int_equal(r.connections, 2);
    assert_int_equal(r.port, PORT);
    spv_serve_free(serve);
}

/* ---- No memory ---- */

/** Wherever it runs out: all that was taken is given back (the sanitizer
 * looks). */
static void no_memory_is_told(void **state)
{
    const spv_serve_options o = options(1);

    (void)state;
    for (size_t n = 0; n < 4000; n += n < 40 ? 1 : 131) {
        spv_serve *serve = NULL;

        no_memory.before = n;
        no_memory.armed = true;
        assert_int_equal(spv_serve_new(&serve, &o), SPV_NOMEM);
        no_memory.armed = false;
        assert_null(serve);
    }
}

/** A guest for whom there is none is turned away, and that is the end. */
static void no_memory_for_a_guest_is_the_end(void **state)
{
    const spv_machine *m = spv_serve_machine();
    const spv_serve_options o = options(1);

    (void)state;
    for (size_t n = 0; n < 4; n++) {
        spv_serve *serve;

        assert_int_equal(spv_serve_new(&serve, &o), SPV_OK);
        spv_serve_at(serve, 0, PORT);
        no_memory.before = n;
        no_memory.armed = true;
        assert_int_equal(m->accepted(serve, PORT, 0), 0);
        no_memory.armed = false;
        assert_int_equal(outcome(serve, 1), SPV_NOMEM);
        spv_serve_free(serve);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_is_what_another_reader_finds),
        cmocka_unit_test(blocks_are_of_many_sizes),
        cmocka_unit_test(every_habit_is_a_scenario_and_every_scenario_a_habit),
        cmocka_unit_test(what_cannot_be_served_is_refused),
        cmocka_unit_test(its_time_is_over_though_nobody_came),
        cmocka_unit_test(it_ends_when_the_last_client_has_left),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(no_memory_for_a_guest_is_the_end),
    };

    return cmocka_run_group_tests_name("conform.serve", tests, NULL, NULL);
}
