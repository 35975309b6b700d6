#ifndef SPV_VECTORS_CASE_H
#define SPV_VECTORS_CASE_H

#include "vectors/kind.h"

/* One vector while it runs. Kinds see it through vectors/kind.h only. */
struct spv_case {
    const json_t *vector;
    const json_t *file;
    size_t checks;   /* expectations asked */
    size_t failures; /* those that differed, and fields that were wrong */
    spv_buf report;  /* what differed, in words */
    spv_err err;     /* SPV_NOMEM when it could not be carried out */
    void **owned;
    size_t n_owned;
};

/** The report names so many differences, and counts the others. */
enum { SPV__CASE_TOLD = 4 };

/** Begin the report of one more difference: "what: ". */
void spv__case_differs(spv_case *c, const char *what);

/** Add words to the report of the difference that was begun last. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void spv__case_say(spv_case *c, const char *format, ...);

/** The report as a text, borrowed until the case ends; NULL without memory. */
const char *spv__case_report(spv_case *c);

/** Free what the case owns. */
void spv__case_clear(spv_case *c);

#endif
