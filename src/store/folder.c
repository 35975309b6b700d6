#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/file.h"

static const char *const SUFFIX[] = {
    [SPV__FILE_SECRET] = ".secret",
    [SPV__FILE_CARD] = ".wallet",
    [SPV__FILE_ROWS] = ".sqlite",
};

#define SUFFIX_LEN 7

/** Join pieces with slashes as given by `format`; SPV_LIMIT when too long. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static spv_err
join(spv_path *out, spv_detail *why, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(out->text, sizeof(out->text), format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof(out->text))
        return SPV_OK;
    spv__detail_set(why, "the path %.60s... is longer than %d characters",
                    out->text, SPV__PATH_MAX - 1);
    return SPV_LIMIT;
}

spv_err spv__folder_init(spv_folder *f, const char *datadir,
                         const spv_network *network, spv_detail *why)
{
    spv_err err = join(&f->root, why, "%s/%s", datadir, network->name);

    return err ? err : join(&f->wallets, why, "%s/wallets", f->root.text);
}

/** Make one folder; one that is there already is left as it is. */
static spv_err make_one(const char *path, spv_detail *why)
{
    struct stat st;

    if (mkdir(path, 0700) == 0)
        return spv__file_sync_parent(path, why);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return SPV_OK;
    spv__detail_errno(why, "make the folder", path);
    return SPV_IO;
}

spv_err spv__folder_make(const spv_folder *f, spv_detail *why)
{
    spv_path path = f->wallets;
    spv_err err = SPV_OK;

    for (char *at = path.text + 1; *at && !err; at++) {
        if (*at != '/' || at[-1] == '/')
            continue;
        *at = '\0';
        err = make_one(path.text, why);
        *at = '/';
    }
    return err ? err : make_one(path.text, why);
}

spv_err spv__folder_chain(const spv_folder *f, spv_path *out, spv_detail *why)
{
    return join(out, why, "%s/chain.sqlite", f->root.text);
}

/* ---- Wallets ---- */

bool spv__wallet_name_is_valid(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t len = strlen(name);

    if (len == 0 || len > SPV__WALLET_NAME_MAX)
        return false;
    return name[0] != '.' && name[0] != '-' && strspn(name, allowed) == len;
}

spv_err spv__folder_wallet(const spv_folder *f, spv_path *out, const char *name,
                           spv_wallet_file file, spv_detail *why)
{
    if (!spv__wallet_name_is_valid(name)) {
        spv__detail_set(why,
                        "a wallet's name is 1 to %d of A-Z a-z 0-9 . _ - and "
                        "begins with none of . and -",
                        SPV__WALLET_NAME_MAX);
        return SPV_INVAL;
    }
    return join(out, why, "%s/%s%s", f->wallets.text, name, SUFFIX[file]);
}

bool spv__folder_has_wallet(const spv_folder *f, const char *name)
{
    spv_path path;

    for (spv_wallet_file file = SPV__FILE_SECRET; file <= SPV__FILE_ROWS;
         file++)
        if (!spv__folder_wallet(f, &path, name, file, NULL) &&
            spv__file_exists(path.text))
            return true;
    return false;
}

void spv__folder_drop_new_wallet(const spv_folder *f, const char *name,
                                 spv_wallet_file first)
{
    static const char *const beside[] = {"", "-wal", "-journal"};
    spv_path path;
    spv_path rows;

    for (spv_wallet_file file = first; file <= SPV__FILE_CARD; file++)
        if (!spv__folder_wallet(f, &path, name, file, NULL))
            (void)unlink(path.text);
    if (spv__folder_wallet(f, &rows, name, SPV__FILE_ROWS, NULL))
        return;
    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++)
        if (!join(&path, NULL, "%s%s", rows.text, beside[i]))
            (void)unlink(path.text);
}

/* ---- Listing ---- */

typedef struct {
    char text[SPV__WALLET_NAME_MAX + 1];
} wallet_name;

typedef struct {
    wallet_name *names;
    size_t len;
    size_t cap;
} name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const wallet_name *)a)->text,
                  ((const wallet_name *)b)->text);
}

/** The wallet whose card or rows a file is; false for any other file. */
static bool name_of_file(wallet_name *out, const char *file)
{
    size_t len = strlen(file);
    const char *suffix = file + len - SUFFIX_LEN;

    if (len <= SUFFIX_LEN || len - SUFFIX_LEN > SPV__WALLET_NAME_MAX)
        return false;
    if (strcmp(suffix, SUFFIX[SPV__FILE_CARD]) != 0 &&
        strcmp(suffix, SUFFIX[SPV__FILE_ROWS]) != 0)
        return false;
    memcpy(out->text, file, len - SUFFIX_LEN);
    out->text[len - SUFFIX_LEN] = '\0';
    return spv__wallet_name_is_valid(out->text);
}

static spv_err list_add(name_list *list, const wallet_name *name)
{
    if (list->len == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        wallet_name *names = realloc(list->names, cap * sizeof(*names));

        if (!names)
            return SPV_NOMEM;
        list->names = names;
        list->cap = cap;
    }
    list->names[list->len++] = *name;
    return SPV_OK;
}

static spv_err list_read(name_list *list, const char *path, spv_detail *why)
{
    spv_err err = SPV_OK;
    const struct dirent *entry;
    wallet_name name;
    DIR *dir = opendir(path);

    if (!dir && errno == ENOENT)
        return SPV_OK;
    if (!dir) {
        spv__detail_errno(why, "read the folder", path);
        return SPV_IO;
    }
    while (!err && (entry = readdir(dir)) != NULL)
        if (name_of_file(&name, entry->d_name))
            err = list_add(list, &name);
    (void)closedir(dir);
    return err;
}

spv_err spv__folder_each_wallet(const spv_folder *f,
                                spv_err (*visit)(void *ctx, const char *name),
                                void *ctx, spv_detail *why)
{
    name_list list = {0};
    spv_err err = list_read(&list, f->wallets.text, why);

    if (list.len)
        qsort(list.names, list.len, sizeof(*list.names), compare_names);
    for (size_t i = 0; i < list.len && !err; i++)
        if (i == 0 || compare_names(&list.names[i - 1], &list.names[i]) != 0)
            err = visit(ctx, list.names[i].text);
    free(list.names);
    return err;
}
