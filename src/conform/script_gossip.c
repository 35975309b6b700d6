#include <stdlib.h>
#include <string.h>

#include "conform/script_parts.h"
#include "wire/netaddr.h"

/* What a node knows of others, and tells whoever asks. */

spv_err spv__script_node_tell(spv_script_node *n, const spv_addr_entry *entries,
                              size_t count)
{
    spv_addr_entry *copy = calloc(count ? count : 1, sizeof(*copy));

    if (!copy)
        return SPV_NOMEM;
    if (count)
        memcpy(copy, entries, count * sizeof(*copy));
    free(n->gossip);
    n->gossip = copy;
    n->n_gossip = count;
    return SPV_OK;
}

void spv__script_on_sendaddrv2(spv_script_node *n, const spv_message *m)
{
    (void)m;
    n->addrv2 = true;
}

/* Entry by entry: the writers of whole messages keep to the limit, which is a
 * rule that a node may break. */
static void put_entry(spv_buf *out, const spv_addr_entry *e, bool v2)
{
    spv__put_u32(out, e->time);
    if (v2) {
        spv__put_compact(out, e->services);
        spv__netaddr_put_v2(out, &e->addr);
    } else {
        spv__put_u64(out, e->services);
        spv__netaddr_put(out, &e->addr);
    }
}

void spv__script_on_getaddr(spv_script_node *n, const spv_message *m)
{
    spv_script_saying s;

    (void)m;
    if (!n->gossip)
        return;
    s = spv__script_say_begin(n, n->addrv2 ? "addrv2" : "addr");
    spv__put_compact(&n->out, n->n_gossip);
    for (size_t i = 0; i < n->n_gossip; i++)
        put_entry(&n->out, &n->gossip[i], n->addrv2);
    spv__script_say_end(n, s);
}
