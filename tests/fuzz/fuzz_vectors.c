#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <spv/vectors.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hear(void *self, const spv_vector_result *result)
{
    size_t *heard = self;

    assert(result->passed == (result->detail[0] == '\0'));
    assert(!result->passed || spv_vector_kind_find(result->kind));
    (*heard)++;
}

/* Whatever a document holds, every vector of it has a result, or it has an
 * error that says where. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t heard = 0;
    const spv_vectors_config config = {.heard = hear, .self = &heard};
    spv_vectors_counts n = {0};
    spv_text_error error = {SPV_OK, 0, ""};
    spv_err err =
        spv_vectors_run(&n, (const char *)data, size, &config, &error);

    assert(n.passed + n.failed == heard);
    assert(err == SPV_OK ? heard > 0 : heard == 0);
    assert(err == error.code && error.at <= size);
    assert((err == SPV_OK) == (error.text[0] == '\0'));
    (void)err;
    return 0;
}
