#include <spv/cuckoo_filter.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/draw.h"
#include "bloom/saved.h"

enum {
    SLOTS = 4,    /* of a bucket; with two buckets 95 % of all can be used */
    SPARE = 4,    /* buckets more: in small tables chance alone can crowd */
    BITS_MIN = 8, /* of a fingerprint: fewer do not spread over the table */
    BITS_MAX = 32,
    MOVES_MAX = 500, /* before a fingerprint counts as homeless */
    SLACK = 8        /* a slot is read and written as eight bytes */
};

static const double fill_max = 0.95;

/** A fingerprint and one of the two buckets that it may be in. */
typedef struct nest {
    uint32_t print;
    uint64_t bucket;
} nest;

/* Slots ------------------------------------------------------------------- */

/** Eight bytes of the table, and which of their bits are a slot. */
typedef struct window {
    uint8_t *bytes;
    unsigned shift;
} window;

static window window_of(const spv_cuckoo_filter *f, uint64_t bucket,
                        unsigned slot)
{
    uint64_t bit = (bucket * SLOTS + slot) * f->bits;

    return (window){f->table + (bit >> 3), (unsigned)bit & 7};
}

/* Byte by byte, for the table means the same on every machine; compilers know
 * both loops as one load and one store. */
static uint64_t load_le(const uint8_t *p)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << i * 8;
    return v;
}

static void store_le(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> i * 8);
}

static uint32_t print_mask(const spv_cuckoo_filter *f)
{
    return UINT32_MAX >> (BITS_MAX - f->bits);
}

static uint32_t print_at(const spv_cuckoo_filter *f, uint64_t bucket,
                         unsigned slot)
{
    window w = window_of(f, bucket, slot);

    return (uint32_t)(load_le(w.bytes) >> w.shift) & print_mask(f);
}

static void set_print(spv_cuckoo_filter *f, uint64_t bucket, unsigned slot,
                      uint32_t print)
{
    window w = window_of(f, bucket, slot);
    uint64_t others = load_le(w.bytes) & ~((uint64_t)print_mask(f) << w.shift);

    store_le(w.bytes, others | (uint64_t)print << w.shift);
}

/** Change one slot of a bucket from `old` to `print`; false: no slot is. */
static bool replace_in(spv_cuckoo_filter *f, uint64_t bucket, uint32_t old,
                       uint32_t print)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (print_at(f, bucket, slot) != old)
            continue;
        set_print(f, bucket, slot, print);
        return true;
    }
    return false;
}

static bool bucket_holds(const spv_cuckoo_filter *f, uint64_t bucket,
                         uint32_t print)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if (print_at(f, bucket, slot) == print)
            return true;
    return false;
}

/* Nests ------------------------------------------------------------------- */

static nest nest_of(const spv_cuckoo_filter *f, const uint8_t *element,
                    size_t len)
{
    spv_draw d = spv__draw(f->seed, element, len);
    uint64_t bucket = spv__draw_next(&d, f->n_buckets);
    uint64_t print = 1 + spv__draw_next(&d, print_mask(f));

    return (nest){.print = (uint32_t)print, .bucket = bucket};
}

/*
 * The other bucket. The two of a fingerprint add up to a number that the
 * fingerprint alone gives, modulo the number of buckets; so this is its own
 * inverse. (The paper combines them by exclusive or, for which the number of
 * buckets must be a power of two and half of the table may go to waste.)
 *
 * Fingerprints that are equal and share one bucket therefore share both, and
 * are copies of each other: to remove either is right for both elements.
 */
static nest other_nest(const spv_cuckoo_filter *f, nest at)
{
    uint64_t mixed = at.print * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / phi */
    uint64_t sum = spv__below(f->n_buckets, mixed);

    at.bucket =
        sum >= at.bucket ? sum - at.bucket : sum + f->n_buckets - at.bucket;
    return at;
}

static bool replace_either(spv_cuckoo_filter *f, nest at, uint32_t old,
                           uint32_t print)
{
    return replace_in(f, at.bucket, old, print) ||
           replace_in(f, other_nest(f, at).bucket, old, print);
}

static bool is_homeless(const spv_cuckoo_filter *f, nest at)
{
    return f->homeless == at.print &&
           (f->homeless_bucket == at.bucket ||
            f->homeless_bucket == other_nest(f, at).bucket);
}

/*
 * The cuckoo's way: take the place of another, which takes the place of
 * another in its other bucket, until one finds a free slot or the last of them
 * is left homeless. Whom to turn out is chosen by chance of a kind that can be
 * repeated; the top bits of a linear congruence are good enough for that.
 */
