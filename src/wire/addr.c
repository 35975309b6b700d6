/* Addresses of other nodes, in the old form and in BIP 155's. */
#include <string.h>

#include "wire/netaddr.h"
#include "wire/payload.h"

/* Time, services and address; BIP 155's shortest address is empty. */
enum { ENTRY_LEN = 4 + 8 + 16 + 2, ENTRY_V2_MIN = 4 + 1 + 1 + 1 + 2 };

static bool read_entry(spv_addr_entry *e, spv_reader *r)
{
    e->time = spv__read_u32(r);
    e->services = spv__read_u64(r);
    spv__netaddr_read(&e->addr, r);
    e->known = true;
    return r->err == SPV_OK;
}

static bool read_entry_v2(spv_addr_entry *e, spv_reader *r)
{
    e->time = spv__read_u32(r);
    e->services = spv__read_compact(r);
    e->known = spv__netaddr_read_v2(&e->addr, r);
    return r->err == SPV_OK;
}

bool spv__addr_next(spv_addr_entry *out, spv_addrs *addrs)
{
    memset(out, 0, sizeof(*out));
    if (addrs->n == 0)
        return false;
    addrs->n--;
    return addrs->v2 ? read_entry_v2(out, &addrs->at)
                     : read_entry(out, &addrs->at);
}

/* Walk all entries once, so that nothing half-wrong is ever handed out. */
static void read_addrs(spv_addrs *addrs, spv_reader *r)
{
    spv_addr_entry entry;
    spv_addrs walk;

    addrs->at = *r;
    walk = *addrs;
    while (spv__addr_next(&entry, &walk))
        ;
    *r = walk.at;
}

void spv__read_addr(spv_message *m, spv_reader *r)
{
    m->as.addrs.v2 = false;
    m->as.addrs.n = spv__read_count_to(r, ENTRY_LEN, SPV__ADDR_MAX);
    read_addrs(&m->as.addrs, r);
}

void spv__put_addr(spv_buf *b, const spv_addr_entry *entries, size_t n)
{
    spv__put_count_to(b, n, SPV__ADDR_MAX);
    for (size_t i = 0; i < n && b->err == SPV_OK; i++) {
        spv__put_u32(b, entries[i].time);
        spv__put_u64(b, entries[i].services);
        spv__netaddr_put(b, &entries[i].addr);
    }
}

void spv__read_addrv2(spv_message *m, spv_reader *r)
{
    m->as.addrs.v2 = true;
    m->as.addrs.n = spv__read_count_to(r, ENTRY_V2_MIN, SPV__ADDR_MAX);
    read_addrs(&m->as.addrs, r);
}

void spv__put_addrv2(spv_buf *b, const spv_addr_entry *entries, size_t n)
{
    spv__put_count_to(b, n, SPV__ADDR_MAX);
    for (size_t i = 0; i < n && b->err == SPV_OK; i++) {
        spv__put_u32(b, entries[i].time);
        spv__put_compact(b, entries[i].services);
        spv__netaddr_put_v2(b, &entries[i].addr);
    }
}
