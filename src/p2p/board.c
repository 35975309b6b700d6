#include "p2p/board.h"

#include <assert.h>
#include <stdlib.h>

spv_err spv__board_init(spv_board *b, int32_t base)
{
    *b = (spv_board){.base = base, .free_from = base + 1};
    b->cells = calloc(SPV__BOARD_CELLS, sizeof(*b->cells));
    return b->cells ? SPV_OK : SPV_NOMEM;
}

static void drop_answer(spv_board *b, spv_cell *cell)
{
    if (!cell->answer)
        return;
    b->held -= cell->answer->size;
    spv__answer_clear(cell->answer);
    free(cell->answer);
    cell->answer = NULL;
}

void spv__board_reset(spv_board *b, int32_t base)
{
    for (size_t i = 0; i < SPV__BOARD_CELLS; i++) {
        drop_answer(b, &b->cells[i]);
        b->cells[i] = (spv_cell){0};
    }
    b->base = base;
    b->free_from = base + 1;
}

void spv__board_clear(spv_board *b)
{
    if (b->cells)
        spv__board_reset(b, 0);
    free(b->cells);
    *b = (spv_board){0};
}

spv_cell *spv__board_at(const spv_board *b, int32_t height)
{
    if (height <= b->base || height - b->base > SPV__BOARD_CELLS)
        return NULL;
    return &b->cells[(uint32_t)height % SPV__BOARD_CELLS];
}

int32_t spv__board_next_free(spv_board *b, int32_t top)
{
    const spv_cell *cell = spv__board_at(b, b->free_from);

    while (cell && cell->state != SPV_CELL_FREE)
        cell = spv__board_at(b, ++b->free_from);
    return cell && b->free_from <= top ? b->free_from : 0;
}

void spv__board_ask(spv_board *b, int32_t height, uint32_t stream,
                    uint64_t sequence)
{
    spv_cell *cell = spv__board_at(b, height);

    assert(cell && cell->state == SPV_CELL_FREE);
    cell->state = SPV_CELL_ASKED;
    cell->stream = stream;
    cell->sequence = sequence;
}

static bool waits_for(const spv_cell *cell, const spv_answer *answer)
{
    return cell->state == SPV_CELL_ASKED &&
           cell->stream == answer->grant.stream &&
           cell->sequence == answer->grant.sequence;
}

bool spv__board_hold(spv_board *b, spv_answer *answer, bool welcome,
                     spv_err *err)
{
    spv_cell *cell = spv__board_at(b, answer->height);

    if (!cell || cell->state == SPV_CELL_HELD ||
        (!welcome && !waits_for(cell, answer)))
        return false;
    cell->answer = malloc(sizeof(*cell->answer));
    if (!cell->answer) {
        *err = SPV_NOMEM;
        return false;
    }
    *cell->answer = *answer;
    b->held += answer->size;
    *answer = (spv_answer){0};
    cell->state = SPV_CELL_HELD;
    return true;
}

void spv__board_release(spv_board *b, int32_t height)
{
    spv_cell *cell = spv__board_at(b, height);

    if (!cell || cell->state == SPV_CELL_FREE)
        return;
    drop_answer(b, cell);
    cell->state = SPV_CELL_FREE;
    cell->again = true;
    if (height < b->free_from)
        b->free_from = height;
}

void spv__board_release_stream(spv_board *b, uint32_t stream)
{
    for (int32_t h = b->base + 1; h <= b->base + SPV__BOARD_CELLS; h++) {
        const spv_cell *cell = spv__board_at(b, h);

        if (cell->state == SPV_CELL_ASKED && cell->stream == stream)
            spv__board_release(b, h);
    }
}

const spv_answer *spv__board_front(const spv_board *b)
{
    const spv_cell *cell = spv__board_at(b, b->base + 1);

    return cell->state == SPV_CELL_HELD ? cell->answer : NULL;
}

void spv__board_pop(spv_board *b)
{
    spv_cell *cell = spv__board_at(b, b->base + 1);

    drop_answer(b, cell);
    *cell = (spv_cell){0};
    b->base++;
    if (b->free_from <= b->base)
        b->free_from = b->base + 1;
}
