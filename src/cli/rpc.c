#include "cli/rpc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/curl_door.h"
#include "cli/foreign.h"
#include "cli/interrupt.h"
#include "cli/secret.h"

enum {
    CONNECT_MS = 10000,
    CALL_MS = 60000,       /* a node may be busy with a block */
    ANSWER_MAX = 16 << 20, /* bytes; far more than is asked for here */
    COOKIE_MAX = 512,
    PLACE_MAX = 128
};

/** What an answer grows in. */
typedef struct answer {
    char *bytes;
    size_t len;
    bool too_long;
} answer;

struct cli_rpc {
    cli *c;
    CURL *curl;
    struct curl_slist *headers;
    answer answer;
    char place[PLACE_MAX]; /* host and port: all that may be told */
    char *password;        /* owned, or NULL: what no message may hold, */
    char *token;           /* nor in the form in which it is sent */
    int64_t deadline;      /* of all calls, as now_ms */
    char quoted[CLI_FOREIGN_SIZE];
};

/* Set by cli_rpc_open, before all that is done with it. */
static const cli_curl *lib;

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- What must not be told ---- */

static void forget(char **secret)
{
    if (*secret)
        cli_cleanse(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}

/* Base64 (RFC 4648), without what fills it up at the end: an answer that has
 * that as well is recognised all the same. */
static char *base64(const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = (strlen(text) * 8 + 5) / 6;
    char *out = malloc(n + 1);

    if (!out)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const unsigned char *at = (const unsigned char *)text + i * 6 / 8;
        unsigned pair = (unsigned)at[0] << 8 | at[1];

        out[i] = digits[pair >> (10 - i * 6 % 8) & 63];
    }
    out[n] = '\0';
    return out;
}

/** Remember what to keep to itself of "USER:PASSWORD". */
static spv_err keep_secret(cli_rpc *rpc, const char *login)
{
    const char *password = strchr(login, ':') + 1;

    forget(&rpc->password);
    forget(&rpc->token);
    rpc->password = strdup(password);
    rpc->token = base64(login);
    return rpc->password && rpc->token ? SPV_OK : SPV_NOMEM;
}

static bool holds(const char *words, const char *secret)
{
    return secret && *secret && strstr(words, secret);
}

const char *cli_rpc_quote(cli_rpc *rpc, const char *words)
{
    if (holds(words, rpc->password) || holds(words, rpc->token))
        return "words that hold the password";
    cli_foreign_text(rpc->quoted, words);
    return rpc->quoted;
}

/* ---- Where to, and as whom ---- */

/* Nothing of the URL is told: any part may be one of a password. */
static spv_err refuse_url(cli *c)
{
    (void)cli_fail(c, SPV_INVAL, "--rpc is http://[USER:PASSWORD@]HOST:PORT");
    if (strchr(cli_text(c, CLI_RPC), '@'))
        return cli_hint(&c->trouble, "percent-encode / ? # @ in the password: "
                                     "%%2F %%3F %%23 %%40");
    return cli_hint(&c->trouble, "for a bitcoind: --rpc http://127.0.0.1:PORT "
                                 "--rpc-cookie DATADIR/regtest/.cookie");
}

static char *part(CURLU *url, CURLUPart what, unsigned flags)
{
    char *text = NULL;

    return lib->url_get(url, what, &text, flags) == CURLUE_OK ? text : NULL;
}

/** Whether a '@' stands behind host and port: then these are a part of the
 * password, which has a / ? or # in it. */
static bool has_late_at(CURLU *url)
{
    static const CURLUPart late[] = {CURLUPART_PATH, CURLUPART_QUERY,
                                     CURLUPART_FRAGMENT};
    bool has = false;

    for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
        char *text = part(url, late[i], 0);

        has = has || (text && strchr(text, '@'));
        lib->free(text);
    }
    return has;
}

static spv_err keep_user(cli_rpc *rpc, const char *user, const char *password)
{
    size_t size = strlen(user) + strlen(password) + 2;
    char *login = malloc(size);
    spv_err err = SPV_NOMEM;

    if (login) {
        (void)snprintf(login, size, "%s:%s", user, password);
        err = keep_secret(rpc, login);
    }
    forget(&login);
    return err;
}

