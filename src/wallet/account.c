#include "wallet/account.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/hex.h"
#include "wallet/descriptor.h"

static const struct {
    const char *name;
    uint32_t purpose;
    const char *open;
    const char *close;
} types[SPV__ACCOUNT_TYPES] = {
    [SPV_ACCOUNT_PKH] = {"pkh", 44, "pkh(", ")"},
    [SPV_ACCOUNT_SH_WPKH] = {"sh-wpkh", 49, "sh(wpkh(", "))"},
    [SPV_ACCOUNT_WPKH] = {"wpkh", 84, "wpkh(", ")"},
    [SPV_ACCOUNT_TR] = {"tr", 86, "tr(", ")"},
};

spv_err spv__account_type_find(spv_account_type *out, const char *name)
{
    for (int t = 0; t < SPV__ACCOUNT_TYPES; t++)
        if (strcmp(types[t].name, name) == 0) {
            *out = (spv_account_type)t;
            return SPV_OK;
        }
    return SPV_NOT_FOUND;
}

const char *spv__account_type_name(spv_account_type type)
{
    return types[type].name;
}

spv_path spv__account_path(spv_account_type type, uint32_t account,
                           const spv_network *network)
{
    return (spv_path){.step = {types[type].purpose | SPV__HARDENED,
                               network->coin_type | SPV__HARDENED,
                               account | SPV__HARDENED},
                      .n = 3};
}

/* The account's key behind its origin. */
static spv_err write_key(char out[256], const uint8_t seed[SPV__SEED_LEN],
                         spv_account_type type, uint32_t account,
                         bool as_private, const spv_network *network)
{
    spv_path path = spv__account_path(type, account, network);
    char text[SPV__HD_TEXT];
    char fingerprint[9];
    uint8_t id[4];
    spv_hd key;
    spv_err err = spv__hd_of_seed(&key, seed, SPV__SEED_LEN);

    spv__hd_fingerprint(id, &key);
    spv__hex_format(fingerprint, id, sizeof(id));
    if (err == SPV_OK)
        err = spv__hd_descend(&key, path.step, path.n);
    if (err == SPV_OK)
        err = spv__hd_format(text, &key, SPV_HD_PLAIN, as_private, network);
    spv__hd_clear(&key);
    if (err != SPV_OK)
        return err;
    (void)snprintf(out, 256, "[%s/%luh/%luh/%luh]%s", fingerprint,
                   (unsigned long)types[type].purpose,
                   (unsigned long)network->coin_type, (unsigned long)account,
                   text);
    spv__cleanse(text, sizeof(text));
    return SPV_OK;
}

spv_err spv__account_descriptor(spv_buf *out, const uint8_t seed[SPV__SEED_LEN],
                                spv_account_type type, uint32_t account,
                                bool as_private, const spv_network *network)
{
    char checksum[SPV_DESCRIPTOR_CHECKSUM];
    char key[256];
    char text[320];
    int len = 0;
    spv_err err = SPV_OK;

    if (account & SPV__HARDENED)
        return SPV_INVAL;
    err = write_key(key, seed, type, account, as_private, network);
    if (err != SPV_OK)
        return err;
    len = snprintf(text, sizeof(text), "%s%s/<0;1>/*%s", types[type].open, key,
                   types[type].close);
    err = spv__descriptor_checksum(checksum, text, (size_t)len, NULL);
    if (err == SPV_OK) {
        spv__put_bytes(out, text, (size_t)len);
        spv__put_bytes(out, "#", 1);
        spv__put_bytes(out, checksum, strlen(checksum));
        err = out->err;
    }
    spv__cleanse(text, sizeof(text));
    spv__cleanse(key, sizeof(key));
    return err;
}
