#include "client/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/file.h"
#include "store/secret.h"
#include "wallet/rows.h"

/* Wallets in a data folder: made, opened, mended, listed. */

/* ---- The folder ---- */

spv_err spv__disk_trouble(const spv_disk *d, spv_err err, spv_trouble *trouble)
{
    const char *text = d->detail.text[0] ? d->detail.text : spv_err_text(err);

    (void)spv__trouble_set(trouble, err, "%s", text);
    if (err == SPV_BUSY)
        spv__trouble_hint(trouble, "wait for the other process to end, or "
                                   "choose another --datadir");
    if (err == SPV_UNSUPPORTED)
        spv__trouble_hint(trouble, "use the newer version that wrote it");
    return err;
}

static spv_err name_files(spv_disk *d, const spv_place *place)
{
    spv_err err = spv__folder_init(&d->folder, place->datadir, place->network,
                                   &d->detail);

    if (err == SPV_OK)
        err = spv__folder_chain(&d->folder, &d->chain, &d->detail);
    if (err == SPV_OK)
        err = spv__folder_wallet(&d->folder, &d->card, place->wallet,
                                 SPV__FILE_CARD, &d->detail);
    if (err == SPV_OK)
        err = spv__folder_wallet(&d->folder, &d->rows, place->wallet,
                                 SPV__FILE_ROWS, &d->detail);
    return err;
}

spv_err spv__disk_init(spv_disk *d, const spv_place *place,
                       spv_trouble *trouble)
{
    spv_err err = SPV_OK;

    *d = (spv_disk){.lock = SPV_LOCK_NONE, .stored = -1};
    err = name_files(d, place);
    return err == SPV_OK ? SPV_OK : spv__disk_trouble(d, err, trouble);
}

void spv__disk_clear(spv_disk *d)
{
    spv__db_free(d->wallet);
    spv__db_free(d->headers);
    spv__buf_clear(&d->kept_card);
    spv__lock_drop(&d->lock);
    d->wallet = d->headers = NULL;
}

/* ---- The client's keeper ---- */

static spv_err keep(void *self, spv_client *c, spv_trouble *trouble)
{
    return spv__disk_keep(self, c, trouble);
}

static void free_disk(void *self)
{
    spv__disk_clear(self);
    free(self);
}

/* From here on the client owns the disk. */
static void hand_over(spv_client *c, spv_disk *d)
{
    c->profile.encrypted = d->encrypted;
    c->keeper = (spv_keeper){.self = d, .keep = keep, .free = free_disk};
}

spv_disk *spv__disk_of(const spv_client *c)
{
    return c && c->keeper.keep == keep ? c->keeper.self : NULL;
}

static spv_err new_disk(spv_disk **out, const spv_place *place,
                        spv_trouble *trouble)
{
    spv_err err = SPV_OK;

    *out = malloc(sizeof(**out));
    if (!*out)
        return spv__trouble_set(trouble, SPV_NOMEM, "out of memory");
    err = spv__disk_init(*out, place, trouble);
    if (err != SPV_OK) {
        free_disk(*out);
        *out = NULL;
    }
    return err;
}

/* Free a client without keeping what it has. */
static void discard(spv_client **c)
{
    if (*c)
        (*c)->changed = (*c)->book.changed = false;
    spv_client_free(*c);
    *c = NULL;
}

/* ---- Making a wallet ---- */

/* A secret goes onto the disk first and the card that makes a wallet of it
 * last: a creation that was cut short leaves a secret, and perhaps rows, and is
 * finished by one that has the same secret. */

spv_err spv__disk_secret_path(spv_disk *d, spv_path *path, const char *name)
{
    return spv__folder_wallet(&d->folder, path, name, SPV__FILE_SECRET,
                              &d->detail);
}

static spv_err write_secret(spv_disk *d, const char *name, const spv_buf *text)
{
    spv_secret secret = {.len = text->len};
    spv_path path;
    spv_err err = spv__disk_secret_path(d, &path, name);

    if (err != SPV_OK || text->len == 0 || spv__file_exists(path.text))
        return err;
    d->new_secret = true;
    if (text->len > SPV__SECRET_MAX)
        return SPV_LIMIT;
    memcpy(secret.bytes, text->bytes, text->len);
    err = spv__secret_create(path.text, &secret, &d->detail);
    spv__secret_clear(&secret);
    return err;
}

