#include <string.h>

#include "client/disk.h"

/* Headers on disk and in the tree. */

/* ---- Loading ---- */

typedef struct spv_header_load {
    spv_disk *disk;
    spv_client *client;
    const spv_checkpoint *wanted; /* where the wallet needs headers from */
} spv_header_load;

static spv_err begin_tree(spv_client *c, const spv_checkpoint *base)
{
    spv_tree_config config = {.network = c->network, .base = base};

    spv__tree_free(c->tree);
    c->tree = NULL;
    return spv__tree_new(&c->tree, &config);
}

/* The lowest header on disk is where an earlier run began: genesis or a
 * checkpoint, and low enough for this wallet. */
static spv_err load_base(spv_header_load *load, const spv_row_header *row)
{
    const spv_checkpoint *base =
        spv_checkpoint_find(load->client->network, row->height);
    int32_t wanted = load->wanted ? load->wanted->height : 0;

    if (row->height > wanted)
        return SPV_NOT_FOUND;
    if (row->height > 0 && (!base || base->height != row->height ||
                            memcmp(base->header, row->bytes, SPV_HEADER_LEN)))
        return SPV_DAMAGED;
    return begin_tree(load->client, row->height > 0 ? base : NULL);
}

static spv_err load_header(void *ctx, const spv_row_header *row)
{
    spv_header_load *load = ctx;
    spv_verdict verdict = SPV_VERDICT_ADDED;
    spv_err err = SPV_OK;

    if (load->disk->stored < 0)
        err = load_base(load, row);
    else
        verdict = spv__tree_load(load->client->tree, row->bytes);
    if (verdict == SPV_VERDICT_NOMEM)
        return SPV_NOMEM;
    if (verdict != SPV_VERDICT_ADDED)
        return SPV_DAMAGED;
    if (err != SPV_OK)
        return err;
    load->disk->stored = row->height;
    load->disk->stored_hash = row->hash;
    return SPV_OK;
}

/* Nothing usable is on disk: the tree begins where the wallet needs it. */
static spv_err begin_anew(spv_header_load *load)
{
    load->disk->stored = -1;
    return begin_tree(load->client, load->wanted);
}

static spv_err move_chain_aside(spv_disk *d, spv_path *moved)
{
    spv_path none;
    spv_err err = SPV_OK;

    spv__db_free(d->headers);
    d->headers = NULL;
    err = spv__db_move_aside(d->chain.text, moved, &d->detail);
    return err == SPV_OK ? spv__chaindb_open(&d->headers, d->chain.text, &none,
                                             &d->detail)
                         : err;
}

/* `headers` is how it went with those, which is returned if nothing is worse.
 */
static spv_err load_peers(spv_disk *d, spv_client *c, spv_err headers,
                          spv_trouble *trouble)
{
    bool damaged = false;
    spv_err err = spv__disk_load_peers(d->headers, &c->book, &damaged);

    if (damaged)
        spv__disk_tell_peers_lost(trouble);
    return err == SPV_OK ? headers : err;
}

spv_err spv__disk_load_headers(spv_disk *d, spv_client *c, spv_trouble *trouble)
{
    spv_header_load load = {
        .disk = d, .client = c, .wanted = spv__client_base(c)};
    spv_path moved = {""};
    spv_err err = SPV_OK;

    d->stored = -1;
    err = spv__chaindb_open(&d->headers, d->chain.text, &moved, &d->detail);
    if (err == SPV_OK)
        err = spv__chaindb_each_header(d->headers, load_header, &load);
    if (err == SPV_OK || err == SPV_NOT_FOUND)
        err = load_peers(d, c, err, trouble);
    if (err == SPV_DAMAGED) {
        err = move_chain_aside(d, &moved);
        d->stored = -1;
    }
    if (err == SPV_DAMAGED)
        return err;
    if (moved.text[0])
        (void)spv__trouble_set(trouble, SPV_OK,
                               "the stored headers were damaged; they are now "
                               "%s, peers too, and will be fetched again",
                               moved.text);
    if (err == SPV_NOT_FOUND || (err == SPV_OK && d->stored < 0))
        err = begin_anew(&load);
    return err;
}

/* ---- Keeping ---- */

enum { BATCH = 2000 };

/* Height of the highest header that disk and tree share; the base when they
 * share none above it. */
static int32_t shared_height(const spv_disk *d, const spv_client *c)
{
    int32_t base = spv__tree_base(c->tree).height;
    spv_hash tip = spv__tree_tip(c->tree).hash;
    int32_t fork = -1;

    if (d->stored < base)
        return base - 1;
    fork = spv__tree_fork(c->tree, &d->stored_hash, &tip);
    return fork < base ? base - 1 : fork;
}

static spv_err put_batch(spv_disk *d, const spv_client *c, int32_t from,
                         int32_t to)
{
    uint8_t bytes[BATCH][SPV_HEADER_LEN];
    size_t n = 0;

    for (int32_t h = from; h <= to; h++)
        if (!spv__tree_header_at(c->tree, h, bytes[n++]))
            return SPV_DAMAGED;
    return spv__chaindb_put_headers(d->headers, from, bytes[0], n);
}

spv_err spv__disk_keep_headers(spv_disk *d, const spv_client *c)
{
    spv_tree_block tip = spv__tree_tip(c->tree);
    int32_t from = 0;
    spv_err err = SPV_OK;

    if (d->stored == tip.height && spv_hash_equal(&d->stored_hash, &tip.hash))
        return SPV_OK;
    from = shared_height(d, c) + 1;
    err = spv__db_begin(d->headers);
    for (int32_t h = from; h <= tip.height && err == SPV_OK; h += BATCH)
        err = put_batch(
            d, c, h, h + BATCH - 1 < tip.height ? h + BATCH - 1 : tip.height);
    if (err == SPV_OK && from > tip.height)
        err = spv__chaindb_put_headers(d->headers, from, NULL, 0);
    if (err != SPV_OK) {
        spv__db_rollback(d->headers);
        return err;
    }
    err = spv__db_commit(d->headers);
    if (err == SPV_OK) {
        d->stored = tip.height;
        d->stored_hash = tip.hash;
    }
    return err;
}
