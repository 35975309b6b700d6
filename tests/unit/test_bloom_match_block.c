#include "cmocka_all.h"

#include <string.h>

#include <spv/filter.h>

#include "base/buf.h"

/*
 * What a random run (tests/property) meets too rarely: scripts that differ from
 * standard ones in the bytes around the element.
 */

typedef struct payment {
    spv_buf bytes;
    spv_tx tx;
} payment;

/** It spends `prev` and pays one output, to `script`. */
static payment pay(const spv_outpoint *prev, const void *script, size_t len)
{
    payment p = {0};
    uint8_t outpoint[SPV_OUTPOINT_LEN];

    spv_outpoint_encode(outpoint, prev);
    spv__put_u32(&p.bytes, 1);
    spv__put_compact(&p.bytes, 1);
    spv__put_bytes(&p.bytes, outpoint, sizeof(outpoint));
    spv__put_compact(&p.bytes, 0);
    spv__put_u32(&p.bytes, 0);
    spv__put_compact(&p.bytes, 1);
    spv__put_u64(&p.bytes, 50);
    spv__put_var_bytes(&p.bytes, script, len);
    spv__put_u32(&p.bytes, 0);
    assert_int_equal(spv_tx_decode(&p.tx, p.bytes.bytes, p.bytes.len, NULL),
                     SPV_OK);
    return p;
}

static void unpay(payment *p)
{
    spv_tx_clear(&p->tx);
    spv__buf_clear(&p->bytes);
}

static spv_filter filter_of(const void *element, size_t len)
{
    spv_filter f;

    assert_int_equal(spv_filter_init(&f, 1000, 20, 7, SPV_FILTER_UPDATE_ALL),
                     SPV_OK);
    spv_filter_insert(&f, element, len);
    return f;
}

/** Twice the same transaction, since one alone takes no sieve. */
static bool matches_twice(const void *script, size_t len, const void *element,
                          size_t element_len)
{
    const spv_outpoint prev = {{{9}}, 1};
    payment p = pay(&prev, script, len);
    const spv_tx txs[] = {p.tx, p.tx};
    spv_match matches[2];
    spv_filter f = filter_of(element, element_len);

    spv_filter_match_block(&f, txs, 2, matches);
    assert_int_equal(matches[0].matched, matches[1].matched);
    spv_filter_clear(&f);
    unpay(&p);
    return matches[0].matched;
}

#define TWENTY "abcdefghijklmnopqrst"
#define THIRTY "abcdefghijklmnopqrstuvwxyz0123"

static void elements_beside_those_of_standard_scripts_count(void **unused)
{
    static const struct {
        const char *script;
        size_t len;
        const char *element;
        bool matches;
    } cases[] = {
        {"\x76\xa9\x14" TWENTY "\x88\xac", 25, TWENTY, true},
        {"\x76\xa9\x14" TWENTY "\x01Z", 25, TWENTY, true},
        {"\x76\xa9\x14" TWENTY "\x01Z", 25, "Z", true},
        {"\x76\xa9\x14" TWENTY "\x01Z", 25, "Y", false},
        {"\x76\xa9\x15" TWENTY "\x88\xac", 25, TWENTY, false},
        {"\x76\xa9\x15" TWENTY "\x88\xac", 25, TWENTY "\x88", true},
        {"\x76\xa9\x14" TWENTY "\x01\xac", 25, "\xac", true},
        {"\x01\xa9\x14" TWENTY "\x88\xac", 25, "\xa9", true},
        {"\x01Z\x14" TWENTY "\x88\xac", 25, "Z", true},
        {"\xa9\x14" TWENTY "\x87", 23, TWENTY, true},
        {"\xa9\x14" TWENTY "\x02", 23, TWENTY, true},
        {"\xa9\x15" TWENTY "\x87", 23, TWENTY, false},
        {"\xa9\x15" TWENTY "\x87", 23, TWENTY "\x87", true},
        {"\x00\x14" TWENTY, 22, TWENTY, true},
        {"\x00\x13" TWENTY, 22, "abcdefghijklmnopqrs", true},
        {"\x01\x14" TWENTY, 22, TWENTY, false},
        {"\x01\x14" TWENTY, 22, "\x14", true},
        {"\x51\x20" THIRTY "45", 34, THIRTY "45", true},
        {"\x00\x20" THIRTY "45", 34, THIRTY "45", true},
        {"\x01\x20" THIRTY "45", 34, THIRTY "45", false},
        {"\x01\x20" THIRTY "45", 34, "\x20", true},
        {"\x51\x1e" THIRTY "\x01Z", 34, THIRTY, true},
        {"\x51\x1e" THIRTY "\x01Z", 34, "Z", true},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (matches_twice(cases[i].script, cases[i].len, cases[i].element,
                          strlen(cases[i].element)) != cases[i].matches)
            fail_msg("case %zu", i);
}

static void an_output_is_followed_to_where_it_is_spent(void **unused)
{
    const spv_outpoint nobodys = {{{9}}, 1};
    payment first = pay(&nobodys, "\x00\x14" TWENTY, 22);
    payment second = pay(&(spv_outpoint){first.tx.txid, 0}, "\x51", 1);
    const spv_tx txs[] = {second.tx, first.tx, second.tx};
    spv_match matches[3];
    spv_filter f = filter_of(TWENTY, 20);

    (void)unused;
    spv_filter_match_block(&f, txs, 3, matches);
    assert_false(matches[0].matched); /* not yet */
    assert_int_equal(matches[1].added, 1);
    assert_true(matches[2].by_input);
    spv_filter_clear(&f);
    unpay(&second);
    unpay(&first);
}

static void filters_without_bytes_match_all_and_blocks_may_be_empty(void **u)
{
    const spv_outpoint nobodys = {{{9}}, 1};
    payment p = pay(&nobodys, "\x51", 1);
    const spv_tx txs[] = {p.tx, p.tx, p.tx};
    spv_match matches[3];
    spv_filter f = {.flags = SPV_FILTER_UPDATE_ALL};

    (void)u;
    spv_filter_match_block(&f, txs, 3, matches);
    for (size_t i = 0; i < 3; i++)
        assert_true(matches[i].matched && matches[i].added == 0);
    spv_filter_match_block(&f, NULL, 0, NULL);
    unpay(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_beside_those_of_standard_scripts_count),
        cmocka_unit_test(an_output_is_followed_to_where_it_is_spent),
        cmocka_unit_test(
            filters_without_bytes_match_all_and_blocks_may_be_empty),
    };

    return cmocka_run_group_tests_name("bloom.match_block", tests, NULL, NULL);
}
