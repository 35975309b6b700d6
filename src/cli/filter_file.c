#include "cli/filter_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/element.h"
#include "cli/filter_payload.h"
#include "cli/input.h"

/* spv/saved_filter.h's magic. Shorter than its header: a file that was cut off
 * is to be known, too. */
static const uint8_t magic[] = {0x89, 'S', 'P', 'V', 'F', '\r', '\n', 0x1a};

static bool is_saved(const uint8_t *bytes, size_t len)
{
    return len >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* Operand `i` if it is a name, else NULL for standard input. */
static const char *path_of(const cli *c, size_t i)
{
    return i < c->n_args && strcmp(c->args[i], "-") != 0 ? c->args[i] : NULL;
}

/* Payloads in hex may be long. */
const char *cli_filter_name(const cli *c, size_t i)
{
    const char *path = path_of(c, i);

    if (!path)
        return "standard input";
    return strlen(path) <= 200 ? path : "the payload";
}

/* ---- Opening ---- */

static const char *damage(spv_err err)
{
    static const struct {
        spv_err err;
        const char *words;
    } kinds[] = {
        {SPV_TRUNCATED, "it is shorter than it says"},
        {SPV_CHECKSUM, "its bytes do not fit their checksum"},
        {SPV_MALFORMED, "its numbers do not fit together, or more follows"},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].err == err)
            return kinds[i].words;
    return spv_err_text(err);
}

static spv_err refuse_saved(cli *c, size_t i, spv_err err)
{
    const char *name = cli_filter_name(c, i);

    if (err == SPV_NOMEM)
        return cli_fail(c, err, "%s does not fit into memory", name);
    if (err == SPV_UNSUPPORTED)
        return cli_fail(c, err,
                        "%s is a filter of a newer version, or of a kind that "
                        "this one does not know",
                        name);
    (void)cli_fail(c, SPV_DAMAGED, "%s is damaged: %s", name, damage(err));
    return cli_hint(&c->trouble, "a saved filter cannot be mended; build it "
                                 "again");
}

static spv_err read_saved(cli *c, bool looks, cli_filter *f,
                          const uint8_t *bytes, size_t len)
{
    spv_saved_kind kind = SPV_SAVED_LOCAL;
    spv_err err = spv_saved_filter_kind(&kind, bytes, len);

    if (err != SPV_OK)
        return err;
    f->kind = cli_filter_kind_saved(kind);
    if (!f->kind)
        return SPV_UNSUPPORTED;
    if (!looks || !f->kind->view)
        return f->kind->load(f, bytes, len);
    if (!cli_on(c, CLI_NO_VERIFY))
        err = spv_saved_filter_verify(bytes, len);
    return err == SPV_OK ? f->kind->view(f, bytes, len) : err;
}

/* Hex is not repeated to who wrote it. */
static const char *payload_name(const cli *c, size_t i)
{
    const char *path = path_of(c, i);

    return path && access(path, F_OK) != 0 ? "this" : cli_filter_name(c, i);
}

static spv_err read_payload(cli *c, size_t i, cli_filter *f,
                            const uint8_t *bytes, size_t len)
{
    spv_err err = SPV_OK;

    f->kind = &cli_filter_wire;
    err = f->kind->load(f, bytes, len);
    return err == SPV_OK
               ? err
               : cli_payload_refuse(c, payload_name(c, i), err, bytes, len);
}

static spv_err hint_at_filters(cli *c, spv_err err)
{
    if (c->trouble.hint[0] ||
        (err != SPV_MALFORMED && err != SPV_NOT_FOUND && err != SPV_TRUNCATED))
        return err;
    return cli_hint(&c->trouble,
                    "a FILTER is a filterload payload (hex, or a file of hex "
                    "or bytes), or a file that 'filter build --out' saved");
}

/* From a pipe, or of a kind that is not saved at all. */
static spv_err open_bytes(cli *c, size_t i, cli_filter *f)
{
    uint8_t *bytes = NULL;
    size_t len = 0;
    spv_err err = cli_input_bytes(c, i, &bytes, &len);

    if (err != SPV_OK)
        return hint_at_filters(c, err);
    if (!is_saved(bytes, len)) {
        err = read_payload(c, i, f, bytes, len);
    } else {
        err = read_saved(c, false, f, bytes, len);
        if (err != SPV_OK)
            err = refuse_saved(c, i, err);
    }
    free(bytes);
    return err;
}

spv_err cli_filter_open(cli *c, size_t i, bool changes, cli_filter *f)
{
    spv_err err = SPV_OK;

    *f = (cli_filter){0};
    err = cli_mapped_open(c, &f->file, path_of(c, i), magic, sizeof(magic));
    if (err == SPV_OK && !f->file.bytes)
        err = open_bytes(c, i, f);
    else if (err == SPV_OK) {
        err = read_saved(c, !changes, f, f->file.bytes, f->file.len);
        if (err != SPV_OK)
            err = refuse_saved(c, i, err);
    }
    if (err != SPV_OK) {
        cli_mapped_close(&f->file);
        *f = (cli_filter){0};
    }
    return err;
}

spv_err cli_filter_open_beside_lines(cli *c, bool changes, cli_filter *f)
{
    spv_err err = cli_element_check_form(c);

    *f = (cli_filter){0};
    if (err == SPV_OK && strcmp(c->args[0], "-") == 0 && c->n_args == 1)
        err = cli_fail(c, SPV_INVAL,
                       "the filter and the elements cannot both "
                       "come from standard input");
    return err == SPV_OK ? cli_filter_open(c, 0, changes, f) : err;
}

void cli_filter_close(cli_filter *f)
{
    if (f->kind)
        f->kind->clear(f);
    cli_mapped_close(&f->file);
    *f = (cli_filter){0};
}

/* ---- Writing ---- */

spv_err cli_filter_write(cli *c, const cli_filter *f, cli_outfile *o)
{
    cli_filter_image image;
    spv_err err = SPV_OK;

    f->kind->save(&image, f);
    err = cli_outfile_write(c, o, image.header, sizeof(image.header));
    if (err == SPV_OK)
        err = cli_outfile_write(c, o, image.bytes, image.len);
    return err == SPV_OK ? cli_outfile_finish(c, o) : err;
}
