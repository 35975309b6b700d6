#ifndef SPV_STORE_CARD_H
#define SPV_STORE_CARD_H

#include <stddef.h>

#include <spv/err.h>

#include "base/buf.h"
#include "store/detail.h"

/*
 * A wallet's card: a small text file with what cannot be fetched again and is
 * no secret that spends - network, type, birthday, gap, public descriptors,
 * filter plan. With it (and the secret, if any) the rows can be rebuilt.
 *
 *     # spvclient wallet card, version 1
 *     network=regtest
 *     descriptor=addr(bcrt1q...)#checksum
 *     checksum=SHA-256d of all lines above, 64 hex digits
 *
 * Lines are key=value, in order; a key may come again (descriptor does). The
 * file is written whole and renamed into place, over the old one.
 */
typedef struct spv_card {
    spv_buf lines; /**< "key=value", each ended by a zero */
} spv_card;

#define SPV_CARD_EMPTY \
    {                  \
        SPV_BUF_EMPTY  \
    }

void spv__card_clear(spv_card *card);

/** Add a line. SPV_INVAL: an empty key, one beginning with '#', '=' in it, or
 * a line break in either; also the key "checksum". SPV_NOMEM. */
spv_err spv__card_add(spv_card *card, const char *key, const char *value);

/** Value of the n-th line (from 0) with that key; NULL when there are not
 * that many. Borrowed until the card changes. */
const char *spv__card_find(const spv_card *card, const char *key, size_t n);

/** Write the card to `path`, over an older one. SPV_IO, SPV_NOMEM. */
spv_err spv__card_save(const spv_card *card, const char *path, spv_detail *why);

/** Read into an empty card. SPV_NOT_FOUND, SPV_DAMAGED (the checksum is
 * missing or wrong), SPV_UNSUPPORTED (a later version), SPV_IO, SPV_NOMEM. */
spv_err spv__card_load(spv_card *card, const char *path, spv_detail *why);

#endif