/** User and password leave the URL, so that no message can hold them. */
static spv_err take_user(cli_rpc *rpc, CURLU *url)
{
    char *user = part(url, CURLUPART_USER, CURLU_URLDECODE);
    char *password = part(url, CURLUPART_PASSWORD, CURLU_URLDECODE);
    CURLcode done = CURLE_OK;

    if (user)
        done = lib->easy_setopt(rpc->curl, CURLOPT_USERNAME, user);
    if (password && done == CURLE_OK)
        done = lib->easy_setopt(rpc->curl, CURLOPT_PASSWORD, password);
    if (password && keep_user(rpc, user ? user : "", password) != SPV_OK)
        done = CURLE_OUT_OF_MEMORY;
    if (password)
        cli_cleanse(password, strlen(password));
    lib->free(user);
    lib->free(password);
    (void)lib->url_set(url, CURLUPART_USER, NULL, 0);
    (void)lib->url_set(url, CURLUPART_PASSWORD, NULL, 0);
    return done == CURLE_OK ? SPV_OK : SPV_NOMEM;
}

static spv_err take_place(cli_rpc *rpc, CURLU *url)
{
    char *host = part(url, CURLUPART_HOST, 0);
    char *port = part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    char *scheme = part(url, CURLUPART_SCHEME, 0);
    bool ok = host && port && scheme && strncmp(scheme, "http", 4) == 0;

    if (ok)
        (void)snprintf(rpc->place, sizeof(rpc->place), "%s:%s", host, port);
    lib->free(host);
    lib->free(port);
    lib->free(scheme);
    return ok ? SPV_OK : refuse_url(rpc->c);
}

static spv_err set_url(cli_rpc *rpc, CURLU *url)
{
    char *text = part(url, CURLUPART_URL, 0);
    CURLcode done = text ? lib->easy_setopt(rpc->curl, CURLOPT_URL, text)
                         : CURLE_OUT_OF_MEMORY;

    lib->free(text);
    return done == CURLE_OK ? SPV_OK : cli_fail_plain(rpc->c, SPV_NOMEM);
}

static spv_err read_url(cli_rpc *rpc)
{
    const char *text = cli_text(rpc->c, CLI_RPC);
    CURLU *url = lib->url();
    spv_err err = SPV_OK;

    if (!url)
        return cli_fail_plain(rpc->c, SPV_NOMEM);
    if (lib->url_set(url, CURLUPART_URL, text, CURLU_PATH_AS_IS) != CURLUE_OK ||
        has_late_at(url))
        err = refuse_url(rpc->c);
    else if (take_user(rpc, url) != SPV_OK)
        err = cli_fail_plain(rpc->c, SPV_NOMEM);
    if (err == SPV_OK)
        err = take_place(rpc, url);
    if (err == SPV_OK)
        err = set_url(rpc, url);
    lib->url_cleanup(url);
    return err;
}

/** A bitcoind writes "USER:PASSWORD" into its .cookie at each start. */
static spv_err read_cookie(cli_rpc *rpc)
{
    const char *path = cli_text(rpc->c, CLI_RPC_COOKIE);
    char line[COOKIE_MAX] = "";
    FILE *file = path ? fopen(path, "r") : NULL;
    spv_err err = SPV_OK;

    if (!path)
        return SPV_OK;
    if (!file)
        return cli_fail(rpc->c, errno == ENOENT ? SPV_NOT_FOUND : SPV_IO,
                        "cannot read %s: %s", path, strerror(errno));
    if (!fgets(line, sizeof(line), file) || !strchr(line, ':'))
        err =
            cli_fail(rpc->c, SPV_INVAL, "%s does not hold USER:PASSWORD", path);
    line[strcspn(line, "\r\n")] = '\0';
    if (err == SPV_OK &&
        (lib->easy_setopt(rpc->curl, CURLOPT_USERPWD, line) != CURLE_OK ||
         keep_secret(rpc, line) != SPV_OK))
        err = cli_fail_plain(rpc->c, SPV_NOMEM);
    cli_cleanse(line, sizeof(line));
    (void)fclose(file);
    return err;
}

