#include <string.h>

#include "client/disk.h"
#include "store/file.h"
#include "wallet/rows.h"

/* The wallet's rows: into memory at the start, out again as things change. */

/* The copy of the card among the rows, and how far the wallet had been. */
static const char CARD_KEY[] = "card";
static const char REACHED_KEY[] = "reached";

/* ---- Loading ---- */

static spv_err load_element(void *ctx, const spv_row_element *row)
{
    spv_client *c = ctx;
    spv_element e = {.kind = row->kind == SPV__ELEMENT_OUTPOINT
                                 ? SPV__ELEMENT_OUTPOINT
                                 : SPV__ELEMENT_KEY,
                     .bytes = row->bytes,
                     .len = row->len};

    return spv__wallet_load_element(c->wallet, &e);
}

static spv_err load_branch(void *ctx, const spv_row_branch *row)
{
    spv_client *c = ctx;
    spv_branch_row branch = {
        .branch = row->branch, .used = row->used, .given = row->given};

    return spv__wallet_load_branch(c->wallet, &branch);
}

static spv_err load_script(void *ctx, const spv_row_script *row)
{
    spv_client *c = ctx;
    spv_script_row script = {.branch = row->branch,
                             .index = row->index,
                             .reach = row->reach,
                             .script = row->script,
                             .script_len = row->len};

    return spv__wallet_load_script(c->wallet, &script);
}

static spv_err load_tx(void *ctx, const spv_row_tx *row)
{
    spv_client *c = ctx;
    spv_tx_row tx = {.txid = row->txid,
                     .state = (spv_tx_state)row->state,
                     .block = {.height = row->height,
                               .hash = row->block_hash,
                               .time = row->block_time},
                     .position = row->position,
                     .seen_time = row->first_seen,
                     .bytes = row->raw,
                     .len = row->raw_len};

    if (row->state > SPV_TX_ABANDONED)
        return SPV_DAMAGED;
    return spv__wallet_load_tx(c->wallet, &tx);
}

/* Rows come newest first; the trail wants the oldest first. */
typedef struct spv_trail_load {
    spv_step step[SPV__TRAIL_MAX];
    size_t n;
} spv_trail_load;

static spv_err load_block(void *ctx, const spv_row_block *row)
{
    spv_trail_load *load = ctx;

    if (load->n < SPV__TRAIL_MAX)
        load->step[load->n++] =
            (spv_step){.height = row->height, .hash = row->hash};
    return SPV_OK;
}

static spv_err load_trail(spv_disk *d, spv_client *c)
{
    spv_trail_load load;
    spv_err err = SPV_OK;

    load.n = 0;
    err = spv__walletdb_each_block(d->wallet, load_block, &load);
    for (size_t i = load.n; err == SPV_OK && i-- > 0;)
        spv__trail_push(&c->trail, load.step[i].height, &load.step[i].hash);
    if (load.n == 0)
        return err;
    c->position = load.step[0].height;
    c->position_hash = load.step[0].hash;
    return err;
}

static spv_err load_reached(spv_disk *d, spv_client *c)
{
    int64_t height = SPV_NO_HEIGHT;
    spv_err err = spv__db_get_int(d->wallet, REACHED_KEY, &height);

    if (err == SPV_OK && (height < SPV_NO_HEIGHT || height > INT32_MAX))
        return SPV_DAMAGED;
    c->reached = (int32_t)height;
    return err == SPV_NOT_FOUND ? SPV_OK : err;
}

spv_err spv__disk_load_wallet(spv_disk *d, spv_client *c)
{
    spv_err err = spv__walletdb_each_element(d->wallet, load_element, c);

    if (err == SPV_OK)
        err = spv__walletdb_each_branch(d->wallet, load_branch, c);
    if (err == SPV_OK)
        err = spv__walletdb_each_script(d->wallet, load_script, c);
    if (err == SPV_OK)
        err = spv__wallet_derive(c->wallet);
    if (err == SPV_OK)
        err = spv__walletdb_each_tx(d->wallet, load_tx, c);
    if (err == SPV_OK)
        err = load_trail(d, c);
    return err == SPV_OK ? load_reached(d, c) : err;
}

/* ---- Keeping ---- */

static spv_err put_elements(spv_disk *d, const spv_client *c,
                            const spv_changes *changes)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < changes->n_elements && err == SPV_OK; i++) {
        size_t at = changes->first_element + i;
        spv_row_element row = {.seq = (uint32_t)at};
        spv_element e;

        spv__wallet_element(c->wallet, at, &e);
        row.kind = e.kind;
        row.bytes = e.bytes;
        row.len = e.len;
        err = spv__walletdb_add_element(d->wallet, &row);
    }
    return err;
}

static spv_err put_scripts(spv_disk *d, const spv_changes *changes)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < changes->n_scripts && err == SPV_OK; i++) {
        const spv_script_row *s = &changes->scripts[i];
        spv_row_script row = {.branch = (uint32_t)s->branch,
                              .index = s->index,
                              .reach = (uint32_t)s->reach,
                              .script = s->script,
                              .len = s->script_len};

        err = spv__walletdb_put_script(d->wallet, &row);
    }
    return err;
}

