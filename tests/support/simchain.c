#include "support/simchain.h"

#include <string.h>

#include <spv/network.h>

#include "support/must.h"

struct simchain {
    simblock *blocks; /* by height */
    size_t n;
    size_t cap;
    int32_t *slots; /* open addressing: height + 1 by hash; 0 is free */
    size_t n_slots; /* a power of two */
};

static size_t slot_of(const simchain *c, const spv_hash *hash)
{
    uint64_t start;

    memcpy(&start, hash->bytes, sizeof(start));
    return (size_t)start & (c->n_slots - 1);
}

static void index_block(simchain *c, const simblock *b)
{
    size_t at = slot_of(c, &b->hash);

    while (c->slots[at] != 0)
        at = (at + 1) & (c->n_slots - 1);
    c->slots[at] = b->height + 1;
}

/** Keep the index at most half full. */
static void grow_index(simchain *c)
{
    if (2 * (c->n + 1) < c->n_slots)
        return;
    c->n_slots = c->n_slots == 0 ? 64 : 2 * c->n_slots;
    free(c->slots);
    c->slots = calloc(c->n_slots, sizeof(*c->slots));
    MUST(c->slots);
    for (size_t i = 0; i < c->n; i++)
        index_block(c, &c->blocks[i]);
}

/** A block on top, for which only the header is there yet. */
static simblock *append(simchain *c, const uint8_t header[SPV_HEADER_LEN])
{
    simblock b = {.height = (int32_t)c->n};

    memcpy(b.header, header, sizeof(b.header));
    spv_header_hash(&b.hash, header);
    c->blocks = must_grow(c->blocks, c->n, &c->cap, sizeof(b));
    grow_index(c);
    c->blocks[c->n++] = b;
    index_block(c, &b);
    return &c->blocks[b.height];
}

simchain *simchain_new(void)
{
    simchain *c = calloc(1, sizeof(*c));

    MUST(c);
    (void)append(c, spv_network_get(SPV_REGTEST)->genesis);
    return c;
}

void simchain_free(simchain *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        free(c->blocks[i].bytes);
    free(c->blocks);
    free(c->slots);
    free(c);
}

void simchain_add(simchain *c, const uint8_t *bytes, size_t len)
{
    simblock *b = append(c, bytes);

    MUST(len > SPV_HEADER_LEN);
    b->bytes = malloc(len);
    b->len = len;
    MUST(b->bytes);
    memcpy(b->bytes, bytes, len);
}

void simchain_take(simchain *c, chaingen *g)
{
    chaingen_block b;

    while (chaingen_next(g, &b))
        simchain_add(c, b.bytes, b.len);
}

int32_t simchain_tip(const simchain *c)
{
    return (int32_t)c->n - 1;
}

const simblock *simchain_at(const simchain *c, int32_t height)
{
    MUST(height >= 0 && (size_t)height < c->n);
    return &c->blocks[height];
}

const simblock *simchain_find(const simchain *c, const spv_hash *hash)
{
    for (size_t at = slot_of(c, hash); c->slots[at] != 0;
         at = (at + 1) & (c->n_slots - 1)) {
        const simblock *b = &c->blocks[c->slots[at] - 1];

        if (spv_hash_equal(&b->hash, hash))
            return b;
    }
    return NULL;
}
