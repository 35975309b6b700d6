#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spv/hex.h>
#include <spv/script.h>

#include "cli/decode.h"

/* Names of operations as the node prints them. */

enum {
    OP_1NEGATE = 0x4f,
    OP_RESERVED = 0x50,
    OP_1 = 0x51,
    OP_16 = 0x60,
    OP_NOP = 0x61,
    NAME_MAX_LEN = 32,
    NUMBER_MAX_LEN = 4
};

/* From OP_NOP on, without "OP_". */
static const char *const names[] = {"NOP",
                                    "VER",
                                    "IF",
                                    "NOTIF",
                                    "VERIF",
                                    "VERNOTIF",
                                    "ELSE",
                                    "ENDIF",
                                    "VERIFY",
                                    "RETURN",
                                    "TOALTSTACK",
                                    "FROMALTSTACK",
                                    "2DROP",
                                    "2DUP",
                                    "3DUP",
                                    "2OVER",
                                    "2ROT",
                                    "2SWAP",
                                    "IFDUP",
                                    "DEPTH",
                                    "DROP",
                                    "DUP",
                                    "NIP",
                                    "OVER",
                                    "PICK",
                                    "ROLL",
                                    "ROT",
                                    "SWAP",
                                    "TUCK",
                                    "CAT",
                                    "SUBSTR",
                                    "LEFT",
                                    "RIGHT",
                                    "SIZE",
                                    "INVERT",
                                    "AND",
                                    "OR",
                                    "XOR",
                                    "EQUAL",
                                    "EQUALVERIFY",
                                    "RESERVED1",
                                    "RESERVED2",
                                    "1ADD",
                                    "1SUB",
                                    "2MUL",
                                    "2DIV",
                                    "NEGATE",
                                    "ABS",
                                    "NOT",
                                    "0NOTEQUAL",
                                    "ADD",
                                    "SUB",
                                    "MUL",
                                    "DIV",
                                    "MOD",
                                    "LSHIFT",
                                    "RSHIFT",
                                    "BOOLAND",
                                    "BOOLOR",
                                    "NUMEQUAL",
                                    "NUMEQUALVERIFY",
                                    "NUMNOTEQUAL",
                                    "LESSTHAN",
                                    "GREATERTHAN",
                                    "LESSTHANOREQUAL",
                                    "GREATERTHANOREQUAL",
                                    "MIN",
                                    "MAX",
                                    "WITHIN",
                                    "RIPEMD160",
                                    "SHA1",
                                    "SHA256",
                                    "HASH160",
                                    "HASH256",
                                    "CODESEPARATOR",
                                    "CHECKSIG",
                                    "CHECKSIGVERIFY",
                                    "CHECKMULTISIG",
                                    "CHECKMULTISIGVERIFY",
                                    "NOP1",
                                    "CHECKLOCKTIMEVERIFY",
                                    "CHECKSEQUENCEVERIFY",
                                    "NOP4",
                                    "NOP5",
                                    "NOP6",
                                    "NOP7",
                                    "NOP8",
                                    "NOP9",
                                    "NOP10",
                                    "CHECKSIGADD"};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

_Static_assert(OP_NOP + NAMES - 1 == 0xba, "OP_CHECKSIGADD is the last one");

static void format_name(char out[NAME_MAX_LEN], uint8_t opcode)
{
    if (opcode == OP_1NEGATE)
        (void)snprintf(out, NAME_MAX_LEN, "-1");
    else if (opcode == OP_RESERVED)
        (void)snprintf(out, NAME_MAX_LEN, "OP_RESERVED");
    else if (opcode >= OP_1 && opcode <= OP_16)
        (void)snprintf(out, NAME_MAX_LEN, "%d", opcode - OP_1 + 1);
    else if (opcode >= OP_NOP && opcode < OP_NOP + NAMES)
        (void)snprintf(out, NAME_MAX_LEN, "OP_%s", names[opcode - OP_NOP]);
    else
        (void)snprintf(out, NAME_MAX_LEN, "OP_UNKNOWN");
}

/* A short push is a number: little-endian, the highest bit its sign. */
static int64_t script_number(const uint8_t *data, size_t len)
{
    int64_t n = 0;

    if (len == 0)
        return 0;
    for (size_t i = len; i-- > 0;)
        n = n * 256 + (i + 1 == len ? data[i] & 0x7f : data[i]);
    return data[len - 1] & 0x80 ? -n : n;
}

static void write_op(FILE *to, const spv_script_op *op)
{
    char name[NAME_MAX_LEN];

    if (!op->data) {
        format_name(name, op->opcode);
        (void)fputs(name, to);
        return;
    }
    if (op->len <= NUMBER_MAX_LEN) {
        (void)fprintf(to, "%" PRId64, script_number(op->data, op->len));
        return;
    }
    for (size_t i = 0; i < op->len; i++) {
        spv_hex_format(name, &op->data[i], 1);
        (void)fputs(name, to);
    }
}

json_t *cli_script_asm(const uint8_t *script, size_t len)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    spv_script_op op;
    size_t at = 0;
    json_t *value = NULL;

    if (!to)
        return NULL;
    for (bool first = true; spv_script_next(&op, script, len, &at);
         first = false) {
        if (!first)
            (void)fputc(' ', to);
        write_op(to, &op);
    }
    if (at > len)
        (void)fputs(ftell(to) > 0 ? " [error]" : "[error]", to);
    if (fclose(to) == 0)
        value = json_stringn(text, size);
    free(text);
    return value;
}
