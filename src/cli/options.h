#ifndef SPV_CLI_OPTIONS_H
#define SPV_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/client.h>

/*
 * Options: one table of what there is, and the values that the command line,
 * the environment and the file gave them.
 */

/** Traits of an option. */
enum {
    CLI_GLOBAL = 1 << 0,     /* belongs to every command */
    CLI_REPEATS = 1 << 1,    /* each time adds a value */
    CLI_ARGV = 1 << 2,       /* command line only */
    CLI_CHAIN_NAME = 1 << 3, /* short for --chain NAME */
    CLI_SECRET = 1 << 4,     /* refused: others could read it */
    CLI_LATER = 1 << 5       /* promised, not in this version */
};

/*
 * Every option: id, name, letter, its value's name (NULL for a switch), traits,
 * and a line of help. This makes parsing, --help, the check of the man page,
 * and the nearest name.
 */
#define CLI_OPTION_MAP(X)                                                      \
    X(CHAIN, "chain", 0, "NAME", CLI_GLOBAL,                                   \
      "main (default), testnet3, testnet4, signet or regtest")                 \
    X(REGTEST, "regtest", 0, NULL, CLI_GLOBAL | CLI_CHAIN_NAME,                \
      "the same as --chain regtest")                                           \
    X(SIGNET, "signet", 0, NULL, CLI_GLOBAL | CLI_CHAIN_NAME,                  \
      "the same as --chain signet")                                            \
    X(TESTNET4, "testnet4", 0, NULL, CLI_GLOBAL | CLI_CHAIN_NAME,              \
      "the same as --chain testnet4")                                          \
    X(TESTNET3, "testnet3", 0, NULL, CLI_GLOBAL | CLI_CHAIN_NAME,              \
      "the same as --chain testnet3")                                          \
    X(DATADIR, "datadir", 0, "DIR", CLI_GLOBAL,                                \
      "where wallets and headers lie, one folder a network")                   \
    X(WALLET, "wallet", 0, "NAME", CLI_GLOBAL, "which wallet (\"default\")")   \
    X(CONF, "conf", 0, "FILE", CLI_GLOBAL,                                     \
      "settings to read (DATADIR/spvclient.conf)")                             \
    X(CONNECT, "connect", 0, "HOST[:PORT]", CLI_GLOBAL | CLI_REPEATS,          \
      "a node to ask, and no other; of sync and watch, several times")         \
    X(AUDIT, "audit", 0, "RATE", CLI_GLOBAL,                                   \
      "fetch this share of blocks whole from a second node (0.001)")           \
    X(RPC, "rpc", 0, "URL", CLI_GLOBAL,                                        \
      "conform: a regtest node's RPC, to make it blocks: http://HOST:PORT")    \
    X(RPC_COOKIE, "rpc-cookie", 0, "FILE", CLI_GLOBAL,                         \
      "its USER:PASSWORD, which others could read in an URL")                  \
    X(JSON, "json", 0, NULL, CLI_GLOBAL,                                       \
      "one JSON document on standard output, errors too")                      \
    X(QUIET, "quiet", 'q', NULL, CLI_GLOBAL,                                   \
      "errors only: no notes, warnings or progress")                           \
    X(VERBOSE, "verbose", 0, NULL, CLI_GLOBAL,                                 \
      "tell more; the same as --log-level info")                               \
    X(LOG_LEVEL, "log-level", 0, "LEVEL", CLI_GLOBAL,                          \
      "error, warn (default), info or debug")                                  \
    X(LOG_FILE, "log-file", 0, "FILE", CLI_GLOBAL,                             \
      "append what is told to FILE, not to standard error")                    \
    X(COLOR, "color", 0, "WHEN", CLI_GLOBAL,                                   \
      "auto (default), always or never")                                       \
    X(VERSION, "version", 0, NULL, CLI_GLOBAL | CLI_ARGV, "print the version") \
    X(HELP, "help", 'h', NULL, CLI_GLOBAL | CLI_ARGV,                          \
      "print help, or that of a command")                                      \
    X(TYPE, "type", 0, "TYPE", CLI_ARGV,                                       \
      "addresses: wpkh (default), tr, sh-wpkh, pkh; restore also: all")        \
    X(WORDS, "words", 0, "N", CLI_ARGV, "12 (default) or 24 words")            \
    X(BIRTHDAY, "birthday", 0, "HEIGHT|DATE", CLI_ARGV,                        \
      "nothing of the wallet's is older; DATE is YYYY-MM-DD")                  \
    X(GAP, "gap", 0, "N", CLI_ARGV,                                            \
      "look N addresses past the last used one (20)")                          \
    X(ACCOUNT, "account", 0, "N", CLI_ARGV, "account number of BIP 44 (0)")    \
    X(MNEMONIC_STDIN, "mnemonic-stdin", 0, NULL, CLI_ARGV,                     \
      "read the mnemonic from standard input, one line")                       \
    X(MNEMONIC_FILE, "mnemonic-file", 0, "FILE", CLI_ARGV,                     \
      "read the mnemonic from FILE")                                           \
    X(PASSPHRASE_STDIN, "passphrase-stdin", 0, NULL, CLI_ARGV,                 \
      "read BIP 39's passphrase from standard input, the next line")           \
    X(PASSPHRASE_FILE, "passphrase-file", 0, "FILE", CLI_ARGV,                 \
      "read BIP 39's passphrase from FILE")                                    \
    X(PASSWORD_STDIN, "password-stdin", 0, NULL, CLI_ARGV,                     \
      "read the wallet's password from standard input, the next line")         \
    X(PASSWORD_FILE, "password-file", 0, "FILE", CLI_ARGV,                     \
      "read the wallet's password from FILE")                                  \
    X(NEW_PASSWORD_STDIN, "new-password-stdin", 0, NULL, CLI_ARGV,             \
      "read the new one from standard input, the line after the old one")      \
    X(NEW_PASSWORD_FILE, "new-password-file", 0, "FILE", CLI_ARGV,             \
      "read the new one from FILE")                                            \
    X(FROM, "from", 0, "HEIGHT|DATE", CLI_ARGV,                                \
      "where to begin; without it at the birthday")                            \
    X(CHANGE, "change", 0, NULL, CLI_ARGV, "an address of the change chain")   \
    X(UNTIL, "until", 0, "HEIGHT", CLI_ARGV, "stop there, not at the tip")     \
    X(TIMEOUT, "timeout", 0, "SECONDS", CLI_ARGV,                              \
      "stop after so long; exit code 6 if it was not done by then")            \
    X(ELEMENTS, "elements", 0, "N", CLI_ARGV,                                  \
      "how many elements the filter is sized for")                             \
    X(FP_RATE, "fp-rate", 0, "P", CLI_ARGV,                                    \
      "rate of false positives, below 1 (0.0001); a wallet's: 1e-9 to 0.1")    \
    X(TWEAK, "tweak", 0, "N", CLI_ARGV, "seed of the hash functions (0)")      \
    X(FLAGS, "flags", 0, "F", CLI_ARGV,                                        \
      "what nodes add: all (default of a wallet), p2pubkey, none (of build)")  \
    X(TEXT, "text", 0, NULL, CLI_ARGV, "elements are lines of text, not hex")  \
    X(ADDRESS, "address", 0, NULL, CLI_ARGV, "elements are addresses")         \
    X(INVERT, "invert", 'v', NULL, CLI_ARGV,                                   \
      "print the elements that are not in the filter")                         \
    X(OUT, "out", 0, "FILE", CLI_ARGV, "save the filter in FILE, of any size") \
    X(KIND, "kind", 0, "KIND", CLI_ARGV,                                       \
      "bloom (default), counting, scalable, rolling or cuckoo")                \
    X(HASHING, "hashing", 0, "H", CLI_ARGV,                                    \
      "of kind bloom: double (default), bip37 or blocked")                     \
    X(FORCE, "force", 0, NULL, CLI_ARGV, "overwrite a file that is there")     \
    X(NO_VERIFY, "no-verify", 0, NULL, CLI_ARGV,                               \
      "do not read a saved filter through to check it")                        \
    X(SVG, "svg", 0, "FILE", CLI_ARGV,                                         \
      "plot the rate against the number of elements")                          \
    X(PRIVACY, "privacy", 0, "LEVEL", CLI_ARGV,                                \
      "for life, not with --fp-rate: own-node, default or strong")             \
    X(ADDRESSES, "addresses", 0, "N", CLI_ARGV,                                \
      "so many addresses are in use, everybody's (50000000)")                  \
    X(HTML, "html", 0, "FILE", CLI_ARGV,                                       \
      "write it to FILE too, as a page with plots")                            \
    X(FORMAT, "format", 0, "FORMAT", CLI_ARGV,                                 \
      "text (default), json, tap or junit")                                    \
    X(LIST, "list", 0, NULL, CLI_ARGV, "tell what there is, and run nothing")  \
    X(ONLY, "only", 0, "ID,...", CLI_ARGV | CLI_REPEATS,                       \
      "ids (of vectors kinds too), groups (limit), beginnings (limit.f*)")     \
    X(SEED, "seed", 0, "N", CLI_ARGV,                                          \
      "chance decides as it did with this seed")                               \
    X(SCENARIO, "scenario", 0, "NAME", CLI_ARGV | CLI_REPEATS,                 \
      "a node that behaves so; each one is a node more")                       \
    X(PAY, "pay", 0, "ADDRESS", CLI_ARGV | CLI_REPEATS,                        \
      "pay this address, not the known wallet; may be repeated")               \
    X(LISTEN, "listen", 0, "HOST:PORT", CLI_ARGV,                              \
      "where the first node listens (127.0.0.1:0, 0 is any port)")             \
    X(GENTLE, "gentle", 0, NULL, CLI_ARGV,                                     \
      "leave out what a node may ban for")                                     \
    X(MNEMONIC, "mnemonic", 0, NULL, CLI_SECRET, "")                           \
    X(PASSPHRASE, "passphrase", 0, NULL, CLI_SECRET, "")                       \
    X(PASSWORD, "password", 0, NULL, CLI_SECRET, "")                           \
    X(NEW_PASSWORD, "new-password", 0, NULL, CLI_SECRET, "")                   \
    X(PRIVATE_KEY, "private-key", 0, NULL, CLI_SECRET, "")                     \
    X(PROXY, "proxy", 0, "HOST:PORT", CLI_GLOBAL | CLI_LATER, "")              \
    X(QR, "qr", 0, NULL, CLI_LATER, "")