/* A secret that was there before is not ours to delete. */
static void drop_new(spv_disk *d, const char *name)
{
    spv__db_free(d->wallet);
    d->wallet = NULL;
    spv__folder_drop_new_wallet(
        &d->folder, name, d->new_secret ? SPV__FILE_SECRET : SPV__FILE_CARD);
}

/* Everything of a new wallet onto the disk; the folder is ours by now. */
static spv_err settle_in(spv_disk *d, spv_client *c, const spv_buf *secret,
                         spv_trouble *trouble)
{
    const char *name = c->profile.name;
    spv_err err = write_secret(d, name, secret);

    if (err == SPV_OK)
        err = spv__walletdb_create(&d->wallet, d->rows.text, &d->detail);
    if (err == SPV_OK)
        err = spv__disk_load_headers(d, c, trouble);
    if (err == SPV_OK)
        err = spv__disk_keep(d, c, trouble);
    if (err == SPV_OK)
        err = spv__db_flush(d->wallet);
    if (err == SPV_OK)
        return SPV_OK;
    (void)spv__disk_trouble(d, err, trouble);
    drop_new(d, name);
    return err;
}

static spv_err name_is_taken(const char *name, spv_trouble *trouble)
{
    (void)spv__trouble_set(trouble, SPV_EXISTS,
                           "there is a wallet called '%s' already", name);
    spv__trouble_hint(trouble, "choose another name with --wallet NAME");
    return SPV_EXISTS;
}

/* Another secret may be all that is left of somebody's coins. */
static spv_err check_left_secret(spv_disk *d, const char *name,
                                 const spv_buf *text, spv_trouble *trouble)
{
    spv_secret left = {.len = 0};
    spv_path path;
    spv_err err = spv__disk_secret_path(d, &path, name);
    bool same = false;
    bool locked = false;

    if (err != SPV_OK || !spv__file_exists(path.text))
        return err;
    err = spv__secret_read(&left, path.text, &d->detail);
    locked = err == SPV_LOCKED;
    same = err == SPV_OK && left.len == text->len &&
           memcmp(left.bytes, text->bytes, left.len) == 0;
    spv__secret_clear(&left);
    if (same)
        return SPV_OK;
    (void)spv__trouble_set(trouble, SPV_EXISTS,
                           "%s holds %s secret: making that wallet was not "
                           "finished, or its other files are lost",
                           path.text, locked ? "an encrypted" : "another");
    spv__trouble_hint(trouble, locked ? "choose another name with --wallet "
                                        "NAME; 'spvclient wallet backup' tells "
                                        "that secret's words"
                                      : "choose another name with --wallet "
                                        "NAME; or, with that secret's words, "
                                        "make its wallet again: "
                                        "'spvclient wallet restore'");
    return SPV_EXISTS;
}

/* What holds nothing makes room; the very same secret is taken over. */
static spv_err take_over_unfinished(spv_disk *d, const char *name,
                                    const spv_buf *secret, spv_trouble *trouble)
{
    spv_err err = spv__walletdb_open(&d->wallet, d->rows.text, &d->detail);

    if (!spv__disk_is_unfinished(d, err))
        return name_is_taken(name, trouble);
    err = check_left_secret(d, name, secret, trouble);
    if (err == SPV_OK)
        drop_new(d, name);
    return err;
}

static spv_err take_new_name(spv_disk *d, const char *name,
                             const spv_buf *secret, spv_trouble *trouble)
{
    spv_err err = spv__folder_make(&d->folder, &d->detail);

    if (err == SPV_OK)
        err = spv__lock_take(&d->lock, &d->folder, &d->detail);
    if (err != SPV_OK)
        return spv__disk_trouble(d, err, trouble);
    return spv__folder_has_wallet(&d->folder, name)
               ? take_over_unfinished(d, name, secret, trouble)
               : SPV_OK;
}

