#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/drive.h"
#include "cli/entry.h"
#include "cli/open.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/values.h"

/*
 * watch: the client's events, one JSON object a line, each at once.
 */
typedef struct watcher {
    cli *c;
    spv_client *client;
    cli_progress progress;
    int32_t tip; /* told of last: confirmations count from here */
    bool gone;   /* what is written reaches nobody any more */
    spv_err err; /* a line could not be made */
} watcher;

/* ---- Documents ---- */

static json_t *peer_doc(const spv_event *e, const char *key)
{
    return json_pack("{s:s, s:o}", "peer", e->peer, key,
                     cli_json_text(e->text));
}

static json_t *block_doc(const spv_event *e)
{
    return json_pack("{s:o, s:o}", "height", cli_json_height(e->height),
                     "block_hash", cli_json_hash(&e->block_hash));
}

static json_t *reorganised_doc(const spv_event *e)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "fork_height",
                     cli_json_height(e->fork_height), "old_height",
                     cli_json_height(e->old_height), "old_block_hash",
                     cli_json_hash(&e->old_hash), "height",
                     cli_json_height(e->height), "block_hash",
                     cli_json_hash(&e->block_hash));
}

/* An entry of the history, and by how many peers it was announced. */
static json_t *tx_doc(watcher *w, const spv_event *e)
{
    json_t *doc = NULL;

    w->err = cli_entry_doc(w->c, w->client, e->tx, w->tip, &doc);
    if (w->err == SPV_OK)
        (void)json_object_set_new(doc, "seen_by",
                                  cli_json_count(e->tx->seen_by));
    return doc;
}

static json_t *event_doc(watcher *w, const spv_event *e)
{
    switch (e->kind) {
    case SPV_EVENT_CONNECTED:
        return peer_doc(e, "user_agent");
    case SPV_EVENT_DISCONNECTED:
        return peer_doc(e, "reason");
    case SPV_EVENT_WARNING:
        return json_pack("{s:o}", "text", cli_json_text(e->text));
    case SPV_EVENT_REORGANISED:
        return reorganised_doc(e);
    case SPV_EVENT_TIP:
    case SPV_EVENT_SYNCED:
        return block_doc(e);
    case SPV_EVENT_TRANSACTION:
    case SPV_EVENT_CONFIRMED:
    case SPV_EVENT_REPLACED:
    case SPV_EVENT_CONFLICTED:
    case SPV_EVENT_ABANDONED:
        return tx_doc(w, e);
    case SPV_EVENT_BALANCE:
        return cli_balance_doc(w->client);
    }
    return NULL;
}

/* ---- Lines ---- */

/* Not through stdio, which forgets what a signal kept it from writing. A line
 * that was begun is ended, whoever has to wait for that; one that was not need
 * not be when the run is to stop. */
static bool write_line(const char *bytes, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = write(STDOUT_FILENO, bytes + done, len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR || done == 0)
            return false;
    }
    return true;
}

/* A reader that goes away, as `head` does, has had enough, and one that does
 * not read holds up nobody who is told to end: these are no failures. */
static void stop_writing(watcher *w)
{
    w->gone = true;
    if (errno != EPIPE && errno != EINTR)
        w->err = cli_fail(w->c, SPV_IO, "cannot write to standard output: %s",
                          strerror(errno));
    cli_drive_stop();
}

static char *line_text(const spv_event *e, json_t *doc)
{
    json_t *line = json_pack("{s:s}", "event", spv_event_name(e->kind));
    char *text = NULL;

    if (line && json_object_update(line, doc) == 0)
        text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(line);
    return text;
}

static void print(watcher *w, const spv_event *e, json_t *doc)
{
    char *text = line_text(e, doc);
    size_t len = text ? strlen(text) : 0;

    if (!text) {
        w->err = SPV_NOMEM;
        cli_drive_stop();
        return;
    }
    cli_progress_wipe(&w->progress);
    text[len] = '\n'; /* where it ended */
    if (!write_line(text, len + 1))
        stop_writing(w);
    free(text);
}

static void on_event(void *ctx, const spv_event *e)
{
    watcher *w = ctx;
    json_t *doc = NULL;

    if (w->gone || w->err != SPV_OK)
        return;
    if (e->kind == SPV_EVENT_TIP)
        w->tip = e->height;
    doc = event_doc(w, e);
    print(w, e, doc);
    json_decref(doc);
    if (e->kind != SPV_EVENT_SYNCED)
        return;
    w->progress.shown = false; /* from here on the lines tell enough */
}

/* ---- The run ---- */

/* Whoever asked for a height in a time must not go on below it. */
static spv_err check_goal(const watcher *w, int32_t until)
{
    spv_sync_report r;

    spv_client_report(w->client, &r);
    if (r.height >= until)
        return SPV_OK;
    return cli_fail(w->c, SPV_TIMEOUT,
                    "the time is up, and the chain ends at height %d, below %d",
                    r.height, until);
}

static spv_err explain(const watcher *w, spv_err err, int32_t until)
{
    if (w->err != SPV_OK)
        return w->err;
    if (err == SPV_INTERRUPTED || w->gone)
        return SPV_OK; /* how else should it end? */
    if (err == SPV_OK)
        return check_goal(w, until);
    spv_client_trouble(w->client, &w->c->trouble);
    return err;
}

static spv_err run(watcher *w)
{
    spv_sync_options options = {.stay = true,
                                .log = cli_progress_warn,
                                .log_ctx = &w->progress,
                                .event = on_event,
                                .event_ctx = w};
    spv_err err = cli_run_options(w->c, &options);

    cli_progress_init(&w->progress, w->c, w->client, options.until);
    if (err == SPV_OK)
        err = spv_client_prepare(w->client, &options, &w->c->trouble);
    if (err != SPV_OK)
        return err;
    err = cli_drive(cli_progress_machine(), &w->progress);
    cli_progress_wipe(&w->progress);
    return explain(w, err, options.until);
}

spv_err cli_watch(cli *c, json_t **doc)
{
    watcher w = {.c = c};
    spv_err err = cli_open(c, &w.client);

    (void)doc;
    c->by_line = true;
    if (err == SPV_OK)
        err = run(&w);
    spv_client_free(w.client);
    if (err != SPV_OK && c->trouble.code != err)
        (void)cli_fail_plain(c, err);
    return err;
}
