#include "wire/netaddr.h"
#include "wire/payload.h"

static bool has_more(const spv_reader *r)
{
    return spv__read_left(r) > 0;
}

/*
 * After the receiver's address every field is optional, in this order: old
 * and foreign nodes stop early, new ones may go on behind `relay`.
 *
 * BIP 37: "If false then broadcast transactions will not be announced until a
 * filter{load,add,clear} command is received. If missing or true, no change in
 * protocol behaviour occurs."
 */
static void read_optional(spv_version *v, spv_reader *r)
{
    v->relay = true;
    if (!has_more(r))
        return;
    v->from_services = spv__read_u64(r);
    spv__netaddr_read(&v->from, r);
    v->nonce = spv__read_u64(r);
    if (!has_more(r))
        return;
    v->user_agent = (const char *)spv__read_var_to(r, &v->user_agent_len,
                                                   SPV__USER_AGENT_MAX);
    if (!has_more(r))
        return;
    v->start_height = (int32_t)spv__read_u32(r);
    if (!has_more(r))
        return;
    v->relay = spv__read_u8(r) != 0;
    v->relay_present = true;
    (void)spv__read_bytes(r, spv__read_left(r));
}

void spv__read_version(spv_message *m, spv_reader *r)
{
    spv_version *v = &m->as.version;

    v->version = (int32_t)spv__read_u32(r);
    v->services = spv__read_u64(r);
    v->time = (int64_t)spv__read_u64(r);
    v->to_services = spv__read_u64(r);
    spv__netaddr_read(&v->to, r);
    read_optional(v, r);
}

void spv__put_version(spv_buf *b, const spv_version *v)
{
    spv__put_u32(b, (uint32_t)v->version);
    spv__put_u64(b, v->services);
    spv__put_u64(b, (uint64_t)v->time);
    spv__put_u64(b, v->to_services);
    spv__netaddr_put(b, &v->to);
    spv__put_u64(b, v->from_services);
    spv__netaddr_put(b, &v->from);
    spv__put_u64(b, v->nonce);
    spv__put_var_to(b, v->user_agent, v->user_agent_len, SPV__USER_AGENT_MAX);
    spv__put_u32(b, (uint32_t)v->start_height);
    spv__put_u8(b, v->relay);
}
