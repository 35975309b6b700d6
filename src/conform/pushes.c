#include "conform/pushes.h"

#include <string.h>

spv_push spv__push_get(const uint8_t *script, size_t len, size_t at)
{
    spv_script_op op;
    size_t walk = 0;

    while (spv_script_next(&op, script, len, &walk))
        if (op.len > 0 && at-- == 0)
            return (spv_push){op.data, op.len};
    return (spv_push){0};
}

spv_push spv__push_last(const uint8_t *script, size_t len)
{
    size_t n = spv__push_count(script, len);

    return n > 0 ? spv__push_get(script, len, n - 1) : (spv_push){0};
}

size_t spv__push_count(const uint8_t *script, size_t len)
{
    spv_script_op op;
    size_t walk = 0;
    size_t n = 0;

    while (spv_script_next(&op, script, len, &walk))
        n += op.len > 0;
    return n;
}

static bool is(const uint8_t *data, size_t data_len, const uint8_t *element,
               size_t len)
{
    return data_len == len && memcmp(data, element, len) == 0;
}

bool spv__script_holds(const uint8_t *script, size_t script_len,
                       const uint8_t *element, size_t len)
{
    spv_script_op op;
    size_t walk = 0;

    while (spv_script_next(&op, script, script_len, &walk))
        if (op.len > 0 && is(op.data, op.len, element, len))
            return true;
    return false;
}

bool spv__tx_holds(const spv_tx *tx, const uint8_t *element, size_t len)
{
    bool holds = is(tx->txid.bytes, sizeof(tx->txid.bytes), element, len);

    for (size_t i = 0; i < tx->n_out && !holds; i++)
        holds = spv__script_holds(tx->out[i].script, tx->out[i].script_len,
                                  element, len);
    for (size_t i = 0; i < tx->n_in && !holds; i++) {
        uint8_t prev[SPV_OUTPOINT_LEN];

        spv_outpoint_encode(prev, &tx->in[i].prev);
        holds = is(prev, sizeof(prev), element, len) ||
                spv__script_holds(tx->in[i].script, tx->in[i].script_len,
                                  element, len);
    }
    return holds;
}
