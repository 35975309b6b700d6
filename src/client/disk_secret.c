#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "client/disk.h"
#include "store/file.h"
#include "store/secret.h"
#include "wallet/key.h"
#include "wallet/mnemonic.h"

/* The secret of a wallet that is there: encrypted, and told. */

_Static_assert(SPV_ENCRYPTION_ENTROPY == SPV__SECRET_ENTROPY,
               "the store uses what the client is given");
_Static_assert(SPV_PASSPHRASE_TEXT >= SPV__SECRET_MAX,
               "a passphrase is a part of the secret");

/* ---- Passwords ---- */

/* A password's bytes: the same however its accents were typed. */
static spv_err normalize(spv_buf *out, const char *password, size_t *at)
{
    *out = spv__secret_buf((size_t)4 * SPV__NFKD_MAX);
    return spv__nfkd(out, password, at);
}

static spv_err check_new(spv_err err, const spv_buf *password, size_t at,
                         spv_trouble *trouble)
{
    if (err == SPV_UNSUPPORTED)
        return spv__trouble_set(trouble, err,
                                "the password has a character (from byte %zu "
                                "on) that is no ASCII, Latin, Greek or "
                                "Cyrillic letter: it may come out otherwise on "
                                "another keyboard",
                                at + 1);
    if (err == SPV_NOMEM)
        return spv__trouble_set(trouble, err, "out of memory");
    if (err != SPV_OK)
        return spv__trouble_set(trouble, err,
                                "the password is too long, or not UTF-8");
    if (password->len == 0)
        return spv__trouble_set(trouble, SPV_INVAL,
                                "an empty password would protect nothing");
    return SPV_OK;
}

static spv_password as_password(const spv_buf *bytes)
{
    return (spv_password){
        .bytes = bytes->bytes, .len = bytes->len, .cost = SPV__SECRET_COST};
}

/* ---- Opening ---- */

static spv_err tell_locked(spv_err err, bool given, spv_trouble *trouble)
{
    if (err == SPV_LOCKED && given)
        spv__trouble_hint(trouble, "the file is not damaged: its checksum is "
                                   "right, and nothing was changed");
    return err;
}

/* What could not have been set is not the password. */
static spv_err read_with(spv_secret *out, spv_disk *d, const char *path,
                         const char *password)
{
    spv_buf bytes = SPV_BUF_EMPTY;
    spv_password p;
    size_t at = 0;
    spv_err err = SPV_OK;

    if (!password)
        return spv__secret_read(out, path, &d->detail);
    err = normalize(&bytes, password, &at);
    if (err != SPV_OK && err != SPV_NOMEM)
        spv__buf_reset(&bytes);
    p = as_password(&bytes);
    if (err != SPV_NOMEM)
        err = spv__secret_open(out, path, &p, &d->detail);
    spv__secret_buf_clear(&bytes);
    return err;
}

/* ---- Encrypting ---- */

static void tell_left(const char *path, spv_trouble *trouble)
{
    (void)spv__trouble_set(trouble, SPV_OK,
                           "the secret is encrypted now, but what %s was "
                           "before could not be overwritten: it has another "
                           "name, or the disk refused",
                           path);
    spv__trouble_hint(trouble, "look for copies, and delete them");
}

static spv_err seal(spv_disk *d, const char *path, const spv_encryption *how,
                    const spv_buf *password, spv_trouble *trouble)
{
    const spv_password p = as_password(password);
    spv_secret secret;
    bool wiped = true;
    spv_err err = read_with(&secret, d, path, how->old_password);

    if (err == SPV_OK)
        err = spv__secret_seal(path, &secret, &p, how->entropy, &wiped,
                               &d->detail);
    spv__secret_clear(&secret);
    if (err != SPV_OK)
        return tell_locked(spv__disk_trouble(d, err, trouble),
                           how->old_password != NULL, trouble);
    if (!wiped)
        tell_left(path, trouble);
    return SPV_OK;
}

static spv_err check_has_secret(const spv_client *c, spv_trouble *trouble)
{
    if (!spv__disk_of(c))
        return spv__trouble_set(trouble, SPV_INVAL,
                                "the wallet is in memory only: there is no "
                                "file to encrypt");
    if (c->profile.watch_only)
        return spv__trouble_set(trouble, SPV_UNSUPPORTED,
                                "the wallet '%s' only watches: it has no "
                                "secret to encrypt",
                                c->profile.name);
    return SPV_OK;
}

spv_err spv_client_encrypt(spv_client *c, const spv_encryption *how,
                           spv_trouble *trouble)
{
    spv_disk *d = spv__disk_of(c);
    spv_buf password = SPV_BUF_EMPTY;
    spv_path path;
    size_t at = 0;
    spv_err err = SPV_OK;

    if (trouble)
        *trouble = (spv_trouble){0};
    err = check_has_secret(c, trouble);
    if (err != SPV_OK)
        return err;
    err = normalize(&password, how->password, &at);
    err = check_new(err, &password, at, trouble);
    if (err == SPV_OK && spv__disk_secret_path(d, &path, c->profile.name))
        err = spv__disk_trouble(d, SPV_LIMIT, trouble);
    if (err == SPV_OK)
        err = seal(d, path.text, how, &password, trouble);
    if (err == SPV_OK)
        c->profile.encrypted = d->encrypted = true;
    spv__secret_buf_clear(&password);
    return err;
}

