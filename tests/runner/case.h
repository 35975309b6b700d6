#ifndef SPV_TESTS_CASE_H
#define SPV_TESTS_CASE_H

#include "runner.h"

/* One vector while it runs. Kinds see it through runner.h only. */
struct spv_case {
    const char *id;
    const json_t *vector;
    const json_t *file;
    size_t checks;   /* expectations asked */
    size_t failures; /* those that differed, and fields that were missing */
    spv_buf *kept;   /* bytes that views look at */
    size_t n_kept;
};

/** Free what the views of a case looked at. */
void case_close(spv_case *c);

#endif
