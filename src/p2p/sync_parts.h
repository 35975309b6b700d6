#ifndef SPV_P2P_SYNC_PARTS_H
#define SPV_P2P_SYNC_PARTS_H

#include "p2p/sync.h"

/* What the files of the sync share: sync.c (life and events), sync_hear.c
 * (what peers say), sync_ask.c (what is asked of them), sync_stay.c (what
 * follows when the tip was reached) and sync_relay.c (what is not in blocks).
 */

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

/** Connect, look up, ask for headers, load filters, ask for blocks. */
void spv__sync_work(spv_sync *s);

#endif
