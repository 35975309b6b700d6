#include "cli/filter_kind.h"

#include <math.h>
#include <string.h>

#include "cli/decode.h"
#include "cli/values.h"

static const char *const hashings[] = {[SPV_LOCAL_BIP37] = "bip37",
                                       [SPV_LOCAL_DOUBLE] = "double",
                                       [SPV_LOCAL_BLOCKED] = "blocked"};

bool cli_filter_hashing_find(spv_local_hashing *out, const char *name)
{
    for (size_t i = 0; i < sizeof(hashings) / sizeof(hashings[0]); i++)
        if (strcmp(hashings[i], name) == 0) {
            *out = (spv_local_hashing)i;
            return true;
        }
    return false;
}

/* ---- wire: a filterload payload ---- */

static spv_err wire_make(cli_filter *f, const cli_filter_wish *wish)
{
    if (wish->elements > UINT32_MAX || wish->tweak > UINT32_MAX)
        return SPV_LIMIT;
    return spv_filter_init_for(&f->as.wire, (uint32_t)wish->elements,
                               wish->rate, (uint32_t)wish->tweak, wish->flags);
}

static spv_err wire_load(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_filter_decode(&f->as.wire, bytes, len);
}

static void wire_clear(cli_filter *f)
{
    spv_filter_clear(&f->as.wire);
}

static spv_err wire_insert(cli_filter *f, const spv_element *e)
{
    spv_filter_insert(&f->as.wire, e->bytes, e->len);
    return SPV_OK;
}

static bool wire_contains(const cli_filter *f, const spv_element *e)
{
    return spv_filter_contains(&f->as.wire, e->bytes, e->len);
}

static spv_err wire_merge(cli_filter *into, const cli_filter *from)
{
    return spv_filter_merge(&into->as.wire, &from->as.wire);
}

static json_t *wire_doc(const cli_filter *f)
{
    return cli_filter_doc(&f->as.wire);
}

static double wire_room(const cli_filter *f, double rate)
{
    return spv_filter_capacity_left(spv_filter_shape_of(&f->as.wire),
                                    spv_filter_bits_set(&f->as.wire), rate);
}

static const char *const wire_same[] = {"bytes", "hash_functions", "tweak",
                                        NULL};

const cli_filter_kind cli_filter_wire = {.name = "filterload",
                                         .make = wire_make,
                                         .load = wire_load,
                                         .clear = wire_clear,
                                         .insert = wire_insert,
                                         .contains = wire_contains,
                                         .merge = wire_merge,
                                         .doc = wire_doc,
                                         .room = wire_room,
                                         .same = wire_same};

/* ---- bloom: plain, of any size ---- */

/* What fits the wire has the size that the protocol's arithmetic gives, so that
 * its bits are those of the payload that 'filter build' makes. */
static spv_err bip37_shape(spv_filter_shape *shape, const cli_filter_wish *wish)
{
    size_t bytes = 0;
    uint32_t funcs = 0;
    spv_err err = spv_filter_shape_for(shape, wish->elements, wish->rate);

    if (err != SPV_OK || wish->tweak > UINT32_MAX)
        return err == SPV_OK ? SPV_LIMIT : err;
    if (shape->bits > UINT64_C(8) * SPV_FILTER_BYTES_MAX ||
        wish->elements > UINT32_MAX)
        return SPV_OK;
    err = spv_filter_size(&bytes, &funcs, (uint32_t)wish->elements, wish->rate);
    if (err == SPV_OK && bytes > 0 && funcs > 0)
        *shape = (spv_filter_shape){8 * bytes, funcs};
    return err;
}

static spv_err local_make(cli_filter *f, const cli_filter_wish *wish)
{
    spv_local_plan plan;
    spv_err err = spv_local_plan_for(&plan, wish->elements, wish->rate,
                                     wish->hashing, wish->tweak);

    if (err == SPV_OK && wish->hashing == SPV_LOCAL_BIP37)
        err = bip37_shape(&plan.shape, wish);
    return err == SPV_OK ? spv_local_filter_init(&f->as.local, &plan) : err;
}

static spv_err local_view(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_local_filter_view(&f->as.local, bytes, len);
}

static spv_err local_load(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_local_filter_load(&f->as.local, bytes, len);
}

static void local_save(cli_filter_image *image, const cli_filter *f)
{
    spv_local_filter_save(image->header, &f->as.local);
    image->bytes = f->as.local.bytes;
    image->len = f->as.local.len;
}

