#include "chain/row.h"

#include <assert.h>
#include <stdlib.h>

#include "chain/pow.h"

typedef struct spv_row_piece {
    spv_u256 before; /* work of everything before the piece */
    spv_node nodes[SPV__ROW_PIECE];
} piece;

void spv__row_clear(spv_row *row)
{
    for (size_t i = 0; i < row->n_pieces; i++)
        free(row->pieces[i]);
    free(row->pieces);
    *row = (spv_row){0};
}

static spv_err reserve_list(spv_row *row, size_t pieces)
{
    size_t cap = row->cap_pieces ? row->cap_pieces : 16;
    piece **list = NULL;

    while (cap < pieces)
        cap *= 2;
    if (cap == row->cap_pieces)
        return SPV_OK;
    list = realloc(row->pieces, cap * sizeof(*list));
    if (!list)
        return SPV_NOMEM;
    row->pieces = list;
    row->cap_pieces = cap;
    return SPV_OK;
}

spv_err spv__row_reserve(spv_row *row, size_t more)
{
    size_t pieces = (row->n + more + SPV__ROW_PIECE - 1) / SPV__ROW_PIECE;

    if (reserve_list(row, pieces))
        return SPV_NOMEM;
    while (row->n_pieces < pieces) {
        piece *p = malloc(sizeof(*p));

        if (!p)
            return SPV_NOMEM;
        row->pieces[row->n_pieces++] = p;
    }
    return SPV_OK;
}

spv_u256 spv__row_work_of(spv_row *row, uint32_t bits)
{
    if (row->last.bits != bits) {
        row->last.bits = bits;
        row->last.work = spv__bits_work(bits);
    }
    return row->last.work;
}

void spv__row_push(spv_row *row, const spv_node *node)
{
    piece *p = row->pieces[row->n / SPV__ROW_PIECE];
    size_t at = row->n % SPV__ROW_PIECE;

    if (at == 0)
        p->before = row->work;
    p->nodes[at] = *node;
    row->n++;
    row->work = spv__u256_add(row->work, spv__row_work_of(row, node->bits));
}

void spv__row_cut(spv_row *row, size_t n)
{
    assert(n > 0 && n <= row->n);
    row->work = spv__row_work(row, n - 1);
    row->n = n;
}

const spv_node *spv__row_get(const spv_row *row, size_t i)
{
    assert(i < row->n);
    return &row->pieces[i / SPV__ROW_PIECE]->nodes[i % SPV__ROW_PIECE];
}

spv_u256 spv__row_work(spv_row *row, size_t i)
{
    const piece *p = row->pieces[i / SPV__ROW_PIECE];
    spv_u256 work = p->before;

    if (i + 1 == row->n)
        return row->work;
    for (size_t at = 0; at <= i % SPV__ROW_PIECE; at++)
        work = spv__u256_add(work, spv__row_work_of(row, p->nodes[at].bits));
    return work;
}

size_t spv__row_bytes(const spv_row *row)
{
    return row->n_pieces * sizeof(piece) + row->cap_pieces * sizeof(piece *);
}
