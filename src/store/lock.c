/* flock is not in POSIX; fcntl's locks are, but closing any descriptor of the
 * file drops them, and two in one process do not see each other. */
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE

#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/** Say who has it, as far as the file tells. */
static void name_holder(int fd, const spv_folder *f, spv_detail *why)
{
    char text[24] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;

    if (pid > 0)
        spv__detail_set(why, "%s is in use by process %ld", f->root.text, pid);
    else
        spv__detail_set(why, "%s is in use by another process", f->root.text);
}

/** Leave our process id for people; nothing depends on it. */
static void write_holder(int fd)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    if (n > 0 && ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, (size_t)n, 0);
}

spv_err spv__lock_take(spv_lock *lock, const spv_folder *f, spv_detail *why)
{
    char path[SPV__PATH_MAX + 8];
    spv_err err;
    int fd;

    lock->fd = -1;
    (void)snprintf(path, sizeof(path), "%s/lock", f->root.text);
    /* What a link leads to is not ours to write a process id into. */
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        spv__detail_errno(why, "open", path);
        return SPV_IO;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        write_holder(fd);
        lock->fd = fd;
        return SPV_OK;
    }
    err = errno == EWOULDBLOCK ? SPV_BUSY : SPV_IO;
    if (err == SPV_BUSY)
        name_holder(fd, f, why);
    else
        spv__detail_errno(why, "lock", path);
    (void)close(fd);
    return err;
}

void spv__lock_drop(spv_lock *lock)
{
    if (lock->fd >= 0)
        (void)close(lock->fd);
    lock->fd = -1;
}
