#include "conform/survey.h"

#include <stdlib.h>
#include <string.h>

#include <spv/chain.h>
#include <spv/header.h>

#include "conform/array.h"

/* A chain of more is not of any network that there is. */
enum { HEADERS_MAX = 4000000 };

/* A pruned node has 288 blocks; the tip may move while we look. */
enum { PRUNED_DEPTH = 280 };

/* Runs of neighbours from the tip down, before chance has its turn: a chain
 * made for this (spv/material.h) shows everything in its newest blocks. */
enum { NEWEST_RUNS = 3 };

void spv__survey_init(spv_survey *v, const spv_network *network, uint64_t seed)
{
    *v = (spv_survey){.network = network, .rng = {seed}};
}

void spv__survey_clear(spv_survey *v)
{
    free(v->dawn.hashes);
    free(v->chain.hashes);
    spv__samples_clear(&v->samples);
    *v = (spv_survey){0};
}

static void fail(spv_survey *v, spv_err err, const char *why)
{
    v->err = err;
    v->why = why;
    v->phase = SPV_SURVEY_DONE;
}

static int32_t last_of(const spv_stretch *t)
{
    return t->first + (int32_t)t->n - 1;
}

int32_t spv__survey_height(const spv_survey *v)
{
    return v->chain.n > 0 ? last_of(&v->chain) : -1;
}

/* ---- Headers ---- */

enum { LOCATOR_MAX = 32 };

/* A place in the chain that is known beforehand. */
typedef struct landmark {
    spv_hash hash;
    int32_t height;
} landmark;

/* Checkpoints from the last one down, each step twice as far, then genesis. */
static size_t list_marks(const spv_survey *v, landmark marks[LOCATOR_MAX])
{
    size_t n_points = 0;
    const spv_checkpoint *points = spv_checkpoints(v->network, &n_points);
    size_t n = 0;

    for (size_t back = 1; back <= n_points && n < LOCATOR_MAX - 1; back *= 2) {
        const spv_checkpoint *p = &points[n_points - back];

        spv_header_hash(&marks[n].hash, p->header);
        marks[n++].height = p->height;
    }
    marks[n].hash = v->network->genesis_hash;
    marks[n++].height = 0;
    return n;
}

static void ask_headers(spv_session *s, const spv_hash *locator, size_t n)
{
    static const spv_hash as_many_as_possible;
    size_t mark = spv__frame_begin(&s->out, "getheaders", s->network);

    spv__put_locator(&s->out, SPV__PROTOCOL_VERSION, locator, n,
                     &as_many_as_possible);
    spv__frame_end(&s->out, mark);
    spv__session_note(s);
}

static void ask_chain(spv_survey *v, spv_session *s)
{
    landmark marks[LOCATOR_MAX];
    spv_hash locator[LOCATOR_MAX];
    size_t n = list_marks(v, marks);

    for (size_t i = 0; i < n; i++)
        locator[i] = marks[i].hash;
    v->phase = SPV_SURVEY_HEADERS;
    ask_headers(s, locator, n);
}

void spv__survey_begin(spv_survey *v, spv_session *s)
{
    size_t n_points = 0;

    (void)spv_checkpoints(v->network, &n_points);
    if (n_points == 0) {
        ask_chain(v, s);
        return;
    }
    v->phase = SPV_SURVEY_DAWN;
    ask_headers(s, &v->network->genesis_hash, 1);
}

static spv_err add_hash(spv_stretch *t, const spv_hash *hash)
{
    spv_hash *grown =
        spv__array_grow(t->hashes, t->n, &t->cap, sizeof(*t->hashes));

    if (!grown)
        return SPV_NOMEM;
    t->hashes = grown;
    t->hashes[t->n++] = *hash;
    return t->n > HEADERS_MAX ? SPV_PROTOCOL : SPV_OK;
}

/* Where a stretch begins: behind one of the marks that were shown. */
static spv_err find_first(const spv_survey *v, spv_stretch *t,
                          const spv_hash *prev)
{
    landmark marks[LOCATOR_MAX];
    size_t n = list_marks(v, marks);

    for (size_t i = 0; i < n; i++)
        if (spv_hash_equal(&marks[i].hash, prev)) {
            t->first = marks[i].height + 1;
            return SPV_OK;
        }
    return SPV_PROTOCOL;
}