static spv_err create_on(spv_disk *d, spv_client **out, const spv_place *place,
                         const spv_wallet_spec *spec, spv_trouble *trouble)
{
    spv_profile profile = {0};
    spv_secrets secrets = SPV_SECRETS_EMPTY;
    spv_err err =
        spv__profile_of_spec(&profile, &secrets, spec, place->network, trouble);

    if (err == SPV_OK)
        err = take_new_name(d, place->wallet, &secrets.text, trouble);
    if (err == SPV_OK) {
        (void)snprintf(profile.name, sizeof(profile.name), "%s", place->wallet);
        err = spv__client_make(out, place->network, &profile, trouble);
    }
    if (err == SPV_OK)
        err = spv__client_begin(*out, secrets.entropy, trouble);
    if (err == SPV_OK)
        err = settle_in(d, *out, &secrets.text, trouble);
    spv__secrets_clear(&secrets);
    spv__profile_clear(&profile);
    return err;
}

spv_err spv_client_create(spv_client **out, const spv_place *place,
                          const spv_wallet_spec *spec, spv_trouble *trouble)
{
    spv_disk *d = NULL;
    spv_err err = new_disk(&d, place, trouble);

    *out = NULL;
    if (err != SPV_OK)
        return err;
    err = create_on(d, out, place, spec, trouble);
    if (err == SPV_OK) {
        d->created = true;
        hand_over(*out, d);
        return SPV_OK;
    }
    discard(out);
    free_disk(d);
    return err;
}

void spv_client_take_back(spv_client *client)
{
    spv_disk *d = spv__disk_of(client);

    if (d && d->created)
        drop_new(d, client->profile.name);
    discard(&client);
}

/* ---- Opening one ---- */

spv_err spv__disk_not_found(const spv_place *place, spv_trouble *trouble)
{
    (void)spv__trouble_set(trouble, SPV_NOT_FOUND,
                           "there is no wallet called '%s' for %s in %s",
                           place->wallet, place->network->name, place->datadir);
    spv__trouble_hint(trouble,
                      "make one with 'spvclient wallet create', 'restore' or "
                      "'watch'; 'wallet list' names those there are");
    return SPV_NOT_FOUND;
}

static spv_err not_finished(spv_disk *d, const spv_place *place,
                            spv_trouble *trouble)
{
    spv_path secret;
    spv_err err = spv__disk_not_found(place, trouble);

    if (spv__disk_secret_path(d, &secret, place->wallet) != SPV_OK ||
        !spv__file_exists(secret.text))
        return err;
    (void)spv__trouble_set(trouble, err,
                           "there is no wallet called '%s', only %s: making it "
                           "was not finished, or its other files are lost",
                           place->wallet, secret.text);
    spv__trouble_hint(trouble, "'spvclient wallet backup' tells the words of "
                               "that secret; make the wallet again from them: "
                               "'spvclient wallet restore' (if it is "
                               "encrypted, under another name)");
    return err;
}

/* The card from its file, or else the copy among the rows (which then makes a
 * file of it again at the next keeping). */
static spv_err load_card(spv_disk *d, spv_card *card)
{
    spv_err err = spv__card_load(card, d->card.text, &d->detail);

    if (err == SPV_OK) {
        spv__put_bytes(&d->kept_card, card->lines.bytes, card->lines.len);
        return d->kept_card.err;
    }
    if (err != SPV_DAMAGED && err != SPV_NOT_FOUND)
        return err;
    spv__card_clear(card);
    return d->wallet && spv__disk_card_of_rows(d, card) == SPV_OK ? SPV_OK
                                                                  : SPV_DAMAGED;
}

static spv_err client_of_card(spv_disk *d, spv_client **out,
                              const spv_place *place, const spv_card *card,
                              spv_trouble *trouble)
{
    spv_profile profile = {0};
    spv_plan plan = {0};
    spv_err err = spv__disk_read_card(card, place->network, &profile, &plan);

    if (err != SPV_OK)
        return spv__trouble_set(trouble, err,
                                "%s: does not say what a wallet "
                                "of %s must say",
                                d->card.text, place->network->name);
    (void)snprintf(profile.name, sizeof(profile.name), "%s", place->wallet);
    err = spv__client_make(out, place->network, &profile, trouble);
    if (err == SPV_OK) {
        (*out)->plan = plan;
        (*out)->changed = d->kept_card.len == 0;
    }
    spv__profile_clear(&profile);
    return err;
}

/* Coins of stored transactions that are not in the stored log pay keys which
 * were not watched when these were seen, and nobody looked for what spends
 * them: the position goes back to before they were made. */
static void look_again(spv_client *c)
{
    int32_t lowest = spv__wallet_lowest_unsaved(c->wallet);

    if (lowest != SPV_NO_HEIGHT && lowest <= c->position)
        spv__client_move_back(c, lowest - 1);
}

