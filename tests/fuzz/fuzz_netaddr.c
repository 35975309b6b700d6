#include <stdlib.h>
#include <string.h>

#include "wire/netaddr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a text was taken for is written as a text that means the same. */
static void check_text(const uint8_t *data, size_t size)
{
    char text[SPV__NETADDR_TEXT] = {0};
    spv_netaddr addr;
    spv_netaddr again;

    memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
    if (spv__netaddr_parse(&addr, text, 8333) != SPV_OK)
        return;
    spv__netaddr_format(text, &addr);
    if (spv__netaddr_parse(&again, text, 1) != SPV_OK ||
        !spv__netaddr_equal(&addr, &again))
        abort();
}

/* A known entry is written as the bytes that it was read from. */
static void check_v2(const uint8_t *data, size_t size)
{
    spv_reader r = spv__reader(data, size);
    spv_buf b = SPV_BUF_EMPTY;
    char text[SPV__NETADDR_TEXT];
    spv_netaddr addr;

    if (!spv__netaddr_read_v2(&addr, &r))
        return;
    spv__netaddr_format(text, &addr);
    spv__netaddr_put_v2(&b, &addr);
    if (b.len != (size_t)(r.at - data) || memcmp(b.bytes, data, b.len) != 0)
        abort();
    spv__buf_clear(&b);
}

static void check_v1(const uint8_t *data, size_t size)
{
    spv_reader r = spv__reader(data, size);
    spv_buf b = SPV_BUF_EMPTY;
    spv_netaddr addr;

    spv__netaddr_read(&addr, &r);
    if (r.err != SPV_OK)
        return;
    spv__netaddr_put(&b, &addr);
    if (b.len != 18 || memcmp(b.bytes, data, b.len) != 0)
        abort();
    spv__buf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t nothing[1];
    const uint8_t *bytes = size ? data : nothing;

    check_text(bytes, size);
    check_v2(bytes, size);
    check_v1(bytes, size);
    return 0;
}
