#include "conform/serve_watch.h"

#include <stdlib.h>
#include <string.h>

#include "conform/script_serve.h"

spv_err spv__serve_watch_init(spv_serve_watch *w, const spv_serve_row *row,
                              const spv_serve_history *history)
{
    size_t n = (size_t)spv__script_chain_tip(history->chain) + 1;

    *w = (spv_serve_watch){.row = row,
                           .history = history,
                           .known_at = SPV_NEVER,
                           .lied_at = SPV_NEVER};
    w->facts.scenario = &row->scenario;
    w->facts.left_after_ms = -1;
    w->blocks = calloc(n, sizeof(*w->blocks));
    w->had = calloc(history->n_txs + 1, sizeof(*w->had));
    if (w->blocks && w->had)
        return SPV_OK;
    spv__serve_watch_clear(w);
    return SPV_NOMEM;
}

void spv__serve_watch_clear(spv_serve_watch *w)
{
    free(w->blocks);
    free(w->had);
    *w = (spv_serve_watch){0};
}

/* A client that comes back to a liar has read its lie before. */
spv_err spv__serve_session_begin(spv_serve_session *s, spv_serve_watch *w)
{
    size_t n = (size_t)spv__script_chain_tip(w->history->chain) + 1;

    *s = (spv_serve_session){.watch = w, .knows = w->facts.lies > 0};
    s->due = calloc(n, sizeof(*s->due));
    s->had_due = calloc(w->history->n_txs + 1, sizeof(*s->had_due));
    if (!s->due || !s->had_due) {
        free(s->due);
        free(s->had_due);
        return SPV_NOMEM;
    }
    w->facts.connections++;
    return SPV_OK;
}

/** What a client asks for ends with the tip, wherever it began. */
static bool has_asked_all(const spv_serve_watch *w, bool whole)
{
    const spv_serve_block *last =
        &w->blocks[spv__script_chain_tip(w->history->chain)];

    return whole ? last->asked_whole : last->asked > 0;
}

void spv__serve_session_end(spv_serve_session *s, spv_serve_ending ending)
{
    spv_serve_watch *w = s->watch;

    free(s->due);
    free(s->had_due);
    if (ending == SPV_SERVE_ENDED || !s->lied || w->facts.hung_up)
        return;
    w->facts.hung_up = true;
    w->left_at = w->now;
    w->left_early = ending == SPV_SERVE_LEFT_EARLY;
    w->had_asked = s->crossed || has_asked_all(w, s->in_whole);
    w->facts.left_after_ms = w->left_at - w->lied_at;
}

/* ---- What the client says ---- */

static void hear_version(spv_serve_session *s, const spv_version *v)
{
    spv_serve_report *facts = &s->watch->facts;
    size_t len = v->user_agent_len;

    if (len >= sizeof(facts->user_agent))
        len = sizeof(facts->user_agent) - 1;
    for (size_t i = 0; i < len; i++)
        facts->user_agent[i] = v->user_agent[i] >= ' ' && v->user_agent[i] < 127
                                   ? v->user_agent[i]
                                   : '?';
    facts->user_agent[len] = '\0';
    facts->relay = v->relay;
}

static void hear_filterload(spv_serve_session *s, const spv_filterload *f)
{
    spv_serve_filter *seen = &s->watch->facts.filter;
    spv_filter filter = {.bytes = (uint8_t *)(uintptr_t)f->filter,
                         .len = f->len,
                         .hash_funcs = f->hash_funcs,
                         .tweak = f->tweak,
                         .flags = f->flags};

    seen->loads++;
    seen->bytes = f->len;
    seen->hash_functions = f->hash_funcs;
    seen->tweak = f->tweak;
    seen->flags = f->flags;
    seen->fp_rate = spv_filter_rate(&filter);
    s->has_filter = true;
    s->unfenced = true;
}

static void hear_filterclear(spv_serve_session *s)
{
    s->watch->facts.filter_clears += s->has_filter;
    s->has_filter = false;
}

static void note_filtered(spv_serve_session *s, const spv_script_block *block)
{
    spv_serve_report *facts = &s->watch->facts;

    facts->filtered_asked++;
    facts->asked_before_filter += !s->has_filter;
    s->watch->unfenced += s->unfenced;
    if (!block)
        return;
    facts->refetched += s->watch->blocks[block->height].asked > 0;
    s->watch->blocks[block->height].asked++;
}

static bool is_for_block(const spv_inv *item)
{
    return item->type == SPV_INV_FILTERED_BLOCK ||
           item->type == SPV_INV_BLOCK || item->type == SPV_INV_WITNESS_BLOCK;
}

static void note_whole(spv_serve_session *s, const spv_script_block *block)
{
    s->watch->facts.whole_asked++;
    if (block)
        s->watch->blocks[block->height].asked_whole = true;
}

static void hear_getdata(spv_serve_session *s, const spv_items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        spv_inv item = spv__inv_get(items, i);
        const spv_script_block *block =
            spv__script_chain_find(s->watch->history->chain, &item.hash);

        if (item.type == SPV_INV_FILTERED_BLOCK)
            note_filtered(s, block);
        else if (is_for_block(&item))
            note_whole(s, block);
    }
}

/** It names a block that it can know of by the lie alone. */
static bool is_of_the_lie(const spv_serve_session *s, const spv_hash *hash)
{
    const spv_script_block *b =
        spv__script_chain_find(s->watch->history->chain, hash);

    return s->in_headers &&
           (!b || (s->watch->is_alone && b->height > s->beyond));
}

