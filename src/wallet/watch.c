#include "wallet/watch.h"

#include <stdlib.h>
#include <string.h>

#include "wallet/array.h"
#include "wallet/wallet.h"

void spv__watch_clear(spv_watch *s)
{
    for (uint32_t i = 0; i < s->n_branches; i++) {
        spv__descriptor_free(s->branch[i].descriptor);
        free(s->branch[i].script);
    }
    free(s->branch);
    free(s->script);
    spv__table_clear(&s->index);
    spv__buf_clear(&s->bytes);
    *s = (spv_watch){0};
}

spv_err spv__watch_add(spv_watch *s, spv_descriptor *d, size_t group)
{
    spv_err err = spv__array_room(&s->branch, &s->cap_branches, s->n_branches,
                                  sizeof(*s->branch));

    if (err != SPV_OK)
        return err;
    s->branch[s->n_branches++] =
        (spv_watch_branch){.descriptor = d,
                           .group = group,
                           .ranged = spv__descriptor_is_ranged(d)};
    return SPV_OK;
}

/* ---- Windows ---- */

static uint32_t plus(uint32_t a, uint32_t b)
{
    return b < SPV__INDEX_END - a ? a + b : SPV__INDEX_END;
}

static uint32_t window_of(const spv_watch *s, const spv_watch_branch *b)
{
    return b->ranged ? plus(b->used, s->gap) : 1;
}

uint32_t spv__watch_window(const spv_watch *s, uint32_t branch)
{
    return window_of(s, &s->branch[branch]);
}

/* Scripts of one branch cover each other downwards, so the last one inside the
 * window speaks for all of them. */
static void count_needed(spv_watch *s, const spv_watch_branch *b)
{
    uint32_t n = window_of(s, b);
    uint32_t reach = 0;

    if (n > b->derived)
        n = b->derived;
    if (n > 0)
        reach = s->script[b->script[n - 1]].reach;
    if (reach > s->needed)
        s->needed = reach;
}

spv_err spv__watch_set_gap(spv_watch *s, uint32_t gap, uint32_t lookahead)
{
    if (gap < 1 || gap > SPV__GAP_MAX || lookahead > SPV__INDEX_END)
        return SPV_INVAL;
    s->gap = gap;
    s->lookahead = lookahead;
    s->needed = 0;
    for (uint32_t i = 0; i < s->n_branches; i++)
        count_needed(s, &s->branch[i]);
    return SPV_OK;
}

/* ---- Scripts ---- */

const uint8_t *spv__watch_bytes(const spv_watch *s, uint32_t id)
{
    return s->bytes.bytes + s->script[id].offset;
}

static uint32_t find(const spv_watch *s, uint32_t hash, const uint8_t *script,
                     size_t len)
{
    spv_table_walk walk = spv__table_walk(&s->index, hash);
    uint32_t id = SPV__TABLE_NONE;

    while ((id = spv__table_next(&s->index, &walk)) != SPV__TABLE_NONE)
        if (s->script[id].len == len &&
            memcmp(spv__watch_bytes(s, id), script, len) == 0)
            return id;
    return SPV__TABLE_NONE;
}

uint32_t spv__watch_find(const spv_watch *s, const uint8_t *script, size_t len)
{
    if (len > SPV__DERIVED_SCRIPT_MAX)
        return SPV__TABLE_NONE;
    return find(s, spv__table_hash(script, len), script, len);
}

/* Make script `id` known by its bytes; a script without any (an index that has
 * no key) is known to nobody. */
static spv_err index_script(spv_watch *s, uint32_t id)
{
    spv_watch_script *new = &s->script[id];
    const uint8_t *bytes = NULL;
    uint32_t hash = 0;
    uint32_t first = SPV__TABLE_NONE;

    if (new->len == 0)
        return SPV_OK;
    bytes = spv__watch_bytes(s, id);
    hash = spv__table_hash(bytes, new->len);
    first = find(s, hash, bytes, new->len);
    if (first == SPV__TABLE_NONE)
        return spv__table_add(&s->index, hash, id);
    new->twin = s->script[first].twin;
    new->used = s->script[first].used;
    s->script[first].twin = id;
    return SPV_OK;
}

