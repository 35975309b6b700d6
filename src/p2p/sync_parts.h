#ifndef SPV_P2P_SYNC_PARTS_H
#define SPV_P2P_SYNC_PARTS_H

#include "p2p/sync.h"

/* What the files of the sync share: sync.c (life and events), sync_hear.c
 * (what peers say), sync_ask.c (what is asked of them) and sync_trust.c (what
 * of it is believed). */

/** Hand out a command later; its kind and candidate say what. */
void spv__sync_command(spv_sync *s, const spv_out *command);

/** A random number, from the seed alone. */
uint64_t spv__sync_random(spv_sync *s);

/** A name for a connection, look-up or stream. */
uint64_t spv__sync_name(spv_sync *s);

/** Unix seconds, by the clock that drives us. */
int64_t spv__sync_unix_time(const spv_sync *s);

/** The height to reach. */
int32_t spv__sync_goal(const spv_sync *s);

/** The stream's place among the candidates. */
size_t spv__sync_place(const spv_sync *s, const spv_candidate *c);

/** Give up a connection: what was asked of it is free again. */
void spv__sync_drop(spv_sync *s, size_t place, spv_err why, const char *reason);

/** A connection is gone; the same without closing it. */
void spv__sync_lose(spv_sync *s, size_t place, spv_err why, const char *reason);

/** Some peer is being asked for headers. */
bool spv__sync_hears_headers(const spv_sync *s);

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

/** Headers came: false when the peer was given up for showing too many that
 * lead nowhere. */
bool spv__sync_weigh_headers(spv_sync *s, size_t place,
                             const spv_items *headers, bool news);

/** Warn of a peer that is slow, if there is no other. */
void spv__sync_watch_pace(spv_sync *s, size_t place);

/** At the goal: warn of a tip that is old, or not everybody's. */
void spv__sync_look_at_tips(spv_sync *s);

/** When any of it is due; SPV_NEVER. */
spv_time spv__sync_trust_deadline(const spv_sync *s);

/** Connect, look up, ask for headers, load filters, ask for blocks. */
void spv__sync_work(spv_sync *s);

#endif
