#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spv/descriptor.h>
#include <spv/mnemonic.h>
#include <spv/privacy.h>

#include "cli/commands.h"
#include "cli/filter_wish.h"
#include "cli/input.h"
#include "cli/open.h"
#include "cli/secret.h"
#include "cli/standing.h"
#include "cli/text.h"
#include "cli/values.h"

enum { GAP_MAX = 10000 };

/* ---- What wallets look like ---- */

static json_t *descriptors_doc(const spv_client *client,
                               const spv_wallet_info *info)
{
    json_t *list = json_array();

    for (size_t i = 0; i < info->n_descriptors; i++)
        (void)json_array_append_new(
            list, cli_json_text(spv_client_descriptor(client, i)));
    return list;
}

/* What was chosen for the wallet's life of what nodes are shown. */
static json_t *filter_doc(const spv_client *client)
{
    spv_filter f;
    json_t *doc = NULL;

    if (spv_client_filter(client, &f) != SPV_OK)
        return NULL;
    doc = json_pack("{s:o, s:o, s:o, s:o}", "bytes", cli_json_count(f.len),
                    "hash_functions", cli_json_count(f.hash_funcs), "flags",
                    cli_json_count(f.flags), "fp_rate",
                    cli_json_real(spv_filter_rate(&f)));
    spv_filter_clear(&f);
    return doc;
}

static json_t *wallet_doc(const spv_client *client)
{
    spv_wallet_info info;

    spv_client_info(client, &info);
    return json_pack(
        "{s:s, s:s, s:b, s:b, s:o, s:o, s:I, s:o, s:o, s:o, s:o,"
        " s:o}",
        "name", info.name, "type", info.type, "watch_only", info.watch_only,
        "encrypted", info.encrypted, "birthday_height",
        cli_json_height(info.birthday_height), "birthday_time",
        cli_json_date(info.birthday_time), "gap", (json_int_t)info.gap,
        "descriptors", descriptors_doc(client, &info), "synced_height",
        cli_json_height(info.synced_height), "rescan_height",
        cli_json_height(info.rescan_height), "rescan_time",
        cli_json_date(info.rescan_time), "filter", filter_doc(client));
}

static const cli_field wallet_fields[] = {
    {"name", "name", CLI_AS_IS},
    {"type", "type", CLI_AS_IS},
    {"watch_only", "watch only", CLI_AS_IS},
    {"encrypted", "encrypted", CLI_AS_IS},
    {"birthday_height", "birthday", CLI_AS_IS},
    {"birthday_time", "birthday", CLI_AS_TIME},
    {"gap", "gap", CLI_AS_IS},
    {"synced_height", "synced to", CLI_AS_IS},
    {"rescan_height", "rescan from", CLI_AS_IS},
    {"rescan_time", "rescan from", CLI_AS_TIME},
    {"fp_rate", "false positives", CLI_AS_IS},
    {"flags", "filter flags", CLI_AS_FLAGS},
    {"descriptors", "descriptors", CLI_AS_IS},
};

/* Of a height and a time that tell the same, leave out the one that is not
 * known; the height stays if neither is, unless that is no news either. */
static json_t *without_unknown(const json_t *doc)
{
    json_t *shown = json_copy((json_t *)doc);

    if (json_is_integer(json_object_get(doc, "birthday_time")))
        (void)json_object_del(shown, "birthday_height");
    else
        (void)json_object_del(shown, "birthday_time");
    if (!json_is_integer(json_object_get(doc, "rescan_height")))
        (void)json_object_del(shown, "rescan_height");
    if (!json_is_integer(json_object_get(doc, "rescan_time")))
        (void)json_object_del(shown, "rescan_time");
    return shown;
}

void cli_wallet_show_text(const cli *c, const json_t *doc)
{
    json_t *shown = without_unknown(doc);

    (void)c;
    (void)json_object_update(shown, json_object_get(doc, "filter"));
    cli_print_fields(shown, CLI_FIELDS(wallet_fields));
    json_decref(shown);
}

