#include "conform/serve_watch.h"

#include <stdlib.h>
#include <string.h>

spv_err spv__serve_watch_init(spv_serve_watch *w, const spv_serve_row *row,
                              const spv_serve_history *history)
{
    size_t n = (size_t)spv__script_chain_tip(history->chain) + 1;

    *w = (spv_serve_watch){
        .row = row, .history = history, .known_at = SPV_NEVER};
    w->facts.scenario = &row->scenario;
    w->facts.left_after_ms = -1;
    w->blocks = calloc(n, sizeof(*w->blocks));
    return w->blocks ? SPV_OK : SPV_NOMEM;
}

void spv__serve_watch_clear(spv_serve_watch *w)
{
    free(w->blocks);
    *w = (spv_serve_watch){0};
}

/* A client that comes back to a liar has read its lie before. */
void spv__serve_session_begin(spv_serve_session *s, spv_serve_watch *w)
{
    *s = (spv_serve_session){.watch = w, .knows = w->facts.lies > 0};
    w->facts.connections++;
}

void spv__serve_session_end(spv_serve_session *s, bool left)
{
    spv_serve_report *facts = &s->watch->facts;

    if (!left || !s->lied || facts->hung_up)
        return;
    facts->hung_up = true;
    s->watch->left_at = s->watch->now;
    facts->left_after_ms = s->watch->left_at - s->watch->lied_at;
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

static void hear_getdata(spv_serve_session *s, const spv_items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        spv_inv item = spv__inv_get(items, i);

        if (item.type == SPV_INV_FILTERED_BLOCK)
            note_filtered(s, spv__script_chain_find(s->watch->history->chain,
                                                    &item.hash));
        if (item.type == SPV_INV_BLOCK || item.type == SPV_INV_WITNESS_BLOCK)
            s->watch->facts.whole_asked++;
    }
}

/** It has read the lie, or else could not answer the ping behind it. */
static void hear_answer(spv_serve_session *s)
{
    s->knows = true;
    if (s->watch->known_at == SPV_NEVER)
        s->watch->known_at = s->watch->now;
}

static void hear(spv_serve_session *s, const spv_message *m)
{
    if (m->kind == SPV_MSG_GETDATA || m->kind == SPV_MSG_GETHEADERS)
        s->watch->facts.asked_after_lie += s->knows;
    if (m->kind == SPV_MSG_VERSION)
        hear_version(s, &m->as.version);
    if (m->kind == SPV_MSG_FILTERLOAD)
        hear_filterload(s, &m->as.filterload);
    if (m->kind == SPV_MSG_FILTERADD)
        s->watch->facts.filter_adds++;
    if (m->kind == SPV_MSG_FILTERCLEAR)
        hear_filterclear(s);
    if (m->kind == SPV_MSG_PING)
        s->unfenced = false;
    if (m->kind == SPV_MSG_PONG && s->lied && m->as.nonce == s->nonce)
        hear_answer(s);
    if (m->kind == SPV_MSG_GETDATA)
        hear_getdata(s, &m->as.inv);
}

/* ---- What the node says ---- */

static void note_lie(spv_serve_session *s, const spv_script_notice *n)
{
    spv_serve_watch *w = s->watch;

    if (w->facts.lies++ == 0)
        w->lied_at = w->now;
    if (!s->lied)
        s->nonce = n->nonce;
    s->lied = true;
    if (n->height >= 0)
        w->blocks[n->height].lied = true;
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
        s->watch->blocks[n->height].served = true;
        break;
    case SPV_SCRIPT_OMITTED:
        s->watch->facts.omissions += !s->watch->blocks[n->height].omitted;
        s->watch->blocks[n->height].omitted = true;
        break;
    case SPV_SCRIPT_LIED:
        note_lie(s, n);
        break;
    }
}
