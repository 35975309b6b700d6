#include "conform/script_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "conform/script_serve.h"
#include "wire/frame.h"
#include "wire/netaddr.h"

/** Core announces up to this many new blocks by their headers. */
enum { ANNOUNCE_MAX = 8 };

spv_script_node *spv__script_node_new(const spv_script_chain *chain,
                                      int32_t tip,
                                      const spv_script_habits *habits,
                                      uint64_t seed)
{
    spv_script_node *n = calloc(1, sizeof(*n));

    assert(tip <= spv__script_chain_tip(chain));
    if (!n)
        return NULL;
    n->network = spv_network_get(SPV_REGTEST);
    n->chain = chain;
    n->tip = tip;
    n->rng.state = seed;
    if (habits)
        n->habits = *habits;
    n->headers_left = n->habits.header_flood;
    n->orphans_left = n->habits.orphan_flood;
    return n;
}

void spv__script_node_free(spv_script_node *n)
{
    if (!n)
        return;
    spv__script_node_close(n);
    spv__script_pool_free(n);
    spv__buf_clear(&n->in);
    spv__buf_clear(&n->out);
    spv__buf_clear(&n->loaded);
    spv__buf_clear(&n->held);
    free(n->gossip);
    free(n);
}

/* ---- Saying something ---- */

spv_script_saying spv__script_say_begin(spv_script_node *n, const char *command)
{
    spv_script_saying s = {.start = n->out.len};

    s.mark = spv__frame_begin(&n->out, command, n->network);
    return s;
}

void spv__script_say_end(spv_script_node *n, spv_script_saying s)
{
    spv__frame_end(&n->out, s.mark);
    if (spv__script_fail(n, n->out.err))
        return;
    if (n->habits.wrong_magic)
        n->out.bytes[s.start] ^= 0xff;
}

static void say(spv_script_node *n, const char *command)
{
    spv__script_say_end(n, spv__script_say_begin(n, command));
}

static void say_u64(spv_script_node *n, const char *command, uint64_t value)
{
    spv_script_saying s = spv__script_say_begin(n, command);

    spv__put_u64(&n->out, value);
    spv__script_say_end(n, s);
}

void spv__script_say_inv(spv_script_node *n, const char *command,
                         const spv_inv *items, size_t count)
{
    spv_script_saying s = spv__script_say_begin(n, command);

    spv__put_inv(&n->out, items, count);
    spv__script_say_end(n, s);
}

void spv__script_hang_up(spv_script_node *n)
{
    n->counts.faults++;
    n->hung_up = true;
}

bool spv__script_fail(spv_script_node *n, spv_err err)
{
    if (err == SPV_OK)
        return false;
    if (n->err == SPV_OK)
        n->err = err;
    n->hung_up = true;
    return true;
}

/* ---- Being observed ---- */

void spv__script_node_observe(spv_script_node *n, spv_script_observer *observer,
                              void *ctx)
{
    n->observer = observer;
    n->observer_ctx = ctx;
}

void spv__script_notice(spv_script_node *n, spv_script_noticed what,
                        int32_t height, bool whole)
{
    const spv_script_notice notice = {
        .what = what, .height = height, .whole = whole};

    if (n->observer)
        n->observer(n->observer_ctx, &notice);
}

static void notice_message(spv_script_node *n, spv_script_noticed what,
                           const spv_message *m)
{
    const spv_script_notice notice = {
        .what = what, .message = m, .late = n->late > 0, .height = -1};

    if (n->observer)
        n->observer(n->observer_ctx, &notice);
}

/** Tell of a lie, with a ping behind it. */
static void notice_lie(spv_script_node *n, spv_script_notice notice)
{
    if (!n->observer)
        return;
    notice.what = SPV_SCRIPT_LIED;
    notice.nonce = spv__rng_next(&n->rng);
    say_u64(n, "ping", notice.nonce);
    n->observer(n->observer_ctx, &notice);
}

void spv__script_lied(spv_script_node *n, int32_t height, bool whole)
{
    notice_lie(n, (spv_script_notice){.height = height, .whole = whole});
}

void spv__script_lied_in_headers(spv_script_node *n, int32_t beyond)
{
    notice_lie(n, (spv_script_notice){
                      .height = -1, .in_headers = true, .beyond = beyond});
}

