#include <stdlib.h>
#include <string.h>

#include <spv/address.h>
#include <spv/block.h>
#include <spv/descriptor.h>
#include <spv/script.h>

#include "cli/commands.h"
#include "cli/decode.h"
#include "cli/input.h"
#include "cli/secret.h"
#include "cli/values.h"

/* ---- From bytes ---- */

/* Makes the document of some bytes, of which `left` are left over (more than
 * none: SPV_MALFORMED), or says why they are none. */
typedef spv_err decoder(cli *c, const uint8_t *bytes, size_t len, size_t *left,
                        json_t **doc);

static spv_err refuse(cli *c, spv_err err, const char *what, size_t len,
                      size_t left)
{
    if (left)
        return cli_fail(c, err,
                        "this is no %s: %zu of its %zu bytes are left "
                        "over",
                        what, left, len);
    if (err == SPV_TRUNCATED)
        return cli_fail(c, err, "this is no %s: its %zu bytes end too early",
                        what, len);
    if (err == SPV_MALFORMED)
        return cli_fail(c, err, "this is no %s: its %zu bytes do not form one",
                        what, len);
    return cli_fail(c, err, "this is no %s: %s", what, spv_err_text(err));
}

static spv_err decode(cli *c, decoder *d, const char *what, json_t **doc)
{
    uint8_t *bytes = NULL;
    size_t len = 0;
    size_t left = 0;
    spv_err err = cli_input_bytes(c, 0, &bytes, &len);

    if (err != SPV_OK)
        return err;
    err = d(c, bytes, len, &left, doc);
    if (err != SPV_OK)
        (void)refuse(c, err, what, len, left);
    free(bytes);
    return err;
}

static spv_err tx(cli *c, const uint8_t *bytes, size_t len, size_t *left,
                  json_t **doc)
{
    spv_tx decoded;
    size_t used = 0;
    spv_err err = spv_tx_decode(&decoded, bytes, len, &used);

    if (err != SPV_OK)
        return err;
    *left = len - used;
    if (*left == 0)
        *doc = cli_tx_doc(&decoded, c->network);
    spv_tx_clear(&decoded);
    return *left ? SPV_MALFORMED : SPV_OK;
}

spv_err cli_decode_tx(cli *c, json_t **doc)
{
    return decode(c, tx, "transaction", doc);
}

static spv_err header(cli *c, const uint8_t *bytes, size_t len, size_t *left,
                      json_t **doc)
{
    if (len < SPV_HEADER_LEN)
        return SPV_TRUNCATED;
    *left = len - SPV_HEADER_LEN;
    if (*left)
        return SPV_MALFORMED;
    *doc = cli_header_doc(bytes, c->network);
    return SPV_OK;
}

spv_err cli_decode_header(cli *c, json_t **doc)
{
    return decode(c, header, "block header of 80 bytes", doc);
}

static spv_err transactions(cli *c, spv_block_reader *reader, json_t *list)
{
    spv_tx decoded;
    spv_err err = SPV_OK;

    while ((err = spv_block_next(reader, &decoded)) == SPV_OK) {
        (void)json_array_append_new(list, cli_tx_doc(&decoded, c->network));
        spv_tx_clear(&decoded);
    }
    return err == SPV_NOT_FOUND ? SPV_OK : err;
}

static spv_err block(cli *c, const uint8_t *bytes, size_t len, size_t *left,
                     json_t **doc)
{
    spv_block_reader reader;
    json_t *list = NULL;
    spv_err err = spv_block_open(&reader, bytes, len);

    if (err != SPV_OK)
        return err;
    list = json_array();
    err = transactions(c, &reader, list);
    if (err == SPV_MALFORMED && reader.n_read == reader.n_tx)
        *left = reader.left;
    if (err == SPV_OK) {
        *doc = cli_header_doc(reader.header, c->network);
        (void)json_object_set_new(*doc, "size", cli_json_count(len));
        (void)json_object_set_new(*doc, "nTx", cli_json_count(reader.n_tx));
        (void)json_object_set(*doc, "tx", list);
    }
    json_decref(list);
    return err;
}

spv_err cli_decode_block(cli *c, json_t **doc)
{
    return decode(c, block, "block", doc);
}

static json_t *hashes_doc(const spv_merkle_tree *tree)
{
    json_t *list = json_array();

    for (size_t i = 0; i < tree->n_hashes; i++) {
        spv_hash hash;

        memcpy(hash.bytes, tree->hashes + i * sizeof(hash.bytes),
               sizeof(hash.bytes));
        (void)json_array_append_new(list, cli_json_hash(&hash));
    }
    return list;
}

static spv_err merkleblock(cli *c, const uint8_t *bytes, size_t len,
                           size_t *left, json_t **doc)
{
    const uint8_t *head = NULL;
    spv_merkle_tree tree;
    spv_err err = spv_merkleblock_open(&head, &tree, bytes, len);

    (void)left; /* it is only read whole */
    if (err != SPV_OK)
        return err;
    *doc = json_pack("{s:o, s:o, s:o, s:o}", "header",
                     cli_header_doc(head, c->network), "n_transactions",
                     cli_json_count(tree.n_txs), "hashes", hashes_doc(&tree),
                     "flags", cli_json_hex(tree.flags, tree.flags_len));
    return SPV_OK;
}

spv_err cli_decode_merkleblock(cli *c, json_t **doc)
{
    return decode(c, merkleblock, "merkleblock payload", doc);
}

