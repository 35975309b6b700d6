#include "p2p/pool.h"

#include <string.h>

#include "wire/netaddr.h"

spv_err spv__pool_add(spv_pool *pool, const char *text, uint16_t default_port)
{
    spv_candidate *c = &pool->item[pool->n];
    spv_err err = SPV_OK;

    if (pool->n == SPV__POOL_MAX)
        return SPV_LIMIT;
    *c = (spv_candidate){0};
    err = spv__netaddr_parse_name(&c->addr, c->host, sizeof(c->host), text,
                                  default_port);
    if (err != SPV_OK)
        return err;
    c->resolved = !c->host[0];
    pool->n++;
    return SPV_OK;
}

spv_candidate *spv__pool_find(spv_pool *pool, spv_conn conn)
{
    for (size_t i = 0; i < pool->n; i++) {
        spv_candidate *c = &pool->item[i];

        if (c->conn == conn && (c->state == SPV_CANDIDATE_ACTIVE ||
                                c->state == SPV_CANDIDATE_RESOLVING))
            return c;
    }
    return NULL;
}

/* Twice as long each time, up to a point. */
static spv_time wait_after(unsigned failures)
{
    spv_time wait = SPV__POOL_FIRST_WAIT_MS;

    for (unsigned i = 1; i < failures && wait < SPV__POOL_LAST_WAIT_MS; i++)
        wait *= 2;
    return wait < SPV__POOL_LAST_WAIT_MS ? wait : SPV__POOL_LAST_WAIT_MS;
}

/* No other try ends otherwise. */
static bool is_final(const spv_candidate *c, spv_err why)
{
    return c->found || why == SPV_PROTOCOL || why == SPV_NO_PEER;
}

void spv__pool_failed(spv_candidate *c, spv_err why, const char *reason,
                      uint64_t jitter, spv_time now)
{
    spv_time wait = 0;

    c->why = why;
    c->reason = reason;
    c->tried = true;
    c->failures++;
    if (is_final(c, why) ||
        (!c->for_ever &&
         (why == SPV_NOT_FOUND || c->failures >= SPV__POOL_TRIES))) {
        c->state = SPV_CANDIDATE_GIVEN_UP;
        return;
    }
    wait = wait_after(c->failures);
    c->state = SPV_CANDIDATE_IDLE;
    c->retry_at = now + wait + (spv_time)(jitter % (uint64_t)(wait / 2));
}

void spv__pool_progress(spv_candidate *c)
{
    c->failures = 0;
}

bool spv__pool_is_exhausted(const spv_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++)
        if (pool->item[i].state != SPV_CANDIDATE_GIVEN_UP)
            return false;
    return true;
}

bool spv__pool_all_tried(const spv_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++)
        if (!pool->item[i].tried)
            return false;
    return true;
}

spv_time spv__pool_deadline(const spv_pool *pool)
{
    spv_time first = SPV_NEVER;

    for (size_t i = 0; i < pool->n; i++)
        if (pool->item[i].state == SPV_CANDIDATE_IDLE &&
            pool->item[i].retry_at < first)
            first = pool->item[i].retry_at;
    return first;
}

/* What tells a user most, first: a lie, a setting, silence, a closed door. */
static int weight(spv_err why)
{
    switch ((int)why) {
    case SPV_PROTOCOL:
        return 3;
    case SPV_NO_PEER:
    case SPV_NOT_FOUND:
        return 2;
    case SPV_TIMEOUT:
        return 1;
    default:
        return 0;
    }
}

const spv_candidate *spv__pool_worst(const spv_pool *pool)
{
    const spv_candidate *worst = NULL;

    for (size_t i = 0; i < pool->n; i++) {
        const spv_candidate *c = &pool->item[i];

        if (c->reason && (!worst || weight(c->why) > weight(worst->why)))
            worst = c;
    }
    return worst;
}