/* Move the window of `b` past a script of it that was paid. */
static bool note_paid(spv_watch_branch *b, const spv_watch_script *script)
{
    if (!script->used || script->index < b->used)
        return false;
    b->used = script->index + 1;
    b->is_changed = true;
    return b->ranged;
}

/* Append a script as the next of its branch, which it does not touch yet. */
static spv_err append_script(spv_watch *s, const spv_watch_script *script,
                             const uint8_t *bytes)
{
    spv_err err = spv__array_room(&s->script, &s->cap_scripts, s->n_scripts,
                                  sizeof(*s->script));

    if (err != SPV_OK)
        return err;
    if (s->bytes.len > UINT32_MAX - script->len)
        return SPV_LIMIT;
    s->script[s->n_scripts] = *script;
    s->script[s->n_scripts].offset = (uint32_t)s->bytes.len;
    s->script[s->n_scripts].twin = SPV__TABLE_NONE;
    spv__put_bytes(&s->bytes, bytes, script->len);
    return s->bytes.err;
}

static spv_err add_script(spv_watch *s, uint32_t branch, const uint8_t *bytes,
                          size_t len, uint32_t reach)
{
    spv_watch_branch *b = &s->branch[branch];
    uint32_t below =
        b->derived ? s->script[b->script[b->derived - 1]].reach : 0;
    spv_watch_script script = {.branch = branch,
                               .index = b->derived,
                               .len = (uint16_t)len,
                               .reach = reach > below ? reach : below};
    spv_err err =
        spv__array_room(&b->script, &b->cap, b->derived, sizeof(*b->script));

    if (err == SPV_OK)
        err = append_script(s, &script, bytes);
    if (err == SPV_OK)
        err = index_script(s, s->n_scripts);
    if (err != SPV_OK)
        return err;
    b->script[b->derived++] = s->n_scripts++;
    (void)note_paid(b, &s->script[s->n_scripts - 1]);
    return SPV_OK;
}

spv_err spv__watch_restore_branch(spv_watch *s, size_t branch, uint32_t used,
                                  uint32_t given)
{
    spv_watch_branch *b = NULL;
    uint32_t end = 0;

    if (branch >= s->n_branches)
        return SPV_DAMAGED;
    b = &s->branch[branch];
    end = b->ranged ? SPV__INDEX_END : 1;
    if (used > end || given > end)
        return SPV_DAMAGED;
    b->used = used;
    b->given = given;
    count_needed(s, b);
    return SPV_OK;
}

spv_err spv__watch_restore_script(spv_watch *s, size_t branch, uint32_t index,
                                  const uint8_t *script, size_t len,
                                  size_t reach)
{
    spv_err err = SPV_OK;

    if (branch >= s->n_branches || index != s->branch[branch].derived ||
        index >= (s->branch[branch].ranged ? SPV__INDEX_END : 1) ||
        len > SPV__DERIVED_SCRIPT_MAX || reach > UINT32_MAX)
        return SPV_DAMAGED;
    err = add_script(s, (uint32_t)branch, script, len, (uint32_t)reach);
    if (err == SPV_OK)
        count_needed(s, &s->branch[branch]);
    return err;
}

/* ---- Deriving ---- */

static spv_err learn_elements(spv_elements *log, const spv_derived *d,
                              uint32_t *reach)
{
    *reach = 0;
    for (size_t i = 0; i < d->n_elements; i++) {
        spv_element element = {.kind = SPV__ELEMENT_KEY,
                               .bytes = d->script + d->element[i].at,
                               .len = d->element[i].len};
        uint32_t at = 0;
        spv_err err = spv__elements_learn(log, &element, &at);

        if (err != SPV_OK)
            return err;
        if (at + 1 > *reach)
            *reach = at + 1;
    }
    return SPV_OK;
}

