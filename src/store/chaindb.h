#ifndef SPV_STORE_CHAINDB_H
#define SPV_STORE_CHAINDB_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/hash.h>
#include <spv/header.h>
#include <spv/machine.h>

#include "store/db.h"

/*
 * Headers of the best chain, and peers. All of it can be fetched again, so a
 * damaged file is put aside and the next one begins empty.
 *
 * Workload: up to 2,000 headers a put while catching up, then one at a time;
 * all of them read once at start (a million one day); a few cut off the top
 * in a reorganisation. Side branches are not stored: a node sends them again.
 */
typedef struct spv_row_header {
    int32_t height;
    const uint8_t *bytes; /**< SPV_HEADER_LEN of them */
    spv_hash hash;        /**< computed while checking; no need to hash again */
} spv_row_header;

typedef struct spv_row_peer {
    spv_netaddr addr;
    uint64_t services;
    uint32_t flags;    /**< the caller's */
    uint32_t failures; /**< in a row */
    int64_t last_seen; /**< these four in Unix seconds, 0 for never */
    int64_t last_tried;
    int64_t last_success;
    int64_t banned_until;
} spv_row_peer;

extern const spv_db_schema SPV__CHAINDB_SCHEMA;

/**
 * Open or create. A damaged file is moved aside first; `moved` then has its
 * new name and is "" otherwise. Other errors as of spv__db_open.
 */
spv_err spv__chaindb_open(spv_db **out, const char *path, spv_path *moved,
                          spv_detail *why);

/**
 * Make `n` headers, SPV_HEADER_LEN bytes each, the chain from `height` on:
 * what was stored at and above it goes. n = 0 only cuts. The first put sets
 * the lowest height, a checkpoint's; later ones must leave no hole
 * (SPV_INVAL), or begin at or below the lowest, which starts anew. All or
 * nothing when in a transaction.
 */
spv_err spv__chaindb_put_headers(spv_db *db, int32_t height,
                                 const uint8_t *headers, size_t n);

/** Highest height; SPV_NOT_FOUND when there is no header. */
spv_err spv__chaindb_get_tip(spv_db *db, int32_t *height, spv_hash *hash);

/**
 * From the lowest height up, every one checked to follow the one before it
 * and the last to be the tip: anything else is SPV_DAMAGED.
 */
spv_err spv__chaindb_each_header(spv_db *db,
                                 spv_err (*visit)(void *ctx,
                                                  const spv_row_header *row),
                                 void *ctx);

/** Add or replace by network, address and port. */
spv_err spv__chaindb_put_peer(spv_db *db, const spv_row_peer *row);
spv_err spv__chaindb_remove_peer(spv_db *db, const spv_netaddr *addr);
spv_err spv__chaindb_remove_peers(spv_db *db);

/** Those with the latest success first. */
spv_err spv__chaindb_each_peer(spv_db *db,
                               spv_err (*visit)(void *ctx,
                                                const spv_row_peer *row),
                               void *ctx);

#endif
