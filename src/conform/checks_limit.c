#include <stdlib.h>
#include <string.h>

#include "conform/oracle.h"
#include "conform/recipe.h"

/*
 * The protocol's limits: what lies on them is served, and what lies beyond
 * closes the connection at most. Behind each check that a node survives, the
 * same connection, or a new one if it was closed, must serve as ever.
 */

#define SIZE      "BIP 37: \"The maximum size is 36,000 bytes.\""
#define FUNCTIONS "BIP 37: \"The maximum value allowed in this field is 50.\""
#define ELEMENT                                                               \
    "BIP 37: \"The data field must be smaller than or equal to 520 bytes in " \
    "size\""
#define REFERENCE "reference implementation: net_processing, "

static void ordinary_afresh(spv_dialogue *d, const spv_samples *s)
{
    d->afresh = true;
    spv__recipe_ordinary(d, s);
}

/* ---- On the limits ---- */

typedef struct limits {
    size_t bytes;
    uint32_t functions;
} limits;

static void load_limit(spv_dialogue *d, const spv_samples *s, limits l)
{
    const spv_sample *b = spv__recipe_any(d, s);
    spv_filter f;

    if (!b)
        return;
    if (spv_filter_init(&f, l.bytes, l.functions,
                        (uint32_t)spv__rng_next(d->rng),
                        SPV_FILTER_UPDATE_NONE) != SPV_OK) {
        d->err = SPV_NOMEM;
        return;
    }
    spv_filter_insert(&f, b->txids[b->n - 1].bytes, 32);
    spv__recipe_ask(d, &f, b);
    spv__recipe_ordinary(d, s);
}

static void most_bytes(spv_dialogue *d, const spv_samples *s, int arg)
{
    (void)arg;
    load_limit(d, s, (limits){36000, 10});
}

static void most_functions(spv_dialogue *d, const spv_samples *s, int arg)
{
    (void)arg;
    load_limit(d, s, (limits){4096, 50});
}

static void most_of_both(spv_dialogue *d, const spv_samples *s, int arg)
{
    (void)arg;
    load_limit(d, s, (limits){36000, 50});
}

/* An element of no use, then one of use: both are added. */
static void add_length(spv_dialogue *d, const spv_samples *s, int len)
{
    const spv_sample *b = spv__recipe_any(d, s);
    uint8_t stranger[520] = {0};
    spv_filter f;

    if (!b || !spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_NONE))
        return;
    spv__rng_bytes(d->rng, stranger, sizeof(stranger));
    spv_filter_insert(&f, (const uint8_t *)"nobody", 6);
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
    spv__say_filteradd(d, stranger, (size_t)len);
    spv__say_filteradd(d, b->txids[0].bytes, 32);
    spv__ask_one(d, b);
    spv__end_turn(d);
    spv__recipe_ordinary(d, s);
}

/* ---- Beyond them ---- */

/* A filterload written by hand: no filter of ours has such a size. */
static void say_raw_filter(spv_dialogue *d, size_t bytes, uint32_t functions,
                           size_t cut, size_t more, const char *words)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_compact(&payload, bytes);
    for (size_t i = 0; i < bytes; i++)
        spv__put_u8(&payload, (uint8_t)(i % 64 == 0));
    spv__put_u32(&payload, functions);
    spv__put_u32(&payload, (uint32_t)spv__rng_next(d->rng));
    spv__put_u8(&payload, SPV_FILTER_UPDATE_NONE);
    for (size_t i = 0; i < more; i++)
        spv__put_u8(&payload, 0);
    if (payload.err != SPV_OK)
        d->err = SPV_NOMEM;
    else
        spv__say(d, "filterload", payload.bytes, payload.len - cut, words);
    spv__buf_clear(&payload);
}

/* The reference implementation hangs up on whoever does so, but for those that
 * its owner trusts ("noban"): then it passes over the message. */
static void refused_then_ask(spv_dialogue *d, const spv_samples *s,
                             const spv_sample *b)
{
    spv__ask_one(d, b);
    d->allows_notfound = true;
    spv__end_turn_either_way(d);
    ordinary_afresh(d, s);
}

static void load_too_much(spv_dialogue *d, const spv_samples *s, int functions)
{
    const spv_sample *b = spv__recipe_any(d, s);

    if (!b)
        return;
    if (functions)
        say_raw_filter(d, 100, (uint32_t)functions, 0, 0,
                       "filterload (100 bytes, 51 functions)");
    else
        say_raw_filter(d, 36001, 10, 0, 0, "filterload (36001 bytes)");
    refused_then_ask(d, s, b);
}

static void load_nobody(spv_dialogue *d)
{
    spv_filter f;

    if (!spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_NONE))
        return;
    spv_filter_insert(&f, (const uint8_t *)"nobody", 6);
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
}

/* Eight bits and fifty functions: with this tweak 521 zeros set them all. */
static void load_narrow(spv_dialogue *d)
{
    spv_filter f;

    if (spv_filter_init(&f, 1, SPV__FILTER_FUNCS_MAX, 1,
                        SPV_FILTER_UPDATE_NONE) != SPV_OK) {
        d->err = SPV_NOMEM;
        return;
    }
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
}

