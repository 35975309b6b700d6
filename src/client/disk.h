#ifndef SPV_CLIENT_DISK_H
#define SPV_CLIENT_DISK_H

#include "client/client.h"
#include "store/card.h"
#include "store/chaindb.h"
#include "store/folder.h"
#include "store/lock.h"
#include "store/walletdb.h"

/*
 * A client's place on disk: what it loads at the start and keeps as it goes.
 *
 * The card has what cannot be fetched again (profile, filter plan); rows have
 * what was found. A copy of the card lies among the rows, so that either can
 * be made from the other.
 */
typedef struct spv_disk {
    spv_folder folder;
    spv_lock lock;
    spv_path card;
    spv_path rows;
    spv_path chain;
    spv_db *wallet;
    spv_db *headers;
    spv_detail detail; /**< borrowed by the two above */
    spv_buf kept_card; /**< lines of the card as it is on disk */
    int32_t stored;    /**< height of the highest header on disk, or -1 */
    spv_hash stored_hash;
    bool created;    /**< the wallet is as new as this */
    bool new_secret; /**< this creation wrote it; before, there was none */
    bool encrypted;  /**< the secret is */
} spv_disk;

/** Take the folder and the names of the wallet's files. */
spv_err spv__disk_init(spv_disk *d, const spv_place *place,
                       spv_trouble *trouble);

/** Close and let go. */
void spv__disk_clear(spv_disk *d);

/** The disk that keeps a client; NULL for one in memory. */
spv_disk *spv__disk_of(const spv_client *c);

/** Where a wallet's secret lies. SPV_INVAL, SPV_LIMIT. */
spv_err spv__disk_secret_path(spv_disk *d, spv_path *path, const char *name);

/** There is no such wallet; returns SPV_NOT_FOUND. */
spv_err spv__disk_not_found(const spv_place *place, spv_trouble *trouble);

/** A secret that should be there is not; returns SPV_DAMAGED. */
spv_err spv__disk_no_secret(const spv_path *path, spv_trouble *trouble);

/** What a failure of the store said, as trouble; returns `err`. */
spv_err spv__disk_trouble(const spv_disk *d, spv_err err, spv_trouble *trouble);

/** Lines of the card of a client. SPV_NOMEM. */
spv_err spv__disk_card(spv_card *card, const spv_client *c);

/** Profile and plan from a card. SPV_DAMAGED when something is missing. */
spv_err spv__disk_read_card(const spv_card *card, const spv_network *network,
                            spv_profile *profile, spv_plan *plan);

/** The copy of the card that lies among the rows. SPV_NOT_FOUND. */
spv_err spv__disk_card_of_rows(spv_disk *d, spv_card *card);

/**
 * Whether there is no wallet yet though some of its files are there: a card
 * makes a wallet, and there is none, neither in its file nor among the rows.
 * `rows` is what opening those has said.
 */
bool spv__disk_is_unfinished(spv_disk *d, spv_err rows);

/** Rows into a client whose profile and plan are known. */
spv_err spv__disk_load_wallet(spv_disk *d, spv_client *c);

/** Headers into a new tree, which begins low enough for the wallet. A damaged
 * file was moved aside by then; `trouble` tells, though SPV_OK is returned. */
spv_err spv__disk_load_headers(spv_disk *d, spv_client *c,
                               spv_trouble *trouble);

/** The headers of the best chain that are not on disk yet. */
spv_err spv__disk_keep_headers(spv_disk *d, const spv_client *c);

/**
 * The peers on disk into a book. A book with a damaged row is begun anew, which
 * `*damaged` tells; SPV_DAMAGED when the file cannot be trusted at all.
 */
spv_err spv__disk_load_peers(spv_db *db, spv_book *book, bool *damaged);

/** What a user is told of that; nothing failed. */
void spv__disk_tell_peers_lost(spv_trouble *trouble);

/** All of the book, if it changed since it was kept. */
spv_err spv__disk_keep_peers(spv_db *db, spv_book *book);

/** Write what changed since the last time. */
spv_err spv__disk_keep(spv_disk *d, spv_client *c, spv_trouble *trouble);

#endif
