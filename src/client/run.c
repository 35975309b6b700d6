#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"

/*
 * One run: the sync's findings, the wallet's answers.
 *
 * Every input of the machine goes to the sync first; what it found out is then
 * dealt with until there is no more, and kept when it is time.
 */

/* ---- Ready to run ---- */

static const uint8_t *known_tx(void *self, const spv_hash *txid, size_t *len)
{
    const spv_client *c = self;
    spv_wallet_tx tx;

    if (spv__wallet_tx(c->wallet, txid, &tx) != SPV_OK)
        return NULL;
    *len = tx.len;
    return tx.bytes;
}

static bool next_owed(const void *self, int32_t height, size_t *at)
{
    return spv__wallet_next_owed(self, height, at);
}

static bool is_named_before(const spv_sync_options *o, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(o->connect[i], o->connect[at]) == 0)
            return true;
    return false;
}

static spv_err add_peers(spv_client *c, const spv_sync_options *o,
                         spv_trouble *trouble)
{
    for (size_t i = 0; i < o->n_connect; i++) {
        spv_err err = SPV_OK;

        if (is_named_before(o, i))
            continue;
        err = spv__sync_add_peer(&c->run.sync, o->connect[i], c->network->port);
        if (err == SPV_LIMIT)
            return spv__trouble_set(trouble, SPV_INVAL,
                                    "more than %d peers were named",
                                    SPV__POOL_MAX);
        if (err != SPV_OK)
            return spv__trouble_set(
                trouble, err, "'%s' is not HOST or HOST:PORT", o->connect[i]);
    }
    if (o->n_connect > 0 || c->seeds->n_hosts > 0 || c->book.n > 0)
        return SPV_OK;
    (void)spv__trouble_set(trouble, SPV_NO_PEER, "no peer of %s is known",
                           c->network->name);
    spv__trouble_hint(trouble,
                      "name a node with --connect HOST[:PORT], or for "
                      "all runs with 'spvclient peers add HOST[:PORT]'");
    return SPV_NO_PEER;
}

/* What a run that was broken off still owes is looked for by the next one. */
static void step_back(spv_client *c)
{
    int32_t sure = spv__client_sure_height(c);
    spv_tree_block block;

    if (sure >= c->position || !spv__tree_at(c->tree, sure, &block))
        return;
    spv__trail_cut(&c->trail, sure);
    spv__trail_push(&c->trail, sure, &block.hash);
    c->position = sure;
    c->position_hash = block.hash;
}

static void end_run(spv_client *c)
{
    step_back(c);
    if (c->run.prepared)
        spv__sync_clear(&c->run.sync);
    spv__doubts_clear(&c->run.doubts);
    c->run = (spv_run){0};
}

spv_err spv_client_prepare(spv_client *c, const spv_sync_options *o,
                           spv_trouble *trouble)
{
    spv_sync_config config = {.network = c->network,
                              .tree = c->tree,
                              .known = {.self = c, .find = known_tx},
                              .seed = o->seed,
                              .unix_time = o->unix_time,
                              .until = o->until,
                              .audit_rate = o->audit_rate,
                              .stay = o->stay,
                              .book = o->n_connect ? NULL : &c->book,
                              .seeds = c->seeds};
    spv_err err = SPV_OK;

    end_run(c);
    err = spv__sync_init(&c->run.sync, &config);
    if (err != SPV_OK)
        return spv__trouble_set(trouble, err, "%s", spv_err_text(err));
    c->run.prepared = true;
    c->run.timeout = (spv_time)o->timeout_s * 1000;
    c->run.stay = o->stay;
    c->run.until = o->until;
    c->run.teller = (spv_teller){.event = o->event,
                                 .ctx = o->event_ctx,
                                 .log = o->log,
                                 .log_ctx = o->log_ctx};
    spv__events_begin(c);
    c->run.start_height = c->position;
    c->run.headers_tip = spv__tree_tip(c->tree).hash;
    c->run.sync.log.filter = &c->filter;
    c->run.sync.coverage.next_owed = next_owed;
    c->run.sync.coverage.self = c->wallet;
    c->run.sync.coverage.updates_all =
        (c->plan.flags & SPV_FILTER_UPDATE_MASK) == SPV_FILTER_UPDATE_ALL;
    spv__client_follow_log(c);
    return add_peers(c, o, trouble);
}

