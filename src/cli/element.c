#include "cli/element.h"

#include <ctype.h>
#include <string.h>

#include <spv/address.h>
#include <spv/hex.h>
#include <spv/tx.h>

#include "cli/decode.h"

spv_err cli_element_check_form(cli *c)
{
    if (!cli_on(c, CLI_TEXT) || !cli_on(c, CLI_ADDRESS))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL, "--text and --address exclude each other");
}

static size_t trim_end(char *line, size_t len)
{
    while (len && isspace((unsigned char)line[len - 1]))
        line[--len] = '\0';
    return len;
}

static spv_err parse_address(cli *c, const char *text, cli_element *out)
{
    size_t script_len = 0;
    const uint8_t *element = NULL;
    spv_err err = spv_address_parse(out->own, &script_len, text, c->network);

    if (err != SPV_OK)
        return cli_address_fail(c, err, text);
    element = spv_script_element(out->own, script_len, &out->len);
    if (!element)
        return cli_fail(c, SPV_UNSUPPORTED, "no filter can find '%s'", text);
    out->bytes = element;
    return SPV_OK;
}

static spv_err hint_at_forms(cli *c)
{
    return cli_hint(&c->trouble, "use --text for lines of text, --address "
                                 "for addresses");
}

/* TXID:VOUT, as people write an outpoint. */
static spv_err parse_outpoint(cli *c, char *line, char *colon, cli_element *out)
{
    spv_outpoint outpoint;
    uint64_t vout = 0;

    *colon = '\0';
    if (spv_hash_parse(&outpoint.txid, line) != SPV_OK ||
        !cli_parse_number(&vout, colon + 1, UINT32_MAX)) {
        (void)cli_fail(c, SPV_MALFORMED, "'%.64s:%.16s' is not TXID:VOUT", line,
                       colon + 1);
        return hint_at_forms(c);
    }
    outpoint.vout = (uint32_t)vout;
    spv_outpoint_encode(out->own, &outpoint);
    out->bytes = out->own;
    out->len = SPV_OUTPOINT_LEN;
    return SPV_OK;
}

/* How a line begins: enough to know it by. */
enum { START = 64, SHOWN = 20 };

/* The first character that is no digit; `len` when it is not among them. */
static size_t find_no_digit(const char *start, size_t len)
{
    size_t i = 0;

    while (i < len && i < START && isxdigit((unsigned char)start[i]))
        i++;
    return i < len && i < START ? i : len;
}

static spv_err refuse_hex(cli *c, const char start[START], size_t len)
{
    size_t bad = find_no_digit(start, len);
    unsigned char byte = bad < len ? (unsigned char)start[bad] : 'x';
    int shown = (int)(len < SHOWN ? len : SHOWN);
    const char *more = len > SHOWN ? "..." : "";

    if (!isprint(byte) && byte < 0x80)
        return cli_fail(c, SPV_MALFORMED,
                        "'%.*s%s' is not hex: byte %zu of it is %02x", shown,
                        start, more, bad + 1, byte);
    if (bad == len && len % 2)
        return cli_fail(c, SPV_MALFORMED,
                        "'%.*s%s' has an odd number of hex digits, %zu", shown,
                        start, more, len);
    (void)cli_fail(c, SPV_MALFORMED, "'%.*s%s' is not hex", shown, start, more);
    if (bad == 1 && start[0] == '0' && (byte | 0x20) == 'x')
        return cli_hint(&c->trouble, "hex is written without 0x");
    return hint_at_forms(c);
}

/* In place: two digits give one byte, which lies before them. */
static spv_err parse_hex(cli *c, char *line, size_t len, cli_element *out)
{
    char start[START];

    memcpy(start, line, len < START ? len : START);
    if (spv_hex_parse((uint8_t *)line, line, len) != SPV_OK)
        return refuse_hex(c, start, len);
    out->bytes = (const uint8_t *)line;
    out->len = len / 2;
    return SPV_OK;
}

spv_err cli_element_parse(cli *c, char *line, size_t len, cli_element *out)
{
    char *colon = NULL;

    *out = (cli_element){.bytes = (const uint8_t *)line, .len = len};
    if (cli_on(c, CLI_TEXT)) {
        out->is_blank = len == 0;
        return SPV_OK;
    }
    len = trim_end(line, len);
    for (; len && isspace((unsigned char)*line); len--)
        line++;
    out->is_blank = len == 0;
    if (out->is_blank)
        return SPV_OK;
    if (cli_on(c, CLI_ADDRESS))
        return parse_address(c, line, out);
    colon = strchr(line, ':');
    return colon ? parse_outpoint(c, line, colon, out)
                 : parse_hex(c, line, len, out);
}
