#include <string.h>

#include "conform/battery.h"

/* Dialogues as they are played: which is next, on which connection. */

void spv__player_clear(spv_player *p)
{
    spv__session_clear(&p->session);
    spv__hearing_clear(&p->hearing);
    spv__dialogue_clear(&p->dialogue);
    *p = (spv_player){0};
}

static void finish(spv_conform *b, spv_player *p, spv_conform_result result,
                   const char *detail)
{
    spv__battery_result(b, p->check, result, detail);
    if (result == SPV_CONFORM_FAIL &&
        spv__hearing_recount(&p->hearing, &b->exchanges[p->check]) != SPV_OK)
        spv__battery_end(b, SPV_NOMEM, NULL);
    spv__battery_hang_up(b, &p->session);
    spv__hearing_clear(&p->hearing);
    spv__dialogue_clear(&p->dialogue);
    p->busy = false;
}

/* ---- Beginning ---- */

/* Every check has chance of its own, so that it is the same whether others are
 * run or not. */
static spv_rng chance_of(const spv_conform *b, const char *id)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (; *id; id++)
        hash = (hash ^ (uint8_t)*id) * UINT64_C(0x100000001b3);
    return (spv_rng){b->seed ^ hash};
}

static void connect_player(spv_conform *b, spv_player *p)
{
    spv__battery_connect(b, &p->session, false);
    p->waits = true;
    p->due = b->now + SPV__STEP_MS;
}

/* Why a check is not run at all; NULL: it is. */
static const char *why_not(const spv_conform *b, const spv_check *row)
{
    bool of_no_bloom = row->traits & SPV__CHECK_NO_BLOOM;

    if (of_no_bloom && b->node.serves_filters)
        return "the node offers NODE_BLOOM";
    if (!of_no_bloom && !b->node.serves_filters)
        return "the node does not offer NODE_BLOOM";
    if (!of_no_bloom && b->node.height < 0)
        return SPV__NO_CHAIN;
    if (b->gentle && (row->traits & SPV__CHECK_DESTRUCTIVE))
        return "left out by --gentle: a node may ban for it";
    if (b->refused)
        return "the node accepts no more connections; it may have banned this "
               "address (--gentle leaves out what it may ban for)";
    return NULL;
}

static void start(spv_conform *b, spv_player *p, size_t check)
{
    const spv_check *row = b->rows[check];
    const char *why = why_not(b, row);
    spv_dialogue *d = &p->dialogue;

    p->check = check;
    if (why) {
        spv__battery_result(b, check, SPV_CONFORM_SKIPPED, why);
        return;
    }
    p->rng = chance_of(b, row->id);
    spv__dialogue_init(d, b->network, &p->rng);
    row->write(d, &b->survey.samples, row->arg);
    if (d->err != SPV_OK) {
        spv__battery_end(b, d->err, NULL);
        spv__dialogue_clear(d);
    } else if (d->lack || d->n_turns == 0) {
        spv__battery_result(b, check, SPV_CONFORM_SKIPPED, d->lack);
        spv__dialogue_clear(d);
    } else {
        p->busy = true;
        p->turn = 0;
        p->note = NULL;
        connect_player(b, p);
    }
}

static bool is_alone(const spv_check *row)
{
    return row->traits & SPV__CHECK_DESTRUCTIVE;
}

static size_t count_busy(const spv_conform *b)
{
    size_t n = 0;

    for (size_t i = 0; i < SPV__PLAYERS; i++)
        n += b->players[i].busy;
    return n;
}

/* The next check that is pending, and nobody's; `n_checks` if there is none. */
static size_t next_check(const spv_conform *b)
{
    for (size_t i = 0; i < b->n_checks; i++) {
        bool taken = b->checks[i].result != SPV_CONFORM_PENDING;

        for (size_t k = 0; k < SPV__PLAYERS && !taken; k++)
            taken = b->players[k].busy && b->players[k].check == i;
        if (!taken && !spv__is_of_scene(b->rows[i]) &&
            is_alone(b->rows[i]) == b->alone)
            return i;
    }
    return b->n_checks;
}

/* Those that a node may ban for come last, each alone. */
static void start_some(spv_conform *b)
{
    for (size_t i = 0; i < SPV__PLAYERS; i++) {
        spv_player *p = &b->players[i];

        while (!p->busy && b->phase == SPV_BATTERY_PLAYING &&
               !(b->alone && count_busy(b) > 0)) {
            size_t check = next_check(b);

            if (check == b->n_checks)
                return;
            start(b, p, check);
        }
    }
}

/* ---- Turns ---- */

static void begin_turn(spv_conform *b, spv_player *p)
{
    size_t len = 0;
    const uint8_t *frames = NULL;

    spv__hearing_begin(&p->hearing, &p->dialogue, p->turn);
    frames = spv__hearing_frames(&p->hearing, &len);
    spv__session_say(&p->session, frames, len);
    p->waits = false;
    p->due = b->now + SPV__STEP_MS;
    p->patience = (spv_patience){.end = b->now + SPV__TURN_MS};
}

