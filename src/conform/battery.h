#ifndef SPV_CONFORM_BATTERY_H
#define SPV_CONFORM_BATTERY_H

#include <spv/conform.h>

#include "conform/checks.h"
#include "conform/exchange.h"
#include "conform/scene.h"
#include "conform/survey.h"

/*
 * The battery's insides: the survey, then players, each of which plays one
 * dialogue at a time on a connection of its own.
 */
enum {
    SPV__PLAYERS = 4,
    SPV__CLOSING_MAX = 64,
    SPV__STEP_MS = 20000,  /* without any progress in one dialogue */
    SPV__TURN_MS = 200000, /* for one answer, however it trickles */
    SPV__LATE_MS = 500,    /* for what should have come before the pong */
    SPV__REFUSALS_MAX = 3  /* connections in a row, then it is given up */
};

/** Why nothing that needs a block is tried at all. */
#define SPV__NO_CHAIN "the node shows no block beyond the first"

typedef struct spv_player {
    spv_session session;
    spv_dialogue dialogue;
    spv_hearing hearing;
    spv_rng rng;
    size_t check; /**< number among the results */
    bool busy;
    bool waits; /**< for the session to be ready, to begin the turn */
    size_t turn;
    const char *note; /**< static: what is worth telling though all is well */
    spv_time due;     /**< when it is given up, if nothing comes until then */
    spv_patience patience;
} spv_player;

typedef enum spv_battery_phase {
    SPV_BATTERY_RESOLVING,
    SPV_BATTERY_SURVEYING,
    SPV_BATTERY_PLAYING,
    SPV_BATTERY_OVER
} spv_battery_phase;

struct spv_conform {
    const spv_network *network;
    uint64_t seed;
    bool gentle;
    int64_t unix_time;
    spv_time timeout; /**< for all of it, milliseconds */
    char host[256];   /**< a name to be looked up, or empty */
    spv_netaddr addr;
    spv_battery_phase phase;
    spv_time now;
    spv_time due; /**< of the survey; 0 before the first input */
    spv_time end; /**< of all */
    spv_conn names;
    spv_conn lookup; /**< asked for; 0: not yet */
    spv_rng rng;
    spv_session first;     /**< the survey's */
    spv_patience patience; /**< with the survey's next message */
    spv_survey survey;
    spv_conform_node node;
    spv_player players[SPV__PLAYERS];
    spv_scene scene;
    size_t refusals;           /**< connections in a row that were not opened */
    bool refused;              /**< for good */
    spv_conform_check *checks; /**< owned */
    char **details;            /**< owned: their details that are not empty */
    spv_exchange *exchanges;   /**< owned: of those that failed */
    const spv_check **rows;    /**< owned: what each of them is */
    size_t n_checks;
    size_t n_done;
    void (*progress)(void *ctx, size_t done, size_t total);
    void *progress_ctx;
    bool alone; /**< it is the turn of those that are played alone */
    spv_conn closing[SPV__CLOSING_MAX];
    size_t n_closing;
    spv_buf sending;
    bool told; /**< DONE */
    spv_err outcome;
    char why[200];
};

/** It ends here: `why` is a sentence, or NULL. */
void spv__battery_end(spv_conform *b, spv_err outcome, const char *why);

/** Begin a session to the node under a new name; what it was before is hung
 * up. */
void spv__battery_connect(spv_conform *b, spv_session *s, bool relay);

/** Close a session from our side, if it is open. */
void spv__battery_hang_up(spv_conform *b, spv_session *s);

/** Set a result; `detail` is copied up to its end, and may be NULL. */
void spv__battery_result(spv_conform *b, size_t check,
                         spv_conform_result result, const char *detail);

/** Let the players go on, as far as they can. */
void spv__players_work(spv_conform *b);

/** Something ended a player's connection. */
void spv__player_closed(spv_conform *b, spv_player *p);

/** When the first player is to be given up; SPV_NEVER. */
spv_time spv__players_deadline(const spv_conform *b);

void spv__player_clear(spv_player *p);

#endif
