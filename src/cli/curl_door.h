#ifndef SPV_CLI_CURL_DOOR_H
#define SPV_CLI_CURL_DOOR_H

#include <curl/curl.h>

/*
 * libcurl, opened when it is first wanted. It brings some twenty libraries
 * along: five megabytes, and as much time as the rest of a start, which only
 * `conform --rpc` has a use for.
 */

/* What is called of it: result, name without "curl_", and parameters. */
#define CLI_CURL_MAP(X)                                                       \
    X(CURLcode, global_init, (long flags))                                    \
    X(void, global_cleanup, (void))                                           \
    X(CURL *, easy_init, (void))                                              \
    X(CURLcode, easy_setopt, (CURL *, CURLoption, ...))                       \
    X(CURLcode, easy_perform, (CURL *))                                       \
    X(CURLcode, easy_getinfo, (CURL *, CURLINFO, ...))                        \
    X(void, easy_cleanup, (CURL *))                                           \
    X(const char *, easy_strerror, (CURLcode))                                \
    X(struct curl_slist *, slist_append, (struct curl_slist *, const char *)) \
    X(void, slist_free_all, (struct curl_slist *))                            \
    X(CURLU *, url, (void))                                                   \
    X(void, url_cleanup, (CURLU *))                                           \
    X(CURLUcode, url_get,                                                     \
      (const CURLU *, CURLUPart, char **part, unsigned flags))                \
    X(CURLUcode, url_set,                                                     \
      (CURLU *, CURLUPart, const char *part, unsigned flags))                 \
    X(void, free, (void *))

typedef struct cli_curl {
#define X(type, name, parameters) type(*name) parameters;
    CLI_CURL_MAP(X)
#undef X
} cli_curl;

/** The library, which stays open; NULL when this machine has none that holds
 * all of the above. Static. */
const cli_curl *cli_curl_open(void);

#endif
