#include "support/simnode.h"

#include <string.h>

#include <spv/network.h>

#include "support/must.h"
#include "support/simserve.h"
#include "wire/frame.h"
#include "wire/netaddr.h"

/** A transaction outside blocks. */
typedef struct loose_tx {
    spv_hash txid;
    spv_hash wtxid;
    uint8_t *bytes;
    size_t len;
    bool from_client;
} loose_tx;

/** How far a session has come. */
typedef enum stage {
    STAGE_CLOSED,
    STAGE_SILENT,  /* nothing said yet; a client speaks first */
    STAGE_GREETED, /* both versions said */
    STAGE_READY
} stage;

struct simnode {
    const spv_network *network;
    const simchain *chain;
    int32_t tip;
    simnode_habits habits;
    simnode_counts counts;
    rng rng;
    loose_tx *pool;
    size_t n_pool;
    size_t pool_cap;

    /* The present session. */
    stage stage;
    bool hung_up;
    bool relay;      /* announce transactions */
    bool by_headers; /* announce blocks by headers (BIP 130) */
    bool has_filter;
    spv_filter filter;
    spv_buf in;
    size_t late;         /* bytes of `in` that came while the node was busy */
    spv_time busy_until; /* 0: not busy */
    size_t headers_left; /* of its floods */
    size_t orphans_left;
    spv_time babble_at; /* 0: it does not */
    spv_buf out;
};

/** Core announces up to this many new blocks by their headers. */
enum { ANNOUNCE_MAX = 8 };

