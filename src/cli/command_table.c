#include "cli/commands.h"

/* The table of commands, in the order of the help. */

enum { ANY = 100000 }; /* operands */

#define SECRETS                                         \
    (CLI_BIT(MNEMONIC_STDIN) | CLI_BIT(MNEMONIC_FILE) | \
     CLI_BIT(PASSPHRASE_STDIN) | CLI_BIT(PASSPHRASE_FILE))
#define PASSWORD (CLI_BIT(PASSWORD_STDIN) | CLI_BIT(PASSWORD_FILE))
#define HIDES    (CLI_BIT(PRIVACY) | CLI_BIT(FP_RATE) | CLI_BIT(FLAGS))
#define LINES    (CLI_BIT(TEXT) | CLI_BIT(ADDRESS))
#define SAVES    (CLI_BIT(OUT) | CLI_BIT(FORCE))

#define ABOUT_SECRETS                                                         \
    "Mnemonic and passphrase are asked for on the terminal, unseen, or read " \
    "from standard input or a file; they are never arguments."
#define ABOUT_ELEMENTS                                                   \
    "Elements are hex, or TXID:VOUT for an outpoint; with --text whole " \
    "lines, with --address addresses."
#define ABOUT_FILTER                                                      \
    "FILTER is a saved filter's file; or a filterload payload in hex, a " \
    "file that holds one (hex or bytes; write ./NAME if a name could be " \
    "hex), or - for standard input."
#define ABOUT_LINES " Without ELEMENT they are the lines of standard input. "
#define ABOUT_INPUT                                                        \
    "HEX may also be the name of a file that holds it (hex or bytes), or " \
    "-. Without it standard input is read."

