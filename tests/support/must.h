#ifndef SUPPORT_MUST_H
#define SUPPORT_MUST_H

#include <stdio.h>
#include <stdlib.h>

/*
 * Support code has nobody to report to: what cannot happen in a test that is
 * right (no memory, a script that does not sign) says where and ends it.
 */
#define MUST(what) ((what) ? (void)0 : must_fail(__FILE__, __LINE__, #what))

_Noreturn static inline void must_fail(const char *file, int line,
                                       const char *what)
{
    (void)fprintf(stderr, "%s:%d: must hold: %s\n", file, line, what);
    abort();
}

/** Grow an array to hold one more: `n` used, `cap` there. */
static inline void *must_grow(void *array, size_t n, size_t *cap, size_t each)
{
    void *grown = array;

    if (n < *cap)
        return array;
    *cap = *cap == 0 ? 16 : *cap * 2;
    grown = realloc(array, *cap * each);
    MUST(grown);
    return grown;
}

#endif