static void local_clear(cli_filter *f)
{
    spv_local_filter_clear(&f->as.local);
}

static spv_err local_insert(cli_filter *f, const spv_element *e)
{
    spv_local_filter_insert(&f->as.local, e->bytes, e->len);
    return SPV_OK;
}

static bool local_contains(const cli_filter *f, const spv_element *e)
{
    return spv_local_filter_contains(&f->as.local, e->bytes, e->len);
}

static spv_err local_merge(cli_filter *into, const cli_filter *from)
{
    return spv_local_filter_merge(&into->as.local, &from->as.local);
}

static json_t *local_doc(const cli_filter *f)
{
    const spv_local_plan *plan = &f->as.local.plan;
    uint64_t set = spv_local_filter_bits_set(&f->as.local);
    double n = spv_local_plan_elements(plan, set);

    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", f->kind->name,
        "hashing", hashings[plan->hashing], "bytes",
        cli_json_count(f->as.local.len), "bits",
        cli_json_count(plan->shape.bits), "hash_functions",
        cli_json_count(plan->shape.hash_funcs), "tweak",
        cli_json_count(plan->seed), "bits_set", cli_json_count(set),
        "estimated_elements", cli_json_real(n), "fp_rate",
        cli_json_real(isfinite(n) ? spv_local_plan_rate(plan, n) : 1));
}

static double local_room(const cli_filter *f, double rate)
{
    const spv_local_plan *plan = &f->as.local.plan;
    uint64_t set = spv_local_filter_bits_set(&f->as.local);

    return fmax(spv_local_plan_capacity(plan, rate) -
                    spv_local_plan_elements(plan, set),
                0);
}

static const char *const local_same[] = {"hashing", "bits", "hash_functions",
                                         "tweak", NULL};

/* ---- counting ---- */

static spv_err counting_make(cli_filter *f, const cli_filter_wish *wish)
{
    spv_filter_shape shape;
    spv_err err = bip37_shape(&shape, wish);

    if (err != SPV_OK)
        return err;
    return spv_counting_filter_init(&f->as.counting, (size_t)(shape.bits / 8),
                                    shape.hash_funcs, (uint32_t)wish->tweak,
                                    wish->flags);
}

static spv_err counting_load(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_counting_filter_load(&f->as.counting, bytes, len);
}

static void counting_save(cli_filter_image *image, const cli_filter *f)
{
    spv_counting_filter_save(image->header, &f->as.counting);
    image->bytes = f->as.counting.cells;
    image->len = 4 * f->as.counting.len;
}

static void counting_clear(cli_filter *f)
{
    spv_counting_filter_clear(&f->as.counting);
}

static spv_err counting_insert(cli_filter *f, const spv_element *e)
{
    spv_counting_filter_insert(&f->as.counting, e->bytes, e->len);
    return SPV_OK;
}

static spv_err counting_remove(cli_filter *f, const spv_element *e)
{
    return spv_counting_filter_remove(&f->as.counting, e->bytes, e->len);
}

static bool counting_contains(const cli_filter *f, const spv_element *e)
{
    return spv_counting_filter_contains(&f->as.counting, e->bytes, e->len);
}

static spv_err counting_merge(cli_filter *into, const cli_filter *from)
{
    return spv_counting_filter_merge(&into->as.counting, &from->as.counting);
}

/* The payload of the elements that are left, or null when no node would take
 * one so large. */
static json_t *counting_payload(const spv_counting_filter *f)
{
    uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    spv_filter plain;
    json_t *hex = NULL;

    if (spv_counting_filter_project(f, &plain) != SPV_OK)
        return json_null();
    hex = cli_json_hex(payload, spv_filter_encode(payload, &plain));
    spv_filter_clear(&plain);
    return hex;
}

static json_t *counting_doc(const cli_filter *f)
{
    const spv_counting_filter *own = &f->as.counting;

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
        f->kind->name, "bytes", cli_json_count(4 * own->len), "bits",
        cli_json_count(8 * own->len), "hash_functions",
        cli_json_count(own->hash_funcs), "tweak", cli_json_count(own->tweak),
        "flags", cli_json_count(own->flags), "elements",
        cli_json_count(own->elements), "bits_set",
        cli_json_count(spv_counting_filter_bits_set(own)), "stuck_counters",
        cli_json_count(spv_counting_filter_stuck(own)), "fp_rate",
        cli_json_real(spv_counting_filter_rate(own)), "payload",
        counting_payload(own));
}