/* What is not added must not show: the filter stays as it was, and matches
 * nothing. */
static void add_too_long(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b = spv__recipe_any(d, s);
    uint8_t payload[3 + 521] = {0xfd, 521 & 0xff, 521 >> 8};

    (void)arg;
    if (!b)
        return;
    load_narrow(d);
    spv__say(d, "filteradd", payload, sizeof(payload), "filteradd (521 bytes)");
    refused_then_ask(d, s, b);
}

static void add_without_filter(spv_dialogue *d, const spv_samples *s,
                               int cleared)
{
    const spv_sample *b = spv__recipe_any(d, s);

    if (!b)
        return;
    if (cleared) {
        load_nobody(d);
        spv__say_filterclear(d);
    }
    spv__say_filteradd(d, b->txids[0].bytes, sizeof(b->txids[0].bytes));
    refused_then_ask(d, s, b);
}

/* ---- Filters that mean everything, or worse ---- */

typedef enum odd_filter {
    NO_BYTES,
    NO_BYTES_ADDED_TO, /* CVE-2013-5700: a division by zero */
    NO_FUNCTIONS
} odd_filter;

static void load_odd(spv_dialogue *d, const spv_samples *s, int arg)
{
    odd_filter odd = (odd_filter)arg;
    const spv_sample *b = spv__recipe_any(d, s);
    size_t bytes = odd == NO_FUNCTIONS ? 64 : 0;
    uint8_t element[20] = {0};
    spv_filter f;

    if (!b)
        return;
    if (spv_filter_init(&f, bytes, bytes ? 0 : 5, 0, SPV_FILTER_UPDATE_NONE) !=
        SPV_OK) {
        d->err = SPV_NOMEM;
        return;
    }
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
    if (odd == NO_BYTES_ADDED_TO)
        spv__say_filteradd(d, element, sizeof(element));
    spv__ask_one(d, b);
    spv__end_turn(d);
    spv__recipe_ordinary(d, s);
}

/* ---- Messages that are none ---- */

typedef enum broken {
    CUT_SHORT,
    TRAILING,
    HUGE_COUNT,
    ADD_CUT_SHORT,
    CLEAR_WITH_PAYLOAD
} broken;

/* Whatever a node makes of it, it must live on. */
static void say_broken(spv_dialogue *d, const spv_samples *s, int arg)
{
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                   0xff, 0xff, 0x7f, 1,    2,    3};
    static const uint8_t cut[] = {20, 1, 2, 3};

    switch ((broken)arg) {
    case CUT_SHORT:
        say_raw_filter(d, 100, 10, 5, 0, "filterload cut short by five bytes");
        break;
    case TRAILING:
        say_raw_filter(d, 100, 10, 0, 5,
                       "filterload with five bytes behind it");
        break;
    case HUGE_COUNT:
        spv__say(d, "filterload", huge, sizeof(huge),
                 "filterload of 12 bytes that claims 2^63 - 1");
        break;
    case ADD_CUT_SHORT:
        load_nobody(d);
        spv__say(d, "filteradd", cut, sizeof(cut),
                 "filteradd of 3 bytes that claims 20");
        break;
    case CLEAR_WITH_PAYLOAD:
        load_nobody(d);
        spv__say(d, "filterclear", cut, sizeof(cut),
                 "filterclear with a payload");
        break;
    }
    spv__end_turn_either_way(d);
    ordinary_afresh(d, s);
}

/* ---- Nodes without NODE_BLOOM ---- */

#define UNSUPPORTED                                                       \
    "BIP 111: \"If a node does not support bloom filters but receives a " \
    "'filterload', 'filteradd', or 'filterclear' message "                \
    "from a peer the node should disconnect that peer immediately.\""

typedef enum unwanted { FILTERLOAD, FILTERADD, FILTERCLEAR } unwanted;

/* A node that does not serve BIP 37 is not bound by it either, but that it
 * must not serve what it does not offer: it may well hang up. */
static void ask_unwanted(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b = spv__recipe_any(d, s);

    (void)arg;
    if (!b)
        return;
    spv__ask_one(d, b);
    d->allows_notfound = true;
    spv__end_turn_either_way(d);
}

static void say_unwanted(spv_dialogue *d, const spv_samples *s, int arg)
{
    uint8_t element[20] = {0};

    (void)s;
    switch ((unwanted)arg) {
    case FILTERLOAD:
        load_nobody(d);
        break;
    case FILTERADD:
        spv__say_filteradd(d, element, sizeof(element));
        break;
    case FILTERCLEAR:
        spv__say_filterclear(d);
        break;
    }
    spv__end_turn_closed(d);
}

/* ---- The table ---- */

#define LIMIT(name, title, basis, severity, traits, writer, arg)             \
    {                                                                        \
        "limit." name, title, basis, SPV_CONFORM_##severity, traits, writer, \
            arg                                                              \
    }
