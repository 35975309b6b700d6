#ifndef SUPPORT_CHAINTAKE_H
#define SUPPORT_CHAINTAKE_H

#include "conform/script_chain.h"
#include "support/chaingen.h"
#include "support/must.h"

/** Add every block that a generator still has to give. */
static inline void chain_take(spv_script_chain *c, chaingen *g)
{
    chaingen_block b;

    while (chaingen_next(g, &b))
        MUST(spv__script_chain_add(c, b.bytes, b.len) == SPV_OK);
}

#endif