spv_err cli_decode_filterload(cli *c, json_t **doc)
{
    spv_filter f = {0};
    spv_err err = cli_filter_of_input(c, &f);

    if (err == SPV_OK) {
        *doc = cli_filter_doc(&f);
        (void)json_object_set_new(*doc, "filter", cli_json_hex(f.bytes, f.len));
        (void)json_object_del(*doc, "payload");
    }
    spv_filter_clear(&f);
    return err;
}

/* ---- Scripts and addresses ---- */

static json_t *element_doc(const uint8_t *script, size_t len)
{
    size_t element_len = 0;
    const uint8_t *element = spv_script_element(script, len, &element_len);

    return element ? cli_json_hex(element, element_len) : json_null();
}

static spv_err script(cli *c, const uint8_t *bytes, size_t len, size_t *left,
                      json_t **doc)
{
    (void)left;
    *doc = cli_script_doc(bytes, len, c->network);
    (void)json_object_set_new(*doc, "filter_element", element_doc(bytes, len));
    return SPV_OK;
}

spv_err cli_decode_script(cli *c, json_t **doc)
{
    return decode(c, script, "script", doc);
}

/* A witness program: OP_0 or OP_1..16, then one push of the rest. */
static void add_witness(json_t *doc, const uint8_t *bytes, size_t len)
{
    bool witness = len >= 4 && bytes[1] == len - 2 &&
                   (bytes[0] == 0 || (bytes[0] >= 0x51 && bytes[0] <= 0x60));

    (void)json_object_set_new(doc, "iswitness", json_boolean(witness));
    if (!witness)
        return;
    (void)json_object_set_new(doc, "witness_version",
                              json_integer(bytes[0] ? bytes[0] - 0x50 : 0));
    (void)json_object_set_new(doc, "witness_program",
                              cli_json_hex(bytes + 2, len - 2));
}

spv_err cli_decode_address(cli *c, json_t **doc)
{
    uint8_t bytes[SPV_ADDRESS_SCRIPT_MAX];
    size_t len = 0;
    char *text = NULL;
    spv_err err = cli_input_line(c, 0, &text);

    if (err != SPV_OK)
        return err;
    err = spv_address_parse(bytes, &len, text, c->network);
    if (err == SPV_OK) {
        *doc = json_pack("{s:s, s:s, s:s, s:o, s:o}", "address", text, "chain",
                         c->network->name, "type",
                         spv_script_kind_name(spv_script_classify(bytes, len)),
                         "scriptPubKey", cli_json_hex(bytes, len),
                         "filter_element", element_doc(bytes, len));
        add_witness(*doc, bytes, len);
    } else {
        (void)cli_address_fail(c, err, text);
    }
    free(text);
    return err;
}

/* ---- Descriptors ---- */

enum { SCRIPT_MAX = 10000, SHOWN = 3 };

static spv_err fail_at(cli *c, const spv_text_error *error)
{
    return cli_fail(c, error->code, "%s (at character %zu)", error->text,
                    error->at + 1);
}

/* The first scripts of each branch: enough to see that it is the right one. */
static spv_err scripts_doc(cli *c, const char *text,
                           const spv_descriptor_info *info, json_t *list)
{
    static uint8_t bytes[SCRIPT_MAX];
    uint32_t shown = info->ranged ? SHOWN : 1;
    spv_text_error error = {0};
    spv_err err = SPV_OK;

    for (size_t branch = 0; branch < info->branches; branch++)
        for (uint32_t i = 0; i < shown && err == SPV_OK; i++) {
            size_t len = 0;

            err = spv_descriptor_script(bytes, sizeof(bytes), &len, text,
                                        branch, i, c->network, &error);
            if (err == SPV_OK)
                (void)json_array_append_new(
                    list, json_pack("{s:o, s:o, s:o, s:o}", "branch",
                                    cli_json_count(branch), "index",
                                    cli_json_count(i), "address",
                                    cli_json_address(bytes, len, c->network),
                                    "scriptPubKey", cli_json_hex(bytes, len)));
        }
    return err == SPV_OK ? err : fail_at(c, &error);
}

static spv_err descriptor_doc(cli *c, const char *text,
                              const spv_descriptor_info *info, json_t **doc)
{
    static char public_text[SPV_DESCRIPTOR_TEXT_MAX + 16];
    spv_text_error error = {0};
    json_t *list = json_array();
    spv_err err = spv_descriptor_expand(public_text, sizeof(public_text), text,
                                        c->network, &error);

    if (err != SPV_OK)
        err = fail_at(c, &error);
    if (err == SPV_OK)
        err = scripts_doc(c, text, info, list);
    if (err == SPV_OK)
        *doc = json_pack(
            "{s:s, s:s, s:b, s:b, s:b, s:o, s:O}", "descriptor", public_text,
            "checksum", info->checksum, "has_checksum", info->has_checksum,
            "isrange", info->ranged, "hasprivatekeys", info->has_private,
            "branches", cli_json_count(info->branches), "scripts", list);
    json_decref(list);
    return err;
}

spv_err cli_decode_descriptor(cli *c, json_t **doc)
{
    spv_descriptor_info info = {0};
    spv_text_error error = {0};
    char *text = NULL;
    bool from_argv = c->n_args > 0 && strcmp(c->args[0], "-") != 0;
    spv_err err = cli_input_line(c, 0, &text);

    if (err != SPV_OK)
        return err;
    err = spv_descriptor_inspect(&info, text, c->network, &error);
    if (err != SPV_OK)
        (void)fail_at(c, &error);
    else if (info.has_private && from_argv)
        err = cli_fail(c, SPV_INVAL,
                       "a private key is never taken from the command line: "
                       "pipe the descriptor in");
    else
        err = descriptor_doc(c, text, &info, doc);
    cli_cleanse(text, strlen(text));
    free(text);
    return err;
}
