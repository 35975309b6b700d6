#include "conform/scene.h"

#include <stdlib.h>
#include <string.h>

#include "conform/battery.h"
#include "conform/scene_parts.h"

/* A bitcoind announces after five seconds on average: after a minute one time
 * in 10^5 has it not. */
enum {
    OPEN_MS = 20000,       /* for all connections to be ready */
    ASK_MS = 20000,        /* for the node to want what it is offered */
    LISTEN_MS = 60000,     /* for what must be heard */
    POOL_EMPTY_MS = 15000, /* for a mempool that may be empty */
    AT_ONCE_MS = 1000,     /* three that hear within this were told together */
    TOLD_AT_ONCE = 3,
    LAGGARD_MS = 8000, /* for others then, where chance is small that they
                          are only told later */
    MOMENT_MS = 1000,  /* for what must not be heard */
    GETDATA_MAX = 100,
    TRIES_MAX = 4 /* a node may not know yet that another has gone */
};

/* ---- Transactions ---- */

static spv_err add_loose(spv_scene *scene, const spv_hash *txid)
{
    spv_loose *grown = realloc(scene->txs, (scene->n + 1) * sizeof(*grown));

    if (!grown)
        return SPV_NOMEM;
    scene->txs = grown;
    scene->txs[scene->n++] = (spv_loose){.txid = *txid};
    return SPV_OK;
}

spv_err spv__scene_add(spv_scene *scene, const uint8_t *bytes, size_t len)
{
    spv_tx tx;
    spv_err err = spv_tx_decode(&tx, bytes, len, NULL);
    spv_loose *t = NULL;

    if (err != SPV_OK)
        return err == SPV_NOMEM ? err : SPV_INVAL;
    if (scene->n < SPV__LOOSE_MAX)
        err = add_loose(scene, &tx.txid);
    spv_tx_clear(&tx);
    if (err != SPV_OK || scene->n_sent == scene->n)
        return err;
    t = &scene->txs[scene->n_sent++];
    t->bytes = malloc(len);
    if (!t->bytes)
        return SPV_NOMEM;
    memcpy(t->bytes, bytes, len);
    t->len = len;
    return SPV_OK;
}

void spv__scene_clear(spv_scene *scene)
{
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        spv__session_clear(&scene->watchers[i].session);
    for (size_t i = 0; i < scene->n; i++)
        free(scene->txs[i].bytes);
    free(scene->txs);
    *scene = (spv_scene){0};
}

/* The number of a transaction; `n` if it is not known. */
static size_t find_loose(const spv_scene *scene, const spv_hash *txid)
{
    size_t i = 0;

    while (i < scene->n && !spv_hash_equal(&scene->txs[i].txid, txid))
        i++;
    return i;
}

/* ---- What watchers want, and whether they have it ---- */

/* The node has it, as far as anybody has heard. */
static bool is_there(const spv_scene *scene, size_t i)
{
    return scene->txs[i].accepted;
}

static void set_wanted(const spv_scene *scene, spv_watcher *w)
{
    spv_wants want = spv__scene_role_of(w)->wants;

    for (size_t i = 0; i < scene->n; i++)
        w->wanted[i] =
            (want == SPV_WANTS_ALL || (want == SPV_WANTS_HALF && i % 2 == 0));
}

static bool anything_there(const spv_scene *scene)
{
    for (size_t i = 0; i < scene->n; i++)
        if (is_there(scene, i))
            return true;
    return false;
}

/* All transactions that were sent have been heard by somebody. */
static bool all_there(const spv_scene *scene)
{
    for (size_t i = 0; i < scene->n_sent; i++)
        if (!is_there(scene, i))
            return false;
    return true;
}

static bool may_be_content(const spv_scene *scene)
{
    return anything_there(scene) &&
           (scene->round != SPV_ROUND_RELAY || all_there(scene));
}

/* How many of the watchers of a round have not heard all that they must, or
 * have. */
static size_t count_watchers(const spv_scene *scene, spv_round round,
                             bool content)
{
    size_t n = 0;

    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++) {
        const spv_watcher *w = &scene->watchers[i];

        n += w->used && spv__scene_role_of(w)->wants != SPV_WANTS_NONE &&
             spv__scene_role_of(w)->round == round &&
             !spv__scene_lacks_any(scene, w) == content;
    }
    return n;
}