/* ---- The end of a run ---- */

static void finish(spv_client *c, spv_err outcome)
{
    c->run.over = true;
    c->run.outcome = outcome;
    if (outcome == SPV_OK)
        c->run.phase = SPV_PHASE_SYNCED;
    /* A wallet that could not grow may only be freed: a block may be in it by
     * half. What was not kept will be found again. */
    if (outcome == SPV_NOMEM || outcome == SPV_LIMIT)
        c->changed = c->book.changed = false;
    c->changed |= c->book.changed;
}

static void fail(spv_client *c, spv_err err)
{
    finish(c, spv__trouble_set(&c->trouble, err, "%s", spv_err_text(err)));
}

/* After a reorganisation the chain may end below where the wallet had been. */
static void bound_reached(spv_client *c)
{
    int32_t tip = spv__tree_tip(c->tree).height;

    if (c->run.phase >= SPV_PHASE_BLOCKS && c->reached > tip)
        c->reached = tip;
}

/* Headers are kept as they come: a first sync has little else for long, and may
 * be broken off. */
static void note_headers(spv_client *c)
{
    spv_tree_block tip = spv__tree_tip(c->tree);

    if (spv_hash_equal(&tip.hash, &c->run.headers_tip))
        return;
    c->run.headers_tip = tip.hash;
    c->changed = true;
}

static void keep(spv_client *c)
{
    spv_err err = SPV_OK;

    bound_reached(c);
    if (!c->changed || !c->keeper.keep)
        return;
    c->run.kept_at = c->run.sync.now;
    err = c->keeper.keep(c->keeper.self, c, &c->trouble);
    if (err != SPV_OK)
        finish(c, err);
}

/* Why nobody is left. */
static void explain_loss(spv_client *c, spv_err err, const char *reason)
{
    if (reason)
        err = spv__trouble_set(&c->trouble, err,
                               "not synced: %s; what is known is as of height "
                               "%d",
                               reason, c->position);
    else
        err = spv__explain_loss(c, err);
    finish(c, err);
}

/* ---- Headers are known: where do blocks begin? ---- */

/* The block before the first that could concern the wallet. */
static int32_t choose_start(const spv_client *c)
{
    int32_t base = spv__tree_base(c->tree).height;
    int32_t tip = spv__tree_tip(c->tree).height;
    int32_t start = base;

    if (c->profile.birthday >= 0)
        start = c->profile.birthday - SPV__BIRTHDAY_MARGIN - 1;
    if (start > tip)
        start = tip - SPV__BIRTHDAY_MARGIN - 1;
    return start < base ? base : start;
}

/* A birthday given as a date becomes a height once headers are known. */
static void settle_birthday(spv_client *c)
{
    spv_profile *p = &c->profile;
    int64_t from = p->birthday_time - SPV__BIRTHDAY_MARGIN_S;

    if (p->birthday >= 0)
        return;
    p->birthday = spv__tree_base(c->tree).height;
    if (p->birthday_time >= 0)
        p->birthday = spv__tree_height_at_time(c->tree, from < 0 ? 0
                                                        : from > UINT32_MAX
                                                            ? UINT32_MAX
                                                            : (uint32_t)from);
    if (p->scan_from >= 0 && p->scan_from < p->birthday)
        p->birthday = p->scan_from;
    c->changed = true;
}

static void move_to(spv_client *c, int32_t height, const spv_hash *hash)
{
    c->position = height;
    c->position_hash = *hash;
    c->changed = true;
    spv__sync_set_position(&c->run.sync, height, hash);
}

