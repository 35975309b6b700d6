#ifndef SPV_CLIENT_CLIENT_H
#define SPV_CLIENT_CLIENT_H

#include <spv/client.h>

#include "chain/tree.h"
#include "client/doubt.h"
#include "client/events.h"
#include "client/plan.h"
#include "client/trail.h"
#include "p2p/sync.h"
#include "wallet/wallet.h"

/*
 * The composition root: a wallet, the headers, the sync, and whatever keeps
 * them, joined into one machine.
 *
 *     block -> foresee -> judge -> doubt -> apply -> ledger -> settle -> keep
 */

/** Keys that enter the log beyond the gap window, unless a wallet has a number
 * of its own. A reload of the filter holds up everything in flight, so there
 * are many: hundreds of receipts pass before one is due. */
enum { SPV__CLIENT_LOOKAHEAD = 500 };

/** Seconds after which an unconfirmed transaction is given up: nodes forget
 * theirs after two weeks, too. */
enum { SPV__UNCONFIRMED_S = 14 * 86400 };

/** A run that stays looks for these now and then. */
enum { SPV__EXPIRE_MS = 3600000 };

/** At most so long after a change it is on disk. */
enum { SPV__KEEP_MS = 500 };

/** Blocks before the birthday that are looked at all the same: a day. */
enum { SPV__BIRTHDAY_MARGIN = 144, SPV__BIRTHDAY_MARGIN_S = 86400 };

/** What a wallet is, beside what it found. */
typedef struct spv_profile {
    char name[65];
    char type[16];
    bool watch_only;
    bool encrypted; /**< its secret, on disk */
    uint32_t gap;
    uint32_t lookahead;
    int32_t birthday;      /**< height, or -1 until headers tell */
    int64_t birthday_time; /**< Unix seconds, or -1 */
    int32_t scan_from;     /**< where a rescan is to begin, or -1 */
    int64_t scan_time;     /**< the same as a date without known headers, Unix
                                seconds; or 0 */
    double fp_rate;        /**< of the plan, as asked for; 0: not known */
    uint8_t flags;         /**< asked for at its making; then in the plan */
    char **descriptors;    /**< public texts; owned */
    size_t n_descriptors;
} spv_profile;

void spv__profile_clear(spv_profile *p);

/** Add a descriptor's text; copied. SPV_NOMEM. */
spv_err spv__profile_add(spv_profile *p, const char *descriptor);

/** Who remembers what a client found; all NULL for a client in memory. */
typedef struct spv_keeper {
    void *self;
    spv_err (*keep)(void *self, spv_client *client, spv_trouble *trouble);
    void (*free)(void *self);
} spv_keeper;

/** One run of the machine. */
typedef struct spv_run {
    spv_sync sync;
    spv_doubts doubts;
    bool prepared; /**< `sync` owns something */
    bool over;     /**< the outcome is known */
    bool told;     /**< SPV_OUT_DONE was handed out */
    spv_err outcome;
    spv_phase phase;
    int32_t start_height;
    spv_time timeout; /**< 0: none */
    spv_time kept_at;
    size_t doubtful;      /**< blocks that may not be all there was */
    uint32_t served;      /**< peers that were found and served */
    spv_hash headers_tip; /**< of the tree, when it was looked at last */
    spv_time expired_at;  /**< when was looked for what expires */
    uint32_t wallet_transactions;
    uint32_t false_positives;
    uint64_t elements_tested; /**< of the transactions seen, for the average */
    uint32_t transactions_seen;
    double expected; /**< false positives by now, from honest nodes */
    double rate;     /**< of the filter when it held `rate_length` */
    size_t rate_length;
    spv_teller teller;
    bool crowd_told; /**< that too many unconfirmed ones are announced */
    bool stay;
    int32_t until; /**< where even a run that stays ends; 0: nowhere */
} spv_run;

