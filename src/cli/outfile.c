/* realpath is an extension of POSIX. */
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE

#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* So much at once, so that Ctrl-C is seen in between. */
enum { WRITE_MOST = 1 << 22 };

static spv_err fail(cli *c, const cli_outfile *o)
{
    return cli_fail(c, errno == ENOENT ? SPV_NOT_FOUND : SPV_IO,
                    "cannot write %s: %s", o->name, strerror(errno));
}

/* The folder a path lies in; owned, NULL without memory. */
static char *folder_of(const char *path)
{
    char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;

    if (folder && !slash) {
        free(folder);
        return strdup(".");
    }
    if (folder)
        slash[slash == folder] = '\0'; /* "/x" lies in "/" */
    return folder;
}

/* ---- Before ---- */

static spv_err check_folder(cli *c, const cli_outfile *o)
{
    char *folder = folder_of(o->path);
    spv_err err = SPV_OK;

    if (!folder)
        return cli_fail_plain(c, SPV_NOMEM);
    if (access(folder, W_OK | X_OK) != 0)
        err = fail(c, o);
    free(folder);
    return err;
}

static spv_err check_absent(cli *c, const cli_outfile *o)
{
    if (o->replaces || access(o->path, F_OK) != 0)
        return SPV_OK;
    (void)cli_fail(c, SPV_EXISTS, "%s exists already", o->name);
    return cli_hint(&c->trouble, "--force overwrites it");
}

static spv_err plan_regular(cli *c, cli_outfile *o)
{
    static const char suffix[] = ".new-XXXXXX";
    size_t size = strlen(o->path) + sizeof(suffix);
    spv_err err = check_absent(c, o);

    if (err == SPV_OK)
        err = check_folder(c, o);
    if (err != SPV_OK)
        return err;
    o->temp = malloc(size);
    if (!o->temp)
        return cli_fail_plain(c, SPV_NOMEM);
    (void)snprintf(o->temp, size, "%s%s", o->path, suffix);
    cli_interrupt_begin();
    return SPV_OK;
}

spv_err cli_outfile_plan(cli *c, cli_outfile *o, const char *name,
                         bool replaces)
{
    struct stat there;

    *o = (cli_outfile){.name = name, .fd = -1, .replaces = replaces};
    if (*name == '\0' || strcmp(name, "-") == 0)
        return cli_fail(c, SPV_INVAL, "a file's name is needed, not '%s'",
                        name);
    o->path = realpath(name, NULL);
    if (!o->path)
        o->path = strdup(name);
    if (!o->path)
        return cli_fail_plain(c, SPV_NOMEM);
    if (stat(o->path, &there) != 0 || S_ISREG(there.st_mode))
        return plan_regular(c, o);
    if (S_ISDIR(there.st_mode))
        return cli_fail(c, SPV_INVAL, "%s is a folder", name);
    return SPV_OK;
}

/* ---- Writing ---- */

/* mkstemp is strict about who may read. A new file is like any other, and one
 * that takes another's place is open to the same people. */
static mode_t mode_of(const cli_outfile *o)
{
    struct stat there;
    mode_t mask = umask(0);

    (void)umask(mask);
    return stat(o->path, &there) == 0 ? there.st_mode & 0777 : 0666 & ~mask;
}

static spv_err create(cli *c, cli_outfile *o)
{
    cli_interrupt_takes(o->temp);
    o->fd = o->temp ? mkstemp(o->temp) : open(o->path, O_WRONLY | O_CLOEXEC);
    if (o->fd < 0)
        return fail(c, o);
    o->made = o->temp != NULL;
    if (o->made)
        (void)fchmod(o->fd, mode_of(o));
    return SPV_OK;
}

spv_err cli_outfile_write(cli *c, cli_outfile *o, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    spv_err err = o->fd < 0 ? create(c, o) : SPV_OK;

    while (err == SPV_OK && len > 0) {
        ssize_t done = write(o->fd, at, len < WRITE_MOST ? len : WRITE_MOST);

        if (done < 0 && errno != EINTR)
            return fail(c, o);
        if (done > 0) {
            at += done;
            len -= (size_t)done;
        }
        err = cli_interrupt_check(c);
    }
    return err;
}

/* ---- After ---- */

/* The name itself is on disk once the folder is; where folders cannot be
 * synced that is left to the system. */
static void sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

/* The last moment at which the old file can be kept. */
static spv_err give_name(cli *c, cli_outfile *o)
{
    spv_err err = cli_interrupt_check(c);

    if (err == SPV_OK)
        err = check_absent(c, o);
    if (err != SPV_OK)
        return err;
    if (rename(o->temp, o->path) != 0)
        return fail(c, o);
    o->made = false;
    sync_folder(o->path);
    return SPV_OK;
}

spv_err cli_outfile_finish(cli *c, cli_outfile *o)
{
    int fd = o->fd;

    o->fd = -1;
    if (o->temp && fsync(fd) != 0) {
        spv_err err = fail(c, o);

        (void)close(fd);
        return err;
    }
    if (close(fd) != 0)
        return fail(c, o);
    return o->temp ? give_name(c, o) : SPV_OK;
}

spv_err cli_outfile_draw(cli *c, cli_outfile *o,
                         void (*draw)(FILE *out, const void *subject),
                         const void *subject)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    spv_err err = SPV_OK;

    if (!out)
        return cli_fail_plain(c, SPV_NOMEM);
    draw(out, subject);
    if (fclose(out) != 0)
        err = cli_fail_plain(c, SPV_NOMEM);
    if (err == SPV_OK)
        err = cli_outfile_write(c, o, text, len);
    if (err == SPV_OK)
        err = cli_outfile_finish(c, o);
    free(text);
    return err;
}

void cli_outfile_drop(cli_outfile *o)
{
    if (o->fd >= 0)
        (void)close(o->fd);
    if (o->made)
        (void)unlink(o->temp);
    if (o->temp)
        cli_interrupt_end();
    free(o->temp);
    free(o->path);
    *o = (cli_outfile){.fd = -1};
}
