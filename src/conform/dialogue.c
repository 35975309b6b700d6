#include "conform/dialogue.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "conform/array.h"
#include "conform/oracle.h"
#include "conform/words.h"

/* ---- Life ---- */

void spv__dialogue_init(spv_dialogue *d, const spv_network *network,
                        spv_rng *rng)
{
    *d = (spv_dialogue){.network = network, .rng = rng};
}

void spv__dialogue_clear(spv_dialogue *d)
{
    spv__buf_clear(&d->frames);
    spv__buf_clear(&d->payloads);
    spv__buf_clear(&d->words);
    spv_filter_clear(&d->mirror);
    free(d->replies);
    free(d->given);
    *d = (spv_dialogue){0};
}

static size_t turn_words_start(const spv_dialogue *d)
{
    return d->n_turns > 0 ? d->turns[d->n_turns - 1].words_end : 0;
}

static void note_err(spv_dialogue *d)
{
    if (d->frames.err != SPV_OK || d->payloads.err != SPV_OK ||
        d->words.err != SPV_OK)
        d->err = SPV_NOMEM;
}

void spv__dialogue_lacks(spv_dialogue *d, const char *why)
{
    if (!d->lack)
        d->lack = why;
}

/* ---- What is sent ---- */

/* A payload may be longer than any BIP allows, which is the point of it. */
void spv__say(spv_dialogue *d, const char *command, const uint8_t *payload,
              size_t len, const char *words)
{
    size_t mark = spv__frame_begin(&d->frames, command, d->network);

    spv__put_bytes(&d->frames, payload, len);
    spv__frame_end(&d->frames, mark);
    spv__words_join(&d->words, turn_words_start(d));
    spv__words_put(&d->words, "%s", words);
    note_err(d);
}

void spv__say_filterload(spv_dialogue *d, const spv_filter *f)
{
    uint8_t *payload = malloc(SPV_FILTER_PAYLOAD_MAX);
    spv_buf words = SPV_BUF_EMPTY;
    spv_filter copy;

    spv__words_filter(&words, f);
    spv__put_u8(&words, '\0');
    if (!payload || words.err != SPV_OK ||
        spv_filter_copy(&copy, f) != SPV_OK) {
        d->err = SPV_NOMEM;
    } else {
        spv__say(d, "filterload", payload, spv_filter_encode(payload, f),
                 (const char *)words.bytes);
        spv_filter_clear(&d->mirror);
        d->mirror = copy;
        d->has_filter = true;
    }
    free(payload);
    spv__buf_clear(&words);
}

void spv__say_filteradd(spv_dialogue *d, const uint8_t *data, size_t len)
{
    spv_buf payload = SPV_BUF_EMPTY;
    char words[48];

    spv__put_compact(&payload, len);
    spv__put_bytes(&payload, data, len);
    (void)snprintf(words, sizeof(words), "filteradd (%zu bytes)", len);
    if (payload.err != SPV_OK)
        d->err = SPV_NOMEM;
    else
        spv__say(d, "filteradd", payload.bytes, payload.len, words);
    if (d->has_filter)
        spv_filter_insert(&d->mirror, data, len);
    spv__buf_clear(&payload);
}

void spv__say_filterclear(spv_dialogue *d)
{
    spv__say(d, "filterclear", NULL, 0, "filterclear");
    spv_filter_clear(&d->mirror);
    d->has_filter = false;
}

void spv__say_getdata(spv_dialogue *d, const spv_inv *items, size_t n,
                      const char *words)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_inv(&payload, items, n);
    if (payload.err != SPV_OK)
        d->err = SPV_NOMEM;
    else
        spv__say(d, "getdata", payload.bytes, payload.len, words);
    spv__buf_clear(&payload);
}

void spv__ask_filtered(spv_dialogue *d, const spv_sample *const *blocks,
                       size_t n)
{
    spv_inv *items = calloc(n, sizeof(*items));
    char first[SPV__CLIPPED];
    char words[100];

    if (!items) {
        d->err = SPV_NOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++)
        items[i] = (spv_inv){SPV_INV_FILTERED_BLOCK, blocks[i]->hash};
    spv__words_block(first, &blocks[0]->hash);
    if (n == 1)
        (void)snprintf(words, sizeof(words),
                       "getdata for filtered block %d (%s)", blocks[0]->height,
                       first);
    else
        (void)snprintf(words, sizeof(words),
                       "getdata for %zu filtered blocks from %d (%s) on", n,
                       blocks[0]->height, first);
    spv__say_getdata(d, items, n, words);
    for (size_t i = 0; i < n && d->has_filter && d->err == SPV_OK; i++)
        spv__oracle_answer(d, blocks[i]);
    free(items);
}

static void end_turn(spv_dialogue *d, spv_ending ending)
{
    spv_turn *t = &d->turns[d->n_turns];
    uint64_t fence = spv__rng_next(d->rng);
    size_t mark = spv__frame_begin(&d->frames, "ping", d->network);

    assert(d->n_turns < SPV__TURNS_MAX); /* a writer is not so long-winded */
    spv__put_u64(&d->frames, fence);
    spv__frame_end(&d->frames, mark);
    note_err(d);
    *t = (spv_turn){.frames_end = d->frames.len,
                    .replies_end = d->n_replies,
                    .words_end = d->words.len,
                    .fence = fence,
                    .ending = ending,
                    .afresh = d->afresh,
                    .allows_notfound = d->allows_notfound};
    d->n_turns++;
    d->afresh = d->allows_notfound = false;
}

void spv__end_turn(spv_dialogue *d)
{
    end_turn(d, SPV_ENDS_WITH_PONG);
}

void spv__end_turn_closed(spv_dialogue *d)
{
    end_turn(d, SPV_ENDS_WITH_CLOSE);
}

void spv__end_turn_either_way(spv_dialogue *d)
{
    end_turn(d, SPV_ENDS_EITHER_WAY);
}

/* ---- What must come ---- */

size_t spv__reply_begin(const spv_dialogue *d)
{
    return d->payloads.len;
}

void spv__reply_end(spv_dialogue *d, spv_message_kind kind, size_t mark)
{
    spv_reply *grown = spv__array_grow(d->replies, d->n_replies,
                                       &d->replies_cap, sizeof(*d->replies));

    note_err(d);
    if (!grown) {
        d->err = SPV_NOMEM;
        return;
    }
    d->replies = grown;
    d->replies[d->n_replies++] =
        (spv_reply){.kind = kind, .at = mark, .len = d->payloads.len - mark};
}

void spv__reply_or(spv_dialogue *d, size_t mark)
{
    spv_reply *last = &d->replies[d->n_replies - 1];

    note_err(d);
    last->other_at = mark;
    last->other_len = d->payloads.len - mark;
}

bool spv__dialogue_gave(spv_dialogue *d, const spv_hash *txid)
{
    spv_hash *grown = NULL;

    for (size_t i = 0; i < d->n_given; i++)
        if (spv_hash_equal(&d->given[i], txid))
            return true;
    grown =
        spv__array_grow(d->given, d->n_given, &d->given_cap, sizeof(*d->given));
    if (!grown) {
        d->err = SPV_NOMEM;
        return false;
    }
    d->given = grown;
    d->given[d->n_given++] = *txid;
    return false;
}
