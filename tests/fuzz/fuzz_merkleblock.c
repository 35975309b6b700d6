#include <stdlib.h>
#include <string.h>

#include "chain/merkle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
    if (!held)
        abort();
}

/** What a proof proves is within its bounds, in order, and made of its hashes.
 */
static void check(const spv_merkle_proof *proof, const uint8_t *payload,
                  size_t size)
{
    spv_message m;

    must(!spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload, size));
    must(proof->n <= m.as.merkleblock.hashes.n);
    must(memcmp(proof->root.bytes, payload + 36, 32) == 0);
    for (size_t i = 0; i < proof->n; i++) {
        must(proof->leaves[i].position < m.as.merkleblock.n_transactions);
        must(i == 0 ||
             proof->leaves[i - 1].position < proof->leaves[i].position);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spv_merkle_proof proof = {0};
    spv_message m;

    if (spv_merkle_verify_block(&proof, data, size, NULL) == SPV_MERKLE_OK)
        check(&proof, data, size);
    else
        must(proof.n == 0);
    if (!spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, data, size)) {
        spv_merkle_tree tree = spv__merkle_tree_of(&m.as.merkleblock);

        (void)spv_merkle_verify(&proof, &tree, NULL); /* get past the root */
        must(proof.n <= tree.n_hashes);
    }
    spv_merkle_proof_clear(&proof);
    return 0;
}
