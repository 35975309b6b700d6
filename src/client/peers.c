#include <spv/peers.h>

#include <stdlib.h>
#include <string.h>

#include "client/disk.h"
#include "p2p/book.h"
#include "p2p/reach.h"
#include "store/file.h"
#include "wire/message.h"
#include "wire/netaddr.h"

/* The book of a data folder, for whoever wants to read or change it. */
struct spv_peers {
    const spv_network *network;
    spv_folder folder;
    spv_path chain;
    spv_lock lock;
    spv_db *db; /**< NULL: there is no file yet */
    spv_book book;
    spv_detail detail; /**< borrowed by `db` */
};

const char *spv_peer_source_name(spv_peer_source source)
{
    static const char *const names[] = {
        [SPV_PEER_SOURCE_USER] = "user",
        [SPV_PEER_SOURCE_DNS] = "dns",
        [SPV_PEER_SOURCE_FIXED] = "fixed",
        [SPV_PEER_SOURCE_PEER] = "peer",
    };

    return names[source];
}

/* ---- Opening ---- */

static spv_err tell(const spv_peers *p, spv_err err, spv_trouble *trouble)
{
    const spv_disk d = {.detail = p->detail};

    return spv__disk_trouble(&d, err, trouble);
}

/* A file that cannot be trusted was moved aside; the new one is empty. */
static spv_err load(spv_peers *p, const spv_path *moved, spv_trouble *trouble)
{
    bool damaged = false;
    spv_err err = spv__disk_load_peers(p->db, &p->book, &damaged);

    if (err == SPV_OK && (damaged || moved->text[0]))
        spv__disk_tell_peers_lost(trouble);
    return err;
}

static spv_err open_file(spv_peers *p, spv_trouble *trouble)
{
    spv_path moved = {""};
    spv_err err = spv__lock_take(&p->lock, &p->folder, &p->detail);

    if (err == SPV_OK)
        err = spv__chaindb_open(&p->db, p->chain.text, &moved, &p->detail);
    if (err == SPV_OK)
        err = load(p, &moved, trouble);
    return err == SPV_OK ? SPV_OK : tell(p, err, trouble);
}

static spv_err name_files(spv_peers *p, const spv_place *place,
                          spv_trouble *trouble)
{
    spv_err err = spv__folder_init(&p->folder, place->datadir, place->network,
                                   &p->detail);

    if (err == SPV_OK)
        err = spv__folder_chain(&p->folder, &p->chain, &p->detail);
    return err == SPV_OK ? SPV_OK : tell(p, err, trouble);
}

spv_err spv_peers_open(spv_peers **out, const spv_place *place,
                       spv_trouble *trouble)
{
    spv_peers *p = calloc(1, sizeof(*p));
    spv_err err = SPV_OK;

    *out = NULL;
    if (!p)
        return spv__trouble_set(trouble, SPV_NOMEM, "out of memory");
    p->network = place->network;
    p->lock = (spv_lock)SPV_LOCK_NONE;
    err = name_files(p, place, trouble);
    if (err == SPV_OK && spv__file_exists(p->chain.text))
        err = open_file(p, trouble);
    if (err != SPV_OK) {
        spv_peers_free(p);
        return err;
    }
    *out = p;
    return SPV_OK;
}

void spv_peers_free(spv_peers *p)
{
    if (!p)
        return;
    spv__db_free(p->db);
    spv__lock_drop(&p->lock);
    spv__book_clear(&p->book);
    free(p);
}

/* ---- Reading ---- */

/* Those that served last first, then those seen last. */
static int compare(const void *a, const void *b)
{
    const spv_known_peer *x = a;
    const spv_known_peer *y = b;

    if (x->last_success_time != y->last_success_time)
        return x->last_success_time < y->last_success_time ? 1 : -1;
    if (x->last_seen_time != y->last_seen_time)
        return x->last_seen_time < y->last_seen_time ? 1 : -1;
    return strcmp(x->address, y->address);
}

static spv_peer_source source_of(spv_book_source source)
{
    static const spv_peer_source sources[] = {
        [SPV_BOOK_USER] = SPV_PEER_SOURCE_USER,
        [SPV_BOOK_DNS] = SPV_PEER_SOURCE_DNS,
        [SPV_BOOK_FIXED] = SPV_PEER_SOURCE_FIXED,
        [SPV_BOOK_PEER] = SPV_PEER_SOURCE_PEER,
    };

    return sources[source];
}

