#ifndef SPV_CLI_TEXT_H
#define SPV_CLI_TEXT_H

#include "cli/cli.h"

/* Documents as people read them: fields, a line each, and tables. */

typedef enum cli_form {
    CLI_AS_IS,     /* as it is: text, number, yes/no, - for null */
    CLI_AS_AMOUNT, /* satoshi as "0.50000000 btc" */
    CLI_AS_CHANGE, /* the same with a sign */
    CLI_AS_TIME,   /* Unix seconds as UTC */
    CLI_AS_BYTES,  /* with B, kB or MB */
    CLI_AS_FLAGS   /* of a filter, as --flags has them */
} cli_form;

typedef struct cli_field {
    const char *key;
    const char *title;
    cli_form form;
} cli_field;

/** Print fields of an object, "title  value"; absent ones are left out, an
 * array of texts takes a line each. */
void cli_print_fields(const json_t *object, const cli_field *fields, size_t n);

/** Print an array of objects as a table under a line of titles. */
void cli_print_table(const cli *c, const json_t *array, const cli_field *fields,
                     size_t n);

/** Print a whole document as JSON. */
void cli_print_json(const json_t *doc);

/** The same on one line. */
void cli_print_json_line(const json_t *doc);

/** A document's text or number. */
const char *cli_doc_text(const json_t *doc, const char *key);
int64_t cli_doc_number(const json_t *doc, const char *key);

#define CLI_FIELDS(fields) (fields), sizeof(fields) / sizeof((fields)[0])

#endif
