#include <string.h>

#include "conform/script_node.h"

/* One line a way to be a bad peer: its name, and what differs from honest. */
#define HABITS(X)                                        \
    X(honest, .silent_after = 0)                         \
    X(verack_first, .greeting = SPV_SCRIPT_VERACK_FIRST) \
    X(two_versions, .greeting = SPV_SCRIPT_TWO_VERSIONS) \
    X(mute, .greeting = SPV_SCRIPT_MUTE)                 \
    X(chatter, .chatter = true)                          \
    X(no_bloom, .no_bloom = true)                        \
    X(match_everything, .match_everything = true)        \
    X(extra_tx, .extra_tx = true)                        \
    X(stray_tx, .stray_tx = true)                        \
    X(withhold_tx, .withhold_tx = true)                  \
    X(omit_tx, .omit_tx = true)                          \
    X(omit_some, .omits = 3)                             \
    X(omit_all, .omits = 10)                             \
    X(false_proof, .false_proof = true)                  \
    X(easy_header, .easy_header = true)                  \
    X(headers_gap, .headers = SPV_SCRIPT_GAP)            \
    X(headers_beside, .headers = SPV_SCRIPT_BESIDE)      \
    X(headers_beyond, .headers = SPV_SCRIPT_BEYOND)      \
    X(headers_short, .headers = SPV_SCRIPT_SHORT)        \
    X(headers_none, .headers = SPV_SCRIPT_NONE)          \
    X(four_headers, .headers_max = 4)                    \
    X(wrong_magic, .wrong_magic = true)                  \
    X(garbage, .garbage = true)                          \
    X(hang_up_on_data, .hang_up_on_data = true)          \
    X(not_found, .not_found = true)                      \
    X(full_block, .full_block = true)                    \
    X(other_whole, .other_whole = true)                  \
    X(no_whole, .no_whole = true)                        \
    X(unrequested, .unrequested = true)                  \
    X(babbles, .babbles = true)                          \
    X(orphan_flood, .orphan_flood = 100000)              \
    X(header_flood, .header_flood = 120)                 \
    X(early_inv, .early_inv = true)                      \
    X(inv_only, .inv_only = true)                        \
    X(discreet, .discreet = true)                        \
    X(whole_mempool, .whole_mempool = true)              \
    X(silent_after_100, .silent_after = 100)             \
    X(claims_too_much, .claim = 1000000)                 \
    X(claims_too_little, .claim = -500)                  \
    X(addr_flood, .addr_flood = 100)                     \
    X(late_filter, .filter_delay = 2000)

static const struct {
    const char *name;
    spv_script_habits habits;
} table[] = {
#define X(name, ...) {#name, {__VA_ARGS__}},
    HABITS(X)
#undef X
};

static const char *const names[] = {
#define X(name, ...) #name,
    HABITS(X)
#undef X
        NULL,
};

const spv_script_habits *spv__script_habits_find(const char *name)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i].habits;
    return NULL;
}

const char *const *spv__script_habits_names(void)
{
    return names;
}