/* ---- Life ---- */

static size_t take_answer(char *bytes, size_t one, size_t n, void *ctx)
{
    answer *a = ctx;
    size_t len = one * n;
    char *more = NULL;

    a->too_long = len > ANSWER_MAX - a->len;
    if (a->too_long)
        return 0;
    more = realloc(a->bytes, a->len + len + 1);
    if (!more)
        return 0;
    memcpy(more + a->len, bytes, len);
    a->bytes = more;
    a->len += len;
    return len;
}

/* libcurl asks at least once a second. */
static int is_over(void *ctx, curl_off_t down_all, curl_off_t down,
                   curl_off_t up_all, curl_off_t up)
{
    (void)ctx;
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    return cli_interrupt_seen();
}

static bool set_up(cli_rpc *rpc)
{
    CURL *curl = rpc->curl;

    rpc->headers = lib->slist_append(NULL, "Content-Type: application/json");
    return rpc->headers &&
           lib->easy_setopt(curl, CURLOPT_HTTPHEADER, rpc->headers) ==
               CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                            (long)CONNECT_MS) == CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_over) ==
               CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer) ==
               CURLE_OK &&
           lib->easy_setopt(curl, CURLOPT_WRITEDATA, &rpc->answer) == CURLE_OK;
}

static spv_err refuse_without_library(cli *c)
{
    (void)cli_fail(c, SPV_UNSUPPORTED,
                   "--rpc needs libcurl, which this "
                   "machine does not have");
    return cli_hint(&c->trouble, "install libcurl (Debian: libcurl4)");
}

spv_err cli_rpc_open(cli *c, uint32_t timeout_s, cli_rpc **out)
{
    cli_rpc *rpc = NULL;
    spv_err err = SPV_OK;

    *out = NULL;
    lib = cli_curl_open();
    if (!lib)
        return refuse_without_library(c);
    rpc = calloc(1, sizeof(*rpc));
    if (!rpc)
        return cli_fail_plain(c, SPV_NOMEM);
    rpc->c = c;
    rpc->deadline = now_ms() + (int64_t)timeout_s * 1000;
    if (lib->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(rpc);
        return cli_fail_plain(c, SPV_NOMEM);
    }
    rpc->curl = lib->easy_init();
    if (!rpc->curl || !set_up(rpc))
        err = cli_fail_plain(c, SPV_NOMEM);
    if (err == SPV_OK)
        err = read_url(rpc);
    if (err == SPV_OK)
        err = read_cookie(rpc);
    if (err == SPV_OK)
        *out = rpc;
    else
        cli_rpc_close(rpc);
    return err;
}

void cli_rpc_close(cli_rpc *rpc)
{
    if (!rpc)
        return;
    lib->easy_cleanup(rpc->curl);
    lib->slist_free_all(rpc->headers);
    lib->global_cleanup();
    free(rpc->answer.bytes);
    forget(&rpc->password);
    forget(&rpc->token);
    free(rpc);
}

/* ---- Calls ---- */

static const char is_it_there[] =
    "is the node running with server=1, and is that its rpcport?";

static spv_err no_answer(cli_rpc *rpc, CURLcode done)
{
    (void)cli_fail(rpc->c, SPV_NO_PEER, "no RPC server at %s: %s", rpc->place,
                   lib->easy_strerror(done));
    return cli_hint(&rpc->c->trouble, "%s", is_it_there);
}

static spv_err too_late(cli_rpc *rpc)
{
    if (now_ms() < rpc->deadline) {
        (void)cli_fail(rpc->c, SPV_TIMEOUT,
                       "the RPC server at %s does not answer", rpc->place);
        return cli_hint(&rpc->c->trouble, "%s", is_it_there);
    }
    (void)cli_fail(rpc->c, SPV_TIMEOUT,
                   "time ran out before the RPC server at %s had answered all",
                   rpc->place);
    return cli_hint(&rpc->c->trouble, "--timeout gives it longer");
}

