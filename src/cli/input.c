#include "cli/input.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spv/hex.h>

/* ---- Pieces ---- */

static spv_err grow(cli *c, uint8_t **bytes, size_t *cap)
{
    size_t more = *cap ? 2 * *cap : 4096;
    uint8_t *grown = realloc(*bytes, more);

    if (!grown)
        return cli_fail_plain(c, SPV_NOMEM);
    *bytes = grown;
    *cap = more;
    return SPV_OK;
}

/* Hex takes two digits a byte, so that much and some white space is read. */
static spv_err read_all(cli *c, FILE *file, const char *name, uint8_t **bytes,
                        size_t *len)
{
    size_t cap = 0;
    spv_err err = SPV_OK;

    *len = 0;
    while (err == SPV_OK && !feof(file)) {
        if (*len == cap)
            err = grow(c, bytes, &cap);
        if (err == SPV_OK)
            *len += fread(*bytes + *len, 1, cap - *len, file);
        if (ferror(file))
            return cli_fail(c, SPV_IO, "cannot read %s: %s", name,
                            strerror(errno));
        if (*len > (size_t)CLI_INPUT_MAX * 2 + 4096)
            return cli_fail(c, SPV_LIMIT, "%s is over %d MB", name,
                            CLI_INPUT_MAX >> 20);
    }
    return err;
}

static bool is_hex(const uint8_t *bytes, size_t len)
{
    size_t digits = 0;

    for (size_t i = 0; i < len; i++) {
        if (isspace(bytes[i]))
            continue;
        if (!isxdigit(bytes[i]))
            return false;
        digits++;
    }
    return digits > 0;
}

/* No bytes of the protocol are nothing but letters. */
static bool is_text(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isspace(bytes[i]) && !isprint(bytes[i]))
            return false;
    return true;
}

/* In place: white space out, then two digits to a byte. */
static spv_err unhex(cli *c, const char *name, uint8_t *bytes, size_t *len)
{
    size_t digits = 0;

    for (size_t i = 0; i < *len; i++)
        if (!isspace(bytes[i]))
            bytes[digits++] = bytes[i];
    if (digits % 2)
        return cli_fail(c, SPV_MALFORMED,
                        "%s has an odd number of hex digits, %zu: one is "
                        "missing, or one too many",
                        name, digits);
    *len = digits / 2;
    return spv_hex_parse(bytes, (const char *)bytes, digits);
}

static spv_err read_stream(cli *c, FILE *file, const char *name,
                           uint8_t **bytes, size_t *len)
{
    spv_err err = read_all(c, file, name, bytes, len);

    if (err != SPV_OK)
        return err;
    if (*len == 0)
        return cli_fail(c, SPV_TRUNCATED, "%s is empty", name);
    if (is_hex(*bytes, *len))
        err = unhex(c, name, *bytes, len);
    else if (is_text(*bytes, *len))
        return cli_fail(c, SPV_MALFORMED, "%s is text, and no hex", name);
    if (err == SPV_OK && *len > CLI_INPUT_MAX)
        return cli_fail(c, SPV_LIMIT, "%s is over %d MB", name,
                        CLI_INPUT_MAX >> 20);
    return err;
}

static spv_err read_file(cli *c, const char *path, uint8_t **bytes, size_t *len)
{
    FILE *file = fopen(path, "rb");
    spv_err err = SPV_OK;

    if (!file && errno == ENOENT)
        return cli_fail(c, SPV_NOT_FOUND,
                        "'%.80s' is neither hex nor the name of a file", path);
    if (!file)
        return cli_fail(c, SPV_IO, "cannot read %s: %s", path, strerror(errno));
    err = read_stream(c, file, path, bytes, len);
    (void)fclose(file);
    return err;
}

static spv_err read_operand(cli *c, const char *text, uint8_t **bytes,
                            size_t *len)
{
    *len = strlen(text);
    if (!is_hex((const uint8_t *)text, *len))
        return read_file(c, text, bytes, len);
    *bytes = malloc(*len);
    if (!*bytes)
        return cli_fail_plain(c, SPV_NOMEM);
    memcpy(*bytes, text, *len);
    if (unhex(c, "the operand", *bytes, len) == SPV_OK)
        return SPV_OK;
    return access(text, F_OK) == 0
               ? cli_hint(&c->trouble, "./%s is the file of that name", text)
               : c->trouble.code;
}

static void tell_that_input_is_awaited(const cli *c, const char *what)
{
    if (isatty(STDIN_FILENO))
        cli_say(c, CLI_NOTE, "reading %s from the terminal; Ctrl-D ends it",
                what);
}

spv_err cli_input_bytes(cli *c, size_t i, uint8_t **bytes, size_t *len)
{
    spv_err err = SPV_OK;

    *bytes = NULL;
    if (i < c->n_args && strcmp(c->args[i], "-") != 0) {
        err = read_operand(c, c->args[i], bytes, len);
    } else {
        tell_that_input_is_awaited(c, "hex");
        err = read_stream(c, stdin, "standard input", bytes, len);
    }
    if (err == SPV_OK)
        return err;
    free(*bytes);
    *bytes = NULL;
    return err;
}

/* ---- Lines ---- */

static size_t chomp(char *line, size_t len)
{
    if (len && line[len - 1] == '\n')
        line[--len] = '\0';
    return len;
}

spv_err cli_input_line(cli *c, size_t i, char **line)
{
    size_t cap = 0;
    ssize_t len = 0;

    *line = NULL;
    if (i < c->n_args && strcmp(c->args[i], "-") != 0) {
        *line = strdup(c->args[i]);
        return *line ? SPV_OK : cli_fail_plain(c, SPV_NOMEM);
    }
    tell_that_input_is_awaited(c, "a line");
    len = getline(line, &cap, stdin);
    if (len > 0) {
        len = (ssize_t)chomp(*line, (size_t)len);
        while (len > 0 && isspace((unsigned char)(*line)[len - 1]))
            (*line)[--len] = '\0';
    }
    if (len > 0)
        return SPV_OK;
    free(*line);
    *line = NULL;
    return cli_fail(c, SPV_TRUNCATED, "standard input is empty");
}

static spv_err take_operands(cli *c, size_t from, cli_line *take, void *ctx)
{
    spv_err err = SPV_OK;

    for (size_t i = from; i < c->n_args && err == SPV_OK; i++) {
        char *copy = strdup(c->args[i]);

        err =
            copy ? take(ctx, copy, strlen(copy)) : cli_fail_plain(c, SPV_NOMEM);
        free(copy);
    }
    return err;
}

spv_err cli_input_lines(cli *c, size_t from, cli_line *take, void *ctx)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len = 0;
    uint64_t number = 0;
    spv_err err = SPV_OK;

    if (from < c->n_args &&
        !(from + 1 == c->n_args && strcmp(c->args[from], "-") == 0))
        return take_operands(c, from, take, ctx);
    tell_that_input_is_awaited(c, "lines");
    while (err == SPV_OK && (len = getline(&line, &cap, stdin)) >= 0) {
        number++;
        err = take(ctx, line, chomp(line, (size_t)len));
    }
    free(line);
    if (err != SPV_OK && c->trouble.code != SPV_NOMEM)
        return cli_trouble_at(&c->trouble, "line %llu",
                              (unsigned long long)number);
    if (err == SPV_OK && ferror(stdin))
        return cli_fail(c, SPV_IO, "cannot read standard input: %s",
                        strerror(errno));
    return err;
}
