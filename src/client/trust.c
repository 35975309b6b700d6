#include "client/client.h"

/* What a run does about peers that are not to be believed. */

void spv__client_move_back(spv_client *c, int32_t height)
{
    spv_tree_block block;

    if (!spv__tree_at(c->tree, height, &block))
        block = spv__tree_base(c->tree);
    c->reached = spv__client_tip(c);
    spv__trail_cut(&c->trail, block.height);
    spv__trail_push(&c->trail, block.height, &block.hash);
    c->position = block.height;
    c->position_hash = block.hash;
    c->changed = true;
}

spv_err spv__client_begin_doubts(spv_client *c)
{
    size_t length = spv__wallet_element_count(c->wallet);
    spv_err err =
        spv__doubts_begin(&c->run.doubts, c->wallet, c->tree, c->position);

    return err == SPV_OK ? spv__client_take_in(c, length) : err;
}

/* Above the new position nothing is doubted less than after a restart: blocks
 * that the wallet believes in may leave the chain before it is there again. */
spv_err spv__client_go_back(spv_client *c, int32_t height)
{
    spv__client_move_back(c, height);
    spv__sync_set_position(&c->run.sync, c->position, &c->position_hash);
    spv__doubts_clear(&c->run.doubts);
    return spv__client_begin_doubts(c);
}