/* ---- Making one ---- */

static spv_err read_gap(cli *c, uint32_t *gap)
{
    uint64_t n = 0;
    spv_err err = cli_number(c, CLI_GAP, 1, GAP_MAX, 0, &n);

    *gap = (uint32_t)n;
    return err;
}

static spv_err read_account(cli *c, uint32_t *account)
{
    uint64_t n = 0;
    spv_err err = cli_number(c, CLI_ACCOUNT, 0, INT32_MAX, 0, &n);

    *account = (uint32_t)n;
    return err;
}

static spv_err read_type(cli *c, bool all_allowed, const char **out)
{
    static const char *const types[] = {"wpkh", "tr", "sh-wpkh", "pkh", "all"};
    const char *text = cli_text(c, CLI_TYPE);
    size_t n = all_allowed ? 5 : 4;

    *out = types[0];
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(text, types[i]) == 0)
            *out = types[i];
    if (!text || strcmp(text, *out) == 0)
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--type is wpkh, tr, sh-wpkh%s pkh%s, "
                    "not '%s'",
                    all_allowed ? "," : " or", all_allowed ? " or all" : "",
                    text);
}

static spv_err read_birthday(cli *c, spv_wallet_spec *spec)
{
    cli_point point;
    spv_err err = cli_point_of(c, CLI_BIRTHDAY, &point);

    spec->birthday = point.height;
    spec->birthday_time = point.time;
    return err;
}

/* Said once the wallet is there: before, the fault may be another. */
static void tell_birthday(const cli *c)
{
    if (!cli_text(c, CLI_BIRTHDAY))
        cli_say(c, CLI_NOTE,
                "no --birthday: the earliest possible is assumed, so the first "
                "sync looks through the whole chain");
}

/* How often its filter will be wrong: a level by name, or the rate itself. */
static spv_err read_privacy(cli *c, double *rate)
{
    const char *level = cli_text(c, CLI_PRIVACY);
    const char *text = cli_text(c, CLI_FP_RATE);
    const spv_privacy_choice *choice =
        level ? spv_privacy_choice_find(level) : NULL;

    if (level && text)
        return cli_fail(c, SPV_INVAL,
                        "--privacy and --fp-rate say the same in two ways: "
                        "give one of them");
    if (level && !choice)
        return cli_fail(c, SPV_INVAL,
                        "--privacy is own-node, default or strong, not '%s'",
                        level);
    if (choice)
        *rate = choice->rate;
    if (!text || (cli_rate_parse(rate, text) && *rate >= SPV_FP_RATE_LEAST &&
                  *rate <= SPV_FP_RATE_MOST))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--fp-rate of a wallet is a number from %g to %g, not '%s'",
                    SPV_FP_RATE_LEAST, SPV_FP_RATE_MOST, text);
}

/* What nodes may add to its filter by themselves. */
static spv_err read_updates(cli *c, spv_wallet_updates *updates)
{
    const char *text = cli_text(c, CLI_FLAGS);

    for (int i = 0; text && i <= SPV_WALLET_UPDATES_NONE; i++)
        if (strcmp(text, cli_updates_word((spv_wallet_updates)i)) == 0) {
            *updates = (spv_wallet_updates)i;
            return SPV_OK;
        }
    return text ? cli_fail(c, SPV_INVAL,
                           "--flags of a wallet is all (the default), p2pubkey "
                           "or none, not '%s'",
                           text)
                : SPV_OK;
}

static spv_err read_filter(cli *c, spv_wallet_spec *spec)
{
    spv_err err = read_privacy(c, &spec->fp_rate);

    return err == SPV_OK ? read_updates(c, &spec->updates) : err;
}

