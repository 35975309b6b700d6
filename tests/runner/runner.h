#ifndef SPV_TESTS_RUNNER_H
#define SPV_TESTS_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <spv/hash.h>

#include "base/buf.h"

/*
 * vectors-runner: runs vector files through this implementation.
 *
 * A kind is a function that takes one vector, computes what the vector tells,
 * and says with the expect_ functions what should have come out. A vector
 * passes when it expected something and nothing differed: a vector that checks
 * nothing is a failure, and so is a field that is missing or of another type.
 */
typedef struct spv_case spv_case;

typedef struct spv_kind {
    const char *name;
    void (*run)(spv_case *c);
} spv_kind;

/* One table a file of kinds, ended by a NULL name. */
extern const spv_kind spv__kinds_bloom[];
extern const spv_kind spv__kinds_chain[];
extern const spv_kind spv__kinds_wire[];
extern const spv_kind spv__kinds_keys[];
extern const spv_kind spv__kinds_sign[];

/** The vector itself, and (for chains of headers) all vectors of its file. */
const json_t *case_vector(const spv_case *c);
const json_t *case_file(const spv_case *c);

/* Fields. A missing one fails the case and reads as empty, zero or false. */
bool case_has(const spv_case *c, const char *field); /* present, not null */
const char *case_text(spv_case *c, const char *field);
int64_t case_int(spv_case *c, const char *field); /* also "123" strings */
uint64_t case_u64(spv_case *c, const char *field);
double case_real(spv_case *c, const char *field);
bool case_bool(spv_case *c, const char *field);
const json_t *case_json(spv_case *c, const char *field);

/** Bytes of a hex field; valid until the case ends. */
typedef struct spv_view {
    const uint8_t *bytes;
    size_t len;
} spv_view;
spv_view case_hex(spv_case *c, const char *field);
spv_view case_hex_of(spv_case *c, const json_t *value); /* of a string value */
spv_hash case_hash(spv_case *c, const char *field);     /* display order */
spv_hash case_hash_of(spv_case *c, const json_t *value);

/* Expectations: `what` names the thing compared, for the report. */
void expect_true(spv_case *c, const char *what, bool got);
void expect_false(spv_case *c, const char *what, bool got);
void expect_int(spv_case *c, const char *what, int64_t got, int64_t want);
void expect_text(spv_case *c, const char *what, const char *got,
                 const char *want);
void expect_bytes(spv_case *c, const char *what, const uint8_t *got,
                  size_t got_len, spv_view want);
void expect_hash(spv_case *c, const char *what, const spv_hash *got,
                 const spv_hash *want);
void expect_ok(spv_case *c, const char *what, int spv_err_got);

#endif