/* Filter, headers: what follows from the rows and the chain's file. */
static spv_err complete(spv_disk *d, spv_client *c, spv_trouble *trouble)
{
    spv_err err = spv__plan_begin(&c->plan, &c->filter);

    if (err == SPV_OK) {
        spv__client_follow_log(c);
        err = spv__disk_load_headers(d, c, trouble);
    }
    if (err == SPV_OK)
        look_again(c);
    return err == SPV_OK ? SPV_OK : spv__disk_trouble(d, err, trouble);
}

/* The damaged rows go aside; lost ones cannot. */
static spv_err put_rows_aside(spv_disk *d, spv_path *moved)
{
    spv__db_free(d->wallet);
    d->wallet = NULL;
    return spv__file_exists(d->rows.text)
               ? spv__db_move_aside(d->rows.text, moved, &d->detail)
               : SPV_OK;
}

static spv_err tell_rebuilt(const spv_path *moved, spv_trouble *trouble)
{
    if (moved->text[0])
        (void)spv__trouble_set(trouble, SPV_DAMAGED,
                               "the wallet's database was damaged; it was "
                               "moved to %s, and an empty one made for the "
                               "same keys",
                               moved->text);
    else
        (void)spv__trouble_set(trouble, SPV_DAMAGED,
                               "the wallet's database was lost; an empty one "
                               "was made for the same keys");
    spv__trouble_hint(trouble, "run: 'spvclient sync' (it finds everything "
                               "again; keys were not touched)");
    return SPV_DAMAGED;
}

/* New rows from the card. Keys are elsewhere; transactions will be found again
 * by the next sync. */
static spv_err rebuild(spv_disk *d, const spv_place *place,
                       const spv_card *card, spv_trouble *trouble)
{
    spv_client *c = NULL;
    spv_path moved = {""};
    spv_err err = client_of_card(d, &c, place, card, trouble);

    if (err == SPV_OK)
        err = spv__wallet_derive(c->wallet);
    if (err == SPV_OK)
        err = put_rows_aside(d, &moved);
    if (err == SPV_OK)
        err = spv__walletdb_create(&d->wallet, d->rows.text, &d->detail);
    if (err == SPV_OK)
        err = complete(d, c, trouble);
    spv__buf_reset(&d->kept_card); /* the new rows have no copy yet */
    if (err == SPV_OK)
        err = spv__disk_keep(d, c, trouble);
    discard(&c);
    return err == SPV_OK ? tell_rebuilt(&moved, trouble)
                         : spv__disk_trouble(d, err, trouble);
}

static spv_err open_with(spv_disk *d, spv_client **out, const spv_place *place,
                         const spv_card *card, spv_err rows,
                         spv_trouble *trouble)
{
    spv_err err = rows;

    if (err == SPV_OK)
        err = client_of_card(d, out, place, card, trouble);
    if (err == SPV_OK) {
        rows = spv__disk_load_wallet(d, *out);
        err = rows;
    }
    if (rows == SPV_DAMAGED || rows == SPV_NOT_FOUND) {
        discard(out);
        return rebuild(d, place, card, trouble);
    }
    if (rows != SPV_OK)
        return spv__disk_trouble(d, rows, trouble);
    return err == SPV_OK ? complete(d, *out, trouble) : err;
}

/* Only a wallet of another network; what else is wrong shows later. */
static spv_err check_network(const spv_disk *d, const spv_place *place,
                             const spv_card *card, spv_trouble *trouble)
{
    const char *name = spv__card_find(card, "network", 0);

    if (!name || strcmp(name, place->network->name) == 0 ||
        !spv_network_find(name))
        return SPV_OK;
    (void)spv__trouble_set(trouble, SPV_NETWORK,
                           "%s is a wallet of %s, not of %s", d->card.text,
                           name, place->network->name);
    spv__trouble_hint(trouble, "its files belong into the data folder's folder "
                               "of that network; choose it with --chain");
    return SPV_NETWORK;
}

spv_err spv__disk_no_secret(const spv_path *path, spv_trouble *trouble)
{
    return spv__trouble_set(trouble, SPV_DAMAGED,
                            "%s is missing: it holds what can spend",
                            path->text);
}