static spv_err too_long(cli_rpc *rpc)
{
    if (!rpc->answer.too_long)
        return cli_fail_plain(rpc->c, SPV_NOMEM);
    return cli_fail(rpc->c, SPV_PROTOCOL,
                    "what is at %s answers with more than %d MiB", rpc->place,
                    ANSWER_MAX >> 20);
}

static spv_err not_http(cli_rpc *rpc)
{
    (void)cli_fail(rpc->c, SPV_PROTOCOL,
                   "what is at %s answers, but not in HTTP", rpc->place);
    return cli_hint(&rpc->c->trouble, "is that the node's rpcport?");
}

static spv_err explain(cli_rpc *rpc, CURLcode done)
{
    switch (done) {
    case CURLE_ABORTED_BY_CALLBACK:
        return cli_fail(rpc->c, SPV_INTERRUPTED, "interrupted");
    case CURLE_OPERATION_TIMEDOUT:
        return too_late(rpc);
    case CURLE_WRITE_ERROR:
        return too_long(rpc);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return not_http(rpc);
    default:
        return no_answer(rpc, done);
    }
}

static spv_err refused_user(cli_rpc *rpc)
{
    (void)cli_fail(rpc->c, SPV_LOCKED,
                   "the RPC server at %s does not take this user and password",
                   rpc->place);
    return cli_hint(&rpc->c->trouble, "a bitcoind without rpcauth wants "
                                      "--rpc-cookie DATADIR/regtest/.cookie");
}

static spv_err post(cli_rpc *rpc, const char *body)
{
    int64_t left = rpc->deadline - now_ms();
    long status = 0;
    CURLcode done;

    rpc->answer.len = 0;
    if (cli_interrupt_seen())
        return explain(rpc, CURLE_ABORTED_BY_CALLBACK);
    if (left <= 0)
        return too_late(rpc);
    if (lib->easy_setopt(rpc->curl, CURLOPT_TIMEOUT_MS,
                         (long)(left < CALL_MS ? left : CALL_MS)) != CURLE_OK ||
        lib->easy_setopt(rpc->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)strlen(body)) != CURLE_OK ||
        lib->easy_setopt(rpc->curl, CURLOPT_POSTFIELDS, body) != CURLE_OK)
        return cli_fail_plain(rpc->c, SPV_NOMEM);
    done = lib->easy_perform(rpc->curl);
    if (done != CURLE_OK)
        return explain(rpc, done);
    (void)lib->easy_getinfo(rpc->curl, CURLINFO_RESPONSE_CODE, &status);
    return status == 401 || status == 403 ? refused_user(rpc) : SPV_OK;
}

static spv_err read_error(cli_rpc *rpc, const char *method, const json_t *error)
{
    const char *words = json_string_value(json_object_get(error, "message"));

    return cli_fail(rpc->c, SPV_IO, "the node answers %s with: %s", method,
                    words ? cli_rpc_quote(rpc, words)
                          : "an error without words");
}

static spv_err read_answer(cli_rpc *rpc, const char *method, json_t **result)
{
    json_t *doc = json_loadb(rpc->answer.bytes ? rpc->answer.bytes : "",
                             rpc->answer.len, 0, NULL);
    const json_t *error = json_object_get(doc, "error");
    spv_err err = SPV_OK;

    *result = NULL;
    if (!json_object_get(doc, "result"))
        err = cli_fail(rpc->c, SPV_PROTOCOL,
                       "what is at %s does not answer as a node's RPC does",
                       rpc->place);
    if (error && !json_is_null(error))
        err = read_error(rpc, method, error);
    if (err == SPV_OK)
        *result = json_incref(json_object_get(doc, "result"));
    json_decref(doc);
    return err;
}

spv_err cli_rpc_call(cli_rpc *rpc, const char *method, json_t *params,
                     json_t **result)
{
    json_t *doc = json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "1.0", "id", 1,
                            "method", method, "params", params);
    char *body = json_dumps(doc, JSON_COMPACT);
    spv_err err = body ? post(rpc, body) : cli_fail_plain(rpc->c, SPV_NOMEM);

    *result = NULL;
    if (err == SPV_OK)
        err = read_answer(rpc, method, result);
    json_decref(doc);
    free(body);
    return err;
}