/* ---- Telling ---- */

void spv_backup_clear(spv_backup *b)
{
    spv__cleanse(b, sizeof(*b));
}

/* The rest behind `key` and before `end`, which is left behind. */
static bool take(char *out, size_t size, const char **text, const char *key,
                 const char *end)
{
    size_t key_len = strlen(key);
    size_t len = 0;

    if (strncmp(*text, key, key_len) != 0 || end < *text + key_len)
        return false;
    *text += key_len;
    len = (size_t)(end - *text);
    if (len >= size)
        return false;
    memcpy(out, *text, len);
    out[len] = '\0';
    *text = end + 1;
    return true;
}

/* The text is ours: two lines; a passphrase may have line breaks of its own. */
static bool take_text(spv_backup *out, const spv_secret *secret)
{
    char text[SPV__SECRET_MAX + 1];
    const char *at = text;
    const char *end = NULL;
    bool ok = false;

    memcpy(text, secret->bytes, secret->len);
    text[secret->len] = '\0';
    end = strchr(text, '\n');
    ok = end &&
         take(out->mnemonic, sizeof(out->mnemonic), &at, "mnemonic=", end);
    end = text + secret->len - 1;
    ok =
        ok && *end == '\n' &&
        take(out->passphrase, sizeof(out->passphrase), &at, "passphrase=", end);
    spv__cleanse(text, sizeof(text));
    return ok;
}

/* "wpkh([73c5da0a/84h/1h/ACCOUNTh]..." */
static uint32_t account_of(const char *descriptor)
{
    const char *at = strchr(descriptor, '[');
    unsigned account = 0;

    for (int step = 0; at && step < 3; step++)
        at = strchr(at + 1, '/');
    return at && sscanf(at, "/%u", &account) == 1 ? account : 0;
}

static spv_wallet_updates updates_of(uint8_t flags)
{
    switch (flags) {
    case SPV_FILTER_UPDATE_NONE:
        return SPV_WALLET_UPDATES_NONE;
    case SPV_FILTER_UPDATE_P2PUBKEY_ONLY:
        return SPV_WALLET_UPDATES_P2PUBKEY_ONLY;
    default:
        return SPV_WALLET_UPDATES_ALL;
    }
}

/* A card that cannot be read is no reason to keep the words from their owner.
 */
static void take_card(spv_backup *out, const spv_card *card,
                      const spv_network *network)
{
    spv_profile p = {0};
    spv_plan plan = {0};

    if (spv__disk_read_card(card, network, &p, &plan) != SPV_OK)
        return;
    (void)snprintf(out->type, sizeof(out->type), "%s", p.type);
    out->account = p.n_descriptors ? account_of(p.descriptors[0]) : 0;
    out->gap = p.gap;
    out->birthday_height = p.birthday;
    out->birthday_time = p.birthday < 0 ? p.birthday_time : -1;
    out->fp_rate = p.fp_rate;
    out->updates = updates_of(plan.flags);
    spv__profile_clear(&p);
    spv__cleanse(&plan, sizeof(plan));
}

static spv_err tell_absent(spv_disk *d, const spv_backup *b,
                           const spv_path *path, const spv_place *place,
                           spv_trouble *trouble)
{
    if (strcmp(b->type, "watch") == 0)
        return spv__trouble_set(trouble, SPV_UNSUPPORTED,
                                "the wallet '%s' only watches: it has no "
                                "secret",
                                place->wallet);
    if (!spv__folder_has_wallet(&d->folder, place->wallet))
        return spv__disk_not_found(place, trouble);
    return spv__disk_no_secret(path, trouble);
}

static spv_err back_up(spv_backup *out, spv_disk *d, const spv_place *place,
                       const char *password, spv_trouble *trouble)
{
    spv_card card = SPV_CARD_EMPTY;
    spv_secret secret = {.len = 0};
    spv_path path;
    spv_err err = spv__disk_secret_path(d, &path, place->wallet);

    if (spv__card_load(&card, d->card.text, NULL) == SPV_OK)
        take_card(out, &card, place->network);
    spv__card_clear(&card);
    if (err == SPV_OK)
        err = spv__secret_read(&secret, path.text, &d->detail);
    out->encrypted = err == SPV_LOCKED;
    if (out->encrypted && password)
        err = read_with(&secret, d, path.text, password);
    if (err == SPV_OK && !take_text(out, &secret))
        err = spv__trouble_set(trouble, SPV_DAMAGED, "%s holds no mnemonic",
                               path.text);
    else if (err == SPV_NOT_FOUND)
        err = tell_absent(d, out, &path, place, trouble);
    else if (err != SPV_OK)
        err = tell_locked(spv__disk_trouble(d, err, trouble), password != NULL,
                          trouble);
    spv__secret_clear(&secret);
    return err;
}

spv_err spv_wallet_backup(spv_backup *out, const spv_place *place,
                          const char *password, spv_trouble *trouble)
{
    spv_disk d;
    spv_err err = spv__disk_init(&d, place, trouble);

    *out = (spv_backup){.birthday_height = -1, .birthday_time = -1};
    if (err == SPV_OK)
        err = back_up(out, &d, place, password, trouble);
    spv__disk_clear(&d);
    if (err != SPV_OK)
        spv_backup_clear(out);
    return err;
}
