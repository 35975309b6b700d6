#ifndef SPV_P2P_SYNC_PARTS_H
#define SPV_P2P_SYNC_PARTS_H

#include "p2p/sync.h"

/* What the files of the sync have in common: sync.c (life and events),
 * sync_hear.c (what peers say), sync_ask.c (what is asked of them),
 * sync_find.c and sync_share.c (of whom), sync_ranges.c (headers up to the last
 * checkpoint), sync_trust.c (what is believed), sync_aside.c (blocks that
 * nobody has), sync_stay.c (what follows when the tip was reached) and
 * sync_relay.c (what is not in blocks). */

/** Hand out a command later; its kind and candidate say what. */
void spv__sync_command(spv_sync *s, const spv_out *command);

/** A random number, from the seed alone. */
uint64_t spv__sync_random(spv_sync *s);

/** A name for a connection, look-up or stream. */
uint64_t spv__sync_name(spv_sync *s);

/** The height to reach. */
int32_t spv__sync_goal(const spv_sync *s);

/** The stream's place among the candidates. */
size_t spv__sync_place(const spv_sync *s, const spv_candidate *c);

/** Give up a connection: what was asked of it is free again. */
void spv__sync_drop(spv_sync *s, size_t place, spv_err why, const char *reason);

/** A connection is gone; the same without closing it. */
void spv__sync_lose(spv_sync *s, size_t place, spv_err why, const char *reason);

/* Peers that nobody named (sync_find.c). */

/** Look for peers, if there are too few, and let go those of no more use. */
void spv__sync_find(spv_sync *s);

/** When to look again; SPV_NEVER. */
spv_time spv__sync_find_deadline(const spv_sync *s);

/** One that was found has done its handshake: whether it is to be asked for
 * more than addresses, or let go. */
bool spv__sync_welcome(spv_sync *s, size_t place);

/** It has served. */
void spv__sync_note_service(spv_sync *s, size_t place);

/** It is gone, for its `why`. */
void spv__sync_note_loss(spv_sync *s, const spv_candidate *c);

void spv__sync_hear_addrs(spv_sync *s, size_t place, const spv_stream_event *e);

/** As many are there as are wanted, or nobody more is to be expected soon. */
bool spv__sync_has_found(const spv_sync *s);

/** Nobody is left to ask, and nobody to be found. */
bool spv__sync_is_forsaken(const spv_sync *s);

/* What a sync does that stays (sync_stay.c). */

/** Ask peers that have said nothing of their chain for long. */
void spv__sync_probe(spv_sync *s);

/** When the next one is to be asked; SPV_NEVER. */
spv_time spv__sync_probe_deadline(const spv_sync *s);

/** The peer in that place has shown its chain for the first time. */
void spv__sync_shown(spv_sync *s, size_t place);

/* Transactions outside blocks (sync_relay.c). */

/** Ask for those that were announced. */
void spv__sync_relay(spv_sync *s);

/** This idle peer is to tell what it has in its mempool. */
void spv__sync_listen(spv_sync *s, spv_stream *stream);

void spv__sync_hear_tx(spv_sync *s, size_t place, const spv_stream_event *e);
bool spv__sync_next_relayed(spv_sync *s, spv_sync_event *e);
void spv__sync_clear_relayed(spv_sync *s);

/** Some peer is being asked for headers. */
bool spv__sync_hears_headers(const spv_sync *s);

/** Headers that were asked for are coming in, however slowly. */
bool spv__sync_is_hearing(const spv_sync *s);

/** The front block, about to be settled, may have brought coins. */
void spv__sync_note_coins(spv_sync *s);

/** Whether a stream (NULL: none) showed its chain, and may be asked. */
bool spv__sync_serves(const spv_sync *s, const spv_stream *stream);

/** Whether another one does. */
bool spv__sync_is_helped(const spv_sync *s, const spv_stream *stream);

/** Choose which of the streams that serve are asked for blocks; how many these
 * are, or will be in a moment. */
