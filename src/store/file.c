#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/folder.h"

bool spv__file_exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* ---- Writing ---- */

static bool write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

/** Make `path` hold the bytes, on the disk itself. */
static spv_err write_synced(const char *path, const uint8_t *bytes, size_t len,
                            spv_detail *why)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok;

    if (fd < 0) {
        spv__detail_errno(why, "create", path);
        return SPV_IO;
    }
    ok = write_all(fd, bytes, len) && fsync(fd) == 0;
    ok = close(fd) == 0 && ok;
    if (ok)
        return SPV_OK;
    spv__detail_errno(why, "write", path);
    (void)unlink(path);
    return SPV_IO;
}

/** Whether a folder that would not be synced is none that can be: one that
 * may be written but not read, or a file system that syncs no folders. */
static bool cannot_be_synced(int error)
{
    return error == EACCES || error == EINVAL;
}

spv_err spv__file_sync_parent(const char *path, spv_detail *why)
{
    spv_path folder;
    char *slash;
    int fd;
    bool ok;

    (void)snprintf(folder.text, sizeof(folder.text), "%s", path);
    slash = strrchr(folder.text, '/');
    if (slash)
        slash[slash == folder.text] = '\0';
    fd = open(slash ? folder.text : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ok = (fd >= 0 && fsync(fd) == 0) || cannot_be_synced(errno);
    if (!ok)
        spv__detail_errno(why, "sync the folder of", path);
    if (fd >= 0)
        (void)close(fd);
    return ok ? SPV_OK : SPV_IO;
}

/**
 * Give `from` the name `to`, which must be free. A link refuses a name that
 * is taken, a rename does not; where there are no links the caller's hold on
 * the folder makes the look before the rename good enough.
 */
static int move_new(const char *from, const char *to)
{
    if (link(from, to) == 0)
        return unlink(from);
    if (errno == EEXIST)
        return -1;
    if (spv__file_exists(to)) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

static spv_err move_into_place(const char *from, const char *to,
                               spv_file_mode mode, spv_detail *why)
{
    int failed = mode == SPV__FILE_NEW ? move_new(from, to) : rename(from, to);

    if (!failed)
        return SPV_OK;
    spv__detail_errno(why, "create", to);
    return errno == EEXIST ? SPV_EXISTS : SPV_IO;
}

spv_err spv__file_put(spv_path *fresh, const char *path, const uint8_t *bytes,
                      size_t len, spv_detail *why)
{
    int n = snprintf(fresh->text, sizeof(fresh->text), "%s.new", path);

    if (n < 0 || (size_t)n >= sizeof(fresh->text)) {
        spv__detail_set(why, "the path %s is too long", path);
        return SPV_LIMIT;
    }
    /* Left by a crash; it never came to be the file, so nobody relies on it. */
    (void)unlink(fresh->text);
    return write_synced(fresh->text, bytes, len, why);
}

spv_err spv__file_settle(const spv_path *fresh, const char *path,
                         spv_file_mode mode, spv_detail *why)
{
    spv_err err = move_into_place(fresh->text, path, mode, why);

    if (err) {
        (void)unlink(fresh->text);
        return err;
    }
    err = spv__file_sync_parent(path, why);
    if (err && mode == SPV__FILE_NEW)
        (void)unlink(path);
    return err;
}

spv_err spv__file_write(const char *path, const uint8_t *bytes, size_t len,
                        spv_file_mode mode, spv_detail *why)
{
    spv_path fresh;
    spv_err err;

    if (mode == SPV__FILE_NEW && spv__file_exists(path)) {
        spv__detail_set(why, "%s exists already", path);
        return SPV_EXISTS;
    }
    err = spv__file_put(&fresh, path, bytes, len, why);
    return err ? err : spv__file_settle(&fresh, path, mode, why);
}

/* ---- Overwriting ---- */

int spv__file_hold(const char *path)
{
    return open(path, O_WRONLY | O_CLOEXEC);
}

bool spv__file_wipe(int held)
{
    static const uint8_t zeros[512];
    struct stat st;
    off_t at = 0;

    /* Synced first too: that it has no name must be sure before its bytes go.
     */
    if (held < 0 || fsync(held) != 0 || fstat(held, &st) != 0 ||
        st.st_nlink > 0)
        return false;
    while (at < st.st_size) {
        off_t left = st.st_size - at;
        size_t len = left < (off_t)sizeof(zeros) ? (size_t)left : sizeof(zeros);
        ssize_t n = pwrite(held, zeros, len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
    }
    return fsync(held) == 0;
}

/* ---- Reading ---- */

/** Read until the end or until `cap` bytes are there; -1 on failure. */
static ssize_t read_up_to(int fd, uint8_t *out, size_t cap)
{
    size_t have = 0;

    while (have < cap) {
        ssize_t n = read(fd, out + have, cap - have);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

/* A pipe in the place of a file would be waited for. */
static int open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    (void)close(fd);
    errno = EINVAL;
    return -1;
}

spv_err spv__file_read(uint8_t *out, size_t cap, size_t *len, const char *path,
                       spv_detail *why)
{
    uint8_t more;
    spv_err err = SPV_OK;
    int fd = open_regular(path);
    ssize_t n = -1;
    ssize_t after = 0;

    if (fd >= 0)
        n = read_up_to(fd, out, cap);
    if (n >= 0)
        after = read_up_to(fd, &more, 1);
    if (n < 0 || after < 0) {
        err = errno == ENOENT ? SPV_NOT_FOUND : SPV_IO;
        spv__detail_errno(why, "read", path);
    } else if (after > 0) {
        err = SPV_LIMIT;
        spv__detail_set(why, "%s is longer than any such file", path);
    } else {
        *len = (size_t)n;
    }
    if (fd >= 0)
        (void)close(fd);
    return err;
}
