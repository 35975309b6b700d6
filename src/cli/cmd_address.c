#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/open.h"
#include "cli/text.h"
#include "cli/values.h"

static json_t *address_doc(const spv_client *client,
                           const spv_wallet_address *a)
{
    return json_pack(
        "{s:o, s:o, s:I, s:b, s:b}", "address",
        cli_json_text(a->address[0] ? a->address : NULL), "descriptor",
        cli_json_text(spv_client_descriptor(client, a->descriptor)), "index",
        (json_int_t)a->index, "change", a->change, "used", a->used);
}

static spv_err explain(cli *c, spv_err err)
{
    if (err == SPV_NOT_FOUND)
        return cli_fail(c, err, "this wallet has no %s to take one from",
                        cli_on(c, CLI_CHANGE) ? "chain of change addresses"
                                              : "chain of addresses");
    if (err != SPV_LIMIT)
        return cli_fail_plain(c, err);
    (void)cli_fail(c, err,
                   "so many unused addresses are out that another "
                   "would lie beyond the gap limit");
    return cli_hint(&c->trouble,
                    "use one of 'spvclient address list', or raise the limit "
                    "with 'spvclient wallet rescan --gap N'");
}

static spv_err give_address(cli *c, bool fresh, json_t **doc)
{
    spv_client *client = NULL;
    spv_wallet_address address;
    spv_err err = cli_open(c, &client);

    if (err != SPV_OK)
        return err;
    err = spv_client_address(client, cli_on(c, CLI_CHANGE), fresh, &address);
    if (err == SPV_OK)
        *doc = address_doc(client, &address);
    else
        (void)explain(c, err);
    spv_client_free(client);
    return err;
}

spv_err cli_address_next(cli *c, json_t **doc)
{
    return give_address(c, false, doc);
}

spv_err cli_address_new(cli *c, json_t **doc)
{
    return give_address(c, true, doc);
}

/* The address and nothing else, ready to be piped on. */
void cli_address_text(const cli *c, const json_t *doc)
{
    (void)c;
    (void)printf("%s\n", cli_doc_text(doc, "address"));
}

static spv_err list_addresses(cli *c, const spv_client *client, json_t **doc)
{
    spv_wallet_address *list = NULL;
    size_t n = 0;
    spv_err err = spv_client_addresses(client, &list, &n);

    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    *doc = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(*doc, address_doc(client, &list[i]));
    free(list);
    return SPV_OK;
}

spv_err cli_address_list(cli *c, json_t **doc)
{
    spv_client *client = NULL;
    spv_err err = cli_open(c, &client);

    if (err == SPV_OK)
        err = list_addresses(c, client, doc);
    spv_client_free(client);
    return err;
}

/* "sh(wpkh(KEY))#qwertyui" as "sh-wpkh#qwertyui": its functions, and the
 * checksum that tells it from others of its kind. */
static json_t *short_descriptor(const char *text)
{
    char out[64] = "";
    size_t len = 0;
    const char *checksum = strrchr(text, '#');

    for (const char *open = NULL; (open = strchr(text, '(')) != NULL;
         text = open + 1) {
        size_t n = (size_t)(open - text);

        if (strspn(text, "abcdefghijklmnopqrstuvwxyz_") != n ||
            len + n + 2 > sizeof(out) / 2)
            break;
        len += (size_t)snprintf(out + len, sizeof(out) - len, "%s%.*s",
                                len ? "-" : "", (int)n, text);
    }
    (void)snprintf(out + len, sizeof(out) - len, "%.16s",
                   checksum ? checksum : "");
    return json_string(out);
}

static bool has_several(const json_t *addresses)
{
    const char *first =
        cli_doc_text(json_array_get(addresses, 0), "descriptor");
    size_t i = 0;
    const json_t *row = NULL;

    json_array_foreach(addresses, i, row)
    {
        if (strcmp(cli_doc_text(row, "descriptor"), first) != 0)
            return true;
    }
    return false;
}

void cli_address_list_text(const cli *c, const json_t *doc)
{
    static const cli_field columns[] = {
        {"address", "ADDRESS", CLI_AS_IS},       {"index", "INDEX", CLI_AS_IS},
        {"change", "CHANGE", CLI_AS_IS},         {"used", "USED", CLI_AS_IS},
        {"descriptor", "DESCRIPTOR", CLI_AS_IS},
    };
    size_t n = sizeof(columns) / sizeof(columns[0]);
    json_t *rows = json_deep_copy(doc);
    size_t i = 0;
    json_t *row = NULL;

    json_array_foreach(rows, i, row)
    {
        const char *text = cli_doc_text(row, "descriptor");

        (void)json_object_set_new(row, "descriptor", short_descriptor(text));
    }
    cli_print_table(c, rows, columns, has_several(doc) ? n : n - 1);
    json_decref(rows);
}
