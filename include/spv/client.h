#ifndef SPV_CLIENT_H
#define SPV_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/event.h>
#include <spv/filter.h>
#include <spv/machine.h>
#include <spv/mnemonic.h>
#include <spv/network.h>
#include <spv/wallet.h>

/*
 * The client: one wallet, the headers it trusts, and the machine that brings
 * both up to date.
 *
 *     spv_client_open     a wallet that lies in a data folder
 *     spv_client_machine  what a reactor drives until it is synced
 *     spv_client_coins    ... what it found
 *     spv_client_free
 *
 * A library built without SQLite (SPV_WITH_STORE off) keeps wallets in memory
 * only: it has spv_client_new, but not spv_client_create, spv_client_open,
 * spv_client_encrypt, spv_wallet_backup, spv_wallet_names and spv_names_free,
 * nor anything of spv/peers.h.
 *
 * One thread at a time may use a client. Whatever a block changed is on disk
 * before the next block is looked at (several blocks may share a commit), so
 * a client can be freed, or killed, at any moment.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spv_client spv_client;

/** What went wrong, for a person: one sentence, and what to do about it. */
typedef struct spv_trouble {
    spv_err code;
    char text[400];
    char hint[240]; /**< empty when there is nothing to advise */
} spv_trouble;

/** Longest BIP 39 passphrase of a wallet, with its zero, in bytes. */
#define SPV_PASSPHRASE_TEXT 1024

/** Where a wallet lies: DATADIR/NETWORK/wallets/NAME. Texts are borrowed. */
typedef struct spv_place {
    const char *datadir;
    const spv_network *network;
    const char *wallet; /**< [A-Za-z0-9._-], at most 64, not led by a dot */
} spv_place;

/** The false-positive rates that a wallet's filter may be made for. */
#define SPV_FP_RATE_LEAST 1e-9
#define SPV_FP_RATE_MOST  0.1

/** What nodes may add to the filter by themselves (BIP 37's flags): the
 * outpoint of every output that matches, only of those that show a bare key, or
 * nothing. Whatever is chosen, nothing is missed; but what a node may not add
 * must be sent to it, so all others are slower. */
typedef enum spv_wallet_updates {
    SPV_WALLET_UPDATES_ALL,
    SPV_WALLET_UPDATES_P2PUBKEY_ONLY,
    SPV_WALLET_UPDATES_NONE
} spv_wallet_updates;

/** What a wallet begins with. Texts are borrowed for the call. */
typedef struct spv_wallet_spec {
    const char *type; /**< "wpkh", "tr", "sh-wpkh", "pkh", "all"; NULL: watch */
    const char *mnemonic;           /**< BIP 39; NULL for watch-only */
    const char *passphrase;         /**< BIP 39's; NULL is "" */
    uint32_t account;               /**< BIP 44 account, under 2^31 */
    const char *const *descriptors; /**< what a watch-only wallet watches */
    size_t n_descriptors;
    uint32_t gap;           /**< 1 to 10,000; 0 means 20 */
    uint32_t lookahead;     /**< keys in the filter beyond the gap, for the
                                 wallet's life: 1 to 10,000; 0 means 500 */
    int64_t birthday_time;  /**< Unix seconds, or -1; 0 for all before that */
    int32_t birthday;       /**< height, or -1; both -1: the earliest */
    const uint8_t *entropy; /**< 32 bytes: they blind what is computed with the
                                 secrets, and a watch-only wallet's filter has
                                 its tweak and decoys from them. With a mnemonic
                                 these follow from its seed, the type, account
                                 and network: a wallet that is restored has the
                                 filter that it had */
    double fp_rate; /**< of the filter, for the wallet's life: as above; 0: the
                         designed 1e-4. See spv/privacy.h */
    spv_wallet_updates updates; /**< of the filter, for the wallet's life */
} spv_wallet_spec;

/**
 * Make a wallet in its folder, and open it. Nothing is left behind on failure.
 *
 * SPV_EXISTS, SPV_INVAL, SPV_MALFORMED, SPV_CHECKSUM, SPV_NETWORK, SPV_BUSY,
 * SPV_IO, SPV_NOMEM; `trouble` says it in words. The secret goes to a file of
 * its own, mode 0600. `*out` is owned: spv_client_free.
 */
