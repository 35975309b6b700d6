#include "conform/material.h"

/*
 * What the blocks are filled with.
 */

static const uint8_t anyone[] = {0x51};
static const spv_buf nothing = SPV_BUF_EMPTY;

/* Steps of a transaction --------------------------------------------------- */

static int64_t less_fee(int64_t value)
{
    return value - value / 1000;
}

static void purse_put(spv_purse *p, spv_coin coin)
{
    if (p->n < SPV__PURSE_COINS)
        p->coins[(p->first + p->n++) % SPV__PURSE_COINS] = coin;
}

static spv_coin purse_take(spv_purse *p)
{
    spv_coin coin = p->coins[p->first];

    p->first = (p->first + 1) % SPV__PURSE_COINS;
    p->n--;
    return coin;
}

int64_t spv__material_begin(spv_material *m)
{
    spv_coin coin = purse_take(&m->purse);

    spv__draft_reset(&m->draft);
    spv__draft_spend(&m->draft, &coin, &nothing, &nothing);
    return coin.value;
}

void spv__material_pay(spv_material *m, int64_t value, const spv_buf *script)
{
    if (script->err && !m->err)
        m->err = script->err;
    spv__draft_pay(&m->draft, value, script->bytes, script->len);
}

void spv__material_pay_nobody(spv_material *m, int64_t value, size_t n)
{
    spv__shape_nobody(&m->shape, &m->rng, n);
    spv__material_pay(m, value, &m->shape.script);
}

spv_hash spv__material_include(spv_material *m)
{
    spv_hash txid;

    if (m->draft.fee < 0 && !m->err)
        m->err = SPV_FUNDS;
    spv__mint_add(&m->mint, &m->draft, &txid);
    return txid;
}

spv_hash spv__material_include_change(spv_material *m)
{
    spv_coin change = {{.vout = (uint32_t)m->draft.n_out},
                       less_fee(m->draft.fee)};

    spv__draft_pay(&m->draft, change.value, anyone, sizeof(anyone));
    change.at.txid = spv__material_include(m);
    purse_put(&m->purse, change);
    return change.at.txid;
}

void spv__material_pad(spv_material *m, size_t n)
{
    while (m->mint.n_tx < n) {
        int64_t value = spv__material_begin(m);

        spv__material_pay_nobody(m, value / 10, m->mint.n_tx);
        (void)spv__material_include_change(m);
    }
}

/* Money to begin with ------------------------------------------------------ */

static void begin_from_reward(spv_material *m, size_t i)
{
    spv__draft_reset(&m->draft);
    spv__draft_spend(&m->draft, &m->blocks[i].reward, &nothing, &nothing);
}

/** Divide a coinbase among coins of the purse. */
static void fill_purse(spv_material *m, size_t reward)
{
    const size_t n = SPV__PURSE_COINS / (SPV__COINBASES_SPENT - 1);
    spv_coin coin;

    begin_from_reward(m, reward);
    coin.value = less_fee(m->draft.fee) / (int64_t)n;
    for (size_t i = 0; i < n; i++)
        spv__draft_pay(&m->draft, coin.value, anyone, sizeof(anyone));
    coin.at.txid = spv__material_include(m);
    for (coin.at.vout = 0; coin.at.vout < n; coin.at.vout++)
        purse_put(&m->purse, coin);
}

/** Make the coins that nodes let spend by policy: odd ones are P2WSH. */
static void make_policy_coins(spv_material *m, size_t reward)
{
    spv_shape shapes[2] = {{.key = 0}, {.key = 0}};
    spv_hash txid;
    int64_t value;

    spv__shape_p2sh_true(&shapes[0], &m->rng);
    spv__shape_p2wsh_true(&shapes[1], &m->rng);
    begin_from_reward(m, reward);
    value = less_fee(m->draft.fee) / SPV__POLICY_COINS;
    for (size_t i = 0; i < SPV__POLICY_COINS; i++)
        spv__material_pay(m, value, &shapes[i % 2].script);
    txid = spv__material_include(m);
    for (uint32_t i = 0; i < SPV__POLICY_COINS; i++)
        m->policy[i] = (spv_coin){{txid, i}, value};
    spv__shape_clear(&shapes[0]);
    spv__shape_clear(&shapes[1]);
}

