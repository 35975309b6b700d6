#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/local_filter.h>

#include "bloom/batch.h"
#include "bloom/bits.h"
#include "bloom/hashes.h"
#include "bloom/saved.h"

/** More functions would mean a rate of 2^-255. */
enum { FUNCS_MAX = 255 };

/* Plans ------------------------------------------------------------------- */

static bool is_blocked(const spv_local_plan *plan)
{
    return plan->hashing == SPV_LOCAL_BLOCKED;
}

/** SPV_INVAL for what makes no sense, SPV_LIMIT for what is too much. */
static spv_err plan_check(const spv_local_plan *plan)
{
    uint64_t bits = plan->shape.bits;
    uint32_t unit = is_blocked(plan) ? SPV__BLOCK_BITS : 8;

    if (plan->hashing > SPV_LOCAL_BLOCKED || bits == 0 || bits % unit != 0 ||
        plan->shape.hash_funcs == 0 || plan->shape.hash_funcs > FUNCS_MAX)
        return SPV_INVAL;
    if (plan->hashing == SPV_LOCAL_BIP37 &&
        (bits > UINT32_MAX || plan->seed > UINT32_MAX))
        return SPV_LIMIT;
    return bits / 8 > SIZE_MAX / 2 ? SPV_LIMIT : SPV_OK;
}

static uint64_t whole_blocks(uint64_t bits)
{
    return (bits + SPV__BLOCK_BITS - 1) / SPV__BLOCK_BITS * SPV__BLOCK_BITS;
}

/** Blocked, a filter of the usual size is wrong too often: make it larger, a
 * 256th at a time, until its rate is as promised. */
static spv_err widen(spv_filter_shape *shape, uint64_t n, double p)
{
    shape->bits = whole_blocks(shape->bits);
    while (spv_filter_blocked_rate(*shape, (double)n) > p) {
        if (shape->bits > UINT64_MAX / 2)
            return SPV_LIMIT;
        shape->bits += whole_blocks(shape->bits / 256 + 1);
    }
    return SPV_OK;
}

spv_err spv_local_plan_for(spv_local_plan *plan, uint64_t n, double p,
                           spv_local_hashing hashing, uint64_t seed)
{
    spv_local_plan made = {.hashing = hashing, .seed = seed};
    spv_err err = spv_filter_shape_for(&made.shape, n, p);

    if (!err && is_blocked(&made))
        err = widen(&made.shape, n, p);
    if (!err)
        err = plan_check(&made);
    if (!err)
        *plan = made;
    return err;
}

double spv_local_plan_rate(const spv_local_plan *plan, double n)
{
    return is_blocked(plan) ? spv_filter_blocked_rate(plan->shape, n)
                            : spv_filter_shape_rate(plan->shape, n);
}

double spv_local_plan_elements(const spv_local_plan *plan, uint64_t set)
{
    return is_blocked(plan) ? spv_filter_blocked_elements_from(plan->shape, set)
                            : spv_filter_elements_from(plan->shape, set);
}

double spv_local_plan_capacity(const spv_local_plan *plan, double p)
{
    return is_blocked(plan) ? spv_filter_blocked_capacity(plan->shape, p)
                            : spv_filter_shape_capacity(plan->shape, p);
}

/* Life -------------------------------------------------------------------- */

/** Zeroed bytes on a cache line's boundary: a block must not straddle two. */
static uint8_t *alloc_bytes(size_t len)
{
    size_t whole =
        (len + SPV__BLOCK_BYTES - 1) & ~(size_t)(SPV__BLOCK_BYTES - 1);
    uint8_t *bytes = aligned_alloc(SPV__BLOCK_BYTES, whole);

    if (bytes)
        memset(bytes, 0, whole);
    return bytes;
}

spv_err spv_local_filter_init(spv_local_filter *f, const spv_local_plan *plan)
{
    spv_err err = plan_check(plan);
    size_t len = err ? 0 : (size_t)(plan->shape.bits / 8);
    uint8_t *own = err ? NULL : alloc_bytes(len);

    *f = (spv_local_filter){0};
    if (err)
        return err;
    if (!own)
        return SPV_NOMEM;
    *f = (spv_local_filter){*plan, own, own, len};
    return SPV_OK;
}

void spv_local_filter_clear(spv_local_filter *f)
{
    free(f->own);
    *f = (spv_local_filter){0};
}

/* Elements ---------------------------------------------------------------- */

static spv__bip37 bip37_of(const spv_local_plan *plan)
{
    return spv__bip37_of((uint32_t)plan->shape.bits, plan->shape.hash_funcs,
                         (uint32_t)plan->seed);
}

static bool is_bip37(const spv_local_filter *f)
{
    return f->plan.hashing == SPV_LOCAL_BIP37;
}

void spv_local_filter_insert(spv_local_filter *f, const uint8_t *element,
                             size_t len)
{
    spv_local_filter_insert_batch(f, &(spv_element){element, len}, 1);
}

/** One element alone: a stranger's first missing bit is the last one read. */
static bool walk_contains(const spv_local_filter *f, const uint8_t *element,
                          size_t len)
{
    spv_walk w = spv__walk(&f->plan, element, len);

    for (uint32_t k = 0; k < f->plan.shape.hash_funcs; k++)
        if (!spv__bit_get(f->bytes, (size_t)spv__walk_next(&w)))
            return false;
    return true;
}