SPV_API SPV_MUST_USE spv_err spv_client_create(spv_client **out,
                                               const spv_place *place,
                                               const spv_wallet_spec *spec,
                                               spv_trouble *trouble);

/**
 * Take back a wallet that spv_client_create has just made, and free the client:
 * for whoever could not tell a person its words. Its files are deleted, but for
 * a secret that was there before. Of any other client nothing is deleted.
 */
SPV_API void spv_client_take_back(spv_client *client);

/**
 * Open a wallet. SPV_NOT_FOUND, SPV_BUSY (another process has the folder),
 * SPV_NETWORK (it is another network's), SPV_DAMAGED (what could be rebuilt was
 * moved aside, or the secret is damaged or gone and nothing was touched;
 * `trouble` tells), SPV_UNSUPPORTED, SPV_IO, SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_client_open(spv_client **out,
                                             const spv_place *place,
                                             spv_trouble *trouble);

/** Bytes of entropy that encrypting uses up. */
#define SPV_ENCRYPTION_ENTROPY 44

/**
 * How a wallet's secret is encrypted. Texts are borrowed for the call.
 *
 * A password is UTF-8, neither empty nor over 512 characters, and the same
 * whichever way accents are composed (Unicode's normalisation form KD; known
 * are ASCII, Latin, Greek and Cyrillic letters). It is not BIP 39's passphrase,
 * which is a part of the secret and decides which keys there are.
 */
typedef struct spv_encryption {
    const char *password;     /**< from now on */
    const char *old_password; /**< until now; NULL: it is not encrypted yet */
    const uint8_t *entropy;   /**< SPV_ENCRYPTION_ENTROPY bytes, fit for keys,
                                   that were never used before */
} spv_encryption;

/**
 * Encrypt the wallet's secret on disk, or change the password. Nothing else
 * needs the secret: addresses are derived, and syncs done, as before.
 *
 * The file is replaced whole: on failure, or if the process is killed, it is
 * what it was before, or what it is afterwards. What was replaced is
 * overwritten; where that could not be done, SPV_OK is returned all the same
 * and `trouble` tells (its text is empty otherwise).
 *
 * SPV_LOCKED (the old password is wrong, or missing), SPV_DAMAGED (never
 * mistaken for the former), SPV_INVAL (no good password; a wallet in memory),
 * SPV_UNSUPPORTED (watch-only: there is no secret; or a character of the
 * password), SPV_CRYPTO (OpenSSL lacks scrypt or ChaCha20-Poly1305), SPV_IO,
 * SPV_NOMEM: 128 MiB are needed for half a second.
 */
SPV_API SPV_MUST_USE spv_err spv_client_encrypt(spv_client *client,
                                                const spv_encryption *how,
                                                spv_trouble *trouble);

/** A wallet's secret, and what has to be said beside it to make the wallet
 * again (spv_wallet_spec). Clear it after use. */
typedef struct spv_backup {
    char mnemonic[SPV_MNEMONIC_TEXT];
    char passphrase[SPV_PASSPHRASE_TEXT]; /**< BIP 39's; mostly empty */
    bool encrypted;
    char type[16]; /**< empty if the wallet's card cannot be read, which only
                        matters for what follows */
    uint32_t account;
    uint32_t gap;
    int32_t birthday_height; /**< or -1 */
    int64_t birthday_time;   /**< Unix seconds, until it is a height; or -1 */
    double fp_rate; /**< or 0: not known, as of wallets from before it was
                         written down */
    spv_wallet_updates updates;
} spv_backup;

/** Overwrite it. */
SPV_API void spv_backup_clear(spv_backup *backup);

/**
 * Read a wallet's secret from its file, which needs no open client and does
 * not disturb one. `password` may be NULL.
 *
 * SPV_LOCKED (the secret is encrypted, and the password wrong or NULL),
 * SPV_DAMAGED (never mistaken for the former), SPV_NOT_FOUND, SPV_UNSUPPORTED
 * (watch-only: there is no secret; or a newer version's file), SPV_CRYPTO,
 * SPV_IO, SPV_NOMEM; `out` is cleared then.
 */
SPV_API SPV_MUST_USE spv_err spv_wallet_backup(spv_backup *out,
                                               const spv_place *place,
                                               const char *password,
                                               spv_trouble *trouble);

