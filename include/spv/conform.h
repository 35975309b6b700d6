#ifndef SPV_CONFORM_H
#define SPV_CONFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>
#include <spv/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Does this node speak BIP 37 rightly?
 *
 * A battery of checks for any node, of which nothing is needed but its peer
 * port. It takes whole blocks from the node, works out what the node must
 * answer to a filter, and compares the answers byte for byte. It is a machine
 * (spv/machine.h): the same node, options and seed give the same run.
 */
typedef struct spv_conform spv_conform;

/** How much a failure weighs. */
typedef enum spv_conform_severity {
    SPV_CONFORM_MUST,         /**< a BIP says so */
    SPV_CONFORM_SHOULD,       /**< clients rely on what the reference
                                   implementation does */
    SPV_CONFORM_INFORMATIONAL /**< nodes may differ, and do */
} spv_conform_severity;

/** "must", "should", "informational". Static. */
SPV_API const char *spv_conform_severity_name(spv_conform_severity severity);

/** What came of a check. */
typedef enum spv_conform_result {
    SPV_CONFORM_PENDING, /**< not run yet */
    SPV_CONFORM_PASS,
    SPV_CONFORM_FAIL,
    SPV_CONFORM_SKIPPED /**< it could not be tried, or shows nothing */
} spv_conform_result;

/** "pending", "pass", "fail", "skipped". Static. */
SPV_API const char *spv_conform_result_name(spv_conform_result result);

/** One check. All texts but `detail` are static. */
typedef struct spv_conform_check {
    const char *id;    /**< stable: "match.output-p2pkh" */
    const char *title; /**< what a right node does */
    const char *basis; /**< the clause of a BIP, or what the reference
                            implementation does, said as such */
    spv_conform_severity severity;
    spv_conform_result result;
    const char *detail; /**< of a failure what was sent, what should have come
                             and what came; why it was skipped; what a passing
                             node chose where it may; else empty. Borrowed until
                           the battery is freed. */
} spv_conform_check;

/** What the node says of itself, and what was seen of its chain. */
typedef struct spv_conform_node {
    char address[80];
    char user_agent[256]; /**< printable ASCII only */
    int32_t version;      /**< protocol version; 0: it has not said it yet */
    uint64_t services;    /**< bits, as its version message has them */
    int32_t height;       /**< of the headers it gave; -1: none yet */
    const char *chain;    /**< the network's name; static. That of another one,
                               if its bytes are of that */
    bool serves_filters;  /**< it offers NODE_BLOOM (BIP 111), or is so old that
                               there was no such bit */
    size_t blocks;        /**< whole blocks that the checks were made of */
} spv_conform_node;

/** A transaction, as it is sent. */
typedef struct spv_conform_tx {
    const uint8_t *bytes;
    size_t len;
} spv_conform_tx;

/** All pointers are borrowed until spv_conform_new returns. */
typedef struct spv_conform_options {
    const spv_network *network;
    const char *connect; /**< "host[:port]" */
    uint64_t seed;
    bool gentle; /**< leave out what a node may ban for */
    /** Only checks with these ids, or that begin so up to a dot or a *
     * ("match", "match.out*"); none: all. */
    const char *const *only;
    size_t n_only;
    /** Valid transactions that the node does not know yet, parents before
     * children: the checks of relaying send them to it. At least two; none:
     * those checks are skipped. More than 200 are left out. */
    const spv_conform_tx *txs;
    size_t n_txs;
    /** A block that its chain must have, such as the last one that was made for
     * it; NULL: any chain will do. */
    const spv_hash *must_have;
    /** Called when a check has its result; NULL: nobody is. Not to call the
     * battery. */
    void (*progress)(void *ctx, size_t done, size_t total);
    void *progress_ctx; /**< borrowed until the battery is freed */
    int64_t unix_time;  /**< what to tell the node: seconds */
    uint32_t timeout_s; /**< for all of it, seconds; 0: 300. Checks that are not
                             done by then are skipped */
} spv_conform_options;

/** Every check there is, in the order of the results; `n` gets their number,
 * and their results are pending. Static. */
SPV_API const spv_conform_check *spv_conform_list(size_t *n);

/** Whether `pattern` selects the check `id`, as `only` does: "match.txid" that
 * one, "match" and "match.*" all that begin so. */
SPV_API bool spv_conform_selects(const char *pattern, const char *id);

/** A battery, to be freed with spv_conform_free. SPV_INVAL: `connect` is no
 * address, or one of the transactions cannot be read. SPV_NOMEM. */
SPV_API SPV_MUST_USE spv_err
spv_conform_new(spv_conform **out, const spv_conform_options *options);

/** Free a battery; NULL is allowed. */
SPV_API void spv_conform_free(spv_conform *battery);

/**
 * The face of a battery, whose `self` is the spv_conform, to be driven to its
 * end. DONE carries SPV_OK when the checks ran, whatever their results are;
 * SPV_NO_PEER if the node cannot be reached or does not speak the protocol,
 * SPV_TIMEOUT if it fell silent before a check could run, SPV_PROTOCOL if its
 * blocks are not what they should be, SPV_NOT_FOUND if it lacks the block that
 * it must have, SPV_NOMEM. Then spv_conform_why says
 * more.
 */
SPV_API const spv_machine *spv_conform_machine(void);

/** Why it ended before all checks were tried: a few words; empty if it did not.
 * With SPV_OK there are results all the same, and time ran out. Borrowed until
 * the battery is freed. */
SPV_API const char *spv_conform_why(const spv_conform *battery);

/** What is known of the node now. A copy, but for what is static. */
SPV_API void spv_conform_get_node(const spv_conform *battery,
                                  spv_conform_node *out);

/** The checks that were selected, with the results so far; `n` gets their
 * number. Borrowed until the battery is freed. */
SPV_API const spv_conform_check *spv_conform_checks(const spv_conform *battery,
                                                    size_t *n);

/** Of an exchange: what was sent on the check's connection up to the turn that
 * failed, what should have come in that turn, and what did. */
typedef enum spv_conform_part {
    SPV_CONFORM_SENT,
    SPV_CONFORM_EXPECTED,
    SPV_CONFORM_GOT
} spv_conform_part;

#define SPV_CONFORM_PARTS 3

/** So many bytes of a payload are kept: any filter is shorter. */
#define SPV_CONFORM_PAYLOAD_MAX 36050

typedef struct spv_conform_message {
    char command[13];       /**< zero ended */
    const uint8_t *payload; /**< its first SPV_CONFORM_PAYLOAD_MAX bytes */
    size_t len;             /**< of them */
    size_t whole_len;       /**< of the payload as it went over the wire */
    bool optional;          /**< expected, and may be left out */
} spv_conform_message;

/**
 * The messages of check number `check` of spv_conform_checks, if it failed: in
 * order, 200 at most; `n` gets their number, 0 for any other check and for
 * those of announcements (relay.*, mempool.*), which have no order. Of what
 * came, messages that no check asks for (inv, ping, ...) are left out. NULL if
 * there are none; borrowed until the battery is freed.
 */
SPV_API const spv_conform_message *spv_conform_exchange(
    const spv_conform *battery, size_t check, spv_conform_part part, size_t *n);

/** The seed that repeats this run. */
SPV_API uint64_t spv_conform_seed(const spv_conform *battery);

#ifdef __cplusplus
}
#endif

#endif
