#include "sim/user.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/client.h"
#include "support/chaingen.h"
#include "support/must.h"

/* ---- Folders ---- */

static void temporary_folder(char out[USER_PATH])
{
    const char *base = getenv("TMPDIR");

    (void)snprintf(out, USER_PATH, "%s/spv-sim-XXXXXX", base ? base : "/tmp");
    MUST(mkdtemp(out));
}

static void join(char out[USER_PATH], const char *folder, const char *name)
{
    MUST(snprintf(out, USER_PATH, "%s/%s", folder, name) < USER_PATH);
}

/** Do something with everything in a folder; `to` may be NULL. */
static void for_each(const char *folder, const char *to,
                     void (*act)(const char *path, const char *to))
{
    DIR *dir = opendir(folder);
    const struct dirent *entry = NULL;

    MUST(dir);
    while ((entry = readdir(dir))) {
        char path[USER_PATH];
        char target[USER_PATH] = "";

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        join(path, folder, entry->d_name);
        if (to)
            join(target, to, entry->d_name);
        act(path, target);
    }
    (void)closedir(dir);
}

static bool is_folder(const char *path)
{
    struct stat st;

    MUST(lstat(path, &st) == 0);
    return S_ISDIR(st.st_mode);
}

static void remove_all(const char *path, const char *to)
{
    (void)to;
    if (is_folder(path)) {
        for_each(path, NULL, remove_all);
        MUST(rmdir(path) == 0);
        return;
    }
    MUST(unlink(path) == 0);
}

static void copy_file(const char *path, const char *to)
{
    FILE *in = fopen(path, "rb");
    FILE *out = fopen(to, "wb");
    char bytes[4096];
    size_t n = 0;

    MUST(in && out);
    while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
        MUST(fwrite(bytes, 1, n, out) == n);
    MUST(fclose(in) == 0 && fclose(out) == 0);
    MUST(chmod(to, 0600) == 0);
}

static void copy_all(const char *path, const char *to)
{
    if (!is_folder(path)) {
        copy_file(path, to);
        return;
    }
    MUST(mkdir(to, 0700) == 0);
    for_each(path, to, copy_all);
}

/* ---- The wallet ---- */

static const uint8_t entropy[32] = {7, 1, 8, 2, 8};

spv_wallet_spec user_spec(const char *type, uint32_t gap)
{
    return (spv_wallet_spec){.type = type,
                             .mnemonic = chaingen_defaults().mnemonic,
                             .gap = gap,
                             .birthday_time = -1,
                             .birthday = -1,
                             .entropy = entropy};
}

static spv_place place_of(const user *u)
{
    return (spv_place){.datadir = u->folder,
                       .network = spv_network_get(SPV_REGTEST),
                       .wallet = "sim"};
}

static void hear(void *ctx, const char *line)
{
    user *u = ctx;
    char *to = u->line[u->n_lines++ % USER_LINES];

    (void)snprintf(to, sizeof(u->line[0]), "%s", line);
}

void user_begin(user *u, const spv_wallet_spec *spec, bool on_disk,
                size_t n_peers, uint64_t seed)
{
    spv_trouble trouble = {0};
    spv_err err = SPV_OK;
    spv_place place;

    *u = (user){.options = {.connect = u->connect,
                            .n_connect = n_peers,
                            .unix_time = chaingen_defaults().end_time,
                            .seed = seed,
                            .log = hear,
                            .log_ctx = u}};
    MUST(n_peers <= SPV_PEERS_MAX);
    for (size_t i = 0; i < n_peers; i++) {
        sim_node_text(u->peer[i], i);
        u->connect[i] = u->peer[i];
    }
    if (on_disk)
        temporary_folder(u->folder);
    place = place_of(u);
    err = on_disk ? spv_client_create(&u->client, &place, spec, &trouble)
                  : spv_client_new(&u->client, place.network, spec, &trouble);
    if (err != SPV_OK)
        (void)fprintf(stderr, "no wallet: %s\n", trouble.text);
    MUST(err == SPV_OK);
}

void user_end(user *u)
{
    spv_client_free(u->client);
    u->client = NULL;
    if (u->folder[0])
        remove_all(u->folder, NULL);
    if (u->backup[0])
        remove_all(u->backup, NULL);
}

/* Every run has entropy of its own. */
static void prepare(user *u)
{
    spv_trouble trouble = {0};

    if (u->seeds)
        u->client->seeds = u->seeds;
    u->options.seed = u->options.seed * 6364136223846793005u + 1;
    MUST(spv_client_prepare(u->client, &u->options, &trouble) == SPV_OK);
}

void user_sync(user *u, sim *s)
{
    prepare(u);
    sim_set_client(s, spv_client_machine(), u->client);
}

void user_back_up(user *u)
{
    if (!u->backup[0])
        temporary_folder(u->backup);
    remove_all(u->backup, NULL);
    copy_all(u->folder, u->backup);
}

/* A client that is killed says no farewell: nothing more is kept. */
void user_die(user *u)
{
    u->client->changed = u->client->book.changed = false;
    spv_client_free(u->client);
    u->client = NULL;
}

void user_go_back(user *u)
{
    remove_all(u->folder, NULL);
    copy_all(u->backup, u->folder);
}

spv_err user_open(user *u, spv_trouble *trouble)
{
    spv_place place = place_of(u);

    return spv_client_open(&u->client, &place, trouble);
}

void user_file(char out[USER_PATH], const user *u, const char *name)
{
    MUST(snprintf(out, USER_PATH, "%s/regtest/%s", u->folder, name) <
         USER_PATH);
}

void *user_restart(void *arg, void *self)
{
    user *u = arg;

    MUST(self == u->client);
    if (u->folder[0]) {
        spv_trouble trouble = {0};

        user_die(u);
        if (u->restore && u->backup[0])
            user_go_back(u);
        u->restore = false;
        MUST(user_open(u, &trouble) == SPV_OK);
    }
    prepare(u);
    return u->client;
}

/* ---- What it was told ---- */

static const char *nth_line(const user *u, size_t i)
{
    return i < u->n_lines && i < USER_LINES ? u->line[i] : NULL;
}

bool user_was_told(const user *u, const char *text)
{
    for (size_t i = 0; nth_line(u, i); i++)
        if (strstr(nth_line(u, i), text))
            return true;
    return false;
}

/* What may be said of an honest node behind a bad line, or one whose chain is
 * not the best; or of all of them. */
static bool is_misfortune(const char *line)
{
    static const char *const reasons[] = {
        "cannot be reached",
        "hung up",
        "in time",
        "does not answer for blocks of the chain it showed",
        "has another chain of like work",
        "answers slowly",
        "blocks could not be audited"};

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (strstr(line, reasons[i]))
            return true;
    return false;
}

static bool is_of_one_before(const user *u, size_t from, const char *line)
{
    for (size_t i = 0; i < from; i++)
        if (strncmp(line, u->peer[i], strlen(u->peer[i])) == 0)
            return true;
    return false;
}

const char *user_accusation(const user *u, size_t from)
{
    for (size_t i = 0; nth_line(u, i); i++)
        if (!is_misfortune(nth_line(u, i)) &&
            !is_of_one_before(u, from, nth_line(u, i)))
            return nth_line(u, i);
    return NULL;
}
