#ifndef SPV_WIRE_MESSAGE_H
#define SPV_WIRE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/header.h>
#include <spv/machine.h>
#include <spv/network.h>
#include <spv/tx.h>

#include "base/buf.h"
#include "base/bytes.h"

/*
 * Every message an SPV client meets, as views into the payload.
 *
 * A decoded message borrows: it is valid until the payload's bytes move.
 * Arrays of fixed-size items stay as bytes and are read item by item with the
 * small readers below, so no message but `tx` and `block` needs memory.
 * Trailing bytes are refused, except in `version`, which grows at its end, and
 * in `reject`, whose data no BIP bounds.
 *
 * Readers and writers of a message are neighbours in version.c, inv.c, addr.c,
 * headers.c, block.c, filter_messages.c and control.c; message.c is the table.
 */

/** Limits of the protocol, as the reference implementation has them. */
enum {
    SPV__INV_MAX = 50000,
    SPV__HEADERS_MAX = 2000,
    SPV__LOCATOR_MAX = 101,
    SPV__ADDR_MAX = 1000,
    SPV__USER_AGENT_MAX = 256,
    SPV__FILTER_BYTES_MAX = 36000,
    SPV__FILTER_FUNCS_MAX = 50,
    SPV__FILTERADD_MAX = 520,
    SPV__REJECT_MESSAGE_MAX = 12, /* BIP 61 names a command */
    SPV__REJECT_REASON_MAX = 111
};

/** Protocol versions that mean something to us. */
enum {
    SPV__PROTOCOL_VERSION = 70016,  /* what we say */
    SPV__PROTOCOL_MIN = 70001,      /* BIP 37 */
    SPV__PROTOCOL_BLOOM_BIT = 70011 /* BIP 111: NODE_BLOOM is meaningful */
};

/** Versions from which a peer knows what a BIP added. */
enum {
    SPV__PROTOCOL_OLDEST = 31800,        /* older ones nobody talks to */
    SPV__PROTOCOL_PING_NONCE = 60001,    /* BIP 31 */
    SPV__PROTOCOL_MEMPOOL = 60002,       /* BIP 35 */
    SPV__PROTOCOL_SENDHEADERS = 70012,   /* BIP 130 */
    SPV__PROTOCOL_FEEFILTER = 70013,     /* BIP 133 */
    SPV__PROTOCOL_SENDCMPCT = 70014,     /* BIP 152 */
    SPV__PROTOCOL_CMPCT_LENIENT = 70015, /* no ban for a bad compact block */
    SPV__PROTOCOL_WTXIDRELAY = 70016     /* BIP 339; sendaddrv2 comes with it */
};

/** Service bits of version and addr messages. */
enum {
    SPV__NODE_NETWORK = 1 << 0,
    SPV__NODE_GETUTXO = 1 << 1,
    SPV__NODE_BLOOM = 1 << 2,
    SPV__NODE_WITNESS = 1 << 3,
    SPV__NODE_COMPACT_FILTERS = 1 << 6,
    SPV__NODE_NETWORK_LIMITED = 1 << 10
};

typedef enum spv_inv_type {
    SPV_INV_TX = 1,
    SPV_INV_BLOCK = 2,
    SPV_INV_FILTERED_BLOCK = 3,
    SPV_INV_COMPACT_BLOCK = 4,
    SPV_INV_WTX = 5,
    SPV_INV_WITNESS_TX = 0x40000001,
    SPV_INV_WITNESS_BLOCK = 0x40000002,
    SPV_INV_FILTERED_WITNESS_BLOCK = 0x40000003 /* BIP 144 reserves it */
} spv_inv_type;

/** Name and wire command of every message; one line makes all the tables. */
#define SPV__MESSAGE_MAP(X)       \
    X(VERSION, "version")         \
    X(VERACK, "verack")           \
    X(PING, "ping")               \
    X(PONG, "pong")               \
    X(WTXIDRELAY, "wtxidrelay")   \
    X(SENDADDRV2, "sendaddrv2")   \
    X(SENDHEADERS, "sendheaders") \
    X(SENDCMPCT, "sendcmpct")     \
    X(FEEFILTER, "feefilter")     \
    X(ADDR, "addr")               \
    X(ADDRV2, "addrv2")           \
    X(GETADDR, "getaddr")         \
    X(INV, "inv")                 \
    X(GETDATA, "getdata")         \
    X(NOTFOUND, "notfound")       \
    X(GETHEADERS, "getheaders")   \
    X(GETBLOCKS, "getblocks")     \
    X(HEADERS, "headers")         \
    X(BLOCK, "block")             \
    X(TX, "tx")                   \
    X(MEMPOOL, "mempool")         \
    X(FILTERLOAD, "filterload")   \
    X(FILTERADD, "filteradd")     \
    X(FILTERCLEAR, "filterclear") \
    X(MERKLEBLOCK, "merkleblock") \
    X(REJECT, "reject")

typedef enum spv_message_kind {
    SPV_MSG_UNKNOWN,
#define X(name, command) SPV_MSG_##name,
    SPV__MESSAGE_MAP(X)
#undef X
} spv_message_kind;

/**
 * What a node says of itself. A payload may end after `to`, `nonce`,
 * `user_agent` or `start_height`: what is absent reads as zero or empty. The
 * writer writes them all, `relay` too: absent it would mean "send everything".
 */
typedef struct spv_version {
    int32_t version;
    uint64_t services;
    int64_t time; /**< Unix seconds */
    uint64_t to_services;
    spv_netaddr to;
    uint64_t from_services;
    spv_netaddr from;
    uint64_t nonce;
    const char *user_agent; /**< borrowed, not zero ended */
    size_t user_agent_len;
    int32_t start_height;
    bool relay; /**< true when the field is absent (BIP 37) */
    bool relay_present;
} spv_version;

