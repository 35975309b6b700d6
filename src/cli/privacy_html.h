#ifndef SPV_CLI_PRIVACY_HTML_H
#define SPV_CLI_PRIVACY_HTML_H

#include <stdio.h>

#include <jansson.h>

/**
 * Write what `privacy` found as a page of its own: no script, nothing loaded
 * from elsewhere, plots as SVG within. Everything is taken from the document.
 */
void cli_privacy_html(FILE *out, const json_t *doc);

#endif
