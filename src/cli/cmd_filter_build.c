#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/element.h"
#include "cli/filter_file.h"
#include "cli/filter_wish.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/values.h"

/*
 * The filter commands that make or change one. It comes from options or an
 * operand, elements come from operands or lines, and it goes to standard output
 * as a payload or to a file.
 */

/* A filter, and what is done to it with each batch of elements. */
typedef struct pass {
    cli *c;
    cli_filter filter;
    cli_outfile out; /* without a name there is none */
    uint64_t taken;  /* elements */
    double apart;    /* elements of those merged, each for itself */
} pass;

static void begin_pass(pass *p, cli *c)
{
    *p = (pass){.c = c, .out = {.fd = -1}};
}

static void end_pass(pass *p)
{
    cli_filter_close(&p->filter);
    cli_outfile_drop(&p->out);
}

/* ---- Where the filter goes ---- */

/* A payload goes to standard output, a saved filter to --out or, when it was
 * changed, back to where it came from. */
static spv_err plan_out(pass *p, const char *from)
{
    const char *name = cli_text(p->c, CLI_OUT);
    bool saved = p->filter.kind->saved_as != 0;

    if (!saved && name)
        return cli_fail(p->c, SPV_INVAL,
                        "a filterload payload goes to "
                        "standard output, not to --out");
    if (!saved)
        return SPV_OK;
    if (!name && (!from || strcmp(from, "-") == 0))
        return cli_fail(p->c, SPV_INVAL,
                        "--out FILE is needed: a saved "
                        "filter goes to a file");
    return cli_outfile_plan(p->c, &p->out, name ? name : from,
                            !name || cli_on(p->c, CLI_FORCE));
}

static spv_err put_out(pass *p, json_t **doc)
{
    spv_err err = SPV_OK;

    if (p->out.name)
        err = cli_filter_write(p->c, &p->filter, &p->out);
    if (err != SPV_OK)
        return err;
    *doc = p->filter.kind->doc(&p->filter);
    if (p->out.name)
        (void)json_object_set_new(*doc, "file", json_string(p->out.name));
    return SPV_OK;
}

/* ---- Putting elements in, and taking them out ---- */

static spv_err refuse_element(const pass *p, spv_err err)
{
    const char *kind = p->filter.kind->name;

    if (err == SPV_NOMEM)
        return cli_fail_plain(p->c, err);
    if (err == SPV_NOT_FOUND)
        return cli_fail(p->c, err,
                        "element %" PRIu64 " was never added; nothing is "
                        "written",
                        p->taken + 1);
    (void)cli_fail(p->c, err,
                   "the %s filter is full: there is no room for element "
                   "%" PRIu64,
                   kind, p->taken + 1);
    return cli_hint(&p->c->trouble, "a larger --elements N makes room; an "
                                    "element that comes again takes room "
                                    "again");
}

static spv_err insert_batch(void *ctx, const cli_batch *batch)
{
    pass *p = ctx;
    size_t done = 0;
    spv_err err =
        cli_filter_insert(&p->filter, batch->elements, batch->n, &done);

    p->taken += done;
    return err == SPV_OK ? err : refuse_element(p, err);
}

static spv_err remove_batch(void *ctx, const cli_batch *batch)
{
    pass *p = ctx;
    spv_err err = SPV_OK;

    for (size_t i = 0; i < batch->n && err == SPV_OK; i++) {
        err = p->filter.kind->remove(&p->filter, &batch->elements[i]);
        p->taken += err == SPV_OK;
    }
    return err == SPV_OK ? err : refuse_element(p, err);
}

/* ---- build ---- */

/* Elements one after the other, each behind its length, until their number
 * is known. */
typedef struct element_list {
    cli *c;
    uint8_t *bytes;
    size_t len;
    size_t cap;
    uint64_t n;
} element_list;

static bool list_reserve(element_list *list, size_t more)
{
    size_t cap = list->cap ? list->cap : 4096;
    uint8_t *bytes = NULL;

    while (cap - list->len < more)
        cap *= 2;
    if (cap == list->cap)
        return true;
    bytes = realloc(list->bytes, cap);
    if (!bytes)
        return false;
    list->bytes = bytes;
    list->cap = cap;
    return true;
}

static spv_err list_batch(void *ctx, const cli_batch *batch)
{
    element_list *list = ctx;

    for (size_t i = 0; i < batch->n; i++) {
        const spv_element *e = &batch->elements[i];

        if (!list_reserve(list, sizeof(e->len) + e->len))
            return cli_fail_plain(list->c, SPV_NOMEM);
        memcpy(list->bytes + list->len, &e->len, sizeof(e->len));
        memcpy(list->bytes + list->len + sizeof(e->len), e->bytes, e->len);
        list->len += sizeof(e->len) + e->len;
        list->n++;
    }
    return SPV_OK;
}

