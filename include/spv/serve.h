#ifndef SPV_SERVE_H
#define SPV_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/export.h>
#include <spv/hash.h>
#include <spv/machine.h>
#include <spv/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Scripted nodes for whoever writes an SPV client: let it sync against them,
 * and read what it did.
 *
 * A node serves BIP 37 as the reference implementation does, or lies in the
 * one way that its scenario names. Several nodes serve one chain at once, each
 * at a port of its own: a liar with an honest one beside it shows whether a
 * client finds the truth elsewhere. The chain is of regtest and made for the
 * scripts that it is to pay; what a client should end with is known, and is
 * the truth. All of it is a machine (spv/machine.h), to be driven by a
 * reactor that listens (spv_reactor_listen).
 */

/** One way to be a node. All texts are static. */
typedef struct spv_serve_scenario {
    const char *name;
    const char *lie;   /**< what this node does */
    const char *right; /**< what a right client does about it */
} spv_serve_scenario;

/** Scenario `i`; 0 is "honest", NULL behind the last. Static. */
SPV_API const spv_serve_scenario *spv_serve_scenario_at(size_t i);

/** An output script. */
typedef struct spv_serve_script {
    const uint8_t *bytes;
    size_t len;
} spv_serve_script;

typedef struct spv_serve_options {
    const char *const *scenarios; /**< a node each, at least one */
    size_t n_scenarios;
    /** Scripts to pay, in this order and then from the first again; at least
     * one. Copied, like all that the options point to. */
    const spv_serve_script *scripts;
    size_t n_scripts;
    /** Scripts that get the change; without any it is those above. */
    const spv_serve_script *change;
    size_t n_change;
    uint64_t seed;    /**< one seed, one chain */
    spv_time timeout; /**< milliseconds until the end; 0: none */
} spv_serve_options;

typedef struct spv_serve spv_serve;

/**
 * Make the chain and its nodes. Owned: free with spv_serve_free. SPV_INVAL
 * without a scenario or a script, SPV_NOT_FOUND for a scenario that there is
 * not, SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_serve_new(spv_serve **out,
                                           const spv_serve_options *options);

/** Free a serve; NULL is allowed. */
SPV_API void spv_serve_free(spv_serve *serve);

/** Tell at which port the reactor listens for node `node`, which is below
 * spv_serve_nodes. */
SPV_API void spv_serve_at(spv_serve *serve, size_t node, uint16_t port);

/**
 * The machine, whose `self` is the spv_serve.
 *
 * It is done with SPV_OK half a second after the last connection has ended,
 * with SPV_TIMEOUT when its time is over, and with SPV_NOMEM.
 */
SPV_API const spv_machine *spv_serve_machine(void);

/* The truth --------------------------------------------------------------- */

/** A coin that is left at the tip. */
typedef struct spv_serve_coin {
    spv_outpoint at;
    int64_t value; /**< satoshi */
    int32_t height;
    spv_serve_script script; /**< borrowed from the serve */
} spv_serve_coin;

/** What a client that watches the scripts (those for change too) ends with.
 * Borrowed from the serve. */
typedef struct spv_serve_truth {
    int32_t height; /**< of the tip */
    spv_hash block_hash;
    const spv_serve_coin *coins; /**< in the order of the chain */
    size_t n_coins;
    int64_t balance; /**< satoshi */
    size_t n_txs;    /**< transactions that pay or spend */
    size_t n_blocks; /**< blocks that hold them */
} spv_serve_truth;

/** The truth; it does not change. */
SPV_API spv_serve_truth spv_serve_tell(const spv_serve *serve);

/* What the client did ----------------------------------------------------- */

typedef enum spv_serve_result {
    SPV_SERVE_PASS,
    SPV_SERVE_FAIL,
    SPV_SERVE_SKIPPED /**< it did not come to that */
} spv_serve_result;

/** What became of one thing that a right client does. */
typedef struct spv_serve_check {
    const char *id;   /**< "filter_first", "leaves", ...; static */
    const char *rule; /**< the sentence it stands for; static */
    spv_serve_result result;
    char reason[160]; /**< why it failed or was skipped; else empty */
} spv_serve_check;

#define SPV_SERVE_CHECKS_MAX 8

/** Messages of one kind. */
typedef struct spv_serve_messages {
    const char
        *command; /**< static; "" for those that the node does not know */
    size_t n;
} spv_serve_messages;

#define SPV_SERVE_KINDS_MAX 32

/** The last filter that was loaded. */
typedef struct spv_serve_filter {
    size_t loads; /**< filterloads in all; 0: what follows means nothing */
    size_t bytes;
    uint32_t hash_functions;
    uint32_t tweak;
    uint8_t flags;
    double fp_rate; /**< of the bits as they were loaded */
} spv_serve_filter;

/** What one node saw of the client. */
typedef struct spv_serve_report {
    const spv_serve_scenario *scenario;
    uint16_t port;
    size_t connections;
    char user_agent[64];
    bool relay; /**< its last version message asked for transactions */
    spv_serve_messages received[SPV_SERVE_KINDS_MAX];
    size_t n_received;
    spv_serve_filter filter;
    /** A ping came behind every filterload before a filtered block was asked
     * for. */
    bool fenced;
    size_t filter_adds;         /**< elements shown in clear */
    size_t filter_clears;       /**< on a session that had a filter */
    size_t asked_before_filter; /**< filtered blocks */
    size_t filtered_asked;
    size_t whole_asked;
    size_t refetched; /**< filtered blocks asked of this node before */
    size_t lies;      /**< told; each can be proved by the client */
    size_t omissions; /**< blocks that lacked a match; nobody can tell */
    bool hung_up;     /**< the client did, after the first lie */
    /** Milliseconds from the first lie until then; -1 if it did not. */
    spv_time left_after_ms;
    /** getdata and getheaders that came after the client had answered the
     * ping behind the first lie. */
    size_t asked_after_lie;
    /** It went on asking the liar, or asked nobody else for the block. */
    bool took_the_bait;
    spv_serve_result verdict;
    spv_serve_check checks[SPV_SERVE_CHECKS_MAX];
    size_t n_checks;
} spv_serve_report;

/** How many nodes there are: one a scenario, in the order of the options. */
SPV_API size_t spv_serve_nodes(const spv_serve *serve);

/** What node `node` (below spv_serve_nodes) saw so far, and the verdict on the
 * client as of now. A copy, but for what is static. */
SPV_API void spv_serve_report_of(const spv_serve *serve, size_t node,
                                 spv_serve_report *out);

/**
 * What all of them make of the client. It fails with any of them; it passes if
 * it passes with all, but for good ones that it did not come to. Else it was
 * not put to the test. What it believes in the end cannot be seen from outside.
 */
SPV_API spv_serve_result spv_serve_verdict(const spv_serve *serve);

#ifdef __cplusplus
}
#endif

#endif
