#ifndef SPV_CLI_FOREIGN_H
#define SPV_CLI_FOREIGN_H

/*
 * Words of another machine, quoted in a message: printable ASCII, '?' for
 * everything else, and no more of them than a person wants to read.
 */
enum { CLI_FOREIGN_MAX = 200, CLI_FOREIGN_SIZE = CLI_FOREIGN_MAX + 4 };

/** Longer ones end in "...". */
void cli_foreign_text(char out[CLI_FOREIGN_SIZE], const char *words);

#endif
