#ifndef SPV_CHAIN_H
#define SPV_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>
#include <spv/header.h>
#include <spv/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What became of a header. ADDED and DUPLICATE are good; FUTURE means "set it
 * aside and try again later", ORPHAN "its parent is not known here"; the last
 * two groups are faults of whoever sent it.
 */
#define SPV_VERDICT_MAP(X)                                                 \
    X(ADDED, "added")                                                      \
    X(DUPLICATE, "known already")                                          \
    X(ORPHAN, "parent is not known")                                       \
    X(FUTURE, "time is more than two hours ahead")                         \
    X(NOMEM, "out of memory")                                              \
    X(BAD_POW, "hash is above the target, or the target is no valid one")  \
    X(BAD_BITS, "difficulty is not what the network's rules require")      \
    X(OLD_TIME, "time is not above the median of the eleven before it")    \
    X(TIME_WARP, "time is too far before the block ahead of a new period") \
    X(OLD_VERSION, "version is too low for this height")                   \
    X(CHECKPOINT, "conflicts with a checkpoint")                           \
    X(SIDE_LIMIT, "side branch is too long for its work")

typedef enum spv_verdict {
#define X(name, text) SPV_VERDICT_##name,
    SPV_VERDICT_MAP(X)
#undef X
} spv_verdict;

/** One short phrase, never NULL. Static. */
SPV_API const char *spv_verdict_text(spv_verdict verdict);

/** Whether a peer that sends such a header is at fault (BAD_POW and after). */
SPV_API bool spv_verdict_is_fault(spv_verdict verdict);

/** Whether `hash` meets the target that `bits` encode, and that target is
 * positive, without overflow, and not above the network's limit. */
SPV_API bool spv_pow_check(const spv_hash *hash, uint32_t bits,
                           const spv_network *network);

/** A header of the public chain, with all work up to and including it. */
typedef struct spv_checkpoint {
    int32_t height;
    uint8_t header[SPV_HEADER_LEN];
    uint8_t work[16]; /**< least significant byte first */
} spv_checkpoint;

/** All checkpoints of a network, lowest first; `n` may be 0. Static. */
SPV_API const spv_checkpoint *spv_checkpoints(const spv_network *network,
                                              size_t *n);

/** The last checkpoint at or below `height`, or NULL. Static. */
SPV_API const spv_checkpoint *spv_checkpoint_find(const spv_network *network,
                                                  int32_t height);

/** The last checkpoint whose header is not later than `time`, or NULL: where
 * to begin for a wallet born then. Static. */
SPV_API const spv_checkpoint *spv_checkpoint_find_time(
    const spv_network *network, int64_t time);

#ifdef __cplusplus
}
#endif

#endif