void spv__script_notice_served(spv_script_node *n,
                               const spv_script_served *served)
{
    const spv_script_notice notice = {.what = served->omits ? SPV_SCRIPT_OMITTED
                                                            : SPV_SCRIPT_SERVED,
                                      .height = served->block->height,
                                      .served = served};

    if (served->lies)
        spv__script_lied(n, served->block->height, false);
    else if (n->observer)
        n->observer(n->observer_ctx, &notice);
}

/* ---- Greeting ---- */

static bool offers_bloom(const spv_script_node *n)
{
    return !n->habits.no_bloom &&
           !spv__script_breaks(n, SPV_BREAK_SERVES_UNTOLD);
}

static void say_version(spv_script_node *n)
{
    const char agent[] = "/Simnode:1.0/";
    spv_version v = {
        .version = SPV__PROTOCOL_VERSION,
        .services = SPV__NODE_NETWORK | SPV__NODE_WITNESS |
                    (offers_bloom(n) ? SPV__NODE_BLOOM : 0),
        .time = 1735689600,
        .nonce = spv__rng_next(&n->rng),
        .user_agent = agent,
        .user_agent_len = sizeof(agent) - 1,
        .start_height = n->tip + n->habits.claim,
        .relay = true,
        .relay_present = true,
    };
    spv_script_saying s = spv__script_say_begin(n, "version");

    v.to.net = v.from.net = SPV__NET_IPV4;
    v.to.len = v.from.len = 4;
    spv__put_version(&n->out, &v);
    spv__script_say_end(n, s);
}