/* Draws what the filter's tweak and decoys come from, and makes the wallet. */
static spv_err make_wallet(cli *c, spv_wallet_spec *spec, json_t **doc)
{
    uint8_t entropy[32];
    spv_place place;
    spv_err err = cli_place(c, &place);

    if (err == SPV_OK)
        err = cli_entropy(c, entropy, sizeof(entropy));
    if (err == SPV_OK) {
        spec->entropy = entropy;
        err = spv_client_create(&c->made, &place, spec, &c->trouble);
    }
    if (err == SPV_OK)
        *doc = wallet_doc(c->made);
    cli_cleanse(entropy, sizeof(entropy));
    return err;
}

/* ---- create ---- */

static spv_err read_words(cli *c, size_t *entropy_len)
{
    const char *text = cli_text(c, CLI_WORDS);

    *entropy_len = text && strcmp(text, "24") == 0 ? 32 : 16;
    if (!text || strcmp(text, "12") == 0 || strcmp(text, "24") == 0)
        return SPV_OK;
    return cli_fail(c, SPV_INVAL, "--words is 12 or 24, not '%s'", text);
}

static spv_err draw_mnemonic(cli *c, char out[SPV_MNEMONIC_TEXT], size_t len)
{
    uint8_t entropy[32];
    spv_err err = cli_entropy(c, entropy, len);

    if (err == SPV_OK)
        err = spv_mnemonic_of_entropy(out, entropy, len);
    cli_cleanse(entropy, sizeof(entropy));
    return err == SPV_OK || err == SPV_IO ? err : cli_fail_plain(c, err);
}

static spv_err create_with(cli *c, cli_secrets *secrets, json_t **doc)
{
    spv_wallet_spec spec = {.mnemonic = secrets->mnemonic,
                            .passphrase = secrets->passphrase,
                            .birthday = -1,
                            .birthday_time = (int64_t)time(NULL)};
    size_t entropy_len = 0;
    spv_err err = read_type(c, false, &spec.type);

    if (err == SPV_OK)
        err = read_words(c, &entropy_len);
    if (err == SPV_OK)
        err = read_gap(c, &spec.gap);
    if (err == SPV_OK)
        err = read_filter(c, &spec);
    if (err == SPV_OK)
        err = read_account(c, &spec.account);
    if (err == SPV_OK)
        err = cli_secret_new_passphrase(c, secrets);
    if (err == SPV_OK)
        err = draw_mnemonic(c, secrets->mnemonic, entropy_len);
    if (err == SPV_OK)
        err = make_wallet(c, &spec, doc);
    if (err == SPV_OK)
        (void)json_object_set_new(*doc, "mnemonic",
                                  cli_json_text(secrets->mnemonic));
    return err;
}

static void tell_what_to_write_down(const cli *c, bool has_passphrase)
{
    cli_say(c, CLI_NOTE,
            "write the mnemonic down%s: whoever has %s has the coins, and so "
            "has whoever reads the wallet's file, until 'spvclient wallet "
            "encrypt'",
            has_passphrase ? ", and the passphrase, without which it makes "
                             "another wallet"
                           : "",
            has_passphrase ? "both" : "it");
}

spv_err cli_wallet_create(cli *c, json_t **doc)
{
    cli_secrets secrets = {{0}, {0}};
    spv_err err = SPV_OK;

    cli_secret_guard();
    err = create_with(c, &secrets, doc);
    if (err == SPV_OK)
        tell_what_to_write_down(c, secrets.passphrase[0] != '\0');
    cli_cleanse(&secrets, sizeof(secrets));
    return err;
}

void cli_wallet_create_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"name", "name", CLI_AS_IS},
        {"type", "type", CLI_AS_IS},
        {"mnemonic", "mnemonic", CLI_AS_IS},
    };

    (void)c;
    cli_print_fields(doc, CLI_FIELDS(fields));
}

/* ---- restore ---- */

