#include "p2p/debts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void drop_answer(spv_debt *debt)
{
    if (!debt->answer)
        return;
    spv__answer_clear(debt->answer);
    free(debt->answer);
    debt->answer = NULL;
}

void spv__debts_clear(spv_debts *d)
{
    spv__debts_cut(d, -1);
    free(d->item);
    *d = (spv_debts){0};
}

spv_err spv__debts_add(spv_debts *d, int32_t height, const spv_grant *grant)
{
    assert(d->n == 0 || d->item[d->n - 1].height < height);
    if (d->n == d->cap) {
        size_t cap = d->cap ? 2 * d->cap : 64;
        spv_debt *item = realloc(d->item, cap * sizeof(*item));

        if (!item)
            return SPV_NOMEM;
        d->item = item;
        d->cap = cap;
    }
    d->item[d->n++] = (spv_debt){.height = height, .grant = *grant};
    return SPV_OK;
}

void spv__debts_cut(spv_debts *d, int32_t height)
{
    while (d->n && d->item[d->n - 1].height > height)
        drop_answer(&d->item[--d->n]);
}

void spv__debts_void(spv_debts *d, const spv_coverage *coverage)
{
    size_t kept = 0;

    for (size_t i = 0; i < d->n; i++) {
        spv_debt *debt = &d->item[i];

        if (debt->state == SPV_DEBT_OPEN &&
            !spv__coverage_owes(coverage, &debt->grant, debt->height))
            continue;
        d->item[kept++] = *debt;
    }
    d->n = kept;
}

void spv__debts_remove(spv_debts *d, size_t i)
{
    drop_answer(&d->item[i]);
    d->n--;
    memmove(&d->item[i], &d->item[i + 1], (d->n - i) * sizeof(*d->item));
}

bool spv__debts_are_under_way(const spv_debts *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->item[i].state != SPV_DEBT_OPEN)
            return true;
    return false;
}

int32_t spv__debts_lowest(const spv_debts *d)
{
    return d->n ? d->item[0].height : INT32_MAX;
}

void spv__debts_release(spv_debts *d, uint32_t stream)
{
    for (size_t i = 0; i < d->n; i++) {
        spv_debt *debt = &d->item[i];

        if (debt->state == SPV_DEBT_ASKED && debt->stream == stream)
            debt->state = SPV_DEBT_OPEN;
    }
}

static bool waits_for(const spv_debt *debt, const spv_answer *answer,
                      const spv_coverage *coverage)
{
    if (debt->height != answer->height || debt->state == SPV_DEBT_HELD)
        return false;
    return (debt->state == SPV_DEBT_ASKED &&
            debt->stream == answer->grant.stream &&
            debt->sequence == answer->grant.sequence) ||
           spv__coverage_judge(coverage, &answer->grant) == SPV_COVERED;
}

bool spv__debts_hold(spv_debts *d, spv_answer *answer,
                     const spv_coverage *coverage, spv_err *err)
{
    for (size_t i = 0; i < d->n; i++) {
        spv_debt *debt = &d->item[i];

        if (!waits_for(debt, answer, coverage))
            continue;
        debt->answer = malloc(sizeof(*debt->answer));
        if (!debt->answer) {
            *err = SPV_NOMEM;
            return false;
        }
        *debt->answer = *answer;
        *answer = (spv_answer){0};
        debt->state = SPV_DEBT_HELD;
        return true;
    }
    return false;
}

size_t spv__debts_held(const spv_debts *d)
{
    size_t i = 0;

    while (i < d->n && d->item[i].state != SPV_DEBT_HELD)
        i++;
    return i;
}
