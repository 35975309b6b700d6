#include <stdio.h>
#include <string.h>

#include "base/select.h"
#include "vectors/case.h"

/* ---- Kinds ---- */

static const spv_kind *const tables[] = {
    spv__kinds_bloom, spv__kinds_chain, spv__kinds_wire,
    spv__kinds_keys,  spv__kinds_sign,
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

const spv_vector_kind *spv_vector_kind_get(size_t i)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const spv_kind *kind = tables[t]; kind->face.name; kind++)
            if (i-- == 0)
                return &kind->face;
    return NULL;
}

static const spv_kind *find_kind(const char *name)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const spv_kind *kind = tables[t]; kind->face.name; kind++)
            if (strcmp(kind->face.name, name) == 0)
                return kind;
    return NULL;
}

const spv_vector_kind *spv_vector_kind_find(const char *name)
{
    const spv_kind *kind = find_kind(name);

    return kind ? &kind->face : NULL;
}

/* ---- One vector ---- */

static const char *text_of(const json_t *vector, const char *field)
{
    const char *text = json_string_value(json_object_get(vector, field));

    return text ? text : "";
}

/* Run it, or say why that cannot be. */
static void carry_out(spv_case *c, const char *id, const char *name)
{
    const spv_kind *kind = find_kind(name);

    if (!*id || !*name) {
        spv__case_differs(c, *id ? "kind" : "id");
        spv__case_say(c, "got none, want an object with id and kind");
    } else if (!kind) {
        spv__expect_text(c, "kind", name, "one that is known");
    } else {
        kind->run(c);
        if (!c->checks && !c->failures) {
            spv__case_differs(c, "checks");
            spv__case_say(c, "got none, want something to compare");
        }
    }
}

static spv_err run_vector(spv_vectors_counts *counts, const json_t *file,
                          size_t index, const spv_vectors_config *config)
{
    const json_t *vector = json_array_get(file, index);
    spv_case c = {.vector = vector, .file = file};
    spv_vector_result result = {
        .index = index,
        .id = text_of(vector, "id"),
        .kind = text_of(vector, "kind"),
    };
    spv_err err = SPV_OK;

    carry_out(&c, result.id, result.kind);
    result.passed = !c.failures;
    result.detail = spv__case_report(&c);
    err = c.err;
    if (err == SPV_OK) {
        counts->passed += result.passed;
        counts->failed += !result.passed;
        if (config->heard)
            config->heard(config->self, &result);
    }
    spv__case_clear(&c);
    return err;
}

/* Whether `name` is in a list with commas. */
static bool lists(const char *list, const char *name)
{
    for (size_t len = 0; *list; list += len + (list[len] == ',')) {
        len = strcspn(list, ",");
        if (spv__selects(list, len, name))
            return true;
    }
    return false;
}

static bool is_wanted(const json_t *vector, const spv_vectors_config *config)
{
    for (size_t i = 0; i < config->n_only; i++)
        if (lists(config->only[i], text_of(vector, "id")) ||
            lists(config->only[i], text_of(vector, "kind")))
            return true;
    return config->n_only == 0;
}

/* ---- Documents ---- */

static spv_err refuse(spv_text_error *error, spv_err code, int at,
                      const char *text)
{
    if (error) {
        *error = (spv_text_error){.code = code, .at = at > 0 ? (size_t)at : 0};
        (void)snprintf(error->text, sizeof(error->text), "%s", text);
    }
    return code;
}

/* An entry of a checkpoints file, written as any other vector. */
static json_t *checkpoint_vector(const char *network, json_t *entry)
{
    json_t *vector = json_is_object(entry) ? json_copy(entry) : json_object();
    json_t *id =
        json_sprintf("checkpoints-%s-%" JSON_INTEGER_FORMAT, network,
                     json_integer_value(json_object_get(entry, "height")));
    int failed = json_object_set_new(vector, "id", id);

    failed |=
        json_object_set_new(vector, "kind", json_string("checkpoint_entry"));
    failed |= json_object_set_new(vector, "network", json_string(network));
    if (!failed)
        return vector;
    json_decref(vector);
    return NULL;
}

/* The vectors of a checkpoints file, owned; NULL without memory. */
static json_t *checkpoint_vectors(json_t *networks)
{
    json_t *vectors = json_array();
    const char *name = NULL;
    json_t *entries = NULL;
    json_t *entry = NULL;
    size_t i = 0;
    int failed = 0;

    json_object_foreach(networks, name, entries)
    {
        json_array_foreach(entries, i, entry)
        {
            failed |=
                json_array_append_new(vectors, checkpoint_vector(name, entry));
        }
    }
    if (!failed)
        return vectors;
    json_decref(vectors);
    return NULL;
}

/* The vectors of a document, owned. */
static spv_err vectors_of(json_t **vectors, json_t *root, spv_text_error *error)
{
    json_t *networks = json_object_get(root, "networks");

    *vectors = json_is_object(networks) ? checkpoint_vectors(networks)
                                        : json_incref(root);
    if (!*vectors)
        return refuse(error, SPV_NOMEM, 0, spv_err_text(SPV_NOMEM));
    if (json_array_size(*vectors))
        return SPV_OK;
    return refuse(error, SPV_MALFORMED, 0,
                  "it has no vectors in it: an array of objects with id and "
                  "kind is wanted");
}

/* jansson bounds the depth (2048), and refuses what is not UTF-8. */
static spv_err load(json_t **root, const char *json, size_t len,
                    spv_text_error *error)
{
    json_error_t found = {.position = 0};

    if (len > SPV_VECTORS_MAX)
        return refuse(error, SPV_LIMIT, 0, "it is over 64 MB");
    if (len == 0)
        return refuse(error, SPV_MALFORMED, 0, "it is empty");
    *root = json_loadb(json, len, JSON_REJECT_DUPLICATES, &found);
    if (*root)
        return SPV_OK;
    /* It tells of most lack of memory by saying nothing. */
    if (json_error_code(&found) == json_error_out_of_memory || !found.text[0])
        return refuse(error, SPV_NOMEM, 0, spv_err_text(SPV_NOMEM));
    return refuse(error, SPV_MALFORMED, found.position, found.text);
}

spv_err spv_vectors_run(spv_vectors_counts *counts, const char *json,
                        size_t len, const spv_vectors_config *config,
                        spv_text_error *error)
{
    json_t *root = NULL;
    json_t *vectors = NULL;
    spv_err err = load(&root, json, len, error);

    if (err == SPV_OK)
        err = vectors_of(&vectors, root, error);
    for (size_t i = 0; err == SPV_OK && i < json_array_size(vectors); i++)
        if (is_wanted(json_array_get(vectors, i), config))
            err = run_vector(counts, vectors, i, config);
    if (err == SPV_NOMEM)
        err = refuse(error, err, 0, spv_err_text(err));
    json_decref(vectors);
    json_decref(root);
    return err;
}
