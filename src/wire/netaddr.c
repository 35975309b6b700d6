#include "wire/netaddr.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

enum { IPV6_LEN = 16, ONION_V3_VERSION = 3, ONION_CHECKSUM_LEN = 2 };

/* How networks without a 16-byte form of their own travel in one. */
static const uint8_t ipv4_prefix[12] = {[10] = 0xff, [11] = 0xff};
static const uint8_t torv2_prefix[6] = {0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43};

enum { CJDNS_PREFIX = 0xfc };

/* The only length of each network BIP 155 knows; zero for the rest. */
static size_t address_len(uint8_t net)
{
    static const uint8_t lens[] = {
        [SPV__NET_IPV4] = 4,   [SPV__NET_IPV6] = IPV6_LEN,
        [SPV__NET_TORV2] = 10, [SPV__NET_TORV3] = 32,
        [SPV__NET_I2P] = 32,   [SPV__NET_CJDNS] = IPV6_LEN,
    };

    return net < sizeof(lens) ? lens[net] : 0;
}

static void set(spv_netaddr *out, uint8_t net, const uint8_t *bytes, size_t len)
{
    assert(len <= sizeof(out->addr));
    out->net = net;
    out->len = (uint8_t)len;
    memset(out->addr, 0, sizeof(out->addr));
    memcpy(out->addr, bytes, len);
}

static bool has_prefix(const uint8_t *bytes, const uint8_t *prefix, size_t len)
{
    return memcmp(bytes, prefix, len) == 0;
}

static void set_from_ipv6(spv_netaddr *out, const uint8_t ip[IPV6_LEN])
{
    if (has_prefix(ip, ipv4_prefix, sizeof(ipv4_prefix)))
        set(out, SPV__NET_IPV4, ip + sizeof(ipv4_prefix), 4);
    else if (has_prefix(ip, torv2_prefix, sizeof(torv2_prefix)))
        set(out, SPV__NET_TORV2, ip + sizeof(torv2_prefix), 10);
    else
        set(out, SPV__NET_IPV6, ip, IPV6_LEN);
}

void spv__netaddr_read(spv_netaddr *out, spv_reader *r)
{
    const uint8_t *ip = spv__read_bytes(r, IPV6_LEN);

    memset(out, 0, sizeof(*out));
    if (ip)
        set_from_ipv6(out, ip);
    out->port = spv__read_u16be(r);
}

static void put_ipv6(uint8_t ip[IPV6_LEN], const spv_netaddr *addr)
{
    memset(ip, 0, IPV6_LEN);
    if (addr->net == SPV__NET_IPV6) {
        memcpy(ip, addr->addr, IPV6_LEN);
    } else if (addr->net == SPV__NET_IPV4) {
        memcpy(ip, ipv4_prefix, sizeof(ipv4_prefix));
        memcpy(ip + sizeof(ipv4_prefix), addr->addr, 4);
    } else if (addr->net == SPV__NET_TORV2) {
        memcpy(ip, torv2_prefix, sizeof(torv2_prefix));
        memcpy(ip + sizeof(torv2_prefix), addr->addr, 10);
    }
}

void spv__netaddr_put(spv_buf *b, const spv_netaddr *addr)
{
    uint8_t ip[IPV6_LEN];

    put_ipv6(ip, addr);
    spv__put_bytes(b, ip, sizeof(ip));
    spv__put_u16be(b, addr->port);
}

/* Whether a network's address is one that it may give out as its own. */
static bool is_own(uint8_t net, const uint8_t *bytes)
{
    if (net == SPV__NET_IPV6)
        return !has_prefix(bytes, ipv4_prefix, sizeof(ipv4_prefix)) &&
               !has_prefix(bytes, torv2_prefix, sizeof(torv2_prefix));
    return net != SPV__NET_CJDNS || bytes[0] == CJDNS_PREFIX;
}

bool spv__netaddr_read_v2(spv_netaddr *out, spv_reader *r)
{
    uint8_t net = spv__read_u8(r);
    uint64_t len = spv__read_compact(r);
    size_t right_len = address_len(net);
    const uint8_t *bytes = NULL;

    memset(out, 0, sizeof(*out));
    if (len > SPV__NETADDR_MAX)
        spv__read_fail(r, SPV_LIMIT);
    if (right_len && len != right_len)
        spv__read_fail(r, SPV_MALFORMED);
    bytes = spv__read_bytes(r, (size_t)len);
    out->net = net;
    out->port = spv__read_u16be(r);
    if (r->err != SPV_OK)
        return false;
    if (len <= sizeof(out->addr))
        set(out, net, bytes, (size_t)len);
    return right_len && is_own(net, bytes);
}

void spv__netaddr_put_v2(spv_buf *b, const spv_netaddr *addr)
{
    spv__put_u8(b, addr->net);
    spv__put_var_bytes(b, addr->addr, addr->len);
    spv__put_u16be(b, addr->port);
}

bool spv__netaddr_equal(const spv_netaddr *a, const spv_netaddr *b)
{
    return a->net == b->net && a->port == b->port && a->len == b->len &&
           memcmp(a->addr, b->addr, a->len) == 0;
}

/* RFC 4648, lower case and without padding, as .onion and .i2p names are. */
static void put_base32(char *out, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint32_t bits = 0;
    unsigned held = 0;

    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | bytes[i];
        for (held += 8; held >= 5; held -= 5)
            *out++ = digits[bits >> (held - 5) & 31];
    }
    if (held)
        *out++ = digits[bits << (5 - held) & 31];
    *out = '\0';
}

