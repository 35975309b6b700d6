#include "cli/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_MAX = 16 };

static bool begins_with(int fd, const uint8_t *magic, size_t n)
{
    uint8_t first[MAGIC_MAX];

    return n <= sizeof(first) && pread(fd, first, n, 0) == (ssize_t)n &&
           memcmp(first, magic, n) == 0;
}

static spv_err map(cli *c, cli_mapped *m, int fd, const char *name, off_t len)
{
    void *at = NULL;

    if ((uintmax_t)len > SIZE_MAX)
        return cli_fail(c, SPV_IO, "%s does not fit into memory's addresses",
                        name);
    at = mmap(NULL, (size_t)len, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return cli_fail(c, SPV_IO, "cannot map %s: %s", name, strerror(errno));
    *m = (cli_mapped){.bytes = at, .len = (size_t)len};
    return SPV_OK;
}

spv_err cli_mapped_open(cli *c, cli_mapped *m, const char *path,
                        const uint8_t *magic, size_t n)
{
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    struct stat file;
    spv_err err = SPV_OK;

    *m = (cli_mapped){0};
    if (fd < 0)
        return SPV_OK;
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
        begins_with(fd, magic, n))
        err = map(c, m, fd, path ? path : "standard input", file.st_size);
    if (path)
        (void)close(fd);
    return err;
}

void cli_mapped_close(cli_mapped *m)
{
    if (m->bytes)
        (void)munmap((void *)m->bytes, m->len);
    *m = (cli_mapped){0};
}