/** Fixed-size items left as bytes; read with the functions below. */
typedef struct spv_items {
    const uint8_t *bytes;
    size_t n;
} spv_items;

/** One entry of inv, getdata and notfound. */
typedef struct spv_inv {
    uint32_t type; /**< spv_inv_type, or one we do not know */
    spv_hash hash;
} spv_inv;

/** Entries of addr and addrv2, read one by one. */
typedef struct spv_addr_entry {
    uint32_t time; /**< when it was last seen, Unix seconds */
    uint64_t services;
    spv_netaddr addr;
    bool known; /**< false: an addrv2 entry to be passed over */
} spv_addr_entry;

/** The entries left; all of them have been seen to be well-formed. */
typedef struct spv_addrs {
    size_t n;
    spv_reader at; /**< advances with spv__addr_next */
    bool v2;
} spv_addrs;

/** getheaders and getblocks: what we have, and where to stop. */
typedef struct spv_locator {
    uint32_t version;
    spv_items hashes; /**< 32 bytes each, wire order */
    spv_hash stop;
} spv_locator;

/** BIP 37: at most 36,000 bytes and 50 functions, both checked. */
typedef struct spv_filterload {
    const uint8_t *filter;
    size_t len;
    uint32_t hash_funcs;
    uint32_t tweak;
    uint8_t flags;
} spv_filterload;

/** BIP 37: a header and a partial merkle tree. */
typedef struct spv_merkleblock {
    const uint8_t *header; /**< SPV_HEADER_LEN bytes */
    uint32_t n_transactions;
    spv_items hashes; /**< 32 bytes each, wire order */
    const uint8_t *flags;
    size_t flags_len;
} spv_merkleblock;

/** BIP 61; texts are not zero ended. */
typedef struct spv_reject {
    const char *message; /**< the command that was refused */
    size_t message_len;
    uint8_t code;
    const char *reason;
    size_t reason_len;
    const uint8_t *data; /**< a tx's or block's hash, 32 bytes; may be empty */
    size_t data_len;
} spv_reject;

/** A block: header, then transactions read one by one with spv_tx_decode. */
typedef struct spv_block {
    const uint8_t *header;
    size_t n_tx;
    const uint8_t *txs;
    size_t txs_len;
} spv_block;

typedef struct spv_message {
    spv_message_kind kind;
    bool has_nonce; /**< false: a ping from before BIP 31, wants no pong */
    union {
        spv_version version;
        uint64_t nonce;   /**< ping, pong */
        int64_t fee_rate; /**< feefilter: satoshi per 1000 vbytes */
        struct {
            bool announce;
            uint64_t version;
        } sendcmpct;
        spv_addrs addrs;     /**< addr, addrv2 */
        spv_items inv;       /**< inv, getdata, notfound: 36 bytes each */
        spv_locator locator; /**< getheaders, getblocks */
        spv_items headers;   /**< 81 bytes each: header and a zero count */
        spv_block block;
        spv_tx tx; /**< owns memory: spv__message_clear */
        spv_filterload filterload;
        struct {
            const uint8_t *data;
            size_t len;
        } filteradd;
        spv_merkleblock merkleblock;
        spv_reject reject;
    } as;
} spv_message;

/** Kind of a command; SPV_MSG_UNKNOWN when it is none of ours. */
spv_message_kind spv__message_find(const char *command);

/** The wire command of a kind; "" for SPV_MSG_UNKNOWN. Static. */
const char *spv__message_command(spv_message_kind kind);

/**
 * Decode a payload. SPV_TRUNCATED, SPV_MALFORMED, SPV_LIMIT (a count over the
 * protocol's), SPV_NOMEM; then nothing needs clearing. An unknown kind is
 * SPV_OK and carries nothing.
 */
spv_err spv__message_decode(spv_message *out, spv_message_kind kind,
                            const uint8_t *payload, size_t len);

/** Free what a message owns (only `tx` does). Always allowed. */
void spv__message_clear(spv_message *m);

/** Item `i` (< n) of inv, getdata or notfound. */
spv_inv spv__inv_get(const spv_items *items, size_t i);

/** Header `i` (< n) of a headers message: 80 borrowed bytes. */
const uint8_t *spv__headers_get(const spv_items *items, size_t i);

/** The next entry; false when there are no more or the bytes are wrong. */
bool spv__addr_next(spv_addr_entry *out, spv_addrs *addrs);

/*
 * Writers append a payload; spv__frame_begin/_end put a frame around it. One
 * that is given more than the protocol's limit makes the buffer fail with
 * SPV_LIMIT. ping, pong and feefilter are one spv__put_u64.
 */
void spv__put_version(spv_buf *b, const spv_version *v);
void spv__put_inv(spv_buf *b, const spv_inv *items, size_t n);
void spv__put_locator(spv_buf *b, uint32_t version, const spv_hash *hashes,
                      size_t n, const spv_hash *stop);
void spv__put_headers(spv_buf *b, const uint8_t (*headers)[SPV_HEADER_LEN],
                      size_t n);
void spv__put_filterload(spv_buf *b, const spv_filterload *f);
void spv__put_filteradd(spv_buf *b, const uint8_t *data, size_t len);
void spv__put_merkleblock(spv_buf *b, const spv_merkleblock *m);
void spv__put_bare_tx(spv_buf *b, const spv_tx *tx); /* without witness */
void spv__put_addr(spv_buf *b, const spv_addr_entry *entries, size_t n);
void spv__put_addrv2(spv_buf *b, const spv_addr_entry *entries, size_t n);
void spv__put_reject(spv_buf *b, const spv_reject *r);

#endif
