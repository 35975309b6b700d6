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

/* Where in `replies` those of this turn begin, and how many they are. */
static size_t first_reply(const spv_hearing *h)
{
    return turn_before(h)->replies_end;
}

static size_t count_replies(const spv_hearing *h)
{
    return turn_of(h)->replies_end - first_reply(h);
}

void spv__hearing_begin(spv_hearing *h, const spv_dialogue *d, size_t turn)
{
    spv__buf_reset(&h->came);
    spv__buf_reset(&h->seen);
    spv__messages_clear(&h->got);
    h->dialogue = d;
    h->turn = turn;
    h->reply = first_reply(h);
    h->fenced = h->wrong = false;
    h->n_came = 0;
    for (size_t i = 0; i < count_replies(h); i++)
        spv__put_u8(&h->seen, false);
    h->err = h->seen.err;
}

void spv__hearing_clear(spv_hearing *h)
{
    spv__buf_clear(&h->came);
    spv__buf_clear(&h->seen);
    spv__messages_clear(&h->got);
    *h = (spv_hearing){0};
}

const uint8_t *spv__hearing_frames(const spv_hearing *h, size_t *len)
{
    size_t begin = turn_before(h)->frames_end;

    *len = turn_of(h)->frames_end - begin;
    return h->dialogue->frames.bytes + begin;
}

/* ---- What comes ---- */

/* The rest is what nodes say unasked (addr, inv, feefilter, sendcmpct...) and
 * no answer to anything that a turn asks. */
static bool is_reply(const spv_turn *turn, spv_message_kind kind)
{
    return kind == SPV_MSG_MERKLEBLOCK || kind == SPV_MSG_TX ||
           kind == SPV_MSG_BLOCK ||
           (kind == SPV_MSG_NOTFOUND && !turn->allows_notfound);
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

static uint8_t *seen(const spv_hearing *h, size_t reply)
{
    return &h->seen.bytes[reply - first_reply(h)];
}

/* Whether others may come before this reply. BIP 37 has transactions come
 * "after the merkleblock is sent", and not before whatever comes next. */
static bool may_pass(const spv_hearing *h, const spv_reply *a)
{
    return a->optional || (!h->dialogue->strict && a->kind == SPV_MSG_TX);
}

/* Find the reply that this message is; false if it is none. */
static bool advance(spv_hearing *h, const spv_heard *heard)
{
    const spv_reply *replies = h->dialogue->replies;

    size_t first = h->dialogue->strict ? h->reply : first_reply(h);

    for (size_t i = first; i < turn_of(h)->replies_end; i++) {
        if (*seen(h, i))
            continue;
        if (is_right(h, &replies[i], heard)) {
            *seen(h, i) = true;
            if (heard->kind != SPV_MSG_TX)
                h->reply = i;
            return true;
        }
        if (!may_pass(h, &replies[i]))
            return false;
    }
    return false;
}

/* The first reply that has not come and must; NULL if all have. */
static const spv_reply *missing(const spv_hearing *h)
{
    for (size_t i = first_reply(h); i < turn_of(h)->replies_end; i++)
        if (!*seen(h, i) && !h->dialogue->replies[i].optional)
            return &h->dialogue->replies[i];
    return NULL;
}

static spv_heard_end judge(const spv_hearing *h, bool ended_well)
{
    return ended_well && !h->wrong ? SPV_HEARD_RIGHT : SPV_HEARD_WRONG;
}

/* Words alone do not always tell two messages apart. */
static void tell_difference(spv_hearing *h, const spv_heard *heard)
{
    const spv_reply *a = missing(h);
    const uint8_t *bytes = NULL;
    size_t i = 0;

    if (!a || a->kind != heard->kind)
        return;
    bytes = h->dialogue->payloads.bytes + a->at;
    while (i < a->len && i < heard->len && bytes[i] == heard->payload[i])
        i++;
    spv__words_put(&h->came, " (%zu bytes, not %zu; byte %zu differs)",
                   heard->len, a->len, i);
}

static void note_message(spv_hearing *h, const spv_heard *heard)
{
    bool right = advance(h, heard);

    if (h->n_came++ < NAMED_MAX) {
        spv__words_join(&h->came, 0);
        spv__words_message(&h->came, heard->kind, heard->payload, heard->len);
        if (!right && !h->wrong)
            tell_difference(h, heard);
    }
    h->wrong |= !right;
}

/* BIP 37 does not say that a ping is answered last; to the reference
 * implementation and to clients it matters, and a strict dialogue asks it. */
static spv_heard_end on_fence(spv_hearing *h)
{
    spv_ending ending = turn_of(h)->ending;

    spv__words_join(&h->came, 0);
    spv__words_put(&h->came, "pong");
    h->fenced = true;
    if (missing(h) && !h->wrong && !h->dialogue->strict &&
        ending == SPV_ENDS_WITH_PONG)
        return SPV_HEARD_ON;
    return judge(h, ending != SPV_ENDS_WITH_CLOSE && !missing(h));
}

spv_heard_end spv__hearing_message(spv_hearing *h, const spv_heard *heard)
{
    bool fence = is_fence(h, heard);

    if (!fence && !is_reply(turn_of(h), heard->kind))
        return SPV_HEARD_ON;
    if (h->err == SPV_OK)
        h->err = h->came.err;
    if (h->err == SPV_OK)
        h->err = spv__messages_add(&h->got, spv__message_command(heard->kind),
                                   heard->payload, heard->len, false);
    if (h->err != SPV_OK)
        return SPV_HEARD_WRONG;
    if (fence)
        return on_fence(h);
    note_message(h, heard);
    return h->fenced && !missing(h) ? judge(h, true) : SPV_HEARD_ON;
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
    spv__words_put(&h->came,
                   h->fenced ? "nothing more" : "silence until time ran out");
    return SPV_HEARD_WRONG;
}

/* ---- In words ---- */

static void tell_expected(const spv_hearing *h, spv_buf *out)
{
    const spv_dialogue *d = h->dialogue;
    const spv_turn *turn = turn_of(h);
    size_t first = first_reply(h);
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

/* ---- In messages ---- */

static spv_err list_expected(const spv_hearing *h, spv_messages *out)
{
    const spv_dialogue *d = h->dialogue;
    spv_buf nonce = SPV_BUF_EMPTY;
    spv_err err = SPV_OK;

    for (size_t i = first_reply(h);
         i < turn_of(h)->replies_end && err == SPV_OK; i++) {
        const spv_reply *a = &d->replies[i];

        err = spv__messages_add(out, spv__message_command(a->kind),
                                d->payloads.bytes + a->at, a->len, a->optional);
    }
    spv__put_u64(&nonce, turn_of(h)->fence);
    if (err == SPV_OK)
        err = nonce.err;
    if (err == SPV_OK && turn_of(h)->ending != SPV_ENDS_WITH_CLOSE)
        err = spv__messages_add(out, "pong", nonce.bytes, nonce.len,
                                turn_of(h)->ending == SPV_ENDS_EITHER_WAY);
    spv__buf_clear(&nonce);
    return err;
}

spv_err spv__hearing_recount(spv_hearing *h, spv_exchange *out)
{
    spv_err err = spv__messages_add_frames(&out->of[SPV_CONFORM_SENT],
                                           h->dialogue->frames.bytes,
                                           turn_of(h)->frames_end);

    out->of[SPV_CONFORM_GOT] = h->got;
    h->got = (spv_messages){0};
    return err == SPV_OK ? list_expected(h, &out->of[SPV_CONFORM_EXPECTED])
                         : err;
}