static void start_above(spv_client *c, int32_t height)
{
    spv_tree_block block;

    c->reached = spv__client_tip(c);
    c->trail.n = 0;
    if (!spv__tree_at(c->tree, height, &block))
        block = spv__tree_base(c->tree);
    move_to(c, block.height, &block.hash);
    spv__trail_push(&c->trail, block.height, &block.hash);
}

static void tell_clamped(const spv_client *c)
{
    int32_t tip = spv__tree_tip(c->tree).height;
    char line[160];

    if (c->profile.birthday <= tip + SPV__BIRTHDAY_MARGIN + 1)
        return;
    (void)snprintf(line, sizeof(line),
                   "the birthday is height %d, but the chain ends at %d: "
                   "blocks are looked at from %d before that end",
                   c->profile.birthday, tip, SPV__BIRTHDAY_MARGIN);
    spv__events_warn(c, line);
}

static void start_at_birthday(spv_client *c)
{
    tell_clamped(c);
    start_above(c, choose_start(c));
}

/* Up to where the wallet has looked at the chain as it is now. */
static int32_t looked_up_to(spv_client *c)
{
    const spv_step *last = spv__trail_last(&c->trail);
    spv_tree_block block;

    if (c->position == SPV_NO_HEIGHT)
        return choose_start(c);
    if (spv__tree_at(c->tree, c->position, &block) &&
        spv_hash_equal(&block.hash, &c->position_hash))
        return c->position;
    for (; last; last = spv__trail_last(&c->trail)) {
        if (spv__tree_at(c->tree, last->height, &block) &&
            spv_hash_equal(&block.hash, &last->hash))
            return last->height;
        spv__trail_pop(&c->trail);
    }
    return choose_start(c);
}

/* Where a rescan begins. It leaves out no block that was never looked at. */
static int32_t rescan_from(spv_client *c)
{
    int32_t from = spv__rescan_take(c);
    int32_t unseen = from == SPV_NO_HEIGHT ? 0 : looked_up_to(c) + 1;

    return from > unseen ? unseen : from;
}

static void on_headers(spv_client *c)
{
    int32_t from = SPV_NO_HEIGHT;
    spv_err err = SPV_OK;

    settle_birthday(c);
    from = rescan_from(c);
    c->run.phase = SPV_PHASE_BLOCKS;
    if (from != SPV_NO_HEIGHT)
        start_above(c, from - 1);
    else if (c->position == SPV_NO_HEIGHT)
        start_at_birthday(c);
    else
        move_to(c, c->position, &c->position_hash);
    c->run.start_height = c->position;
    if (spv__wallet_element_count(c->wallet) == 0) {
        /* Nothing to look for: the headers are all there is to know. */
        spv_tree_block tip = spv__tree_tip(c->tree);

        move_to(c, tip.height, &tip.hash);
    }
    err = spv__client_begin_doubts(c);
    if (err != SPV_OK)
        fail(c, err);
}

/* ---- A block left the chain ---- */

/* Back to the newest block of the trail below the position. */
static void on_rewind(spv_client *c)
{
    size_t length = spv__wallet_element_count(c->wallet);
    int32_t from = c->position;
    const spv_step *last = NULL;
    int32_t to = 0;
    spv_err err = SPV_OK;

    spv__trail_cut(&c->trail, from);
    last = spv__trail_last(&c->trail);
    to = last ? last->height : choose_start(c);
    for (int32_t h = from; h > to && err == SPV_OK; h--)
        err = spv__wallet_undo(c->wallet, h);
    if (err == SPV_OK)
        err = spv__client_take_in(c, length);
    if (err != SPV_OK) {
        fail(c, err);
        return;
    }
    if (last)
        move_to(c, last->height, &last->hash);
    else
        start_above(c, to);
}

/* ---- A block ---- */