static bool is_content(const spv_scene *scene)
{
    if (!may_be_content(scene))
        return false;
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++) {
        const spv_watcher *w = &scene->watchers[i];

        if (w->used && !w->lost &&
            (spv__scene_lacks_any(scene, w) ||
             spv__scene_bodies(scene, w, SPV_BODY_ASKED) > 0))
            return false;
    }
    return true;
}

/* ---- Saying ---- */

static void load_filter(spv_conform *b, spv_dialogue *d, spv_filter_habit habit)
{
    spv_filter f;

    if (habit == SPV_LOADS_NONE)
        return;
    if (spv_filter_init(&f, 4096, 11, (uint32_t)spv__rng_next(&b->scene.rng),
                        SPV_FILTER_UPDATE_NONE) != SPV_OK) {
        d->err = SPV_NOMEM;
        return;
    }
    spv_filter_insert(&f, (const uint8_t *)"nobody", 6);
    for (size_t i = 0; habit == SPV_LOADS_HALF && i < b->scene.n; i += 2)
        spv_filter_insert(&f, b->scene.txs[i].txid.bytes, 32);
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
    if (habit == SPV_CLEARS)
        spv__say_filterclear(d);
}

/* Say frames that a dialogue is good at writing. */
static void say(spv_conform *b, spv_watcher *w, spv_dialogue *d)
{
    if (d->err != SPV_OK)
        spv__battery_end(b, d->err, NULL);
    else
        spv__session_say(&w->session, d->frames.bytes, d->frames.len);
    spv__dialogue_clear(d);
}

static void introduce(spv_conform *b, spv_watcher *w)
{
    spv_dialogue d;

    spv__dialogue_init(&d, b->network, &b->scene.rng);
    load_filter(b, &d, spv__scene_role_of(w)->habit);
    spv__end_turn(&d);
    w->fence = d.turns[0].fence;
    w->said = true;
    say(b, w, &d);
}

/* Some nodes hang up on a transaction that they have not asked for. */
static void announce(const spv_scene *scene, spv_dialogue *d)
{
    spv_inv items[SPV__LOOSE_MAX];
    spv_buf payload = SPV_BUF_EMPTY;

    for (size_t i = 0; i < scene->n_sent; i++)
        items[i] = (spv_inv){SPV_INV_TX, scene->txs[i].txid};
    spv__put_inv(&payload, items, scene->n_sent);
    spv__say(d, "inv", payload.bytes, payload.len, "inv");
    if (payload.err != SPV_OK)
        d->err = payload.err;
    spv__buf_clear(&payload);
}

static void act(spv_conform *b, spv_watcher *w)
{
    const spv_scene *scene = &b->scene;
    spv_dialogue d;

    spv__dialogue_init(&d, b->network, &b->scene.rng);
    if (w->role == SPV_ROLE_SENDER)
        announce(scene, &d);
    if (spv__scene_role_of(w)->asks_pool)
        spv__say(&d, "mempool", NULL, 0, "mempool");
    if (d.frames.len > 0)
        say(b, w, &d);
    spv__dialogue_clear(&d);
}

/* The mempool's transactions are asked for by their txids. */
static void ask_bodies(spv_conform *b, spv_watcher *w, const spv_inv *items,
                       size_t n)
{
    spv_dialogue d;

    if (n == 0)
        return;
    spv__dialogue_init(&d, b->network, &b->scene.rng);
    spv__say_getdata(&d, items, n, "getdata");
    say(b, w, &d);
}

/* ---- Hearing ---- */

/* The number of what is announced; `n` if it is not known, and there was no
 * room to remember it, or no memory. What comes before the mempool was asked
 * for is no answer. */
static size_t hear_of(spv_conform *b, spv_watcher *w, const spv_hash *txid)
{
    spv_scene *scene = &b->scene;
    size_t i = find_loose(scene, txid);

    if (w->role == SPV_ROLE_POOL && !w->acted)
        return scene->n;
    if (i == scene->n && w->role == SPV_ROLE_POOL && i < SPV__LOOSE_MAX) {
        if (add_loose(scene, txid) != SPV_OK) {
            spv__battery_end(b, SPV_NOMEM, NULL);
            return i;
        }
        w->wanted[i] = true;
    }
    if (i == scene->n) {
        w->strangers++;
        return i;
    }
    w->heard[i] = true;
    scene->txs[i].accepted = true;
    scene->txs[i].vouched |= !spv__scene_role_of(w)->asks_pool;
    return i;
}

