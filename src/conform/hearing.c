#include <string.h>

#include "conform/dialogue.h"
#include "conform/words.h"

/* A dialogue as it is played: what comes is compared with what must come. */

/* So many messages are named, then only counted. */
enum { NAMED_MAX = 6 };

static const spv_turn *turn_of(const spv_hearing *h)
{
    return &h->dialogue->turns[h->turn];
}

static const spv_turn *turn_before(const spv_hearing *h)
{
    static const spv_turn none;

    return h->turn > 0 ? &h->dialogue->turns[h->turn - 1] : &none;
}

void spv__hearing_begin(spv_hearing *h, const spv_dialogue *d, size_t turn)
{
    spv__buf_reset(&h->came);
    h->dialogue = d;
    h->turn = turn;
    h->reply = turn_before(h)->replies_end;
    h->wrong = false;
    h->n_came = 0;
}

void spv__hearing_clear(spv_hearing *h)
{
    spv__buf_clear(&h->came);
    *h = (spv_hearing){0};
}

const uint8_t *spv__hearing_frames(const spv_hearing *h, size_t *len)
{
    size_t begin = turn_before(h)->frames_end;

    *len = turn_of(h)->frames_end - begin;
    return h->dialogue->frames.bytes + begin;
}

/* ---- What comes ---- */

/* What nodes say unasked, and no answer to anything that a turn asks. */
static bool is_answer(const spv_turn *turn, spv_message_kind kind)
{
    switch (kind) {
    case SPV_MSG_MERKLEBLOCK:
    case SPV_MSG_TX:
    case SPV_MSG_BLOCK:
        return true;
    case SPV_MSG_NOTFOUND:
        return !turn->allows_notfound;
    case SPV_MSG_UNKNOWN:
    case SPV_MSG_VERSION:
    case SPV_MSG_VERACK:
    case SPV_MSG_PING:
    case SPV_MSG_PONG:
    case SPV_MSG_WTXIDRELAY:
    case SPV_MSG_SENDADDRV2:
    case SPV_MSG_SENDHEADERS:
    case SPV_MSG_SENDCMPCT:
    case SPV_MSG_FEEFILTER:
    case SPV_MSG_ADDR:
    case SPV_MSG_ADDRV2:
    case SPV_MSG_GETADDR:
    case SPV_MSG_INV:
    case SPV_MSG_GETDATA:
    case SPV_MSG_GETHEADERS:
    case SPV_MSG_GETBLOCKS:
    case SPV_MSG_HEADERS:
    case SPV_MSG_MEMPOOL:
    case SPV_MSG_FILTERLOAD:
    case SPV_MSG_FILTERADD:
    case SPV_MSG_FILTERCLEAR:
    case SPV_MSG_REJECT:
        return false;
    }
    return false;
}

static void name_it(spv_hearing *h, const spv_heard *heard)
{
    if (h->n_came++ >= NAMED_MAX)
        return;
    spv__words_join(&h->came, 0);
    spv__words_message(&h->came, heard->kind, heard->payload, heard->len);
}

static bool is_fence(const spv_hearing *h, const spv_heard *heard)
{
    spv_reader r = spv__reader(heard->payload, heard->len);

    return heard->kind == SPV_MSG_PONG &&
           spv__read_u64(&r) == turn_of(h)->fence &&
           spv__read_end(&r) == SPV_OK;
}

static bool equals(const spv_hearing *h, size_t at, size_t len,
                   const spv_heard *heard)
{
    return len == heard->len &&
           (len == 0 ||
            memcmp(h->dialogue->payloads.bytes + at, heard->payload, len) == 0);
}

static bool is_right(const spv_hearing *h, const spv_reply *a,
                     const spv_heard *heard)
{
    return a->kind == heard->kind &&
           (equals(h, a->at, a->len, heard) ||
            (a->other_len && equals(h, a->other_at, a->other_len, heard)));
}

/* Past replies that may be left out, to the one that this message is. */
static bool advance(spv_hearing *h, const spv_heard *heard)
{
    const spv_reply *replies = h->dialogue->replies;

    for (size_t i = h->reply; i < turn_of(h)->replies_end; i++) {
        if (is_right(h, &replies[i], heard)) {
            h->reply = i + 1;
            return true;
        }
        if (!replies[i].optional)
            return false;
    }
    return false;
}

static bool has_all(const spv_hearing *h)
{
    for (size_t i = h->reply; i < turn_of(h)->replies_end; i++)
        if (!h->dialogue->replies[i].optional)
            return false;
    return true;
}

static spv_heard_end judge(const spv_hearing *h, bool ended_well)
{
    return ended_well && !h->wrong ? SPV_HEARD_RIGHT : SPV_HEARD_WRONG;
}

spv_heard_end spv__hearing_message(spv_hearing *h, const spv_heard *heard)
{
    if (is_fence(h, heard)) {
        spv__words_join(&h->came, 0);
        spv__words_put(&h->came, "pong");
        return judge(h,
                     turn_of(h)->ending != SPV_ENDS_WITH_CLOSE && has_all(h));
    }
    if (!is_answer(turn_of(h), heard->kind))
        return SPV_HEARD_ON;
    name_it(h, heard);
    if (!advance(h, heard))
        h->wrong = true;
    return SPV_HEARD_ON;
}

spv_heard_end spv__hearing_closed(spv_hearing *h)
{
    spv__words_join(&h->came, 0);
    spv__words_put(&h->came, "the node closed the connection");
    return judge(h, turn_of(h)->ending != SPV_ENDS_WITH_PONG);
}

spv_heard_end spv__hearing_timeout(spv_hearing *h)
{
    spv__words_join(&h->came, 0);
    spv__words_put(&h->came, "silence until time ran out");
    return SPV_HEARD_WRONG;
}

/* ---- In words ---- */

static void tell_expected(const spv_hearing *h, spv_buf *out)
{
    const spv_dialogue *d = h->dialogue;
    const spv_turn *turn = turn_of(h);
    size_t first = turn_before(h)->replies_end;
    size_t start = out->len;

    for (size_t i = first; i < turn->replies_end; i++) {
        const spv_reply *a = &d->replies[i];

        spv__words_join(out, start);
        if (i - first == NAMED_MAX) {
            spv__words_put(out, "%zu more", turn->replies_end - i);
            break;
        }
        spv__words_message(out, a->kind, d->payloads.bytes + a->at, a->len);
        if (a->optional)
            spv__words_put(out, " (or not)");
    }
    spv__words_join(out, start);
    switch (turn->ending) {
    case SPV_ENDS_WITH_PONG:
        spv__words_put(out, "pong");
        break;
    case SPV_ENDS_WITH_CLOSE:
        spv__words_put(out, "the node closes the connection");
        break;
    case SPV_ENDS_EITHER_WAY:
        spv__words_put(out, "pong, or the node closes the connection");
        break;
    }
}

void spv__hearing_tell(const spv_hearing *h, spv_buf *out)
{
    size_t begin = turn_before(h)->words_end;

    spv__words_put(out, "sent ");
    spv__put_bytes(out, h->dialogue->words.bytes + begin,
                   turn_of(h)->words_end - begin);
    spv__words_put(out, ", ping; expected ");
    tell_expected(h, out);
    spv__words_put(out, "; got ");
    spv__put_bytes(out, h->came.bytes, h->came.len);
    if (h->n_came > NAMED_MAX)
        spv__words_put(out, " (%zu messages in all)", h->n_came);
}
