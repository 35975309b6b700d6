#ifndef SPV_CONFORM_MATERIAL_H
#define SPV_CONFORM_MATERIAL_H

#include <spv/material.h>

#include "base/rng.h"
#include "conform/draft.h"
#include "conform/mint.h"
#include "conform/shapes.h"

enum {
    SPV__PURSE_COINS = 400,   /* more than the largest block has transactions */
    SPV__POLICY_COINS = 12,   /* each for two transactions that wait */
    SPV__COINBASES_SPENT = 5, /* four for the purse, one for those */
    SPV__POLICY_COIN_MIN = 100000
};

/** Money that anyone can spend: the longest unspent comes first. */
typedef struct spv_purse {
    spv_coin coins[SPV__PURSE_COINS];
    size_t first;
    size_t n;
} spv_purse;

/** An output of some shape, to be spent. */
typedef struct spv_paid {
    spv_shape shape;
    spv_coin coin;
} spv_paid;

struct spv_material {
    spv_rng rng;
    spv_err err; /* the first failure; nothing is made after it */
    spv_purse purse;
    spv_mint mint;   /* the block being made */
    spv_draft draft; /* the transaction being made */
    spv_shape shape; /* the output being made */
    spv_paid *paid;  /* the latest output of each kind of shape */
    spv_minted *blocks;
    size_t n_blocks; /* made so far */
    size_t total;
    spv_coin policy[SPV__POLICY_COINS];
    spv_buf txs[2 * SPV__POLICY_COINS];
    size_t n_txs;
};

/** A kind of block: how it is filled; `n` is for it to understand. */
typedef struct spv_filling {
    void (*fill)(spv_material *m, size_t n);
    size_t n;
} spv_filling;

/** The blocks that show every shape, in order. */
extern const spv_filling spv__material_plan[];
extern const size_t spv__material_plan_n;

/* Steps of a transaction --------------------------------------------------- */

/** Begin one that spends a coin of the purse; its value. */
int64_t spv__material_begin(spv_material *m);

/** Add an output. */
void spv__material_pay(spv_material *m, int64_t value, const spv_buf *script);

/** Add an output to nobody, of kind `n` (see spv__shape_nobody). */
void spv__material_pay_nobody(spv_material *m, int64_t value, size_t n);

/** Put the transaction into the block; its txid. */
spv_hash spv__material_include(spv_material *m);

/** The same with one output more, which anyone can spend and which goes into
 * the purse. What is left but for a fee is its value. */
spv_hash spv__material_include_change(spv_material *m);

/** Fill a block up to `n` transactions that are of no interest. */
void spv__material_pad(spv_material *m, size_t n);

/* Payments to given scripts ------------------------------------------------ */

enum { SPV__FORGED_BLOCKS = 5 };

/** What they need beside the material. */
typedef struct spv_forgery {
    const spv_material_script *scripts;
    size_t n;
    spv_coin *coins; /* the first payment of each */
} spv_forgery;

/** Fill block `i` of SPV__FORGED_BLOCKS. */
void spv__material_forge(spv_material *m, const spv_forgery *f, size_t i);

#endif
