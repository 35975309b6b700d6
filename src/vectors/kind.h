#ifndef SPV_VECTORS_KIND_H
#define SPV_VECTORS_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <spv/hash.h>
#include <spv/vectors.h>

#include "base/buf.h"

/*
 * What a kind of vectors is made from.
 *
 * A kind is a function that takes one vector, computes what the vector tells,
 * and says with the expect functions what should have come out. A vector
 * passes when it expected something and nothing differed: a vector that checks
 * nothing is a failure, and so is a field that is missing or of another type.
 *
 * Vectors are outside bytes: a kind must bear whatever they hold.
 */
typedef struct spv_case spv_case;

typedef struct spv_kind {
    spv_vector_kind face;
    void (*run)(spv_case *c);
} spv_kind;

/* One table a file of kinds, ended by a NULL name. */
extern const spv_kind spv__kinds_bloom[];
extern const spv_kind spv__kinds_chain[];
extern const spv_kind spv__kinds_wire[];
extern const spv_kind spv__kinds_keys[];
extern const spv_kind spv__kinds_sign[];

/** The vector itself, and (for chains of headers) all vectors of its file. */
const json_t *spv__case_vector(const spv_case *c);
const json_t *spv__case_file(const spv_case *c);

/* Fields. A missing one fails the case and reads as empty, zero or false. */
bool spv__case_has(const spv_case *c, const char *field); /* and not null */
const char *spv__case_text(spv_case *c, const char *field);
int64_t spv__case_int(spv_case *c, const char *field); /* also "123" strings */
uint64_t spv__case_u64(spv_case *c, const char *field);
double spv__case_real(spv_case *c, const char *field);
bool spv__case_bool(spv_case *c, const char *field);
const json_t *spv__case_json(spv_case *c, const char *field);

/** An array; of the vector, or of a value in it. */
const json_t *spv__case_list(spv_case *c, const char *field);
const json_t *spv__case_list_of(spv_case *c, const json_t *of,
                                const char *field);

/** A number from 0 to `most`; another one fails the case and reads as 0. For
 * what decides how much memory is asked for, or how often something is done. */
size_t spv__case_count(spv_case *c, const char *field, size_t most);

/** Bytes of a hex field; valid until the case ends, never NULL. */
typedef struct spv_view {
    const uint8_t *bytes;
    size_t len;
} spv_view;
spv_view spv__case_hex(spv_case *c, const char *field);
spv_view spv__case_hex_of(spv_case *c, const json_t *value); /* of a string */
spv_hash spv__case_hash(spv_case *c, const char *field);     /* display order */
spv_hash spv__case_hash_of(spv_case *c, const json_t *value);

/** Zeroed memory for `n` things of `size` bytes, freed when the case ends;
 * NULL when there is none left, and then the run ends with SPV_NOMEM. */
void *spv__case_alloc(spv_case *c, size_t n, size_t size);

/* Expectations: `what` names the thing compared, for the report. */
void spv__expect_true(spv_case *c, const char *what, bool got);
void spv__expect_false(spv_case *c, const char *what, bool got);
void spv__expect_int(spv_case *c, const char *what, int64_t got, int64_t want);
void spv__expect_text(spv_case *c, const char *what, const char *got,
                      const char *want);
void spv__expect_bytes(spv_case *c, const char *what, const uint8_t *got,
                       size_t got_len, spv_view want);
void spv__expect_hash(spv_case *c, const char *what, const spv_hash *got,
                      const spv_hash *want);
void spv__expect_buf(spv_case *c, const char *what, const spv_buf *got,
                     spv_view want);

/** Whether it is SPV_OK. SPV_NOMEM is no failure of the vector: it ends the
 * run. */
bool spv__expect_ok(spv_case *c, const char *what, spv_err got);

#endif