static spv_err restore_with(cli *c, cli_secrets *secrets, json_t **doc)
{
    spv_wallet_spec spec = {.mnemonic = secrets->mnemonic,
                            .passphrase = secrets->passphrase};
    spv_err err = read_type(c, true, &spec.type);

    if (err == SPV_OK)
        err = read_gap(c, &spec.gap);
    if (err == SPV_OK)
        err = read_filter(c, &spec);
    if (err == SPV_OK)
        err = read_account(c, &spec.account);
    if (err == SPV_OK)
        err = read_birthday(c, &spec);
    if (err == SPV_OK)
        err = cli_secret_mnemonic(c, secrets);
    if (err == SPV_OK)
        err = cli_secret_passphrase(c, secrets);
    return err == SPV_OK ? make_wallet(c, &spec, doc) : err;
}

spv_err cli_wallet_restore(cli *c, json_t **doc)
{
    cli_secrets secrets = {{0}, {0}};
    spv_err err = SPV_OK;

    cli_secret_guard();
    err = restore_with(c, &secrets, doc);
    cli_cleanse(&secrets, sizeof(secrets));
    if (err == SPV_OK)
        tell_birthday(c);
    return err;
}

/* ---- watch ---- */

typedef struct watch_list {
    cli *c;
    char **texts;
    size_t n;
} watch_list;

static spv_err check_public(watch_list *list, const char *text)
{
    spv_descriptor_info info;
    spv_text_error error = {0};
    spv_err err = spv_descriptor_inspect(&info, text, list->c->network, &error);

    if (err != SPV_OK)
        return cli_fail(list->c, err, "%s (at character %zu)", error.text,
                        error.at + 1);
    if (!info.has_private)
        return SPV_OK;
    (void)cli_fail(list->c, SPV_INVAL,
                   "a descriptor to watch holds public keys only, and this one "
                   "holds a private key");
    return cli_hint(&list->c->trouble, "'spvclient decode descriptor' on "
                                       "standard input prints its public form");
}

static spv_err add_watched(void *ctx, char *line, size_t len)
{
    watch_list *list = ctx;
    char **texts = NULL;
    spv_err err = SPV_OK;

    if (len == 0)
        return SPV_OK;
    err = check_public(list, line);
    if (err != SPV_OK)
        return err;
    texts = realloc(list->texts, (list->n + 1) * sizeof(*texts));
    if (!texts)
        return cli_fail_plain(list->c, SPV_NOMEM);
    list->texts = texts;
    texts[list->n] = strdup(line);
    return texts[list->n++] ? SPV_OK : cli_fail_plain(list->c, SPV_NOMEM);
}

/* Wallets that hand out segwit addresses print an xpub too. */
static void tell_plain_keys(const watch_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *text = list->texts[i];

        if (strncmp(text, "xpub", 4) == 0 || strncmp(text, "tpub", 4) == 0)
            cli_say(list->c, CLI_WARN,
                    "%.4s is taken as pkh (BIP 44); for segwit write "
                    "wpkh(%.4s/<0;1>/*), or give %s",
                    text, text, *text == 'x' ? "zpub" : "vpub");
    }
}

static spv_err watch_with(cli *c, watch_list *list, json_t **doc)
{
    spv_wallet_spec spec = {0};
    spv_err err = read_gap(c, &spec.gap);

    if (err == SPV_OK)
        err = read_filter(c, &spec);
    if (err == SPV_OK)
        err = cli_input_lines(c, 0, add_watched, list);
    if (err == SPV_OK && list->n == 0)
        err = cli_fail(c, SPV_INVAL, "there is nothing to watch");
    if (err == SPV_OK)
        err = read_birthday(c, &spec);
    if (err != SPV_OK)
        return err;
    spec.descriptors = (const char *const *)list->texts;
    spec.n_descriptors = list->n;
    return make_wallet(c, &spec, doc);
}

static void tell_repeated(const watch_list *list, const json_t *doc)
{
    if (json_array_size(json_object_get(doc, "descriptors")) < list->n)
        cli_say(list->c, CLI_NOTE,
                "what is named more than once is watched once");
}

