#include "conform/material.h"

#include <spv/script.h>

/*
 * Payments to scripts of somebody else's, and what looks like their spends.
 */

enum { SIG_LEN = 71, SCHNORR_LEN = 64, KEY_LEN = 33 };

static void put_drawn(spv_buf *b, spv_rng *d, size_t len)
{
    uint8_t bytes[SIG_LEN];

    spv__rng_bytes(d, bytes, len);
    spv__put_var_bytes(b, bytes, len); /* a push too, as short as it is */
}

static void put_witness(spv_buf *b, spv_rng *d, const size_t lens[2])
{
    size_t n = lens[1] > 0 ? 2 : 1;

    spv__put_compact(b, n);
    for (size_t i = 0; i < n; i++)
        put_drawn(b, d, lens[i]);
}

/** Input script and witness as a spend of this script would have them. */
static void forge(spv_shape *s, spv_rng *d, const spv_material_script *script)
{
    static const size_t by_key[] = {SIG_LEN, KEY_LEN};
    static const size_t by_schnorr[] = {SCHNORR_LEN, 0};

    spv__buf_reset(&s->input);
    spv__buf_reset(&s->witness);
    switch (spv_script_classify(script->bytes, script->len)) {
    case SPV_SCRIPT_P2WPKH:
    case SPV_SCRIPT_P2WSH:
        put_witness(&s->witness, d, by_key);
        return;
    case SPV_SCRIPT_P2TR:
    case SPV_SCRIPT_WITNESS:
    case SPV_SCRIPT_ANCHOR:
        put_witness(&s->witness, d, by_schnorr);
        return;
    case SPV_SCRIPT_P2SH:
        put_drawn(&s->input, d, 22); /* P2WPKH inside */
        put_witness(&s->witness, d, by_key);
        return;
    case SPV_SCRIPT_P2PKH:
        put_drawn(&s->input, d, SIG_LEN);
        put_drawn(&s->input, d, KEY_LEN);
        return;
    case SPV_SCRIPT_P2PK:
    case SPV_SCRIPT_MULTISIG:
    case SPV_SCRIPT_NULLDATA:
    case SPV_SCRIPT_OTHER:
        put_drawn(&s->input, d, SIG_LEN);
        return;
    }
}

/** Pay a script `times` times in one transaction; its first output. */
static spv_coin pay(spv_material *m, const spv_material_script *script,
                    size_t times)
{
    spv_coin coin = {.value = SPV_MATERIAL_PAID};

    (void)spv__material_begin(m);
    for (size_t i = 0; i < times; i++)
        spv__draft_pay(&m->draft, coin.value, script->bytes, script->len);
    coin.at.txid = spv__material_include_change(m);
    return coin;
}

static void spend(spv_material *m, const spv_material_script *script,
                  const spv_coin *coin)
{
    forge(&m->shape, &m->rng, script);
    spv__draft_reset(&m->draft);
    spv__draft_spend(&m->draft, coin, &m->shape.input, &m->shape.witness);
    spv__material_pay_nobody(m, coin->value - coin->value / 100, 0);
    (void)spv__material_include(m);
}

void spv__material_forge(spv_material *m, const spv_forgery *f, size_t i)
{
    spv_coin second;

    for (size_t n = 0; n < f->n; n++)
        switch (i) {
        case 0:
            f->coins[n] = pay(m, &f->scripts[n], 1);
            break;
        case 1:
            second = pay(m, &f->scripts[n], 1);
            spend(m, &f->scripts[n], &second);
            break;
        case 2:
            spend(m, &f->scripts[n], &f->coins[n]);
            break;
        case 3:
            (void)pay(m, &f->scripts[n], 2);
            break;
        }
    spv__material_pad(m, m->mint.n_tx + 2);
}