static spv_err add_header(const spv_survey *v, spv_stretch *t,
                          const uint8_t *bytes)
{
    spv_header header;
    spv_hash hash;
    spv_err err = SPV_OK;

    spv_header_decode(&header, bytes);
    spv_header_hash(&hash, bytes);
    if (t->n == 0)
        err = find_first(v, t, &header.prev);
    else if (!spv_hash_equal(&t->hashes[t->n - 1], &header.prev))
        err = SPV_PROTOCOL;
    if (err == SPV_OK && !spv_pow_check(&hash, header.bits, v->network))
        err = SPV_PROTOCOL;
    return err == SPV_OK ? add_hash(t, &hash) : err;
}

static bool has_what_it_must(const spv_survey *v)
{
    static const spv_hash any;
    size_t i = v->chain.n;

    while (i > 0 && !spv_hash_equal(&v->chain.hashes[i - 1], &v->must_have))
        i--;
    return i > 0 || spv_hash_equal(&v->must_have, &any);
}

static void ask_run(spv_survey *v, spv_session *s);

static void after_headers(spv_survey *v, spv_session *s, size_t n)
{
    if (v->phase == SPV_SURVEY_DAWN) {
        ask_chain(v, s);
        return;
    }
    if (n == SPV__HEADERS_MAX) {
        ask_headers(s, &v->chain.hashes[v->chain.n - 1], 1);
        return;
    }
    if (!has_what_it_must(v)) {
        fail(v, SPV_NOT_FOUND, "it lacks the block that it must have");
        return;
    }
    v->phase = SPV_SURVEY_BLOCKS;
    ask_run(v, s);
}

static void on_headers(spv_survey *v, spv_session *s, const spv_heard *heard)
{
    spv_stretch *t = v->phase == SPV_SURVEY_DAWN ? &v->dawn : &v->chain;
    spv_message m;
    spv_err err =
        spv__message_decode(&m, heard->kind, heard->payload, heard->len);

    for (size_t i = 0; err == SPV_OK && i < m.as.headers.n; i++)
        err = add_header(v, t, spv__headers_get(&m.as.headers, i));
    if (err == SPV_NOMEM)
        fail(v, err, "no memory for its headers");
    else if (err != SPV_OK)
        fail(v, SPV_PROTOCOL, "its headers are not a chain of this network");
    else
        after_headers(v, s, m.as.headers.n);
}

/* ---- Blocks ---- */

static bool has_height(const spv_survey *v, int32_t height)
{
    for (size_t i = 0; i < v->samples.n; i++)
        if (v->samples.item[i].height == height)
            return true;
    for (size_t i = 0; i < v->n_wanted; i++)
        if (v->wanted[i] == height)
            return true;
    return false;
}

static void want(spv_survey *v, const spv_stretch *t, int32_t from)
{
    for (int32_t h = from; h <= last_of(t) && v->n_wanted < SPV__SURVEY_RUN;
         h++)
        if (h >= t->first && !has_height(v, h)) {
            v->wanted_hash[v->n_wanted] = t->hashes[h - t->first];
            v->wanted[v->n_wanted++] = h;
        }
}

static bool is_pruned(const spv_session *s)
{
    return !(s->services & SPV__NODE_NETWORK) &&
           (s->services & SPV__NODE_NETWORK_LIMITED);
}

/* The newest first, then by chance; of the dawn now and then. */
static void choose_run(spv_survey *v, const spv_session *s)
{
    const spv_stretch *t = &v->chain;
    int32_t lowest = t->first;

    v->n_wanted = 0;
    if (is_pruned(s) && last_of(t) - PRUNED_DEPTH > lowest)
        lowest = last_of(t) - PRUNED_DEPTH;
    else if (v->runs % 4 == 3 && v->dawn.n > 0) {
        t = &v->dawn;
        lowest = t->first;
    }
    if (v->runs < NEWEST_RUNS)
        want(v, t, last_of(t) - (int32_t)(v->runs + 1) * SPV__SURVEY_RUN + 1);
    for (int tries = 0; v->n_wanted == 0 && tries < 50; tries++)
        want(v, t, (int32_t)spv__rng_between(&v->rng, lowest, last_of(t)));
    if (v->n_wanted == 0)
        want(v, t, lowest);
}

