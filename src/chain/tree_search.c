#include "chain/tree.h"

/* Searches along the active chain, which need no more than the tree's face. */

int32_t spv__tree_height_at_time(const spv_header_tree *tree, uint32_t time)
{
    int32_t low = spv__tree_base(tree).height;
    int32_t high = spv__tree_tip(tree).height;

    while (low < high) {
        int32_t middle = low + (high - low) / 2;

        if (spv__tree_median_time(tree, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t spv__tree_locator(const spv_header_tree *tree,
                         spv_hash out[SPV__TREE_LOCATOR_MAX])
{
    int32_t base = spv__tree_base(tree).height;
    int32_t height = spv__tree_tip(tree).height;
    int32_t step = 1;
    size_t n = 0;
    spv_tree_block block;

    while (spv__tree_at(tree, height, &block)) {
        out[n++] = block.hash;
        if (height == base)
            break;
        height = height - base > step ? height - step : base;
        if (n > 10)
            step *= 2;
    }
    return n;
}
