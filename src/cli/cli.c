#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/nearest.h"

/* ---- Saying things ---- */

spv_err cli_fail(cli *c, spv_err code, const char *format, ...)
{
    va_list args;

    c->trouble = (spv_trouble){.code = code};
    va_start(args, format);
    (void)vsnprintf(c->trouble.text, sizeof(c->trouble.text), format, args);
    va_end(args);
    return code;
}

spv_err cli_fail_plain(cli *c, spv_err code)
{
    return cli_fail(c, code, "%s", spv_err_text(code));
}

static void print_time(FILE *to)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[32];

    if (gmtime_r(&now, &utc) &&
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
        (void)fprintf(to, "%s ", text);
}

void cli_say(const cli *c, cli_level level, const char *format, ...)
{
    static const char *const kinds[] = {"error", "warning", "note", "info",
                                        "debug"};
    char text[CLI_SAID_MAX];
    char placed[CLI_SAID_MAX];
    char shown[CLI_SAID_MAX];
    va_list args;

    if (level > c->level)
        return;
    if (c->log != stderr)
        print_time(c->log);
    else
        (void)fputs("spvclient: ", c->log);
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    cli_advice(c, placed, text);
    cli_make_text(shown, sizeof(shown), placed);
    (void)fprintf(c->log, "%s: %s\n", kinds[level], shown);
    (void)fflush(c->log);
}

bool cli_has_color(const cli *c, FILE *stream)
{
    const char *when = cli_text(c, CLI_COLOR);
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (when && strcmp(when, "always") == 0)
        return true;
    if ((when && strcmp(when, "never") == 0) || (no_color && *no_color))
        return false;
    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

/* ---- Values ---- */

const char *cli_text(const cli *c, cli_option option)
{
    return cli_values_text(&c->values, option);
}

bool cli_on(const cli *c, cli_option option)
{
    return cli_values_on(&c->values, option);
}

bool cli_parse_number(uint64_t *out, const char *text, uint64_t most)
{
    uint64_t n = 0;

    if (*text == '\0')
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';

        if (digit > 9 || n > (most - digit) / 10 || digit > most)
            return false;
        n = n * 10 + digit;
    }
    *out = n;
    return true;
}

spv_err cli_number(cli *c, cli_option option, uint64_t least, uint64_t most,
                   uint64_t otherwise, uint64_t *out)
{
    const char *text = cli_text(c, option);

    *out = otherwise;
    if (!text || (cli_parse_number(out, text, most) && *out >= least))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--%s is a whole number from %llu to %llu, not '%s'",
                    cli_option_get(option)->name, (unsigned long long)least,
                    (unsigned long long)most, text);
}

/* ---- Settings ---- */

/* Even a command line that makes no sense is answered in the form it asked
 * for, so this is known before anything is read. */
static bool asks_for_json(int argc, char **argv)
{
    const char *text = getenv("SPVCLIENT_JSON");
    bool json = text && strcmp(text, "1") == 0;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        if (strcmp(argv[i], "--no-json") == 0)
            json = false;
    }
    return json;
}

static spv_err settle_network(cli *c)
{
    const char *name = cli_text(c, CLI_CHAIN);
    cli_nearest near;

    c->network = spv_network_find(name ? name : "main");
    if (c->network)
        return SPV_OK;
    cli_nearest_init(&near, name);
    for (int i = 0; i < SPV_CHAIN_COUNT; i++)
        cli_nearest_try(&near, spv_network_get((spv_chain)i)->name);
    (void)cli_fail(c, SPV_INVAL, "there is no network '%s'", name);
    return cli_nearest_hint(
        &near, &c->trouble, "", "",
        "there are main, testnet3, testnet4, signet and regtest");
}

static char *join(const char *folder, const char *rest)
{
    size_t size = strlen(folder) + strlen(rest) + 1;
    char *path = malloc(size);

    if (path)
        (void)snprintf(path, size, "%s%s", folder, rest);
    return path;
}

/* XDG says a relative path there is to be ignored. */
static char *default_datadir(void)
{
    const char *xdg = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    if (xdg && *xdg == '/')
        return join(xdg, "/spvclient");
    if (home && *home)
        return join(home, "/.local/share/spvclient");
    return NULL;
}

static void settle_datadir(cli *c)
{
    const char *given = cli_text(c, CLI_DATADIR);

    free(c->datadir);
    c->datadir = given ? join(given, "") : default_datadir();
}

