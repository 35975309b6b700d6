#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spv/vectors.h>

#include "cli/commands.h"
#include "cli/only.h"
#include "cli/text.h"
#include "cli/values.h"
#include "cli/vector_files.h"

/* ---- Running ---- */

/* The answer as it grows. Its parts are borrowed from `doc`. */
typedef struct vectors_run {
    cli *c;
    json_t *files;
    json_t *vectors;
    const char *path; /* of the file that runs now */
    spv_vectors_counts all;
} vectors_run;

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* File names are bytes; a document is text. */
static json_t *json_path(const char *path)
{
    json_t *text = json_string(name_of(path));

    return text ? text : json_string("(a name that is not UTF-8)");
}

static void take_result(void *self, const spv_vector_result *result)
{
    vectors_run *r = self;

    if (result->passed && r->c->level < CLI_INFO)
        return;
    (void)json_array_append_new(
        r->vectors,
        json_pack("{s:o, s:s, s:s, s:s, s:s}", "file", json_path(r->path), "id",
                  result->id, "kind", result->kind, "result",
                  result->passed ? "pass" : "fail", "detail", result->detail));
}

static void add_file(vectors_run *r, const spv_vectors_counts *n,
                     const char *error)
{
    (void)json_array_append_new(
        r->files,
        json_pack("{s:o, s:o, s:o, s:o}", "file", json_path(r->path), "passed",
                  cli_json_count(n->passed), "failed",
                  cli_json_count(n->failed), "error", cli_json_text(error)));
    r->all.passed += n->passed;
    r->all.failed += n->failed;
}

static size_t line_of(const char *text, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* A file of which nothing can be said but what is wrong with it. */
static void refuse_file(vectors_run *r, const char *text, size_t len,
                        const spv_text_error *error)
{
    spv_vectors_counts one = {.failed = 1};
    char words[sizeof(error->text) + 120];
    char place[48] = "";

    if (error->at > 0 && error->at <= len)
        (void)snprintf(place, sizeof(place),
                       "line %zu: ", line_of(text, error->at));
    (void)snprintf(words, sizeof(words),
                   "%s%s; mend it, or get the file again (docs/vectors.md has "
                   "the format)",
                   place, error->text);
    add_file(r, &one, words);
}

/* A file that cannot be read is a failure of that file: the others still run.
 */
static spv_err run_file(void *self, const char *path)
{
    vectors_run *r = self;
    const cli_value *only = &r->c->values.of[CLI_ONLY];
    const spv_vectors_config config = {
        .heard = take_result,
        .self = r,
        .only = (const char *const *)only->texts,
        .n_only = only->n,
    };
    spv_vectors_counts n = {0};
    spv_text_error error = {0};
    char *text = NULL;
    size_t len = 0;
    spv_err err = cli_vector_file_read(path, &text, &len);

    r->path = path;
    if (err == SPV_IO)
        (void)snprintf(error.text, sizeof(error.text), "it cannot be read: %s",
                       strerror(errno));
    if (err == SPV_OK)
        err = spv_vectors_run(&n, text, len, &config, &error);
    if (err == SPV_OK)
        add_file(r, &n, NULL);
    else if (err != SPV_NOMEM)
        refuse_file(r, text, len, &error);
    free(text);
    return err == SPV_NOMEM ? cli_fail_plain(r->c, err) : SPV_OK;
}

static const char *kind_at(size_t i)
{
    const spv_vector_kind *kind = spv_vector_kind_get(i);

    return kind ? kind->name : NULL;
}

static spv_err run_all(cli *c, json_t **doc)
{
    const char *only = cli_text(c, CLI_ONLY);
    vectors_run r = {.c = c, .files = json_array(), .vectors = json_array()};
    spv_err err = SPV_OK;

    for (size_t i = 0; i < c->n_args && err == SPV_OK; i++)
        err = cli_vector_files(c, c->args[i], run_file, &r);
    *doc = json_pack("{s:o, s:o, s:o, s:o}", "files", r.files, "vectors",
                     r.vectors, "passed", cli_json_count(r.all.passed),
                     "failed", cli_json_count(r.all.failed));
    c->verdict = r.all.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    if (err != SPV_OK || r.all.passed + r.all.failed > 0)
        return err;
    (void)cli_fail(c, SPV_NOT_FOUND, "--only leaves no vector to run");
    return cli_only_hint(c, only ? only : "", kind_at,
                         "it takes ids and kinds; 'spvclient conform "
                         "vectors --list' lists the kinds");
}

static json_t *kinds_doc(void)
{
    json_t *kinds = json_array();
    const spv_vector_kind *kind = NULL;

    for (size_t i = 0; (kind = spv_vector_kind_get(i)); i++)
        (void)json_array_append_new(
            kinds,
            json_pack("{s:s, s:s}", "kind", kind->name, "about", kind->about));
    return json_pack("{s:o}", "kinds", kinds);
}

spv_err cli_conform_vectors(cli *c, json_t **doc)
{
    if (cli_on(c, CLI_LIST)) {
        *doc = kinds_doc();
        return SPV_OK;
    }
    if (c->n_args == 0)
        return cli_fail(c, SPV_INVAL, "'conform vectors' needs PATH...");
    return run_all(c, doc);
}

/* ---- Text ---- */

/* Names come from files of others: nothing in them may steer a terminal. */
static void print_clean(const char *text)
{
    for (; *text; text++)
        (void)putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?'
                                                                  : *text);
}

static void print_vector(const json_t *vector)
{
    bool passed = strcmp(cli_doc_text(vector, "result"), "pass") == 0;
    const char *id = cli_doc_text(vector, "id");

    (void)fputs(passed ? "PASS " : "FAIL ", stdout);
    print_clean(*id ? id : "(a vector without id)");
    if (!passed) {
        (void)fputs(": ", stdout);
        print_clean(cli_doc_text(vector, "detail"));
    }
    (void)putchar('\n');
}

void cli_conform_vectors_text(const cli *c, const json_t *doc)
{
    static const cli_field columns[] = {
        {"kind", "KIND", CLI_AS_IS},
        {"about", "WHAT IS COMPARED", CLI_AS_IS},
    };
    const json_t *kinds = json_object_get(doc, "kinds");
    json_t *of = NULL;
    size_t i = 0;

    if (kinds) {
        cli_print_table(c, kinds, CLI_FIELDS(columns));
        return;
    }
    json_array_foreach(json_object_get(doc, "vectors"), i, of)
    {
        print_vector(of);
    }
    json_array_foreach(json_object_get(doc, "files"), i, of)
    {
        if (!json_is_string(json_object_get(of, "error")))
            continue;
        (void)fputs("FAIL ", stdout);
        print_clean(cli_doc_text(of, "file"));
        (void)fputs(": ", stdout);
        print_clean(cli_doc_text(of, "error"));
        (void)putchar('\n');
    }
    (void)printf("%lld passed, %lld failed\n",
                 (long long)cli_doc_number(doc, "passed"),
                 (long long)cli_doc_number(doc, "failed"));
}