static void settle(spv_cuckoo_filter *f, nest at)
{
    uint32_t chance = at.print + (uint32_t)at.bucket;

    for (unsigned move = 0; move < MOVES_MAX; move++) {
        unsigned slot = (chance = chance * 1664525u + 1013904223u) >> 30;
        uint32_t evicted = print_at(f, at.bucket, slot);

        set_print(f, at.bucket, slot, at.print);
        at.print = evicted;
        at = other_nest(f, at);
        if (replace_in(f, at.bucket, 0, at.print))
            return;
    }
    f->homeless = at.print;
    f->homeless_bucket = at.bucket;
}

/** Whether there is room in the stash, after another try to empty it: removals
 * may have made room elsewhere. */
static bool stash_is_free(spv_cuckoo_filter *f)
{
    nest at = {f->homeless, f->homeless_bucket};

    if (!f->homeless)
        return true;
    f->homeless = 0;
    if (!replace_either(f, at, 0, at.print))
        settle(f, at);
    return !f->homeless;
}

static spv_err add(spv_cuckoo_filter *f, nest at)
{
    if (!replace_either(f, at, 0, at.print)) {
        if (!stash_is_free(f))
            return SPV_LIMIT;
        settle(f, at);
    }
    f->elements++;
    return SPV_OK;
}

/* Life -------------------------------------------------------------------- */

static uint64_t bytes_for(uint64_t n_buckets, uint64_t bits)
{
    return (n_buckets * SLOTS * bits + 7) / 8;
}

static spv_err init(spv_cuckoo_filter *f, uint64_t n_buckets, uint32_t bits,
                    uint64_t seed)
{
    uint64_t bytes = bytes_for(n_buckets, bits);
    uint8_t *table = NULL;

    if (bytes > SIZE_MAX - SLACK)
        return SPV_LIMIT;
    if (!(table = calloc((size_t)bytes + SLACK, 1)))
        return SPV_NOMEM;
    *f = (spv_cuckoo_filter){
        .table = table, .n_buckets = n_buckets, .bits = bits, .seed = seed};
    return SPV_OK;
}

/** The shortest fingerprint that keeps the rate at the greatest load. */
static uint32_t bits_for(double p)
{
    double bits = ceil(log2(2 * SLOTS * fill_max / p + 1));

    return bits > BITS_MIN ? (uint32_t)bits : BITS_MIN;
}

spv_err spv_cuckoo_filter_init(spv_cuckoo_filter *f, uint64_t capacity,
                               double p, uint64_t seed)
{
    double n_buckets = SPARE + ceil((double)capacity / (SLOTS * fill_max));

    *f = (spv_cuckoo_filter){0};
    if (capacity == 0 || !(p > 0 && p < 1))
        return SPV_INVAL;
    if (capacity > SPV_CUCKOO_FILTER_CAPACITY_MAX ||
        p < SPV_CUCKOO_FILTER_RATE_MIN)
        return SPV_LIMIT;
    return init(f, (uint64_t)n_buckets, bits_for(p), seed);
}

void spv_cuckoo_filter_clear(spv_cuckoo_filter *f)
{
    free(f->table);
    *f = (spv_cuckoo_filter){0};
}

/* Elements ---------------------------------------------------------------- */

spv_err spv_cuckoo_filter_insert(spv_cuckoo_filter *f, const uint8_t *element,
                                 size_t len)
{
    return f->table ? add(f, nest_of(f, element, len)) : SPV_LIMIT;
}

spv_err spv_cuckoo_filter_remove(spv_cuckoo_filter *f, const uint8_t *element,
                                 size_t len)
{
    nest at;

    if (f->elements == 0)
        return SPV_NOT_FOUND;
    at = nest_of(f, element, len);
    if (is_homeless(f, at))
        f->homeless = 0;
    else if (!replace_either(f, at, at.print, 0))
        return SPV_NOT_FOUND;
    f->elements--;
    return SPV_OK;
}

bool spv_cuckoo_filter_contains(const spv_cuckoo_filter *f,
                                const uint8_t *element, size_t len)
{
    nest at;

    if (f->elements == 0)
        return false;
    at = nest_of(f, element, len);
    return bucket_holds(f, at.bucket, at.print) ||
           bucket_holds(f, other_nest(f, at).bucket, at.print) ||
           is_homeless(f, at);
}

/* Merge ------------------------------------------------------------------- */

static spv_err copy(spv_cuckoo_filter *to, const spv_cuckoo_filter *from)
{
    spv_err err = init(to, from->n_buckets, from->bits, from->seed);
    uint8_t *table = to->table;

    if (err)
        return err;
    memcpy(table, from->table, spv_cuckoo_filter_bytes(from));
    *to = *from;
    to->table = table;
    return SPV_OK;
}

