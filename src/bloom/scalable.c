#include <spv/scalable_filter.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/filter_maths.h>

#include "bloom/bits.h"
#include "bloom/draw.h"
#include "bloom/saved.h"

enum { FIRST_FUNCS_MAX = 61 };

/* Layers ------------------------------------------------------------------ */

/** A plain filter among the layers; its bytes are the scalable filter's. */
typedef struct layer {
    spv_filter_shape shape;
    uint8_t *bytes;
} layer;

/* Layer i has u * 2^i * (k_0 + i) bits, u being the places of one function in
 * the first. So the layers before it, 0 <= j < i, have
 *
 *     u * (k_0 * sum 2^j + sum j * 2^j)
 *   = u * (k_0 * (2^i - 1) + (i - 2) * 2^i + 2)
 */
static uint64_t bits_before(uint64_t first_room, uint64_t first_funcs,
                            uint32_t i)
{
    return spv__places_half_full(first_room) *
           (((first_funcs + i - 2) << i) + 2 - first_funcs);
}

static uint64_t room_of(const spv_scalable_filter *f, uint32_t i)
{
    return f->first_room << i;
}

static layer layer_of(const spv_scalable_filter *f, uint32_t i)
{
    uint64_t before = bits_before(f->first_room, f->first_funcs, i);
    uint64_t after = bits_before(f->first_room, f->first_funcs, i + 1);

    return (layer){
        .shape = {.bits = after - before, .hash_funcs = f->first_funcs + i},
        .bytes = f->bytes + before / 8};
}

static bool layer_contains(layer l, spv_draw d)
{
    for (uint32_t i = 0; i < l.shape.hash_funcs; i++) {
        size_t bit = (size_t)spv__draw_next(&d, l.shape.bits);

        if (!spv__bit_get(l.bytes, bit))
            return false;
    }
    return true;
}

static void layer_insert(layer l, spv_draw d)
{
    for (uint32_t i = 0; i < l.shape.hash_funcs; i++)
        spv__bit_set(l.bytes, (size_t)spv__draw_next(&d, l.shape.bits));
}

static uint64_t layer_bits_set(layer l)
{
    return spv__bits_count(l.bytes, (size_t)(l.shape.bits / 8));
}

/** Append an empty layer. */
static spv_err grow(spv_scalable_filter *f)
{
    uint32_t n = f->n_layers;
    uint64_t len = 0;
    uint8_t *bytes = NULL;

    if (f->first_room > SPV_SCALABLE_FILTER_LAYER_MAX >> n)
        return SPV_LIMIT;
    len = bits_before(f->first_room, f->first_funcs, n + 1) / 8;
    if (len > SIZE_MAX)
        return SPV_LIMIT;
    if (!(bytes = realloc(f->bytes, (size_t)len)))
        return SPV_NOMEM;
    memset(bytes + f->len, 0, (size_t)len - f->len);
    f->bytes = bytes;
    f->len = (size_t)len;
    f->n_layers++;
    f->in_newest = 0;
    return SPV_OK;
}

/* Life -------------------------------------------------------------------- */

spv_err spv_scalable_filter_init(spv_scalable_filter *f, uint64_t first,
                                 double p, uint64_t seed)
{
    double first_funcs = 1 + ceil(-log2(p));
    spv_err err = SPV_OK;

    *f = (spv_scalable_filter){0};
    if (first == 0 || !(p > 0 && p < 1))
        return SPV_INVAL;
    if (first_funcs > FIRST_FUNCS_MAX)
        return SPV_LIMIT;
    f->first_room = first;
    f->first_funcs = (uint32_t)first_funcs;
    f->seed = seed;
    if ((err = grow(f)))
        *f = (spv_scalable_filter){0};
    return err;
}

void spv_scalable_filter_clear(spv_scalable_filter *f)
{
    free(f->bytes);
    *f = (spv_scalable_filter){0};
}

/* Elements ---------------------------------------------------------------- */

/* The newest first: half of all elements are there. */
static bool contains(const spv_scalable_filter *f, spv_draw d)
{
    for (uint32_t i = f->n_layers; i-- > 0;)
        if (layer_contains(layer_of(f, i), d))
            return true;
    return false;
}