static void say_chatter(spv_script_node *n)
{
    static const char *const words[] = {"feature", "sendtxrcncl", "sendnoise"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        say_u64(n, words[i], spv__rng_next(&n->rng));
}

static void greet(spv_script_node *n)
{
    if (n->habits.greeting == SPV_SCRIPT_VERACK_FIRST)
        say(n, "verack");
    say_version(n);
    if (n->habits.greeting == SPV_SCRIPT_TWO_VERSIONS)
        say_version(n);
    say(n, "wtxidrelay");
    say(n, "sendaddrv2");
    if (n->habits.chatter)
        say_chatter(n);
    if (n->habits.greeting != SPV_SCRIPT_VERACK_FIRST)
        say(n, "verack");
    if (n->habits.wrong_magic)
        spv__script_lied(n, -1, false);
}

static void on_version(spv_script_node *n, const spv_message *m)
{
    if (n->stage != SPV_SCRIPT_SILENT) {
        spv__script_hang_up(n); /* a second version */
        return;
    }
    n->relay = m->as.version.relay;
    n->stage = SPV_SCRIPT_GREETED;
    if (n->habits.greeting != SPV_SCRIPT_MUTE)
        greet(n);
}

/** One addrv2 of a thousand places, on networks of all kinds. */
static void say_addrs(spv_script_node *n)
{
    spv_addr_entry *entries = calloc(SPV__ADDR_MAX, sizeof(*entries));
    spv_script_saying s;

    if (!entries) {
        (void)spv__script_fail(n, SPV_NOMEM);
        return;
    }
    s = spv__script_say_begin(n, "addrv2");
    for (size_t i = 0; i < SPV__ADDR_MAX; i++) {
        spv_netaddr *a = &entries[i].addr;

        entries[i].time = 1735689600;
        entries[i].services = SPV__NODE_NETWORK | SPV__NODE_BLOOM;
        entries[i].known = true;
        a->net = i % 2 == 0 ? SPV__NET_IPV4 : SPV__NET_TORV3;
        a->len = i % 2 == 0 ? 4 : 32;
        a->port = 18444;
        spv__rng_bytes(&n->rng, a->addr, a->len);
    }
    spv__put_addrv2(&n->out, entries, SPV__ADDR_MAX);
    spv__script_say_end(n, s);
    free(entries);
}

static void say_noise(spv_script_node *n)
{
    uint8_t noise[200];

    spv__rng_bytes(&n->rng, noise, sizeof(noise));
    spv__put_bytes(&n->out, noise, sizeof(noise));
}

static void on_verack(spv_script_node *n, const spv_message *m)
{
    spv_inv inv = {.type = SPV_INV_TX};
    spv_script_saying s;

    (void)m;
    if (n->stage != SPV_SCRIPT_GREETED || n->habits.greeting == SPV_SCRIPT_MUTE)
        return;
    n->stage = SPV_SCRIPT_READY;
    s = spv__script_say_begin(n, "sendcmpct");
    spv__put_u8(&n->out, 0);
    spv__put_u64(&n->out, 2);
    spv__script_say_end(n, s);
    say_u64(n, "ping", spv__rng_next(&n->rng));
    say_u64(n, "feefilter", 1000);
    spv__rng_bytes(&n->rng, inv.hash.bytes, sizeof(inv.hash.bytes));
    if (n->habits.early_inv)
        spv__script_say_inv(n, "inv", &inv, 1);
    for (size_t i = 0; i < n->habits.addr_flood; i++)
        say_addrs(n);
    if (n->habits.garbage)
        say_noise(n);
    if (n->habits.garbage)
        spv__script_lied(n, -1, false);
}

/* ---- getdata, ping ---- */

/** False when it is to be answered with notfound. */
static bool give(spv_script_node *n, const spv_inv *item)
{
    switch (item->type) {
    case SPV_INV_FILTERED_BLOCK:
        if (!n->habits.not_found)
            spv__script_give_filtered(n, &item->hash);
        return !n->habits.not_found;
    case SPV_INV_BLOCK:
    case SPV_INV_WITNESS_BLOCK:
        spv__script_give_block(n, item);
        return true;
    case SPV_INV_TX:
    case SPV_INV_WTX:
    case SPV_INV_WITNESS_TX:
        n->counts.txs_asked++;
        return !n->habits.not_found && spv__script_give_tx(n, item);
    default:
        return true;
    }
}

/** Item `i` of a request, in the order of the answers. */
static spv_inv item_at(const spv_script_node *n, const spv_items *items,
                       size_t i)
{
    bool reversed = spv__script_breaks(n, SPV_BREAK_BLOCKS_REVERSED);

    return spv__inv_get(items, reversed ? items->n - 1 - i : i);
}

/** Whether a careless node looks no further in a request. */
static bool loses_interest(const spv_script_node *n, const spv_inv *item,
                           size_t i)
{
    if (spv__script_breaks(n, SPV_BREAK_FIRST_ONLY))
        return i > 0;
    return spv__script_breaks(n, SPV_BREAK_UNKNOWN_ENDS) &&
           item->type == SPV_INV_FILTERED_BLOCK &&
           !spv__script_own_block(n, &item->hash);
}

/** Answer all; how many are not there, and to `missing` which. */
static size_t give_all(spv_script_node *n, const spv_items *items,
                       spv_inv *missing)
{
    size_t n_missing = 0;

    for (size_t i = 0; i < items->n && !n->hung_up; i++) {
        spv_inv item = item_at(n, items, i);

        if (loses_interest(n, &item, i))
            break;
        if (!give(n, &item))
            missing[n_missing++] = item;
    }
    return n_missing;
}

/** What was said from `at` on is to follow the next pong. */
static void hold(spv_script_node *n, size_t at)
{
    spv__put_bytes(&n->held, n->out.bytes + at, n->out.len - at);
    n->out.len = at;
    (void)spv__script_fail(n, n->held.err);
}

static void on_getdata(spv_script_node *n, const spv_message *m)
{
    spv_inv *missing = calloc(m->as.inv.n + 1, sizeof(*missing));
    size_t at = n->out.len;
    size_t n_missing = 0;

    if (!missing) {
        (void)spv__script_fail(n, SPV_NOMEM);
        return;
    }
    if (n->late > 0)
        n->counts.asked_while_busy++;
    n->hung_up |= n->habits.hang_up_on_data;
    n_missing = give_all(n, &m->as.inv, missing);
    if (n_missing > 0)
        spv__script_say_inv(n, "notfound", missing, n_missing);
    if (spv__script_breaks(n, SPV_BREAK_PONG_FIRST) && m->as.inv.n > 0 &&
        spv__inv_get(&m->as.inv, 0).type == SPV_INV_FILTERED_BLOCK)
        hold(n, at);
    free(missing);
}

static void on_ping(spv_script_node *n, const spv_message *m)
{
    if (n->babble_at)
        return;
    for (int32_t at = n->tip - 1; n->habits.wavers && at <= n->tip; at++)
        spv__script_say_headers(n, at - 1, at);
    say_u64(n, "pong", m->as.nonce);
    if (n->held.len > 0)
        spv__put_bytes(&n->out, n->held.bytes, n->held.len);
    spv__buf_reset(&n->held);
    if (n->habits.unrequested && n->has_filter && n->tip > 0)
        spv__script_say_filtered(
            n, spv__script_chain_at(
                   n->chain, (int32_t)spv__rng_between(&n->rng, 1, n->tip)));
}

/** It is only noticed. */
static void on_pong(spv_script_node *n, const spv_message *m)
{
    (void)n;
    (void)m;
}

/* ---- Hearing something ---- */

static void (*const handlers[])(spv_script_node *, const spv_message *) = {
    [SPV_MSG_VERSION] = on_version,
    [SPV_MSG_VERACK] = on_verack,
    [SPV_MSG_PING] = on_ping,
    [SPV_MSG_PONG] = on_pong,
    [SPV_MSG_SENDADDRV2] = spv__script_on_sendaddrv2,
    [SPV_MSG_GETADDR] = spv__script_on_getaddr,
    [SPV_MSG_SENDHEADERS] = spv__script_on_sendheaders,
    [SPV_MSG_INV] = spv__script_on_inv,
    [SPV_MSG_GETDATA] = on_getdata,
    [SPV_MSG_GETHEADERS] = spv__script_on_getheaders,
    [SPV_MSG_TX] = spv__script_on_tx,
    [SPV_MSG_MEMPOOL] = spv__script_on_mempool,
    [SPV_MSG_FILTERLOAD] = spv__script_on_filterload,
    [SPV_MSG_FILTERADD] = spv__script_on_filteradd,
    [SPV_MSG_FILTERCLEAR] = spv__script_on_filterclear,
    [SPV_MSG_REJECT] = NULL, /* the last kind: the table covers all */
};

/** Core passes over what comes before its time. */
static bool is_timely(const spv_script_node *n, spv_message_kind kind)
{
    return n->stage == SPV_SCRIPT_READY || kind == SPV_MSG_VERSION ||
           (n->stage == SPV_SCRIPT_GREETED &&
            (kind == SPV_MSG_VERACK || kind == SPV_MSG_SENDADDRV2));
}

/** A message that could not be decoded. */
static void refuse(spv_script_node *n, spv_message_kind kind,
                   const spv_frame *f, spv_err err)
{
    if (err == SPV_NOMEM)
        (void)spv__script_fail(n, err);
    else if (err != SPV_LIMIT || !spv__script_takes_anyway(n, kind, f))
        spv__script_hang_up(n);
}

static void hear(spv_script_node *n, const spv_frame *f, spv_time now)
{
    spv_message_kind kind = spv__message_find(f->command);
    spv_message m;
    spv_err err;

    n->counts.received[kind]++;
    if (!handlers[kind] || !is_timely(n, kind)) {
        notice_message(n, SPV_SCRIPT_IGNORED, &(spv_message){.kind = kind});
        return;
    }
    if (kind == SPV_MSG_FILTERLOAD && n->habits.filter_delay > 0)
        n->busy_until = now + n->habits.filter_delay;
    err = spv__message_decode(&m, kind, f->payload, f->len);
    if (err != SPV_OK) {
        refuse(n, kind, f, err);
        return;
    }
    notice_message(n, SPV_SCRIPT_HEARD, &m);
    handlers[kind](n, &m);
    spv__message_clear(&m);
}

/** Hear what is there, one message after the other, unless busy. */
static void hear_all(spv_script_node *n, spv_time now)
{
    size_t at = 0;

    while (!n->hung_up && n->busy_until == 0) {
        spv_frame f = {0};
        spv_frame_state state =
            spv__frame_decode(&f, n->in.bytes + at, n->in.len - at, n->network);

        if (state == SPV_FRAME_PART)
            break;
        if (state == SPV_FRAME_REFUSED) {
            spv__script_hang_up(n);
            break;
        }
        if (state == SPV_FRAME_WHOLE)
            hear(n, &f, now);
        at += f.size;
        n->late = n->late > f.size ? n->late - f.size : 0;
    }
    spv__buf_drop(&n->in, at);
}

void spv__script_node_open(spv_script_node *n)
{
    spv__script_node_close(n);
    n->counts.sessions++;
    n->stage = SPV_SCRIPT_SILENT;
}

void spv__script_node_close(spv_script_node *n)
{
    n->stage = SPV_SCRIPT_CLOSED;
    n->hung_up = false;
    n->relay = false;
    n->by_headers = false;
    n->addrv2 = false;
    n->has_filter = false;
    n->late = 0;
    n->busy_until = 0;
    n->babble_at = 0;
    spv_filter_clear(&n->filter);
    spv__buf_reset(&n->in);
    spv__buf_reset(&n->out);
    spv__buf_reset(&n->held);
}

void spv__script_node_receive(spv_script_node *n, const uint8_t *bytes,
                              size_t len, spv_time now)
{
    if (n->stage == SPV_SCRIPT_CLOSED || n->hung_up)
        return;
    spv__put_bytes(&n->in, bytes, len);
    if (!spv__script_fail(n, n->in.err))
        hear_all(n, now);
}

void spv__script_node_elapsed(spv_script_node *n, spv_time now)
{
    if (n->babble_at && n->babble_at <= now) {
        n->babble_at = now;
        spv__script_babble(n);
        return;
    }
    if (now < n->busy_until)
        return;
    n->busy_until = 0;
    n->late = n->in.len;
    hear_all(n, now);
}

spv_time spv__script_node_deadline(const spv_script_node *n)
{
    if (n->hung_up)
        return SPV_NEVER;
    if (n->babble_at)
        return n->babble_at;
    return n->busy_until > 0 ? n->busy_until : SPV_NEVER;
}

spv_buf *spv__script_node_output(spv_script_node *n)
{
    return &n->out;
}

bool spv__script_node_has_hung_up(const spv_script_node *n)
{
    return n->hung_up;
}

/* ---- Events in its world ---- */

/** Tell of blocks above `fork`: by headers if asked to and not too many. */
static void announce_tip(spv_script_node *n, int32_t fork)
{
    spv_inv inv = {SPV_INV_BLOCK, spv__script_chain_at(n->chain, n->tip)->hash};

    if (n->stage != SPV_SCRIPT_READY || n->hung_up || n->habits.discreet)
        return;
    if (n->by_headers && n->tip > fork && n->tip - fork <= ANNOUNCE_MAX)
        spv__script_say_headers(n, fork, n->tip);
    else
        spv__script_say_inv(n, "inv", &inv, 1);
}

void spv__script_node_set_tip(spv_script_node *n, int32_t tip)
{
    spv__script_node_switch(n, n->chain, tip);
}

void spv__script_node_switch(spv_script_node *n, const spv_script_chain *chain,
                             int32_t tip)
{
    int32_t fork = n->tip < tip ? n->tip : tip;

    assert(tip <= spv__script_chain_tip(chain));
    while (!spv_hash_equal(&spv__script_chain_at(n->chain, fork)->hash,
                           &spv__script_chain_at(chain, fork)->hash))
        fork--;
    n->chain = chain;
    n->tip = tip;
    announce_tip(n, fork);
}

spv_err spv__script_node_add_tx(spv_script_node *n, const uint8_t *bytes,
                                size_t len)
{
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes, len, NULL);

    if (err != SPV_OK)
        return err;
    err = spv__script_pool_add(n, &tx, false);
    if (err == SPV_OK && n->stage == SPV_SCRIPT_READY &&
        (n->relay || spv__script_breaks(n, SPV_BREAK_RELAYS_EARLY)) &&
        !n->hung_up)
        spv__script_announce(n, spv__script_pool_find(n, &tx.txid), false);
    spv_tx_clear(&tx);
    return err;
}

spv_err spv__script_node_err(const spv_script_node *n)
{
    return n->err;
}

const spv_script_counts *spv__script_node_count(const spv_script_node *n)
{
    return &n->counts;
}

const spv_filter *spv__script_node_filter(const spv_script_node *n)
{
    return &n->filter;
}

bool spv__script_node_has_tx(const spv_script_node *n, const spv_hash *txid)
{
    const spv_script_loose *t = spv__script_pool_find(n, txid);

    return t && t->from_client;
}
