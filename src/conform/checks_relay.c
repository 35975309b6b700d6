#include "conform/scene.h"

/* What is announced outside blocks: played in a scene, not written as a
 * dialogue. */

#define RELAY                                                               \
    "BIP 37: \"If false then broadcast transactions will not be announced " \
    "until a filter{load,add,clear} command is received.\""
#define RESTRICT                                                            \
    "BIP 37: \"Upon receiving a filterload command, the remote peer will "  \
    "immediately restrict the broadcast transactions it announces (in inv " \
    "packets) to transactions matching the filter\""

const spv_check spv__checks_relay[] = {
    {"relay.silent-before-filter",
     "after a version with relay=0 no transaction is announced", RELAY,
     SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_SILENT},
    {"relay.matching-after-filterload",
     "after relay=0 and filterload what matches is announced, and nothing else",
     RESTRICT, SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_MATCHING},
    {"relay.all-after-filterclear",
     "after relay=0 and filterclear every transaction is announced", RELAY,
     SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_CLEARED},
    {"relay.all-with-relay",
     "after a version with relay=1 every transaction is announced",
     "BIP 37: \"If missing or true, no change in protocol behaviour occurs.\"",
     SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_OPEN},
    {"relay.filterload-restricts",
     "after relay=1 a filter restricts what is announced", RESTRICT,
     SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_OPEN_MATCHING},
    {"mempool.all", "mempool without a filter is answered with all of it",
     "BIP 35: \"the node will respond with an 'inv' message containing "
     "MSG_TX hashes of all the transactions in the node's transaction memory "
     "pool, if any\"",
     SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_POOL},
    {"mempool.getdata", "what mempool announces can be had by getdata",
     "BIP 35: \"an implementation must extend its 'getdata' message "
     "support to querying the memory pool\"",
     SPV_CONFORM_MUST, 0, NULL, SPV_ROLE_POOL_GETDATA},
    {"mempool.filtered",
     "mempool with a filter is answered with what matches alone",
     "reference implementation: net_processing, SendMessages tests each "
     "transaction of the mempool with the filter",
     SPV_CONFORM_SHOULD, 0, NULL, SPV_ROLE_POOL_MATCHING},
    {"mempool.filtered-nothing",
     "mempool with a filter that nothing matches is not answered",
     "reference implementation: net_processing, SendMessages tests each "
     "transaction of the mempool with the filter",
     SPV_CONFORM_SHOULD, 0, NULL, SPV_ROLE_POOL_NOTHING},
    {0},
};