/* True: it is to be asked for now, and only now. */
static bool wants_body(const spv_scene *scene, spv_watcher *w, size_t i)
{
    if (w->role != SPV_ROLE_POOL || i == scene->n ||
        w->n_asked == GETDATA_MAX || w->bodies[i] != SPV_BODY_UNASKED)
        return false;
    w->bodies[i] = SPV_BODY_ASKED;
    w->n_asked++;
    return true;
}

static void on_inv(spv_conform *b, spv_watcher *w, const spv_heard *heard)
{
    spv_inv wanted[GETDATA_MAX];
    size_t n = 0;
    spv_message m;

    if (spv__message_decode(&m, heard->kind, heard->payload, heard->len) !=
        SPV_OK)
        return;
    for (size_t i = 0; i < m.as.inv.n; i++) {
        spv_inv item = spv__inv_get(&m.as.inv, i);

        if (item.type == SPV_INV_TX &&
            wants_body(&b->scene, w, hear_of(b, w, &item.hash)))
            wanted[n++] = item;
    }
    ask_bodies(b, w, wanted, n);
}

static void on_tx(spv_conform *b, spv_watcher *w, const spv_heard *heard)
{
    spv_message m;
    size_t i = 0;

    if (w->role != SPV_ROLE_POOL ||
        spv__message_decode(&m, heard->kind, heard->payload, heard->len) !=
            SPV_OK)
        return;
    i = find_loose(&b->scene, &m.as.tx.txid);
    if (i == b->scene.n || w->bodies[i] == SPV_BODY_UNASKED)
        w->misled = true;
    else
        w->bodies[i] = SPV_BODY_CAME;
    spv__message_clear(&m);
}

static void on_notfound(spv_conform *b, spv_watcher *w, const spv_heard *heard)
{
    spv_message m;

    if (w->role != SPV_ROLE_POOL ||
        spv__message_decode(&m, heard->kind, heard->payload, heard->len) !=
            SPV_OK)
        return;
    for (size_t k = 0; k < m.as.inv.n; k++) {
        spv_inv item = spv__inv_get(&m.as.inv, k);
        size_t i = find_loose(&b->scene, &item.hash);

        if (i < b->scene.n && w->bodies[i] == SPV_BODY_ASKED)
            w->bodies[i] = SPV_BODY_GONE;
    }
}

/* It asks for what was announced. */
static void on_getdata(spv_conform *b, spv_watcher *w, const spv_heard *heard)
{
    spv_scene *scene = &b->scene;
    spv_dialogue d;
    spv_message m;

    if (w->role != SPV_ROLE_SENDER ||
        spv__message_decode(&m, heard->kind, heard->payload, heard->len) !=
            SPV_OK)
        return;
    spv__dialogue_init(&d, b->network, &b->scene.rng);
    for (size_t i = 0; i < m.as.inv.n; i++) {
        spv_inv item = spv__inv_get(&m.as.inv, i);
        size_t at = find_loose(scene, &item.hash);

        if (at >= scene->n_sent)
            continue;
        spv__say(&d, "tx", scene->txs[at].bytes, scene->txs[at].len, "tx");
        scene->txs[at].given = true;
    }
    spv__end_turn(&d);
    w->fence = d.turns[0].fence;
    w->fenced = false;
    say(b, w, &d);
    if (!scene->hurried && !scene->content)
        b->scene.due = b->now + LISTEN_MS;
}

static void on_pong(spv_watcher *w, const spv_heard *heard)
{
    spv_reader r = spv__reader(heard->payload, heard->len);

    if (w->said && spv__read_u64(&r) == w->fence)
        w->fenced = true;
}

static void listen(spv_conform *b, spv_watcher *w)
{
    spv_heard heard;

    while (b->phase == SPV_BATTERY_PLAYING &&
           spv__session_next(&w->session, &heard)) {
        if (heard.kind == SPV_MSG_INV)
            on_inv(b, w, &heard);
        else if (heard.kind == SPV_MSG_TX)
            on_tx(b, w, &heard);
        else if (heard.kind == SPV_MSG_NOTFOUND)
            on_notfound(b, w, &heard);
        else if (heard.kind == SPV_MSG_GETDATA)
            on_getdata(b, w, &heard);
        else if (heard.kind == SPV_MSG_PONG)
            on_pong(w, &heard);
    }
    if (w->session.err != SPV_OK)
        spv__battery_end(b, w->session.err, NULL);
    else if (w->session.state == SPV_SESSION_READY && !w->said)
        introduce(b, w);
    if (w->session.state == SPV_SESSION_CLOSED && !w->said &&
        w->tries++ < TRIES_MAX)
        spv__battery_connect(b, &w->session, spv__scene_role_of(w)->relay);
    w->lost |= w->session.state == SPV_SESSION_CLOSED;
}