/* How many elements of a transaction a node compares with the filter. */
static uint64_t count_elements(const spv_tx *tx)
{
    uint64_t n = 1 + tx->n_in;

    for (size_t i = 0; i < tx->n_out; i++) {
        spv_script_op op;

        for (size_t at = 0; spv_script_next(&op, tx->out[i].script,
                                            tx->out[i].script_len, &at);)
            n += op.data && op.len;
    }
    for (size_t i = 0; i < tx->n_in; i++) {
        spv_script_op op;

        for (size_t at = 0;
             spv_script_next(&op, tx->in[i].script, tx->in[i].script_len, &at);)
            n += op.data && op.len;
    }
    return n;
}

/* Elements that nodes compare in an average transaction, before any is seen. */
static const double ELEMENTS_GUESS = 5;

/* What honest nodes match by chance in a block: every element of each of its
 * transactions, at the rate of the filter as it is now. */
static void expect_false_positives(spv_client *c, const spv_answer *block)
{
    spv_run *run = &c->run;
    double each = run->transactions_seen
                      ? (double)run->elements_tested / run->transactions_seen
                      : ELEMENTS_GUESS;

    if (run->rate_length != c->filtered) {
        run->rate = spv_filter_rate(&c->filter);
        run->rate_length = c->filtered;
    }
    run->expected += block->n_transactions * each * run->rate;
}

static spv_err apply(spv_client *c, const spv_answer *block,
                     spv_applied *applied)
{
    spv_block_ref ref = {
        .height = block->height, .hash = block->hash, .time = block->time};
    uint32_t *position = calloc(block->proof.n, sizeof(*position));
    spv_err err = position ? SPV_OK : SPV_NOMEM;

    for (size_t i = 0; i < block->proof.n && err == SPV_OK; i++) {
        position[i] = block->proof.leaves[i].position;
        c->run.elements_tested += count_elements(&block->txs[i]);
        c->run.transactions_seen++;
    }
    if (err == SPV_OK)
        err = spv__wallet_apply(c->wallet, &ref, block->txs, position,
                                block->proof.n, applied);
    free(position);
    return err;
}

/* New outpoints of this block: the ledger learns whose filter has them. A node
 * adds one whose key it had; that it had a key which is early is not sure. */
static spv_err learn_outpoints(spv_client *c, size_t from,
                               const spv_answer *block)
{
    static const spv_grant nobody;
    size_t length = spv__wallet_element_count(c->wallet);
    spv_err err = SPV_OK;

    for (size_t at = from; at < length && err == SPV_OK; at++) {
        spv_element e;

        bool had_key =
            spv__wallet_reach(c->wallet, at) <= block->grant.coverage;

        spv__wallet_element(c->wallet, at, &e);
        if (e.kind == SPV__ELEMENT_OUTPOINT)
            err = spv__coverage_learn(&c->run.sync.coverage, at,
                                      had_key ? &block->grant : &nobody);
    }
    return err;
}

static spv_err apply_and_learn(spv_client *c, const spv_answer *block,
                               spv_applied *applied)
{
    size_t length = 0;
    spv_err err = SPV_OK;

    if (block->proof.n == 0)
        return SPV_OK;
    length = spv__wallet_element_count(c->wallet);
    err = apply(c, block, applied);
    if (err == SPV_OK)
        err = learn_outpoints(c, length, block);
    if (err == SPV_OK)
        spv__client_follow_log(c);
    return err;
}

/* Before anything is believed: which keys does the block make needed? */
static spv_err foresee(spv_client *c, const spv_answer *block)
{
    spv_err err = SPV_OK;

    if (block->proof.n)
        err = spv__wallet_foresee(c->wallet, block->txs, block->proof.n);
    if (err == SPV_OK)
        spv__client_follow_log(c);
    return err;
}

/* Whether a spend may be missing is asked when the coins are known that the
 * block itself brought: they may be spent in it. */
