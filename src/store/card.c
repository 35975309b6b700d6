#include "store/card.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/hex.h"
#include "store/file.h"

/* 1,000 descriptors of 1,000 characters. */
#define CARD_MAX (1 << 20)

#define HEAD     "# spvclient wallet card, version "
#define VERSION  "1\n"
#define SUM      "checksum="
#define SUM_LEN  (sizeof(SUM) - 1)
#define TAIL_LEN (SUM_LEN + 64 + 1)

void spv__card_clear(spv_card *card)
{
    spv__buf_clear(&card->lines);
}

static bool key_is_valid(const char *key)
{
    return *key && *key != '#' && !strpbrk(key, "=\r\n") &&
           strcmp(key, "checksum") != 0;
}

spv_err spv__card_add(spv_card *card, const char *key, const char *value)
{
    if (!key_is_valid(key) || strpbrk(value, "\r\n"))
        return SPV_INVAL;
    spv__put_bytes(&card->lines, key, strlen(key));
    spv__put_u8(&card->lines, '=');
    spv__put_bytes(&card->lines, value, strlen(value) + 1);
    return card->lines.err;
}

const char *spv__card_find(const spv_card *card, const char *key, size_t n)
{
    size_t key_len = strlen(key);
    const char *at = (const char *)card->lines.bytes;
    const char *end = at ? at + card->lines.len : at;

    for (; at < end; at += strlen(at) + 1)
        if (strncmp(at, key, key_len) == 0 && at[key_len] == '=' && n-- == 0)
            return at + key_len + 1;
    return NULL;
}

/* ---- The file ---- */

static void put_text(spv_buf *b, const char *text)
{
    spv__put_bytes(b, text, strlen(text));
}

/** "checksum=..." over what the buffer holds. */
static void put_sum(spv_buf *b)
{
    spv_hash sum;
    char hex[65];

    spv__sha256d(&sum, b->bytes, b->len);
    spv__hex_format(hex, sum.bytes, sizeof(sum.bytes));
    put_text(b, SUM);
    put_text(b, hex);
    put_text(b, "\n");
}

spv_err spv__card_save(const spv_card *card, const char *path, spv_detail *why)
{
    spv_buf text = SPV_BUF_EMPTY;
    const char *at = (const char *)card->lines.bytes;
    const char *end = at ? at + card->lines.len : at;
    spv_err err;

    put_text(&text, HEAD VERSION);
    for (; at < end; at += strlen(at) + 1) {
        put_text(&text, at);
        put_text(&text, "\n");
    }
    if (text.err == SPV_OK)
        put_sum(&text);
    err = text.err;
    if (!err)
        err =
            spv__file_write(path, text.bytes, text.len, SPV__FILE_REPLACE, why);
    spv__buf_clear(&text);
    return err;
}

static bool starts_with(const char *text, size_t len, const char *prefix)
{
    size_t n = strlen(prefix);

    return len >= n && memcmp(text, prefix, n) == 0;
}

/** The last line is the checksum of all before it. */
static bool sum_is_right(const char *text, size_t len)
{
    const char *tail;
    spv_hash sum;
    char hex[65];

    if (len < TAIL_LEN)
        return false;
    tail = text + len - TAIL_LEN;
    if (memcmp(tail, SUM, SUM_LEN) != 0)
        return false;
    spv__sha256d(&sum, text, len - TAIL_LEN);
    spv__hex_format(hex, sum.bytes, sizeof(sum.bytes));
    return memcmp(tail + SUM_LEN, hex, 64) == 0 && text[len - 1] == '\n';
}

static spv_err damaged(const char *path, const char *what, spv_detail *why)
{
    spv__detail_set(why, "%s is damaged: %s", path, what);
    return SPV_DAMAGED;
}

/** Take the lines between the head and the checksum, breaks made zeros. */
static spv_err take_lines(spv_card *card, char *text, size_t len,
                          const char *path, spv_detail *why)
{
    char *end = text + len;

    while (text < end) {
        char *line_end = memchr(text, '\n', (size_t)(end - text));
        char *equals;

        if (!line_end)
            return damaged(path, "a line does not end", why);
        *line_end = '\0';
        equals = strchr(text, '=');
        if (!equals || strlen(text) != (size_t)(line_end - text))
            return damaged(path, "a line is not key=value", why);
        *equals = '\0';
        if (spv__card_add(card, text, equals + 1))
            return card->lines.err ? card->lines.err
                                   : damaged(path, "a key is wrong", why);
        text = line_end + 1;
    }
    return SPV_OK;
}

static spv_err parse(spv_card *card, char *text, size_t len, const char *path,
                     spv_detail *why)
{
    const size_t head_len = strlen(HEAD VERSION);

    if (!sum_is_right(text, len))
        return damaged(path, "its checksum does not match", why);
    if (!starts_with(text, len, HEAD))
        return damaged(path, "it does not begin like a card", why);
    if (!starts_with(text, len, HEAD VERSION)) {
        spv__detail_set(
            why, "%s was written by a newer version of this program", path);
        return SPV_UNSUPPORTED;
    }
    return take_lines(card, text + head_len, len - head_len - TAIL_LEN, path,
                      why);
}

spv_err spv__card_load(spv_card *card, const char *path, spv_detail *why)
{
    uint8_t *text = malloc(CARD_MAX);
    size_t len = 0;
    spv_err err;

    if (!text)
        return SPV_NOMEM;
    err = spv__file_read(text, CARD_MAX, &len, path, why);
    if (err == SPV_LIMIT)
        err = damaged(path, "it is too long", why);
    if (!err)
        err = parse(card, (char *)text, len, path, why);
    if (err)
        spv__card_clear(card);
    free(text);
    return err;
}
