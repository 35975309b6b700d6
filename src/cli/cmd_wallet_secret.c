#include <string.h>

#include "cli/commands.h"
#include "cli/filter_wish.h"
#include "cli/open.h"
#include "cli/secret.h"
#include "cli/text.h"
#include "cli/values.h"

/* What can spend: encrypted, and shown to its owner. */

/* ---- encrypt ---- */

/* All of this before anything is asked: nobody likes to type in vain. */
static spv_err check_has_secret(cli *c, const spv_wallet_info *info)
{
    if (!info->watch_only)
        return SPV_OK;
    return cli_fail(c, SPV_UNSUPPORTED,
                    "the wallet '%s' only watches: it has no secret to encrypt",
                    info->name);
}

static spv_err read_old_password(cli *c, char out[CLI_SECRET_MAX])
{
    spv_backup opened;
    spv_place place;
    spv_err err = cli_secret_password(c, out);

    if (err == SPV_OK)
        err = cli_place(c, &place);
    if (err != SPV_OK)
        return err;
    err = spv_wallet_backup(&opened, &place, out, &c->trouble);
    spv_backup_clear(&opened);
    return err;
}

static spv_err read_passwords(cli *c, bool encrypted, cli_passwords *out)
{
    spv_err err = encrypted ? read_old_password(c, out->old) : SPV_OK;

    return err == SPV_OK ? cli_secret_new_password(c, !encrypted, out->fresh)
                         : err;
}

static spv_err encrypt_with(cli *c, spv_client *client, bool encrypted,
                            const cli_passwords *passwords)
{
    uint8_t entropy[SPV_ENCRYPTION_ENTROPY];
    const spv_encryption how = {.password = passwords->fresh,
                                .old_password =
                                    encrypted ? passwords->old : NULL,
                                .entropy = entropy};
    spv_err err = cli_entropy(c, entropy, sizeof(entropy));

    if (err == SPV_OK)
        err = spv_client_encrypt(client, &how, &c->trouble);
    if (err == SPV_OK && c->trouble.text[0])
        cli_say(c, CLI_WARN, "%s: %s", c->trouble.text, c->trouble.hint);
    return err;
}

static spv_err encrypt(cli *c, spv_client *client, json_t **doc)
{
    cli_passwords passwords = {{0}, {0}};
    spv_wallet_info info;
    spv_err err = SPV_OK;

    spv_client_info(client, &info);
    err = check_has_secret(c, &info);
    if (err == SPV_OK)
        err = read_passwords(c, info.encrypted, &passwords);
    if (err == SPV_OK)
        err = encrypt_with(c, client, info.encrypted, &passwords);
    cli_cleanse(&passwords, sizeof(passwords));
    if (err != SPV_OK)
        return err;
    if (!info.encrypted)
        cli_say(c, CLI_NOTE,
                "the password opens nothing but 'spvclient wallet backup'; "
                "nobody can tell it to you again");
    *doc = json_pack("{s:s, s:b, s:b, s:b}", "name", info.name, "encrypted",
                     true, "password_changed", info.encrypted,
                     "old_file_overwritten", !c->trouble.text[0]);
    return SPV_OK;
}

spv_err cli_wallet_encrypt(cli *c, json_t **doc)
{
    spv_client *client = NULL;
    spv_err err = SPV_OK;

    cli_secret_guard();
    err = cli_open(c, &client);
    if (err == SPV_OK)
        err = encrypt(c, client, doc);
    spv_client_free(client);
    return err;
}

void cli_wallet_encrypt_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"name", "name", CLI_AS_IS},
        {"encrypted", "encrypted", CLI_AS_IS},
        {"password_changed", "password changed", CLI_AS_IS},
        {"old_file_overwritten", "old file overwritten", CLI_AS_IS},
    };

    (void)c;
    cli_print_fields(doc, CLI_FIELDS(fields));
}

/* ---- backup ---- */

static spv_err read_backup(cli *c, const spv_place *place, spv_backup *out)
{
    char password[CLI_SECRET_MAX];
    spv_err err = spv_wallet_backup(out, place, NULL, &c->trouble);

    if (err != SPV_LOCKED)
        return err;
    err = cli_secret_password(c, password);
    if (err == SPV_OK)
        err = spv_wallet_backup(out, place, password, &c->trouble);
    cli_cleanse(password, sizeof(password));
    return err;
}

/* The card is missing or damaged: the words are what counts. */
static void tell_unknown(const cli *c, const spv_backup *b)
{
    if (!b->type[0])
        cli_say(c, CLI_WARN,
                "the wallet's card cannot be read: type, account, gap, "
                "birthday and filter are not known");
}

static json_t *backup_doc(const spv_place *place, const spv_backup *b)
{
    bool known = b->type[0] != '\0';

    return json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
        " s:o}",
        "name", place->wallet, "chain", place->network->name, "encrypted",
        b->encrypted, "mnemonic", cli_json_text(b->mnemonic), "passphrase",
        cli_json_text(b->passphrase), "type",
        cli_json_text(known ? b->type : NULL), "account",
        known ? cli_json_count(b->account) : json_null(), "gap",
        known ? cli_json_count(b->gap) : json_null(), "birthday_height",
        cli_json_height(b->birthday_height), "birthday_time",
        cli_json_date(b->birthday_time), "fp_rate",
        b->fp_rate > 0 ? cli_json_real(b->fp_rate) : json_null(), "flags",
        cli_json_text(known ? cli_updates_word(b->updates) : NULL));
}

spv_err cli_wallet_backup(cli *c, json_t **doc)
{
    spv_backup backup;
    spv_place place;
    spv_err err = SPV_OK;

    cli_secret_guard();
    err = cli_place(c, &place);
    if (err != SPV_OK)
        return err;
    err = read_backup(c, &place, &backup);
    if (err == SPV_OK) {
        tell_unknown(c, &backup);
        *doc = backup_doc(&place, &backup);
    }
    spv_backup_clear(&backup);
    return err;
}

void cli_wallet_backup_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"name", "name", CLI_AS_IS},
        {"chain", "chain", CLI_AS_IS},
        {"mnemonic", "mnemonic", CLI_AS_IS},
        {"passphrase", "passphrase", CLI_AS_IS},
        {"type", "type", CLI_AS_IS},
        {"account", "account", CLI_AS_IS},
        {"gap", "gap", CLI_AS_IS},
        {"birthday_height", "birthday", CLI_AS_IS},
        {"birthday_time", "birthday", CLI_AS_TIME},
        {"fp_rate", "false positives", CLI_AS_IS},
        {"flags", "filter flags", CLI_AS_IS},
        {"encrypted", "encrypted", CLI_AS_IS},
    };
    json_t *shown = json_copy((json_t *)doc);

    (void)c;
    if (!*cli_doc_text(doc, "passphrase"))
        (void)json_object_del(shown, "passphrase");
    (void)json_object_del(shown,
                          json_is_integer(json_object_get(doc, "birthday_time"))
                              ? "birthday_height"
                              : "birthday_time");
    cli_print_fields(shown, CLI_FIELDS(fields));
    json_decref(shown);
}
