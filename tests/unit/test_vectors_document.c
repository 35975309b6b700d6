#include "cmocka_all.h"

#include "no_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/vectors.h>

/* The last result heard, and how many there were. */
typedef struct ear {
    size_t n;
    bool passed;
    char id[64];
    char kind[64];
    char detail[1024];
} ear;

static void hear(void *self, const spv_vector_result *result)
{
    ear *e = self;

    assert_int_equal(result->index, e->n);
    e->n++;
    e->passed = result->passed;
    (void)snprintf(e->id, sizeof(e->id), "%s", result->id);
    (void)snprintf(e->kind, sizeof(e->kind), "%s", result->kind);
    (void)snprintf(e->detail, sizeof(e->detail), "%s", result->detail);
}

static spv_err run(ear *e, spv_vectors_counts *n, const char *json)
{
    const spv_vectors_config config = {.heard = hear, .self = e};

    return spv_vectors_run(n, json, strlen(json), &config, NULL);
}

#define SEED(id, want, hex)                                \
    "{\"id\":\"" id "\",\"kind\":\"bloom_seed\","          \
    "\"hash_index\":0,\"tweak\":7,\"expected_seed\":" want \
    ",\"expected_seed_hex\":\"" hex "\"}"
#define GOOD SEED("good", "7", "00000007")
#define BENT SEED("bent", "8", "00000009")

/* ---- Kinds ---- */

static void every_kind_has_a_name_of_its_own_and_a_line(void **state)
{
    size_t n = 0;

    (void)state;
    for (; spv_vector_kind_get(n); n++) {
        const spv_vector_kind *kind = spv_vector_kind_get(n);

        assert_ptr_equal(spv_vector_kind_find(kind->name), kind);
        assert_true(strlen(kind->about) > 5 && strlen(kind->about) < 70);
    }
    assert_true(n > 80);
    assert_null(spv_vector_kind_get(n + 1));
    assert_null(spv_vector_kind_find("of_magic"));
    assert_null(spv_vector_kind_find(""));
}

/* ---- Results ---- */

static void results_are_heard_and_counted(void **state)
{
    spv_vectors_counts n = {0};
    ear e = {0};

    (void)state;
    assert_int_equal(run(&e, &n, "[" GOOD "]"), SPV_OK);
    assert_true(e.passed);
    assert_string_equal(e.id, "good");
    assert_string_equal(e.kind, "bloom_seed");
    assert_string_equal(e.detail, "");
    e = (ear){0};
    assert_int_equal(run(&e, &n, "[" GOOD "," BENT "]"), SPV_OK);
    assert_false(e.passed);
    assert_string_equal(e.detail, "expected_seed_hex: got 9, want 8; "
                                  "seed: got 7, want 8");
    assert_int_equal(n.passed, 2); /* of both runs */
    assert_int_equal(n.failed, 1);
}

/* What stands in a vector, and what is said of it. */
static void a_vector_that_cannot_be_run_fails(void **state)
{
    static const struct {
        const char *vector;
        const char *detail;
    } rows[] = {
        {"7", "id: got none, want an object with id and kind"},
        {"{}", "id: got none, want an object with id and kind"},
        {"{\"id\":1,\"kind\":\"work\"}",
         "id: got none, want an object with id and kind"},
        {"{\"id\":\"a\"}", "kind: got none, want an object with id and kind"},
        {"{\"id\":\"a\",\"kind\":\"of\\u0007magic\"}",
         "kind: got \"of\\x07magic\", want \"one that is known\""},
        {"{\"id\":\"a\",\"kind\":\"filteradd\"}",
         "field filteradd_payload: got nothing, want text; a filteradd: got "
         "\"TRUNCATED\", want \"OK\""},
        {"{\"id\":\"a\",\"kind\":\"base58\",\"hex\":\"0\",\"base58\":[]}",
         "field base58: got an array, want text; field hex: got text, want "
         "hex"},
        {"{\"id\":\"a\",\"kind\":\"filter_limit\",\"accepted\":true,"
         "\"element_bytes\":99999}",
         "field element_bytes: got an integer, want an integer from 0 to 36001"},
        {"{\"id\":\"a\",\"kind\":\"median_time\",\"times_oldest_first\":{}}",
         "field times_oldest_first: got an object, want an array; 1 to 64 "
         "times: got false, want true"},
        {"{\"id\":\"a\",\"kind\":\"segwit_address\",\"address\":\"x\","
         "\"valid\":true,\"hrp\":\"other\"}",
         "checks: got none, want something to compare"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        spv_vectors_counts n = {0};
        ear e = {0};
        char json[512];

        (void)snprintf(json, sizeof(json), "[%s]", rows[i].vector);
        assert_int_equal(run(&e, &n, json), SPV_OK);
        assert_int_equal(n.failed, 1);
        assert_string_equal(e.detail, rows[i].detail);
    }
}

static void a_report_stays_short(void **state)
{
    spv_vectors_counts n = {0};
    ear e = {0};

    (void)state;
    assert_int_equal(run(&e, &n, "[{\"id\":\"a\",\"kind\":\"header\"}]"),
                     SPV_OK);
    assert_non_null(strstr(e.detail, "; and "));
    assert_non_null(strstr(e.detail, " more"));
    assert_true(strlen(e.detail) < 400);
}

static void kinds_and_ids_can_be_run_alone(void **state)
{
    static const char json[] = "[" GOOD "," BENT ",{\"id\":\"x\",\"kind\":"
                               "\"work\"}]";
    static const struct {
        const char *only;
        size_t passed;
        size_t failed;
    } rows[] = {
        {"good", 1, 0}, {"bloom_seed", 1, 1}, {"work", 0, 1},    {"none", 0, 0},
        {"", 0, 0},     {"goo", 0, 0},        {"goods", 0, 0},   {"goo*", 1, 0},
        {"*", 1, 2},    {"x,,good,", 1, 1},   {"be*,wo*", 0, 2}, {NULL, 1, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const spv_vectors_config config = {.only = &rows[i].only,
                                           .n_only = rows[i].only != NULL};
        spv_vectors_counts n = {0};

        assert_int_equal(
            spv_vectors_run(&n, json, sizeof(json) - 1, &config, NULL), SPV_OK);
        assert_int_equal(n.passed, rows[i].passed);
        assert_int_equal(n.failed, rows[i].failed);
    }
}

/* ---- Documents ---- */

static void what_is_no_document_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *json;
        size_t at;
        const char *word;
    } rows[] = {
        {"", 0, "empty"},        {"{}", 0, "no vectors"},
        {"[]", 0, "no vectors"}, {"5", 1, "expected"},
        {"[{}", 3, "']'"},       {"[\n\n!", 4, "token"},
        {"[]]", 3, "end of"},    {"{\"networks\":{}}", 0, "no vectors"},
        {"[\"\xff\"]", 2, ""},   {"[{\"a\":1,\"a\":2}]", 12, "duplicate"},
    };
    const spv_vectors_config config = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        spv_vectors_counts n = {0};
        spv_text_error error;

        assert_int_equal(spv_vectors_run(&n, rows[i].json, strlen(rows[i].json),
                                         &config, &error),
                         SPV_MALFORMED);
        assert_int_equal(error.code, SPV_MALFORMED);
        assert_true(error.at + 2 > rows[i].at && error.at <= rows[i].at + 2);
        assert_non_null(strstr(error.text, rows[i].word));
        assert_int_equal(n.passed + n.failed, 0);
    }
}