static const char *const counting_same[] = {"bits", "hash_functions", "tweak",
                                            NULL};

/* ---- scalable ---- */

static spv_err scalable_make(cli_filter *f, const cli_filter_wish *wish)
{
    return spv_scalable_filter_init(&f->as.scalable, wish->elements, wish->rate,
                                    wish->tweak);
}

static spv_err scalable_load(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_scalable_filter_load(&f->as.scalable, bytes, len);
}

static void scalable_save(cli_filter_image *image, const cli_filter *f)
{
    spv_scalable_filter_save(image->header, &f->as.scalable);
    image->bytes = f->as.scalable.bytes;
    image->len = f->as.scalable.len;
}

static void scalable_clear(cli_filter *f)
{
    spv_scalable_filter_clear(&f->as.scalable);
}

static spv_err scalable_insert(cli_filter *f, const spv_element *e)
{
    return spv_scalable_filter_insert(&f->as.scalable, e->bytes, e->len);
}

static bool scalable_contains(const cli_filter *f, const spv_element *e)
{
    return spv_scalable_filter_contains(&f->as.scalable, e->bytes, e->len);
}

static json_t *scalable_doc(const cli_filter *f)
{
    const spv_scalable_filter *own = &f->as.scalable;

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", f->kind->name, "bytes",
        cli_json_count(own->len), "layers", cli_json_count(own->n_layers),
        "tweak", cli_json_count(own->seed), "elements",
        cli_json_count(spv_scalable_filter_elements(own)), "fp_rate",
        cli_json_real(spv_scalable_filter_rate(own)), "promised_fp_rate",
        cli_json_real(spv_scalable_filter_promise(own)));
}

/* ---- rolling ---- */

static spv_err rolling_make(cli_filter *f, const cli_filter_wish *wish)
{
    return spv_rolling_filter_init(&f->as.rolling, wish->elements, wish->rate,
                                   wish->tweak);
}

static spv_err rolling_load(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_rolling_filter_load(&f->as.rolling, bytes, len);
}

static void rolling_save(cli_filter_image *image, const cli_filter *f)
{
    spv_rolling_filter_save(image->header, &f->as.rolling);
    image->bytes = f->as.rolling.cells;
    image->len = f->as.rolling.n_cells;
}

static void rolling_clear(cli_filter *f)
{
    spv_rolling_filter_clear(&f->as.rolling);
}

static spv_err rolling_insert(cli_filter *f, const spv_element *e)
{
    spv_rolling_filter_insert(&f->as.rolling, e->bytes, e->len);
    return SPV_OK;
}

static bool rolling_contains(const cli_filter *f, const spv_element *e)
{
    return spv_rolling_filter_contains(&f->as.rolling, e->bytes, e->len);
}

static json_t *rolling_doc(const cli_filter *f)
{
    const spv_rolling_filter *own = &f->as.rolling;

    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                     f->kind->name, "bytes", cli_json_count(own->n_cells),
                     "hash_functions", cli_json_count(own->hash_funcs), "tweak",
                     cli_json_count(own->seed), "remembers",
                     cli_json_count(7 * own->generation_size), "elements",
                     cli_json_count(spv_rolling_filter_elements(own)),
                     "fp_rate", cli_json_real(spv_rolling_filter_rate(own)));
}

/* ---- cuckoo ---- */

static spv_err cuckoo_make(cli_filter *f, const cli_filter_wish *wish)
{
    return spv_cuckoo_filter_init(&f->as.cuckoo, wish->elements, wish->rate,
                                  wish->tweak);
}

static spv_err cuckoo_load(cli_filter *f, const uint8_t *bytes, size_t len)
{
    return spv_cuckoo_filter_load(&f->as.cuckoo, bytes, len);
}

static void cuckoo_save(cli_filter_image *image, const cli_filter *f)
{
    spv_cuckoo_filter_save(image->header, &f->as.cuckoo);
    image->bytes = f->as.cuckoo.table;
    image->len = spv_cuckoo_filter_bytes(&f->as.cuckoo);
}

static void cuckoo_clear(cli_filter *f)
{
    spv_cuckoo_filter_clear(&f->as.cuckoo);
}