static void advance(spv_client *c, const spv_answer *block)
{
    spv_applied applied = {0};
    size_t length = spv__wallet_element_count(c->wallet);
    spv_err err = spv__doubts_meet(&c->run.doubts, c->wallet, block->height,
                                   &block->hash);

    if (err == SPV_OK)
        err = spv__client_take_in(c, length);
    if (err == SPV_OK)
        err = apply_and_learn(c, block, &applied);
    if (err != SPV_OK) {
        fail(c, err);
        return;
    }
    c->run.wallet_transactions += applied.own;
    c->run.false_positives += applied.false_positives;
    expect_false_positives(c, block);
    c->position = block->height;
    c->position_hash = block->hash;
    c->changed = true;
    spv__trail_push(&c->trail, block->height, &block->hash);
    if (spv__sync_judge(&c->run.sync, block) == SPV_COVERED)
        spv__sync_settle(&c->run.sync);
    else
        spv__sync_owe(&c->run.sync);
}

static void on_block(spv_client *c, const spv_answer *block)
{
    spv_err err = foresee(c, block);

    if (err != SPV_OK)
        fail(c, err);
    else if (spv__sync_judge(&c->run.sync, block) == SPV_LACKS_KEY)
        spv__sync_refetch(&c->run.sync);
    else
        advance(c, block);
}

/* What was missing in an earlier block is added as a fact at its height. It may
 * pay a key that was beyond the window, and not in the filter, when the block
 * was first looked at: for what spends such a coin nobody looked since. */
static void on_debt(spv_client *c, const spv_answer *block)
{
    spv_applied applied = {0};
    int32_t height = block->height;
    spv_err err = apply_and_learn(c, block, &applied);

    c->run.wallet_transactions += applied.fresh;
    c->changed = true;
    spv__sync_pay(&c->run.sync);
    if (err == SPV_OK && applied.coins)
        err = spv__client_go_back(c, height - 1);
    if (err != SPV_OK)
        fail(c, err);
}

/* A run that stays has an end only if it was given one. */
static bool is_at_end(const spv_client *c)
{
    return !c->run.stay || (c->run.until && c->position >= c->run.until);
}

static void expire(spv_client *c)
{
    int64_t before = spv__sync_unix_time(&c->run.sync) - SPV__UNCONFIRMED_S;

    c->changed |= spv__wallet_expire(c->wallet, before);
    c->run.expired_at = c->run.sync.now;
}

static void on_synced(spv_client *c, const char *doubt)
{
    spv_err err =
        spv__doubts_look_up(&c->run.doubts, c->wallet, c->tree, INT32_MAX);

    if (err != SPV_OK) {
        fail(c, err);
        return;
    }
    expire(c);
    if (doubt)
        spv__events_warn(c, doubt);
    c->run.teller.synced = true;
    if (is_at_end(c))
        finish(c, SPV_OK);
    else
        c->run.phase = SPV_PHASE_SYNCED;
}

/* Blocks that a liar served are looked at once more. */
static void on_distrust(spv_client *c, int32_t height)
{
    spv_err err = spv__client_go_back(c, height);

    if (err != SPV_OK)
        fail(c, err);
}

static void on_relayed(spv_client *c, const spv_relayed *relayed)
{
    spv_err err = spv__client_take_relayed(c, relayed);

    if (err != SPV_OK)
        fail(c, err);
}

static void deal_with(spv_client *c, const spv_sync_event *e)
{
    switch (e->kind) {
    case SPV_SYNC_HEADERS:
        on_headers(c);
        return;
    case SPV_SYNC_BLOCK:
        on_block(c, e->block);
        return;
    case SPV_SYNC_DEBT:
        on_debt(c, e->block);
        return;
    case SPV_SYNC_REWIND:
        on_rewind(c);
        return;
    case SPV_SYNC_SYNCED:
        on_synced(c, e->reason);
        return;
    case SPV_SYNC_FAILED:
        explain_loss(c, e->err, e->reason);
        return;
    case SPV_SYNC_RELAYED:
        on_relayed(c, e->relayed);
        return;
    case SPV_SYNC_PEER_READY:
        spv__events_peer_ready(c, e->peer);
        return;
    case SPV_SYNC_PEER_LOST:
        spv__events_peer_lost(c, e->peer);
        return;
    case SPV_SYNC_DISTRUST:
        on_distrust(c, e->height);
        return;
    case SPV_SYNC_WARNING:
        spv__events_warn_of(c, e->peer, e->reason);
        return;
    }
}

