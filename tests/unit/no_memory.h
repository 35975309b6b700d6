#ifndef TESTS_UNIT_NO_MEMORY_H
#define TESTS_UNIT_NO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that runs out when a test says so. The build links a test that
 * includes this with --wrap, so every allocation of the rooms comes here.
 */

static struct {
    bool armed;    /* allocations count, and may fail */
    size_t before; /* so many more succeed, then all fail */
} no_memory;

static inline bool memory_is_out(void)
{
    if (!no_memory.armed)
        return false;
    if (no_memory.before == 0)
        return true;
    no_memory.before--;
    return false;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_realloc(void *old, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t each);
void *__wrap_realloc(void *old, size_t n);

void *__wrap_malloc(size_t n)
{
    return memory_is_out() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t each)
{
    return memory_is_out() ? NULL : __real_calloc(n, each);
}

void *__wrap_realloc(void *old, size_t n)
{
    return memory_is_out() ? NULL : __real_realloc(old, n);
}

#endif
