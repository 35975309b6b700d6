#ifndef SIM_USER_H
#define SIM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/client.h>

#include "wire/seeds.h"

#include "support/genwallet.h"
#include "support/sim.h"

/*
 * Somebody with a wallet in a simulated world, who syncs, has the machine die
 * under their hands, and syncs again.
 *
 * On disk a kill leaves what was committed, and the wallet is opened anew; a
 * backup is what a copy of the folder had at some earlier time. In memory a
 * kill means that the run is broken off and another begins.
 */
enum { USER_LINES = 16, USER_PATH = 200 };

typedef struct user {
    spv_client *client;
    spv_sync_options options; /* of the next run */
    const spv_seeds *seeds;   /* where peers are found; NULL: the network's */
    char peer[SPV_PEERS_MAX][32];
    const char *connect[SPV_PEERS_MAX];
    char folder[USER_PATH];     /* "": in memory */
    char backup[USER_PATH];     /* "": none was made */
    bool restore;               /* the next restart is from the backup */
    char line[USER_LINES][200]; /* the last warnings */
    size_t n_lines;             /* ever */
} user;

/** A wallet of the generator's seed words; `gap` 0: the usual. */
spv_wallet_spec user_spec(const char *type, uint32_t gap);

/** Make the wallet, in memory or in a temporary folder. It will connect to
 * nodes 0 to `n_peers` - 1. */
void user_begin(user *u, const spv_wallet_spec *spec, bool on_disk,
                size_t n_peers, uint64_t seed);
void user_end(user *u);

/** Drive the client in `s`, from the beginning of a run. */
void user_sync(user *u, sim *s);

/** To be given to sim_kill_at, with the user as `arg`. */
void *user_restart(void *arg, void *self);

/** The machine dies: what was committed is there, and there is no client. */
void user_die(user *u);

/** Open the wallet again. */
spv_err user_open(user *u, spv_trouble *trouble);

/** The path of a file of the wallet's network: "wallets/sim.sqlite". */
void user_file(char out[USER_PATH], const user *u, const char *name);

/** Copy the folder as it is now; and put the copy back, with no client. */
void user_back_up(user *u);
void user_go_back(user *u);

/** Whether a warning that was heard contains `text`. */
bool user_was_told(const user *u, const char *text);

/** A warning that only a lying or broken peer deserves, and that is of none
 * before number `from`; NULL if none was heard. */
const char *user_accusation(const user *u, size_t from);

#endif
