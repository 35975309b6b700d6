#ifndef SPV_CONFORM_ONE_SIGN_H
#define SPV_CONFORM_ONE_SIGN_H

#include <stddef.h>

#include "conform/draft.h"

/*
 * Signatures of segwit inputs by keys that everybody knows (one_keys.h).
 *
 * Segwit (BIP 143, BIP 341) has no number one to sign. But with one for the
 * secret nonce, the point R is the generator, and a signature is an addition
 * modulo the order of the curve: no library is needed, and no secret is lost.
 * They cover the coin and no more (SIGHASH_NONE, SIGHASH_ANYONECANPAY), so any
 * input of a draft can have one.
 */

/** The witness that spends a P2WPKH coin of key `n` of spv__one_keys. */
void spv__one_sign_p2wpkh(spv_buf *witness, const spv_coin *coin, size_t n);

/** The witness that spends a P2TR coin whose output key is that of the first
 * (by its x alone). */
void spv__one_sign_p2tr(spv_buf *witness, const spv_coin *coin);

#endif
