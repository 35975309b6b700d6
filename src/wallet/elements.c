#include "wallet/elements.h"

#include <stdlib.h>
#include <string.h>

#include "wallet/array.h"

void spv__elements_clear(spv_elements *log)
{
    spv__buf_clear(&log->bytes);
    spv__table_clear(&log->index);
    free(log->at);
    *log = (spv_elements){0};
}

void spv__elements_get(const spv_elements *log, uint32_t at, spv_element *out)
{
    const spv_element_at *e = &log->at[at];

    *out = (spv_element){.kind = (spv_element_kind)e->kind,
                         .bytes = log->bytes.bytes + e->offset,
                         .len = e->len};
}

static uint32_t find(const spv_elements *log, uint32_t hash,
                     const uint8_t *bytes, size_t len)
{
    spv_table_walk walk = spv__table_walk(&log->index, hash);
    uint32_t at = SPV__TABLE_NONE;

    while ((at = spv__table_next(&log->index, &walk)) != SPV__TABLE_NONE) {
        spv_element e;

        spv__elements_get(log, at, &e);
        if (e.len == len && memcmp(e.bytes, bytes, len) == 0)
            return at;
    }
    return SPV__TABLE_NONE;
}

uint32_t spv__elements_find(const spv_elements *log, const uint8_t *bytes,
                            size_t len)
{
    return find(log, spv__table_hash(bytes, len), bytes, len);
}

static spv_err append(spv_elements *log, uint32_t hash,
                      const spv_element *element)
{
    spv_err err =
        spv__array_room(&log->at, &log->cap, log->n, sizeof(*log->at));

    if (err != SPV_OK)
        return err;
    if (log->bytes.len > UINT32_MAX - element->len)
        return SPV_LIMIT;
    log->at[log->n] = (spv_element_at){.offset = (uint32_t)log->bytes.len,
                                       .len = (uint16_t)element->len,
                                       .kind = (uint8_t)element->kind};
    spv__put_bytes(&log->bytes, element->bytes, element->len);
    if (log->bytes.err != SPV_OK)
        return log->bytes.err;
    err = spv__table_add(&log->index, hash, log->n);
    if (err == SPV_OK)
        log->n++;
    return err;
}

spv_err spv__elements_learn(spv_elements *log, const spv_element *element,
                            uint32_t *at)
{
    uint32_t hash = spv__table_hash(element->bytes, element->len);
    uint32_t known = SPV__TABLE_NONE;
    spv_err err = SPV_OK;

    if (element->len == 0 || element->len > SPV__ELEMENT_MAX)
        return SPV_LIMIT;
    known = find(log, hash, element->bytes, element->len);
    if (known == SPV__TABLE_NONE) {
        known = log->n;
        err = append(log, hash, element);
    }
    if (at)
        *at = known;
    return err;
}