/** A wallet in memory only; `place` needs the network alone. */
SPV_API SPV_MUST_USE spv_err spv_client_new(spv_client **out,
                                            const spv_network *network,
                                            const spv_wallet_spec *spec,
                                            spv_trouble *trouble);

/** Close and free; NULL is allowed. */
SPV_API void spv_client_free(spv_client *client);

/**
 * Names of the wallets in a data folder, sorted; `*names` is owned, and freed
 * with spv_names_free. No folder means no wallets, not a failure.
 */
SPV_API SPV_MUST_USE spv_err spv_wallet_names(char ***names, size_t *n,
                                              const char *datadir,
                                              const spv_network *network,
                                              spv_trouble *trouble);
SPV_API void spv_names_free(char **names, size_t n);

/* ---- What the wallet knows; no network needed ---- */

typedef struct spv_wallet_info {
    const char *name; /**< borrowed from the client, like all texts here */
    const char *type; /**< "wpkh", ..., "watch" */
    bool watch_only;
    bool encrypted;          /**< what can spend is, on disk */
    int32_t birthday_height; /**< SPV_NO_HEIGHT while only a time is known */
    int64_t birthday_time;   /**< Unix seconds, until it is a height; or -1 */
    uint32_t gap;
    size_t n_descriptors;
    int32_t synced_height; /**< all is known up to here; SPV_NO_HEIGHT before
                                the first sync */
    spv_hash synced_hash;
    int32_t reached_height; /**< confirmations count from here; above
                                 `synced_height` during a rescan */
    int32_t rescan_height;  /**< where the next sync begins a rescan, or -1 */
    int64_t rescan_time;    /**< the same as a date without known headers, Unix
                                 seconds; or -1 */
} spv_wallet_info;

SPV_API void spv_client_info(const spv_client *client, spv_wallet_info *out);

/** Public text of descriptor `i`, with <0;1> and checksum; borrowed. */
SPV_API const char *spv_client_descriptor(const spv_client *client, size_t i);

SPV_API const spv_network *spv_client_network(const spv_client *client);

SPV_API void spv_client_balance(const spv_client *client, spv_balance *out);

/** Unspent outputs, oldest first as the history is; `*coins` is owned (free),
 * its scripts are borrowed until the client changes. */
SPV_API SPV_MUST_USE spv_err spv_client_coins(const spv_client *client,
                                              spv_coin **coins, size_t *n);

/** Transactions, newest last; `*txs` is owned (free), the rest borrowed. */
SPV_API SPV_MUST_USE spv_err spv_client_history(const spv_client *client,
                                                spv_wallet_tx **txs, size_t *n);

/** One transaction; SPV_NOT_FOUND. */
SPV_API SPV_MUST_USE spv_err spv_client_tx(const spv_client *client,
                                           const spv_hash *txid,
                                           spv_wallet_tx *out);

/** Transactions that spend what `txid` spends; `*txids` is owned (free). */
SPV_API SPV_MUST_USE spv_err spv_client_conflicts(const spv_client *client,
                                                  const spv_hash *txid,
                                                  spv_hash **txids, size_t *n);

/**
 * The next unused address, which stays the next until it is used; `fresh`
 * asks for one that was not given out before (recorded on disk).
 *
 * SPV_NOT_FOUND for a wallet without ranged descriptors (or, for change,
 * without a change chain); SPV_LIMIT when the gap would be exceeded.
 */
SPV_API SPV_MUST_USE spv_err spv_client_address(spv_client *client, bool change,
                                                bool fresh,
                                                spv_wallet_address *out);

/** The addresses that were used or given out, and those that are watched one
 * by one; `*list` is owned (free). */
SPV_API SPV_MUST_USE spv_err spv_client_addresses(const spv_client *client,
                                                  spv_wallet_address **list,
                                                  size_t *n);

/**
 * Ask for old blocks to be looked through again: the next sync begins at
 * `height`; or, when that is -1, at the first block from `time` on (Unix
 * seconds); or, when both are -1, at the birthday less its margin. Until then
 * all is shown as before, and nothing that was found is ever deleted.
 *
 * Asked again before that sync, the lower start stays. What lies beyond the
 * chain's end when the sync begins is taken as its end. A `height` or `time`
 * below the birthday moves the birthday. A `gap` over 0 replaces the wallet's.
 * `*start` (may be NULL) tells the start that is now noted; SPV_NO_HEIGHT for
 * a time for which no header is known yet.
 *
 * SPV_INVAL for a gap over 10,000, SPV_IO, SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_client_rescan(spv_client *client,
                                               int32_t height, int64_t time,
                                               uint32_t gap, int32_t *start);

/**
 * The filter as the next filterload would carry it: decoys and the whole
 * element log. `*out` is a copy, to be freed with spv_filter_clear. SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_client_filter(const spv_client *client,
                                               spv_filter *out);

/* ---- The machine ---- */

