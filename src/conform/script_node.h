#ifndef SPV_CONFORM_SCRIPT_NODE_H
#define SPV_CONFORM_SCRIPT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>
#include <spv/machine.h>

#include "base/buf.h"
#include "conform/script_break.h"
#include "conform/script_chain.h"
#include "wire/message.h"

/*
 * A full node of the kind that serves BIP 37, without I/O: bytes in, bytes out.
 *
 * Without habits it does what Bitcoin Core does, word for word where it shows:
 * one message after the other, answers in order; its own copy of the filter,
 * updated by what it matches; merkleblock, then the matched transactions in
 * block order and without witness; nothing at all about blocks it does not
 * have in its chain. A habit changes one thing, as a bad peer would.
 */

/** When the node says its version and verack. */
typedef enum spv_script_greeting {
    SPV_SCRIPT_GREETS,
    SPV_SCRIPT_VERACK_FIRST,
    SPV_SCRIPT_TWO_VERSIONS,
    SPV_SCRIPT_MUTE /* says nothing, ever */
} spv_script_greeting;

/** What is wrong with its headers messages of more than one header: with one
 * alone it can still show that it has a block. */
typedef enum spv_script_headers {
    SPV_SCRIPT_TRUE,
    SPV_SCRIPT_GAP,    /* one is left out in the middle */
    SPV_SCRIPT_BESIDE, /* the last is not the one in the chain */
    SPV_SCRIPT_BEYOND, /* they do not stop where they were to */
    SPV_SCRIPT_SHORT,  /* half of them */
    SPV_SCRIPT_NONE    /* none at all, ever: as Core while it syncs */
} spv_script_headers;

typedef struct spv_script_habits {
    spv_script_greeting greeting;
    bool chatter;          /* messages nobody knows, before verack */
    bool no_bloom;         /* no NODE_BLOOM; hangs up on filter messages */
    bool match_everything; /* as if every filter were full */
    bool extra_tx;         /* proves and sends what does not match */
    bool stray_tx;         /* sends what it has not proved */
    bool withhold_tx;      /* proves the last match, but does not send it */
    bool omit_tx;          /* says that the last match does not match */
    unsigned omits;        /* so many in ten matches it passes over, and behaves
                              as if they had not been there */
    bool false_proof;      /* a wrong hash in the merkle proof */
    bool easy_header;      /* the last header of each message lacks work */
    bool wrong_magic;      /* speaks another network's language */
    bool garbage;          /* noise after the handshake */
    bool hang_up_on_data;  /* as at the upload limit */
    bool not_found;        /* answers getdata so, whatever it asks */
    bool full_block;       /* instead of a filtered one */
    bool other_whole;      /* a whole block is not the one of its header */
    bool no_whole;         /* whole blocks it does not give */
    bool unrequested;      /* merkleblocks nobody asked for, on every ping */
    bool babbles;          /* speaks of other things instead of blocks */
    size_t orphan_flood;   /* merkleblocks of no chain, for the first getdata */
    size_t header_flood;   /* messages of headers that lead nowhere, after the
                              first getheaders */
    bool early_inv;        /* announces before the filter is loaded */
    spv_script_headers headers;
    size_t headers_max;    /* messages of them before silence; 0: no end */
    bool inv_only;         /* announces blocks so, whatever it was asked to */
    bool discreet;         /* announces no block at all */
    bool wavers;           /* shows the block before its tip, then the tip,
                              ahead of each pong */
    bool whole_mempool;    /* answers `mempool` with all of it, as bcoin does */
    int32_t silent_after;  /* filtered blocks served before silence; 0: never */
    int32_t claim;         /* added to the height in its version */
    size_t addr_flood;     /* addrv2 messages of 1,000 after the handshake */
    spv_time filter_delay; /* milliseconds spent on a filterload */
    spv_script_break breaks; /* the one rule of BIP 37 that it breaks */
} spv_script_habits;

/** The habits called `name` ("honest", "no_bloom", ...), or NULL. */
const spv_script_habits *spv__script_habits_find(const char *name);

/** Names of all of them; ends with NULL. */
const char *const *spv__script_habits_names(void);

typedef struct spv_script_node spv_script_node;

