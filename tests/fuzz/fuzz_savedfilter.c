#include <stdlib.h>
#include <string.h>

#include "bloom/murmur3.h"
#include "bloom/saved.h"

#include <spv/local_filter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
    if (!held)
        abort();
}

/** Mend both checksums: no fuzzer would ever guess them, and behind them is
 * what it should look at. */
static void mend(uint8_t *file, size_t len)
{
    static const size_t seals[2][3] = {/* where it is; from, to what it sums */
                                       {24, SPV_SAVED_HEADER, SIZE_MAX},
                                       {120, 0, 120}};

    for (size_t i = 0; len >= SPV_SAVED_HEADER && i < 2; i++) {
        size_t end = seals[i][2] < len ? seals[i][2] : len;
        uint64_t sum =
            spv__murmur3_128(0, file + seals[i][1], end - seals[i][1]).a;

        for (size_t j = 0; j < 8; j++)
            file[seals[i][0] + j] = (uint8_t)(sum >> 8 * j);
    }
}

/** A filter that is viewed works, can be copied, and is saved as it was. */
static void check(const uint8_t *file, size_t len)
{
    uint8_t header[SPV_SAVED_HEADER];
    spv_local_filter view;
    spv_local_filter copy;

    if (spv_local_filter_view(&view, file, len)) {
        must(view.bytes == NULL);
        return;
    }
    (void)spv_local_filter_contains(&view, file, len % 50);
    spv_local_filter_save(header, &view);
    if (!spv_local_filter_load(&copy, file, len)) {
        must(memcmp(header, file, 32 + 4 * 8) == 0);
        spv_local_filter_insert(&copy, file, len);
        must(spv_local_filter_contains(&copy, file, len));
        must(spv_local_filter_bits_set(&copy) > 0);
    }
    spv_local_filter_clear(&copy);
    spv_local_filter_clear(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *file = malloc(size ? size : 1);

    must(file != NULL);
    memcpy(file, data, size);
    check(file, size);
    mend(file, size);
    check(file, size);
    free(file);
    return 0;
}
