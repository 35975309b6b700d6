#include "cmocka_all.h"

#include <string.h>

#include <spv/block.h>

/* Without inputs and outputs: the shortest transaction there can be. */
#define TX 1, 0, 0, 0, 0, 0, 0, 0, 0, 0

enum { TX_LEN = 10 };

typedef struct sample {
    uint8_t bytes[SPV_HEADER_LEN + 64];
    size_t len;
} sample;

static sample block_of(const uint8_t *rest, size_t len)
{
    sample s = {.bytes = {7}, .len = SPV_HEADER_LEN + len};

    memcpy(s.bytes + SPV_HEADER_LEN, rest, len);
    return s;
}

/* How reading a whole block ends, and how many transactions came before. */
static spv_err read_through(const sample *s, size_t *n)
{
    spv_block_reader reader;
    spv_tx tx;
    spv_err err = spv_block_open(&reader, s->bytes, s->len);

    *n = 0;
    if (err != SPV_OK)
        return err;
    while ((err = spv_block_next(&reader, &tx)) == SPV_OK) {
        assert_int_equal(tx.len, TX_LEN);
        spv_tx_clear(&tx);
        (*n)++;
    }
    assert_int_equal(reader.n_read, *n);
    return err;
}

static void transactions_come_until_there_are_no_more(void **state)
{
    static const uint8_t rest[] = {2, TX, TX};
    sample s = block_of(rest, sizeof(rest));
    spv_block_reader reader;
    size_t n = 0;

    (void)state;
    assert_int_equal(spv_block_open(&reader, s.bytes, s.len), SPV_OK);
    assert_ptr_equal(reader.header, s.bytes);
    assert_int_equal(reader.n_tx, 2);
    assert_int_equal(read_through(&s, &n), SPV_NOT_FOUND);
    assert_int_equal(n, 2);
}

static void a_block_that_lies_about_its_length_is_refused(void **state)
{
    static const uint8_t longer[] = {1, TX, 0};
    static const uint8_t cut[] = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t huge[] = {0xfe, 0xff, 0xff, 0xff, 0xff, TX};
    sample s = block_of(longer, sizeof(longer));
    size_t n = 0;

    (void)state;
    assert_int_equal(read_through(&s, &n), SPV_MALFORMED);
    assert_int_equal(n, 1);
    s = block_of(huge, sizeof(huge));
    assert_int_equal(read_through(&s, &n), SPV_LIMIT);
    s = block_of(cut, sizeof(cut));
    assert_int_not_equal(read_through(&s, &n), SPV_NOT_FOUND);
    assert_int_equal(n, 0);
    s.len = SPV_HEADER_LEN - 1;
    assert_int_equal(read_through(&s, &n), SPV_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transactions_come_until_there_are_no_more),
        cmocka_unit_test(a_block_that_lies_about_its_length_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
