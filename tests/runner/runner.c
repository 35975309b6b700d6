#include "case.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What has happened so far. */
typedef struct tally {
    size_t passed;
    size_t failed;
    bool verbose;
} tally;

static const spv_kind *find_kind(const char *name)
{
    static const spv_kind *const tables[] = {
        spv__kinds_bloom, spv__kinds_chain, spv__kinds_wire,
        spv__kinds_keys,  spv__kinds_sign,
    };

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const spv_kind *kind = tables[i]; kind->name; kind++)
            if (strcmp(kind->name, name) == 0)
                return kind;
    return NULL;
}

/* Whether a vector passed; it has said why not when it did not. */
static bool run_vector(const json_t *vector, const json_t *file)
{
    const char *id = json_string_value(json_object_get(vector, "id"));
    const char *name = json_string_value(json_object_get(vector, "kind"));
    const spv_kind *kind = name ? find_kind(name) : NULL;
    spv_case c = {.id = id, .vector = vector, .file = file};

    if (!id || !name) {
        printf("FAIL %s: got no %s, want an object with id and kind\n",
               id ? id : "(a vector without id)", id ? "kind" : "id");
        return false;
    }
    if (!kind) {
        printf("FAIL %s: kind: got \"%s\", want one that is known\n", id, name);
        return false;
    }
    kind->run(&c);
    if (!c.checks && !c.failures)
        printf("FAIL %s: got nothing checked, want an expectation\n", id);
    case_close(&c);
    return c.checks && !c.failures;
}

static void run_vectors(tally *t, const json_t *file)
{
    const json_t *vector = NULL;
    size_t i = 0;

    json_array_foreach(file, i, vector)
    {
        bool passed = run_vector(vector, file);

        t->passed += passed;
        t->failed += !passed;
        if (passed && t->verbose)
            printf("PASS %s\n",
                   json_string_value(json_object_get(vector, "id")));
    }
}

/* An entry of the checkpoints file, written as any other vector. */
static json_t *checkpoint_vector(const char *network, const json_t *entry)
{
    json_t *vector = json_deep_copy(entry);
    json_t *id =
        json_sprintf("checkpoints-%s-%" JSON_INTEGER_FORMAT, network,
                     json_integer_value(json_object_get(entry, "height")));

    json_object_set_new(vector, "id", id);
    json_object_set_new(vector, "kind", json_string("checkpoint_entry"));
    json_object_set_new(vector, "network", json_string(network));
    return vector;
}

/* The vectors of a file, owned; NULL when it has none. */
static json_t *vectors_of(json_t *root)
{
    json_t *networks = json_object_get(root, "networks");
    json_t *vectors = NULL;
    const char *name = NULL;
    json_t *entries = NULL;
    const json_t *entry = NULL;
    size_t i = 0;

    if (json_is_array(root))
        return json_incref(root);
    if (!json_is_object(networks))
        return NULL;
    vectors = json_array();
    json_object_foreach(networks, name, entries)
        json_array_foreach(entries, i, entry)
            json_array_append_new(vectors, checkpoint_vector(name, entry));
    return vectors;
}

static void run_file(tally *t, const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    json_t *vectors = vectors_of(root);

    if (!root)
        printf("FAIL %s: line %d: %s\n", path, error.line, error.text);
    else if (!json_array_size(vectors))
        printf("FAIL %s: got no vectors, want an array of them\n", path);
    if (!json_array_size(vectors))
        t->failed++;
    run_vectors(t, vectors);
    json_decref(vectors);
    json_decref(root);
}

static size_t run_path(tally *t, const char *path, bool named);

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Everything below a folder, in the order of names; how many files ran. */
static size_t run_folder(tally *t, const char *path)
{
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, not_hidden, alphasort);
    size_t files = 0;

    for (int i = 0; i < n; i++) {
        size_t len = strlen(path) + strlen(entries[i]->d_name) + 2;
        char *below = malloc(len);

        if (below) {
            snprintf(below, len, "%s/%s", path, entries[i]->d_name);
            files += run_path(t, below, false);
        }
        free(below);
        free(entries[i]);
    }
    free(entries);
    return files;
}

static bool is_json(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".json") == 0;
}

/* A path that the user named must lead to vectors; one met on the way need
 * not. Returns how many files ran. */
static size_t run_path(tally *t, const char *path, bool named)
{
    struct stat about;
    size_t files = 0;

    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        files = run_folder(t, path);
    } else if (named || is_json(path)) {
        run_file(t, path);
        files = 1;
    }
    if (named && !files) {
        printf("FAIL %s: got no .json file, want one at least\n", path);
        t->failed++;
    }
    return files;
}

static const char usage[] =
    "usage: vectors-runner [-v] PATH...\n"
    "\n"
    "Runs the vectors of each PATH: a JSON file in the format of\n"
    "tests/vectors/README.md, or a folder of them. Each that fails is a line\n"
    "\"FAIL id: field: got ..., want ...\"; the last line counts them.\n"
    "\n"
    "  -v          a line for each that passes, too\n"
    "  -h, --help  print this\n"
    "\n"
    "Exit code: 0 all passed, 1 some failed or there were none, 2 wrong use.\n";

enum { EXIT_USAGE = 2 };

static bool is(const char *arg, const char *word)
{
    return strcmp(arg, word) == 0;
}

/* Takes the options; false for one that there is not. */
static bool take_options(int argc, char **argv, int *first, bool *verbose,
                         bool *help)
{
    for (*first = 1; *first < argc && argv[*first][0] == '-'; (*first)++) {
        const char *arg = argv[*first];

        if (is(arg, "--")) {
            (*first)++;
            return true;
        }
        if (is(arg, "-v"))
            *verbose = true;
        else if (is(arg, "-h") || is(arg, "--help"))
            *help = true;
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    tally t = {0};
    int first = 1;
    bool help = false;
    bool good = take_options(argc, argv, &first, &t.verbose, &help);

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (help) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (!good || first >= argc) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    for (int i = first; i < argc; i++)
        (void)run_path(&t, argv[i], true);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed || !t.passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
