#include "cli/curl_door.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* A function's address comes as that of data: POSIX has both of one size. */
static bool take(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

const cli_curl *cli_curl_open(void)
{
    static cli_curl curl;
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    bool ok = library != NULL;

#define X(type, name, parameters) \
    ok = ok && take(library, "curl_" #name, &curl.name);
    CLI_CURL_MAP(X)
#undef X
    return ok ? &curl : NULL;
}
