#ifndef SPV_EVENT_H
#define SPV_EVENT_H

#include <stdint.h>

#include <spv/export.h>
#include <spv/hash.h>
#include <spv/wallet.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a client tells while it runs, as it happens.
 *
 * Of a transaction every change is told, so whoever follows events from the
 * beginning of a wallet knows its history without asking. Peers and warnings
 * are told at once; the rest when the input that brought it has been dealt
 * with: first the chain, then the transactions, then whether all is known.
 */
typedef enum spv_event_kind {
    SPV_EVENT_CONNECTED,    /**< `peer`, and its user agent in `text` */
    SPV_EVENT_DISCONNECTED, /**< `peer`, and why in `text` */
    SPV_EVENT_WARNING,      /**< `text`: a sentence */
    SPV_EVENT_REORGANISED,  /**< `fork_height`, `old_height`, `old_hash`; and
                                 where the chain ends now */
    SPV_EVENT_TIP,          /**< the best header: `height`, `block_hash` */
    SPV_EVENT_TRANSACTION,  /**< `tx` is unconfirmed, or was announced by one
                                 more peer */
    SPV_EVENT_CONFIRMED,    /**< `tx` is in a block */
    SPV_EVENT_REPLACED,     /**< another took the place of `tx` */
    SPV_EVENT_CONFLICTED,   /**< a block spent otherwise what `tx` spends */
    SPV_EVENT_ABANDONED,    /**< `tx` was given up, or has expired */
    SPV_EVENT_BALANCE,      /**< spv_client_balance answers otherwise now */
    SPV_EVENT_SYNCED        /**< all is known up to `height`, `block_hash` */
} spv_event_kind;

/** What does not belong to the kind is zero; pointers are borrowed for the
 * call. */
typedef struct spv_event {
    spv_event_kind kind;
    const char *peer;
    const char *text;
    int32_t height;
    spv_hash block_hash;
    int32_t fork_height; /**< of the last block that both sides share */
    int32_t old_height;
    spv_hash old_hash;
    const spv_wallet_tx *tx;
} spv_event;

/** "connected", "transaction", ...: static, never NULL. */
SPV_API const char *spv_event_name(spv_event_kind kind);

#ifdef __cplusplus
}
#endif

#endif
