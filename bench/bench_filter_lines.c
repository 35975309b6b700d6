#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <spv/local_filter.h>

/*
 * What 'filter test' cannot do without: reading and counting the lines, and
 * asking a filter in memory about elements in memory.
 *
 * usage: bench_filter_lines FILTER LINES
 */

enum { BLOCK = 1 << 20, BATCH = 1024 };

typedef struct bytes {
    uint8_t *at;
    size_t len;
} bytes;

/* A busy machine adds to what the clock on the wall shows, not to this. */
static double now(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* As wc -l does it. */
static size_t count_lines(const char *path)
{
    static char block[BLOCK];
    int fd = open(path, O_RDONLY);
    ssize_t got = 0;
    size_t lines = 0;

    if (fd < 0)
        die(path);
    while ((got = read(fd, block, BLOCK)) > 0) {
        const char *end = block + got;

        for (const char *at = block;
             (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
            lines++;
    }
    (void)close(fd);
    return lines;
}

static bytes read_whole(const char *path)
{
    int fd = open(path, O_RDONLY);
    struct stat file;
    bytes all = {0};
    size_t got = 0;

    if (fd < 0 || fstat(fd, &file) != 0)
        die(path);
    all.len = (size_t)file.st_size;
    all.at = malloc(all.len);
    while (all.at && got < all.len) {
        ssize_t n = read(fd, all.at + got, all.len - got);

        if (n <= 0)
            die(path);
        got += (size_t)n;
    }
    (void)close(fd);
    if (!all.at)
        die("memory");
    return all;
}

static spv_element *split(const bytes *all, size_t lines)
{
    spv_element *elements = malloc(lines * sizeof(*elements));
    const uint8_t *at = all->at;

    if (!elements)
        die("memory");
    for (size_t i = 0; i < lines; i++) {
        const uint8_t *end =
            memchr(at, '\n', all->len - (size_t)(at - all->at));

        elements[i] = (spv_element){at, (size_t)(end - at)};
        at = end + 1;
    }
    return elements;
}

static size_t ask_all(const spv_local_filter *f, const spv_element *elements,
                      size_t n)
{
    bool found[BATCH];
    size_t hits = 0;

    for (size_t i = 0; i < n; i += BATCH)
        hits += spv_local_filter_contains_batch(f, found, elements + i,
                                                n - i < BATCH ? n - i : BATCH);
    return hits;
}

typedef struct stopwatch {
    double wall;
    double cpu;
} stopwatch;

static stopwatch start(void)
{
    return (stopwatch){now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID)};
}

static void report(const char *what, const stopwatch *began)
{
    stopwatch t = start();

    (void)printf(", \"%s_s\": %.4f, \"%s_cpu_s\": %.4f", what,
                 t.wall - began->wall, what, t.cpu - began->cpu);
}

static void measure(const spv_local_filter *f, const char *path)
{
    stopwatch began = start();
    size_t lines = count_lines(path);
    bytes text;
    spv_element *elements = NULL;
    size_t hits = 0;

    (void)printf("{\"lines\": %zu", lines);
    report("count", &began);
    text = read_whole(path);
    elements = split(&text, lines);
    began = start();
    hits = ask_all(f, elements, lines);
    report("ask", &began);
    (void)printf(", \"hits\": %zu}\n", hits);
    free(elements);
    free(text.at);
}

int main(int argc, char **argv)
{
    spv_local_filter f;
    bytes saved;

    if (argc != 3)
        return 2;
    saved = read_whole(argv[1]);
    if (spv_local_filter_load(&f, saved.at, saved.len) != SPV_OK)
        return 1;
    free(saved.at);
    measure(&f, argv[2]);
    spv_local_filter_clear(&f);
    return 0;
}
