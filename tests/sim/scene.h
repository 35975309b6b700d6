#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include "sim/truth.h"
#include "sim/user.h"
#include "support/chaingen.h"

/*
 * A small world for a scenario: a chain and the book of who saw all of it, a
 * few scripted nodes on it, and a user with a wallet.
 */
enum { BLOCKS = 300, NODES_MAX = 8, LONG = 3600000 };

static const sim_link near_by = {.latency = 20, .jitter = 5};
static const sim_link at_hand = {.latency = 1};
static const sim_link nobody = {.latency = 20, .refuses = true};

/** A chain, and the book of who saw all of it. */
typedef struct history {
    chaingen *maker;
    spv_script_chain *chain;
} history;

history history_of(const chaingen_options *o, int32_t tip);
void history_free(history *h);

/** Whoever is on it has no more of its last block than the header. */
void history_withhold(history *h);

/** The chain that most scenes play on: of a group's tests. */
extern history usual;

int make_usual(void **state);
int drop_usual(void **state);

typedef struct scene {
    sim *s;
    spv_script_node *node[NODES_MAX];
    size_t n_nodes;
    user user;
} scene;

void scene_begin(scene *sc);
void scene_end(scene *sc);

/** A node with habits of its own; taken over. */
void scene_adopt(scene *sc, spv_script_node *node, sim_link link);

spv_script_node *scene_add(scene *sc, const spv_script_chain *chain,
                           int32_t tip, const char *habit, sim_link link);

/** One more node on the usual chain. */
spv_script_node *scene_peer(scene *sc, const char *habit);

/** The usual wallet, which connects to every node there is. */
void scene_wallet(scene *sc, bool on_disk);

/** One run to its end; it must have one. */
spv_err scene_sync(scene *sc);

void assert_true_history(const scene *sc, const history *h);

/** A run that ends at the tip of `h`, and with what the book knows. */
void assert_synced(scene *sc, const history *h);

size_t heard(const scene *sc, size_t node, spv_message_kind kind);
size_t connects(const scene *sc);

#endif
