#ifndef SPV_PRIVACY_H
#define SPV_PRIVACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a server learns from a filter, in numbers.
 *
 * The server tries every address that anybody uses. It finds the wallet's, and
 * by false positives some of everybody else's: *strangers*, to hide among.
 * With A addresses in use and a false-positive rate p there are
 *
 *     F = p A
 *
 * of them, and if n addresses of the wallet are in use as well, one that
 * matches is truly the wallet's with probability n / (n + F). Picking from the
 * matches blindly, all n are guessed with
 *
 *     n      n-1              1
 *    ---- * ------ * ... * -------
 *    n+F    n-1+F           1 + F
 *
 * (Gervais, Karame, Gruber, Capkun: "On the Privacy Provisions of Bloom Filters
 * in Lightweight Bitcoin Clients", ACSAC 2014.) Two filters whose false
 * positives have nothing to do with each other leave p1 p2 A strangers; two of
 * which one holds all bits of the other leave those of the smaller.
 *
 * This counts what the bits give away. Not in it is what a server may conclude
 * otherwise: from an IP address, from the transactions that a client sends
 * through it, and from strangers' addresses that cannot well be one wallet's.
 */

/** Addresses in use unless told otherwise: about as many as hold coins, which
 * were 53 million in 2024. Fewer is the more cautious. */
#define SPV_ADDRESSES_IN_USE UINT64_C(50000000)

/** Starts of a client that are looked ahead. */
#define SPV_PRIVACY_STARTS 10

/* Maths ------------------------------------------------------------------- */

/** Probability that one that matches is the wallet's: of `own` addresses
 * (at least 1) and an expected number of strangers. */
SPV_API double spv_privacy_guess_one(double own, double strangers);

/** Probability that all of `own` addresses are guessed from the matches. */
SPV_API double spv_privacy_guess_all(uint64_t own, double strangers);

/** What strangers that match cost in a day. */
typedef struct spv_privacy_cost {
    double transactions_a_day;
    double bytes_a_day; /**< received: with proofs, and a block's header each */
} spv_privacy_cost;

/** The cost of a false-positive rate on a chain as busy as the main one:
 * 144 blocks and 500,000 transactions a day, of 6 elements to be matched and
 * 250 bytes each. */
SPV_API spv_privacy_cost spv_privacy_cost_of(double rate);

/** How much a new wallet's filter is to hide. */
typedef struct spv_privacy_choice {
    const char *name;
    const char *words; /**< one sentence: for whom */
    double rate;       /**< for spv_wallet_spec */
} spv_privacy_choice;

/** "own-node", "default" and "strong"; NULL beyond. Static. */
SPV_API const spv_privacy_choice *spv_privacy_choice_get(size_t i);

/** The choice of that name, or NULL. */
SPV_API const spv_privacy_choice *spv_privacy_choice_find(const char *name);

/* Habits ------------------------------------------------------------------ */

/** How clients fill their filters: this one, and what others did. */
typedef enum spv_habit {
    SPV_HABIT_THIS,         /**< one plan for life, filled with decoys */
    SPV_HABIT_FITTED,       /**< capacity 2n + 100 at 0.05 %, as bitcoinj */
    SPV_HABIT_IN_USE_ONLY,  /**< the same without keys derived ahead */
    SPV_HABIT_KEY_AND_HASH, /**< both of each key; strangers must match twice */
    SPV_HABIT_NEW_TWEAK,    /**< fitted, and another tweak at each start */
    SPV_HABIT_OVERSIZED,    /**< 36,000 bytes with hardly anything in them */
    SPV_HABIT_COUNT
} spv_habit;

/** "this wallet", "key and hash together", ...: static. */
SPV_API const char *spv_habit_name(spv_habit habit);

/** One sentence about what is done and seen; static. */
SPV_API const char *spv_habit_words(spv_habit habit);

/**
 * False-positive rate of a habit's filter for so many addresses (at least 1):
 * with the sizes that the protocol's arithmetic gives. For SPV_HABIT_THIS it
 * is the designed rate, however many addresses there are.
 */
SPV_API double spv_habit_rate(spv_habit habit, uint64_t addresses);

/** Share of all strangers that is left after so many starts (at least 1), with
 * filters of this rate. */
SPV_API double spv_habit_share(spv_habit habit, double rate, double starts);

/* A wallet's own ---------------------------------------------------------- */

/** One habit applied to the wallet; [i] is after i + 1 starts. */
typedef struct spv_habit_view {
    spv_habit habit;
    double rate; /**< of one filter */
    double strangers[SPV_PRIVACY_STARTS];
    double guess_one[SPV_PRIVACY_STARTS];
    double guess_all[SPV_PRIVACY_STARTS];
} spv_habit_view;

/** A second filter of the same wallet, laid over the present one. */
typedef struct spv_privacy_pair {
    double alone;    /**< strangers that match the second filter */
    double together; /**< strangers that match both */
    uint32_t tried;  /**< of SPV_PRIVACY_TRIED strangers: matched both */
} spv_privacy_pair;

/** Strangers made up to try the filters with, always the same. */
#define SPV_PRIVACY_TRIED 1000000

typedef struct spv_privacy {
    uint64_t addresses; /**< in use, everybody's */
    size_t keys;        /**< in the filter; most are not in use yet */
    size_t coins;       /**< outpoints in the filter */
    size_t used;        /**< addresses that some transaction paid */
    uint64_t own;       /**< counted as the wallet's: used, at least 1 */
    size_t bytes;
    uint32_t hash_funcs;
    uint32_t decoys;
    size_t bits_set;
    double rate;      /**< of the bits that are set */
    double strangers; /**< expected to match */
    double guess_one;
    double guess_all;
    uint32_t tried; /**< of SPV_PRIVACY_TRIED strangers: matched */
    spv_privacy_cost cost;

    size_t earlier_elements;  /**< that a filter held earlier: the first half */
    bool earlier_adds;        /**< both together tell more than the earlier */
    spv_privacy_pair earlier; /**< this wallet's own, before it grew */
    spv_privacy_pair tweak;   /**< another tweak, all else equal */
    spv_privacy_pair size;    /**< a byte shorter, all else equal */

    spv_habit_view habits[SPV_HABIT_COUNT];
} spv_privacy;

/**
 * What the present filter gives away when so many addresses are in use. The
 * filters compared are built and tried, so this takes a moment. SPV_INVAL for
 * no addresses, SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_client_privacy(const spv_client *client,
                                                uint64_t addresses,
                                                spv_privacy *out);

#ifdef __cplusplus
}
#endif

#endif
