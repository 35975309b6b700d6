/* The small messages: handshake flags, pings, fees, rejections. */
#include "wire/payload.h"

void spv__read_nothing(spv_message *m, spv_reader *r)
{
    (void)m;
    (void)r;
}

/* Before BIP 31 a ping was empty and wanted no answer. */
void spv__read_ping(spv_message *m, spv_reader *r)
{
    m->has_nonce = spv__read_left(r) > 0;
    if (m->has_nonce)
        m->as.nonce = spv__read_u64(r);
}

void spv__read_pong(spv_message *m, spv_reader *r)
{
    m->has_nonce = true;
    m->as.nonce = spv__read_u64(r);
}

void spv__read_sendcmpct(spv_message *m, spv_reader *r)
{
    m->as.sendcmpct.announce = spv__read_u8(r) != 0;
    m->as.sendcmpct.version = spv__read_u64(r);
}

void spv__read_feefilter(spv_message *m, spv_reader *r)
{
    m->as.fee_rate = (int64_t)spv__read_u64(r);
}

void spv__read_reject(spv_message *m, spv_reader *r)
{
    spv_reject *j = &m->as.reject;

    j->message = (const char *)spv__read_var_to(r, &j->message_len,
                                                SPV__REJECT_MESSAGE_MAX);
    j->code = spv__read_u8(r);
    j->reason = (const char *)spv__read_var_to(r, &j->reason_len,
                                               SPV__REJECT_REASON_MAX);
    j->data_len = spv__read_left(r);
    j->data = spv__read_bytes(r, j->data_len);
}

void spv__put_reject(spv_buf *b, const spv_reject *r)
{
    spv__put_var_to(b, r->message, r->message_len, SPV__REJECT_MESSAGE_MAX);
    spv__put_u8(b, r->code);
    spv__put_var_to(b, r->reason, r->reason_len, SPV__REJECT_REASON_MAX);
    spv__put_bytes(b, r->data, r->data_len);
}
