#include <stdlib.h>
#include <string.h>

#include "chain/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Three bytes a header: whose child it is, how much later, what it claims. */
enum { STEP = 3, KNOWN = 64, SIDES = 8 };

static void must(bool held)
{
    if (!held)
        abort();
}

/** A header out of the input, with proof of work where that is to be had. */
static void make(uint8_t out[SPV_HEADER_LEN], const spv_tree_block *parent,
                 const uint8_t *in)
{
    spv_header h = {.version = in[2] & 1 ? -1 : 4,
                    .prev = parent->hash,
                    .merkle_root = {{in[2]}},
                    .time = parent->time + in[1] - 8u,
                    .bits = in[2] & 2 ? parent->bits : 0x207fffff};
    spv_hash hash;

    do {
        spv_header_encode(out, &h);
        spv_header_hash(&hash, out);
    } while (hash.bytes[31] >= 0x80 && h.nonce++ < 8);
}

static void check(spv_header_tree *tree, spv_u256 work_before)
{
    spv_hash locator[SPV__TREE_LOCATOR_MAX];
    size_t n = spv__tree_locator(tree, locator);
    spv_tree_block tip = spv__tree_tip(tree);
    spv_tree_block block;

    must(spv__u256_compare(spv__tree_work(tree), work_before) >= 0);
    must(spv__tree_side_count(tree) <= SIDES);
    must(spv_hash_equal(&locator[0], &tip.hash));
    for (size_t i = 0; i < n; i++)
        must(spv__tree_find(tree, &locator[i], &block) && block.active);
    must(block.height == 0);
}

/** First the bytes themselves as a header, then a tree built out of them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spv_tree_config config = {.network = spv_network_get(SPV_REGTEST),
                              .side_max = SIDES};
    spv_header_tree *tree = NULL;
    spv_tree_block known[KNOWN];
    size_t n = 0;
    spv_tree_change change;

    must(spv__tree_new(&tree, &config) == SPV_OK);
    if (size >= SPV_HEADER_LEN)
        (void)spv__tree_add(tree, data, INT64_C(2000000000), &change);
    known[n++] = spv__tree_base(tree);
    for (size_t i = 0; i + STEP <= size; i += STEP) {
        spv_tree_block parent = known[data[i] % (n < KNOWN ? n : KNOWN)];
        spv_u256 work = spv__tree_work(tree);
        uint8_t header[SPV_HEADER_LEN];
        spv_hash hash;

        make(header, &parent, data + i);
        (void)spv__tree_add(tree, header, INT64_C(2000000000), &change);
        spv_header_hash(&hash, header);
        if (spv__tree_find(tree, &hash, &parent))
            known[n++ % KNOWN] = parent;
        check(tree, work);
    }
    spv__tree_free(tree);
    return 0;
}