static void say_run(spv_survey *v, spv_session *s)
{
    spv_inv items[SPV__SURVEY_RUN];
    bool witness = s->services & SPV__NODE_WITNESS;
    size_t mark = spv__frame_begin(&s->out, "getdata", s->network);

    for (size_t i = 0; i < v->n_wanted; i++)
        items[i] = (spv_inv){witness ? SPV_INV_WITNESS_BLOCK : SPV_INV_BLOCK,
                             v->wanted_hash[i]};
    spv__put_inv(&s->out, items, v->n_wanted);
    spv__frame_end(&s->out, mark);
    mark = spv__frame_begin(&s->out, "ping", s->network);
    v->fence = spv__rng_next(&v->rng);
    spv__put_u64(&s->out, v->fence);
    spv__frame_end(&s->out, mark);
    spv__session_note(s);
}

static void finish(spv_survey *v)
{
    v->phase = SPV_SURVEY_DONE;
}

static void ask_run(spv_survey *v, spv_session *s)
{
    spv_err err = spv__samples_settle(&v->samples);

    if (err != SPV_OK) {
        fail(v, err, "no memory for its blocks");
        return;
    }
    if (v->chain.n == 0 || v->refused || spv__samples_lacks(&v->samples) == 0 ||
        v->samples.n >= SPV__SURVEY_BLOCKS_MAX ||
        v->samples.bytes >= SPV__SURVEY_BYTES_MAX ||
        v->runs >= SPV__SURVEY_BLOCKS_MAX) {
        finish(v);
        return;
    }
    choose_run(v, s);
    v->runs++;
    if (v->n_wanted == 0)
        finish(v);
    else
        say_run(v, s);
}

static void on_block(spv_survey *v, const spv_heard *heard)
{
    spv_hash hash;
    size_t i = 0;
    spv_err err = SPV_OK;

    if (heard->len < SPV_HEADER_LEN)
        return;
    spv_header_hash(&hash, heard->payload);
    while (i < v->n_wanted && !spv_hash_equal(&v->wanted_hash[i], &hash))
        i++;
    if (i == v->n_wanted)
        return;
    err =
        spv__samples_add(&v->samples, heard->payload, heard->len, v->wanted[i]);
    if (err == SPV_NOMEM)
        fail(v, err, "no memory for its blocks");
    else if (err != SPV_OK && err != SPV_EXISTS)
        fail(v, SPV_PROTOCOL,
             "it sent a block that is not valid, or whose transactions are not "
             "those of its header");
}

static void on_pong(spv_survey *v, spv_session *s, const spv_heard *heard)
{
    spv_reader r = spv__reader(heard->payload, heard->len);

    if (spv__read_u64(&r) != v->fence || spv__read_end(&r) != SPV_OK)
        return;
    v->refused = v->samples.n == 0;
    ask_run(v, s);
}

/* ---- All of it ---- */

void spv__survey_hear(spv_survey *v, spv_session *s, const spv_heard *heard)
{
    bool of_headers =
        v->phase == SPV_SURVEY_DAWN || v->phase == SPV_SURVEY_HEADERS;

    if (heard->kind == SPV_MSG_HEADERS && of_headers)
        on_headers(v, s, heard);
    else if (heard->kind == SPV_MSG_BLOCK && v->phase == SPV_SURVEY_BLOCKS)
        on_block(v, heard);
    else if (heard->kind == SPV_MSG_PONG && v->phase == SPV_SURVEY_BLOCKS)
        on_pong(v, s, heard);
}

void spv__survey_stop(spv_survey *v, spv_err err, const char *why)
{
    if (v->phase == SPV_SURVEY_DONE)
        return;
    if (v->samples.n == 0)
        fail(v, err, why);
    else if (spv__samples_settle(&v->samples) == SPV_OK)
        finish(v);
    else
        fail(v, SPV_NOMEM, "no memory for its blocks");
}