typedef enum cli_option {
#define X(id, name, letter, value, traits, help) CLI_##id,
    CLI_OPTION_MAP(X)
#undef X
        CLI_OPTION_COUNT
} cli_option;

/** A set of options, 64 bits, has none for those that no command would name:
 * in front what belongs to every command, behind what is refused. */
enum { CLI_SET_FIRST = CLI_CONNECT, CLI_SET_END = CLI_MNEMONIC };

/** The bit of an option in a set of options. */
#define CLI_BIT(id) (UINT64_C(1) << (CLI_##id - CLI_SET_FIRST))

typedef struct cli_option_spec {
    const char *name;
    char letter;
    const char *value;
    unsigned traits;
    const char *help;
} cli_option_spec;

/** The table's line of an option. Static. */
const cli_option_spec *cli_option_get(cli_option option);

/** The option called `name`; false if there is none. */
bool cli_option_find(cli_option *out, const char *name);

/** Whether it is in a set of options. */
bool cli_option_is_in(uint64_t set, cli_option option);

/** Whether help and nearest names may speak of it. */
bool cli_option_is_shown(cli_option option);

/** Where a value came from; later ones beat earlier ones. */
typedef enum cli_source {
    CLI_FROM_NOWHERE,
    CLI_FROM_FILE,
    CLI_FROM_SECTION, /* of the file, for this network */
    CLI_FROM_ENVIRONMENT,
    CLI_FROM_ARGV
} cli_source;

/** What an option was given; texts are owned. A switch has one: "1" or "0". */
typedef struct cli_value {
    cli_source source;
    char **texts;
    size_t n;
} cli_value;

typedef struct cli_values {
    cli_value of[CLI_OPTION_COUNT];
} cli_values;

/** Free everything. */
void cli_values_clear(cli_values *v);

/** Give an option a value, unless a stronger source already did. SPV_NOMEM. */
spv_err cli_values_set(cli_values *v, cli_option option, const char *text,
                       cli_source source);

/**
 * The same for what a person wrote as `name` in the environment or the file:
 * unknown names, secrets and bad switches are refused, lists taken apart.
 */
spv_err cli_values_set_named(cli_values *v, const char *name, const char *text,
                             cli_source source, spv_trouble *trouble);

/**
 * Read the command line. What is no option is an operand and goes, borrowed,
 * to `operands` (room for argc - 1).
 */
spv_err cli_values_parse(cli_values *v, int argc, char **argv,
                         const char **operands, size_t *n_operands,
                         spv_trouble *trouble);

/** The last value, or NULL. */
const char *cli_values_text(const cli_values *v, cli_option option);

/** Whether a switch is on. */
bool cli_values_on(const cli_values *v, cli_option option);

#endif