/** How a sync is to go. Zero everything, then set what matters. */
typedef struct spv_sync_options {
    const char *const *connect; /**< "host[:port]"; only these peers. None:
                                     they are found (spv/peers.h) */
    size_t n_connect;
    int32_t until;      /**< stop at this height, or at the tip if that is
                             lower; 0: the tip */
    uint32_t timeout_s; /**< give up after so long; 0: never */
    int64_t unix_time;  /**< the wall clock at the start, seconds */
    uint64_t seed;      /**< entropy: nonces, jitter and which blocks are
                             audited come from it */
    double audit_rate;  /**< share (0 to 1) of the filtered blocks that are
                             fetched whole from a second peer and matched here;
                             a peer that left something out is given up, and
                             what it served asked of others. 0: none */
    void (*log)(void *ctx, const char *line); /**< warnings; may be NULL */
    void *log_ctx;
    bool stay; /**< do not end when synced: follow the chain and hear of
                    unconfirmed transactions, until the reactor is stopped,
                    `until` or `timeout_s` is reached, the disk fails or no
                    peer is left that could serve */
    void (*event)(void *ctx, const spv_event *event); /**< may be NULL. It may
                    read the client, and not drive, change or free it */
    void *event_ctx;
} spv_sync_options;

/**
 * Ready the client to be driven; the machine's `self` is the client. To be
 * called before each run. SPV_INVAL for a bad address in `connect`,
 * SPV_NO_PEER when there is nobody to ask.
 */
SPV_API SPV_MUST_USE spv_err spv_client_prepare(spv_client *client,
                                                const spv_sync_options *options,
                                                spv_trouble *trouble);

/** The face to hand to a reactor; static. */
SPV_API const spv_machine *spv_client_machine(void);

typedef enum spv_phase {
    SPV_PHASE_CONNECT,
    SPV_PHASE_HEADERS,
    SPV_PHASE_BLOCKS,
    SPV_PHASE_SYNCED
} spv_phase;

typedef struct spv_sync_peer {
    char address[80];
    char user_agent[64]; /**< printable characters only */
    uint64_t services;
    uint32_t blocks; /**< filtered blocks it served that were used */
    uint64_t bytes_received;
} spv_sync_peer;

/** Most peers of one run. */
#define SPV_PEERS_MAX 16

typedef struct spv_sync_report {
    spv_phase phase;
    int32_t height; /**< applied to the wallet up to here */
    spv_hash block_hash;
    int32_t start_height; /**< where this run's filtered blocks began */
    int32_t headers;      /**< height of the best header */
    int32_t headers_goal; /**< what the peers claim; a hint for progress only */
    uint32_t filtered_blocks;
    uint32_t matched_transactions;
    uint32_t wallet_transactions; /**< of those matched: the wallet's */
    uint32_t false_positives;
    double expected_false_positives;
    uint32_t refetched_blocks;
    uint32_t audited_blocks; /**< fetched whole from a second peer */
    uint32_t omissions;      /**< of those: with a transaction left out */
    size_t filter_elements;  /**< of the wallet, decoys not counted */
    size_t filter_bytes;
    uint32_t hash_functions;
    double fp_rate;
    uint32_t tweak;
    uint8_t flags;
    uint32_t generation; /**< filterloads so far */
    uint64_t bytes_received;
    uint64_t bytes_sent;
    spv_time elapsed_ms;
    size_t n_peers; /**< that reached a handshake */
    spv_sync_peer peers[SPV_PEERS_MAX];
} spv_sync_report;

/** How the present or last run stands; may be asked at any time. */
SPV_API void spv_client_report(const spv_client *client, spv_sync_report *out);

/** Why the last run failed, in words. */
SPV_API void spv_client_trouble(const spv_client *client, spv_trouble *out);

#ifdef __cplusplus
}
#endif

#endif
