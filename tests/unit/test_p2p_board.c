#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "p2p/board.h"

static spv_board board_above(int32_t base)
{
    spv_board b;

    assert_int_equal(spv__board_init(&b, base), SPV_OK);
    return b;
}

static bool hold(spv_board *b, int32_t height, uint32_t stream,
                 uint64_t sequence)
{
    spv_answer answer = {.height = height,
                         .grant = {.stream = stream, .sequence = sequence}};
    spv_err err = SPV_OK;
    bool held = spv__board_hold(b, &answer, false, &err);

    assert_int_equal(err, SPV_OK);
    return held;
}

/* Guards a mended bug: over long lines two streams took over from each other,
 * and each one's answer was thrown away. */
static void a_late_answer_is_as_good_as_any(void **state)
{
    spv_board b = board_above(100);
    spv_answer late = {.height = 101, .grant = {.stream = 1, .sequence = 1}};
    spv_err err = SPV_OK;

    (void)state;
    spv__board_ask(&b, 101, 1, 1);
    spv__board_release(&b, 101);
    spv__board_ask(&b, 101, 2, 1);
    assert_false(spv__board_hold(&b, &late, false, &err));
    assert_true(spv__board_hold(&b, &late, true, &err));
    assert_false(hold(&b, 101, 2, 1)); /* it is there already */
    assert_non_null(spv__board_front(&b));
    spv__board_clear(&b);
}

static void heights_are_asked_for_from_the_lowest(void **state)
{
    spv_board b = board_above(100);

    (void)state;
    for (int32_t h = 101; h <= 105; h++) {
        assert_int_equal(spv__board_next_free(&b, 105), h);
        spv__board_ask(&b, h, 1, 1);
    }
    assert_int_equal(spv__board_next_free(&b, 105), 0);
    assert_int_equal(spv__board_next_free(&b, 106), 106);
    spv__board_release(&b, 103);
    spv__board_release(&b, 102);
    assert_int_equal(spv__board_next_free(&b, 106), 102);
    assert_true(spv__board_at(&b, 102)->again);
    spv__board_clear(&b);
}

static void it_has_so_many_cells_and_no_more(void **state)
{
    static const struct {
        int32_t height;
        bool on_it;
    } cases[] = {
        {-1, false},
        {0, false},
        {7, false},
        {8, true},
        {7 + SPV__BOARD_CELLS, true},
        {8 + SPV__BOARD_CELLS, false},
        {INT32_MAX, false},
    };
    spv_board b = board_above(7);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(spv__board_at(&b, cases[i].height) != NULL,
                         cases[i].on_it);
    for (int32_t h = 8; h <= 7 + SPV__BOARD_CELLS; h++)
        spv__board_ask(&b, h, 1, 1);
    assert_int_equal(spv__board_next_free(&b, INT32_MAX), 0);
    spv__board_clear(&b);
}

static void an_answer_is_held_only_for_the_very_request(void **state)
{
    static const struct {
        int32_t height;
        uint32_t stream;
        uint64_t sequence;
        bool held;
    } cases[] = {
        {0, 3, 5, false}, /* below the board */
        {2, 3, 5, false}, /* nobody asked for it */
        {1, 4, 5, false}, /* another stream was asked */
        {1, 3, 4, false}, /* under an earlier number */
        {1, 3, 5, true},  /* this is it */
        {1, 3, 5, false}, /* once is enough */
    };
    spv_board b = board_above(0);

    (void)state;
    spv__board_ask(&b, 1, 3, 5);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(
            hold(&b, cases[i].height, cases[i].stream, cases[i].sequence),
            cases[i].held);
    spv__board_clear(&b);
}

static void a_released_cell_takes_no_late_answer(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    spv__board_ask(&b, 1, 3, 5);
    spv__board_release(&b, 1);
    assert_false(hold(&b, 1, 3, 5));
    spv__board_ask(&b, 1, 3, 9);
    assert_false(hold(&b, 1, 3, 5));
    assert_true(hold(&b, 1, 3, 9));
    spv__board_clear(&b);
}