static spv_err cuckoo_insert(cli_filter *f, const spv_element *e)
{
    return spv_cuckoo_filter_insert(&f->as.cuckoo, e->bytes, e->len);
}

static spv_err cuckoo_remove(cli_filter *f, const spv_element *e)
{
    return spv_cuckoo_filter_remove(&f->as.cuckoo, e->bytes, e->len);
}

static bool cuckoo_contains(const cli_filter *f, const spv_element *e)
{
    return spv_cuckoo_filter_contains(&f->as.cuckoo, e->bytes, e->len);
}

static spv_err cuckoo_merge(cli_filter *into, const cli_filter *from)
{
    return spv_cuckoo_filter_merge(&into->as.cuckoo, &from->as.cuckoo);
}

static json_t *cuckoo_doc(const cli_filter *f)
{
    const spv_cuckoo_filter *own = &f->as.cuckoo;

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", f->kind->name,
        "bytes", cli_json_count(spv_cuckoo_filter_bytes(own)), "buckets",
        cli_json_count(own->n_buckets), "fingerprint_bits",
        cli_json_count(own->bits), "tweak", cli_json_count(own->seed),
        "elements", cli_json_count(own->elements), "fill",
        cli_json_real(spv_cuckoo_filter_fill(own)), "fp_rate",
        cli_json_real(spv_cuckoo_filter_rate(own)));
}

static const char *const cuckoo_same[] = {"buckets", "fingerprint_bits",
                                          "tweak", NULL};

/* ---- The table ---- */

static const cli_filter_kind kinds[] = {
    {.name = "bloom",
     .saved_as = SPV_SAVED_LOCAL,
     .make = local_make,
     .view = local_view,
     .load = local_load,
     .save = local_save,
     .clear = local_clear,
     .insert = local_insert,
     .contains = local_contains,
     .merge = local_merge,
     .doc = local_doc,
     .room = local_room,
     .same = local_same},
    {.name = "counting",
     .saved_as = SPV_SAVED_COUNTING,
     .make = counting_make,
     .load = counting_load,
     .save = counting_save,
     .clear = counting_clear,
     .insert = counting_insert,
     .remove = counting_remove,
     .contains = counting_contains,
     .merge = counting_merge,
     .doc = counting_doc,
     .same = counting_same},
    {.name = "scalable",
     .saved_as = SPV_SAVED_SCALABLE,
     .make = scalable_make,
     .load = scalable_load,
     .save = scalable_save,
     .clear = scalable_clear,
     .insert = scalable_insert,
     .contains = scalable_contains,
     .doc = scalable_doc},
    {.name = "rolling",
     .saved_as = SPV_SAVED_ROLLING,
     .make = rolling_make,
     .load = rolling_load,
     .save = rolling_save,
     .clear = rolling_clear,
     .insert = rolling_insert,
     .contains = rolling_contains,
     .doc = rolling_doc},
    {.name = "cuckoo",
     .saved_as = SPV_SAVED_CUCKOO,
     .make = cuckoo_make,
     .load = cuckoo_load,
     .save = cuckoo_save,
     .clear = cuckoo_clear,
     .insert = cuckoo_insert,
     .remove = cuckoo_remove,
     .contains = cuckoo_contains,
     .merge = cuckoo_merge,
     .doc = cuckoo_doc,
     .same = cuckoo_same},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const cli_filter_kind *cli_filter_kind_find(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const cli_filter_kind *cli_filter_kind_saved(spv_saved_kind kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].saved_as == kind)
            return &kinds[i];
    return NULL;
}

/* ---- Batches ---- */

/* Only the plain kind is ever so large that its memory is waited for. */
spv_err cli_filter_insert(cli_filter *f, const spv_element *elements, size_t n,
                          size_t *done)
{
    spv_err err = SPV_OK;

    *done = 0;
    if (f->kind->saved_as == SPV_SAVED_LOCAL) {
        spv_local_filter_insert_batch(&f->as.local, elements, n);
        *done = n;
    }
    while (err == SPV_OK && *done < n) {
        err = f->kind->insert(f, &elements[*done]);
        *done += err == SPV_OK;
    }
    return err;
}

void cli_filter_contains(const cli_filter *f, bool *found,
                         const spv_element *elements, size_t n)
{
    if (f->kind->saved_as == SPV_SAVED_LOCAL) {
        (void)spv_local_filter_contains_batch(&f->as.local, found, elements, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        found[i] = f->kind->contains(f, &elements[i]);
}
