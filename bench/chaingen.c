/*
 * chaingen: writes a regtest chain, and the truth about the wallet in it.
 *
 *   chaingen --blocks 5000 --txs 96000 --out chain.blk --truth truth.json
 *   bitcoind -regtest -loadblock=chain.blk ...
 *
 * The file has the form of bitcoind's own: magic, length, block. The truth has
 * the form of spvclient's answers to `balance`, `coins` and `history`.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/address.h>
#include <spv/network.h>

#include "support/chaingen.h"
#include "support/must.h"

typedef struct arguments {
    chaingen_options chain;
    const char *out;
    const char *truth;
} arguments;

/* ---- Options ---- */

typedef enum option_kind {
    OPTION_NUMBER,
    OPTION_TEXT,
    OPTION_TYPE
} option_kind;

/** One option and where its value goes. */
typedef struct option {
    const char *name;
    option_kind kind;
    void *to;
    size_t size; /* of a number */
    const char *help;
} option;

static bool number_store(const option *o, const char *text)
{
    char *end = NULL;
    uint64_t value = 0;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *text == '-' ||
        (o->size == 4 && value > INT32_MAX))
        return false;
    if (o->size == 4)
        *(uint32_t *)o->to = (uint32_t)value;
    else
        *(uint64_t *)o->to = value;
    return true;
}

static bool option_store(const option *o, const char *text)
{
    switch (o->kind) {
    case OPTION_NUMBER:
        return number_store(o, text);
    case OPTION_TEXT:
        *(const char **)o->to = text;
        return true;
    case OPTION_TYPE:
        return genwallet_type_find(o->to, text);
    }
    return false;
}

static int usage(const option *options, size_t n)
{
    (void)fprintf(stderr, "usage: chaingen [--OPTION VALUE]...\n");
    for (size_t i = 0; i < n; i++)
        (void)fprintf(stderr, "  --%-14s %s\n", options[i].name,
                      options[i].help);
    return 2;
}

#define NUMBER(field) OPTION_NUMBER, &a->chain.field, sizeof(a->chain.field)

/** 0, or the exit code. */
static int parse(arguments *a, int argc, char **argv)
{
    const option options[] = {
        {"out", OPTION_TEXT, &a->out, 0, "file for the blocks"},
        {"truth", OPTION_TEXT, &a->truth, 0, "file for the truth, in JSON"},
        {"blocks", NUMBER(blocks), "above the genesis block"},
        {"txs", NUMBER(txs), "transactions of strangers"},
        {"wallet-txs", NUMBER(wallet_txs), "transactions of the wallet"},
        {"wallet-blocks", NUMBER(wallet_blocks), "blocks that hold them"},
        {"burst", NUMBER(burst), "payments to new addresses in one block"},
        {"type", OPTION_TYPE, &a->chain.type, 0, "pkh, wpkh, sh-wpkh or tr"},
        {"mnemonic", OPTION_TEXT, &a->chain.mnemonic, 0,
         "the wallet's, without passphrase; a test secret, never a real one"},
        {"seed", NUMBER(seed), "of all that is random"},
        {"end-time", NUMBER(end_time), "of the last block, Unix seconds"},
        {"fork-at", NUMBER(fork_at), "height where another branch begins"},
        {"fork-seed", NUMBER(fork_seed), "of that branch"},
    };
    const size_t n = sizeof(options) / sizeof(options[0]);

    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;

        while (k < n && (strncmp(argv[i], "--", 2) != 0 ||
                         strcmp(argv[i] + 2, options[k].name) != 0))
            k++;
        if (k == n || i + 1 == argc || !option_store(&options[k], argv[i + 1]))
            return usage(options, n);
    }
    return a->out ? 0 : usage(options, n);
}

/* ---- The truth ---- */

static void print_hash(FILE *f, const char *key, const spv_hash *hash)
{
    char text[SPV_HASH_TEXT];

    spv_hash_format(text, hash);
    (void)fprintf(f, "\"%s\":\"%s\"", key, text);
}