/* Back into batches. */
static spv_err list_insert(const element_list *list, pass *p)
{
    spv_element elements[CLI_BATCH];
    size_t at = 0;
    spv_err err = SPV_OK;

    while (at < list->len && err == SPV_OK) {
        cli_batch batch = {elements, elements, 0};

        for (; at < list->len && batch.n < CLI_BATCH; batch.n++) {
            spv_element *e = &elements[batch.n];

            memcpy(&e->len, list->bytes + at, sizeof(e->len));
            e->bytes = list->bytes + at + sizeof(e->len);
            at += sizeof(e->len) + e->len;
        }
        err = insert_batch(p, &batch);
        if (err == SPV_OK)
            err = cli_interrupt_check(p->c);
    }
    return err;
}

static spv_err make(pass *p, const cli_filter_wish *wish)
{
    spv_err err = p->filter.kind->make(&p->filter, wish);

    if (err == SPV_LIMIT)
        return cli_fail(p->c, err,
                        "no %s filter can be made so large, or so exact",
                        p->filter.kind->name);
    if (err == SPV_NOMEM)
        return cli_fail(p->c, err,
                        "there is not enough memory for a filter "
                        "of that size");
    return err == SPV_OK ? err : cli_fail_plain(p->c, err);
}

/* Their number is known, so each goes in as it comes. */
static spv_err build_sized(pass *p, const cli_filter_wish *wish)
{
    spv_err err = make(p, wish);

    return err == SPV_OK
               ? cli_lines_each(p->c, p->c->n_args, "building", insert_batch, p)
               : err;
}

static spv_err build_counted(pass *p, cli_filter_wish *wish)
{
    element_list list = {.c = p->c};
    spv_err err =
        cli_lines_each(p->c, p->c->n_args, "reading", list_batch, &list);

    if (err == SPV_OK && list.n == 0)
        err = cli_fail(p->c, SPV_INVAL,
                       "there are no elements to build a filter of");
    wish->elements = list.n;
    if (err == SPV_OK)
        err = make(p, wish);
    if (err == SPV_OK)
        err = list_insert(&list, p);
    free(list.bytes);
    return err;
}

/* The protocol's limit is the filter's: past it the rate is not kept. */
static void warn_if_capped(const pass *p, const cli_filter_wish *wish)
{
    const spv_filter *f = &p->filter.as.wire;

    if (p->filter.kind == &cli_filter_wire &&
        (double)wish->elements >
            spv_filter_capacity(SPV_FILTER_BYTES_MAX, wish->rate))
        cli_say(
            p->c, CLI_WARN,
            "36,000 bytes, the protocol's most, are too few: with %" PRIu64
            " elements the rate is %.3g, not %.3g",
            wish->elements,
            spv_filter_rate_for(f->len, f->hash_funcs, (double)wish->elements),
            wish->rate);
}

/* Scalable filters grow, and rolling ones forget. */
static void warn_if_overfull(const pass *p, const cli_filter_wish *wish,
                             const json_t *doc)
{
    spv_saved_kind kind = p->filter.kind->saved_as;
    json_t *rate = json_object_get(doc, "fp_rate");

    if (kind == SPV_SAVED_SCALABLE || kind == SPV_SAVED_ROLLING ||
        p->taken <= wish->elements || json_real_value(rate) <= wish->rate)
        return;
    cli_say(p->c, CLI_WARN,
            "%" PRIu64 " elements are in a filter for %" PRIu64
            ": the rate is %.3g, not %.3g",
            p->taken, wish->elements, json_real_value(rate), wish->rate);
}

spv_err cli_filter_build(cli *c, json_t **doc)
{
    pass p;
    cli_filter_wish wish;
    spv_err err = cli_element_check_form(c);

    begin_pass(&p, c);
    if (err == SPV_OK)
        err = cli_filter_wish_read(c, &p.filter.kind, &wish);
    if (err == SPV_OK)
        err = plan_out(&p, NULL);
    if (err == SPV_OK)
        err = wish.elements ? build_sized(&p, &wish) : build_counted(&p, &wish);
    if (err == SPV_OK)
        err = put_out(&p, doc);
    if (err == SPV_OK) {
        warn_if_capped(&p, &wish);
        warn_if_overfull(&p, &wish, *doc);
    }
    end_pass(&p);
    return err;
}

/* ---- add, remove ---- */

spv_err cli_filter_add(cli *c, json_t **doc)
{
    pass p;
    spv_err err = SPV_OK;

    begin_pass(&p, c);
    err = cli_filter_open_beside_lines(c, true, &p.filter);
    if (err == SPV_OK)
        err = plan_out(&p, c->args[0]);
    if (err == SPV_OK)
        err = cli_lines_each(c, 1, "adding", insert_batch, &p);
    if (err == SPV_OK)
        err = put_out(&p, doc);
    end_pass(&p);
    return err;
}

