#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wallet/descriptor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text of a descriptor stands for the same scripts when read again. */
static void read_again(const spv_descriptor *d, const spv_network *network)
{
    spv_buf text = SPV_BUF_EMPTY;
    spv_descriptor *again = NULL;
    spv_derived a;
    spv_derived b;
    spv_err err = spv__descriptor_format(&text, d, SPV__DESCRIPTOR_PRIVATE);

    assert(err == SPV_OK);
    spv__put_u8(&text, 0);
    err =
        spv__descriptor_parse(&again, (const char *)text.bytes, network, NULL);
    assert(err == SPV_OK);
    if (spv__descriptor_derive(d, 5, &a) == SPV_OK) {
        err = spv__descriptor_derive(again, 5, &b);
        assert(err == SPV_OK && a.script_len == b.script_len);
        assert(memcmp(a.script, b.script, a.script_len) == 0);
        assert(a.n_elements <= SPV__DERIVED_ELEMENTS_MAX);
    }
    (void)err;
    spv__descriptor_free(again);
    spv__buf_clear(&text);
}

/* A public form has no private key, where there is one. */
static void write_publicly(const spv_descriptor *d, const spv_network *network)
{
    spv_buf text = SPV_BUF_EMPTY;
    spv_descriptor *again = NULL;

    if (spv__descriptor_format(&text, d, SPV__DESCRIPTOR_PUBLIC) == SPV_OK) {
        spv__put_u8(&text, 0);
        if (spv__descriptor_parse(&again, (const char *)text.bytes, network,
                                  NULL) == SPV_OK)
            assert(!spv__descriptor_has_private(again));
    }
    spv__descriptor_free(again);
    spv__buf_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const spv_network *network = NULL;
    char *text = malloc(size + 1);
    spv_descriptors list;
    spv_text_error error;
    spv_err err = SPV_OK;

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    network = spv_network_get(strstr(text, "tp") ? SPV_REGTEST : SPV_MAIN);
    err = spv__descriptors_parse(&list, text, network, &error);
    assert(error.code == err);
    assert(err == SPV_OK ? list.n > 0 : error.text[0] != '\0' && list.n == 0);
    for (size_t i = 0; i < list.n; i++) {
        read_again(list.item[i], network);
        write_publicly(list.item[i], network);
    }
    spv__descriptors_clear(&list);
    free(text);
    return 0;
}
