#ifndef SPV_WIRE_NETADDR_H
#define SPV_WIRE_NETADDR_H

#include <stdbool.h>

#include <spv/machine.h>

#include "base/buf.h"
#include "base/bytes.h"

/** BIP 155 network ids. */
enum {
    SPV__NET_IPV4 = 1,
    SPV__NET_IPV6 = 2,
    SPV__NET_TORV2 = 3,
    SPV__NET_TORV3 = 4,
    SPV__NET_I2P = 5,
    SPV__NET_CJDNS = 6
};

/** Longest address that BIP 155 lets a network have. */
enum { SPV__NETADDR_MAX = 512 };

/** Longest text spv__netaddr_format writes, with its zero. */
#define SPV__NETADDR_TEXT 80

/** "1.2.3.4:8333", "[::1]:18444", "....onion:8333". */
void spv__netaddr_format(char out[SPV__NETADDR_TEXT], const spv_netaddr *addr);

/** Numeric "host[:port]" only, IPv6 in brackets when a port follows. Names
 * are SPV_NOT_FOUND: resolving is somebody else's. */
spv_err spv__netaddr_parse(spv_netaddr *out, const char *text,
                           uint16_t default_port);

/** The same for a name too: `name` (room for `size`) gets the one to be looked
 * up, and `out` only the port; a number leaves it empty. SPV_INVAL. */
spv_err spv__netaddr_parse_name(spv_netaddr *out, char *name, size_t size,
                                const char *text, uint16_t default_port);

/** The 16-byte form and big-endian port of version and addr messages; IPv4
 * and TORv2 travel inside it, and a network that cannot is written as ::. */
void spv__netaddr_read(spv_netaddr *out, spv_reader *r);
void spv__netaddr_put(spv_buf *b, const spv_netaddr *addr);

/**
 * BIP 155: network id, length, address, then the port.
 *
 * False when the entry must be ignored (unknown network, embedded IPv4 or
 * TORv2 in IPv6, CJDNS without its prefix): it was read whole all the same,
 * though an address longer than 32 bytes is not kept. A wrong length for a
 * known network (SPV_MALFORMED), or one over 512 (SPV_LIMIT), fails the reader.
 */
bool spv__netaddr_read_v2(spv_netaddr *out, spv_reader *r);
void spv__netaddr_put_v2(spv_buf *b, const spv_netaddr *addr);

/** Whether all of network, address and port are the same. */
bool spv__netaddr_equal(const spv_netaddr *a, const spv_netaddr *b);

#endif
