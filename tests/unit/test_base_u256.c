#include "cmocka_all.h"

#include <stdio.h>

#include "base/u256.h"

/* A number from up to 64 hex digits, as people write it. */
static spv_u256 num(const char *digits)
{
    char text[SPV_HASH_TEXT];
    spv_hash hash;

    snprintf(text, sizeof(text), "%64s", digits);
    for (char *c = text; *c == ' '; c++)
        *c = '0';
    assert_int_equal(spv_hash_parse(&hash, text), SPV_OK);
    return spv__u256_of_hash(&hash);
}

static void assert_same(spv_u256 got, spv_u256 want)
{
    char got_text[SPV_HASH_TEXT];
    char want_text[SPV_HASH_TEXT];
    spv_hash hash;

    spv__u256_to_hash(&hash, got);
    spv_hash_format(got_text, &hash);
    spv__u256_to_hash(&hash, want);
    spv_hash_format(want_text, &hash);
    assert_string_equal(got_text, want_text);
}

static const char max[] =
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

/* The same sequence in every run (Knuth's MMIX constants). */
static uint64_t next_limb(uint64_t *seed)
{
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed ^ *seed >> 29;
}

/* Any width from 0 to 256 bits. */
static spv_u256 next_number(uint64_t *seed)
{
    spv_u256 v;

    for (unsigned i = 0; i < 4; i++)
        v.limb[i] = next_limb(seed);
    return spv__u256_shr(v, (unsigned)(next_limb(seed) % 257));
}

static spv_u256 product(spv_u256 a, spv_u256 b)
{
    spv_u256 sum = spv__u256(0);

    for (unsigned i = 0; i < 8; i++) {
        uint32_t digit = (uint32_t)(b.limb[i / 2] >> 32 * (i % 2));
        spv_u256 part = spv__u256_shl(spv__u256_mul_u32(a, digit), 32 * i);

        sum = spv__u256_add(sum, part);
    }
    return sum;
}

static void a_hash_is_a_number_least_byte_first(void **state)
{
    spv_hash hash = {{0x01, 0x02}};
    spv_hash back;

    (void)state;
    hash.bytes[31] = 0x80;
    assert_same(spv__u256_of_hash(&hash),
                num("8000000000000000000000000000000000000000000000000000000"
                    "000000201"));
    spv__u256_to_hash(&back, spv__u256_of_hash(&hash));
    assert_true(spv_hash_equal(&hash, &back));
}

static void comparison_looks_at_the_highest_limb_first(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        int want;
    } cases[] = {
        {"0", "0", 0},
        {"1", "2", -1},
        {"10000000000000000", "ffffffffffffffff", 1},
        {"100000000000000000000000000000000", "ffffffffffffffff", 1},
        {"1", max, -1},
        {max, max, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int got = spv__u256_compare(num(cases[i].a), num(cases[i].b));
        int back = spv__u256_compare(num(cases[i].b), num(cases[i].a));

        assert_int_equal((got > 0) - (got < 0), cases[i].want);
        assert_int_equal((back > 0) - (back < 0), -cases[i].want);
    }
}

static void bits_are_counted_from_the_highest_one(void **state)
{
    (void)state;
    assert_int_equal(spv__u256_bits(spv__u256(0)), 0);
    assert_true(spv__u256_is_zero(spv__u256(0)));
    for (unsigned i = 0; i < 256; i++) {
        spv_u256 v = spv__u256_shl(spv__u256(1), i);

        assert_int_equal(spv__u256_bits(v), i + 1);
        assert_int_equal(spv__u256_bits(spv__u256_sub(v, spv__u256(1))), i);
        assert_false(spv__u256_is_zero(v));
        assert_same(spv__u256_shr(v, i), spv__u256(1));
    }
}