struct spv_client {
    const spv_network *network;
    spv_profile profile;
    spv_plan plan;
    spv_wallet *wallet;
    spv_header_tree *tree;
    spv_filter filter; /**< the plan's, with the log up to `filtered` */
    size_t filtered;
    int32_t position; /**< SPV_NO_HEIGHT: nothing was applied yet */
    spv_hash position_hash;
    int32_t reached; /**< the highest position before a rescan */
    spv_trail trail;
    bool changed; /**< something is to be kept */
    spv_keeper keeper;
    spv_book book;          /**< peers, of all wallets in this folder */
    const spv_seeds *seeds; /**< where to look for others; static */
    spv_run run;
    spv_trouble trouble;
};

/** Say what went wrong; returns `code`. `trouble` may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
spv_err
spv__trouble_set(spv_trouble *trouble, spv_err code, const char *format, ...);

/** Add advice to the trouble told last. */
void spv__trouble_hint(spv_trouble *trouble, const char *hint);

/** "<peer> <what>", cut to `size`. */
void spv__explain_peer(char *out, size_t size, const spv_candidate *peer,
                       const char *what);

/** Doubt every block that the wallet believes in from before. SPV_NOMEM. */
spv_err spv__client_begin_doubts(spv_client *c);

/** The position is at `height` again, at or below where it was; outside a run.
 */
void spv__client_move_back(spv_client *c, int32_t height);

/**
 * Look once more at all blocks above `height`, which is at or below the
 * position. Nothing is undone: what a block showed before it shows again, and
 * what it did not is added. SPV_NOMEM.
 */
spv_err spv__client_go_back(spv_client *c, int32_t height);

/** Nobody is left to ask, or the time is up: the run's trouble in words, with
 * what to do about it. They return its code, which `err` is for the first. */
spv_err spv__explain_loss(spv_client *c, spv_err err);
spv_err spv__explain_timeout(spv_client *c);

/**
 * A client of `profile`, whose contents are taken over (and zeroed) on
 * success. The wallet watches the descriptors; nothing is derived or loaded.
 */
spv_err spv__client_make(spv_client **out, const spv_network *network,
                         spv_profile *profile, spv_trouble *trouble);

/** Where headers begin for this wallet; NULL: at genesis. Static. */
const spv_checkpoint *spv__client_base(const spv_client *c);

/** The height that confirmations are counted from: blocks that a rescan has
 * yet to come to again do not stop being there. */
int32_t spv__client_tip(const spv_client *c);

/** Whether a rescan was asked for that has not begun. */
bool spv__rescan_is_pending(const spv_profile *p);

/** The headers are known: where does the rescan begin that was asked for? The
 * wish is then forgotten. SPV_NO_HEIGHT when there is nothing to go back for.
 */
int32_t spv__rescan_take(spv_client *c);

/** Give a client made new its keys, its plan and an empty tree. */
spv_err spv__client_begin(spv_client *c, const uint8_t entropy[32],
                          spv_trouble *trouble);

/** Bring the filter and the sync up to the length of the log. */
void spv__client_follow_log(spv_client *c);

/** A peer announced a transaction; SPV_NOMEM, SPV_LIMIT as the wallet's. */
spv_err spv__client_take_relayed(spv_client *c, const spv_relayed *relayed);

/** Elements from `from` on are new, and no block brought them: filter and
 * ledger learn them, as outpoints that no node has yet. SPV_NOMEM. */
spv_err spv__client_take_in(spv_client *c, size_t from);

/** How far nothing is owed; the position, outside a run. */
int32_t spv__client_sure_height(spv_client *c);

/** What a new wallet needs beside its profile; spv__secrets_clear. */
typedef struct spv_secrets {
    spv_buf text;        /**< that spends, for the disk; empty: watch-only */
    uint8_t entropy[32]; /**< of the filter plan */
} spv_secrets;

#define SPV_SECRETS_EMPTY ((spv_secrets){.text = SPV_BUF_EMPTY})

/** Overwrite and free. */
void spv__secrets_clear(spv_secrets *s);

/** Fill a profile and the secrets beside it from what the user asked for. */
spv_err spv__profile_of_spec(spv_profile *out, spv_secrets *secrets,
                             const spv_wallet_spec *spec,
                             const spv_network *network, spv_trouble *trouble);

#endif