bool spv_local_filter_contains(const spv_local_filter *f,
                               const uint8_t *element, size_t len)
{
    bool found = false;

    if (f->len == 0)
        return false;
    if (!is_bip37(f))
        return walk_contains(f, element, len);
    (void)spv_local_filter_contains_batch(f, &found,
                                          &(spv_element){element, len}, 1);
    return found;
}

void spv_local_filter_insert_batch(spv_local_filter *f,
                                   const spv_element *elements, size_t n)
{
    spv__bip37 h;

    assert(f->own); /* a view, or no filter at all */
    if (!is_bip37(f)) {
        spv__batch_insert(f, elements, n);
        return;
    }
    h = bip37_of(&f->plan);
    for (size_t i = 0; i < n; i++)
        spv__bip37_insert(&h, f->own, elements[i].bytes, elements[i].len);
}

static void bip37_contains(const spv_local_filter *f, bool *found,
                           const spv_element *elements, size_t n)
{
    spv__bip37 h = bip37_of(&f->plan);

    for (size_t i = 0; i < n; i++)
        found[i] = spv__bip37_contains(&h, f->bytes, elements[i].bytes,
                                       elements[i].len);
}

size_t spv_local_filter_contains_batch(const spv_local_filter *f, bool *found,
                                       const spv_element *elements, size_t n)
{
    size_t hits = 0;

    if (f->len == 0)
        memset(found, 0, n * sizeof(*found));
    else if (is_bip37(f))
        bip37_contains(f, found, elements, n);
    else
        spv__batch_contains(f, found, elements, n);
    for (size_t i = 0; i < n; i++)
        hits += found[i];
    return hits;
}

/* Sets -------------------------------------------------------------------- */

bool spv_local_plan_equal(const spv_local_plan *a, const spv_local_plan *b)
{
    return a->shape.bits == b->shape.bits &&
           a->shape.hash_funcs == b->shape.hash_funcs &&
           a->hashing == b->hashing && a->seed == b->seed;
}

spv_err spv_local_filter_merge(spv_local_filter *into,
                               const spv_local_filter *from)
{
    if (!spv_local_plan_equal(&into->plan, &from->plan))
        return SPV_INVAL;
    assert(into->own || into->len == 0);
    spv__bits_merge(into->own, from->bytes, into->len);
    return SPV_OK;
}

uint64_t spv_local_filter_bits_set(const spv_local_filter *f)
{
    return spv__bits_count(f->bytes, f->len);
}

spv_err spv_local_filter_overlap(double *either, double *both,
                                 const spv_local_filter *a,
                                 const spv_local_filter *b)
{
    double each = 0;

    if (!spv_local_plan_equal(&a->plan, &b->plan))
        return SPV_INVAL;
    each = spv_local_plan_elements(&a->plan, spv_local_filter_bits_set(a)) +
           spv_local_plan_elements(&b->plan, spv_local_filter_bits_set(b));
    *either = spv_local_plan_elements(
        &a->plan, spv__bits_count_either(a->bytes, b->bytes, a->len));
    *both = isinf(each) ? each : fmax(each - *either, 0);
    return SPV_OK;
}

/* Saved ------------------------------------------------------------------- */

enum { PARAM_BITS, PARAM_FUNCS, PARAM_HASHING, PARAM_SEED };

void spv_local_filter_save(uint8_t header[SPV_SAVED_HEADER],
                           const spv_local_filter *f)
{
    const spv_saved saved = {
        .kind = SPV_SAVED_LOCAL,
        .params = {[PARAM_BITS] = f->plan.shape.bits,
                   [PARAM_FUNCS] = f->plan.shape.hash_funcs,
                   [PARAM_HASHING] = f->plan.hashing,
                   [PARAM_SEED] = f->plan.seed},
        .payload = f->bytes,
        .payload_len = f->len,
    };

    spv__saved_header(header, &saved);
}

/** The plan that a saved filter's parameters make, if they make one that its
 * payload fits. */
static spv_err plan_of(spv_local_plan *plan, const spv_saved *saved)
{
    if (saved->params[PARAM_FUNCS] > FUNCS_MAX ||
        saved->params[PARAM_HASHING] > SPV_LOCAL_BLOCKED)
        return SPV_MALFORMED;
    *plan = (spv_local_plan){
        .shape = {saved->params[PARAM_BITS],
                  (uint32_t)saved->params[PARAM_FUNCS]},
        .hashing = (spv_local_hashing)saved->params[PARAM_HASHING],
        .seed = saved->params[PARAM_SEED],
    };
    return plan_check(plan) || plan->shape.bits / 8 != saved->payload_len
               ? SPV_MALFORMED
               : SPV_OK;
}

spv_err spv_local_filter_view(spv_local_filter *f, const uint8_t *bytes,
                              size_t len)
{
    spv_saved saved;
    spv_local_plan plan;
    spv_err err = spv__saved_open(&saved, SPV_SAVED_LOCAL, bytes, len);

    *f = (spv_local_filter){0};
    if (!err)
        err = plan_of(&plan, &saved);
    if (!err)
        *f = (spv_local_filter){plan, saved.payload, NULL,
                                (size_t)saved.payload_len};
    return err;
}

spv_err spv_local_filter_load(spv_local_filter *f, const uint8_t *bytes,
                              size_t len)
{
    spv_local_filter view;
    spv_err err = spv_local_filter_view(&view, bytes, len);

    *f = (spv_local_filter){0};
    if (!err)
        err = spv_saved_filter_verify(bytes, len);
    if (!err)
        err = spv_local_filter_init(f, &view.plan);
    if (!err)
        memcpy(f->own, view.bytes, view.len);
    return err;
}
