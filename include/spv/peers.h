#ifndef SPV_PEERS_H
#define SPV_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/client.h>

/*
 * The nodes that are known on a network, outside a run.
 *
 * A client that is not told whom to connect to (spv_sync_options.connect)
 * begins with these, and writes down here what it learns. They belong to the
 * data folder: all wallets of a network share them. In a library built without
 * SQLite there is none of this.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spv_peers spv_peers;

/** Where an address came from. */
typedef enum spv_peer_source {
    SPV_PEER_SOURCE_USER,  /**< spv_peers_add */
    SPV_PEER_SOURCE_DNS,   /**< a DNS seed */
    SPV_PEER_SOURCE_FIXED, /**< the program's own list */
    SPV_PEER_SOURCE_PEER   /**< another node */
} spv_peer_source;

/** A node. Times are Unix seconds, 0 for never. */
typedef struct spv_known_peer {
    char address[80];  /**< "1.2.3.4:8333", "[2a01::1]:8333" */
    uint64_t services; /**< as far as is known; 0: not */
    bool node_bloom;   /**< it serves BIP 37 filters, by these */
    bool met;          /**< it said so itself; else it is hearsay */
    spv_peer_source source;
    uint32_t failures; /**< in a row */
    int64_t last_seen_time;
    int64_t last_tried_time;
    int64_t last_success_time; /**< it served */
    int64_t banned_until_time;
} spv_known_peer;

/** "user", "dns", "fixed", "peer"; static. */
SPV_API const char *spv_peer_source_name(spv_peer_source source);

/**
 * Open the list of a data folder and network; the wallet in `place` plays no
 * part. A folder that is not there has none, and is made by the first change.
 *
 * `*out` is owned: spv_peers_free. SPV_BUSY (another process has the folder),
 * SPV_IO, SPV_LIMIT, SPV_NOMEM, SPV_UNSUPPORTED. A list that was damaged begins
 * anew: SPV_OK, and `trouble` tells.
 */
SPV_API SPV_MUST_USE spv_err spv_peers_open(spv_peers **out,
                                            const spv_place *place,
                                            spv_trouble *trouble);

/** Let go of the folder; NULL is allowed. Changes are on disk by then. */
SPV_API void spv_peers_free(spv_peers *peers);

/** All of them, those that served last first; `*list` is owned (free). */
SPV_API SPV_MUST_USE spv_err spv_peers_list(const spv_peers *peers,
                                            spv_known_peer **list, size_t *n);

/** Whether a listed peer is at this numeric HOST[:PORT], whatever the port. */
SPV_API bool spv_peers_is_of(const spv_peers *peers, const spv_known_peer *peer,
                             const char *text);

/**
 * Add a numeric HOST[:PORT], any that this computer may reach. It is tried
 * before those that are known by hearsay alone. One that is there is fine.
 *
 * SPV_INVAL, SPV_LIMIT (128 that the user named), SPV_IO, SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_peers_add(spv_peers *peers, const char *text,
                                           spv_trouble *trouble);

/**
 * Connect to nothing at this HOST, whatever the port, before `until`. A peer
 * that is named for a run is connected to all the same. Errors as above.
 */
SPV_API SPV_MUST_USE spv_err spv_peers_ban(spv_peers *peers, const char *text,
                                           int64_t until, spv_trouble *trouble);

/** Lift that; SPV_NOT_FOUND when there is none at `now` (Unix seconds). */
SPV_API SPV_MUST_USE spv_err spv_peers_unban(spv_peers *peers, const char *text,
                                             int64_t now, spv_trouble *trouble);

#ifdef __cplusplus
}
#endif

#endif
