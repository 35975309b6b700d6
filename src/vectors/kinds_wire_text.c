#include <ctype.h>
#include <string.h>

#include <spv/address.h>

#include "base/base58.h"
#include "base/bech32.h"
#include "vectors/kinds_wire.h"

static void expect_text_bytes(spv_case *c, const char *what, const spv_buf *got,
                              const char *want)
{
    spv__expect_bytes(c, what, got->bytes, got->len,
                      (spv_view){(const uint8_t *)want, strlen(want)});
}

void spv__kind_base58(spv_case *c)
{
    const char *text = spv__case_text(c, "base58");
    spv_view bytes = spv__case_hex(c, "hex");
    spv_buf out = SPV_BUF_EMPTY;

    spv__expect_ok(c, "format",
                   spv__base58_format(&out, bytes.bytes, bytes.len));
    expect_text_bytes(c, "text", &out, text);
    spv__buf_reset(&out);
    spv__expect_ok(c, "parse", spv__base58_parse(&out, text, strlen(text)));
    spv__expect_buf(c, "bytes", &out, bytes);
    spv__buf_clear(&out);
}

void spv__kind_base58_decode(spv_case *c)
{
    const char *text = spv__case_text(c, "base58");
    bool valid = spv__case_bool(c, "valid");
    spv_buf out = SPV_BUF_EMPTY;
    spv_err err = spv__base58_parse(&out, text, strlen(text));

    spv__expect_true(c, "valid", (err == SPV_OK) == valid);
    if (valid)
        spv__expect_buf(c, "bytes", &out, spv__case_hex(c, "hex"));
    spv__buf_clear(&out);
}

void spv__kind_base58check(spv_case *c)
{
    const char *text = spv__case_text(c, "string");
    bool valid = spv__case_bool(c, "valid");
    spv_buf out = SPV_BUF_EMPTY;
    spv_buf again = SPV_BUF_EMPTY;
    spv_err err = spv__base58check_parse(&out, text, strlen(text));

    spv__expect_true(c, "valid", (err == SPV_OK) == valid);
    if (valid) {
        spv__expect_buf(c, "payload", &out, spv__case_hex(c, "payload"));
        spv__expect_ok(c, "format",
                       spv__base58check_format(&again, out.bytes, out.len));
        expect_text_bytes(c, "text", &again, text);
    }
    spv__buf_clear(&out);
    spv__buf_clear(&again);
}

/* Any string of bytes: what is not valid as `encoding` must not be taken for
 * it; what is must not be taken for the other one. */
void spv__kind_bech32_string(spv_case *c)
{
    static const char *const names[] = {"bech32", "bech32m"};
    spv_view text = spv__case_hex(c, "string_hex");
    spv_bech32 b;
    spv_err err = spv__bech32_parse(&b, (const char *)text.bytes, text.len);
    const char *got = err == SPV_OK ? names[b.kind] : "neither";
    const char *encoding = spv__case_text(c, "encoding");
    const json_t *data = NULL;
    spv_buf out = SPV_BUF_EMPTY;

    spv__expect_true(
        c, "valid", (strcmp(got, encoding) == 0) == spv__case_bool(c, "valid"));
    if (!spv__case_bool(c, "valid") || err != SPV_OK)
        return;
    spv__expect_false(c, "valid as the other",
                      strcmp(got, spv__case_text(c, "invalid_as")) == 0);
    spv__expect_text(c, "hrp", b.hrp, spv__case_text(c, "hrp"));
    data = spv__expect_array(c, spv__case_vector(c), "data5", b.len);
    for (size_t i = 0; data && i < b.len; i++)
        spv__expect_int(c, "data5", b.data[i],
                        json_integer_value(json_array_get(data, i)));
    spv__expect_ok(c, "format", spv__bech32_format(&out, &b));
    for (size_t i = 0; i < out.len && i < text.len; i++)
        spv__expect_int(c, "text", out.bytes[i], tolower(text.bytes[i]));
    spv__expect_int(c, "length", (int64_t)out.len, (int64_t)text.len);
    spv__buf_clear(&out);
}

/* To the script and back; bech32 comes back in lower case. */
static void check_address(spv_case *c, const char *text, const char *canonical,
                          const spv_network *network)
{
    uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
    char again[SPV_ADDRESS_TEXT] = "";
    size_t len = 0;
    spv_err err = spv_address_parse(script, &len, text, network);

    if (!spv__expect_ok(c, "parse", err))
        return;
    spv__expect_bytes(c, "script_pubkey", script, len,
                      spv__case_hex(c, "script_pubkey"));
    spv__expect_ok(c, "format",
                   spv_address_format(again, script, len, network));
    spv__expect_text(c, "address", again, canonical);
}

/* Every letter in the other case. */
static void flip_case(char *out, size_t cap, const char *text)
{
    size_t n = strlen(text) < cap ? strlen(text) : cap - 1;

    for (size_t i = 0; i < n; i++)
        out[i] = (char)(islower((unsigned char)text[i])
                            ? toupper((unsigned char)text[i])
                            : tolower((unsigned char)text[i]));
    out[n] = '\0';
}

/* Networks that share all of their prefixes cannot tell addresses apart. */
static bool shares_prefixes(const spv_network *a, const spv_network *b)
{
    return a->p2pkh == b->p2pkh && strcmp(a->hrp, b->hrp) == 0;
}

static void check_elsewhere(spv_case *c, const char *text,
                            const spv_network *network)
{
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *other = spv_network_get((spv_chain)i);
        uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
        size_t len = 0;
        spv_err err = spv_address_parse(script, &len, text, other);

        if (shares_prefixes(other, network))
            spv__expect_ok(c, other->name, err);
        else if (other->p2pkh != network->p2pkh)
            spv__expect_text(c, other->name, spv_err_name(err), "NETWORK");
    }
}

void spv__kind_address(spv_case *c)
{
    const spv_network *network = spv_network_find(spv__case_text(c, "chain"));
    const char *text = spv__case_text(c, "address");
    char flipped[SPV_ADDRESS_TEXT];
    uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
    size_t len = 0;

    spv__expect_true(c, "network known", network != NULL);
    if (!network)
        return;
    check_address(c, text, text, network);
    check_elsewhere(c, text, network);
    flip_case(flipped, sizeof(flipped), text);
    if (spv__case_has(c, "case_flip_also_valid"))
        check_address(c, flipped, text, network);
    else
        spv__expect_true(c, "case flipped is refused",
                         spv_address_parse(script, &len, flipped, network) !=
                             SPV_OK);
}

/* Invalid ones are invalid on every network, whatever prefix they bear. */
static void check_refused(spv_case *c, const char *text)
{
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *network = spv_network_get((spv_chain)i);
        uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
        size_t len = 0;
        spv_err err = spv_address_parse(script, &len, text, network);

        spv__expect_true(c, network->name,
                         err == SPV_MALFORMED || err == SPV_CHECKSUM);
    }
}

void spv__kind_segwit_address(spv_case *c)
{
    const char *text = spv__case_text(c, "address");
    char lower[SPV_ADDRESS_TEXT] = "";
    const char *hrp = NULL;

    if (!spv__case_bool(c, "valid")) {
        check_refused(c, text);
        return;
    }
    hrp = spv__case_text(c, "hrp");
    for (size_t i = 0; text[i] && i + 1 < sizeof(lower); i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *network = spv_network_get((spv_chain)i);

        if (strcmp(network->hrp, hrp) == 0)
            check_address(c, text, lower, network);
    }
}