static void answers_leave_strictly_by_height(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    for (int32_t h = 1; h <= 3; h++)
        spv__board_ask(&b, h, 1, (uint64_t)h);
    for (int32_t h = 3; h >= 1; h--) {
        assert_null(spv__board_front(&b));
        assert_true(hold(&b, h, 1, (uint64_t)h));
    }
    for (int32_t h = 1; h <= 3; h++) {
        assert_int_equal(spv__board_front(&b)->height, h);
        spv__board_pop(&b);
        assert_int_equal(b.base, h);
    }
    assert_null(spv__board_front(&b));
    spv__board_clear(&b);
}

/* Guards a mended bug: the search began at a cell that had left the board, and
 * found nothing from then on. */
static void the_search_for_free_heights_moves_up_with_the_board(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    assert_int_equal(spv__board_next_free(&b, 10), 1);
    spv__board_ask(&b, 1, 1, 1);
    assert_true(hold(&b, 1, 1, 1));
    spv__board_pop(&b);
    assert_int_equal(spv__board_next_free(&b, 10), 2);
    spv__board_clear(&b);
}

static void cells_go_round_and_come_back_clean(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    for (int32_t h = 1; h <= 2 * SPV__BOARD_CELLS; h++) {
        const spv_cell *cell = spv__board_at(&b, h);

        assert_int_equal(cell->state, SPV_CELL_FREE);
        assert_false(cell->again);
        spv__board_ask(&b, h, 1, 1);
        spv__board_release(&b, h);
        spv__board_ask(&b, h, 1, 2);
        assert_true(hold(&b, h, 1, 2));
        spv__board_pop(&b);
    }
    spv__board_clear(&b);
}

static void a_lost_stream_gives_back_what_it_was_asked_for(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    for (int32_t h = 1; h <= 6; h++)
        spv__board_ask(&b, h, h % 2 ? 1 : 2, (uint64_t)h);
    assert_true(hold(&b, 3, 1, 3)); /* what it gave stays */
    spv__board_release_stream(&b, 1);
    for (int32_t h = 1; h <= 6; h++)
        assert_int_equal(spv__board_at(&b, h)->state, h == 3 ? SPV_CELL_HELD
                                                      : h % 2 == 0
                                                          ? SPV_CELL_ASKED
                                                          : SPV_CELL_FREE);
    assert_int_equal(spv__board_next_free(&b, 6), 1);
    spv__board_clear(&b);
}

static void beginning_anew_drops_everything(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    spv__board_ask(&b, 1, 1, 1);
    spv__board_ask(&b, 2, 1, 2);
    assert_true(hold(&b, 1, 1, 1));
    spv__board_reset(&b, 50);
    assert_null(spv__board_front(&b));
    assert_null(spv__board_at(&b, 2));
    assert_int_equal(spv__board_next_free(&b, 60), 51);
    spv__board_clear(&b);
    spv__board_clear(&b);
}

static void hold_bytes(spv_board *b, int32_t height, size_t size)
{
    spv_answer answer = {.height = height, .size = size};
    spv_err err = SPV_OK;

    spv__board_ask(b, height, 0, 0);
    assert_true(spv__board_hold(b, &answer, false, &err));
}

static void it_knows_how_much_it_holds(void **state)
{
    spv_board b = board_above(0);

    (void)state;
    for (int32_t h = 1; h <= 5; h++)
        hold_bytes(&b, h, (size_t)h * 100);
    assert_int_equal(b.held, 1500);
    spv__board_pop(&b);
    assert_int_equal(b.held, 1400);
    spv__board_release(&b, 5);
    assert_int_equal(b.held, 900);
    spv__board_reset(&b, 70);
    assert_int_equal(b.held, 0);
    spv__board_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_answer_is_as_good_as_any),
        cmocka_unit_test(heights_are_asked_for_from_the_lowest),
        cmocka_unit_test(it_has_so_many_cells_and_no_more),
        cmocka_unit_test(an_answer_is_held_only_for_the_very_request),
        cmocka_unit_test(a_released_cell_takes_no_late_answer),
        cmocka_unit_test(answers_leave_strictly_by_height),
        cmocka_unit_test(the_search_for_free_heights_moves_up_with_the_board),
        cmocka_unit_test(cells_go_round_and_come_back_clean),
        cmocka_unit_test(a_lost_stream_gives_back_what_it_was_asked_for),
        cmocka_unit_test(beginning_anew_drops_everything),
        cmocka_unit_test(it_knows_how_much_it_holds),
    };

    return cmocka_run_group_tests_name("p2p.board", tests, NULL, NULL);
}