static spv_err apply_config(cli *c, const cli_config *config)
{
    spv_err err = cli_config_apply(config, &c->values, NULL, &c->trouble);

    if (err == SPV_OK)
        err = settle_network(c);
    if (err == SPV_OK)
        err = cli_config_apply(config, &c->values, c->network, &c->trouble);
    settle_datadir(c);
    return err;
}

static spv_err settle_config(cli *c)
{
    const char *given = cli_text(c, CLI_CONF);
    char *path = given        ? join(given, "")
                 : c->datadir ? join(c->datadir, "/spvclient.conf")
                              : NULL;
    cli_config config = {0};
    spv_err err = SPV_OK;

    if (path)
        err = cli_config_read(&config, path, given != NULL, &c->trouble);
    if (err == SPV_OK)
        err = apply_config(c, &config);
    cli_config_clear(&config);
    free(path);
    return err;
}

static bool find_word(const char *const *words, size_t n, const char *word,
                      size_t *at)
{
    for (*at = 0; *at < n; (*at)++)
        if (strcmp(words[*at], word) == 0)
            return true;
    return false;
}

static spv_err settle_level(cli *c)
{
    static const char *const words[] = {"error", "warn", "info", "debug"};
    static const cli_level levels[] = {CLI_ERROR, CLI_NOTE, CLI_INFO,
                                       CLI_DEBUG};
    const char *name = cli_text(c, CLI_LOG_LEVEL);
    size_t at = 1;

    if (name && !find_word(words, 4, name, &at))
        return cli_fail(c, SPV_INVAL,
                        "--log-level is error, warn, info or debug, not '%s'",
                        name);
    c->level = levels[at];
    if (!name && cli_on(c, CLI_VERBOSE))
        c->level = CLI_INFO;
    if (cli_on(c, CLI_QUIET))
        c->level = CLI_ERROR;
    return SPV_OK;
}

static spv_err settle_color(cli *c)
{
    static const char *const words[] = {"auto", "always", "never"};
    const char *when = cli_text(c, CLI_COLOR);
    size_t at = 0;

    if (!when || find_word(words, 3, when, &at))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL, "--color is auto, always or never, not '%s'",
                    when);
}

static spv_err settle_log(cli *c)
{
    const char *path = cli_text(c, CLI_LOG_FILE);
    FILE *file = NULL;

    if (!path)
        return SPV_OK;
    file = fopen(path, "a");
    if (!file)
        return cli_fail(c, SPV_IO, "cannot write %s: %s", path,
                        strerror(errno));
    c->log = file;
    return SPV_OK;
}

/* A later command's own options are unknown here; the command is what to
 * speak of. */
static spv_err parse_argv(cli *c, int argc, char **argv)
{
    spv_err err = cli_values_parse(&c->values, argc, argv, c->words,
                                   &c->n_words, &c->trouble);

    if (err != SPV_OK && cli_command_is_later(c->words, c->n_words))
        return cli_command_refuse_later(c);
    return err;
}

static bool wants_only_words(const cli *c)
{
    return cli_on(c, CLI_HELP) || cli_on(c, CLI_VERSION) ||
           (c->n_words && strcmp(c->words[0], "help") == 0);
}

spv_err cli_settle(cli *c, int argc, char **argv)
{
    spv_err err = SPV_OK;

    *c = (cli){.level = CLI_NOTE,
               .log = stderr,
               .network = spv_network_get(SPV_MAIN),
               .json = asks_for_json(argc, argv)};
    c->words = calloc((size_t)argc + 1, sizeof(*c->words));
    if (!c->words)
        return cli_fail_plain(c, SPV_NOMEM);
    err = parse_argv(c, argc, argv);
    if (err != SPV_OK || wants_only_words(c))
        return err; /* help is given even when the settings are broken */
    err = cli_environment_apply(&c->values, &c->trouble);
    settle_datadir(c);
    if (err == SPV_OK)
        err = settle_config(c);
    if (err == SPV_OK)
        err = settle_level(c);
    if (err == SPV_OK)
        err = settle_color(c);
    c->json = cli_on(c, CLI_JSON) || (err != SPV_OK && c->json);
    return err == SPV_OK ? settle_log(c) : err;
}

void cli_clear(cli *c)
{
    spv_client_free(c->made);
    cli_values_clear(&c->values);
    free(c->words);
    free(c->datadir);
    if (c->log && c->log != stderr)
        (void)fclose(c->log);
}
