#ifndef SPV_P2P_SUSPICION_H
#define SPV_P2P_SUSPICION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Does a peer leave matches out?
 *
 * A filter matches strangers' transactions too, at a rate that its bits tell.
 * How many elements a node compares is not known, but two of each transaction
 * are sure, and no other transaction has them: its id, and the first outpoint
 * that it spends. (The coinbase spends none, and does not count.) So an honest
 * node matches at least so many by chance, and as a rule three times as many.
 *
 * `value` is by how much, as a logarithm, "it leaves out every second match"
 * explains better what was seen than "it leaves out none" with those two
 * elements alone; it never falls below zero, so no honest past excuses the
 * present. Whatever the chain, and however often one looks, an honest node
 * comes to SPV__SUSPICION_MAX with a chance of less than e^-35 (6e-16) for
 * each block it serves: from any block on, e^value is a supermartingale. With
 * ten million blocks that is less than one honest node in a hundred million.
 *
 * At a rate of 1e-4, a peer that leaves out all is found after 350,000
 * transactions, one that leaves out nine in ten after some 600,000: 120 or 200
 * blocks of the main chain. What leaves out less is for audits to find.
 */
#define SPV__SUSPICION_MAX 35.0

/** Zero it to begin. */
typedef struct spv_suspicion {
    double value;
    int32_t top; /**< blocks up to here were counted */
} spv_suspicion;

/**
 * The peer matched `matched` of `n_transactions` in the block at `height`,
 * with a filter whose rate of false positives was at least `rate` (below 1).
 * Whether that is beyond all chance. A block that comes again would show the
 * same again, and is not counted.
 *
 * `n_transactions` is the peer's own claim. An honest one is true; one that
 * is too low helps a liar, and is no worse than having no statistics.
 */
bool spv__suspicion_add(spv_suspicion *s, int32_t height,
                        uint32_t n_transactions, double rate, size_t matched);

#endif
