#include "cli/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/element.h"
#include "cli/interrupt.h"
#include "cli/tally.h"

enum { BLOCK = 1 << 20, LINE_LIMIT = 64 << 20 };

/* Standard input on its way to the one who takes it. */
typedef struct reader {
    cli *c;
    cli_take *take;
    void *ctx;
    bool is_text;
    bool is_input; /* operands have no line numbers */

    uint8_t *block; /* unread bytes are those from `at` up to `end` */
    size_t cap;
    size_t at;
    size_t end;
    bool ended;

    spv_element lines[CLI_BATCH];
    spv_element elements[CLI_BATCH];
    size_t n;
    uint64_t number; /* lines before the batch */

    uint8_t *scratch; /* copies of lines that are spoilt when read */
    size_t scratch_cap;
    cli_tally tally;
} reader;

static spv_err grow(reader *r, uint8_t **bytes, size_t *cap, size_t least)
{
    uint8_t *grown = least > *cap ? realloc(*bytes, least) : *bytes;

    if (!grown)
        return cli_fail_plain(r->c, SPV_NOMEM);
    *bytes = grown;
    *cap = least > *cap ? least : *cap;
    return SPV_OK;
}

/* ---- What lines say ---- */

/* Hex is read in place and wants a zero behind it; addresses and outpoints are
 * built elsewhere: a copy of the line is where either ends up. */
static size_t room_for(const spv_element *line)
{
    size_t least = sizeof(((cli_element *)NULL)->own);

    return line->len + 1 > least ? line->len + 1 : least;
}

static spv_err parse_one(reader *r, const spv_element *line, uint8_t *room,
                         spv_element *out)
{
    cli_element e;
    spv_err err = SPV_OK;

    if (line->len)
        memcpy(room, line->bytes, line->len);
    room[line->len] = '\0';
    err = cli_element_parse(r->c, (char *)room, line->len, &e);
    if (err != SPV_OK)
        return err;
    if (e.len)
        memmove(room, e.bytes, e.len);
    *out = (spv_element){room, e.is_blank ? 0 : e.len};
    return SPV_OK;
}

/* Elements of the lines in front of the first bad one; `n` counts them. */
static spv_err parse_all(reader *r, size_t *n)
{
    size_t size = 0;
    uint8_t *room = NULL;
    spv_err err = SPV_OK;

    *n = 0;
    for (size_t i = 0; i < r->n; i++)
        size += room_for(&r->lines[i]);
    err = grow(r, &r->scratch, &r->scratch_cap, size);
    room = r->scratch;
    while (err == SPV_OK && *n < r->n) {
        err = parse_one(r, &r->lines[*n], room, &r->elements[*n]);
        room += room_for(&r->lines[*n]);
        *n += err == SPV_OK;
    }
    return err;
}

/* Blank lines are nobody's element. */
static size_t drop_blank(spv_element *lines, spv_element *elements, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (elements[i].len == 0)
            continue;
        lines[kept] = lines[i];
        elements[kept++] = elements[i];
    }
    return kept;
}

static spv_err hand_on(reader *r)
{
    size_t n = r->n;
    spv_element *elements = r->is_text ? r->lines : r->elements;
    spv_err bad = r->is_text ? SPV_OK : parse_all(r, &n);
    spv_trouble trouble = r->c->trouble;
    cli_batch batch = {r->lines, elements, drop_blank(r->lines, elements, n)};
    spv_err err = r->take(r->ctx, &batch);

    r->number += n;
    r->n = 0;
    if (err != SPV_OK || bad == SPV_OK)
        return err;
    r->c->trouble = trouble;
    if (r->is_input && bad != SPV_NOMEM)
        (void)cli_trouble_at(&r->c->trouble, "line %llu",
                             (unsigned long long)r->number + 1);
    return bad;
}

/* ---- Standard input ---- */