bool spv_scalable_filter_contains(const spv_scalable_filter *f,
                                  const uint8_t *element, size_t len)
{
    return contains(f, spv__draw(f->seed, element, len));
}

spv_err spv_scalable_filter_insert(spv_scalable_filter *f,
                                   const uint8_t *element, size_t len)
{
    spv_draw d = spv__draw(f->seed, element, len);
    spv_err err = SPV_OK;

    if (f->n_layers == 0)
        return SPV_LIMIT;
    if (contains(f, d))
        return SPV_OK;
    if (f->in_newest == room_of(f, f->n_layers - 1) && (err = grow(f)))
        return err;
    layer_insert(layer_of(f, f->n_layers - 1), d);
    f->in_newest++;
    return SPV_OK;
}

/* Numbers ----------------------------------------------------------------- */

uint64_t spv_scalable_filter_elements(const spv_scalable_filter *f)
{
    uint64_t n = f->in_newest;

    for (uint32_t i = 0; i + 1 < f->n_layers; i++)
        n += room_of(f, i);
    return n;
}

double spv_scalable_filter_promise(const spv_scalable_filter *f)
{
    return ldexp(1, 1 - (int)f->first_funcs);
}

double spv_scalable_filter_rate(const spv_scalable_filter *f)
{
    double rate = 0;

    for (uint32_t i = 0; i < f->n_layers; i++) {
        layer l = layer_of(f, i);

        rate += spv_filter_observed_rate(l.shape, layer_bits_set(l));
    }
    return rate < 1 ? rate : 1;
}

/* Saved ------------------------------------------------------------------- */

enum { FIRST_ROOM, FIRST_FUNCS, LAYERS, IN_NEWEST, SEED };

void spv_scalable_filter_save(uint8_t header[SPV_SAVED_HEADER],
                              const spv_scalable_filter *f)
{
    const spv_saved s = {.kind = SPV_SAVED_SCALABLE,
                         .params = {[FIRST_ROOM] = f->first_room,
                                    [FIRST_FUNCS] = f->first_funcs,
                                    [LAYERS] = f->n_layers,
                                    [IN_NEWEST] = f->in_newest,
                                    [SEED] = f->seed},
                         .payload = f->bytes,
                         .payload_len = f->len};

    spv__saved_header(header, &s);
}

/** Whether these are layers that could have grown, and have the payload's
 * length. The order matters: each question keeps the next from overflowing. */
static bool is_sane(const spv_saved *s)
{
    uint64_t room = s->params[FIRST_ROOM];
    uint64_t funcs = s->params[FIRST_FUNCS];
    uint64_t layers = s->params[LAYERS];

    return funcs > 0 && funcs <= FIRST_FUNCS_MAX && layers > 0 && layers < 64 &&
           room > 0 && room <= SPV_SCALABLE_FILTER_LAYER_MAX >> (layers - 1) &&
           s->params[IN_NEWEST] <= room << (layers - 1) &&
           s->payload_len == bits_before(room, funcs, (uint32_t)layers) / 8;
}

spv_err spv_scalable_filter_load(spv_scalable_filter *f, const uint8_t *bytes,
                                 size_t len)
{
    spv_saved s;
    spv_err err = spv__saved_load(&s, SPV_SAVED_SCALABLE, bytes, len);

    *f = (spv_scalable_filter){0};
    if (!err && !is_sane(&s))
        err = SPV_MALFORMED;
    if (err)
        return err;
    if (!(f->bytes = malloc((size_t)s.payload_len)))
        return SPV_NOMEM;
    memcpy(f->bytes, s.payload, (size_t)s.payload_len);
    f->len = (size_t)s.payload_len;
    f->first_room = s.params[FIRST_ROOM];
    f->first_funcs = (uint32_t)s.params[FIRST_FUNCS];
    f->n_layers = (uint32_t)s.params[LAYERS];
    f->in_newest = s.params[IN_NEWEST];
    f->seed = s.params[SEED];
    return SPV_OK;
}