static spv_err add_all(spv_cuckoo_filter *f, const spv_cuckoo_filter *other)
{
    nest homeless = {other->homeless, other->homeless_bucket};
    spv_err err = homeless.print ? add(f, homeless) : SPV_OK;

    for (uint64_t i = 0; !err && i < other->n_buckets * SLOTS; i++) {
        nest at = {.bucket = i / SLOTS};

        at.print = print_at(other, at.bucket, i % SLOTS);
        if (at.print)
            err = add(f, at);
    }
    return err;
}

spv_err spv_cuckoo_filter_merge(spv_cuckoo_filter *f,
                                const spv_cuckoo_filter *other)
{
    spv_cuckoo_filter both = {0};
    spv_err err = SPV_OK;

    if (!f->table || f->n_buckets != other->n_buckets ||
        f->bits != other->bits || f->seed != other->seed)
        return SPV_INVAL;
    err = copy(&both, f); /* to fall back on when there is no room */
    if (!err)
        err = add_all(&both, other);
    if (err) {
        spv_cuckoo_filter_clear(&both);
        return err;
    }
    spv_cuckoo_filter_clear(f);
    *f = both;
    return SPV_OK;
}

/* Numbers ----------------------------------------------------------------- */

size_t spv_cuckoo_filter_bytes(const spv_cuckoo_filter *f)
{
    return (size_t)bytes_for(f->n_buckets, f->bits);
}

double spv_cuckoo_filter_fill(const spv_cuckoo_filter *f)
{
    return f->n_buckets == 0
               ? 0
               : (double)f->elements / (double)(f->n_buckets * SLOTS);
}

double spv_cuckoo_filter_rate(const spv_cuckoo_filter *f)
{
    if (f->elements == 0)
        return 0;
    return 1 - pow(1 - 1 / (double)print_mask(f),
                   2 * SLOTS * spv_cuckoo_filter_fill(f));
}

/* Saved ------------------------------------------------------------------- */

enum { BUCKETS, BITS, SEED, ELEMENTS, HOMELESS, HOMELESS_BUCKET };

void spv_cuckoo_filter_save(uint8_t header[SPV_SAVED_HEADER],
                            const spv_cuckoo_filter *f)
{
    const spv_saved s = {.kind = SPV_SAVED_CUCKOO,
                         .params = {[BUCKETS] = f->n_buckets,
                                    [BITS] = f->bits,
                                    [SEED] = f->seed,
                                    [ELEMENTS] = f->elements,
                                    [HOMELESS] = f->homeless,
                                    [HOMELESS_BUCKET] = f->homeless_bucket},
                         .payload = f->table,
                         .payload_len = spv_cuckoo_filter_bytes(f)};

    spv__saved_header(header, &s);
}

static bool is_sane(const spv_saved *s)
{
    uint64_t buckets = s->params[BUCKETS];
    uint64_t bits = s->params[BITS];

    return bits >= BITS_MIN && bits <= BITS_MAX && buckets > 0 &&
           buckets <= SPV_CUCKOO_FILTER_CAPACITY_MAX &&
           s->payload_len == bytes_for(buckets, bits) &&
           s->params[HOMELESS] <= UINT32_MAX >> (BITS_MAX - bits) &&
           s->params[HOMELESS_BUCKET] < buckets;
}

/** Fingerprints in the table and the stash. */
static uint64_t count(const spv_cuckoo_filter *f)
{
    uint64_t n = f->homeless != 0;

    for (uint64_t i = 0; i < f->n_buckets * SLOTS; i++)
        n += print_at(f, i / SLOTS, i % SLOTS) != 0;
    return n;
}

spv_err spv_cuckoo_filter_load(spv_cuckoo_filter *f, const uint8_t *bytes,
                               size_t len)
{
    spv_saved s;
    spv_err err = spv__saved_load(&s, SPV_SAVED_CUCKOO, bytes, len);

    *f = (spv_cuckoo_filter){0};
    if (!err && !is_sane(&s))
        err = SPV_MALFORMED;
    if (!err)
        err = init(f, s.params[BUCKETS], (uint32_t)s.params[BITS],
                   s.params[SEED]);
    if (err)
        return err;
    memcpy(f->table, s.payload, (size_t)s.payload_len);
    f->elements = s.params[ELEMENTS];
    f->homeless = (uint32_t)s.params[HOMELESS];
    f->homeless_bucket = s.params[HOMELESS_BUCKET];
    if (count(f) == f->elements)
        return SPV_OK;
    spv_cuckoo_filter_clear(f);
    return SPV_MALFORMED;
}