static void next_turn(spv_conform *b, spv_player *p)
{
    if (p->dialogue.turns[p->turn].ending == SPV_ENDS_EITHER_WAY)
        p->note = p->session.state == SPV_SESSION_CLOSED
                      ? "the node closed the connection"
                      : "the node kept the connection";
    if (++p->turn == p->dialogue.n_turns)
        finish(b, p, SPV_CONFORM_PASS, p->note);
    else if (p->session.state == SPV_SESSION_CLOSED)
        connect_player(b, p);
    else
        begin_turn(b, p);
}

static void tell_failure(spv_conform *b, spv_player *p)
{
    spv_buf text = SPV_BUF_EMPTY;

    spv__hearing_tell(&p->hearing, &text);
    spv__put_u8(&text, '\0');
    if (text.err == SPV_OK && p->hearing.err == SPV_OK &&
        p->hearing.came.err == SPV_OK)
        finish(b, p, SPV_CONFORM_FAIL, (const char *)text.bytes);
    else
        spv__battery_end(b, SPV_NOMEM, NULL);
    spv__buf_clear(&text);
}

static void settle(spv_conform *b, spv_player *p, spv_heard_end end)
{
    switch (end) {
    case SPV_HEARD_ON:
        if (p->hearing.fenced && p->due > b->now + SPV__LATE_MS)
            p->due = b->now + SPV__LATE_MS;
        break;
    case SPV_HEARD_RIGHT:
        next_turn(b, p);
        break;
    case SPV_HEARD_WRONG:
        tell_failure(b, p);
        break;
    }
}

/* Behind a turn that a node may ban for. One that has gone down cannot even be
 * connected to; one that bans may hang up at once, which is its right. */
static void after_a_ban(spv_conform *b, spv_player *p)
{
    if (p->session.opened)
        finish(b, p, SPV_CONFORM_PASS,
               "the node closed the connection, and accepts no other: it bans");
    else
        finish(b, p, SPV_CONFORM_FAIL,
               "the node cannot be connected to any more after it");
}

/* It was not even greeted. One that refuses again and again is let be. */
static void on_refusal(spv_conform *b, spv_player *p)
{
    b->refused |= ++b->refusals >= SPV__REFUSALS_MAX;
    if (p->turn > 0)
        after_a_ban(b, p);
    else if (b->refused)
        finish(b, p, SPV_CONFORM_SKIPPED, "the node refuses the connection");
    else
        connect_player(b, p);
}

void spv__player_closed(spv_conform *b, spv_player *p)
{
    if (!p->busy)
        return;
    if (p->waits)
        on_refusal(b, p);
    else
        settle(b, p, spv__hearing_closed(&p->hearing));
}

/* Who answers slowly is not silent; but a trickle must end, too. */
static void on_timeout(spv_conform *b, spv_player *p)
{
    if (p->waits) {
        spv__battery_hang_up(b, &p->session);
        on_refusal(b, p);
    } else if (!p->hearing.wrong &&
               spv__session_moves(&p->session, &p->patience,
                                  p->hearing.n_came)) {
        p->due = b->now + (p->hearing.fenced ? SPV__LATE_MS : SPV__STEP_MS);
        if (p->patience.end <= b->now)
            finish(b, p, SPV_CONFORM_SKIPPED,
                   "the node, or the way to it, is too slow to be judged: it "
                   "was still answering after 200 seconds");
    } else {
        settle(b, p, spv__hearing_timeout(&p->hearing));
    }
}

/* What a session brought; true: something did. */
static bool listen(spv_conform *b, spv_player *p)
{
    spv_heard heard;

    if (!spv__session_next(&p->session, &heard)) {
        if (p->session.err != SPV_OK)
            spv__battery_end(b, p->session.err, NULL);
        else if (p->waits && p->session.state == SPV_SESSION_READY) {
            b->refusals = 0;
            begin_turn(b, p);
        } else if (p->session.why && p->busy) {
            p->session.why = NULL;
            spv__player_closed(b, p);
        }
        return false;
    }
    if (p->busy && !p->waits)
        settle(b, p, spv__hearing_message(&p->hearing, &heard));
    return p->busy;
}

static bool is_finished(const spv_conform *b)
{
    for (size_t i = 0; i < b->n_checks; i++)
        if (b->checks[i].result == SPV_CONFORM_PENDING)
            return false;
    return true;
}

void spv__players_work(spv_conform *b)
{
    for (size_t i = 0; i < SPV__PLAYERS; i++) {
        spv_player *p = &b->players[i];

        while (p->busy && b->phase == SPV_BATTERY_PLAYING && listen(b, p))
            ;
        if (p->busy && p->due <= b->now)
            on_timeout(b, p);
    }
    start_some(b);
    if (b->phase == SPV_BATTERY_PLAYING && !b->alone && count_busy(b) == 0)
        spv__scene_work(b); /* after them: bcoin has room for eight peers */
    if (b->phase == SPV_BATTERY_PLAYING && !b->alone && b->scene.over &&
        count_busy(b) == 0) {
        b->alone = true;
        start_some(b);
    }
    if (b->phase == SPV_BATTERY_PLAYING && is_finished(b))
        spv__battery_end(b, SPV_OK, NULL);
}

spv_time spv__players_deadline(const spv_conform *b)
{
    spv_time first = b->scene.begun ? b->scene.due : SPV_NEVER;

    for (size_t i = 0; i < SPV__PLAYERS; i++)
        if (b->players[i].busy && b->players[i].due < first)
            first = b->players[i].due;
    return first;
}
