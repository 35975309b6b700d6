#ifndef SPV_CLI_FILTER_KIND_H
#define SPV_CLI_FILTER_KIND_H

#include <spv/counting_filter.h>
#include <spv/cuckoo_filter.h>
#include <spv/filter.h>
#include <spv/local_filter.h>
#include <spv/rolling_filter.h>
#include <spv/scalable_filter.h>

#include "cli/cli.h"
#include "cli/mapped.h"
#include "cli/outfile.h"

/*
 * A filter of any kind, as the filter commands see it: what goes over the wire,
 * and what is saved in a file. A table of kinds says what each can do, so that
 * no command asks which it has.
 */

typedef struct cli_filter_kind cli_filter_kind;

typedef struct cli_filter {
    const cli_filter_kind *kind;
    union {
        spv_filter wire;
        spv_local_filter local;
        spv_counting_filter counting;
        spv_scalable_filter scalable;
        spv_rolling_filter rolling;
        spv_cuckoo_filter cuckoo;
    } as;
    cli_mapped file; /* what a view looks at */
} cli_filter;

/** What a new filter is to be. */
typedef struct cli_filter_wish {
    uint64_t elements;
    double rate;
    uint64_t tweak;
    uint8_t flags;
    spv_local_hashing hashing;
} cli_filter_wish;

/** Bytes to save: a header, and what follows it. */
typedef struct cli_filter_image {
    uint8_t header[SPV_SAVED_HEADER];
    const uint8_t *bytes;
    size_t len;
} cli_filter_image;

/** What a kind can do; NULL where it cannot. */
struct cli_filter_kind {
    const char *name;
    spv_saved_kind saved_as; /* 0: never saved */

    spv_err (*make)(cli_filter *f, const cli_filter_wish *wish);
    spv_err (*view)(cli_filter *f, const uint8_t *bytes, size_t len);
    spv_err (*load)(cli_filter *f, const uint8_t *bytes, size_t len);
    void (*save)(cli_filter_image *image, const cli_filter *f);
    void (*clear)(cli_filter *f);

    /* SPV_LIMIT: no room. SPV_NOT_FOUND: was never inserted. SPV_NOMEM. */
    spv_err (*insert)(cli_filter *f, const spv_element *e);
    spv_err (*remove)(cli_filter *f, const spv_element *e);
    bool (*contains)(const cli_filter *f, const spv_element *e);
    spv_err (*merge)(cli_filter *into, const cli_filter *from);

    json_t *(*doc)(const cli_filter *f);
    /* How many more elements take it to a rate. */
    double (*room)(const cli_filter *f, double rate);
    const char *const *same; /* keys of the doc that must agree to merge */
};

/** Insert a batch; `*done` are in when one could not be. */
spv_err cli_filter_insert(cli_filter *f, const spv_element *elements, size_t n,
                          size_t *done);

/** Which of a batch may be in. */
void cli_filter_contains(const cli_filter *f, bool *found,
                         const spv_element *elements, size_t n);

/** The kind of a filterload payload. */
extern const cli_filter_kind cli_filter_wire;

/** The kind called `name`, or the saved one; NULL if there is none. */
const cli_filter_kind *cli_filter_kind_find(const char *name);
const cli_filter_kind *cli_filter_kind_saved(spv_saved_kind kind);

/** The hashing called `name`; false if there is none. */
bool cli_filter_hashing_find(spv_local_hashing *out, const char *name);

#endif
