#include "cli/vector_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <spv/vectors.h>

/* ---- Finding ---- */

enum { DEPTH_MAX = 32 }; /* folders in each other */

/* A walk through a folder. */
typedef struct walk {
    cli *c;
    cli_vector_file *visit;
    void *self;
    size_t found;
    int depth;
} walk;

static bool ends_in(const char *name, const char *end)
{
    size_t len = strlen(name);

    return len >= strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static spv_err walk_folder(walk *w, const char *path);

/* Something in a folder. Links to folders may lead round in a circle. */
static spv_err walk_entry(walk *w, const char *path)
{
    struct stat about;

    if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return walk_folder(w, path);
    if (!ends_in(path, ".json") || ends_in(path, ".schema.json"))
        return SPV_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return SPV_OK;
    w->found++;
    return w->visit(w->self, path);
}

static spv_err walk_below(walk *w, const char *path, const char *name)
{
    size_t len = strlen(path) + strlen(name) + 2;
    char *below = malloc(len);
    spv_err err = SPV_OK;

    if (!below)
        return cli_fail_plain(w->c, SPV_NOMEM);
    (void)snprintf(below, len, "%s%s%s", path, ends_in(path, "/") ? "" : "/",
                   name);
    err = walk_entry(w, below);
    free(below);
    return err;
}

static spv_err walk_folder(walk *w, const char *path)
{
    struct dirent **entries = NULL;
    spv_err err = SPV_OK;
    int n = 0;

    if (w->depth == DEPTH_MAX)
        return cli_fail(w->c, SPV_LIMIT, "%s: over %d folders in each other",
                        path, DEPTH_MAX);
    n = scandir(path, &entries, not_hidden, alphasort);
    if (n < 0)
        return cli_fail(w->c, SPV_IO, "cannot read %s: %s", path,
                        strerror(errno));
    w->depth++;
    for (int i = 0; i < n; i++) {
        if (err == SPV_OK)
            err = walk_below(w, path, entries[i]->d_name);
        free(entries[i]);
    }
    w->depth--;
    free(entries);
    return err;
}

spv_err cli_vector_files(cli *c, const char *path, cli_vector_file *visit,
                         void *self)
{
    walk w = {.c = c, .visit = visit, .self = self};
    struct stat about;
    spv_err err = SPV_OK;

    if (strcmp(path, "-") == 0)
        return visit(self, path);
    if (stat(path, &about) != 0) {
        (void)cli_fail(c, errno == ENOENT ? SPV_NOT_FOUND : SPV_IO,
                       "cannot find %s: %s", path, strerror(errno));
        return cli_hint(&c->trouble, "PATH is a file of vectors, or a folder "
                                     "of them");
    }
    if (!S_ISDIR(about.st_mode))
        return visit(self, path);
    err = walk_folder(&w, path);
    if (err != SPV_OK || w.found)
        return err;
    (void)cli_fail(c, SPV_NOT_FOUND, "there are no vectors in %s", path);
    return cli_hint(&c->trouble, "of a folder the files whose names end in "
                                 ".json are read");
}

/* ---- Reading ---- */

static spv_err read_stream(FILE *file, char **text, size_t *len)
{
    size_t cap = 0;

    while (!feof(file) && *len <= SPV_VECTORS_MAX) {
        if (*len == cap) {
            char *grown = realloc(*text, cap = cap ? 2 * cap : 65536);

            if (!grown)
                return SPV_NOMEM;
            *text = grown;
        }
        *len += fread(*text + *len, 1, cap - *len, file);
        if (ferror(file))
            return SPV_IO;
    }
    return SPV_OK;
}

spv_err cli_vector_file_read(const char *path, char **text, size_t *len)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    spv_err err = SPV_OK;
    int why = 0;

    *text = NULL;
    *len = 0;
    if (!file)
        return SPV_IO;
    err = read_stream(file, text, len);
    why = errno;
    if (file != stdin)
        (void)fclose(file);
    errno = why;
    return err;
}