/* ---- A round ---- */

static bool is_round_wanted(const spv_conform *b, spv_round round)
{
    const spv_scene_role *role = NULL;

    for (size_t i = 0; i < b->n_checks; i++) {
        int arg = b->rows[i]->arg;

        if (!spv__is_of_scene(b->rows[i]))
            continue;
        if (arg == SPV_ROLE_POOL_GETDATA)
            arg = SPV_ROLE_POOL;
        for (size_t k = 0; (role = spv__scene_role_at(k)); k++)
            if ((int)role->role == arg && role->round == round)
                return true;
    }
    return false;
}

/* Why a round is not played; NULL: it is. Each is played for the sake of the
 * next one, too: of the mempool nothing is known here but what was sent and
 * relayed, and filters are made of what it was shown to hold. */
static const char *why_not(const spv_conform *b, spv_round round)
{
    const spv_scene *scene = &b->scene;

    if (!b->node.serves_filters)
        return "the node does not offer NODE_BLOOM";
    if (b->node.height < 0)
        return SPV__NO_CHAIN;
    if (round == SPV_ROUND_RELAY && scene->n_sent < 2)
        return "there are no transactions to send";
    if (round == SPV_ROUND_POOL_FILTERED && scene->n < 2)
        return "the node's mempool holds less than two transactions, or was "
               "not shown";
    return NULL;
}

/* Where transactions of the mempool are known, filters can be made of them
 * before it is asked for. */
static spv_round last_with(const spv_scene *scene)
{
    size_t there = 0;

    for (size_t i = 0; i < scene->n; i++)
        there += is_there(scene, i);
    return scene->round == SPV_ROUND_POOL && there >= 2
               ? SPV_ROUND_POOL_FILTERED
               : scene->round;
}

/* Watchers of these rounds, each in the first free place. */
static void add_watchers(spv_conform *b, spv_round first, spv_round last)
{
    spv_scene *scene = &b->scene;
    const spv_scene_role *role = NULL;
    size_t n = 0;

    for (size_t i = 0; (role = spv__scene_role_at(i)); i++) {
        spv_watcher *w = NULL;

        if (role->round < first || role->round > last)
            continue;
        while (scene->watchers[n].used)
            n++;
        w = &scene->watchers[n];
        *w = (spv_watcher){.role = role->role, .used = true};
        set_wanted(scene, w);
        spv__battery_connect(b, &w->session, role->relay);
    }
}

static void forget(spv_conform *b, spv_watcher *w)
{
    spv__battery_hang_up(b, &w->session);
    spv__session_clear(&w->session);
    *w = (spv_watcher){0};
}

static void begin_round(spv_conform *b)
{
    spv_scene *scene = &b->scene;

    scene->last = last_with(scene);
    add_watchers(b, scene->round, scene->last);
    if (scene->round == SPV_ROUND_RELAY) /* known from here on, if at all */
        for (size_t i = 0; i < scene->n; i++)
            scene->txs[i].accepted = false;
    scene->begun = true;
    scene->listening = scene->content = scene->hurried = false;
    scene->at_once = false;
    scene->first = 0;
    scene->due = b->now + OPEN_MS;
}

static void end_round(spv_conform *b)
{
    spv_scene *scene = &b->scene;

    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (scene->watchers[i].used)
            forget(b, &scene->watchers[i]);
    scene->round = scene->begun ? scene->last + 1 : scene->round + 1;
    scene->begun = false;
    scene->over = scene->round == SPV_ROUNDS;
    scene->due = SPV_NEVER;
}

static bool all_fenced(const spv_scene *scene)
{
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (scene->watchers[i].used && !scene->watchers[i].fenced &&
            !scene->watchers[i].lost)
            return false;
    return true;
}

/* All do what they are there for, when all are ready or time is up: what one
 * of them hears must not change what another says of a filter. */
static void act_all(spv_conform *b, bool anyhow)
{
    spv_scene *scene = &b->scene;

    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++) {
        spv_watcher *w = &scene->watchers[i];

        if (w->used && !w->lost && !w->acted && (anyhow || all_fenced(scene))) {
            w->acted = true;
            act(b, w);
        }
    }
}

