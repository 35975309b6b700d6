#include <stdlib.h>

#include <spv/block.h>

#include "cli/commands.h"
#include "cli/decode.h"
#include "cli/input.h"
#include "cli/text.h"
#include "cli/values.h"

static json_t *leaves_doc(const spv_merkle_proof *proof)
{
    json_t *list = json_array();

    for (size_t i = 0; i < proof->n; i++)
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o}", "txid",
                            cli_json_hash(&proof->leaves[i].txid), "position",
                            cli_json_count(proof->leaves[i].position)));
    return list;
}

static json_t *proof_doc(const spv_merkle_proof *proof, const uint8_t *bytes,
                         const spv_merkle_tree *tree)
{
    spv_header h;
    spv_hash hash;

    spv_header_decode(&h, bytes);
    spv_header_hash(&hash, bytes);
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "block_hash",
                     cli_json_hash(&hash), "block_time", cli_json_count(h.time),
                     "merkle_root", cli_json_hash(&proof->root),
                     "n_transactions", cli_json_count(tree->n_txs),
                     "transactions", leaves_doc(proof));
}

static const char *sentence_of(spv_merkle_verdict verdict)
{
    switch (verdict) {
    case SPV_MERKLE_OK:
    case SPV_MERKLE_MEMORY:
        break;
    case SPV_MERKLE_PARSE:
        return "its bytes are not those of a whole merkleblock";
    case SPV_MERKLE_NO_TXS:
        return "it speaks of a block without transactions";
    case SPV_MERKLE_TOO_MANY_TXS:
        return "it claims more transactions than fit into a block";
    case SPV_MERKLE_TOO_MANY_HASHES:
        return "it has more hashes than transactions";
    case SPV_MERKLE_TOO_FEW_BITS:
        return "it has fewer flag bits than hashes";
    case SPV_MERKLE_BITS_OVERRUN:
        return "its tree needs more flag bits than it has";
    case SPV_MERKLE_HASHES_OVERRUN:
        return "its tree needs more hashes than it has";
    case SPV_MERKLE_TWINS:
        return "two siblings in its tree are the same (CVE-2012-2459)";
    case SPV_MERKLE_NODE_IS_TX:
        return "an inner node of its tree reads as a transaction "
               "(CVE-2017-12842)";
    case SPV_MERKLE_UNUSED_BITS:
        return "it has flag bytes that its tree does not use";
    case SPV_MERKLE_UNUSED_HASHES:
        return "it has hashes that its tree does not use";
    case SPV_MERKLE_ROOT:
        return "its tree does not lead to the merkle root of its header";
    case SPV_MERKLE_POW:
        return "its header lacks the proof of work";
    }
    return spv_merkle_verdict_text(verdict);
}

static spv_err refuse(cli *c, spv_merkle_verdict verdict)
{
    if (verdict == SPV_MERKLE_MEMORY)
        return cli_fail_plain(c, SPV_NOMEM);
    (void)cli_fail(c, SPV_PROOF, "the merkleblock proves nothing: %s",
                   sentence_of(verdict));
    c->rule = spv_merkle_verdict_text(verdict);
    if (verdict == SPV_MERKLE_POW)
        return cli_hint(&c->trouble,
                        "its header has too little work for %s; --chain names "
                        "another network",
                        c->network->name);
    return SPV_PROOF;
}

static spv_err verify(cli *c, const uint8_t *bytes, size_t len, json_t **doc)
{
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree;
    const uint8_t *header = NULL;
    spv_merkle_verdict verdict =
        spv_merkle_verify_block(&proof, bytes, len, c->network);
    spv_err err = SPV_OK;

    if (verdict != SPV_MERKLE_OK)
        err = refuse(c, verdict);
    else if (spv_merkleblock_open(&header, &tree, bytes, len) == SPV_OK)
        *doc = proof_doc(&proof, header, &tree);
    spv_merkle_proof_clear(&proof);
    return err;
}

spv_err cli_proof_verify(cli *c, json_t **doc)
{
    uint8_t *bytes = NULL;
    size_t len = 0;
    spv_err err = cli_input_bytes(c, 0, &bytes, &len);

    if (err == SPV_OK)
        err = verify(c, bytes, len, doc);
    free(bytes);
    return err;
}

void cli_proof_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"block_hash", "block", CLI_AS_IS},
        {"block_time", "time", CLI_AS_TIME},
        {"merkle_root", "merkle root", CLI_AS_IS},
        {"n_transactions", "transactions", CLI_AS_IS},
    };
    static const cli_field columns[] = {
        {"position", "POSITION", CLI_AS_IS},
        {"txid", "TXID", CLI_AS_IS},
    };

    cli_print_fields(doc, CLI_FIELDS(fields));
    (void)putchar('\n');
    cli_print_table(c, json_object_get(doc, "transactions"),
                    CLI_FIELDS(columns));
}
