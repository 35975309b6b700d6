#ifndef SPV_CLI_COMMANDS_H
#define SPV_CLI_COMMANDS_H

#include "cli/cli.h"

/*
 * Commands: a noun and mostly a verb. One table makes the dispatch, the help,
 * and the nearest name.
 */

/** Answers a command: fills in the document, or prints by itself. */
typedef spv_err cli_run(cli *c, json_t **doc);

/** Writes a document to standard output for people. */
typedef void cli_show(const cli *c, const json_t *doc);

struct cli_command {
    const char *noun;
    const char *verb;  /* NULL: the noun alone */
    const char *alias; /* one word for all of it, or NULL */
    const char *args;  /* operands as help writes them; NULL for none */
    const char *needs; /* an option that must be given, or NULL */
    size_t least_args;
    size_t most_args;
    cli_run *run;
    cli_show *show;   /* NULL: the document itself is shown */
    uint64_t options; /* of its own, CLI_BIT */
    const char *help; /* one line */
    const char *more; /* some sentences, or NULL */
};

/** All commands, in the order of the help; behind the last is one without a
 * noun. */
extern const cli_command cli_commands[];

/**
 * Which command the operands name; what is left of them are `c->args`. Its
 * operands are counted and its options checked.
 */
spv_err cli_command_choose(cli *c);

/** The command that the first `n_words` operands name, ignoring the rest;
 * NULL when there is none. `used` gets the number of words that name it. */
const cli_command *cli_command_find(const char *const *words, size_t n_words,
                                    size_t *used);

/** Whether the operands name a command that is promised, but not yet there. */
bool cli_command_is_later(const char *const *words, size_t n_words);
spv_err cli_command_refuse_later(cli *c);

/** "filter size", or "balance". */
void cli_command_name(char *out, size_t size, const cli_command *command);

/* Every command's answer, a file a noun: cmd_wallet.c, ... */
cli_run cli_wallet_create, cli_wallet_restore, cli_wallet_watch,
    cli_wallet_list, cli_wallet_show, cli_wallet_rescan, cli_wallet_encrypt,
    cli_wallet_backup;
cli_run cli_address_next, cli_address_new, cli_address_list;
cli_run cli_sync, cli_watch, cli_balance, cli_coins, cli_history, cli_tx_show;
cli_run cli_filter_wallet, cli_filter_size, cli_filter_build, cli_filter_add,
    cli_filter_remove, cli_filter_test, cli_filter_merge, cli_filter_show;
cli_run cli_decode_tx, cli_decode_block, cli_decode_header,
    cli_decode_merkleblock, cli_decode_filterload, cli_decode_script,
    cli_decode_address, cli_decode_descriptor;
cli_run cli_privacy, cli_proof_verify;
cli_run cli_peers_list, cli_peers_add, cli_peers_ban, cli_peers_unban;
cli_run cli_conform, cli_conform_serve, cli_conform_vectors;

cli_show cli_wallet_create_text, cli_wallet_list_text, cli_wallet_show_text,
    cli_wallet_rescan_text, cli_wallet_encrypt_text, cli_wallet_backup_text,
    cli_address_text, cli_address_list_text, cli_sync_text, cli_balance_text,
    cli_coins_text, cli_history_text, cli_tx_text, cli_peers_text,
    cli_filter_size_text, cli_filter_hex_text, cli_filter_show_text,
    cli_filter_test_text, cli_privacy_text, cli_proof_text, cli_conform_text,
    cli_conform_serve_text, cli_conform_vectors_text;

#endif