static spv_err derive_next(spv_watch *s, uint32_t branch, spv_elements *log)
{
    const spv_watch_branch *b = &s->branch[branch];
    spv_derived derived = {0};
    uint32_t reach = 0;
    spv_err err = spv__descriptor_derive(b->descriptor, b->derived, &derived);

    /* BIP 32: "the resulting key is invalid, and one should proceed with the
     * next value for i". Its place stays, empty. */
    if (err == SPV_CRYPTO && b->ranged) {
        derived.script_len = 0;
        derived.n_elements = 0;
        err = SPV_OK;
    }
    if (err == SPV_OK)
        err = learn_elements(log, &derived, &reach);
    if (err != SPV_OK)
        return err;
    return add_script(s, branch, derived.script, derived.script_len, reach);
}

static spv_err derive_to(spv_watch *s, uint32_t branch, uint32_t end,
                         spv_elements *log)
{
    while (s->branch[branch].derived < end) {
        spv_err err = derive_next(s, branch, log);

        if (err != SPV_OK)
            return err;
    }
    count_needed(s, &s->branch[branch]);
    return SPV_OK;
}

/* Whether a branch has come closer to the end of its scripts than half the
 * lookahead. */
static bool is_short(const spv_watch *s, uint32_t branch)
{
    uint32_t early = s->branch[branch].ranged ? s->lookahead / 2 : 0;

    return s->branch[branch].derived <
           plus(spv__watch_window(s, branch), early);
}

static bool is_any_short(const spv_watch *s)
{
    for (uint32_t i = 0; i < s->n_branches; i++)
        if (is_short(s, i))
            return true;
    return false;
}

/* Windows come first in the log, so that the needed prefix is short. */
static spv_err derive_round(spv_watch *s, spv_elements *log)
{
    spv_err err = SPV_OK;

    for (uint32_t i = 0; err == SPV_OK && i < s->n_branches; i++)
        err = derive_to(s, i, spv__watch_window(s, i), log);
    for (uint32_t i = 0; err == SPV_OK && i < s->n_branches; i++)
        if (is_short(s, i))
            err = derive_to(s, i, plus(spv__watch_window(s, i), s->lookahead),
                            log);
    return err;
}

spv_err spv__watch_derive(spv_watch *s, spv_elements *log)
{
    spv_err err = SPV_OK;

    /* A twin that was paid moves the window of the branch it joins. */
    while (err == SPV_OK && is_any_short(s))
        err = derive_round(s, log);
    return err;
}

/* ---- Paying and giving out ---- */

bool spv__watch_is_open(const spv_watch *s, uint32_t id)
{
    for (; id != SPV__TABLE_NONE; id = s->script[id].twin)
        if (s->script[id].index < spv__watch_window(s, s->script[id].branch))
            return true;
    return false;
}

bool spv__watch_pay(spv_watch *s, uint32_t id)
{
    bool moved = false;

    for (; id != SPV__TABLE_NONE; id = s->script[id].twin) {
        spv_watch_branch *b = &s->branch[s->script[id].branch];

        s->script[id].used = true;
        moved |= note_paid(b, &s->script[id]);
        count_needed(s, b);
    }
    return moved;
}

spv_err spv__watch_give(spv_watch *s, uint32_t branch, bool fresh,
                        uint32_t *index)
{
    spv_watch_branch *b = &s->branch[branch];
    uint32_t end = window_of(s, b);
    uint32_t i = fresh || b->given == 0 ? b->given : b->given - 1;

    if (i < b->used)
        i = b->used;
    while (i < b->derived && s->script[b->script[i]].len == 0)
        i++;
    if (i >= end || i >= b->derived)
        return SPV_LIMIT;
    if (b->given <= i) {
        b->given = i + 1;
        b->is_changed = true;
    }
    *index = i;
    return SPV_OK;
}