static void make_coins(spv_material *m, size_t n)
{
    (void)n;
    for (size_t i = 0; i + 1 < SPV__COINBASES_SPENT; i++)
        fill_purse(m, i);
    make_policy_coins(m, SPV__COINBASES_SPENT - 1);
}

/* Shapes, one a transaction ------------------------------------------------ */

/** The next kind from `i` on that can be spent; the number of kinds: none. */
static size_t next_spendable(size_t i)
{
    while (i < spv__shape_kinds_n &&
           spv__shape_kinds[i].spender == SPV__SPENT_NEVER)
        i++;
    return i;
}

/** Pay a new output of kind `i`; who it is, is known when it is included. */
static void pay_kind(spv_material *m, size_t i, int64_t value)
{
    spv_paid *p = &m->paid[i];

    spv__shape_make(&p->shape, &spv__shape_kinds[i], &m->rng);
    p->coin.value = value;
    p->coin.at.vout = (uint32_t)m->draft.n_out;
    spv__material_pay(m, value, &p->shape.script);
}

/** A transaction of its own; the output is its first or its second. */
static void pay(spv_material *m, size_t i)
{
    int64_t value = spv__material_begin(m) / 4;

    if (i % 2 == 1)
        spv__material_pay_nobody(m, value, i);
    pay_kind(m, i, value);
    m->paid[i].coin.at.txid = spv__material_include_change(m);
}

/** Add an input that spends the output of kind `i`. */
static void add_spend(spv_material *m, size_t i)
{
    spv_paid *p = &m->paid[i];

    spv__shape_sign(&p->shape, &spv__shape_kinds[i], &p->coin);
    spv__draft_spend(&m->draft, &p->coin, &p->shape.input, &p->shape.witness);
}

/** Begin a transaction that spends the output of kind `i`; its value. */
static int64_t begin_spend(spv_material *m, size_t i)
{
    if (spv__shape_kinds[i].spender == SPV__SPENT_AS_SECOND)
        (void)spv__material_begin(m);
    else
        spv__draft_reset(&m->draft);
    add_spend(m, i);
    return less_fee(m->draft.fee);
}

static void spend(spv_material *m, size_t i)
{
    spv__material_pay_nobody(m, begin_spend(m, i), i);
    (void)spv__material_include(m);
}

static void pay_each(spv_material *m, size_t n)
{
    (void)n;
    for (size_t i = 0; i < spv__shape_kinds_n; i++)
        pay(m, i);
}

static void spend_each(spv_material *m, size_t n)
{
    (void)n;
    for (size_t i = next_spendable(0); i < spv__shape_kinds_n;
         i = next_spendable(i + 1))
        spend(m, i);
}

/** In one block: some are spent at once, some two transactions later. */
static void pay_and_spend_each(spv_material *m, size_t n)
{
    size_t first = next_spendable(0);

    (void)n;
    while (first < spv__shape_kinds_n) {
        size_t second = next_spendable(first + 1);

        pay(m, first);
        if (second < spv__shape_kinds_n)
            pay(m, second);
        spend(m, first);
        if (second < spv__shape_kinds_n)
            spend(m, second);
        first = next_spendable(second + 1);
    }
}

/** Chains of three: paid, spent into the next kind, and that spent too. */
static void chain_each(spv_material *m, size_t n)
{
    size_t i = next_spendable(0);
    size_t into = next_spendable(i + 1);

    (void)n;
    for (; into < spv__shape_kinds_n; into = next_spendable(into + 1)) {
        pay(m, i);
        pay_kind(m, into, begin_spend(m, i));
        m->paid[into].coin.at.txid = spv__material_include(m);
        spend(m, into);
        i = into;
    }
}

/* Many in one transaction -------------------------------------------------- */

static void pay_together(spv_material *m, size_t n)
{
    int64_t value = spv__material_begin(m);
    spv_hash txid;

    (void)n;
    for (size_t i = 0; i < spv__shape_kinds_n; i++)
        pay_kind(m, i, less_fee(value) / (int64_t)spv__shape_kinds_n);
    txid = spv__material_include(m);
    for (size_t i = 0; i < spv__shape_kinds_n; i++)
        m->paid[i].coin.at.txid = txid;
}

