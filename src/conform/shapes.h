#ifndef SPV_CONFORM_SHAPES_H
#define SPV_CONFORM_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/rng.h"
#include "conform/draft.h"

/*
 * Every kind of output script and of spend that BIP 37 matching tells apart.
 *
 * Nothing here holds a secret. Most outputs can be spent by anyone; those of
 * real keys are, too: by signatures of the number one (conform/one_keys.h),
 * which need an input whose index is not an output's, or in segwit by keys that
 * everybody knows (conform/one_sign.h).
 */
typedef enum spv_spender {
    SPV__SPENT_NEVER,
    SPV__SPENT_FREELY,
    SPV__SPENT_AS_SECOND /* as second input where there is one output */
} spv_spender;

typedef struct spv_shape {
    spv_buf script;  /* of the output */
    spv_buf input;   /* the script that spends it */
    spv_buf witness; /* item count and items; empty: none */
    size_t key;      /* of spv__one_keys, where one was chosen */
} spv_shape;

typedef struct spv_shape_kind {
    const char *name;
    spv_spender spender;
    void (*make)(spv_shape *s, spv_rng *d);
    void (*sign)(spv_shape *s, const spv_coin *coin); /* NULL: no need */
} spv_shape_kind;

/** The table of them. */
extern const spv_shape_kind spv__shape_kinds[];
extern const size_t spv__shape_kinds_n;

/** Fill a shape (zeroed, or made before) with new pushes. Its buffers' first
 * failure sticks, and shows in the draft that they are put into. */
void spv__shape_make(spv_shape *s, const spv_shape_kind *kind, spv_rng *d);
void spv__shape_clear(spv_shape *s);

/** Make what spends it ready, now that the coin has a name. */
void spv__shape_sign(spv_shape *s, const spv_shape_kind *kind,
                     const spv_coin *coin);

/** Shapes that nodes let spend by policy too; anyone can. */
void spv__shape_p2sh_true(spv_shape *s, spv_rng *d);
void spv__shape_p2wsh_true(spv_shape *s, spv_rng *d);

/** A standard output to nobody: one of five kinds, `n` says which. */
void spv__shape_nobody(spv_shape *s, spv_rng *d, size_t n);

#endif
