/*
 * headers_near: headers from a real node, and nothing else.
 *
 *   headers_near 127.0.0.1:18444
 *
 * The library's own sync over the reactor, every header checked, without a
 * wallet and without a disk: to be compared with the null client, which does
 * not even look. Prints one JSON line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spv/uv.h>

#include "sim/fetcher.h"
#include "support/must.h"

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    double begun = seconds();
    spv_reactor *reactor = NULL;
    fetcher f;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: headers_near HOST:PORT\n");
        return 2;
    }
    fetcher_begin_at(&f, (int64_t)time(NULL));
    fetcher_connect(&f, argv[1]);
    MUST(spv_reactor_new(&reactor, fetcher_machine(), &f) == SPV_OK);
    MUST(spv_reactor_run(reactor) == SPV_OK);
    printf("{\"bench\":\"headers_near\",\"seconds\":%.3f,\"headers\":%d}\n",
           seconds() - begun, (int)spv__tree_tip(f.tree).height);
    spv_reactor_free(reactor);
    fetcher_end(&f);
    return EXIT_SUCCESS;
}