/* ---- The machine ---- */

static void check_timeout(spv_client *c)
{
    const spv_sync *s = &c->run.sync;

    if (!c->run.timeout || !s->began || s->now - s->began < c->run.timeout)
        return;
    if (c->run.stay && c->run.phase == SPV_PHASE_SYNCED)
        finish(c, SPV_OK); /* so long was wished, and no longer */
    else
        finish(c, spv__explain_timeout(c));
}

/* What is sure, and so may be kept, grows also when nothing else happens than
 * that a debt or an audit is done with. */
static void note_sure(spv_client *c)
{
    size_t doubtful = c->run.sync.debts.n + c->run.sync.audits.n;

    c->changed |= doubtful < c->run.doubtful && c->run.outcome != SPV_NOMEM &&
                  c->run.outcome != SPV_LIMIT;
    c->run.doubtful = doubtful;
}

/* A peer that serves is worth a write, so that it comes first next time; what
 * else the book learns can wait for the next one. */
static void note_peers(spv_client *c)
{
    c->changed |= c->run.sync.search.served != c->run.served;
    c->run.served = c->run.sync.search.served;
}

static void pump(spv_client *c)
{
    spv_sync_event e;

    note_headers(c);
    if (!c->run.over)
        note_peers(c);
    while (!c->run.over && spv__sync_next_event(&c->run.sync, &e))
        deal_with(c, &e);
    if (!c->run.over && c->run.phase == SPV_PHASE_CONNECT &&
        c->run.sync.first_ready)
        c->run.phase = SPV_PHASE_HEADERS;
    if (!c->run.over)
        check_timeout(c);
    note_sure(c);
    if (c->run.phase == SPV_PHASE_SYNCED &&
        c->run.sync.now - c->run.expired_at >= SPV__EXPIRE_MS)
        expire(c);
    spv__events_tell(c);
    if (c->run.over || c->run.sync.now - c->run.kept_at >= SPV__KEEP_MS)
        keep(c);
}

static void opened(void *self, spv_conn conn, spv_time now)
{
    spv_client *c = self;

    spv__sync_opened(&c->run.sync, conn, now);
    pump(c);
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    spv_client *c = self;

    spv__sync_received(&c->run.sync, conn, bytes, len, now);
    pump(c);
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    spv_client *c = self;

    spv__sync_closed(&c->run.sync, conn, why, now);
    pump(c);
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    spv_client *c = self;

    spv__sync_resolved(&c->run.sync, conn, addrs, n, now);
    pump(c);
}

static void elapsed(void *self, spv_time now)
{
    spv_client *c = self;

    spv__sync_elapsed(&c->run.sync, now);
    pump(c);
}

static bool next(void *self, spv_out *out)
{
    spv_client *c = self;

    if (c->run.over) {
        if (c->run.told)
            return false;
        c->run.told = true;
        *out = (spv_out){.kind = SPV_OUT_DONE, .why = c->run.outcome};
        return true;
    }
    return spv__sync_next_out(&c->run.sync, out);
}

static spv_time deadline(const void *self)
{
    const spv_client *c = self;
    const spv_sync *s = &c->run.sync;
    spv_time first = spv__sync_deadline(s);

    if (c->run.over)
        return SPV_NEVER;
    if (s->began && c->run.timeout && s->began + c->run.timeout < first)
        first = s->began + c->run.timeout;
    if (c->changed && c->keeper.keep && c->run.kept_at + SPV__KEEP_MS < first)
        first = c->run.kept_at + SPV__KEEP_MS;
    return first;
}

const spv_machine *spv_client_machine(void)
{
    static const spv_machine face = {.opened = opened,
                                     .received = received,
                                     .closed = closed,
                                     .resolved = resolved,
                                     .elapsed = elapsed,
                                     .next = next,
                                     .deadline = deadline};

    return &face;
}

void spv_client_trouble(const spv_client *c, spv_trouble *out)
{
    *out = c->trouble;
}
