#include <spv/counting_filter.h>

#include <stdlib.h>
#include <string.h>

#include <spv/filter_maths.h>

#include "bloom/filter.h"
#include "bloom/murmur3.h"
#include "bloom/saved.h"

enum { STUCK = 15 };

/* Counters ---------------------------------------------------------------- */

/** The counter that function `i` names: BIP 37's bit of the plain filter. */
static size_t place_of(const spv_counting_filter *f, uint32_t i,
                       const uint8_t *element, size_t len)
{
    uint32_t seed = spv__filter_seed(i, f->tweak);

    return spv__murmur3(seed, element, len) % (uint32_t)(f->len * 8);
}

static unsigned count_at(const spv_counting_filter *f, size_t at)
{
    return f->cells[at >> 1] >> (at & 1) * 4 & 15;
}

static void give(spv_counting_filter *f, size_t at)
{
    if (count_at(f, at) < STUCK)
        f->cells[at >> 1] = (uint8_t)(f->cells[at >> 1] + (1u << (at & 1) * 4));
}

/** Undoes one `give`; false when there is none to undo. */
static bool take(spv_counting_filter *f, size_t at)
{
    unsigned count = count_at(f, at);

    if (count > 0 && count < STUCK)
        f->cells[at >> 1] = (uint8_t)(f->cells[at >> 1] - (1u << (at & 1) * 4));
    return count > 0;
}

/** The low bit of each half of a byte whose half is above zero. */
static unsigned nonzero_halves(uint8_t cell)
{
    unsigned pairs = cell | (unsigned)cell >> 1;

    return (pairs | pairs >> 2) & 0x11;
}

/* Life -------------------------------------------------------------------- */

spv_err spv_counting_filter_init(spv_counting_filter *f, size_t bytes,
                                 uint32_t hash_funcs, uint32_t tweak,
                                 uint8_t flags)
{
    *f = (spv_counting_filter){0};
    if (bytes == 0 || hash_funcs == 0)
        return SPV_INVAL;
    if (bytes > SPV_COUNTING_FILTER_BYTES_MAX ||
        hash_funcs > SPV_FILTER_FUNCS_MAX)
        return SPV_LIMIT;
    if (!(f->cells = calloc(bytes, 4)))
        return SPV_NOMEM;
    f->len = bytes;
    f->hash_funcs = hash_funcs;
    f->tweak = tweak;
    f->flags = flags;
    return SPV_OK;
}

void spv_counting_filter_clear(spv_counting_filter *f)
{
    free(f->cells);
    *f = (spv_counting_filter){0};
}

/* Elements ---------------------------------------------------------------- */

/*
 * Two functions may name one counter for the same element; it is then counted
 * twice, and taken back twice. Counting it once would need the other indices
 * at hand, and would change nothing in the projection.
 */
void spv_counting_filter_insert(spv_counting_filter *f, const uint8_t *element,
                                size_t len)
{
    if (f->len == 0)
        return;
    for (uint32_t i = 0; i < f->hash_funcs; i++)
        give(f, place_of(f, i, element, len));
    f->elements++;
}

/* An element that was inserted left one count a function. When one is missing
 * it never was, and what has been taken so far is given back. */
spv_err spv_counting_filter_remove(spv_counting_filter *f,
                                   const uint8_t *element, size_t len)
{
    if (f->elements == 0) /* stuck counters alone would not tell */
        return SPV_NOT_FOUND;
    for (uint32_t i = 0; i < f->hash_funcs; i++) {
        if (take(f, place_of(f, i, element, len)))
            continue;
        while (i-- > 0)
            give(f, place_of(f, i, element, len));
        return SPV_NOT_FOUND;
    }
    f->elements--;
    return SPV_OK;
}

bool spv_counting_filter_contains(const spv_counting_filter *f,
                                  const uint8_t *element, size_t len)
{
    if (f->len == 0)
        return false;
    for (uint32_t i = 0; i < f->hash_funcs; i++)
        if (count_at(f, place_of(f, i, element, len)) == 0)
            return false;
    return true;
}

static unsigned add_stuck(unsigned a, unsigned b)
{
    return a + b < STUCK ? a + b : STUCK;
}

spv_err spv_counting_filter_merge(spv_counting_filter *f,
                                  const spv_counting_filter *other)
{
    if (f->len != other->len || f->hash_funcs != other->hash_funcs ||
        f->tweak != other->tweak)
        return SPV_INVAL;
    for (size_t i = 0; i < f->len * 4; i++) {
        uint8_t a = f->cells[i];
        uint8_t b = other->cells[i];

        f->cells[i] = (uint8_t)(add_stuck(a & 15u, b & 15u) |
                                add_stuck(a >> 4u, b >> 4u) << 4u);
    }
    f->elements += other->elements;
    return SPV_OK;
}