/* Tor's rend-spec-v3: a key, two bytes of SHA3-256 over it, and the version. */
static void put_onion_v3(char *out, const uint8_t key[32])
{
    static const char label[] = ".onion checksum";
    uint8_t name[32 + ONION_CHECKSUM_LEN + 1];
    uint8_t text[sizeof(label) - 1 + 32 + 1];
    uint8_t hash[32];

    memcpy(text, label, sizeof(label) - 1);
    memcpy(text + sizeof(label) - 1, key, 32);
    text[sizeof(text) - 1] = ONION_V3_VERSION;
    spv__sha3_256(hash, text, sizeof(text));

    memcpy(name, key, 32);
    memcpy(name + 32, hash, ONION_CHECKSUM_LEN);
    name[sizeof(name) - 1] = ONION_V3_VERSION;
    put_base32(out, name, sizeof(name));
}

/* Host without port, and what closes it: "]" or a name's last part. */
static const char *put_host(char *out, const spv_netaddr *addr)
{
    switch (addr->net) {
    case SPV__NET_IPV4:
        (void)inet_ntop(AF_INET, addr->addr, out, INET_ADDRSTRLEN);
        return "";
    case SPV__NET_IPV6:
    case SPV__NET_CJDNS:
        *out = '[';
        (void)inet_ntop(AF_INET6, addr->addr, out + 1, INET6_ADDRSTRLEN);
        return "]";
    case SPV__NET_TORV2:
        put_base32(out, addr->addr, addr->len);
        return ".onion";
    case SPV__NET_TORV3:
        put_onion_v3(out, addr->addr);
        return ".onion";
    case SPV__NET_I2P:
        put_base32(out, addr->addr, addr->len);
        return ".b32.i2p";
    }
    *out = '\0';
    return "unknown";
}

void spv__netaddr_format(char out[SPV__NETADDR_TEXT], const spv_netaddr *addr)
{
    char host[64];
    const char *tail = put_host(host, addr);

    (void)snprintf(out, SPV__NETADDR_TEXT, "%s%s:%u", host, tail,
                   (unsigned)addr->port);
}

static spv_err parse_port(uint16_t *out, const char *text)
{
    uint32_t port = 0;
    size_t n = strspn(text, "0123456789");

    if (n == 0 || n > 5 || text[n] != '\0')
        return SPV_MALFORMED;
    for (size_t i = 0; i < n; i++)
        port = port * 10 + (uint32_t)(text[i] - '0');
    if (port == 0 || port > UINT16_MAX)
        return SPV_MALFORMED;
    *out = (uint16_t)port;
    return SPV_OK;
}

/* A host of `len` characters; what is no number may be a name. */
static spv_err parse_host(spv_netaddr *out, const char *text, size_t len)
{
    char host[INET6_ADDRSTRLEN];
    uint8_t ip[IPV6_LEN];

    if (len == 0)
        return SPV_MALFORMED;
    if (len >= sizeof(host))
        return SPV_NOT_FOUND;
    memcpy(host, text, len);
    host[len] = '\0';
    if (inet_pton(AF_INET, host, ip) == 1)
        set(out, SPV__NET_IPV4, ip, 4);
    else if (inet_pton(AF_INET6, host, ip) == 1)
        set_from_ipv6(out, ip);
    else
        return SPV_NOT_FOUND;
    return SPV_OK;
}

/* "[...]" or "[...]:port": only an IPv6 address is written so. */
static spv_err parse_bracketed(spv_netaddr *out, const char *text)
{
    const char *close = strchr(text, ']');

    if (!close || (close[1] != '\0' && close[1] != ':'))
        return SPV_MALFORMED;
    if (close[1] == ':' && parse_port(&out->port, close + 2) != SPV_OK)
        return SPV_MALFORMED;
    if (!memchr(text, ':', (size_t)(close - text)))
        return SPV_MALFORMED;
    return parse_host(out, text + 1, (size_t)(close - text - 1)) == SPV_OK
               ? SPV_OK
               : SPV_MALFORMED;
}

spv_err spv__netaddr_parse(spv_netaddr *out, const char *text,
                           uint16_t default_port)
{
    const char *colon = strchr(text, ':');

    memset(out, 0, sizeof(*out));
    out->port = default_port;
    if (*text == '[')
        return parse_bracketed(out, text);
    if (!colon || strchr(colon + 1, ':'))
        return parse_host(out, text, strlen(text));
    if (parse_port(&out->port, colon + 1) != SPV_OK)
        return SPV_MALFORMED;
    return parse_host(out, text, (size_t)(colon - text));
}

spv_err spv__netaddr_parse_name(spv_netaddr *out, char *name, size_t size,
                                const char *text, uint16_t default_port)
{
    spv_err err = spv__netaddr_parse(out, text, default_port);
    size_t len = strcspn(text, ":");

    *name = '\0';
    if (err != SPV_NOT_FOUND)
        return err == SPV_OK ? SPV_OK : SPV_INVAL;
    if (len >= size)
        return SPV_INVAL;
    if (text[len] && parse_port(&out->port, text + len + 1) != SPV_OK)
        return SPV_INVAL;
    memcpy(name, text, len);
    name[len] = '\0';
    return SPV_OK;
}
