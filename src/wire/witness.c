#include <spv/witness.h>

#include "base/bytes.h"

static void read_on(spv_witness_reader *reader, const spv_reader *r)
{
    reader->at = r->at;
    reader->left = spv__read_left(r);
}

void spv_witness_open(spv_witness_reader *reader, const spv_txin *in)
{
    spv_reader r = spv__reader(in->witness, in->witness_len);

    *reader = (spv_witness_reader){0};
    if (!in->witness)
        return;
    reader->n = spv__read_count(&r, 1);
    read_on(reader, &r);
}

bool spv_witness_next(spv_witness_reader *reader, const uint8_t **item,
                      size_t *len)
{
    spv_reader r = spv__reader(reader->at, reader->left);

    if (reader->n_read == reader->n)
        return false;
    *item = spv__read_var_bytes(&r, len);
    if (!*item)
        return false;
    reader->n_read++;
    read_on(reader, &r);
    return true;
}
