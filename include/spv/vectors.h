#ifndef SPV_VECTORS_H
#define SPV_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include <spv/err.h>
#include <spv/export.h>
#include <spv/text_error.h>

/*
 * Test vectors in JSON, run through this library.
 *
 * A document is an array of vectors: objects with an `id`, a `kind`, and the
 * fields of that kind. Its kind says what is computed from some of them and
 * compared with the others; docs/vectors.md describes every kind, and
 * tests/vectors/ is a corpus of them. A vector passes when something was
 * compared and nothing differed: one that lacks a field, or is of a kind that
 * is not known here, fails.
 *
 * Only in libraries that were built with SPV_WITH_VECTORS.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** Longest document that is read, in bytes. */
#define SPV_VECTORS_MAX (64u << 20)

/** A kind of vectors. */
typedef struct spv_vector_kind {
    const char *name;
    const char *about; /**< what is compared, in one line */
} spv_vector_kind;

/** Kind number `i`, from 0, those of a subject together; NULL behind the last.
 * Static. */
SPV_API const spv_vector_kind *spv_vector_kind_get(size_t i);

/** The kind called `name`, or NULL. Static. */
SPV_API const spv_vector_kind *spv_vector_kind_find(const char *name);

/** What came of one vector. Its texts are borrowed until the call returns. */
typedef struct spv_vector_result {
    size_t index;       /**< its place in the document, from 0 */
    const char *id;     /**< "" when it has none */
    const char *kind;   /**< "" when it has none */
    bool passed;        /**< something was compared and nothing differed */
    const char *detail; /**< what differed: "hash: got 7, want 8; ..." */
} spv_vector_result;

/** Hears of each vector, in the order of the document. */
typedef void spv_vector_heard(void *self, const spv_vector_result *result);

typedef struct spv_vectors_config {
    spv_vector_heard *heard; /**< may be NULL: then they are only counted */
    void *self;              /**< given to `heard` */
    /** Run these alone, or all if there are none: texts of ids and kinds with
     * commas between, or their beginnings up to a dot or with a * behind them
     * ("bip32,filter*"). */
    const char *const *only;
    size_t n_only;
} spv_vectors_config;

typedef struct spv_vectors_counts {
    size_t passed;
    size_t failed;
} spv_vectors_counts;

/**
 * Run the vectors of a document: `len` bytes of JSON (UTF-8, RFC 8259).
 *
 * Adds to `counts`, which the caller has set to zeros. Fails only when no
 * result can be had, and then `error`, which may be NULL, says why and at
 * which byte: SPV_MALFORMED for what is not JSON or has no vectors in it,
 * SPV_LIMIT for a document over SPV_VECTORS_MAX, SPV_NOMEM (what was heard
 * and counted until then holds).
 *
 * Nothing outside is touched: no file, clock or entropy. Numbers in a vector
 * that would ask for more than moderate work or memory make it fail.
 */
SPV_API SPV_MUST_USE spv_err spv_vectors_run(spv_vectors_counts *counts,
                                             const char *json, size_t len,
                                             const spv_vectors_config *config,
                                             spv_text_error *error);

#ifdef __cplusplus
}
#endif

#endif
