#include <stdlib.h>
#include <string.h>

#include "p2p/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A peer that has a filter and was asked for blocks says anything at all. The
 * input is a list of utterances: one byte for the kind of message (or for raw
 * bytes), two for its length, then its payload.
 */

enum { RAW = SPV_MSG_REJECT + 1, ASKED = 3 };

static const spv_network *network(void)
{
    return spv_network_get(SPV_REGTEST);
}

static const uint8_t *knows_none(void *self, const spv_hash *txid, size_t *len)
{
    (void)self;
    (void)txid;
    (void)len;
    return NULL;
}

static void must(spv_err err)
{
    if (err != SPV_OK)
        abort();
}

/* It is asked for the one block that a fuzzer knows, and more than once. */
static void prepare(spv_stream *s)
{
    spv_request requests[ASKED];
    spv_filter filter;

    for (size_t i = 0; i < ASKED; i++)
        requests[i] =
            (spv_request){.hash = network()->genesis_hash, .height = (int)i};
    spv__stream_init(s, 1, 0);
    spv__peer_init(&s->peer, network(), 1, &(spv_netaddr){0}, 1, 0);
    spv__peer_opened(&s->peer, 0, 0);
    s->peer.state = SPV_PEER_READY;
    must(spv_filter_init(&filter, 16, 3, 1, SPV_FILTER_UPDATE_ALL));
    spv_filter_insert(&filter, (const uint8_t *)"element", 7);
    must(spv__stream_load(s, &filter, 1, 0));
    must(spv__stream_ask(s, requests, ASKED, 0));
    spv_filter_clear(&filter);
}

/* One utterance from the front of the input, as it comes over the wire. */
static size_t utter(spv_buf *wire, const uint8_t *data, size_t size)
{
    unsigned kind = data[0] % (RAW + 1u);
    size_t len = data[1] | (size_t)data[2] << 8;
    size_t mark = 0;

    if (len > size - 3)
        len = size - 3;
    if (kind == RAW) {
        spv__put_bytes(wire, data + 3, len);
        return 3 + len;
    }
    mark = spv__frame_begin(wire, spv__message_command((spv_message_kind)kind),
                            network());
    spv__put_bytes(wire, data + 3, len);
    spv__frame_end(wire, mark);
    return 3 + len;
}

/* What every event promises. */
static void check(spv_stream *s, const spv_stream_event *e)
{
    if (e->kind == SPV_STREAM_BLOCK) {
        if (s->answer.missing || s->answering)
            abort();
        spv__answer_clear(&s->answer);
    }
    if ((e->kind == SPV_STREAM_FAULT) != (s->peer.state == SPV_PEER_CLOSED) ||
        (e->kind == SPV_STREAM_FAULT && !s->peer.fault))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spv_tx_source known = {.find = knows_none};
    spv_stream s;

    prepare(&s);
    while (size >= 3 && s.peer.state == SPV_PEER_READY) {
        spv_buf wire = SPV_BUF_EMPTY;
        size_t used = utter(&wire, data, size);
        spv_err err = SPV_OK;
        spv_stream_event e;

        must(wire.err);
        must(spv__peer_received(&s.peer, wire.bytes, wire.len));
        while (spv__stream_next(&s, &e, &known, 1, &err))
            check(&s, &e);
        must(err);
        if (s.flight.n > ASKED || s.peer.in_at > s.peer.in.len)
            abort();
        spv__buf_clear(&wire);
        data += used;
        size -= used;
    }
    spv__stream_clear(&s);
    return 0;
}
