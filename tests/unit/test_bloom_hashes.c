#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/filter.h"
#include "bloom/hashes.h"
#include "bloom/murmur3.h"

static uint64_t state = 37;

static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/** Random bytes in a place of their own length, so that a read beyond them is
 * seen by a sanitizer. */
static uint8_t *draw_bytes(size_t len)
{
    uint8_t *bytes = malloc(len ? len : 1);

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)draw();
    return bytes;
}

/** BIP 37's own words: one hash, one division. */
static uint32_t plain_bit(const spv__bip37 *h, uint32_t i, const uint8_t *e,
                          size_t len)
{
    return spv__murmur3(i * 0xfba4c795u + h->tweak, e, len) % h->bits;
}

typedef uint32_t bits_fn(uint32_t at[SPV__LANES], const spv__bip37 *h,
                         uint32_t first, const uint8_t *element, size_t len);

static bits_fn *const ways[] = {spv__bip37_bits, spv__bip37_bits_portable};

static void check_bits(bits_fn *way, const spv__bip37 *h, const uint8_t *e,
                       size_t len)
{
    uint32_t at[SPV__LANES];
    uint32_t n = 0;

    for (uint32_t first = 0; first < h->hash_funcs; first += n) {
        n = way(at, h, first, e, len);
        assert_in_range(n, 1, SPV__LANES);
        assert_true(first + n <= h->hash_funcs);
        for (uint32_t i = 0; i < n; i++)
            if (at[i] != plain_bit(h, first + i, e, len))
                fail_msg("function %u of %u, length %zu, %u bits", first + i,
                         h->hash_funcs, len, h->bits);
    }
}

static void same_bits_on_a_million_random_elements(void **unused)
{
    uint8_t element[20];

    (void)unused;
    for (int i = 0; i < 1000000; i++) {
        spv__bip37 h = spv__bip37_of(1 + (uint32_t)(draw() % 36000) * 8, 14, 0);

        h.tweak = (uint32_t)draw();
        for (size_t j = 0; j < sizeof(element); j += 4) {
            uint32_t word = (uint32_t)draw();

            memcpy(element + j, &word, 4);
        }
        check_bits(ways[i & 1], &h, element, sizeof(element));
    }
}

static void same_bits_for_every_length_and_number_of_functions(void **unused)
{
    (void)unused;
    for (size_t len = 0; len < 76; len++)
        for (uint32_t k = 1; k <= SPV_FILTER_FUNCS_MAX; k++) {
            spv__bip37 h = spv__bip37_of(288000, k, (uint32_t)draw());
            uint8_t *e = draw_bytes(len);

            check_bits(ways[0], &h, e, len);
            check_bits(ways[1], &h, e, len);
            free(e);
        }
}

static void filters_set_and_test_the_bits_that_plain_loops_would(void **unused)
{
    (void)unused;
    for (uint32_t k = 1; k <= SPV_FILTER_FUNCS_MAX; k++) {
        uint8_t bytes[41] = {0};
        uint8_t plain[41] = {0};
        spv__bip37 h = spv__bip37_of(8 * sizeof(bytes), k, (uint32_t)draw());
        uint8_t *e = draw_bytes(k);

        (k & 1 ? spv__bip37_insert : spv__bip37_insert_portable)(&h, bytes, e,
                                                                 k);
        for (uint32_t i = 0; i < k; i++) {
            uint32_t bit = plain_bit(&h, i, e, k);

            plain[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
        assert_memory_equal(bytes, plain, sizeof(bytes));
        assert_true(spv__bip37_contains(&h, bytes, e, k));
        assert_true(spv__bip37_contains_portable(&h, bytes, e, k));
        for (uint32_t i = 0; i < k; i++) { /* every function counts */
            uint32_t bit = plain_bit(&h, i, e, k);

            bytes[bit / 8] &= (uint8_t) ~(1u << bit % 8);
            assert_false(spv__bip37_contains(&h, bytes, e, k));
            assert_false(spv__bip37_contains_portable(&h, bytes, e, k));
            bytes[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
        free(e);
    }
}

static void no_functions_set_nothing_and_contain_all(void **unused)
{
    uint8_t bytes[8] = {0};
    spv__bip37 h = spv__bip37_of(64, 0, 1);

    (void)unused;
    spv__bip37_insert(&h, bytes, bytes, sizeof(bytes));
    assert_memory_equal(bytes, (uint8_t[8]){0}, 8);
    assert_true(spv__bip37_contains(&h, bytes, bytes, sizeof(bytes)));
}

static void check_reduce(uint32_t hash, uint32_t bits)
{
    if (spv__reduce(hash, bits, spv__inverse(bits)) != hash % bits)
        fail_msg("%u %% %u", hash, bits);
}

/* The hashes where a quotient steps up, for one size. */
static void check_edges(uint32_t bits)
{
    uint32_t top = UINT32_MAX - UINT32_MAX % bits;

    for (uint32_t d = 0; d < 3; d++) {
        check_reduce(d, bits);
        check_reduce(UINT32_MAX - d, bits);
        check_reduce(bits - d, bits); /* may wrap round: any hash will do */
        check_reduce(bits + d, bits);
        check_reduce(top - d, bits);
        check_reduce(top + d, bits);
        check_reduce((uint32_t)draw(), bits);
    }
}

static void reduces_as_a_division_does_at_every_edge(void **unused)
{
    (void)unused;
    for (uint32_t bytes = 1; bytes <= SPV_FILTER_BYTES_MAX; bytes++)
        check_edges(bytes * 8);
    for (uint32_t bits = 1; bits < 2000; bits++)
        check_edges(bits);
    for (int i = 0; i < 32; i++)
        for (uint32_t d = 0; d < 3; d++) {
            check_edges((1u << i) + d);
            check_edges((1u << i) - d ? (1u << i) - d : 1);
            check_edges(UINT32_MAX - (1u << i) + 1 + d > 0
                            ? UINT32_MAX - (1u << i) + 1 + d
                            : 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_on_a_million_random_elements),
        cmocka_unit_test(same_bits_for_every_length_and_number_of_functions),
        cmocka_unit_test(filters_set_and_test_the_bits_that_plain_loops_would),
        cmocka_unit_test(no_functions_set_nothing_and_contain_all),
        cmocka_unit_test(reduces_as_a_division_does_at_every_edge),
    };

    return cmocka_run_group_tests_name("bloom.hashes", tests, NULL, NULL);
}