spv_err cli_wallet_watch(cli *c, json_t **doc)
{
    watch_list list = {.c = c};
    spv_err err = watch_with(c, &list, doc);

    if (err == SPV_OK) {
        tell_repeated(&list, *doc);
        tell_plain_keys(&list);
        tell_birthday(c);
    }
    for (size_t i = 0; i < list.n; i++)
        free(list.texts[i]);
    free(list.texts);
    return err;
}

/* ---- list, show ---- */

spv_err cli_wallet_list(cli *c, json_t **doc)
{
    char **names = NULL;
    size_t n = 0;
    spv_place place;
    spv_err err = cli_place(c, &place);

    if (err == SPV_OK)
        err = spv_wallet_names(&names, &n, place.datadir, place.network,
                               &c->trouble);
    if (err != SPV_OK)
        return err;
    *doc = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(*doc, json_pack("{s:s}", "name", names[i]));
    spv_names_free(names, n);
    return SPV_OK;
}

void cli_wallet_list_text(const cli *c, const json_t *doc)
{
    size_t i = 0;
    const json_t *row = NULL;

    if (json_array_size(doc) == 0)
        cli_say(c, CLI_NOTE, "no wallets on %s", c->network->name);
    json_array_foreach(doc, i, row)(void)
        printf("%s\n", cli_doc_text(row, "name"));
}

spv_err cli_wallet_show(cli *c, json_t **doc)
{
    spv_client *client = NULL;
    spv_wallet_info info;
    spv_err err = cli_open(c, &client);

    if (err != SPV_OK)
        return err;
    spv_client_info(client, &info);
    cli_tell_standing(c, &info);
    *doc = wallet_doc(client);
    spv_client_free(client);
    return SPV_OK;
}

/* ---- rescan ---- */

/* Addresses that were looked for would be looked for no more. */
static spv_err check_larger_gap(cli *c, const spv_client *client, uint32_t gap)
{
    spv_wallet_info info;

    spv_client_info(client, &info);
    if (!gap || gap >= info.gap)
        return SPV_OK;
    (void)cli_fail(c, SPV_INVAL,
                   "--gap %u would look less far than the wallet does", gap);
    return cli_hint(&c->trouble, "its gap is %u; a rescan can only raise it",
                    info.gap);
}

static spv_err rescan(cli *c, spv_client *client, json_t **doc)
{
    cli_point from;
    uint32_t gap = 0;
    int32_t start = SPV_NO_HEIGHT;
    spv_wallet_info info;
    spv_err err = cli_point_of(c, CLI_FROM, &from);

    if (err == SPV_OK)
        err = read_gap(c, &gap);
    if (err == SPV_OK)
        err = check_larger_gap(c, client, gap);
    if (err != SPV_OK)
        return err;
    err = spv_client_rescan(client, from.height, from.time, gap, &start);
    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    spv_client_info(client, &info);
    *doc = json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", info.name,
                     "from_height", cli_json_height(start), "from_time",
                     cli_json_date(start < 0 ? info.rescan_time : -1), "gap",
                     cli_json_count(info.gap), "birthday_height",
                     cli_json_height(info.birthday_height));
    cli_tell_standing(c, &info);
    return SPV_OK;
}

spv_err cli_wallet_rescan(cli *c, json_t **doc)
{
    spv_client *client = NULL;
    spv_err err = cli_open(c, &client);

    if (err == SPV_OK)
        err = rescan(c, client, doc);
    spv_client_free(client);
    return err;
}

void cli_wallet_rescan_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"name", "name", CLI_AS_IS},
        {"from_height", "from height", CLI_AS_IS},
        {"from_time", "from", CLI_AS_TIME},
        {"gap", "gap", CLI_AS_IS},
    };
    json_t *shown = json_copy((json_t *)doc);

    (void)c;
    (void)json_object_del(shown, json_is_null(json_object_get(doc, "from_time"))
                                     ? "from_time"
                                     : "from_height");
    cli_print_fields(shown, CLI_FIELDS(fields));
    json_decref(shown);
}
