#include <spv/rolling_filter.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/filter_maths.h>

#include "bloom/draw.h"
#include "bloom/saved.h"

enum {
    GENERATIONS = 8, /* a bit of a cell each */
    FULL_ONES = GENERATIONS - 1,
    FUNCS_MAX = 64 + 3 /* for 2^-64 */
};

static unsigned newest_bit(const spv_rolling_filter *f)
{
    return 1u << f->turns % GENERATIONS;
}

static spv_filter_shape shape_of(const spv_rolling_filter *f)
{
    return (spv_filter_shape){.bits = f->n_cells, .hash_funcs = f->hash_funcs};
}

/* Life -------------------------------------------------------------------- */

static spv_err init(spv_rolling_filter *f, uint64_t n_cells,
                    uint32_t hash_funcs, uint64_t generation_size,
                    uint64_t seed)
{
    uint8_t *cells = NULL;

    if (n_cells > SIZE_MAX)
        return SPV_LIMIT;
    if (!(cells = calloc((size_t)n_cells, 1)))
        return SPV_NOMEM;
    *f = (spv_rolling_filter){.cells = cells,
                              .n_cells = (size_t)n_cells,
                              .hash_funcs = hash_funcs,
                              .seed = seed,
                              .generation_size = generation_size};
    return SPV_OK;
}

spv_err spv_rolling_filter_init(spv_rolling_filter *f, uint64_t last, double p,
                                uint64_t seed)
{
    uint64_t size = last / FULL_ONES + (last % FULL_ONES > 0);
    double hash_funcs = ceil(log2(GENERATIONS / p));

    *f = (spv_rolling_filter){0};
    if (last == 0 || !(p > 0 && p < 1))
        return SPV_INVAL;
    if (last > SPV_ROLLING_FILTER_LAST_MAX || hash_funcs > FUNCS_MAX)
        return SPV_LIMIT;
    return init(f, (uint32_t)hash_funcs * spv__places_half_full(size),
                (uint32_t)hash_funcs, size, seed);
}

void spv_rolling_filter_clear(spv_rolling_filter *f)
{
    free(f->cells);
    *f = (spv_rolling_filter){0};
}

/* Elements ---------------------------------------------------------------- */

/** Begin another generation in the place of the oldest. */
static void turn(spv_rolling_filter *f)
{
    unsigned kept = 0;

    f->turns++;
    f->in_newest = 0;
    kept = ~newest_bit(f);
    for (size_t i = 0; i < f->n_cells; i++)
        f->cells[i] &= (uint8_t)kept;
}

/*
 * Why the last N are remembered: an element lies in the generation that is the
 * newest when it is inserted. That one is wiped only after the seven others
 * have been begun and filled since, each with N/7 insertions or more (those
 * that change no bit are not counted, which only makes it later).
 */
void spv_rolling_filter_insert(spv_rolling_filter *f, const uint8_t *element,
                               size_t len)
{
    spv_draw d = spv__draw(f->seed, element, len);
    unsigned missing = 0;
    unsigned bit = 0;

    if (f->in_newest == f->generation_size)
        turn(f);
    bit = newest_bit(f);
    for (uint32_t i = 0; i < f->hash_funcs; i++) {
        uint8_t *cell = &f->cells[spv__draw_next(&d, f->n_cells)];

        missing |= ~(unsigned)*cell & bit;
        *cell |= (uint8_t)bit;
    }
    f->in_newest += missing != 0;
}

bool spv_rolling_filter_contains(const spv_rolling_filter *f,
                                 const uint8_t *element, size_t len)
{
    spv_draw d = spv__draw(f->seed, element, len);
    unsigned in_all = f->n_cells > 0 ? 0xff : 0;

    for (uint32_t i = 0; in_all && i < f->hash_funcs; i++)
        in_all &= f->cells[spv__draw_next(&d, f->n_cells)];
    return in_all != 0;
}

/* Numbers ----------------------------------------------------------------- */

uint64_t spv_rolling_filter_elements(const spv_rolling_filter *f)
{
    uint64_t full = f->turns < FULL_ONES ? f->turns : FULL_ONES;

    return full * f->generation_size + f->in_newest;
}

static uint64_t bits_set(const spv_rolling_filter *f, unsigned generation)
{
    uint64_t n = 0;

    for (size_t i = 0; i < f->n_cells; i++)
        n += f->cells[i] >> generation & 1;
    return n;
}

double spv_rolling_filter_rate(const spv_rolling_filter *f)
{
    double rate = 0;

    for (unsigned g = 0; f->n_cells > 0 && g < GENERATIONS; g++)
        rate += spv_filter_observed_rate(shape_of(f), bits_set(f, g));
    return rate < 1 ? rate : 1;
}

/* Saved ------------------------------------------------------------------- */

enum { HASH_FUNCS, SEED, GENERATION_SIZE, IN_NEWEST, TURNS };

void spv_rolling_filter_save(uint8_t header[SPV_SAVED_HEADER],
                             const spv_rolling_filter *f)
{
    const spv_saved s = {.kind = SPV_SAVED_ROLLING,
                         .params = {[HASH_FUNCS] = f->hash_funcs,
                                    [SEED] = f->seed,
                                    [GENERATION_SIZE] = f->generation_size,
                                    [IN_NEWEST] = f->in_newest,
                                    [TURNS] = f->turns},
                         .payload = f->cells,
                         .payload_len = f->n_cells};

    spv__saved_header(header, &s);
}

static bool is_sane(const spv_saved *s)
{
    uint64_t size = s->params[GENERATION_SIZE];

    return s->payload_len > 0 && s->params[HASH_FUNCS] > 0 &&
           s->params[HASH_FUNCS] <= FUNCS_MAX && size > 0 &&
           size <= SPV_ROLLING_FILTER_LAST_MAX && s->params[IN_NEWEST] <= size;
}

spv_err spv_rolling_filter_load(spv_rolling_filter *f, const uint8_t *bytes,
                                size_t len)
{
    spv_saved s;
    spv_err err = spv__saved_load(&s, SPV_SAVED_ROLLING, bytes, len);

    *f = (spv_rolling_filter){0};
    if (!err && !is_sane(&s))
        err = SPV_MALFORMED;
    if (err)
        return err;
    err = init(f, s.payload_len, (uint32_t)s.params[HASH_FUNCS],
               s.params[GENERATION_SIZE], s.params[SEED]);
    if (err)
        return err;
    memcpy(f->cells, s.payload, f->n_cells);
    f->in_newest = s.params[IN_NEWEST];
    f->turns = s.params[TURNS];
    return SPV_OK;
}