spv_err cli_filter_remove(cli *c, json_t **doc)
{
    pass p;
    spv_err err = SPV_OK;

    begin_pass(&p, c);
    err = cli_filter_open_beside_lines(c, true, &p.filter);
    if (err == SPV_OK && !p.filter.kind->remove) {
        (void)cli_fail(c, SPV_INVAL, "nothing can be removed from a %s filter",
                       p.filter.kind->name);
        err = cli_hint(&c->trouble,
                       "those of --kind counting and cuckoo can forget");
    }
    if (err == SPV_OK)
        err = plan_out(&p, c->args[0]);
    if (err == SPV_OK)
        err = cli_lines_each(c, 1, "removing", remove_batch, &p);
    if (err == SPV_OK)
        err = put_out(&p, doc);
    end_pass(&p);
    return err;
}

/* ---- merge ---- */

/* The values of a key, in words, when they are not the same. */
static spv_err compare(cli *c, size_t i, const char *key, const json_t *first,
                       const json_t *other)
{
    json_t *a = json_object_get(first, key);
    json_t *b = json_object_get(other, key);
    char *a_text = json_dumps(a, JSON_ENCODE_ANY);
    char *b_text = json_dumps(b, JSON_ENCODE_ANY);
    spv_err err = SPV_OK;

    if (!json_equal(a, b))
        err = cli_fail(c, SPV_INVAL,
                       "%s and %s cannot be merged: %s is %s in one and %s in "
                       "the other",
                       cli_filter_name(c, 0), cli_filter_name(c, i), key,
                       a_text ? a_text : "?", b_text ? b_text : "?");
    free(a_text);
    free(b_text);
    return err;
}

static spv_err check_same(cli *c, size_t i, const cli_filter *into,
                          const cli_filter *from)
{
    json_t *first = into->kind->doc(into);
    json_t *other = from->kind->doc(from);
    spv_err err = SPV_OK;

    for (const char *const *key = into->kind->same; *key && err == SPV_OK;
         key++)
        err = compare(c, i, *key, first, other);
    json_decref(first);
    json_decref(other);
    return err;
}

static spv_err refuse_merge(cli *c, spv_err err)
{
    if (err == SPV_LIMIT)
        return cli_fail(c, err, "both together have no room in one filter");
    return cli_fail_plain(c, err);
}

/* Infinite for a full one. */
static double estimated(const json_t *doc)
{
    const json_t *n = json_object_get(doc, "estimated_elements");

    return json_is_null(n) ? (double)INFINITY : json_real_value(n);
}

static void count_apart(pass *p, const cli_filter *f)
{
    json_t *doc = f->kind->doc(f);

    p->apart += estimated(doc);
    json_decref(doc);
}

/* |A| + |B| - |A or B|; the kinds that count do not know who came twice. */
static void add_shared(const pass *p, json_t *doc)
{
    double either = estimated(doc);

    if (json_object_get(doc, "estimated_elements"))
        (void)json_object_set_new(
            doc, "shared_elements",
            isfinite(either) ? cli_json_real(fmax(p->apart - either, 0))
                             : json_null());
}

static spv_err merge_from(pass *p, size_t i)
{
    cli *c = p->c;
    cli_filter *into = &p->filter;
    cli_filter from;
    spv_err err = cli_filter_open(c, i, false, &from);

    if (err == SPV_OK && from.kind != into->kind)
        err = cli_fail(c, SPV_INVAL,
                       "%s and %s cannot be merged: one is a %s filter, the "
                       "other a %s filter",
                       cli_filter_name(c, 0), cli_filter_name(c, i),
                       into->kind->name, from.kind->name);
    if (err == SPV_OK)
        err = check_same(c, i, into, &from);
    if (err == SPV_OK) {
        count_apart(p, &from);
        err = into->kind->merge(into, &from);
        if (err != SPV_OK)
            err = refuse_merge(c, err);
    }
    cli_filter_close(&from);
    return err;
}

static spv_err merge_all(pass *p)
{
    spv_err err = plan_out(p, NULL);

    count_apart(p, &p->filter);
    for (size_t i = 1; i < p->c->n_args && err == SPV_OK; i++) {
        err = merge_from(p, i);
        if (err == SPV_OK)
            err = cli_interrupt_check(p->c);
    }
    return err;
}

static spv_err never_merged(const pass *p)
{
    (void)cli_fail(p->c, SPV_INVAL, "%s filters cannot be merged",
                   p->filter.kind->name);
    return cli_hint(&p->c->trouble, "ask each of them: the rates add up");
}

spv_err cli_filter_merge(cli *c, json_t **doc)
{
    pass p;
    spv_err err = SPV_OK;

    begin_pass(&p, c);
    err = cli_filter_open(c, 0, true, &p.filter);
    if (err == SPV_OK)
        err = p.filter.kind->merge ? merge_all(&p) : never_merged(&p);
    if (err == SPV_OK)
        err = put_out(&p, doc);
    if (err == SPV_OK)
        add_shared(&p, *doc);
    end_pass(&p);
    return err;
}
