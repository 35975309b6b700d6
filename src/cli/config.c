#include "cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/array.h"
#include "cli/nearest.h"
#include "cli/trouble.h"

extern char **environ;

static char *trim(char *text)
{
    char *end = NULL;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

/* ---- Lines ---- */

typedef struct file_reader {
    cli_config *config;
    const spv_network *section;
    int line;
    spv_trouble *trouble;
} file_reader;

static spv_err add_entry(file_reader *r, const spv_network *network,
                         const char *key, const char *text)
{
    cli_config *c = r->config;
    cli_entry *e = NULL;

    if (!cli_array_room(&c->entries, c->n, sizeof(*c->entries)))
        return cli_trouble(r->trouble, SPV_NOMEM, "out of memory");
    e = &c->entries[c->n++];
    *e = (cli_entry){.network = network, .line = r->line};
    e->key = strdup(key);
    e->text = strdup(text);
    return e->key && e->text
               ? SPV_OK
               : cli_trouble(r->trouble, SPV_NOMEM, "out of memory");
}

static spv_err unknown_section(file_reader *r, const char *name)
{
    cli_nearest near;

    cli_nearest_init(&near, name);
    for (int i = 0; i < SPV_CHAIN_COUNT; i++)
        cli_nearest_try(&near, spv_network_get((spv_chain)i)->name);
    (void)cli_trouble(r->trouble, SPV_INVAL, "there is no network '%s'", name);
    return cli_nearest_hint(
        &near, r->trouble, "[", "]",
        "there are main, testnet3, testnet4, signet and regtest");
}

static spv_err read_section(file_reader *r, char *text)
{
    char *end = strchr(text, ']');
    char *name = NULL;

    if (!end || end[1] != '\0')
        return cli_trouble(r->trouble, SPV_INVAL,
                           "a section is written [NETWORK]");
    *end = '\0';
    name = trim(text + 1);
    r->section = spv_network_find(name);
    return r->section ? SPV_OK : unknown_section(r, name);
}

/* "regtest.connect=...": a section in one line. */
static const spv_network *take_prefix(char **key)
{
    char *dot = strchr(*key, '.');
    const spv_network *network = NULL;

    if (!dot)
        return NULL;
    *dot = '\0';
    network = spv_network_find(*key);
    if (network)
        *key = dot + 1;
    else
        *dot = '.';
    return network;
}

static spv_err read_line(file_reader *r, char *line)
{
    char *comment = strchr(line, '#');
    char *equals = NULL;
    char *key = NULL;
    const spv_network *network = NULL;

    if (comment)
        *comment = '\0';
    line = trim(line);
    if (*line == '\0')
        return SPV_OK;
    if (*line == '[')
        return read_section(r, line);
    equals = strchr(line, '=');
    if (!equals)
        return cli_trouble(r->trouble, SPV_INVAL, "'%s' is not KEY=VALUE",
                           line);
    *equals = '\0';
    key = trim(line);
    network = take_prefix(&key);
    return add_entry(r, network ? network : r->section, key, trim(equals + 1));
}

/* ---- File ---- */

static spv_err read_lines(file_reader *r, FILE *file)
{
    char *line = NULL;
    size_t cap = 0;
    spv_err err = SPV_OK;

    while (err == SPV_OK && getline(&line, &cap, file) >= 0) {
        r->line++;
        err = read_line(r, line);
    }
    free(line);
    if (err != SPV_OK)
        return cli_trouble_at(r->trouble, "%s, line %d", r->config->path,
                              r->line);
    if (ferror(file))
        return cli_trouble(r->trouble, SPV_IO, "cannot read %s: %s",
                           r->config->path, strerror(errno));
    return SPV_OK;
}

/* One that nobody named is no pipe: opening that would wait for a writer. */
static bool is_pipe(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

spv_err cli_config_read(cli_config *out, const char *path, bool must_exist,
                        spv_trouble *trouble)
{
    file_reader r = {.config = out, .trouble = trouble};
    FILE *file = NULL;
    spv_err err = SPV_OK;

    *out = (cli_config){.path = strdup(path)};
    if (!out->path)
        return cli_trouble(trouble, SPV_NOMEM, "out of memory");
    if (!must_exist && is_pipe(path))
        return cli_trouble(trouble, SPV_IO, "cannot read %s: it is a pipe",
                           path);
    file = fopen(path, "r");
    if (!file && (errno == ENOENT || errno == ENOTDIR) && !must_exist)
        return SPV_OK;
    if (!file)
        return cli_trouble(trouble, errno == ENOENT ? SPV_NOT_FOUND : SPV_IO,
                           "cannot read %s: %s", path, strerror(errno));
    err = read_lines(&r, file);
    (void)fclose(file);
    return err;
}

void cli_config_clear(cli_config *config)
{
    for (size_t i = 0; i < config->n; i++) {
        free(config->entries[i].key);
        free(config->entries[i].text);
    }
    free(config->entries);
    free(config->path);
    *config = (cli_config){0};
}

static spv_err apply_entry(const cli_entry *e, cli_values *values,
                           spv_trouble *trouble)
{
    cli_option option = CLI_OPTION_COUNT;

    if (e->network && cli_option_find(&option, e->key) &&
        (option == CLI_CHAIN || option == CLI_DATADIR ||
         (cli_option_get(option)->traits & CLI_CHAIN_NAME)))
        return cli_trouble(trouble, SPV_INVAL,
                           "'%s' must stand above all [sections]", e->key);
    return cli_values_set_named(values, e->key, e->text,
                                e->network ? CLI_FROM_SECTION : CLI_FROM_FILE,
                                trouble);
}

/* Other networks' sections are checked too: a mistake there is one as well. */
static spv_err check_entry(const cli_entry *e, spv_trouble *trouble)
{
    cli_values unused = {0};
    spv_err err = apply_entry(e, &unused, trouble);

    cli_values_clear(&unused);
    return err;
}

spv_err cli_config_apply(const cli_config *config, cli_values *values,
                         const spv_network *network, spv_trouble *trouble)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < config->n && err == SPV_OK; i++) {
        const cli_entry *e = &config->entries[i];

        err = e->network == network ? apply_entry(e, values, trouble)
                                    : check_entry(e, trouble);
        if (err != SPV_OK)
            return cli_trouble_at(trouble, "%s, line %d", config->path,
                                  e->line);
    }
    return SPV_OK;
}

