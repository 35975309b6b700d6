#ifndef SPV_CLI_SERVE_REPORT_H
#define SPV_CLI_SERVE_REPORT_H

#include <jansson.h>

#include <spv/serve.h>

#include "cli/cli.h"

/*
 * What scripted nodes say of themselves, of the truth, and of their client:
 * as documents, and the same documents for people.
 */

/** A node's scenario, at `address` (NULL: not listening). */
json_t *cli_serve_scenario_doc(const spv_serve_scenario *s,
                               const char *address);

json_t *cli_serve_truth_doc(const spv_serve_truth *truth);

/** The report on every node, and the verdict on all; `host` is where they
 * listened. */
json_t *cli_serve_report_doc(const spv_serve *serve, const char *host);

void cli_serve_print_scenarios(const json_t *list);
void cli_serve_print_truth(const cli *c, const json_t *truth);
void cli_serve_print_report(const json_t *report);

#endif
