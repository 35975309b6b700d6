#ifndef SPV_STORE_FOLDER_H
#define SPV_STORE_FOLDER_H

#include <stdbool.h>

#include <spv/err.h>
#include <spv/network.h>

#include "store/detail.h"

/*
 * Where things lie on disk; docs/files.md is the user's side of it.
 *
 *     DATADIR/NETWORK/lock                  held by the one running process
 *     DATADIR/NETWORK/chain.sqlite          headers and peers
 *     DATADIR/NETWORK/wallets/NAME.secret   mnemonic or xprv, mode 0600
 *     DATADIR/NETWORK/wallets/NAME.wallet   the card: what cannot be fetched
 *     DATADIR/NETWORK/wallets/NAME.sqlite   rows
 */

/** Longest path with its zero; SQLite's own limit is 512, suffixes included. */
#define SPV__PATH_MAX 480

/** Longest wallet name, without its zero. */
#define SPV__WALLET_NAME_MAX 64

typedef struct spv_path {
    char text[SPV__PATH_MAX];
} spv_path;

/** The folder of one network. By value; nothing to free. */
typedef struct spv_folder {
    spv_path root;    /**< DATADIR/NETWORK */
    spv_path wallets; /**< DATADIR/NETWORK/wallets */
} spv_folder;

typedef enum spv_wallet_file {
    SPV__FILE_SECRET,
    SPV__FILE_CARD,
    SPV__FILE_ROWS
} spv_wallet_file;

/** Put the paths together; touches no disk. SPV_LIMIT when too long. */
spv_err spv__folder_init(spv_folder *f, const char *datadir,
                         const spv_network *network, spv_detail *why);

/** Make the folders that are missing, parents too, with mode 0700. */
spv_err spv__folder_make(const spv_folder *f, spv_detail *why);

/** DATADIR/NETWORK/chain.sqlite. SPV_LIMIT when too long. */
spv_err spv__folder_chain(const spv_folder *f, spv_path *out, spv_detail *why);

/** One of a wallet's files. SPV_INVAL for a bad name, SPV_LIMIT. */
spv_err spv__folder_wallet(const spv_folder *f, spv_path *out, const char *name,
                           spv_wallet_file file, spv_detail *why);

/** 1 to 64 of [A-Za-z0-9._-], the first not a dot or a dash. */
bool spv__wallet_name_is_valid(const char *name);

/** Whether any of the wallet's three files is there. */
bool spv__folder_has_wallet(const spv_folder *f, const char *name);

/**
 * Delete a wallet's files, from `first` on in the order of their enum. Only
 * for whoever has just made them, failed half-way, and told nobody the secret;
 * from SPV__FILE_CARD on where the secret was there before.
 */
void spv__folder_drop_new_wallet(const spv_folder *f, const char *name,
                                 spv_wallet_file first);

/**
 * Visit the names of all wallets (those with a card or rows) in the order of
 * strcmp. A folder that is not there yet has none. What `visit` returns ends
 * the walk unless it is SPV_OK.
 */
spv_err spv__folder_each_wallet(const spv_folder *f,
                                spv_err (*visit)(void *ctx, const char *name),
                                void *ctx, spv_detail *why);

#endif
