#include <stdio.h>
#include <string.h>

#include "wallet/descriptor_parts.h"

#define N_WRAPS  4
#define N_LEAVES 8

static const struct {
    const char *open;
    const char *close;
} wraps[N_WRAPS] = {
    [SPV_WRAP_NONE] = {"", ""},
    [SPV_WRAP_SH] = {"sh(", ")"},
    [SPV_WRAP_WSH] = {"wsh(", ")"},
    [SPV_WRAP_SH_WSH] = {"sh(wsh(", "))"},
};

/* By wrap and leaf; NULL where BIP 381 to 386 do not allow the one in the
 * other. */
static const char *const types[N_WRAPS][N_LEAVES] = {
    [SPV_WRAP_NONE] = {"pk", "pkh", "wpkh", "tr", "multi", "sortedmulti",
                       "addr", "raw"},
    [SPV_WRAP_SH] = {"sh(pk)", "sh(pkh)", "sh(wpkh)", NULL, "sh(multi)",
                     "sh(sortedmulti)"},
    [SPV_WRAP_WSH] = {"wsh(pk)", "wsh(pkh)", NULL, NULL, "wsh(multi)",
                      "wsh(sortedmulti)"},
    [SPV_WRAP_SH_WSH] = {"sh(wsh(pk))", "sh(wsh(pkh))", NULL, NULL,
                         "sh(wsh(multi))", "sh(wsh(sortedmulti))"},
};

const char *spv__descriptor_type(const spv_descriptor *d)
{
    return types[d->wrap][d->leaf];
}

static void put_text(spv_buf *out, const char *text)
{
    spv__put_bytes(out, text, strlen(text));
}

static spv_err put_keys(spv_buf *out, const spv_descriptor *d, unsigned format)
{
    bool is_multi =
        d->leaf == SPV_LEAF_MULTI || d->leaf == SPV_LEAF_SORTEDMULTI;
    char threshold[16];
    spv_err err = SPV_OK;

    if (is_multi) {
        (void)snprintf(threshold, sizeof(threshold), "%lu",
                       (unsigned long)d->threshold);
        put_text(out, threshold);
    }
    for (size_t i = 0; i < d->n_keys && err == SPV_OK; i++) {
        if (is_multi)
            put_text(out, ",");
        err = spv__key_expr_format(out, &d->key[i], format, d->network);
    }
    return err;
}

spv_err spv__descriptor_format(spv_buf *out, const spv_descriptor *d,
                               unsigned format)
{
    size_t start = out->len;
    char checksum[SPV_DESCRIPTOR_CHECKSUM];
    spv_err err = SPV_OK;

    put_text(out, wraps[d->wrap].open);
    put_text(out, types[SPV_WRAP_NONE][d->leaf]);
    put_text(out, "(");
    if (d->argument)
        put_text(out, d->argument);
    err = put_keys(out, d, format);
    put_text(out, ")");
    put_text(out, wraps[d->wrap].close);
    if (err == SPV_OK)
        err = out->err;
    if (err == SPV_OK)
        err = spv__descriptor_checksum(checksum, (char *)out->bytes + start,
                                       out->len - start, NULL);
    if (err != SPV_OK) {
        if (out->err == SPV_OK)
            out->len = start;
        return err;
    }
    if (format & SPV__DESCRIPTOR_NO_CHECKSUM)
        return SPV_OK;
    put_text(out, "#");
    put_text(out, checksum);
    return out->err;
}