static void tell_peer(spv_known_peer *out, const spv_book *b,
                      const spv_book_entry *e)
{
    *out = (spv_known_peer){.services = e->services,
                            .node_bloom = e->services & SPV__NODE_BLOOM,
                            .met = e->met,
                            .source = source_of(e->source),
                            .failures = e->failures,
                            .last_seen_time = e->last_seen,
                            .last_tried_time = e->last_tried,
                            .last_success_time = e->last_success,
                            .banned_until_time =
                                spv__book_banned_until(b, &e->addr)};
    spv__netaddr_format(out->address, &e->addr);
}

spv_err spv_peers_list(const spv_peers *p, spv_known_peer **list, size_t *n)
{
    *n = 0;
    *list = calloc(p->book.n + 1, sizeof(**list));
    if (!*list)
        return SPV_NOMEM;
    for (size_t i = 0; i < p->book.n; i++)
        tell_peer(&(*list)[(*n)++], &p->book, &p->book.item[i]);
    qsort(*list, *n, sizeof(**list), compare);
    return SPV_OK;
}

bool spv_peers_is_of(const spv_peers *p, const spv_known_peer *peer,
                     const char *text)
{
    spv_netaddr a;
    spv_netaddr b;

    return spv__netaddr_parse(&a, peer->address, p->network->port) == SPV_OK &&
           spv__netaddr_parse(&b, text, p->network->port) == SPV_OK &&
           spv__reach_same_host(&a, &b);
}

/* ---- Changing ---- */

static spv_err read_addr(spv_netaddr *out, const spv_peers *p, const char *text,
                         spv_trouble *trouble)
{
    spv_err err = spv__netaddr_parse(out, text, p->network->port);

    if (err == SPV_OK)
        return SPV_OK;
    (void)spv__trouble_set(trouble, SPV_INVAL, "'%s' is no numeric address",
                           text);
    spv__trouble_hint(trouble,
                      err == SPV_NOT_FOUND
                          ? "look the name up first, or connect to it with "
                            "--connect HOST[:PORT]"
                          : "write it as 1.2.3.4, 1.2.3.4:8333 or "
                            "[2001:db8::1]:8333");
    return SPV_INVAL;
}

/* The file is made for the first change. */
static spv_err ready(spv_peers *p, spv_trouble *trouble)
{
    spv_err err = SPV_OK;

    if (p->db)
        return SPV_OK;
    err = spv__folder_make(&p->folder, &p->detail);
    return err == SPV_OK ? open_file(p, trouble) : tell(p, err, trouble);
}

static spv_err keep(spv_peers *p, spv_err err, spv_trouble *trouble)
{
    if (err == SPV_LIMIT) {
        (void)spv__trouble_set(trouble, err,
                               "there are %d peers already that "
                               "you named",
                               SPV__BOOK_KEPT_MAX);
        return err;
    }
    if (err == SPV_OK)
        err = spv__disk_keep_peers(p->db, &p->book);
    return err == SPV_OK ? SPV_OK : tell(p, err, trouble);
}

spv_err spv_peers_add(spv_peers *p, const char *text, spv_trouble *trouble)
{
    spv_netaddr addr;
    spv_err err = read_addr(&addr, p, text, trouble);

    if (err == SPV_OK)
        err = ready(p, trouble);
    return err == SPV_OK ? keep(p, spv__book_add(&p->book, &addr), trouble)
                         : err;
}

spv_err spv_peers_ban(spv_peers *p, const char *text, int64_t until,
                      spv_trouble *trouble)
{
    spv_netaddr addr;
    spv_err err = read_addr(&addr, p, text, trouble);

    if (err == SPV_OK)
        err = ready(p, trouble);
    return err == SPV_OK
               ? keep(p, spv__book_ban(&p->book, &addr, until), trouble)
               : err;
}

spv_err spv_peers_unban(spv_peers *p, const char *text, int64_t now,
                        spv_trouble *trouble)
{
    spv_netaddr addr;
    spv_err err = read_addr(&addr, p, text, trouble);

    if (err != SPV_OK)
        return err;
    if (!spv__book_unban(&p->book, &addr, now))
        return spv__trouble_set(trouble, SPV_NOT_FOUND, "'%s' is not banned",
                                text);
    return keep(p, SPV_OK, trouble);
}
