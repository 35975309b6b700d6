#include <stdlib.h>
#include <string.h>

#include <spv/counting_filter.h>
#include <spv/cuckoo_filter.h>
#include <spv/rolling_filter.h>
#include <spv/scalable_filter.h>

#include "bloom/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Saved filters from a forger: any parameters over any payload, under
 * checksums that are right. What is loaded must work, must not miss what is
 * inserted into it, and must be saved as it was loaded.
 *
 * An input is the kind, the parameters' eleven times eight bytes, the payload.
 */

static void must(bool held)
{
    if (!held)
        abort();
}

/** The longest payload that is looked at: enough for every branch. */
enum { PAYLOAD_MAX = 1 << 16 };

static uint8_t file[SPV_SAVED_HEADER + PAYLOAD_MAX];

/** Seal what the fuzzer made into a file; its length. */
static size_t forge(const uint8_t *data, size_t size)
{
    spv_saved s = {.kind = (spv_saved_kind)data[0]};
    const uint8_t *payload = data + 1 + sizeof(s.params);

    memcpy(s.params, data + 1, sizeof(s.params));
    s.payload = payload;
    s.payload_len = (uint64_t)(data + size - payload);
    spv__saved_header(file, &s);
    memcpy(file + SPV_SAVED_HEADER, payload, (size_t)s.payload_len);
    return SPV_SAVED_HEADER + (size_t)s.payload_len;
}

/** Saved again it is the same file, whose parameters' unused places are zero
 * (a forger may fill them). */
static void must_be_saved_alike(const uint8_t header[SPV_SAVED_HEADER],
                                const uint8_t *payload, size_t n)
{
    must(memcmp(header, file, 32) == 0);
    must(memcmp(payload, file + SPV_SAVED_HEADER, n) == 0);
}

static void try_counting(size_t len)
{
    uint8_t header[SPV_SAVED_HEADER];
    spv_counting_filter f;

    if (spv_counting_filter_load(&f, file, len)) {
        must(f.cells == NULL);
        return;
    }
    spv_counting_filter_save(header, &f);
    must_be_saved_alike(header, f.cells, f.len * 4);
    spv_counting_filter_insert(&f, file, 20);
    must(spv_counting_filter_contains(&f, file, 20));
    must(spv_counting_filter_merge(&f, &f) == SPV_OK);
    must(spv_counting_filter_rate(&f) >= 0);
    must(spv_counting_filter_stuck(&f) <= spv_counting_filter_bits_set(&f));
    (void)!spv_counting_filter_remove(&f, file, 20);
    (void)!spv_counting_filter_remove(&f, file, 32);
    spv_counting_filter_clear(&f);
}

static void try_scalable(size_t len)
{
    uint8_t header[SPV_SAVED_HEADER];
    spv_scalable_filter f;

    if (spv_scalable_filter_load(&f, file, len)) {
        must(f.bytes == NULL);
        return;
    }
    spv_scalable_filter_save(header, &f);
    must_be_saved_alike(header, f.bytes, f.len);
    must(spv_scalable_filter_rate(&f) >= 0);
    for (size_t i = 0; i < 40; i++)
        must(spv_scalable_filter_insert(&f, file, i) != SPV_OK ||
             spv_scalable_filter_contains(&f, file, i));
    spv_scalable_filter_clear(&f);
}

static void try_rolling(size_t len)
{
    uint8_t header[SPV_SAVED_HEADER];
    spv_rolling_filter f;

    if (spv_rolling_filter_load(&f, file, len)) {
        must(f.cells == NULL);
        return;
    }
    spv_rolling_filter_save(header, &f);
    must_be_saved_alike(header, f.cells, f.n_cells);
    must(spv_rolling_filter_rate(&f) >= 0);
    for (size_t i = 0; i < 40; i++) {
        spv_rolling_filter_insert(&f, file, i);
        must(spv_rolling_filter_contains(&f, file, i));
    }
    spv_rolling_filter_clear(&f);
}

static void try_cuckoo(size_t len)
{
    uint8_t header[SPV_SAVED_HEADER];
    spv_cuckoo_filter f;

    if (spv_cuckoo_filter_load(&f, file, len)) {
        must(f.table == NULL);
        return;
    }
    spv_cuckoo_filter_save(header, &f);
    must_be_saved_alike(header, f.table, spv_cuckoo_filter_bytes(&f));
    must(spv_cuckoo_filter_rate(&f) >= 0);
    for (size_t i = 0; i < 40; i++)
        must(spv_cuckoo_filter_insert(&f, file, i) != SPV_OK ||
             spv_cuckoo_filter_contains(&f, file, i));
    (void)!spv_cuckoo_filter_merge(&f, &f);
    for (size_t i = 0; i < 40; i++)
        (void)!spv_cuckoo_filter_remove(&f, file, i);
    spv_cuckoo_filter_clear(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t len = 0;

    if (size < 1 + SPV_SAVED_PARAMS * 8 || size > PAYLOAD_MAX)
        return 0;
    len = forge(data, size);
    try_counting(len);
    try_scalable(len);
    try_rolling(len);
    try_cuckoo(len);
    return 0;
}
