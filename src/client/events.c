#include <stdio.h>
#include <string.h>

#include "client/client.h"

const char *spv_event_name(spv_event_kind kind)
{
    static const char *const names[] = {
        [SPV_EVENT_CONNECTED] = "connected",
        [SPV_EVENT_DISCONNECTED] = "disconnected",
        [SPV_EVENT_WARNING] = "warning",
        [SPV_EVENT_REORGANISED] = "reorganised",
        [SPV_EVENT_TIP] = "tip",
        [SPV_EVENT_TRANSACTION] = "transaction",
        [SPV_EVENT_CONFIRMED] = "confirmed",
        [SPV_EVENT_REPLACED] = "replaced",
        [SPV_EVENT_CONFLICTED] = "conflicted",
        [SPV_EVENT_ABANDONED] = "abandoned",
        [SPV_EVENT_BALANCE] = "balance",
        [SPV_EVENT_SYNCED] = "synced",
    };

    return names[kind];
}

void spv__events_begin(spv_client *c)
{
    c->run.teller.tip = spv__tree_tip(c->tree);
    spv__wallet_begin_news(c->wallet);
}

static void tell(const spv_client *c, const spv_event *event)
{
    const spv_teller *t = &c->run.teller;

    if (t->event)
        t->event(t->ctx, event);
}

/* ---- Peers ---- */

static size_t place_of(const spv_client *c, const spv_candidate *peer)
{
    return (size_t)(peer - c->run.sync.pool.item);
}

static void name_peer(char *out, size_t size, const spv_candidate *peer)
{
    spv__explain_peer(out, size, peer, "");
    out[strlen(out) - 1] = '\0'; /* the space before what is said of it */
}

void spv__events_peer_ready(spv_client *c, const spv_candidate *peer)
{
    char name[300];

    c->run.teller.connected[place_of(c, peer)] = true;
    name_peer(name, sizeof(name), peer);
    tell(c, &(spv_event){.kind = SPV_EVENT_CONNECTED,
                         .peer = name,
                         .text = peer->user_agent});
}

static void log_line(const spv_client *c, const char *line)
{
    const spv_teller *t = &c->run.teller;

    if (t->log)
        t->log(t->log_ctx, line);
}

void spv__events_warn(const spv_client *c, const char *line)
{
    log_line(c, line);
    tell(c, &(spv_event){.kind = SPV_EVENT_WARNING, .text = line});
}

void spv__events_warn_of(const spv_client *c, const spv_candidate *peer,
                         const char *what)
{
    char line[400];

    if (peer)
        spv__explain_peer(line, sizeof(line), peer, what);
    else
        (void)snprintf(line, sizeof(line), "%s", what);
    spv__events_warn(c, line);
}

/* However often a named peer is tried, it is complained of once, until
 * something else is wrong with it. */
void spv__events_peer_lost(spv_client *c, const spv_candidate *peer)
{
    spv_teller *t = &c->run.teller;
    size_t place = place_of(c, peer);
    bool known = !t->connected[place] && t->warned[place] == peer->reason;
    char name[300];
    char line[400];

    if (peer->found && !t->connected[place])
        return; /* one of many that are known by hearsay */
    spv__explain_peer(line, sizeof(line), peer, peer->reason);
    name_peer(name, sizeof(name), peer);
    if (t->connected[place]) {
        log_line(c, line);
        tell(c, &(spv_event){.kind = SPV_EVENT_DISCONNECTED,
                             .peer = name,
                             .text = peer->reason});
    } else if (!known) {
        spv__events_warn(c, line);
    }
    t->warned[place] = peer->reason;
    t->connected[place] = false;
}

/* ---- The chain ---- */

static void tell_reorganisation(spv_client *c, const spv_tree_block *from,
                                const spv_tree_block *to)
{
    tell(c, &(spv_event){.kind = SPV_EVENT_REORGANISED,
                         .height = to->height,
                         .block_hash = to->hash,
                         .fork_height =
                             spv__tree_fork(c->tree, &from->hash, &to->hash),
                         .old_height = from->height,
                         .old_hash = from->hash});
}

static void tell_tip(spv_client *c)
{
    spv_teller *t = &c->run.teller;
    spv_tree_block from = t->tip;
    spv_tree_block tip = spv__tree_tip(c->tree);
    spv_tree_block at;

    if (t->tip_told && spv_hash_equal(&from.hash, &tip.hash))
        return;
    t->tip = tip;
    t->tip_told = true;
    if (!spv__tree_at(c->tree, from.height, &at) ||
        !spv_hash_equal(&at.hash, &from.hash))
        tell_reorganisation(c, &from, &tip);
    tell(c, &(spv_event){.kind = SPV_EVENT_TIP,
                         .height = tip.height,
                         .block_hash = tip.hash});
}

/* ---- Transactions ---- */

static spv_event_kind kind_of(spv_tx_state state)
{
    static const spv_event_kind kinds[] = {
        [SPV_TX_CONFIRMED] = SPV_EVENT_CONFIRMED,
        [SPV_TX_UNCONFIRMED] = SPV_EVENT_TRANSACTION,
        [SPV_TX_REPLACED] = SPV_EVENT_REPLACED,
        [SPV_TX_CONFLICTED] = SPV_EVENT_CONFLICTED,
        [SPV_TX_ABANDONED] = SPV_EVENT_ABANDONED,
    };

    return kinds[state];
}

/* Whether there was one. */
static bool tell_transactions(spv_client *c)
{
    spv_wallet_news news;
    bool any = false;

    for (; spv__wallet_next_news(c->wallet, &news); any = true)
        tell(c, &(spv_event){.kind = kind_of(news.tx.state), .tx = &news.tx});
    return any;
}

static bool same_balance(const spv_balance *a, const spv_balance *b)
{
    return a->confirmed == b->confirmed && a->unconfirmed == b->unconfirmed &&
           a->immature == b->immature;
}

static void tell_balance(spv_client *c)
{
    spv_teller *t = &c->run.teller;
    spv_balance now;

    spv_client_balance(c, &now);
    if (t->balance_told && same_balance(&now, &t->balance))
        return;
    t->balance = now;
    t->balance_told = true;
    tell(c, &(spv_event){.kind = SPV_EVENT_BALANCE});
}

void spv__events_tell(spv_client *c)
{
    if (!c->run.teller.event || c->run.phase < SPV_PHASE_BLOCKS)
        return;
    tell_tip(c);
    if (tell_transactions(c) || c->run.teller.synced)
        tell_balance(c);
    if (!c->run.teller.synced)
        return;
    c->run.teller.synced = false;
    tell(c, &(spv_event){.kind = SPV_EVENT_SYNCED,
                         .height = c->position,
                         .block_hash = c->position_hash});
}
