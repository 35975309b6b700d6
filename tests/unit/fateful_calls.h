#ifndef TESTS_UNIT_FATEFUL_CALLS_H
#define TESTS_UNIT_FATEFUL_CALLS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * What changes files or makes changes last, until a test says that it fails,
 * or that the process is killed just before. The build links a test that
 * includes this with --wrap, so each such call of the rooms comes here.
 */

typedef enum fate { FATE_NONE, FATE_FAILS, FATE_KILLED } fate;

static struct {
    fate what;
    unsigned before; /* so many more succeed; the next meets its fate */
    bool met;
} fateful;

/** Whether this call is to fail; or the process ends here. */
static inline bool meets_fate(void)
{
    if (fateful.what == FATE_NONE || fateful.before-- > 0)
        return false;
    fateful.met = true;
    if (fateful.what == FATE_KILLED)
        (void)kill(getpid(), SIGKILL);
    fateful.what = FATE_NONE;
    errno = EIO;
    return true;
}

#define FATEFUL(result, name, parameters, arguments)        \
    result __real_##name parameters;                        \
    result __wrap_##name parameters;                        \
    result __wrap_##name parameters                         \
    {                                                       \
        return meets_fate() ? -1 : __real_##name arguments; \
    }

FATEFUL(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, n))
FATEFUL(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at),
        (fd, bytes, n, at))
FATEFUL(int, fsync, (int fd), (fd))
FATEFUL(int, rename, (const char *from, const char *to), (from, to))
FATEFUL(int, link, (const char *from, const char *to), (from, to))
FATEFUL(int, unlink, (const char *path), (path))

#endif