size_t spv__sync_choose_sharing(spv_sync *s);

/** If all wait for what another was asked, and have for long, the stream at
 * `place` takes it over when it has nothing else to do. */
void spv__sync_take_over(spv_sync *s, size_t place);

/** When that may be, or a peer has rested; SPV_NEVER. */
spv_time spv__sync_share_deadline(const spv_sync *s);

/** Debts are paid at the end, or when there are too many to carry. */
bool spv__sync_debts_are_due(const spv_sync *s);

/** Add a header to the tree, and follow where its chain moves. `*news` is set
 * when it does. */
spv_verdict spv__sync_add_header(spv_sync *s, const uint8_t *header,
                                 bool *news);

/** The chain moved: what the board holds above the fork may be another's. */
void spv__sync_follow(spv_sync *s, const spv_tree_change *change);

/** Look at the headers that were put off, if any were. */
void spv__sync_catch_up(spv_sync *s);

/** Ask all peers for ranges, and others for those of a late one. */
void spv__sync_ask_ranges(spv_sync *s);

/** When a peer will be late with its ranges, and another could fetch them. */
spv_time spv__sync_ranges_deadline(const spv_sync *s);

/** The answer to the oldest range that the peer was asked for. */
void spv__sync_hear_range(spv_sync *s, size_t place, const spv_items *headers);

/* ---- Trust ---- */

/** Draw whether the peer's next answer is kept for an audit. */
void spv__sync_draw(spv_sync *s, size_t place);

/** An answer is whole: note who gave it, pick it for an audit, weigh it with
 * those before. False when the peer was given up for it. */
bool spv__sync_weigh(spv_sync *s, size_t place);

/** The peer at `place` lied: it is given up, and what it served is to be asked
 * of others. */
void spv__sync_distrust(spv_sync *s, size_t place, const char *reason);

/** How many more filtered blocks may be asked for. */
size_t spv__sync_audit_room(const spv_sync *s);

/** Give up audits that nobody can be asked for, or not once more. */
void spv__sync_void_audits(spv_sync *s);

/** Ask for whole blocks. */
void spv__sync_ask_whole(spv_sync *s);

/** A whole block came; or it will not. */
void spv__sync_hear_whole(spv_sync *s, size_t place, const spv_stream_event *e);
void spv__sync_miss_whole(spv_sync *s, size_t place, const spv_stream_event *e);

/** Whether a peer has shown the best chain up to this height. */
bool spv__sync_has_shown(const spv_sync *s, const spv_stream *stream,
                         int32_t height);

/** Headers came: false when the peer was given up for showing too many that
 * lead nowhere. */
bool spv__sync_weigh_headers(spv_sync *s, size_t place,
                             const spv_items *headers, bool news);

/* ---- Blocks that nobody has ---- */

/** The peer refused a block: note it if that is the one all wait for. */
void spv__sync_note_denial(spv_sync *s, spv_stream *stream,
                           const spv_request *request);

/** The peer is about to be left: if it showed the block that all wait for, that
 * was in vain, and nobody waits for it to deliver it. */
void spv__sync_note_vain(spv_sync *s, size_t place);

/** The block that all wait for is set aside if everybody refused it, this peer
 * for the last time: then another chain is active. */
bool spv__sync_set_aside(spv_sync *s, const spv_stream *stream);

/** A peer shows a chain that was set aside: what it ends in is asked for once
 * more; `*news` is set when it is active now. */
void spv__sync_recall(spv_sync *s, size_t place, const spv_items *headers,
                      bool *news);

/** Warn of a peer that is slow, if there is no other. */
void spv__sync_watch_pace(spv_sync *s, size_t place);

/** At the goal: warn of a tip that is old, or not everybody's. */
void spv__sync_look_at_tips(spv_sync *s);

/** When any of it is due; SPV_NEVER. */
spv_time spv__sync_trust_deadline(const spv_sync *s);

/** Connect, look up, ask for headers, load filters, ask for blocks. */
void spv__sync_work(spv_sync *s);

#endif
