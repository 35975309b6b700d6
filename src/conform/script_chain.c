#include "conform/script_chain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <spv/network.h>

struct spv_script_chain {
    spv_script_block *blocks; /* by height */
    size_t n;
    size_t cap;
    int32_t *slots; /* open addressing: height + 1 by hash; 0 is free */
    size_t n_slots; /* a power of two */
};

static size_t slot_of(const spv_script_chain *c, const spv_hash *hash)
{
    uint64_t start;

    memcpy(&start, hash->bytes, sizeof(start));
    return (size_t)start & (c->n_slots - 1);
}

static void index_block(spv_script_chain *c, const spv_script_block *b)
{
    size_t at = slot_of(c, &b->hash);

    while (c->slots[at] != 0)
        at = (at + 1) & (c->n_slots - 1);
    c->slots[at] = b->height + 1;
}

/** Keep the index at most half full. */
static bool grow_index(spv_script_chain *c)
{
    size_t n_slots = c->n_slots == 0 ? 64 : 2 * c->n_slots;
    int32_t *slots;

    if (2 * (c->n + 1) < c->n_slots)
        return true;
    slots = calloc(n_slots, sizeof(*slots));
    if (!slots)
        return false;
    free(c->slots);
    c->slots = slots;
    c->n_slots = n_slots;
    for (size_t i = 0; i < c->n; i++)
        index_block(c, &c->blocks[i]);
    return true;
}

/** Room for one block more. */
static bool grow_blocks(spv_script_chain *c)
{
    size_t cap = c->cap == 0 ? 16 : 2 * c->cap;
    spv_script_block *blocks;

    if (c->n < c->cap)
        return true;
    blocks = realloc(c->blocks, cap * sizeof(*blocks));
    if (!blocks)
        return false;
    c->blocks = blocks;
    c->cap = cap;
    return true;
}

/** A block on top, which takes `bytes` over. */
static bool append(spv_script_chain *c, const uint8_t header[SPV_HEADER_LEN],
                   uint8_t *bytes, size_t len)
{
    spv_script_block b = {.height = (int32_t)c->n, .bytes = bytes, .len = len};

    if (!grow_blocks(c) || !grow_index(c))
        return false;
    memcpy(b.header, header, sizeof(b.header));
    spv_header_hash(&b.hash, header);
    c->blocks[c->n++] = b;
    index_block(c, &b);
    return true;
}

spv_script_chain *spv__script_chain_new(void)
{
    spv_script_chain *c = calloc(1, sizeof(*c));

    if (c && append(c, spv_network_get(SPV_REGTEST)->genesis, NULL, 0))
        return c;
    spv__script_chain_free(c);
    return NULL;
}

void spv__script_chain_free(spv_script_chain *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        free(c->blocks[i].bytes);
    free(c->blocks);
    free(c->slots);
    free(c);
}

spv_err spv__script_chain_add(spv_script_chain *c, const uint8_t *bytes,
                              size_t len)
{
    uint8_t *copy;

    assert(len > SPV_HEADER_LEN);
    copy = malloc(len);
    if (!copy || !append(c, bytes, copy, len)) {
        free(copy);
        return SPV_NOMEM;
    }
    memcpy(copy, bytes, len);
    return SPV_OK;
}

int32_t spv__script_chain_tip(const spv_script_chain *c)
{
    return (int32_t)c->n - 1;
}

const spv_script_block *spv__script_chain_at(const spv_script_chain *c,
                                             int32_t height)
{
    assert(height >= 0 && (size_t)height < c->n);
    return &c->blocks[height];
}

const spv_script_block *spv__script_chain_find(const spv_script_chain *c,
                                               const spv_hash *hash)
{
    for (size_t at = slot_of(c, hash); c->slots[at] != 0;
         at = (at + 1) & (c->n_slots - 1)) {
        const spv_script_block *b = &c->blocks[c->slots[at] - 1];

        if (spv_hash_equal(&b->hash, hash))
            return b;
    }
    return NULL;
}