static void start_listening(spv_conform *b)
{
    spv_scene *scene = &b->scene;
    bool is_sure = anything_there(scene);

    act_all(b, true);
    scene->listening = true;
    scene->due = b->now + (is_sure                           ? LISTEN_MS
                           : scene->round == SPV_ROUND_RELAY ? ASK_MS
                                                             : POOL_EMPTY_MS);
}

static void judge_round(spv_conform *b)
{
    spv_scene *scene = &b->scene;

    for (spv_round round = scene->round;
         round <= scene->last && !anything_there(scene); round++)
        spv__scene_skip_round(
            b, round,
            scene->round == SPV_ROUND_RELAY
                ? "the node announced nothing of what it was sent; it "
                  "may still be syncing"
                : "the node's mempool is empty, or was not shown");
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (scene->watchers[i].used)
            spv__scene_judge(b, &scene->watchers[i]);
    end_round(b);
}

/* Some nodes draw a time for each peer (Bitcoin Core before 0.18): there the
 * last may hear long after the first. Most tell all at once. */
static void hurry(spv_conform *b)
{
    spv_scene *scene = &b->scene;
    size_t n = may_be_content(scene)
                   ? count_watchers(scene, SPV_ROUND_RELAY, true)
                   : 0;

    if (n > 0 && scene->first == 0)
        scene->first = b->now;
    scene->at_once |= n >= TOLD_AT_ONCE && b->now - scene->first <= AT_ONCE_MS;
    if (scene->hurried || !scene->at_once ||
        count_watchers(scene, SPV_ROUND_POOL, false) > 0 ||
        count_watchers(scene, SPV_ROUND_POOL_FILTERED, false) > 0)
        return;
    scene->hurried = true;
    if (scene->due > b->now + LAGGARD_MS)
        scene->due = b->now + LAGGARD_MS;
}

/* The node has what it was offered, as its pong says. */
static bool is_sender_done(const spv_scene *scene, const spv_watcher *w)
{
    for (size_t i = 0; i < scene->n_sent; i++)
        if (!scene->txs[i].given)
            return false;
    return w->used && w->role == SPV_ROLE_SENDER && w->fenced;
}

/* The mempool is asked for while the others still wait: nodes tell of both now
 * and then, and mostly together. */
static void join_pool(spv_conform *b, spv_watcher *sender)
{
    spv_scene *scene = &b->scene;

    forget(b, sender);
    if (!is_round_wanted(b, SPV_ROUND_POOL) &&
        !is_round_wanted(b, SPV_ROUND_POOL_FILTERED))
        return;
    scene->last = SPV_ROUND_POOL_FILTERED;
    add_watchers(b, SPV_ROUND_POOL, scene->last);
    scene->content = scene->hurried = false;
    scene->due = b->now + LISTEN_MS;
}

static void play_round(spv_conform *b)
{
    spv_scene *scene = &b->scene;

    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (scene->watchers[i].used)
            listen(b, &scene->watchers[i]);
    if (b->phase != SPV_BATTERY_PLAYING)
        return;
    if (!scene->listening) {
        if (all_fenced(scene) || scene->due <= b->now)
            start_listening(b);
        return;
    }
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (is_sender_done(scene, &scene->watchers[i]))
            join_pool(b, &scene->watchers[i]);
    act_all(b, false);
    hurry(b);
    if (!scene->content && is_content(scene)) {
        scene->content = true;
        scene->due = b->now + MOMENT_MS;
    }
    if (scene->due <= b->now)
        judge_round(b);
}

static void begin_or_skip(spv_conform *b)
{
    spv_round round = b->scene.round;
    const char *why = why_not(b, round);
    bool wanted =
        is_round_wanted(b, round) ||
        (round < SPV_ROUND_POOL_FILTERED && is_round_wanted(b, round + 1));

    if (why)
        spv__scene_skip_round(b, round, why);
    if (why || !wanted)
        end_round(b);
    else
        begin_round(b);
}

void spv__scene_work(spv_conform *b)
{
    spv_scene *scene = &b->scene;

    while (!scene->over && b->phase == SPV_BATTERY_PLAYING) {
        if (!scene->begun)
            begin_or_skip(b);
        if (scene->begun)
            play_round(b);
        if (scene->begun) /* it waits for something */
            return;
    }
}

spv_session *spv__scene_session(spv_scene *scene, spv_conn conn)
{
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (scene->watchers[i].used && scene->watchers[i].session.conn == conn)
            return &scene->watchers[i].session;
    return NULL;
}
