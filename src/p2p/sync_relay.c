#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "p2p/sync_parts.h"

/*
 * Transactions outside blocks: which are asked for, and which go up.
 *
 * Every sync asks for what its peers announce, for the sake of the mirrors (see
 * p2p/relay.h). One that stays also asks each peer once for its mempool, when
 * the tip was reached, and hands up what it hears from then on.
 */

/* Transactions of late that did not match: to ask for one of them once is
 * enough, whoever announces it. */
enum { STRANGERS_KEPT = 50000 };
#define STRANGERS_RATE 1e-6

/* ---- What goes up ---- */

static void drop_told(spv_sync *s)
{
    spv_relayed *told = s->relayed + s->relayed_told - 1;

    spv_tx_clear(&told->tx);
    free(told->bytes);
    told->bytes = NULL;
}

void spv__sync_clear_relayed(spv_sync *s)
{
    while (s->relayed_told < s->n_relayed) {
        s->relayed_told++;
        drop_told(s);
    }
    free(s->relayed);
    s->relayed = NULL;
    spv_rolling_filter_clear(&s->strangers);
}

bool spv__sync_next_relayed(spv_sync *s, spv_sync_event *e)
{
    if (s->relayed_told)
        drop_told(s);
    if (s->relayed_told == s->n_relayed) {
        s->relayed_told = s->n_relayed = 0;
        return false;
    }
    e->kind = SPV_SYNC_RELAYED;
    e->relayed = &s->relayed[s->relayed_told++];
    return true;
}

static spv_err add_relayed(spv_sync *s, const spv_relayed *relayed)
{
    size_t cap = s->cap_relayed ? 2 * s->cap_relayed : 16;

    if (s->n_relayed == s->cap_relayed || !s->relayed) {
        spv_relayed *grown = realloc(s->relayed, cap * sizeof(*grown));

        if (!grown)
            return SPV_NOMEM;
        s->relayed = grown;
        s->cap_relayed = cap;
    }
    s->relayed[s->n_relayed++] = *relayed;
    return SPV_OK;
}

/* A copy waits until it is pulled, with all others of the same input. */
static void hand_up(spv_sync *s, const uint8_t *bytes, size_t len, size_t place)
{
    spv_relayed r = {.place = place, .bytes = malloc(len)};
    spv_err err = r.bytes ? SPV_OK : SPV_NOMEM;

    if (!s->listens) {
        free(r.bytes);
        return;
    }
    if (err == SPV_OK) {
        memcpy(r.bytes, bytes, len);
        err = spv_tx_decode(&r.tx, r.bytes, len, NULL);
    }
    if (err == SPV_OK)
        err = add_relayed(s, &r);
    if (err == SPV_OK)
        return;
    spv_tx_clear(&r.tx);
    free(r.bytes);
    s->err = err;
}

/* ---- What is heard ---- */

static void remember_stranger(spv_sync *s, const spv_hash *txid)
{
    if (!s->strangers.cells)
        s->err = spv_rolling_filter_init(&s->strangers, STRANGERS_KEPT,
                                         STRANGERS_RATE, spv__sync_random(s));
    if (s->err == SPV_OK)
        spv_rolling_filter_insert(&s->strangers, txid->bytes,
                                  sizeof(txid->bytes));
}

void spv__sync_hear_tx(spv_sync *s, size_t place, const spv_stream_event *e)
{
    if (e->is_stranger)
        remember_stranger(s, &e->request.hash);
    else
        hand_up(s, e->payload, e->len, place);
}

/* ---- What is asked ---- */

/* The wallet has it: it goes into the mirror and up as if it had come. */
static void take_known(spv_sync *s, size_t place, const spv_hash *txid,
                       const uint8_t *bytes, size_t len)
{
    spv_tx tx = {0};
    spv_open_tx open = {0};

    s->err = spv_tx_decode(&tx, bytes, len, NULL);
    if (s->err != SPV_OK)
        return;
    (void)spv__relay_take(&s->streams[place]->relay, txid, &open);
    (void)spv__stream_mirror(s->streams[place], &tx, &open);
    spv_tx_clear(&tx);
    hand_up(s, bytes, len, place);
}

/* Take off what need not be asked for. */
static void sift(spv_sync *s, size_t place)
{
    spv_relay *r = &s->streams[place]->relay;

    for (size_t i = 0; i < r->n && s->err == SPV_OK;) {
        spv_hash txid = r->open[i].txid;
        size_t before = r->n;
        size_t len = 0;
        const uint8_t *bytes =
            s->config.known.find(s->config.known.self, &txid, &len);

        if (bytes)
            take_known(s, place, &txid, bytes, len);
        else if (spv_rolling_filter_contains(&s->strangers, txid.bytes,
                                             sizeof(txid.bytes)))
            (void)spv__relay_take(r, &txid, NULL);
        i += r->n == before;
    }
}

void spv__sync_relay(spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++) {
        spv_stream *stream = s->streams[i];

        if (!stream || stream->relay.n == 0 || stream->relay.asked)
            continue;
        sift(s, i);
        spv__stream_ask_txs(stream, s->now);
    }
}

/* Once a connection: what is in the mempool by then; the rest is announced. */
void spv__sync_listen(spv_sync *s, spv_stream *stream)
{
    if (!s->listens || stream->relay.mempool_asked)
        return;
    stream->relay.mempool_asked = true;
    spv__peer_say(&stream->peer, SPV_MSG_MEMPOOL);
}
