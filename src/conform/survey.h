#ifndef SPV_CONFORM_SURVEY_H
#define SPV_CONFORM_SURVEY_H

#include "conform/samples.h"
#include "conform/session.h"

/*
 * The first look at a node: its headers, and a sample of its blocks.
 *
 * Workload: a few hundred blocks of a test network, or forty of the main one.
 * Blocks are taken in runs of neighbours, since some checks need a coin made in
 * one block and spent in a later one, until every shape that checks ask for has
 * been seen or the budget is spent: the newest, then others by chance.
 */
enum {
    SPV__SURVEY_BLOCKS_MAX = 200,
    SPV__SURVEY_BYTES_MAX = 64000000,
    SPV__SURVEY_RUN = 8 /* blocks asked for together */
};

/** Hashes of neighbouring headers. */
typedef struct spv_stretch {
    int32_t first; /**< height of the first */
    spv_hash *hashes;
    size_t n;
    size_t cap;
} spv_stretch;

typedef enum spv_survey_phase {
    SPV_SURVEY_DAWN,    /**< the first headers of a long chain */
    SPV_SURVEY_HEADERS, /**< those up to the tip */
    SPV_SURVEY_BLOCKS,
    SPV_SURVEY_DONE
} spv_survey_phase;

typedef struct spv_survey {
    const spv_network *network;
    spv_hash must_have; /**< its chain must; zero: any chain will do */
    spv_rng rng;
    spv_survey_phase phase;
    spv_stretch dawn;
    spv_stretch chain;
    spv_samples samples;
    int32_t wanted[SPV__SURVEY_RUN]; /**< heights under way */
    spv_hash wanted_hash[SPV__SURVEY_RUN];
    size_t n_wanted;
    size_t runs;
    bool refused; /**< the first run brought nothing */
    uint64_t fence;
    spv_err err;
    const char *why; /**< static, when `err` is set */
} spv_survey;

void spv__survey_init(spv_survey *v, const spv_network *network, uint64_t seed);
void spv__survey_clear(spv_survey *v);

/** The session is ready: ask for headers. */
void spv__survey_begin(spv_survey *v, spv_session *s);

/** A message came; what is asked next goes out by the session. */
void spv__survey_hear(spv_survey *v, spv_session *s, const spv_heard *heard);

/** Nothing more will come: make do with what is here, or fail. */
void spv__survey_stop(spv_survey *v, spv_err err, const char *why);

/** Height of the last header; -1: there is none. */
int32_t spv__survey_height(const spv_survey *v);

#endif