#define NOBLOOM(name, title, basis, severity, writer, arg)            \
    {                                                                 \
        "nobloom." name, title, basis, SPV_CONFORM_##severity,        \
            SPV__CHECK_NO_BLOOM | SPV__CHECK_DESTRUCTIVE, writer, arg \
    }

const spv_check spv__checks_limit[] = {
    LIMIT("filterload-36000-bytes", "a filter of 36,000 bytes is accepted",
          SIZE, MUST, 0, most_bytes, 0),
    LIMIT("filterload-50-functions", "a filter of 50 functions is accepted",
          FUNCTIONS, MUST, 0, most_functions, 0),
    LIMIT("filterload-largest",
          "a filter of 36,000 bytes and 50 functions is accepted", SIZE, MUST,
          0, most_of_both, 0),
    LIMIT("filteradd-1-byte", "an element of one byte is accepted", ELEMENT,
          MUST, 0, add_length, 1),
    LIMIT("filteradd-520-bytes", "an element of 520 bytes is accepted", ELEMENT,
          MUST, 0, add_length, 520),
    LIMIT("filterload-36001-bytes", "a filter of 36,001 bytes is refused",
          REFERENCE "FILTERLOAD hangs up", SHOULD, SPV__CHECK_DESTRUCTIVE,
          load_too_much, 0),
    LIMIT("filterload-51-functions", "a filter of 51 functions is refused",
          REFERENCE "FILTERLOAD hangs up", SHOULD, SPV__CHECK_DESTRUCTIVE,
          load_too_much, 51),
    LIMIT("filteradd-521-bytes", "an element of 521 bytes is refused",
          REFERENCE "FILTERADD hangs up", SHOULD, SPV__CHECK_DESTRUCTIVE,
          add_too_long, 0),
    LIMIT("filteradd-without-filter", "filteradd without a filter makes none",
          REFERENCE
          "FILTERADD hangs up; BIP 37: \"A filter must have been previously "
          "provided using filterload.\"",
          SHOULD, SPV__CHECK_DESTRUCTIVE, add_without_filter, false),
    LIMIT("filteradd-after-filterclear",
          "filteradd after filterclear makes no filter",
          REFERENCE
          "FILTERADD hangs up; BIP 37: \"A filter must have been previously "
          "provided using filterload.\"",
          SHOULD, SPV__CHECK_DESTRUCTIVE, add_without_filter, true),
    LIMIT("filterload-no-bytes", "a filter of no bytes matches everything",
          "reference implementation: CBloomFilter::contains", INFORMATIONAL, 0,
          load_odd, NO_BYTES),
    LIMIT("filterload-no-bytes-filteradd",
          "a filter of no bytes may be added to, and matches everything",
          "reference implementation: CBloomFilter::insert (CVE-2013-5700)",
          INFORMATIONAL, SPV__CHECK_DESTRUCTIVE, load_odd, NO_BYTES_ADDED_TO),
    LIMIT("filterload-no-functions",
          "a filter of no functions matches everything",
          "reference implementation: CBloomFilter::contains", INFORMATIONAL, 0,
          load_odd, NO_FUNCTIONS),
    LIMIT("filterload-cut-short", "a filterload cut short does no harm",
          REFERENCE "ProcessMessages ignores it", SHOULD,
          SPV__CHECK_DESTRUCTIVE, say_broken, CUT_SHORT),
    LIMIT("filterload-trailing-bytes", "bytes behind a filterload do no harm",
          REFERENCE "FILTERLOAD does not read them", SHOULD,
          SPV__CHECK_DESTRUCTIVE, say_broken, TRAILING),
    LIMIT("filterload-huge-count",
          "a count beyond all bounds in a filterload does no harm",
          REFERENCE "ProcessMessages ignores it", SHOULD,
          SPV__CHECK_DESTRUCTIVE, say_broken, HUGE_COUNT),
    LIMIT("filteradd-cut-short", "a filteradd cut short does no harm",
          REFERENCE "ProcessMessages ignores it", SHOULD,
          SPV__CHECK_DESTRUCTIVE, say_broken, ADD_CUT_SHORT),
    LIMIT("filterclear-payload", "a filterclear with a payload does no harm",
          REFERENCE
          "FILTERCLEAR does not read it; BIP 37: \"The filterclear command "
          "has no arguments at all.\"",
          SHOULD, SPV__CHECK_DESTRUCTIVE, say_broken, CLEAR_WITH_PAYLOAD),
    NOBLOOM("filterload", "without NODE_BLOOM filterload closes the connection",
            UNSUPPORTED, SHOULD, say_unwanted, FILTERLOAD),
    NOBLOOM("filteradd", "without NODE_BLOOM filteradd closes the connection",
            UNSUPPORTED, SHOULD, say_unwanted, FILTERADD),
    NOBLOOM("filterclear",
            "without NODE_BLOOM filterclear closes the connection", UNSUPPORTED,
            INFORMATIONAL, say_unwanted, FILTERCLEAR),
    NOBLOOM("getdata", "without NODE_BLOOM a filtered block is not answered",
            "BIP 37: \"If no filter has been set on the connection, a request "
            "for filtered blocks is ignored.\"",
            MUST, ask_unwanted, 0),
    {0},
};