static void print_coin(FILE *f, const genwallet_coin *c, int32_t tip)
{
    const spv_network *network = spv_network_get(SPV_REGTEST);
    int32_t depth = tip - c->height + 1;
    char address[SPV_ADDRESS_TEXT];

    MUST(spv_address_format(address, c->out.script, c->out.len, network) ==
         SPV_OK);
    (void)fputc('{', f);
    print_hash(f, "txid", &c->at.txid);
    (void)fprintf(f,
                  ",\"vout\":%" PRIu32 ",\"amount_sat\":%" PRId64
                  ",\"address\":\"%s\",\"script_pubkey\":\"",
                  c->at.vout, c->out.value, address);
    for (size_t i = 0; i < c->out.len; i++)
        (void)fprintf(f, "%02x", c->out.script[i]);
    (void)fprintf(f,
                  "\",\"height\":%" PRId32 ",\"confirmations\":%" PRId32
                  ",\"coinbase\":%s}",
                  c->height, depth, c->coinbase ? "true" : "false");
}

static void print_coins(FILE *f, const genwallet *w, int32_t tip)
{
    size_t n = 0;
    const genwallet_coin *coins = genwallet_coins(w, &n);
    const char *comma = "";

    (void)fprintf(f, "\"coins\":[");
    for (size_t i = 0; i < n; i++) {
        if (coins[i].spent)
            continue;
        (void)fprintf(f, "%s\n", comma);
        print_coin(f, &coins[i], tip);
        comma = ",";
    }
    (void)fprintf(f, "],\n");
}

static void print_history(FILE *f, genwallet *w)
{
    size_t n = 0;
    const genwallet_tx *txs = genwallet_history(w, &n);

    (void)fprintf(f, "\"history\":[");
    for (size_t i = 0; i < n; i++) {
        (void)fprintf(f, "%s\n{", i == 0 ? "" : ",");
        print_hash(f, "txid", &txs[i].txid);
        (void)fprintf(f, ",\"height\":%" PRId32 ",\"net_sat\":%" PRId64,
                      txs[i].height, txs[i].net);
        if (txs[i].fee < 0)
            (void)fprintf(f, ",\"fee_sat\":null}");
        else
            (void)fprintf(f, ",\"fee_sat\":%" PRId64 "}", txs[i].fee);
    }
    (void)fprintf(f, "]");
}

static void print_truth(FILE *f, chaingen *g, const chaingen_block *tip)
{
    genwallet *w = chaingen_wallet(g);

    (void)fprintf(f, "{\"height\":%" PRId32 ",", tip->height);
    print_hash(f, "block_hash", &tip->hash);
    if (w) {
        genwallet_balance b = genwallet_balance_at(w, tip->height);

        (void)fprintf(f,
                      ",\n\"balance\":{\"confirmed_sat\":%" PRId64
                      ",\"immature_sat\":%" PRId64 ",\"total_sat\":%" PRId64
                      "},\n",
                      b.confirmed, b.immature, b.confirmed + b.immature);
        print_coins(f, w, tip->height);
        print_history(f, w);
    }
    (void)fprintf(f, "}\n");
}

/* ---- The chain ---- */

