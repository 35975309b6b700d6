#include "client/disk.h"

/* Peers on disk and in the book. */

/* What a row's flags hold: the source, whether it was met, and the teller. */
enum { SOURCE_MASK = 3, MET = 1 << 2, TELLER_SHIFT = 3 };

/* ---- Loading ---- */

static spv_err load_row(void *ctx, const spv_row_peer *row)
{
    spv_book_entry e = {.addr = row->addr,
                        .services = row->services,
                        .met = row->flags & MET,
                        .source = (spv_book_source)(row->flags & SOURCE_MASK),
                        .teller = row->flags >> TELLER_SHIFT,
                        .failures = row->failures,
                        .last_seen = row->last_seen,
                        .last_tried = row->last_tried,
                        .last_success = row->last_success,
                        .banned_until = row->banned_until};

    return spv__book_load(ctx, &e);
}

spv_err spv__disk_load_peers(spv_db *db, spv_book *book, bool *damaged)
{
    spv_err err = SPV_OK;

    spv__book_clear(book);
    err = spv__chaindb_each_peer(db, load_row, book);
    *damaged = err == SPV_DAMAGED;
    if (err != SPV_OK)
        spv__book_clear(book);
    if (*damaged)
        err = spv__chaindb_remove_peers(db);
    book->changed = false;
    return err;
}

void spv__disk_tell_peers_lost(spv_trouble *trouble)
{
    (void)spv__trouble_set(trouble, SPV_OK,
                           "the stored peers were damaged; the list begins "
                           "anew");
}

/* ---- Keeping ---- */

static spv_err put_row(spv_db *db, const spv_book_entry *e)
{
    spv_row_peer row = {.addr = e->addr,
                        .services = e->services,
                        .flags = (uint32_t)e->source | (e->met ? MET : 0u) |
                                 e->teller << TELLER_SHIFT,
                        .failures = e->failures,
                        .last_seen = e->last_seen,
                        .last_tried = e->last_tried,
                        .last_success = e->last_success,
                        .banned_until = e->banned_until};

    return spv__chaindb_put_peer(db, &row);
}

/* A few hundred rows, a few times in a run: less work than to know which. */
spv_err spv__disk_keep_peers(spv_db *db, spv_book *book)
{
    spv_err err = SPV_OK;

    if (!book->changed)
        return SPV_OK;
    err = spv__db_begin(db);
    if (err == SPV_OK)
        err = spv__chaindb_remove_peers(db);
    for (size_t i = 0; i < book->n && err == SPV_OK; i++)
        err = put_row(db, &book->item[i]);
    if (err != SPV_OK) {
        spv__db_rollback(db);
        return err;
    }
    err = spv__db_commit(db);
    if (err == SPV_OK)
        book->changed = false;
    return err;
}