static void spend_together(spv_material *m, size_t n)
{
    (void)n;
    (void)spv__material_begin(m);
    for (size_t i = next_spendable(0); i < spv__shape_kinds_n;
         i = next_spendable(i + 1))
        add_spend(m, i);
    spv__material_pay_nobody(m, less_fee(m->draft.fee), 0);
    (void)spv__material_include(m);
}

/* The same push in several transactions -------------------------------------
 */

enum { ECHO_LEN = 20 };

/** Scripts around the same 20 bytes: head, they, tail. */
static const struct {
    size_t head_len, tail_len;
    uint8_t head[3], tail[2];
} echoes[] = {
    {1, 2, {ECHO_LEN}, {0x75, 0x51}},             /* a push, dropped */
    {2, 0, {0x6a, ECHO_LEN}, {0}},                /* OP_RETURN */
    {3, 2, {0x76, 0xa9, ECHO_LEN}, {0x88, 0xac}}, /* P2PKH */
    {2, 0, {0x00, ECHO_LEN}, {0}},                /* P2WPKH */
    {2, 1, {0xa9, ECHO_LEN}, {0x87}},             /* P2SH */
};

static spv_coin pay_echo(spv_material *m, size_t i, const uint8_t *bytes)
{
    spv_buf *script = &m->shape.script;
    spv_coin coin = {.value = spv__material_begin(m) / 4};

    spv__buf_reset(script);
    spv__put_bytes(script, echoes[i].head, echoes[i].head_len);
    spv__put_bytes(script, bytes, ECHO_LEN);
    spv__put_bytes(script, echoes[i].tail, echoes[i].tail_len);
    spv__material_pay(m, coin.value, script);
    coin.at.txid = spv__material_include_change(m);
    return coin;
}

/** An input shows them. */
static void spend_echo(spv_material *m, const uint8_t *bytes)
{
    spv_buf *script = &m->shape.input;
    spv_coin coin = purse_take(&m->purse);

    spv__buf_reset(script);
    spv__put_var_bytes(script, bytes, ECHO_LEN);
    spv__draft_reset(&m->draft);
    spv__draft_spend(&m->draft, &coin, script, &nothing);
    spv__material_pay_nobody(m, less_fee(coin.value), 0);
    (void)spv__material_include(m);
}

/** Nine transactions, of which six show the same 20 bytes; an output of the
 * first is spent by the last, which shows nothing. */
static void echo(spv_material *m, size_t n)
{
    uint8_t bytes[ECHO_LEN];
    spv_coin first;

    (void)n;
    spv__rng_bytes(&m->rng, bytes, sizeof(bytes));
    first = pay_echo(m, 0, bytes);
    spv__material_pad(m, 3);
    for (size_t i = 1; i < sizeof(echoes) / sizeof(*echoes); i++)
        (void)pay_echo(m, i, bytes);
    spv__material_pad(m, 8);
    spend_echo(m, bytes);
    spv__draft_reset(&m->draft);
    spv__draft_spend(&m->draft, &first, &nothing, &nothing);
    spv__material_pay_nobody(m, less_fee(first.value), 1);
    (void)spv__material_include(m);
}

/* ----------------------------------------------------------------------------
 */

/* What shows most comes last: a battery looks at the newest blocks first. */
const spv_filling spv__material_plan[] = {
    {make_coins, 0},
    /* Trees of many forms. */
    {spv__material_pad, 4},
    {spv__material_pad, 8},
    {spv__material_pad, 16},
    {spv__material_pad, 17},
    {spv__material_pad, 31},
    {spv__material_pad, 257},
    {spv__material_pad, 1},
    {spv__material_pad, 5},
    {spv__material_pad, 7},
    {spv__material_pad, 9},
    /* Spent in the next block. */
    {pay_each, 0},
    {spend_each, 0},
    /* In the same block. */
    {pay_and_spend_each, 0},
    {chain_each, 0},
    /* In one transaction. */
    {pay_together, 0},
    {spend_together, 0},
    /* Three blocks later. */
    {pay_each, 0},
    {spv__material_pad, 2},
    {spv__material_pad, 3},
    {spend_each, 0},
    {echo, 0},
};

const size_t spv__material_plan_n =
    sizeof(spv__material_plan) / sizeof(*spv__material_plan);
