#ifndef SPV_CONFORM_SCRIPT_BREAK_H
#define SPV_CONFORM_SCRIPT_BREAK_H

#include <stdbool.h>
#include <stddef.h>

#include <spv/filter.h>

/*
 * Rules of BIP 37 that a careless implementer breaks.
 *
 * A scripted node with one of these habits is right but for that one rule. A
 * battery that is worth something fails it, and in the right place
 * (tests/unit/test_conform_mutants.c).
 */

/** Each one's constant, name, and what such a node does. */
#define SPV_SCRIPT_BREAK_MAP(X)                                                \
    X(TWEAK, "tweak_ignored", "seeds its hash functions without the tweak")    \
    X(SEED, "wrong_seed", "seeds hash function n with n * 0xfba4c796")         \
    X(ONE_LESS, "one_function_less", "asks one hash function too few")         \
    X(ONE_MORE, "one_function_more", "asks one hash function too many")        \
    X(BIT_ORDER, "bit_order", "takes bit 0 of a byte for the highest")         \
    X(TXID_REVERSED, "txid_reversed", "matches a txid as people write it")     \
    X(TXID_UNMATCHED, "txid_unmatched", "does not match the txid")             \
    X(WTXID_MATCHED, "wtxid_matched", "matches the wtxid, too")                \
    X(SCRIPT_WHOLE, "whole_script",                                            \
      "matches output scripts as a whole, not their pushes")                   \
    X(FIRST_PUSH, "first_push", "matches but the first push of a script")      \
    X(OUTPUT_UNMATCHED, "outputs_unmatched",                                   \
      "does not match pushes of outputs")                                      \
    X(OUTPOINT_UNMATCHED, "outpoint_unmatched",                                \
      "does not match the outpoint of an input")                               \
    X(OUTPOINT_TXID, "outpoint_by_txid",                                       \
      "matches the txid of an outpoint without its index")                     \
    X(INPUT_UNMATCHED, "inputs_unmatched", "does not match pushes of inputs")  \
    X(WITNESS_MATCHED, "witness_matched", "matches witness items")             \
    X(ALL_AS_NONE, "all_as_none", "adds nothing with UPDATE_ALL")              \
    X(NONE_AS_ALL, "none_as_all", "adds outpoints with UPDATE_NONE")           \
    X(PUBKEY_AS_ALL, "p2pubkey_as_all",                                        \
      "adds every outpoint with UPDATE_P2PUBKEY_ONLY")                         \
    X(PUBKEY_NO_MULTISIG, "p2pubkey_no_multisig",                              \
      "adds no multisig outpoint with UPDATE_P2PUBKEY_ONLY")                   \
    X(PUBKEY_AS_NONE, "p2pubkey_as_none",                                      \
      "adds nothing with UPDATE_P2PUBKEY_ONLY")                                \
    X(FLAGS_UNMASKED, "flags_unmasked",                                        \
      "takes unknown flags for another mode")                                  \
    X(FLAGS_3, "flags_3", "takes flags of 3 for UPDATE_ALL")                   \
    X(UPDATES_FORGOTTEN, "updates_forgotten",                                  \
      "forgets between blocks what it added")                                  \
    X(UPDATE_INDEX, "update_index", "adds outpoints with a big-endian index")  \
    X(UPDATE_FIRST, "update_first", "adds but the first output that matches")  \
    X(UPDATE_SIBLINGS, "update_siblings", "adds every output of what matches") \
    X(UPDATE_BY_TXID, "update_by_txid",                                        \
      "adds the outputs of what matches by its txid")                          \
    X(UPDATE_BY_INPUT, "update_by_input",                                      \
      "adds the outputs of what matches by an input")                          \
    X(TXID_ENOUGH, "txid_enough", "looks at no output when the txid matches")  \
    X(ADD_IGNORED, "filteradd_ignored", "ignores filteradd")                   \
    X(ADD_REPLACES, "filteradd_replaces", "empties the filter at filteradd")   \
    X(ADD_FORGETS, "filteradd_forgets",                                        \
      "forgets at filteradd what it added itself")                             \
    X(LOAD_ADDS, "filterload_adds", "adds a new filter to the old one")        \
    X(LOAD_IGNORED, "filterload_ignored", "keeps the first filter")            \
    X(TXS_REVERSED, "txs_reversed", "sends matches in reverse order")          \
    X(TXS_FIRST, "txs_first", "sends matches before their merkleblock")        \
    X(PONG_FIRST, "pong_first",                                                \
      "answers a ping before the blocks asked for earlier")                    \
    X(EMPTY_SILENT, "empty_silent",                                            \
      "answers nothing for a block without a match")                           \
    X(ODD_DOUBLED, "odd_doubled",                                              \
      "proves the double of the last of an odd number")                        \
    X(FLAG_BITS, "flag_bits",                                                  \
      "writes the flags of a proof from the highest bit")                      \
    X(MATCH_COUNT, "match_count",                                              \
      "counts matches, not transactions, in a merkleblock")                    \
    X(WITH_WITNESS, "with_witness", "sends matches with their witness")        \
    X(FIRST_ONLY, "first_only", "answers but the first item of a getdata")     \
    X(UNFILTERED, "unfiltered",                                                \
      "answers with everything where there is no filter")                      \
    X(UNKNOWN_ENDS, "unknown_ends", "answers nothing behind an unknown block") \
    X(BLOCKS_REVERSED, "blocks_reversed", "answers a getdata from its end")    \
    X(MEMPOOL_SILENT, "mempool_silent", "does not answer mempool")             \
    X(RELAYS_EARLY, "relays_early",                                            \
      "announces transactions though relay was 0")                             \
    X(RELAYS_ALL, "relays_all", "announces what does not match")               \
    X(LARGEST_REFUSED, "largest_refused", "refuses a filter of 36,000 bytes")  \
    X(TOO_LARGE_TAKEN, "too_large_taken", "takes a filter of 36,001 bytes")    \
    X(FIFTY_REFUSED, "fifty_refused", "refuses 50 hash functions")             \
    X(TOO_MANY_TAKEN, "too_many_taken", "takes 51 hash functions")             \
    X(ADD_520_REFUSED, "add_520_refused", "refuses an element of 520 bytes")   \
    X(ADD_521_TAKEN, "add_521_taken", "takes an element of 521 bytes")         \
    X(ADD_MAKES, "filteradd_makes", "makes a filter at filteradd without one") \
    X(CLEAR_IGNORED, "filterclear_ignored", "keeps the filter at filterclear") \
    X(SERVES_UNTOLD, "serves_untold",                                          \
      "serves filters though it offers no NODE_BLOOM")

typedef enum spv_script_break {
    SPV_BREAK_NONE,
#define X(id, name, does) SPV_BREAK_##id,
    SPV_SCRIPT_BREAK_MAP(X)
#undef X
        SPV_BREAK_COUNT
} spv_script_break;

/** Its name and its sentence; "" for none. Static. */
const char *spv__script_break_name(spv_script_break b);
const char *spv__script_break_does(spv_script_break b);

/** spv_filter_match as a node with this habit does it; of `filter` only the
 * bits are changed. */
bool spv__script_match(spv_filter *filter, const spv_tx *tx,
                       spv_script_break b);

#endif