const cli_command cli_commands[] = {
    {.noun = "wallet",
     .verb = "create",
     .run = cli_wallet_create,
     .show = cli_wallet_create_text,
     .options = CLI_BIT(TYPE) | CLI_BIT(WORDS) | CLI_BIT(GAP) |
                CLI_BIT(ACCOUNT) | CLI_BIT(PASSPHRASE_STDIN) |
                CLI_BIT(PASSPHRASE_FILE) | HIDES,
     .help = "make a wallet with a new mnemonic, which is shown",
     .more =
         "The mnemonic is all that is needed to get the coins back: write it "
         "down. With a passphrase both are needed: without it the mnemonic makes "
         "another wallet."},
    {.noun = "wallet",
     .verb = "restore",
     .run = cli_wallet_restore,
     .show = cli_wallet_show_text,
     .options = CLI_BIT(TYPE) | CLI_BIT(BIRTHDAY) | CLI_BIT(GAP) |
                CLI_BIT(ACCOUNT) | SECRETS | HIDES,
     .help = "make a wallet from a mnemonic",
     .more = ABOUT_SECRETS},
    {.noun = "wallet",
     .verb = "watch",
     .args = "DESCRIPTOR|XPUB|ADDRESS...",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_wallet_watch,
     .show = cli_wallet_show_text,
     .options = CLI_BIT(BIRTHDAY) | CLI_BIT(GAP) | HIDES,
     .help = "make a wallet that watches and cannot spend",
     .more =
         "Descriptors are those of BIP 380, with <0;1> (BIP 389) and checksums; - "
         "reads them from standard input, one a line. A bare xpub or tpub is taken "
         "as pkh (BIP 44), ypub or upub as sh-wpkh (BIP 49), zpub or vpub as wpkh "
         "(BIP 84), with receiving and change addresses."},
    {.noun = "wallet",
     .verb = "list",
     .alias = "wallets",
     .run = cli_wallet_list,
     .show = cli_wallet_list_text,
     .help = "name the wallets of this network"},
    {.noun = "wallet",
     .verb = "show",
     .run = cli_wallet_show,
     .show = cli_wallet_show_text,
     .help = "what a wallet is: type, birthday, descriptors"},
    {.noun = "wallet",
     .verb = "encrypt",
     .run = cli_wallet_encrypt,
     .show = cli_wallet_encrypt_text,
     .options =
         PASSWORD | CLI_BIT(NEW_PASSWORD_STDIN) | CLI_BIT(NEW_PASSWORD_FILE),
     .help = "encrypt what can spend, or change the password",
     .more =
         "Only 'wallet backup' needs the password: all else goes on as before. "
         "Without it and without the mnemonic the coins are lost. It is asked for "
         "on the terminal, twice, or read from standard input or a file. It is not "
         "BIP 39's passphrase, which decides which addresses there are."},
    {.noun = "wallet",
     .verb = "backup",
     .run = cli_wallet_backup,
     .show = cli_wallet_backup_text,
     .options = PASSWORD,
     .help = "show the mnemonic and what else makes the wallet again",
     .more = "An encrypted wallet needs its password: exit code 4 if it is "
             "wrong, 10 if the file is damaged."},
    {.noun = "wallet",
     .verb = "rescan",
     .run = cli_wallet_rescan,
     .show = cli_wallet_rescan_text,
     .options = CLI_BIT(FROM) | CLI_BIT(GAP),
     .help = "look through old blocks again at the next sync",
     .more =
         "Nothing that was found is forgotten. A larger --gap finds coins beyond "
         "a stretch of unused addresses."},
    {.noun = "address",
     .verb = "new",
     .run = cli_address_new,
     .show = cli_address_text,
     .options = CLI_BIT(CHANGE),
     .help = "an address that was not given out before"},
    {.noun = "address",
     .verb = "list",
     .alias = "addresses",
     .run = cli_address_list,
     .show = cli_address_list_text,
     .help = "the addresses used or given out"},
    {.noun = "address",
     .run = cli_address_next,
     .show = cli_address_text,
     .options = CLI_BIT(CHANGE),
     .help = "the next unused address",
     .more =
         "It stays the same until it is used, or 'address new' gives out another."},
    {.noun = "sync",
     .run = cli_sync,
     .show = cli_sync_text,
     .options = CLI_BIT(UNTIL) | CLI_BIT(TIMEOUT),
     .help = "bring the wallet up to the tip of the chain",
     .more =
         "The nodes named with --connect are asked, and no others. Without it nodes are "
         "found: those that served before, those that DNS seeds know, and those that "
         "other nodes tell of. A progress line shows on a "
         "terminal. Interrupted, it goes on where it was."},
    {.noun = "watch",
     .run = cli_watch,
     .options = CLI_BIT(UNTIL) | CLI_BIT(TIMEOUT),
     .help = "stay connected and tell what happens, a line for each event",
     .more =
         "Each line is a JSON object, with or without --json. Payments are told "
         "before they are in a block. It ends at an interrupt, in good order and "
         "with exit code 0; or at --until and --timeout; or when no node is left "
         "that could serve."},
    {.noun = "peers",
     .verb = "list",
     .run = cli_peers_list,
     .show = cli_peers_text,
     .help = "the nodes that are known on this network",
     .more =
         "Those that served last come first. All wallets of a network share them."},
    {.noun = "peers",
     .verb = "add",
     .args = "HOST[:PORT]...",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_peers_add,
     .show = cli_peers_text,
     .help = "know one more node",
     .more =
         "HOST is numeric. It is tried before nodes that others tell of; to ask "
         "this one and no other is what --connect is for."},
    {.noun = "peers",
     .verb = "ban",
     .args = "HOST...",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_peers_ban,
     .show = cli_peers_text,
     .help = "connect to nothing at this host for a year",
     .more =
         "Whatever the port. A node that lies is banned for a day by itself. One that "
         "--connect names is asked all the same."},
    {.noun = "peers",
     .verb = "unban",
     .args = "HOST...",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_peers_unban,
     .show = cli_peers_text,
     .help = "lift a ban"},
    {.noun = "balance",
     .run = cli_balance,
     .show = cli_balance_text,
     .help = "how much is in the wallet",
     .more =
         "Unconfirmed are transactions that 'watch' heard of, and those that a "
         "reorganisation took out of their block."},
    {.noun = "coins",
     .run = cli_coins,
     .show = cli_coins_text,
     .help = "the unspent outputs, oldest first"},
    {.noun = "history",
     .run = cli_history,
     .show = cli_history_text,
     .help = "the transactions, newest last"},
    {.noun = "tx",
     .verb = "show",
     .args = "TXID",
     .least_args = 1,
     .most_args = 1,
     .run = cli_tx_show,
     .show = cli_tx_text,
     .help = "one transaction of the wallet"},
    {.noun = "filter",
     .verb = "size",
     .run = cli_filter_size,
     .show = cli_filter_size_text,
     .options =
         CLI_BIT(ELEMENTS) | CLI_BIT(FP_RATE) | CLI_BIT(SVG) | CLI_BIT(FORCE),
     .help = "how large a filter is for so many elements",
     .more =
         "Without --elements, or with lists (10,200) or ranges (1000..1000000) of "
         "either, it is a table."},
    {.noun = "filter",
     .verb = "build",
     .run = cli_filter_build,
     .show = cli_filter_hex_text,
     .options = CLI_BIT(ELEMENTS) | CLI_BIT(FP_RATE) | CLI_BIT(TWEAK) |
                CLI_BIT(FLAGS) | CLI_BIT(KIND) | CLI_BIT(HASHING) | SAVES |
                LINES,
     .help = "make a filter of the lines on standard input",
     .more =
         "It is a filterload payload, or with --out a saved filter of any size. "
         "Without --elements it is sized for the lines, which are held in memory "
         "until they are counted. " ABOUT_ELEMENTS},
    {.noun = "filter",
     .verb = "add",
     .args = "FILTER [ELEMENT...]",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_filter_add,
     .show = cli_filter_hex_text,
     .options = SAVES | LINES,
     .help = "add elements to a filter",
     .more =
         "The new payload is printed; a saved filter is replaced, or --out leaves it "
         "as it is. " ABOUT_FILTER ABOUT_LINES ABOUT_ELEMENTS},
    {.noun = "filter",
     .verb = "remove",
     .args = "FILTER [ELEMENT...]",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_filter_remove,
     .show = cli_filter_hex_text,
     .options = SAVES | LINES,
     .help = "take elements out of a counting or cuckoo filter",
     .more =
         "Only what was added: what merely seems to be in takes others out." ABOUT_LINES
             ABOUT_ELEMENTS},
    {.noun = "filter",
     .verb = "test",
     .args = "FILTER [ELEMENT...]",
     .least_args = 1,
     .most_args = ANY,
     .run = cli_filter_test,
     .show = cli_filter_test_text,
     .options = LINES | CLI_BIT(INVERT) | CLI_BIT(NO_VERIFY),
     .help = "print the elements that may be in it",
     .more = ABOUT_FILTER ABOUT_LINES ABOUT_ELEMENTS},
    {.noun = "filter",
     .verb = "merge",
     .args = "FILTER FILTER...",
     .least_args = 2,
     .most_args = ANY,
     .run = cli_filter_merge,
     .show = cli_filter_hex_text,
     .options = SAVES | CLI_BIT(NO_VERIFY),
     .help = "make one filter of several that are alike",
     .more =
         "It contains what any of them does. They need the same kind, size, hash "
         "functions and tweak."},
    {.noun = "filter",
     .verb = "show",
     .args = "[FILTER]",
     .most_args = 1,
     .run = cli_filter_show,
     .show = cli_filter_show_text,
     .options = CLI_BIT(FP_RATE) | CLI_BIT(NO_VERIFY),
     .help = "a filter in numbers",
     .more =
         "Also how many more elements take it to --fp-rate; without it, to half "
         "full. " ABOUT_FILTER},
    {.noun = "filter",
     .verb = "wallet",
     .run = cli_filter_wallet,
     .show = cli_filter_hex_text,
     .help = "the filterload payload that the wallet's next sync sends",
     .more =
         "It holds decoys too, so that a small wallet's looks like a large one's."},
    {.noun = "privacy",
     .run = cli_privacy,
     .show = cli_privacy_text,
     .options = CLI_BIT(ADDRESSES) | CLI_BIT(HTML) | CLI_BIT(FORCE),
     .help = "what the present filter gives away, in numbers",
     .more =
         "Also what two filters would reveal together, and what other clients' "
         "habits would have."},
    {.noun = "decode",
     .verb = "tx",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_decode_tx,
     .help = "take a transaction apart",
     .more = ABOUT_INPUT},
    {.noun = "decode",
     .verb = "block",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_decode_block,
     .help = "take a block apart",
     .more = ABOUT_INPUT},
    {.noun = "decode",
     .verb = "header",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_decode_header,
     .help = "take a block header apart",
     .more = ABOUT_INPUT},
    {.noun = "decode",
     .verb = "merkleblock",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_decode_merkleblock,
     .help = "take a merkleblock message apart, believing nothing",
     .more = ABOUT_INPUT},
    {.noun = "decode",
     .verb = "filterload",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_decode_filterload,
     .help = "take a filterload message apart",
     .more = ABOUT_INPUT},
    {.noun = "decode",
     .verb = "script",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_decode_script,
     .help = "what a script says and whom it pays",
     .more = ABOUT_INPUT},
    {.noun = "decode",
     .verb = "address",
     .args = "[ADDRESS]",
     .most_args = 1,
     .run = cli_decode_address,
     .help = "the script and filter element of an address",
     .more = "Without ADDRESS a line of standard input is read."},
    {.noun = "decode",
     .verb = "descriptor",
     .args = "[DESCRIPTOR]",
     .most_args = 1,
     .run = cli_decode_descriptor,
     .help = "check a descriptor; its public form and first addresses",
     .more =
         "Without DESCRIPTOR a line of standard input is read. One with a private "
         "key is only taken from there."},
    {.noun = "proof",
     .verb = "verify",
     .args = "[HEX]",
     .most_args = 1,
     .run = cli_proof_verify,
     .show = cli_proof_text,
     .help = "check a merkleblock and list what it proves",
     .more =
         "Proof of work and merkle tree are checked. That the block is in the best "
         "chain is for you to know. " ABOUT_INPUT},
    {.noun = "conform",
     .needs = "--connect HOST[:PORT]",
     .run = cli_conform,
     .show = cli_conform_text,
     .options = CLI_BIT(CONNECT) | CLI_BIT(RPC) | CLI_BIT(RPC_COOKIE) |
                CLI_BIT(JSON) | CLI_BIT(VERBOSE) | CLI_BIT(FORMAT) |
                CLI_BIT(LIST) | CLI_BIT(ONLY) | CLI_BIT(SEED) |
                CLI_BIT(GENTLE) | CLI_BIT(TIMEOUT),
     .help = "does a node speak BIP 37 rightly?",
     .more =
         "The node named with --connect is asked for whole blocks; what it must "
         "answer to filters is worked out here and compared byte for byte. Exit "
         "code 1 when a check fails that a BIP demands, 5 when the node offers no "
         "NODE_BLOOM, 6 when time ran out or nothing could be tested. For example: "
         "spvclient conform --connect 127.0.0.1:8333 --only match,proof"},
    {.noun = "conform",
     .verb = "serve",
     .run = cli_conform_serve,
     .show = cli_conform_serve_text,
     .options = CLI_BIT(SCENARIO) | CLI_BIT(PAY) | CLI_BIT(LISTEN) |
                CLI_BIT(SEED) | CLI_BIT(LIST) | CLI_BIT(TIMEOUT),
     .help = "scripted nodes, for SPV clients to sync against",
     .more =
         "Each --scenario is a node that serves one regtest chain, honestly or with "
         "the one lie that it names (--list tells them); an honest one beside a liar "
         "shows whether a client finds the truth elsewhere. Where they listen and "
         "what a right client ends with is told first; what the client did, and "
         "whether that was right, when it has left. What a wallet makes of it cannot be "
         "seen from outside: compare it with the truth that was told. --seed names "
         "the chain (1), and --timeout the seconds until the end, whether a client "
         "is there or not (none). Exit code 1 when the client was not right, 6 when "
         "that was not put to the test, or none came in time. "
         "docs/conform-serve.md tells more."},
    {.noun = "conform",
     .verb = "vectors",
     .args = "[PATH...]",
     .most_args = ANY,
     .run = cli_conform_vectors,
     .show = cli_conform_vectors_text,
     .options = CLI_BIT(LIST) | CLI_BIT(ONLY),
     .help = "run test vectors through this implementation",
     .more =
         "PATH is a file of vectors, a folder of them, or - for standard input. A "
         "line tells of each that fails; with --verbose also of each that passes. "
         "--only takes kinds too, --list lists them. Exit code 1 when any fails. docs/vectors.md describes the format."},
    {.noun = NULL},
};
