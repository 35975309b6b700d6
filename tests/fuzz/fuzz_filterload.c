#include <stdlib.h>
#include <string.h>

#include <spv/filter.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
    if (!held)
        abort();
}

/** A filter that was read is written as it was, and works. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    spv_filter f;

    if (spv_filter_decode(&f, data, size)) {
        must(f.bytes == NULL);
        return 0;
    }
    must(spv_filter_encode(payload, &f) == size);
    must(memcmp(payload, data, size) == 0);
    must(!(spv_filter_rate(&f) < 0) && !(spv_filter_elements(&f) < 0));
    spv_filter_insert(&f, data, size);
    must(spv_filter_contains(&f, data, size));
    must(!spv_filter_is_full(&f) || spv_filter_contains(&f, data, size / 2));
    must(!spv_filter_wire_ok(&f) || spv_filter_bits_set(&f) > 0);
    spv_filter_clear(&f);
    return 0;
}
