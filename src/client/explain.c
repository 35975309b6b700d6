#include <stdio.h>

#include "client/client.h"
#include "wire/netaddr.h"

/* Why a run came to nothing, in words. */

void spv__explain_peer(char *out, size_t size, const spv_candidate *peer,
                       const char *what)
{
    char address[SPV__NETADDR_TEXT] = "";

    if (peer->resolved)
        spv__netaddr_format(address, &peer->addr);
    (void)snprintf(out, size, "%s %s", peer->host[0] ? peer->host : address,
                   what);
}

static void advise(spv_client *c, const spv_candidate *peer)
{
    if (peer->why == SPV_NO_PEER)
        spv__trouble_hint(&c->trouble,
                          "start the node with peerbloomfilters=1, or with "
                          "whitelist=bloomfilter@ADDRESS for this client's "
                          "address");
    else if (peer->why == SPV_NOT_FOUND)
        spv__trouble_hint(&c->trouble,
                          "wait until the node has synced itself, or name "
                          "another one");
    else if (!c->run.sync.first_ready && peer->why != SPV_PROTOCOL)
        spv__trouble_hint(&c->trouble,
                          "see that the node is running, and on this network, "
                          "that address and port are right, and that no "
                          "firewall is between");
}

/* ---- Nobody is left ---- */

/* Nobody was named: many failed, and no one of them says why. */
static bool is_searching(const spv_client *c)
{
    const spv_search *f = &c->run.sync.search;

    return f->book && (c->seeds->n_hosts > 0 || f->tried == 0);
}

/* Some are known, and not one of them may be asked. */
static bool is_barred(const spv_search *f)
{
    return f->tried == 0 && f->book->n > 0;
}

static void tell_search(char *out, size_t size, const spv_search *f)
{
    if (is_barred(f))
        (void)snprintf(out, size,
                       "no usable peer was found: of the nodes that are known "
                       "(%zu) each is banned, serves no bloom filters, or "
                       "failed a short while ago",
                       f->book->n);
    else if (f->tried == 0)
        (void)snprintf(out, size,
                       "no usable peer was found: no DNS seed named "
                       "one");
    else
        (void)snprintf(out, size,
                       "no usable peer was found: of %u addresses tried, %u "
                       "answered, and %u served",
                       f->tried, f->met, f->served);
}

static void advise_search(spv_client *c)
{
    if (is_barred(&c->run.sync.search)) {
        spv__trouble_hint(&c->trouble,
                          "'spvclient peers list' shows which: 'peers unban' "
                          "lifts a ban, and 'peers add' has one tried again");
        return;
    }
    spv__trouble_hint(&c->trouble,
                      c->run.sync.search.met
                          ? "try again later, or name a node that serves bloom "
                            "filters with --connect HOST[:PORT]"
                          : "see that this computer reaches the internet, DNS "
                            "too; or name a node with --connect HOST[:PORT]");
}

static spv_err explain_search(spv_client *c)
{
    char line[200];

    tell_search(line, sizeof(line), &c->run.sync.search);
    (void)spv__trouble_set(&c->trouble, SPV_NO_PEER, "%s", line);
    advise_search(c);
    return SPV_NO_PEER;
}

/* Told of the peer whose failure says most. */
spv_err spv__explain_loss(spv_client *c, spv_err err)
{
    const spv_candidate *worst = spv__pool_worst(&c->run.sync.pool);
    char line[400];

    if (is_searching(c) && err == SPV_NO_PEER)
        return explain_search(c);
    if (!worst || err == SPV_NOMEM)
        return spv__trouble_set(&c->trouble, err, "%s", spv_err_text(err));
    spv__explain_peer(line, sizeof(line), worst, worst->reason);
    (void)spv__trouble_set(&c->trouble, err, "%s: %.300s", spv_err_text(err),
                           line);
    advise(c, worst);
    return err;
}

/* ---- Out of time ---- */

/* A peer that a connection leads to, but no handshake came of. */
static const spv_candidate *find_mute(const spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->peer.state != SPV_PEER_CONNECTING)
            return &s->pool.item[i];
    return NULL;
}

static spv_err explain_vain_search(spv_client *c, long long seconds)
{
    char line[200];

    tell_search(line, sizeof(line), &c->run.sync.search);
    (void)spv__trouble_set(&c->trouble, SPV_TIMEOUT,
                           "not synced after %lld s: %s", seconds, line);
    advise_search(c);
    return SPV_TIMEOUT;
}

static spv_err explain_silence(spv_client *c, long long seconds)
{
    const spv_candidate *mute = find_mute(&c->run.sync);
    const spv_candidate *worst = spv__pool_worst(&c->run.sync.pool);
    const spv_candidate *peer = mute    ? mute
                                : worst ? worst
                                        : &c->run.sync.pool.item[0];
    char line[400];

    spv__explain_peer(line, sizeof(line), peer,
                      mute    ? "does not answer"
                      : worst ? worst->reason
                              : "cannot be reached");
    (void)spv__trouble_set(&c->trouble, SPV_TIMEOUT,
                           "not synced after %lld s: %.300s", seconds, line);
    advise(c, peer);
    return SPV_TIMEOUT;
}

spv_err spv__explain_timeout(spv_client *c)
{
    long long seconds = (long long)(c->run.timeout / 1000);
    int32_t tip = spv__tree_tip(c->tree).height;

    if (!c->run.sync.first_ready)
        return is_searching(c) ? explain_vain_search(c, seconds)
                               : explain_silence(c, seconds);
    if (c->position == SPV_NO_HEIGHT)
        return spv__trouble_set(&c->trouble, SPV_TIMEOUT,
                                "not synced after %lld s: at the beginning, "
                                "with headers up to %d",
                                seconds, tip);
    return spv__trouble_set(&c->trouble, SPV_TIMEOUT,
                            "not synced after %lld s: at height %d of %d",
                            seconds, c->position, tip);
}