static void depth_and_length_are_bounded(void **state)
{
    const spv_vectors_config config = {0};
    spv_vectors_counts n = {0};
    spv_text_error error;
    char *deep = malloc(100000);

    (void)state;
    assert_non_null(deep);
    memset(deep, '[', 100000);
    assert_int_equal(spv_vectors_run(&n, deep, 100000, &config, &error),
                     SPV_MALFORMED);
    assert_non_null(strstr(error.text, "depth"));
    free(deep);
    assert_int_equal(
        spv_vectors_run(&n, "", SPV_VECTORS_MAX + 1ul, &config, &error),
        SPV_LIMIT);
    assert_non_null(strstr(error.text, "64 MB"));
}

static void checkpoints_are_vectors_by_network_and_height(void **state)
{
    spv_vectors_counts n = {0};
    ear e = {0};

    (void)state;
    assert_int_equal(run(&e, &n,
                         "{\"about\":\"\",\"networks\":{\"main\":[{"
                         "\"height\":2016}],\"signet\":[7]}}"),
                     SPV_OK);
    assert_int_equal(n.failed, 2);
    assert_string_equal(e.id, "checkpoints-signet-0");
    assert_string_equal(e.kind, "checkpoint_entry");
}

/* ---- Memory ---- */

/* A vector is never said to have failed because memory ran out. */
static void without_memory_it_says_so(void **state)
{
    static const char json[] =
        "[" GOOD ",{\"id\":\"f\",\"kind\":\"filter_serialize\","
        "\"n_elements\":3,\"fp_rate\":0.01,\"tweak\":0,\"flags\":1,"
        "\"steps\":[{\"op\":\"insert\","
        "\"hex\":\"99108ad8ed9bb6274d3980bab5a85c048f0950c8\"}],"
        "\"expected_filter_bytes\":3,\"expected_hash_funcs\":5,"
        "\"expected_filterload_payload\":\"03010098050000000000000001\"},"
        "{\"id\":\"b\",\"kind\":\"base58\",\"hex\":\"61\","
        "\"base58\":\"2g\"}]";
    const spv_vectors_config config = {0};
    spv_err err = SPV_NOMEM;
    size_t lacking = 0;

    (void)state;
    for (; err == SPV_NOMEM; lacking++) {
        spv_vectors_counts n = {0};
        spv_text_error error = {SPV_OK, 0, ""};

        no_memory.armed = true;
        no_memory.before = lacking;
        err = spv_vectors_run(&n, json, sizeof(json) - 1, &config, &error);
        no_memory.armed = false;
        assert_int_equal(n.failed, 0);
        assert_true(err == SPV_NOMEM || n.passed == 3);
        assert_int_equal(error.code, err);
    }
    assert_int_equal(err, SPV_OK);
    assert_true(lacking > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_name_of_its_own_and_a_line),
        cmocka_unit_test(results_are_heard_and_counted),
        cmocka_unit_test(a_vector_that_cannot_be_run_fails),
        cmocka_unit_test(a_report_stays_short),
        cmocka_unit_test(kinds_and_ids_can_be_run_alone),
        cmocka_unit_test(what_is_no_document_is_refused_with_its_place),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(checkpoints_are_vectors_by_network_and_height),
        cmocka_unit_test(without_memory_it_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
