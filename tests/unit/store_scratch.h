#ifndef STORE_SCRATCH_H
#define STORE_SCRATCH_H

#include "cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/folder.h"

/* A folder for one test, whole files in and out of it, and damage to them. */

static inline void scratch_remove(const char *path)
{
    const struct dirent *entry;
    char child[1024];
    DIR *dir = opendir(path);

    while (dir && (entry = readdir(dir)) != NULL) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        (void)snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
        if (unlink(child) != 0)
            scratch_remove(child);
    }
    if (dir)
        (void)closedir(dir);
    (void)rmdir(path);
}

/** cmocka set-up and tear-down: `*state` is the folder's path. */
static inline int scratch_setup(void **state)
{
    const char *tmp = getenv("TMPDIR");
    char *path = malloc(256);

    (void)snprintf(path, 256, "%s/spv-store-XXXXXX", tmp ? tmp : "/tmp");
    *state = path;
    return mkdtemp(path) ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
    scratch_remove(*state);
    free(*state);
    return 0;
}

#define scratch_test(f) \
    cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

/** The same under another name: that of a case users have met. */
#define scratch_case(sentence, f)                                          \
    {                                                                      \
        .name = (sentence), .test_func = (f), .setup_func = scratch_setup, \
        .teardown_func = scratch_teardown                                  \
    }

static inline spv_path scratch_path(void **state, const char *name)
{
    spv_path path;

    (void)snprintf(path.text, sizeof(path.text), "%s/%s", (char *)*state, name);
    return path;
}

static inline bool scratch_has(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static inline unsigned scratch_mode(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (unsigned)st.st_mode & 0777;
}

static inline void scratch_write(const char *path, const void *bytes,
                                 size_t len)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

/** The whole file; owned. */
static inline uint8_t *scratch_read(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes;
    long end;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    end = ftell(f);
    assert_true(end >= 0);
    rewind(f);
    bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *len = fread(bytes, 1, (size_t)end, f);
    assert_int_equal(*len, end);
    (void)fclose(f);
    return bytes;
}

/** Small numbers from a seed, the same on every machine. */
static inline uint64_t scratch_random(uint64_t *seed, uint64_t below)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

/** Spoil a file's bytes in one of the ways of disks; its new length. */
static inline size_t scratch_damage(uint8_t *bytes, size_t len, uint64_t *seed)
{
    size_t at = scratch_random(seed, len);
    size_t run = 1 + scratch_random(seed, 600);

    switch (scratch_random(seed, 5)) {
    case 0: /* one bit */
        bytes[at] ^= (uint8_t)(1u << scratch_random(seed, 8));
        return len;
    case 1: /* a bit of the file's first hundred bytes */
        bytes[at % 100] ^= (uint8_t)(1u << scratch_random(seed, 8));
        return len;
    case 2: /* a sector that was never written */
        at -= at % 512;
        memset(bytes + at, 0, len - at < 512 ? len - at : 512);
        return len;
    case 3: /* noise */
        for (size_t i = at; i < len && i < at + run; i++)
            bytes[i] = (uint8_t)scratch_random(seed, 256);
        return len;
    default: /* the end is gone */
        return at;
    }
}

#endif
