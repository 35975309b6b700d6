#include "conform/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <spv/block.h>

void spv__words_put(spv_buf *out, const char *format, ...)
{
    char text[400];
    va_list args;
    int len = 0;

    va_start(args, format);
    len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len > 0)
        spv__put_bytes(out, text,
                       (size_t)len < sizeof(text) ? (size_t)len
                                                  : sizeof(text) - 1);
}

void spv__words_join(spv_buf *out, size_t start)
{
    if (out->len > start)
        spv__put_bytes(out, ", ", 2);
}

void spv__words_txid(char out[SPV__CLIPPED], const spv_hash *txid)
{
    char text[SPV_HASH_TEXT];

    spv_hash_format(text, txid);
    (void)snprintf(out, SPV__CLIPPED, "%.8s..", text);
}

void spv__words_block(char out[SPV__CLIPPED], const spv_hash *hash)
{
    char text[SPV_HASH_TEXT];

    spv_hash_format(text, hash);
    (void)snprintf(out, SPV__CLIPPED, "..%s", text + strlen(text) - 8);
}

void spv__words_filter(spv_buf *out, const spv_filter *f)
{
    spv__words_put(out,
                   "filterload (%zu byte%s, %lu function%s, tweak %lu, "
                   "flags %u)",
                   f->len, f->len == 1 ? "" : "s", (unsigned long)f->hash_funcs,
                   f->hash_funcs == 1 ? "" : "s", (unsigned long)f->tweak,
                   (unsigned)f->flags);
}

/* ---- Messages ---- */

static void tell_merkleblock(spv_buf *out, const uint8_t *payload, size_t len)
{
    const uint8_t *header = NULL;
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree;

    if (spv_merkleblock_open(&header, &tree, payload, len) != SPV_OK) {
        spv__words_put(out, "merkleblock that cannot be read (%zu bytes)", len);
        return;
    }
    if (spv_merkle_verify(&proof, &tree, NULL) == SPV_MERKLE_OK)
        spv__words_put(out, "merkleblock with %zu of %lu transactions", proof.n,
                       (unsigned long)tree.n_txs);
    else
        spv__words_put(out,
                       "merkleblock of %lu transactions whose tree is not "
                       "valid",
                       (unsigned long)tree.n_txs);
    spv_merkle_proof_clear(&proof);
}

static void tell_tx(spv_buf *out, const uint8_t *payload, size_t len)
{
    char text[SPV__CLIPPED];
    spv_tx tx;

    if (spv_tx_decode(&tx, payload, len, NULL) != SPV_OK) {
        spv__words_put(out, "tx that cannot be read (%zu bytes)", len);
        return;
    }
    spv__words_txid(text, &tx.txid);
    spv__words_put(out, "tx %s%s", text,
                   tx.has_witness ? " with its witness" : "");
    spv_tx_clear(&tx);
}

static void tell_items(spv_buf *out, const char *command, spv_message_kind kind,
                       const uint8_t *payload, size_t len)
{
    spv_message m;

    if (spv__message_decode(&m, kind, payload, len) == SPV_OK)
        spv__words_put(out, "%s of %zu", command, m.as.inv.n);
    else
        spv__words_put(out, "%s that cannot be read", command);
}

void spv__words_message(spv_buf *out, spv_message_kind kind,
                        const uint8_t *payload, size_t len)
{
    const char *command = spv__message_command(kind);

    if (kind == SPV_MSG_MERKLEBLOCK)
        tell_merkleblock(out, payload, len);
    else if (kind == SPV_MSG_TX)
        tell_tx(out, payload, len);
    else if (kind == SPV_MSG_INV || kind == SPV_MSG_NOTFOUND ||
             kind == SPV_MSG_GETDATA)
        tell_items(out, command, kind, payload, len);
    else
        spv__words_put(out, "%s", command[0] ? command : "an unknown message");
}