static spv_err put_branches(spv_disk *d, const spv_changes *changes)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < changes->n_branches && err == SPV_OK; i++) {
        const spv_branch_row *b = &changes->branches[i];
        spv_row_branch row = {
            .branch = (uint32_t)b->branch, .used = b->used, .given = b->given};

        err = spv__walletdb_put_branch(d->wallet, &row);
    }
    return err;
}

static spv_err put_txs(spv_disk *d, const spv_changes *changes)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < changes->n_txs && err == SPV_OK; i++) {
        const spv_tx_row *t = &changes->txs[i];
        spv_row_tx row = {.txid = t->txid,
                          .height = t->block.height,
                          .block_hash = t->block.hash,
                          .block_time = (uint32_t)t->block.time,
                          .position = t->position,
                          .state = (uint32_t)t->state,
                          .first_seen = t->seen_time,
                          .raw = t->bytes,
                          .raw_len = t->len};

        err = spv__walletdb_put_tx(d->wallet, &row);
    }
    return err;
}

static spv_err put_changes(spv_disk *d, const spv_client *c)
{
    spv_changes changes = {0};
    spv_err err = SPV_OK;

    if (!spv__wallet_is_changed(c->wallet))
        return SPV_OK;
    err = spv__wallet_changes(c->wallet, &changes);
    if (err == SPV_OK)
        err = put_elements(d, c, &changes);
    if (err == SPV_OK)
        err = put_scripts(d, &changes);
    if (err == SPV_OK)
        err = put_branches(d, &changes);
    if (err == SPV_OK)
        err = put_txs(d, &changes);
    spv__changes_clear(&changes);
    return err;
}

/* What is still owed below the position is looked for again after a crash:
 * the position on disk is one below which nothing is. */
static spv_err put_position(spv_disk *d, spv_client *c)
{
    spv_row_block row = {.height = c->position, .hash = c->position_hash};
    int32_t sure = spv__client_sure_height(c);
    spv_tree_block block;

    if (c->position == SPV_NO_HEIGHT)
        return spv__walletdb_clear_position(d->wallet);
    if (sure < c->position && spv__tree_at(c->tree, sure, &block))
        row = (spv_row_block){.height = sure, .hash = block.hash};
    return spv__walletdb_put_position(d->wallet, &row);
}

static bool same_bytes(const spv_buf *a, const spv_buf *b)
{
    return a->len == b->len &&
           (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static spv_err put_card(spv_disk *d, const spv_card *card)
{
    return spv__db_put_bytes(d->wallet, CARD_KEY, card->lines.bytes,
                             card->lines.len);
}

/* The card's own file comes last, when the rows are sure: a card that no
 * longer asks for a rescan must not outlive a position that was not moved. */
static spv_err save_card(spv_disk *d, const spv_card *card)
{
    spv_err err = spv__db_flush(d->wallet);

    if (err == SPV_OK)
        err = spv__card_save(card, d->card.text, &d->detail);
    if (err != SPV_OK)
        return err;
    spv__buf_reset(&d->kept_card);
    spv__put_bytes(&d->kept_card, card->lines.bytes, card->lines.len);
    return d->kept_card.err;
}

static spv_err put_all(spv_disk *d, spv_client *c, const spv_card *card)
{
    spv_err err = spv__db_begin(d->wallet);

    if (err != SPV_OK)
        return err;
    if (!same_bytes(&card->lines, &d->kept_card))
        err = put_card(d, card);
    if (err == SPV_OK)
        err = put_changes(d, c);
    if (err == SPV_OK)
        err = put_position(d, c);
    if (err == SPV_OK)
        err = spv__db_put_int(d->wallet, REACHED_KEY, c->reached);
    if (err == SPV_OK)
        return spv__db_commit(d->wallet);
    spv__db_rollback(d->wallet);
    return err;
}

static spv_err keep_wallet(spv_disk *d, spv_client *c)
{
    spv_card card = SPV_CARD_EMPTY;
    spv_err err = spv__disk_card(&card, c);

    if (err == SPV_OK)
        err = put_all(d, c, &card);
    if (err == SPV_OK) {
        spv__wallet_saved(c->wallet);
        if (!same_bytes(&card.lines, &d->kept_card))
            err = save_card(d, &card);
    }
    spv__card_clear(&card);
    return err;
}

spv_err spv__disk_keep(spv_disk *d, spv_client *c, spv_trouble *trouble)
{
    spv_err err = keep_wallet(d, c);

    if (err == SPV_OK)
        err = spv__disk_keep_headers(d, c);
    if (err == SPV_OK)
        err = spv__disk_keep_peers(d->headers, &c->book);
    if (err != SPV_OK)
        return spv__disk_trouble(d, err, trouble);
    c->changed = false;
    return SPV_OK;
}

bool spv__disk_is_unfinished(spv_disk *d, spv_err rows)
{
    spv_card card = SPV_CARD_EMPTY;

    if (spv__file_exists(d->card.text))
        return false;
    if (rows == SPV_OK)
        rows = spv__disk_card_of_rows(d, &card);
    spv__card_clear(&card);
    return rows == SPV_NOT_FOUND;
}

/* The copy of the card, for when the file is gone or damaged. */
spv_err spv__disk_card_of_rows(spv_disk *d, spv_card *card)
{
    return spv__db_get_bytes(d->wallet, CARD_KEY, &card->lines);
}
