#include "conform/serve_scenarios.h"

#include <string.h>

enum {
    MANNERS = SPV_SERVE_FILTER_FIRST | SPV_SERVE_COMPLETE,
    JUSTICE = SPV_SERVE_LEAVES | SPV_SERVE_ASKS_NO_MORE
};

static const spv_serve_sort good = {MANNERS, SPV_SERVE_COMPLETE, true};
static const spv_serve_sort late = {MANNERS | SPV_SERVE_WAITS, SPV_SERVE_WAITS,
                                    true};

/* What it says is false, and whoever looks can prove it: in its blocks, beside
 * them, or in whole blocks alone. */
static const spv_serve_sort liar_in_blocks = {
    MANNERS | JUSTICE | SPV_SERVE_ASKS_ELSEWHERE, SPV_SERVE_LEAVES, false};
static const spv_serve_sort liar = {MANNERS | JUSTICE, SPV_SERVE_LEAVES, false};
static const spv_serve_sort liar_in_whole = {MANNERS | JUSTICE,
                                             SPV_SERVE_LEAVES, false};

/* What it says is true, and not all. */
static const spv_serve_sort omits = {
    SPV_SERVE_FILTER_FIRST | SPV_SERVE_COMPARES, SPV_SERVE_COMPARES, false};

/* It gives nothing, or not what was asked for. */
static const spv_serve_sort absent = {MANNERS, SPV_SERVE_COMPLETE, false};
static const spv_serve_sort no_bloom = {
    SPV_SERVE_NO_FILTER | SPV_SERVE_COMPLETE, SPV_SERVE_NO_FILTER, false};

static const spv_serve_row rows[] = {
    {{"honest", "serves BIP 37 as Bitcoin Core does",
      "asks for every block from its birthday on, under a filter that covers "
      "its keys and coins, and asks again when new keys come into reach"},
     &good},
    {{"two_versions", "says its version twice",
      "passes over the second, or leaves"},
     &absent},
    {{"chatter", "says what nobody knows before its verack",
      "passes over it: unknown messages are no fault"},
     &good},
    {{"early_inv", "announces a transaction before there is a filter",
      "passes over it: no coin comes of it"},
     &good},
    {{"inv_only", "announces blocks by inv, whatever it was asked to",
      "asks for the headers of what was announced"},
     &good},
    {{"discreet", "announces no block at all", "asks by itself"}, &good},
    {{"whole_mempool", "answers mempool with all it has, filter or not",
      "compares each transaction with its own keys"},
     &good},
    {{"claims_too_much", "claims a million blocks more than it has",
      "believes headers alone"},
     &good},
    {{"claims_too_little", "claims 500 blocks less than it has",
      "believes headers alone"},
     &good},
    {{"addr_flood", "sends 100,000 addresses of all networks",
      "keeps few of them"},
     &good},
    {{"late_filter", "takes two seconds for a filterload",
      "sends a ping behind it, and asks for blocks after the pong"},
     &late},
    {{"headers_short",
      "gives half of the headers asked for, as if there were no more",
      "asks another node"},
     &absent},
    {{"stray_tx", "sends a transaction that no merkleblock proved",
      "believes what is proved, and nothing else"},
     &good},
    {{"no_whole", "gives no whole block", "does not wait for it for ever"},
     &good},
    {{"other_whole", "gives a whole block that is not the one of its header",
      "builds the merkle root itself, and leaves"},
     &liar_in_whole},
    {{"false_proof", "sends merkle proofs with a wrong hash",
      "checks the root, leaves, and asks another node"},
     &liar_in_blocks},
    {{"extra_tx", "proves and sends a transaction that does not match",
      "matches what comes with its own filter, leaves, and asks another node"},
     &liar_in_blocks},
    {{"match_everything", "matches everything, as if the filter were full",
      "matches what comes with its own filter, leaves before the bytes add "
      "up, and asks another node"},
     &liar_in_blocks},
    {{"withhold_tx", "proves a match and does not send it",
      "takes a block whole or not at all, leaves, and asks another node"},
     &liar_in_blocks},
    {{"omit_tx", "leaves the last match of every block out",
      "compares with another node: a proof shows what is there, never that it "
      "is all"},
     &omits},
    {{"omit_some", "leaves three in ten matches out",
      "compares with another node: a proof shows what is there, never that it "
      "is all"},
     &omits},
    {{"omit_all", "leaves every match out",
      "compares with another node: a proof shows what is there, never that it "
      "is all"},
     &omits},
    {{"easy_header", "its last header lacks work",
      "checks the work of every header, and leaves"},
     &liar},
    {{"headers_gap", "leaves a header out in the middle",
      "checks that each follows the one before, and leaves"},
     &liar},
    {{"headers_beside", "its last header is of another chain",
      "knows that there are two, and asks other nodes"},
     &absent},
    {{"headers_none", "gives no headers, as a node that is still syncing",
      "asks another node"},
     &absent},
    {{"header_flood", "sends branch after branch of headers that lead nowhere",
      "bounds what it keeps, and leaves"},
     &liar},
    {{"orphan_flood", "sends 20,000 filtered blocks of no chain",
      "takes none that it did not ask for, and leaves"},
     &liar},
    {{"unrequested", "sends filtered blocks that nobody asked for",
      "passes over them, or leaves"},
     &absent},
    {{"full_block", "sends whole blocks instead of filtered ones",
      "takes them for what they are, or asks another node"},
     &absent},
    {{"wrong_magic", "speaks another network's language", "leaves"}, &liar},
    {{"garbage", "sends noise behind the handshake", "leaves"}, &liar},
    {{"no_bloom", "does not offer NODE_BLOOM, and hangs up on filters",
      "sends it no filter message, and asks another node"},
     &no_bloom},
    {{"mute", "says nothing, ever",
      "does not wait for it for ever, and asks another node"},
     &absent},
    {{"verack_first", "says verack before its version, and never again",
      "does not wait for it for ever, and asks another node"},
     &absent},
    {{"hang_up_on_data", "hangs up on getdata, as at its upload limit",
      "asks another node"},
     &absent},
    {{"not_found", "answers getdata with notfound", "asks another node"},
     &absent},
    {{"silent_after_100", "goes silent after 100 filtered blocks",
      "does not wait for it for ever, and asks another node"},
     &absent},
    {{"babbles", "sends other things instead of blocks, without end",
      "does not wait for it for ever, and asks another node"},
     &absent},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const spv_serve_row *spv__serve_row_at(size_t i)
{
    return i < ROWS ? &rows[i] : NULL;
}

const spv_serve_row *spv__serve_row_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].scenario.name, name) == 0)
            return &rows[i];
    return NULL;
}

const spv_serve_scenario *spv_serve_scenario_at(size_t i)
{
    return i < ROWS ? &rows[i].scenario : NULL;
}