/** The transaction in the genesis block of every network. */
static const uint8_t genesis_tx[] = {
    0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0xff, 0xff, 0xff, 0xff, 0x4d, 0x04, 0xff, 0xff, 0x00, 0x1d, 0x01,
    0x04, 0x45, 0x54, 0x68, 0x65, 0x20, 0x54, 0x69, 0x6d, 0x65, 0x73, 0x20,
    0x30, 0x33, 0x2f, 0x4a, 0x61, 0x6e, 0x2f, 0x32, 0x30, 0x30, 0x39, 0x20,
    0x43, 0x68, 0x61, 0x6e, 0x63, 0x65, 0x6c, 0x6c, 0x6f, 0x72, 0x20, 0x6f,
    0x6e, 0x20, 0x62, 0x72, 0x69, 0x6e, 0x6b, 0x20, 0x6f, 0x66, 0x20, 0x73,
    0x65, 0x63, 0x6f, 0x6e, 0x64, 0x20, 0x62, 0x61, 0x69, 0x6c, 0x6f, 0x75,
    0x74, 0x20, 0x66, 0x6f, 0x72, 0x20, 0x62, 0x61, 0x6e, 0x6b, 0x73, 0xff,
    0xff, 0xff, 0xff, 0x01, 0x00, 0xf2, 0x05, 0x2a, 0x01, 0x00, 0x00, 0x00,
    0x43, 0x41, 0x04, 0x67, 0x8a, 0xfd, 0xb0, 0xfe, 0x55, 0x48, 0x27, 0x19,
    0x67, 0xf1, 0xa6, 0x71, 0x30, 0xb7, 0x10, 0x5c, 0xd6, 0xa8, 0x28, 0xe0,
    0x39, 0x09, 0xa6, 0x79, 0x62, 0xe0, 0xea, 0x1f, 0x61, 0xde, 0xb6, 0x49,
    0xf6, 0xbc, 0x3f, 0x4c, 0xef, 0x38, 0xc4, 0xf3, 0x55, 0x04, 0xe5, 0x1e,
    0xc1, 0x12, 0xde, 0x5c, 0x38, 0x4d, 0xf7, 0xba, 0x0b, 0x8d, 0x57, 0x8a,
    0x4c, 0x70, 0x2b, 0x6b, 0xf1, 0x1d, 0x5f, 0xac, 0x00, 0x00, 0x00, 0x00};

static void write_block_head(FILE *f, size_t len)
{
    uint8_t head[8];

    memcpy(head, spv_network_get(SPV_REGTEST)->magic, 4);
    for (size_t i = 0; i < 4; i++)
        head[4 + i] = (uint8_t)(len >> (8 * i));
    (void)fwrite(head, 1, sizeof(head), f);
}

/* A node that imports a file begins its chain when it meets this block. */
static void write_genesis(FILE *f)
{
    const spv_network *network = spv_network_get(SPV_REGTEST);

    write_block_head(f, sizeof(network->genesis) + 1 + sizeof(genesis_tx));
    (void)fwrite(network->genesis, 1, sizeof(network->genesis), f);
    (void)fputc(1, f); /* one transaction */
    (void)fwrite(genesis_tx, 1, sizeof(genesis_tx), f);
}

/** Close a file; false when anything written to it was lost. */
static bool finish(FILE *f, const char *name)
{
    bool lost = ferror(f) != 0;

    lost |= fclose(f) != 0;
    if (lost)
        (void)fprintf(stderr, "chaingen: cannot write %s\n", name);
    return !lost;
}

static FILE *begin(const char *name)
{
    FILE *f = fopen(name, "wb");

    if (!f)
        (void)fprintf(stderr, "chaingen: %s: %s\n", name, strerror(errno));
    return f;
}

static bool write_all(const arguments *a, chaingen *g)
{
    chaingen_block block = {0};
    FILE *f = begin(a->out);

    if (!f)
        return false;
    write_genesis(f);
    while (chaingen_next(g, &block)) {
        write_block_head(f, block.len);
        (void)fwrite(block.bytes, 1, block.len, f);
    }
    if (!finish(f, a->out))
        return false;
    if (!a->truth)
        return true;
    f = begin(a->truth);
    if (!f)
        return false;
    print_truth(f, g, &block);
    return finish(f, a->truth);
}

int main(int argc, char **argv)
{
    arguments a = {.chain = chaingen_defaults()};
    int code = parse(&a, argc, argv);
    chaingen *g = NULL;

    if (code != 0)
        return code;
    g = chaingen_new(&a.chain);
    code = write_all(&a, g) ? 0 : 1;
    chaingen_free(g);
    return code;
}