/* A secret that cannot spend any more is better known before it is needed. */
static spv_err check_secret(spv_disk *d, const spv_place *place,
                            const spv_card *card, spv_trouble *trouble)
{
    const char *type = spv__card_find(card, "type", 0);
    spv_secret secret = {.len = 0};
    spv_path path;
    spv_err err = SPV_OK;

    if (!type || strcmp(type, "watch") == 0)
        return SPV_OK;
    err = spv__disk_secret_path(d, &path, place->wallet);
    if (err == SPV_OK)
        err = spv__secret_read(&secret, path.text, &d->detail);
    spv__secret_clear(&secret);
    d->encrypted = err == SPV_LOCKED;
    if (err == SPV_OK || err == SPV_LOCKED)
        return SPV_OK;
    err = err == SPV_NOT_FOUND ? spv__disk_no_secret(&path, trouble)
                               : spv__disk_trouble(d, err, trouble);
    if (err == SPV_DAMAGED)
        spv__trouble_hint(trouble,
                          "put a copy of it back; or make the wallet again "
                          "from its words under another name: spvclient "
                          "wallet restore --wallet NAME");
    return err;
}

/* What makes the wallet impossible to open, before anything is touched. */
static spv_err check_wallet(spv_disk *d, const spv_place *place,
                            const spv_card *card, spv_trouble *trouble)
{
    spv_err err = check_network(d, place, card, trouble);

    return err == SPV_OK ? check_secret(d, place, card, trouble) : err;
}

static spv_err open_on(spv_disk *d, spv_client **out, const spv_place *place,
                       spv_trouble *trouble)
{
    spv_card card = SPV_CARD_EMPTY;
    spv_err rows = SPV_OK;
    spv_err err = SPV_OK;

    if (!spv__folder_has_wallet(&d->folder, place->wallet))
        return spv__disk_not_found(place, trouble);
    err = spv__lock_take(&d->lock, &d->folder, &d->detail);
    if (err != SPV_OK)
        return spv__disk_trouble(d, err, trouble);
    rows = spv__walletdb_open(&d->wallet, d->rows.text, &d->detail);
    err = load_card(d, &card);
    if (err == SPV_DAMAGED && spv__disk_is_unfinished(d, rows))
        err = not_finished(d, place, trouble);
    else if (err != SPV_OK)
        (void)spv__disk_trouble(d, err, trouble);
    else
        err = check_wallet(d, place, &card, trouble);
    if (err == SPV_OK)
        err = open_with(d, out, place, &card, rows, trouble);
    spv__card_clear(&card);
    return err;
}

spv_err spv_client_open(spv_client **out, const spv_place *place,
                        spv_trouble *trouble)
{
    spv_disk *d = NULL;
    spv_err err = SPV_OK;

    *out = NULL;
    if (trouble)
        *trouble = (spv_trouble){0};
    err = new_disk(&d, place, trouble);
    if (err != SPV_OK)
        return err;
    err = open_on(d, out, place, trouble);
    if (err == SPV_OK) {
        hand_over(*out, d);
        return SPV_OK;
    }
    discard(out);
    free_disk(d);
    return err;
}

/* ---- Listing ---- */

typedef struct spv_name_list {
    char **names;
    size_t n;
} spv_name_list;

static spv_err add_name(void *ctx, const char *name)
{
    spv_name_list *list = ctx;
    char **names = realloc(list->names, (list->n + 1) * sizeof(*names));

    if (!names)
        return SPV_NOMEM;
    list->names = names;
    names[list->n] = strdup(name);
    if (!names[list->n])
        return SPV_NOMEM;
    list->n++;
    return SPV_OK;
}

spv_err spv_wallet_names(char ***names, size_t *n, const char *datadir,
                         const spv_network *network, spv_trouble *trouble)
{
    spv_disk d = {.lock = SPV_LOCK_NONE};
    spv_name_list list = {0};
    spv_err err = spv__folder_init(&d.folder, datadir, network, &d.detail);

    if (err == SPV_OK)
        err = spv__folder_each_wallet(&d.folder, add_name, &list, &d.detail);
    if (err != SPV_OK) {
        spv_names_free(list.names, list.n);
        list = (spv_name_list){0};
        (void)spv__disk_trouble(&d, err, trouble);
    }
    *names = list.names;
    *n = list.n;
    return err;
}

void spv_names_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}
