#ifndef SUPPORT_SIMNODE_H
#define SUPPORT_SIMNODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>
#include <spv/machine.h>

#include "base/buf.h"
#include "support/rng.h"
#include "support/simchain.h"
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
typedef enum simnode_greeting {
    SIMNODE_GREETS,
    SIMNODE_VERACK_FIRST,
    SIMNODE_TWO_VERSIONS,
    SIMNODE_MUTE /* says nothing, ever */
} simnode_greeting;

/** What is wrong with its headers messages of more than one header: with one
 * alone it can still show that it has a block. */
typedef enum simnode_headers {
    SIMNODE_TRUE,
    SIMNODE_GAP,    /* one is left out in the middle */
    SIMNODE_BESIDE, /* the last is not the one in the chain */
    SIMNODE_BEYOND, /* they do not stop where they were to */
    SIMNODE_SHORT,  /* half of them */
    SIMNODE_NONE    /* none at all, ever: as Core while it syncs */
} simnode_headers;

typedef struct simnode_habits {
    simnode_greeting greeting;
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
    simnode_headers headers;
    size_t headers_max;    /* messages of them before silence; 0: no end */
    bool inv_only;         /* announces blocks so, whatever it was asked to */
    bool discreet;         /* announces no block at all */
    bool whole_mempool;    /* answers `mempool` with all of it, as bcoin does */
    int32_t silent_after;  /* filtered blocks served before silence; 0: never */
    int32_t claim;         /* added to the height in its version */
    size_t addr_flood;     /* addrv2 messages of 1,000 after the handshake */
    spv_time filter_delay; /* milliseconds spent on a filterload */
} simnode_habits;

/** The habits called `name` ("honest", "no_bloom", ...), or NULL. */
const simnode_habits *simnode_habits_find(const char *name);

/** Names of all of them; ends with NULL. */
const char *const *simnode_habit_names(void);

typedef struct simnode simnode;

/** What a node has met; tests look at it. */
typedef struct simnode_counts {
    size_t sessions;
    size_t received[SPV_MSG_REJECT + 1]; /* by spv_message_kind */
    size_t filtered_asked;               /* blocks, in getdata */
    size_t filtered_served;
    size_t txs_served;
    size_t blocks_served;    /* whole ones */
    size_t txs_asked;        /* outside blocks */
    size_t asked_while_busy; /* getdata come before its filter was in force */
    size_t faults;           /* what made the node hang up on its client */
} simnode_counts;

/**
 * A node whose chain ends at `tip`; `chain` is borrowed, `habits` copied (NULL:
 * honest). `seed` decides what it does by chance. Owned.
 */
simnode *simnode_new(const simchain *chain, int32_t tip,
                     const simnode_habits *habits, uint64_t seed);
void simnode_free(simnode *n);

/* One session at a time: begun by a client, ended by either side. */
void simnode_open(simnode *n);
void simnode_close(simnode *n);
void simnode_receive(simnode *n, const uint8_t *bytes, size_t len,
                     spv_time now);
void simnode_elapsed(simnode *n, spv_time now);

/** When elapsed is wanted, or SPV_NEVER. */
spv_time simnode_deadline(const simnode *n);

/** What it wants sent: take the bytes, then spv__buf_reset or _drop. */
spv_buf *simnode_output(simnode *n);

/** It has hung up: what `output` holds still goes out. */
bool simnode_has_hung_up(const simnode *n);

/* Events in its world, told to its client as Core would. */
void simnode_set_tip(simnode *n, int32_t tip);
void simnode_switch(simnode *n, const simchain *chain, int32_t tip);
void simnode_add_tx(simnode *n, const uint8_t *bytes, size_t len);

const simnode_counts *simnode_count(const simnode *n);

/** The filter of the present session; zeroed when there is none. */
const spv_filter *simnode_filter(const simnode *n);

/** Whether a client has sent it this transaction. */
bool simnode_has_tx(const simnode *n, const spv_hash *txid);

#endif