simnode *simnode_new(const simchain *chain, int32_t tip,
                     const simnode_habits *habits, uint64_t seed)
{
    simnode *n = calloc(1, sizeof(*n));

    MUST(n && tip <= simchain_tip(chain));
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

void simnode_free(simnode *n)
{
    if (!n)
        return;
    simnode_close(n);
    for (size_t i = 0; i < n->n_pool; i++)
        free(n->pool[i].bytes);
    free(n->pool);
    spv__buf_clear(&n->in);
    spv__buf_clear(&n->out);
    free(n);
}

/* ---- Saying something ---- */

/** Where a message begins; put its payload behind it, then `finish`. */
typedef struct saying {
    size_t start;
    size_t mark;
} saying;

static saying begin(simnode *n, const char *command)
{
    saying s = {.start = n->out.len};

    s.mark = spv__frame_begin(&n->out, command, n->network);
    return s;
}

static void finish(simnode *n, saying s)
{
    spv__frame_end(&n->out, s.mark);
    MUST(n->out.err == SPV_OK);
    if (n->habits.wrong_magic)
        n->out.bytes[s.start] ^= 0xff;
}

static void say(simnode *n, const char *command)
{
    finish(n, begin(n, command));
}

static void say_u64(simnode *n, const char *command, uint64_t value)
{
    saying s = begin(n, command);

    spv__put_u64(&n->out, value);
    finish(n, s);
}

static void say_inv(simnode *n, const char *command, const spv_inv *items,
                    size_t count)
{
    saying s = begin(n, command);

    spv__put_inv(&n->out, items, count);
    finish(n, s);
}

/** End the session for something that the client did. */
static void hang_up(simnode *n)
{
    n->counts.faults++;
    n->hung_up = true;
}

/* ---- Greeting ---- */

static void say_version(simnode *n)
{
    const char agent[] = "/Simnode:1.0/";
    spv_version v = {
        .version = SPV__PROTOCOL_VERSION,
        .services = SPV__NODE_NETWORK | SPV__NODE_WITNESS |
                    (n->habits.no_bloom ? 0 : SPV__NODE_BLOOM),
        .time = 1735689600,
        .nonce = rng_next(&n->rng),
        .user_agent = agent,
        .user_agent_len = sizeof(agent) - 1,
        .start_height = n->tip + n->habits.claim,
        .relay = true,
        .relay_present = true,
    };
    saying s = begin(n, "version");

    v.to.net = v.from.net = SPV__NET_IPV4;
    v.to.len = v.from.len = 4;
    spv__put_version(&n->out, &v);
    finish(n, s);
}

static void say_chatter(simnode *n)
{
    static const char *const words[] = {"feature", "sendtxrcncl", "sendnoise"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        say_u64(n, words[i], rng_next(&n->rng));
}

static void greet(simnode *n)
{
    if (n->habits.greeting == SIMNODE_VERACK_FIRST)
        say(n, "verack");
    say_version(n);
    if (n->habits.greeting == SIMNODE_TWO_VERSIONS)
        say_version(n);
    say(n, "wtxidrelay");
    say(n, "sendaddrv2");
    if (n->habits.chatter)
        say_chatter(n);
    if (n->habits.greeting != SIMNODE_VERACK_FIRST)
        say(n, "verack");
}

static void on_version(simnode *n, const spv_message *m)
{
    if (n->stage != STAGE_SILENT) {
        hang_up(n); /* a second version */
        return;
    }
    n->relay = m->as.version.relay;
    n->stage = STAGE_GREETED;
    if (n->habits.greeting != SIMNODE_MUTE)
        greet(n);
}

/** One addrv2 of a thousand places, on networks of all kinds. */
static void say_addrs(simnode *n)
{
    spv_addr_entry *entries = calloc(SPV__ADDR_MAX, sizeof(*entries));
    saying s = begin(n, "addrv2");

    MUST(entries);
    for (size_t i = 0; i < SPV__ADDR_MAX; i++) {
        spv_netaddr *a = &entries[i].addr;

        entries[i].time = 1735689600;
        entries[i].services = SPV__NODE_NETWORK | SPV__NODE_BLOOM;
        entries[i].known = true;
        a->net = i % 2 == 0 ? SPV__NET_IPV4 : SPV__NET_TORV3;
        a->len = i % 2 == 0 ? 4 : 32;
        a->port = 18444;
        rng_bytes(&n->rng, a->addr, a->len);
    }
    spv__put_addrv2(&n->out, entries, SPV__ADDR_MAX);
    finish(n, s);
    free(entries);
}

static void say_noise(simnode *n)
{
    uint8_t noise[200];

    rng_bytes(&n->rng, noise, sizeof(noise));
    spv__put_bytes(&n->out, noise, sizeof(noise));
}

static void on_verack(simnode *n, const spv_message *m)
{
    spv_inv inv = {.type = SPV_INV_TX};
    saying s;

    (void)m;
    if (n->stage != STAGE_GREETED || n->habits.greeting == SIMNODE_MUTE)
        return;
    n->stage = STAGE_READY;
    s = begin(n, "sendcmpct");
    spv__put_u8(&n->out, 0);
    spv__put_u64(&n->out, 2);
    finish(n, s);
    say_u64(n, "ping", rng_next(&n->rng));
    say_u64(n, "feefilter", 1000);
    rng_bytes(&n->rng, inv.hash.bytes, sizeof(inv.hash.bytes));
    if (n->habits.early_inv)
        say_inv(n, "inv", &inv, 1);
    for (size_t i = 0; i < n->habits.addr_flood; i++)
        say_addrs(n);
    if (n->habits.garbage)
        say_noise(n);
}

/* ---- Headers ---- */

/** The block if it is in the node's own chain now. */
static const simblock *own_block(const simnode *n, const spv_hash *hash)
{
    const simblock *b = simchain_find(n->chain, hash);

    return b && b->height <= n->tip ? b : NULL;
}

/** Make a header lack work: with every second nonce it does. */
static void spoil_work(uint8_t header[SPV_HEADER_LEN])
{
    spv_hash hash;

    do {
        header[SPV_HEADER_LEN - 4]++;
        spv_header_hash(&hash, header);
    } while (hash.bytes[31] < 0x80);
}

/** Change a header into another with its work. */
static void spoil_root(uint8_t header[SPV_HEADER_LEN])
{
    spv_hash hash;

    do {
        header[SPV_HEADER_LEN - 44]++; /* of the merkle root */
        spv_header_hash(&hash, header);
    } while (hash.bytes[31] >= 0x80);
}

/** What the habit leaves of `count` headers. */
static size_t spoil_headers(const simnode *n,
                            uint8_t (*headers)[SPV_HEADER_LEN], size_t count)
{
    size_t half = count / 2;

    switch (n->habits.headers) {
    case SIMNODE_TRUE:
    case SIMNODE_BEYOND:
        return count;
    case SIMNODE_NONE:
        return 0;
    case SIMNODE_SHORT:
        return count - half;
    case SIMNODE_BESIDE:
        if (count > 1)
            spoil_root(headers[count - 1]);
        return count;
    case SIMNODE_GAP:
        if (count < 2)
            return count;
        memmove(headers[half], headers[half + 1],
                (count - half - 1) * SPV_HEADER_LEN);
        return count - 1;
    }
    return count;
}

/** Headers above height `after`, through `last`. */
static void say_headers(simnode *n, int32_t after, int32_t last)
{
    size_t count = (size_t)(last - after);
    uint8_t(*headers)[SPV_HEADER_LEN] = calloc(count + 1, SPV_HEADER_LEN);
    saying s = begin(n, "headers");

    MUST(headers);
    for (size_t i = 0; i < count; i++)
        memcpy(headers[i],
               simchain_at(n->chain, after + 1 + (int32_t)i)->header,
               SPV_HEADER_LEN);
    if (n->habits.easy_header && count > 0)
        spoil_work(headers[count - 1]);
    count = spoil_headers(n, headers, count);
    spv__put_headers(&n->out, (const uint8_t(*)[SPV_HEADER_LEN])headers, count);
    finish(n, s);
    free(headers);
}

/** The highest own block that a locator names; genesis if it names none. */
static int32_t locate(const simnode *n, const spv_items *hashes)
{
    for (size_t i = 0; i < hashes->n; i++) {
        const simblock *b;
        spv_hash hash;

        memcpy(hash.bytes, hashes->bytes + 32 * i, sizeof(hash.bytes));
        b = own_block(n, &hash);
        if (b)
            return b->height;
    }
    return 0;
}

/** A branch of fresh headers above genesis, one short of the chain. */
static void say_branch(simnode *n)
{
    size_t count = n->tip > 0 ? (size_t)n->tip - 1 : 0;
    uint8_t(*headers)[SPV_HEADER_LEN] = calloc(count + 1, SPV_HEADER_LEN);
    spv_hash prev = simchain_at(n->chain, 0)->hash;
    saying s = begin(n, "headers");

    MUST(headers);
    for (size_t i = 0; i < count; i++) {
        spv_header h;

        spv_header_decode(&h, simchain_at(n->chain, 1 + (int32_t)i)->header);
        h.prev = prev;
        rng_bytes(&n->rng, h.merkle_root.bytes, sizeof(h.merkle_root.bytes));
        do {
            h.nonce++;
            spv_header_encode(headers[i], &h);
            spv_header_hash(&prev, headers[i]);
        } while (prev.bytes[31] >= 0x80); /* regtest: every second will do */
    }
    spv__put_headers(&n->out, (const uint8_t(*)[SPV_HEADER_LEN])headers, count);
    finish(n, s);
    free(headers);
}

static void on_getheaders(simnode *n, const spv_message *m)
{
    int32_t after = locate(n, &m->as.locator.hashes);
    const simblock *stop = own_block(n, &m->as.locator.stop);
    int32_t last = n->tip;

    if (n->habits.headers_max > 0 &&
        n->counts.received[SPV_MSG_GETHEADERS] > n->habits.headers_max)
        return;
    if (last - after > SPV__HEADERS_MAX)
        last = after + SPV__HEADERS_MAX;
    if (stop && stop->height >= after && stop->height < last &&
        (n->habits.headers != SIMNODE_BEYOND || stop->height == after + 1))
        last = stop->height;
    say_headers(n, after, last);
    for (; n->headers_left > 0; n->headers_left--)
        say_branch(n);
}

static void on_sendheaders(simnode *n, const spv_message *m)
{
    (void)m;
    n->by_headers = !n->habits.inv_only;
}

/* ---- Filters ---- */

static void on_filterload(simnode *n, const spv_message *m)
{
    const spv_filterload *f = &m->as.filterload;

    if (n->habits.no_bloom || f->len > SPV__FILTER_BYTES_MAX ||
        f->hash_funcs > SPV__FILTER_FUNCS_MAX) {
        hang_up(n);
        return;
    }
    spv_filter_clear(&n->filter);
    MUST(spv_filter_init(&n->filter, f->len, f->hash_funcs, f->tweak,
                         f->flags) == SPV_OK);
    if (f->len > 0)
        memcpy(n->filter.bytes, f->filter, f->len);
    n->has_filter = true;
    n->relay = true;
}

static void on_filteradd(simnode *n, const spv_message *m)
{
    if (n->habits.no_bloom || !n->has_filter ||
        m->as.filteradd.len > SPV__FILTERADD_MAX) {
        hang_up(n);
        return;
    }
    spv_filter_insert(&n->filter, m->as.filteradd.data, m->as.filteradd.len);
}

static void on_filterclear(simnode *n, const spv_message *m)
{
    (void)m;
    if (n->habits.no_bloom) {
        hang_up(n);
        return;
    }
    spv_filter_clear(&n->filter);
    n->has_filter = false;
    n->relay = true;
}

/* ---- Blocks ---- */

static void say_tx(simnode *n, const spv_tx *tx)
{
    saying s = begin(n, "tx");

    simserve_put_tx(&n->out, tx);
    finish(n, s);
    n->counts.txs_served++;
}

static void say_block(simnode *n, const simblock *b, bool with_witness)
{
    saying s = begin(n, "block");

    n->counts.blocks_served++;
    if (n->habits.other_whole) { /* the header alone, and no transaction */
        spv__put_bytes(&n->out, b->header, SPV_HEADER_LEN);
        spv__put_u8(&n->out, 0);
    } else if (with_witness)
        spv__put_bytes(&n->out, b->bytes, b->len);
    else
        simserve_put_block(&n->out, b);
    finish(n, s);
}

static void say_filtered(simnode *n, const simblock *b)
{
    simserve_block served;
    saying s;

    simserve_begin(&served, b, &n->filter, &n->habits, &n->rng);
    s = begin(n, "merkleblock");
    simserve_put_proof(&n->out, &served, &n->habits);
    finish(n, s);
    for (size_t i = 0; i < served.n; i++)
        if (served.sent[i])
            say_tx(n, &served.txs[i]);
    n->counts.filtered_served++;
    simserve_end(&served);
}

/** Merkleblocks whose headers are of no chain there is. */
static void say_orphans(simnode *n)
{
    for (; n->orphans_left > 0; n->orphans_left--) {
        uint8_t payload[SPV_HEADER_LEN + 4 + 1 + 32 + 2] = {0};
        saying s = begin(n, "merkleblock");

        rng_bytes(&n->rng, payload, SPV_HEADER_LEN);
        payload[SPV_HEADER_LEN] = payload[SPV_HEADER_LEN + 4] = 1;
        memcpy(payload + SPV_HEADER_LEN + 5, payload + 36, 32);
        payload[SPV_HEADER_LEN + 37] = 1; /* one byte of flags: no match */
        spv__put_bytes(&n->out, payload, sizeof(payload));
        finish(n, s);
    }
}

/** Anything but what was asked for, and never an end of it. */
static void babble(simnode *n)
{
    saying s = begin(n, "tx");

    for (int i = 0; i < 2000; i++)
        spv__put_u64(&n->out, rng_next(&n->rng));
    finish(n, s);
    n->babble_at += 5000;
}

/** "unknown blocks and stale blocks are answered with silence", and so is
 * everybody who has not loaded a filter. */
static void give_filtered(simnode *n, const spv_hash *hash)
{
    const simblock *b = own_block(n, hash);
    int32_t most = n->habits.silent_after;

    n->counts.filtered_asked++;
    say_orphans(n);
    if (n->habits.babbles && n->babble_at == 0)
        n->babble_at = 1; /* at the next chance */
    if (n->habits.babbles)
        return;
    if (!b || !b->bytes || !n->has_filter ||
        (most > 0 && n->counts.filtered_served >= (size_t)most))
        return;
    if (n->habits.full_block)
        say_block(n, b, false);
    else
        say_filtered(n, b);
}

static void give_block(simnode *n, const spv_inv *item)
{
    const simblock *b = own_block(n, &item->hash);

    if (!b || !b->bytes || n->habits.no_whole)
        return;
    say_block(n, b, item->type == SPV_INV_WITNESS_BLOCK);
}

/* ---- Transactions outside blocks ---- */

static const loose_tx *loose_find(const simnode *n, const spv_hash *hash)
{
    for (size_t i = 0; i < n->n_pool; i++)
        if (spv_hash_equal(&n->pool[i].txid, hash) ||
            spv_hash_equal(&n->pool[i].wtxid, hash))
            return &n->pool[i];
    return NULL;
}

static void loose_add(simnode *n, const spv_tx *tx, bool from_client)
{
    loose_tx *t;

    if (loose_find(n, &tx->txid))
        return;
    n->pool = must_grow(n->pool, n->n_pool, &n->pool_cap, sizeof(*n->pool));
    t = &n->pool[n->n_pool++];
    *t = (loose_tx){.txid = tx->txid,
                    .wtxid = tx->wtxid,
                    .bytes = malloc(tx->len),
                    .len = tx->len,
                    .from_client = from_client};
    MUST(t->bytes);
    memcpy(t->bytes, tx->bytes, tx->len);
}

/** Announce a transaction, if the client's filter wants it, or `all`. */
static void announce_tx(simnode *n, const loose_tx *t, bool all)
{
    spv_inv inv = {SPV_INV_TX, t->txid};
    bool wanted = true;
    spv_match match;
    spv_tx tx;

    MUST(spv_tx_decode(&tx, t->bytes, t->len, NULL) == SPV_OK);
    if (n->has_filter)
        wanted = spv_filter_match(&n->filter, &tx, &match);
    spv_tx_clear(&tx);
    if (wanted || all || n->habits.match_everything)
        say_inv(n, "inv", &inv, 1);
}

/** False when it is to be answered with notfound. */
static bool give_tx(simnode *n, const spv_inv *item)
{
    const loose_tx *t = loose_find(n, &item->hash);
    saying s;
    spv_tx tx;

    if (!t)
        return false;
    s = begin(n, "tx");
    if (item->type == SPV_INV_TX) {
        MUST(spv_tx_decode(&tx, t->bytes, t->len, NULL) == SPV_OK);
        simserve_put_tx(&n->out, &tx);
        spv_tx_clear(&tx);
    } else {
        spv__put_bytes(&n->out, t->bytes, t->len);
    }
    finish(n, s);
    return true;
}

static void on_tx(simnode *n, const spv_message *m)
{
    loose_add(n, &m->as.tx, true);
}

/** Ask for the transactions that a client announces. */
static void on_inv(simnode *n, const spv_message *m)
{
    for (size_t i = 0; i < m->as.inv.n; i++) {
        spv_inv item = spv__inv_get(&m->as.inv, i);

        if ((item.type == SPV_INV_TX || item.type == SPV_INV_WTX) &&
            !loose_find(n, &item.hash)) {
            if (item.type == SPV_INV_TX)
                item.type = SPV_INV_WITNESS_TX;
            say_inv(n, "getdata", &item, 1);
        }
    }
}

static void on_mempool(simnode *n, const spv_message *m)
{
    (void)m;
    if (n->habits.no_bloom) {
        hang_up(n);
        return;
    }
    for (size_t i = 0; i < n->n_pool; i++)
        announce_tx(n, &n->pool[i], n->habits.whole_mempool);
}

/* ---- getdata, ping ---- */

/** False when it is to be answered with notfound. */
static bool give(simnode *n, const spv_inv *item)
{
    switch (item->type) {
    case SPV_INV_FILTERED_BLOCK:
        if (!n->habits.not_found)
            give_filtered(n, &item->hash);
        return !n->habits.not_found;
    case SPV_INV_BLOCK:
    case SPV_INV_WITNESS_BLOCK:
        give_block(n, item);
        return true;
    case SPV_INV_TX:
    case SPV_INV_WTX:
    case SPV_INV_WITNESS_TX:
        n->counts.txs_asked++;
        return !n->habits.not_found && give_tx(n, item);
    default:
        return true;
    }
}

static void on_getdata(simnode *n, const spv_message *m)
{
    spv_inv *missing = calloc(m->as.inv.n + 1, sizeof(*missing));
    size_t n_missing = 0;

    MUST(missing);
    if (n->late > 0)
        n->counts.asked_while_busy++;
    n->hung_up |= n->habits.hang_up_on_data;
    for (size_t i = 0; i < m->as.inv.n && !n->hung_up; i++) {
        spv_inv item = spv__inv_get(&m->as.inv, i);

        if (!give(n, &item))
            missing[n_missing++] = item;
    }
    if (n_missing > 0)
        say_inv(n, "notfound", missing, n_missing);
    free(missing);
}

static void on_ping(simnode *n, const spv_message *m)
{
    if (n->babble_at)
        return;
    say_u64(n, "pong", m->as.nonce);
    if (n->habits.unrequested && n->has_filter && n->tip > 0)
        say_filtered(
            n, simchain_at(n->chain, (int32_t)rng_between(&n->rng, 1, n->tip)));
}

/* ---- Hearing something ---- */

static void (*const handlers[])(simnode *, const spv_message *) = {
    [SPV_MSG_VERSION] = on_version,
    [SPV_MSG_VERACK] = on_verack,
    [SPV_MSG_PING] = on_ping,
    [SPV_MSG_SENDHEADERS] = on_sendheaders,
    [SPV_MSG_INV] = on_inv,
    [SPV_MSG_GETDATA] = on_getdata,
    [SPV_MSG_GETHEADERS] = on_getheaders,
    [SPV_MSG_TX] = on_tx,
    [SPV_MSG_MEMPOOL] = on_mempool,
    [SPV_MSG_FILTERLOAD] = on_filterload,
    [SPV_MSG_FILTERADD] = on_filteradd,
    [SPV_MSG_FILTERCLEAR] = on_filterclear,
    [SPV_MSG_REJECT] = NULL, /* the last kind: the table covers all */
};

/** Core passes over what comes before its time. */
static bool is_timely(const simnode *n, spv_message_kind kind)
{
    return n->stage == STAGE_READY || kind == SPV_MSG_VERSION ||
           (n->stage == STAGE_GREETED && kind == SPV_MSG_VERACK);
}

static void hear(simnode *n, const spv_frame *f, spv_time now)
{
    spv_message_kind kind = spv__message_find(f->command);
    spv_message m;

    n->counts.received[kind]++;
    if (!handlers[kind] || !is_timely(n, kind))
        return;
    if (kind == SPV_MSG_FILTERLOAD && n->habits.filter_delay > 0)
        n->busy_until = now + n->habits.filter_delay;
    if (spv__message_decode(&m, kind, f->payload, f->len) != SPV_OK) {
        hang_up(n);
        return;
    }
    handlers[kind](n, &m);
    spv__message_clear(&m);
}

/** Hear what is there, one message after the other, unless busy. */
static void hear_all(simnode *n, spv_time now)
{
    size_t at = 0;

    while (!n->hung_up && n->busy_until == 0) {
        spv_frame f = {0};
        spv_frame_state state =
            spv__frame_decode(&f, n->in.bytes + at, n->in.len - at, n->network);

        if (state == SPV_FRAME_PART)
            break;
        if (state == SPV_FRAME_REFUSED) {
            hang_up(n);
            break;
        }
        if (state == SPV_FRAME_WHOLE)
            hear(n, &f, now);
        at += f.size;
        n->late = n->late > f.size ? n->late - f.size : 0;
    }
    spv__buf_drop(&n->in, at);
}

void simnode_open(simnode *n)
{
    simnode_close(n);
    n->counts.sessions++;
    n->stage = STAGE_SILENT;
}

void simnode_close(simnode *n)
{
    n->stage = STAGE_CLOSED;
    n->hung_up = false;
    n->relay = false;
    n->by_headers = false;
    n->has_filter = false;
    n->late = 0;
    n->busy_until = 0;
    n->babble_at = 0;
    spv_filter_clear(&n->filter);
    spv__buf_reset(&n->in);
    spv__buf_reset(&n->out);
}

void simnode_receive(simnode *n, const uint8_t *bytes, size_t len, spv_time now)
{
    if (n->stage == STAGE_CLOSED || n->hung_up)
        return;
    spv__put_bytes(&n->in, bytes, len);
    MUST(n->in.err == SPV_OK);
    hear_all(n, now);
}

void simnode_elapsed(simnode *n, spv_time now)
{
    if (n->babble_at && n->babble_at <= now) {
        n->babble_at = now;
        babble(n);
        return;
    }
    if (now < n->busy_until)
        return;
    n->busy_until = 0;
    n->late = n->in.len;
    hear_all(n, now);
}

spv_time simnode_deadline(const simnode *n)
{
    if (n->hung_up)
        return SPV_NEVER;
    if (n->babble_at)
        return n->babble_at;
    return n->busy_until > 0 ? n->busy_until : SPV_NEVER;
}

spv_buf *simnode_output(simnode *n)
{
    return &n->out;
}

bool simnode_has_hung_up(const simnode *n)
{
    return n->hung_up;
}

/* ---- Events in its world ---- */

/** Tell of blocks above `fork`: by headers if asked to and not too many. */
static void announce_tip(simnode *n, int32_t fork)
{
    spv_inv inv = {SPV_INV_BLOCK, simchain_at(n->chain, n->tip)->hash};

    if (n->stage != STAGE_READY || n->hung_up || n->habits.discreet)
        return;
    if (n->by_headers && n->tip > fork && n->tip - fork <= ANNOUNCE_MAX)
        say_headers(n, fork, n->tip);
    else
        say_inv(n, "inv", &inv, 1);
}

void simnode_set_tip(simnode *n, int32_t tip)
{
    simnode_switch(n, n->chain, tip);
}

void simnode_switch(simnode *n, const simchain *chain, int32_t tip)
{
    int32_t fork = n->tip < tip ? n->tip : tip;

    MUST(tip <= simchain_tip(chain));
    while (!spv_hash_equal(&simchain_at(n->chain, fork)->hash,
                           &simchain_at(chain, fork)->hash))
        fork--;
    n->chain = chain;
    n->tip = tip;
    announce_tip(n, fork);
}

void simnode_add_tx(simnode *n, const uint8_t *bytes, size_t len)
{
    spv_tx tx;

    MUST(spv_tx_decode(&tx, bytes, len, NULL) == SPV_OK);
    loose_add(n, &tx, false);
    if (n->stage == STAGE_READY && n->relay && !n->hung_up)
        announce_tx(n, loose_find(n, &tx.txid), false);
    spv_tx_clear(&tx);
}

const simnode_counts *simnode_count(const simnode *n)
{
    return &n->counts;
}

const spv_filter *simnode_filter(const simnode *n)
{
    return &n->filter;
}

bool simnode_has_tx(const simnode *n, const spv_hash *txid)
{
    const loose_tx *t = loose_find(n, txid);

    return t && t->from_client;
}
