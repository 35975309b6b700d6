#include <string.h>

#include "wallet/descriptor.h"
#include "wallet/key.h"
#include "wallet/text_error.h"

spv_err spv_descriptor_inspect(spv_descriptor_info *info, const char *text,
                               const spv_network *network,
                               spv_text_error *error)
{
    const char *hash = strchr(text, '#');
    size_t len = hash ? (size_t)(hash - text) : strlen(text);
    spv_descriptors list;
    spv_err err = spv__descriptors_parse(&list, text, network, error);

    *info = (spv_descriptor_info){.has_checksum = hash != NULL};
    if (err == SPV_OK)
        err = spv__descriptor_checksum(info->checksum, text, len, NULL);
    if (err == SPV_OK) {
        info->ranged = spv__descriptor_is_ranged(list.item[0]);
        info->has_private = spv__descriptor_has_private(list.item[0]);
        info->branches = list.n;
    }
    spv__descriptors_clear(&list);
    return err;
}

static spv_err format(char *out, size_t cap, const spv_descriptor *d,
                      spv_text_error *error)
{
    spv_buf text = SPV_BUF_EMPTY;
    spv_err err = spv__descriptor_format(
        &text, d, SPV__DESCRIPTOR_PUBLIC | SPV__DESCRIPTOR_MULTIPATH);

    if (err == SPV_OK && text.len >= cap)
        err = SPV_LIMIT;
    if (err == SPV_INVAL)
        err = spv__text_fail(error, SPV_UNSUPPORTED, 0,
                             "this descriptor has no public form: its range, "
                             "or its <...>, has hardened steps");
    if (err == SPV_OK) {
        memcpy(out, text.bytes, text.len);
        out[text.len] = '\0';
    }
    spv__buf_clear(&text);
    return err;
}

spv_err spv_descriptor_expand(char *out, size_t cap, const char *text,
                              const spv_network *network, spv_text_error *error)
{
    spv_descriptors list;
    spv_err err = spv__descriptors_parse(&list, text, network, error);

    if (err == SPV_OK)
        err = format(out, cap, list.item[0], error);
    spv__descriptors_clear(&list);
    return err;
}

/* What, where to, and how it is read: eight arguments, and none to spare. */
/* NOLINTNEXTLINE(readability-function-size) */
spv_err spv_descriptor_script(uint8_t *script, size_t cap, size_t *len,
                              const char *text, size_t branch, uint32_t index,
                              const spv_network *network, spv_text_error *error)
{
    spv_descriptors list;
    spv_derived derived;
    spv_err err = spv__descriptors_parse(&list, text, network, error);

    if (err == SPV_OK && branch >= list.n)
        err = SPV_INVAL;
    if (err == SPV_OK)
        err = spv__descriptor_derive(list.item[branch], index, &derived);
    if (err == SPV_OK && derived.script_len > cap)
        err = SPV_LIMIT;
    if (err == SPV_OK) {
        memcpy(script, derived.script, derived.script_len);
        *len = derived.script_len;
    }
    spv__descriptors_clear(&list);
    return err;
}
