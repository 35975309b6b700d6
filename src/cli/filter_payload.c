#include "cli/filter_payload.h"

#include <inttypes.h>

#include <spv/filter.h>

/* What follows a filter's bytes: hash functions (4), tweak (4), flags (1). */
enum { TAIL = 9, FUNCS_LEN = 4 };

/* A payload's first number, as far as it is there. */
typedef struct announced {
    size_t width; /* bytes that it takes */
    uint64_t len; /* of the filter */
    bool is_whole;
    bool is_shortest;
} announced;

static uint64_t little_endian(const uint8_t *bytes, size_t width)
{
    uint64_t n = 0;

    for (size_t i = 0; i < width; i++)
        n |= (uint64_t)bytes[i] << 8 * i;
    return n;
}

/* Up to 252 in a byte of its own; else behind fd, fe or ff in 2, 4 or 8. */
static announced read_announced(const uint8_t *bytes, size_t len)
{
    static const uint64_t least[] = {0xfd, 0x10000, UINT64_C(0x100000000)};
    announced a = {.width = 1, .is_whole = len > 0, .is_shortest = true};

    if (len == 0 || bytes[0] < 0xfd) {
        a.len = len ? bytes[0] : 0;
        return a;
    }
    a.width = 1 + ((size_t)2 << (bytes[0] - 0xfd));
    a.is_whole = len >= a.width;
    if (a.is_whole)
        a.len = little_endian(bytes + 1, a.width - 1);
    a.is_shortest = !a.is_whole || a.len >= least[bytes[0] - 0xfd];
    return a;
}

/* In the order in which it is read. */
static void explain(cli *c, const char *name, spv_err err, const uint8_t *bytes,
                    size_t len)
{
    announced a = read_announced(bytes, len);
    size_t rest = a.is_whole ? len - a.width : 0;
    uint64_t most = SPV_FILTER_BYTES_MAX;

    if (!a.is_whole)
        (void)cli_fail(c, err,
                       "%s is no filterload payload: it ends within "
                       "its first number",
                       name);
    else if (!a.is_shortest)
        (void)cli_fail(c, err,
                       "%s is no filterload payload: its length, "
                       "%" PRIu64 ", is not in its shortest form",
                       name, a.len);
    else if (a.len > most)
        (void)cli_fail(c, err,
                       "%s is no filterload payload: it announces "
                       "%" PRIu64 " bytes, and the protocol's most "
                       "are %" PRIu64,
                       name, a.len, most);
    else if (rest != a.len + TAIL)
        (void)cli_fail(c, err,
                       "%s is no filterload payload: it announces a "
                       "filter of %" PRIu64 " byte%s, which makes "
                       "%" PRIu64 " in all, and has %zu",
                       name, a.len, a.len == 1 ? "" : "s",
                       a.width + a.len + TAIL, len);
    else if (err == SPV_LIMIT)
        (void)cli_fail(c, err,
                       "%s is no filterload payload: it has %" PRIu64
                       " hash functions, and the protocol's most "
                       "are %d",
                       name, little_endian(bytes + a.width + a.len, FUNCS_LEN),
                       SPV_FILTER_FUNCS_MAX);
    else
        (void)cli_fail_plain(c, err);
}

spv_err cli_payload_refuse(cli *c, const char *name, spv_err err,
                           const uint8_t *bytes, size_t len)
{
    if (err == SPV_NOMEM)
        return cli_fail_plain(c, err);
    explain(c, name, err, bytes, len);
    return cli_hint(&c->trouble,
                    "one is what 'filter build' prints: the filter's length "
                    "and bytes, then hash functions (4 bytes), tweak (4) and "
                    "flags (1)");
}