static void shifts_by_everything_leave_nothing(void **state)
{
    static const unsigned far[] = {256, 257, 320, 1000};

    (void)state;
    assert_same(spv__u256_shl(num(max), 0), num(max));
    assert_same(spv__u256_shr(num(max), 0), num(max));
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        assert_true(spv__u256_is_zero(spv__u256_shl(num(max), far[i])));
        assert_true(spv__u256_is_zero(spv__u256_shr(num(max), far[i])));
    }
}

static void sums_carry_through_every_limb_and_wrap(void **state)
{
    (void)state;
    assert_same(spv__u256_add(num(max), spv__u256(1)), spv__u256(0));
    assert_same(spv__u256_sub(spv__u256(0), spv__u256(1)), num(max));
    assert_same(spv__u256_add(num(max), num(max)),
                spv__u256_sub(num(max), spv__u256(1)));
    assert_same(
        spv__u256_add(num("ffffffffffffffffffffffffffffffff"), spv__u256(1)),
        num("100000000000000000000000000000000"));
    assert_same(spv__u256_not(spv__u256(0)), num(max));
}

static void products_carry_and_wrap(void **state)
{
    (void)state;
    assert_same(spv__u256_mul_u32(num("ffffffffffffffff"), 0xffffffff),
                num("fffffffeffffffff00000001"));
    assert_same(spv__u256_mul_u32(num(max), 2),
                spv__u256_sub(num(max), spv__u256(1)));
    assert_same(spv__u256_mul_u32(num(max), 0), spv__u256(0));
    assert_same(spv__u256_mul_u32(num(max), 1), num(max));
}

static void quotients_agree_with_another_implementation(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        const char *quotient;
    } cases[] = {
        {"0", "9", "0"},
        {"5", "7", "0"},
        {"7", "7", "1"},
        {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         "1",
         "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
        {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         "1"},
        {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         "8000000000000000000000000000000000000000000000000000000000000000",
         "1"},
        {"8000000000000000000000000000000000000000000000000000000000000000",
         "3",
         "2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         "100000001",
         "ffffffff00000000ffffffff00000000ffffffff00000000ffffffff"},
        {"8b529b4a97b750925eb561a4216363699a9a80fdea7b5bf5a02f34a6795b929e",
         "35efa259b08923dd6645fa9e8a8529f42650644781",
         "295468c5ce14ba069d59ee9"},
        {"b7970386fee294768a7d43b57863307480a4a0d7d622567565aa9c8279f248b0",
         "fedcba9876543210fedcba98765432",
         "b868d4af992a72d64c62138fda886ff65f"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_same(spv__u256_div(num(cases[i].a), num(cases[i].b)),
                    num(cases[i].quotient));
}

/* a = q * b + r with r < b: what division means. */
static void quotient_times_divisor_is_within_a_divisor(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        spv_u256 a = next_number(&seed);
        spv_u256 b = next_number(&seed);
        spv_u256 r;

        if (spv__u256_is_zero(b))
            continue;
        r = spv__u256_sub(a, product(b, spv__u256_div(a, b)));
        assert_true(spv__u256_compare(r, b) < 0);
        assert_true(spv__u256_compare(r, a) <= 0);
    }
}

static void taking_away_undoes_adding(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        spv_u256 a = next_number(&seed);
        spv_u256 b = next_number(&seed);

        assert_same(spv__u256_sub(spv__u256_add(a, b), b), a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_is_a_number_least_byte_first),
        cmocka_unit_test(comparison_looks_at_the_highest_limb_first),
        cmocka_unit_test(bits_are_counted_from_the_highest_one),
        cmocka_unit_test(shifts_by_everything_leave_nothing),
        cmocka_unit_test(sums_carry_through_every_limb_and_wrap),
        cmocka_unit_test(products_carry_and_wrap),
        cmocka_unit_test(quotients_agree_with_another_implementation),
        cmocka_unit_test(quotient_times_divisor_is_within_a_divisor),
        cmocka_unit_test(taking_away_undoes_adding),
    };

    return cmocka_run_group_tests_name("base.u256", tests, NULL, NULL);
}
