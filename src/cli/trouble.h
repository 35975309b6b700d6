#ifndef SPV_CLI_TROUBLE_H
#define SPV_CLI_TROUBLE_H

#include <spv/client.h>

#if defined(__GNUC__)
#    define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#    define CLI_PRINTF(at, first)
#endif

/** Say in one sentence what went wrong; returns `code`. */
CLI_PRINTF(3, 4)
spv_err cli_trouble(spv_trouble *trouble, spv_err code, const char *format,
                    ...);

/** Add what to do about it; returns the trouble's code. */
CLI_PRINTF(2, 3)
spv_err cli_hint(spv_trouble *trouble, const char *format, ...);

/** Put the place (a file and line, a variable) before the sentence. */
CLI_PRINTF(2, 3)
spv_err cli_trouble_at(spv_trouble *trouble, const char *format, ...);

/**
 * What is shown of a text, whatever went into it: UTF-8 without anything that a
 * terminal obeys. U+FFFD stands for each of the others. `size` counts the zero.
 */
void cli_make_text(char *out, size_t size, const char *text);

/** The same for all that is told of a trouble. */
void cli_trouble_make_text(spv_trouble *trouble);

/** The exit code that scripts are promised for a failure. */
int cli_exit_code(spv_err err);

#endif
