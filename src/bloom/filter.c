#include "bloom/filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/hashes.h"

static_assert(SPV_FILTER_BYTES_MAX == (int)SPV__FILTER_BYTES_MAX &&
                  SPV_FILTER_FUNCS_MAX == (int)SPV__FILTER_FUNCS_MAX &&
                  SPV_FILTER_ELEMENT_MAX == (int)SPV__FILTERADD_MAX,
              "public limits are the wire's");

/* Life -------------------------------------------------------------------- */

spv_err spv_filter_init(spv_filter *f, size_t bytes, uint32_t hash_funcs,
                        uint32_t tweak, uint8_t flags)
{
    *f = (spv_filter){0};
    if (bytes > SPV_FILTER_BYTES_MAX || hash_funcs > SPV_FILTER_FUNCS_MAX)
        return SPV_LIMIT;
    if (bytes > 0 && !(f->bytes = calloc(bytes, 1)))
        return SPV_NOMEM;
    f->len = bytes;
    f->hash_funcs = hash_funcs;
    f->tweak = tweak;
    f->flags = flags;
    return SPV_OK;
}

spv_err spv_filter_init_for(spv_filter *f, uint32_t n, double p, uint32_t tweak,
                            uint8_t flags)
{
    size_t bytes = 0;
    uint32_t hash_funcs = 0;
    spv_err err = spv_filter_size(&bytes, &hash_funcs, n, p);

    *f = (spv_filter){0};
    return err ? err : spv_filter_init(f, bytes, hash_funcs, tweak, flags);
}

spv_err spv_filter_copy(spv_filter *to, const spv_filter *from)
{
    spv_filterload m = spv__filter_message(from);

    return spv__filter_of_message(to, &m);
}

void spv_filter_clear(spv_filter *f)
{
    free(f->bytes);
    *f = (spv_filter){0};
}

/* Wire -------------------------------------------------------------------- */

spv_filterload spv__filter_message(const spv_filter *f)
{
    return (spv_filterload){.filter = f->bytes,
                            .len = f->len,
                            .hash_funcs = f->hash_funcs,
                            .tweak = f->tweak,
                            .flags = f->flags};
}

spv_err spv__filter_of_message(spv_filter *f, const spv_filterload *m)
{
    spv_err err = spv_filter_init(f, m->len, m->hash_funcs, m->tweak, m->flags);

    if (!err && m->len > 0)
        memcpy(f->bytes, m->filter, m->len);
    return err;
}

spv_err spv_filter_decode(spv_filter *f, const uint8_t *payload, size_t len)
{
    spv_message m;
    spv_err err = spv__message_decode(&m, SPV_MSG_FILTERLOAD, payload, len);

    *f = (spv_filter){0};
    return err ? err : spv__filter_of_message(f, &m.as.filterload);
}

size_t spv_filter_encode(uint8_t out[SPV_FILTER_PAYLOAD_MAX],
                         const spv_filter *f)
{
    spv_filterload m = spv__filter_message(f);
    spv_buf b = {.bytes = out, .cap = SPV_FILTER_PAYLOAD_MAX};

    spv__put_filterload(&b, &m);
    assert(b.bytes == out && !b.err); /* the longest fits: it never grew */
    return b.len;
}

bool spv_filter_wire_ok(const spv_filter *f)
{
    return !spv_filter_is_full(f) && !spv_filter_is_empty(f);
}

/* Elements ---------------------------------------------------------------- */

static spv__bip37 hashes_of(const spv_filter *f)
{
    return spv__bip37_of((uint32_t)f->len * 8, f->hash_funcs, f->tweak);
}

void spv_filter_insert(spv_filter *f, const uint8_t *element, size_t len)
{
    spv__bip37 h;

    if (f->len == 0) /* where a node would divide by zero: CVE-2013-5700 */
        return;
    h = hashes_of(f);
    spv__bip37_insert(&h, f->bytes, element, len);
}

bool spv_filter_contains(const spv_filter *f, const uint8_t *element,
                         size_t len)
{
    spv__bip37 h;

    if (f->len == 0)
        return true;
    h = hashes_of(f);
    return spv__bip37_contains(&h, f->bytes, element, len);
}

void spv_filter_insert_outpoint(spv_filter *f, const spv_outpoint *o)
{
    uint8_t bytes[SPV_OUTPOINT_LEN];

    spv_outpoint_encode(bytes, o);
    spv_filter_insert(f, bytes, sizeof(bytes));
}

bool spv_filter_contains_outpoint(const spv_filter *f, const spv_outpoint *o)
{
    uint8_t bytes[SPV_OUTPOINT_LEN];

    spv_outpoint_encode(bytes, o);
    return spv_filter_contains(f, bytes, sizeof(bytes));
}