/* Projection -------------------------------------------------------------- */

/* A byte of the plain filter is four cells of two counters, lowest first. */
void spv_counting_filter_bits(const spv_counting_filter *f, uint8_t *out)
{
    for (size_t i = 0; i < f->len; i++) {
        unsigned byte = 0;

        for (unsigned cell = 0; cell < 4; cell++) {
            unsigned halves = nonzero_halves(f->cells[i * 4 + cell]);

            byte |= (halves | halves >> 3) % 4 << cell * 2;
        }
        out[i] = (uint8_t)byte;
    }
}

spv_err spv_counting_filter_project(const spv_counting_filter *f,
                                    spv_filter *plain)
{
    spv_err err =
        spv_filter_init(plain, f->len, f->hash_funcs, f->tweak, f->flags);

    if (!err)
        spv_counting_filter_bits(f, plain->bytes);
    return err;
}

/* Numbers ----------------------------------------------------------------- */

size_t spv_counting_filter_bits_set(const spv_counting_filter *f)
{
    size_t n = 0;

    for (size_t at = 0; at < f->len * 8; at++)
        n += count_at(f, at) > 0;
    return n;
}

size_t spv_counting_filter_stuck(const spv_counting_filter *f)
{
    size_t n = 0;

    for (size_t at = 0; at < f->len * 8; at++)
        n += count_at(f, at) == STUCK;
    return n;
}

static spv_filter_shape shape_of(const spv_counting_filter *f)
{
    return (spv_filter_shape){.bits = (uint64_t)f->len * 8,
                              .hash_funcs = f->hash_funcs};
}

double spv_counting_filter_rate(const spv_counting_filter *f)
{
    return spv_filter_observed_rate(shape_of(f),
                                    spv_counting_filter_bits_set(f));
}

/* Saved ------------------------------------------------------------------- */

enum { HASH_FUNCS, TWEAK, FLAGS, ELEMENTS }; /* the parameters' places */

void spv_counting_filter_save(uint8_t header[SPV_SAVED_HEADER],
                              const spv_counting_filter *f)
{
    const spv_saved s = {.kind = SPV_SAVED_COUNTING,
                         .params = {[HASH_FUNCS] = f->hash_funcs,
                                    [TWEAK] = f->tweak,
                                    [FLAGS] = f->flags,
                                    [ELEMENTS] = f->elements},
                         .payload = f->cells,
                         .payload_len = (uint64_t)f->len * 4};

    spv__saved_header(header, &s);
}

/** Whether the parameters fit what they are about to be narrowed to. */
static bool is_sane(const spv_saved *s)
{
    return s->payload_len > 0 && s->payload_len % 4 == 0 &&
           s->payload_len / 4 <= SPV_COUNTING_FILTER_BYTES_MAX &&
           s->params[HASH_FUNCS] > 0 &&
           s->params[HASH_FUNCS] <= SPV_FILTER_FUNCS_MAX &&
           s->params[TWEAK] <= UINT32_MAX && s->params[FLAGS] <= UINT8_MAX;
}

/** Every element left one count a function, unless some counter is stuck. */
static bool adds_up(const spv_counting_filter *f)
{
    uint64_t counts = 0;

    for (size_t at = 0; at < f->len * 8; at++) {
        if (count_at(f, at) == STUCK)
            return true;
        counts += count_at(f, at);
    }
    return counts % f->hash_funcs == 0 && counts / f->hash_funcs == f->elements;
}

spv_err spv_counting_filter_load(spv_counting_filter *f, const uint8_t *bytes,
                                 size_t len)
{
    spv_saved s;
    spv_err err = spv__saved_load(&s, SPV_SAVED_COUNTING, bytes, len);

    *f = (spv_counting_filter){0};
    if (!err && !is_sane(&s))
        err = SPV_MALFORMED;
    if (!err)
        err = spv_counting_filter_init(
            f, (size_t)s.payload_len / 4, (uint32_t)s.params[HASH_FUNCS],
            (uint32_t)s.params[TWEAK], (uint8_t)s.params[FLAGS]);
    if (err)
        return err;
    memcpy(f->cells, s.payload, (size_t)s.payload_len);
    f->elements = s.params[ELEMENTS];
    if (adds_up(f))
        return SPV_OK;
    spv_counting_filter_clear(f);
    return SPV_MALFORMED;
}