/** What a node has met; tests look at it. */
typedef struct spv_script_counts {
    size_t sessions;
    size_t received[SPV_MSG_REJECT + 1]; /* by spv_message_kind */
    size_t filtered_asked;               /* blocks, in getdata */
    size_t filtered_served;
    size_t txs_served;
    size_t blocks_served;    /* whole ones */
    size_t txs_asked;        /* outside blocks */
    size_t asked_while_busy; /* getdata come before its filter was in force */
    size_t faults;           /* what made the node hang up on its client */
} spv_script_counts;

/** What a node notices of its client and of itself. */
typedef enum spv_script_noticed {
    SPV_SCRIPT_IGNORED, /* a message it does not act on, or not now */
    SPV_SCRIPT_HEARD,   /* one that it does */
    SPV_SCRIPT_SERVED,  /* it gave a block as it should */
    SPV_SCRIPT_OMITTED, /* or without a match, which nobody can prove */
    SPV_SCRIPT_LIED     /* or said what its client can prove to be false */
} spv_script_noticed;

struct spv_script_served;

typedef struct spv_script_notice {
    spv_script_noticed what;
    const spv_message *message; /* borrowed; of an ignored one the kind alone */
    bool late;                  /* it came before the filter was in force */
    int32_t height;             /* of the block; -1: it is about none */
    bool whole;                 /* a block that was not filtered */
    const struct spv_script_served *served; /* of a filtered one: what came */
    uint64_t nonce; /* of the ping that goes out behind the lie */
    bool in_headers;
    int32_t beyond; /* of a lie in headers: it alone tells of blocks above */
} spv_script_notice;

typedef void spv_script_observer(void *ctx, const spv_script_notice *notice);

/**
 * A node whose chain ends at `tip`; `chain` is borrowed, `habits` copied (NULL:
 * honest). `seed` decides what it does by chance. Owned; NULL: no memory.
 */
spv_script_node *spv__script_node_new(const spv_script_chain *chain,
                                      int32_t tip,
                                      const spv_script_habits *habits,
                                      uint64_t seed);
void spv__script_node_free(spv_script_node *n);

/** Have somebody told what it notices. A ping then goes out behind each lie:
 * whoever answers it has read the lie. */
void spv__script_node_observe(spv_script_node *n, spv_script_observer *observer,
                              void *ctx);

/* One session at a time: begun by a client, ended by either side. */
void spv__script_node_open(spv_script_node *n);
void spv__script_node_close(spv_script_node *n);
void spv__script_node_receive(spv_script_node *n, const uint8_t *bytes,
                              size_t len, spv_time now);
void spv__script_node_elapsed(spv_script_node *n, spv_time now);

/** When elapsed is wanted, or SPV_NEVER. */
spv_time spv__script_node_deadline(const spv_script_node *n);

/** What it wants sent: take the bytes, then spv__buf_reset or _drop. */
spv_buf *spv__script_node_output(spv_script_node *n);

/** It has hung up: what `output` holds still goes out. */
bool spv__script_node_has_hung_up(const spv_script_node *n);

/* Events in its world, told to its client as Core would. */
void spv__script_node_set_tip(spv_script_node *n, int32_t tip);
void spv__script_node_switch(spv_script_node *n, const spv_script_chain *chain,
                             int32_t tip);

/** SPV_NOMEM, or what is wrong with the transaction. */
spv_err spv__script_node_add_tx(spv_script_node *n, const uint8_t *bytes,
                                size_t len);

/**
 * What it answers when it is asked for addresses: a message of so many, also
 * if that is against the rules. Without this it answers nothing. SPV_NOMEM.
 */
spv_err spv__script_node_tell(spv_script_node *n, const spv_addr_entry *entries,
                              size_t count);

/** What made it fail by itself, and hang up: SPV_NOMEM. Else SPV_OK. */
spv_err spv__script_node_err(const spv_script_node *n);

const spv_script_counts *spv__script_node_count(const spv_script_node *n);

/** The filter of the present session; zeroed when there is none. */
const spv_filter *spv__script_node_filter(const spv_script_node *n);

/** Whether a client has sent it this transaction. */
bool spv__script_node_has_tx(const spv_script_node *n, const spv_hash *txid);

#endif
