/*
 * How long a start takes with many headers: from the file into the tree; and
 * how much memory a chain as long as the main network's needs.
 *
 * Prints one JSON line each; the yardstick of the first is hashing the same
 * headers once, which no loader that trusts nothing can do without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <spv/network.h>

#include "chain/tree.h"
#include "store/chaindb.h"

enum { HEADERS = 100000, MANY = 900000, BATCH = 2000 };

static double now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Regtest's target is easy: every second nonce does. */
static void mine(uint8_t *header, const uint8_t *parent,
                 const spv_network *network, uint32_t time)
{
    spv_header h;
    spv_hash prev;
    spv_hash hash;

    spv_header_hash(&prev, parent);
    h = (spv_header){.version = 4,
                     .prev = prev,
                     .time = time,
                     .bits = network->pow_limit_bits};
    do {
        h.nonce++;
        spv_header_encode(header, &h);
        spv_header_hash(&hash, header);
    } while (!spv_pow_check(&hash, h.bits, network));
}

static uint8_t *mine_all(const spv_network *network)
{
    uint8_t *all = malloc((size_t)(HEADERS + 1) * SPV_HEADER_LEN);

    if (!all)
        abort();
    memcpy(all, network->genesis, SPV_HEADER_LEN);
    for (size_t i = 1; i <= HEADERS; i++)
        mine(all + i * SPV_HEADER_LEN, all + (i - 1) * SPV_HEADER_LEN, network,
             1400000000u + (uint32_t)i * 600);
    return all;
}

static spv_err store(const char *path, const uint8_t *all)
{
    spv_db *db = NULL;
    spv_path moved;
    spv_err err = spv__chaindb_open(&db, path, &moved, NULL);

    for (int32_t h = 0; h <= HEADERS && err == SPV_OK; h += BATCH) {
        int32_t n = HEADERS + 1 - h < BATCH ? HEADERS + 1 - h : BATCH;

        err = spv__chaindb_put_headers(db, h, all + (size_t)h * SPV_HEADER_LEN,
                                       (size_t)n);
    }
    spv__db_free(db);
    return err;
}

static spv_err load_one(void *ctx, const spv_row_header *row)
{
    spv_verdict verdict = SPV_VERDICT_ADDED;

    if (row->height > 0)
        verdict = spv__tree_load(ctx, row->bytes);
    return verdict == SPV_VERDICT_ADDED ? SPV_OK : SPV_DAMAGED;
}

static double load(const char *path, const spv_network *network)
{
    double began = now_s();
    spv_tree_config config = {.network = network};
    spv_header_tree *tree = NULL;
    spv_db *db = NULL;
    spv_path moved;

    if (spv__tree_new(&tree, &config) != SPV_OK ||
        spv__chaindb_open(&db, path, &moved, NULL) != SPV_OK ||
        spv__chaindb_each_header(db, load_one, tree) != SPV_OK ||
        spv__tree_tip(tree).height != HEADERS)
        abort();
    spv__db_free(db);
    spv__tree_free(tree);
    return now_s() - began;
}

static double hash_all(const uint8_t *all)
{
    double began = now_s();
    spv_hash hash;

    for (size_t i = 0; i <= HEADERS; i++)
        spv_header_hash(&hash, all + i * SPV_HEADER_LEN);
    return now_s() - began;
}

/* In a process that has done nothing else yet. */
static void print_resident(const spv_network *network)
{
    spv_tree_config config = {.network = network};
    spv_header_tree *tree = NULL;
    spv_tree_change change;
    uint8_t header[SPV_HEADER_LEN];
    struct rusage used;

    if (spv__tree_new(&tree, &config) != SPV_OK)
        abort();
    memcpy(header, network->genesis, SPV_HEADER_LEN);
    for (uint32_t i = 1; i <= MANY; i++) {
        mine(header, header, network, 1400000000u + i * 60);
        if (spv__tree_add(tree, header, 2000000000, &change) !=
            SPV_VERDICT_ADDED)
            abort();
    }
    (void)getrusage(RUSAGE_SELF, &used);
    printf("{\"bench\":\"headers-resident\",\"headers\":%d,\"tree_mb\":%.1f,"
           "\"resident_mb\":%.1f}\n",
           MANY, (double)spv__tree_bytes(tree) / 1e6,
           (double)used.ru_maxrss * 1024 / 1e6);
    spv__tree_free(tree);
}

int main(void)
{
    const spv_network *regtest = spv_network_get(SPV_REGTEST);
    char folder[] = "/tmp/bench_headers.XXXXXX";
    char path[64];
    uint8_t *all = NULL;
    double best = 1e9;
    double hashing = 0;

    print_resident(regtest);
    all = mine_all(regtest);
    hashing = hash_all(all);
    if (!mkdtemp(folder))
        return EXIT_FAILURE;
    (void)snprintf(path, sizeof(path), "%s/chain.sqlite", folder);
    if (store(path, all) != SPV_OK)
        return EXIT_FAILURE;
    for (int round = 0; round < 5; round++) {
        double took = load(path, regtest);

        best = took < best ? took : best;
    }
    printf("{\"bench\":\"headers-load\",\"headers\":%d,\"load_s\":%.3f,"
           "\"hashing_s\":%.3f,\"ratio\":%.2f}\n",
           HEADERS, best, hashing, best / hashing);
    (void)unlink(path);
    (void)rmdir(folder);
    free(all);
    return EXIT_SUCCESS;
}
