#include "p2p/reach.h"

#include <stddef.h>
#include <string.h>

#include "wire/netaddr.h"

typedef struct prefix {
    uint8_t bytes[4];
    unsigned bits;
} prefix;

/* IANA's registries of special-purpose addresses, and multicast. */
static const prefix special_ipv4[] = {
    {{0}, 8},
    {{10}, 8},
    {{100, 64}, 10},
    {{127}, 8},
    {{169, 254}, 16},
    {{172, 16}, 12},
    {{192, 0, 0}, 24},
    {{192, 0, 2}, 24},
    {{192, 88, 99}, 24},
    {{192, 168}, 16},
    {{198, 18}, 15},
    {{198, 51, 100}, 24},
    {{203, 0, 113}, 24},
    {{224}, 4},
    {{240}, 4},
};

/* Of 2000::/3, which is all that is global: protocols, documentation and
 * tunnels (Teredo, 6to4). */
static const prefix special_ipv6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23},
    {{0x20, 0x01, 0x0d, 0xb8}, 32},
    {{0x20, 0x02}, 16},
    {{0x3f, 0xff, 0x00}, 20},
};

static const prefix global_ipv6 = {{0x20}, 3};

static uint32_t first_32(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_in(const spv_netaddr *addr, const prefix *p)
{
    return (first_32(addr->addr) ^ first_32(p->bytes)) >> (32 - p->bits) == 0;
}

static bool is_in_any(const spv_netaddr *addr, const prefix *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_in(addr, &list[i]))
            return true;
    return false;
}

#define IS_IN(addr, list) \
    is_in_any((addr), (list), sizeof(list) / sizeof((list)[0]))

bool spv__reach_is_public(const spv_netaddr *addr)
{
    if (addr->port == 0)
        return false;
    if (addr->net == SPV__NET_IPV4)
        return !IS_IN(addr, special_ipv4);
    return addr->net == SPV__NET_IPV6 && is_in(addr, &global_ipv6) &&
           !IS_IN(addr, special_ipv6);
}

bool spv__reach_same_host(const spv_netaddr *a, const spv_netaddr *b)
{
    return a->net == b->net && a->len == b->len &&
           memcmp(a->addr, b->addr, a->len) == 0;
}

/* FNV-1a: nobody gains by a collision of addresses that a user names. */
static uint64_t hash(const spv_netaddr *addr)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) + addr->port;

    for (size_t i = 0; i < addr->len; i++)
        h = (h ^ addr->addr[i]) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t spv__reach_group(const spv_netaddr *addr)
{
    uint64_t net = (uint64_t)addr->net << 32;

    if (!spv__reach_is_public(addr))
        return hash(addr) | UINT64_C(1) << 63;
    return net | (addr->net == SPV__NET_IPV4 ? first_32(addr->addr) >> 16
                                             : first_32(addr->addr));
}
