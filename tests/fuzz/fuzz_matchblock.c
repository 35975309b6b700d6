#include <stdlib.h>
#include <string.h>

#include <spv/filter.h>

enum { HEAD = 8, TXS_MOST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
    if (!held)
        abort();
}

/** Bytes are a filter of up to 255 bytes: its length, functions, flags, tweak,
 * and its bits. What is left goes to `data`. */
static bool take_filter(spv_filter *f, const uint8_t **data, size_t *size)
{
    const uint8_t *at = *data;
    size_t len = 0;
    uint32_t tweak = 0;

    if (*size < HEAD || at[0] > *size - HEAD)
        return false;
    len = at[0];
    memcpy(&tweak, at + 3, sizeof(tweak));
    if (spv_filter_init(f, len, at[1], tweak, at[2]))
        return false;
    if (len > 0)
        memcpy(f->bytes, at + HEAD, len);
    *data += HEAD + len;
    *size -= HEAD + len;
    return true;
}

/** Transactions, one behind the other, as many as can be read. */
static size_t take_txs(spv_tx *txs, const uint8_t *data, size_t size)
{
    size_t used = 0;
    size_t n = 0;

    for (; n < TXS_MOST && !spv_tx_decode(&txs[n], data, size, &used); n++) {
        data += used;
        size -= used;
    }
    return n;
}

static bool same(const spv_match *a, const spv_match *b)
{
    return a->matched == b->matched && a->by_txid == b->by_txid &&
           a->by_input == b->by_input && a->outputs == b->outputs &&
           a->added == b->added;
}

static void check(spv_filter *f, const spv_tx *txs, size_t n)
{
    spv_match together[TXS_MOST];
    spv_match singly;
    spv_filter g;

    if (spv_filter_copy(&g, f))
        return;
    spv_filter_match_block(f, txs, n, together);
    for (size_t i = 0; i < n; i++) {
        spv_filter_match(&g, &txs[i], &singly);
        must(same(&together[i], &singly));
    }
    must(f->len == 0 || memcmp(f->bytes, g.bytes, f->len) == 0);
    spv_filter_clear(&g);
}

/** A block is matched as its transactions are, one after another. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spv_tx txs[TXS_MOST];
    spv_filter f;
    size_t n = 0;

    if (!take_filter(&f, &data, &size))
        return 0;
    n = take_txs(txs, data, size);
    check(&f, txs, n);
    for (size_t i = 0; i < n; i++)
        spv_tx_clear(&txs[i]);
    spv_filter_clear(&f);
    return 0;
}