/* ---- Environment ---- */

enum { NAME_MAX_LEN = 63 };

/* SPVCLIENT_LOG_LEVEL=... is log-level. */
static spv_err apply_variable(cli_values *values, const char *variable,
                              spv_trouble *trouble)
{
    const char *equals = strchr(variable, '=');
    char name[NAME_MAX_LEN + 1];
    size_t len = equals ? (size_t)(equals - variable) : 0;

    if (!equals || equals[1] == '\0')
        return SPV_OK;
    len = len < NAME_MAX_LEN ? len : NAME_MAX_LEN;
    for (size_t i = 0; i < len; i++)
        name[i] = variable[i] == '_'
                      ? '-'
                      : (char)tolower((unsigned char)variable[i]);
    name[len] = '\0';
    return cli_values_set_named(values, name, equals + 1, CLI_FROM_ENVIRONMENT,
                                trouble);
}

spv_err cli_environment_apply(cli_values *values, spv_trouble *trouble)
{
    static const char prefix[] = "SPVCLIENT_";
    spv_err err = SPV_OK;

    for (char **at = environ; *at; at++) {
        if (strncmp(*at, prefix, sizeof(prefix) - 1) != 0)
            continue;
        err = apply_variable(values, *at + sizeof(prefix) - 1, trouble);
        if (err != SPV_OK)
            return cli_trouble_at(trouble, "environment, %.*s",
                                  (int)strcspn(*at, "="), *at);
    }
    return SPV_OK;
}