static bool names_the_lie(const spv_serve_session *s, const spv_message *m)
{
    const spv_items *hashes = &m->as.locator.hashes;
    bool named = false;

    if (m->kind == SPV_MSG_GETDATA)
        for (size_t i = 0; i < m->as.inv.n; i++) {
            spv_inv item = spv__inv_get(&m->as.inv, i);

            named |= is_for_block(&item) && is_of_the_lie(s, &item.hash);
        }
    if (m->kind == SPV_MSG_GETHEADERS)
        for (size_t i = 0; i < hashes->n; i++) {
            spv_hash hash;

            memcpy(hash.bytes, hashes->bytes + 32 * i, sizeof(hash.bytes));
            named |= is_of_the_lie(s, &hash);
        }
    return named;
}

/** It has read the lie, or else could not know what it says. */
static void hear_knowledge(spv_serve_session *s)
{
    s->knows = true;
    if (s->watch->known_at == SPV_NEVER)
        s->watch->known_at = s->watch->now;
}

/** Before it is answered. */
static void hear_request(spv_serve_session *s, const spv_message *m)
{
    if (names_the_lie(s, m))
        hear_knowledge(s);
    s->crossed |= s->lied && !s->knows;
    s->watch->facts.asked_after_lie += s->knows;
}

static void hear(spv_serve_session *s, const spv_message *m)
{
    if (m->kind == SPV_MSG_GETDATA || m->kind == SPV_MSG_GETHEADERS)
        hear_request(s, m);
    if (m->kind == SPV_MSG_VERSION)
        hear_version(s, &m->as.version);
    if (m->kind == SPV_MSG_FILTERLOAD &&
        !(s->watch->row->sort->rules & SPV_SERVE_NO_FILTER))
        hear_filterload(s, &m->as.filterload);
    if (m->kind == SPV_MSG_FILTERADD)
        s->watch->facts.filter_adds++;
    if (m->kind == SPV_MSG_FILTERCLEAR)
        hear_filterclear(s);
    if (m->kind == SPV_MSG_PING)
        s->unfenced = false;
    if (m->kind == SPV_MSG_PONG && s->lied && m->as.nonce == s->nonce)
        hear_knowledge(s);
    if (m->kind == SPV_MSG_GETDATA)
        hear_getdata(s, &m->as.inv);
}

/* ---- What the node says ---- */

/** It counts as soon as it is sent. */
static void fall_due(const spv_serve_session *s, size_t *due)
{
    if (*due == 0)
        *due = s->said;
}

static void note_lie(spv_serve_session *s, const spv_script_notice *n)
{
    spv_serve_watch *w = s->watch;

    if (w->lied_at == SPV_NEVER)
        w->lied_at = w->now;
    if (!s->lied) {
        s->nonce = n->nonce;
        s->in_whole = n->whole;
    }
    s->lied = true;
    if (n->in_headers && !s->in_headers)
        s->beyond = n->beyond;
    s->in_headers |= n->in_headers;
    if (n->height >= 0)
        fall_due(s, &s->due[n->height].lied);
    else
        w->facts.lies++;
}

static bool has_come(const spv_script_served *served, const spv_hash *txid)
{
    for (size_t i = 0; i < served->n; i++)
        if (served->proved[i] && served->sent[i] &&
            spv_hash_equal(&served->txids[i], txid))
            return true;
    return false;
}

/** What came of the history's transactions; whole, all of the block did. */
static void note_txs(spv_serve_session *s, const spv_script_notice *n)
{
    const spv_serve_history *h = s->watch->history;

    for (size_t i = 0; i < h->n_txs; i++)
        if (h->txs[i].height == n->height &&
            (n->whole || has_come(n->served, &h->txs[i].txid)))
            fall_due(s, &s->had_due[i]);
}

/** A client need not take what it has not asked for. */
static void note_block(spv_serve_session *s, const spv_script_notice *n)
{
    spv_serve_due *due = &s->due[n->height];

    if (s->watch->blocks[n->height].asked == 0 && !n->whole)
        return;
    note_txs(s, n);
    fall_due(s, n->what == SPV_SCRIPT_SERVED ? &due->served : &due->omitted);
}

/** Whether that is sent now, and was not. */
static bool is_done(size_t *due, size_t bytes)
{
    bool done = *due > 0 && *due <= bytes;

    if (done)
        *due = 0;
    return done;
}

void spv__serve_session_sent(spv_serve_session *s, size_t bytes)
{
    spv_serve_watch *w = s->watch;

    for (int32_t i = spv__script_chain_tip(w->history->chain); i > 0; i--) {
        spv_serve_block *b = &w->blocks[i];
        bool lied = is_done(&s->due[i].lied, bytes);
        bool omitted = is_done(&s->due[i].omitted, bytes);

        w->facts.lies += lied;
        w->facts.omissions += omitted && !b->omitted;
        b->lied |= lied;
        b->omitted |= omitted;
        b->served |= is_done(&s->due[i].served, bytes);
    }
    for (size_t i = 0; i < w->history->n_txs; i++)
        w->had[i] |= is_done(&s->had_due[i], bytes);
}

void spv__serve_session_notice(void *session, const spv_script_notice *n)
{
    spv_serve_session *s = session;

    switch (n->what) {
    case SPV_SCRIPT_IGNORED:
        s->watch->received[n->message->kind]++;
        break;
    case SPV_SCRIPT_HEARD:
        s->watch->received[n->message->kind]++;
        s->watch->asked_while_busy +=
            n->late && n->message->kind == SPV_MSG_GETDATA;
        hear(s, n->message);
        break;
    case SPV_SCRIPT_SERVED:
    case SPV_SCRIPT_OMITTED:
        note_block(s, n);
        break;
    case SPV_SCRIPT_LIED:
        note_lie(s, n);
        break;
    }
}
