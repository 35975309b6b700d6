/* BIP 37's messages to a node; its answer, merkleblock, is in block.c. */
#include "wire/payload.h"

void spv__read_filterload(spv_message *m, spv_reader *r)
{
    spv_filterload *f = &m->as.filterload;

    f->filter = spv__read_var_to(r, &f->len, SPV__FILTER_BYTES_MAX);
    f->hash_funcs = spv__read_u32(r);
    f->tweak = spv__read_u32(r);
    f->flags = spv__read_u8(r);
    if (f->hash_funcs > SPV__FILTER_FUNCS_MAX)
        spv__read_fail(r, SPV_LIMIT);
}

void spv__put_filterload(spv_buf *b, const spv_filterload *f)
{
    spv__put_var_to(b, f->filter, f->len, SPV__FILTER_BYTES_MAX);
    spv__put_u32(b, f->hash_funcs);
    spv__put_u32(b, f->tweak);
    spv__put_u8(b, f->flags);
    if (f->hash_funcs > SPV__FILTER_FUNCS_MAX && b->err == SPV_OK)
        b->err = SPV_LIMIT;
}

void spv__read_filteradd(spv_message *m, spv_reader *r)
{
    m->as.filteradd.data =
        spv__read_var_to(r, &m->as.filteradd.len, SPV__FILTERADD_MAX);
}

void spv__put_filteradd(spv_buf *b, const uint8_t *data, size_t len)
{
    spv__put_var_to(b, data, len, SPV__FILTERADD_MAX);
}