/* As many whole lines as a batch holds; false when there is none left. */
static bool cut(reader *r)
{
    while (r->n < CLI_BATCH) {
        const uint8_t *from = r->block + r->at;
        const uint8_t *to = memchr(from, '\n', r->end - r->at);

        if (!to)
            break;
        r->lines[r->n++] = (spv_element){from, (size_t)(to - from)};
        r->at += (size_t)(to - from) + 1;
    }
    return r->n > 0;
}

/* The last line may lack its newline. */
static void end_input(reader *r)
{
    r->ended = true;
    if (r->end > 0 && r->block[r->end - 1] != '\n')
        r->block[r->end++] = '\n';
}

/* A place for the newline that may be missing at the end is kept. */
static spv_err read_more(reader *r, size_t *got)
{
    ssize_t n = 0;
    spv_err err = SPV_OK;

    do {
        err = cli_interrupt_check(r->c);
        if (err != SPV_OK)
            return err;
        n = read(STDIN_FILENO, r->block + r->end, r->cap - r->end - 1);
    } while (n < 0 && errno == EINTR);
    *got = n < 0 ? 0 : (size_t)n;
    return n < 0 ? cli_fail(r->c, SPV_IO, "cannot read standard input: %s",
                            strerror(errno))
                 : SPV_OK;
}

/* One more read, behind what is left of the last. */
static spv_err refill(reader *r)
{
    size_t got = 0;
    spv_err err = SPV_OK;

    r->end -= r->at;
    memmove(r->block, r->block + r->at, r->end);
    r->at = 0;
    if (r->end > LINE_LIMIT)
        return cli_fail(r->c, SPV_LIMIT, "a line is over %d MB",
                        LINE_LIMIT >> 20);
    if (r->end + 1 >= r->cap)
        err = grow(r, &r->block, &r->cap, 2 * r->cap);
    if (err == SPV_OK)
        err = read_more(r, &got);
    if (err != SPV_OK)
        return err;
    r->end += got;
    cli_tally_add(&r->tally, 0, got);
    if (got == 0)
        end_input(r);
    return SPV_OK;
}

static spv_err take_input(reader *r)
{
    spv_err err = grow(r, &r->block, &r->cap, BLOCK + 1);

    while (err == SPV_OK && !r->ended) {
        err = refill(r);
        while (err == SPV_OK && cut(r)) {
            cli_tally_add(&r->tally, r->n, 0);
            err = hand_on(r);
        }
    }
    return err;
}

/* ---- Operands ---- */

static spv_err take_operands(reader *r, size_t from)
{
    spv_err err = SPV_OK;

    for (size_t i = from; i < r->c->n_args && err == SPV_OK; i++) {
        const char *text = r->c->args[i];

        r->lines[r->n++] = (spv_element){(const uint8_t *)text, strlen(text)};
        if (r->n == CLI_BATCH || i + 1 == r->c->n_args)
            err = hand_on(r);
    }
    return err;
}

static bool has_operands(const cli *c, size_t from)
{
    return from < c->n_args &&
           !(from + 1 == c->n_args && strcmp(c->args[from], "-") == 0);
}

spv_err cli_lines_each(cli *c, size_t from, const char *doing, cli_take *take,
                       void *ctx)
{
    bool operands = has_operands(c, from);
    reader *r = calloc(1, sizeof(*r));
    spv_err err = SPV_OK;

    if (!r)
        return cli_fail_plain(c, SPV_NOMEM);
    r->c = c;
    r->take = take;
    r->ctx = ctx;
    r->is_text = cli_on(c, CLI_TEXT);
    r->is_input = !operands;
    if (!operands && isatty(STDIN_FILENO))
        cli_say(c, CLI_NOTE, "reading lines from the terminal; Ctrl-D ends it");
    cli_tally_begin(&r->tally, c, operands ? NULL : doing);
    err = operands ? take_operands(r, from) : take_input(r);
    cli_tally_end(&r->tally);
    free(r->block);
    free(r->scratch);
    free(r);
    return err;
}
