#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "bloom/sieve.h"

enum { OWNERS = 300, LEN_MOST = 130 };

static uint64_t state = 41;

static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void draw_bytes(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)draw();
}

/** Elements in places of their own length, so that a sanitizer sees whoever
 * reads beyond them. */
typedef struct element {
    uint8_t *bytes;
    size_t len;
} element;

static element elements[OWNERS];

static element draw_element(size_t len)
{
    element e = {malloc(len ? len : 1), len};

    assert_non_null(e.bytes);
    draw_bytes(e.bytes, len);
    return e;
}

static void draw_elements(void)
{
    for (size_t i = 0; i < OWNERS; i++)
        elements[i] = draw_element(draw() % LEN_MOST);
}

static void free_elements(void)
{
    for (size_t i = 0; i < OWNERS; i++)
        free(elements[i].bytes);
}

/** A filter of a random shape that holds every eighth element, and strangers
 * too, to be as full as they fall. */
static spv_filter draw_filter(void)
{
    spv_filter f;
    size_t len =
        draw() % 3 == 0 ? 1 + draw() % 9 : 1 + draw() % SPV_FILTER_BYTES_MAX;
    uint32_t funcs = 1 + (uint32_t)draw() % SPV_FILTER_FUNCS_MAX;
    size_t strangers = draw() % (2 * len / funcs + 2);

    assert_int_equal(spv_filter_init(&f, len, funcs, (uint32_t)draw(), 0),
                     SPV_OK);
    for (size_t i = 0; i < OWNERS; i += 8)
        spv_filter_insert(&f, elements[i].bytes, elements[i].len);
    for (size_t i = 0; i < strangers; i++) {
        uint64_t word = draw();

        spv_filter_insert(&f, (const uint8_t *)&word, sizeof(word));
    }
    return f;
}

static spv__shake *const ways[] = {NULL, spv__shake_portable};

static void check_sieve(const spv_filter *f, spv__shake *way)
{
    static spv__sieve s;
    bool found[OWNERS] = {false};

    spv__sieve_begin(&s, f, found);
    if (way)
        s.shake = way;
    for (uint32_t i = 0; i < OWNERS; i++)
        spv__sieve_ask(&s, elements[i].bytes, elements[i].len, i);
    spv__sieve_end(&s);
    for (size_t i = 0; i < OWNERS; i++)
        if (found[i] !=
            spv_filter_contains(f, elements[i].bytes, elements[i].len))
            fail_msg("length %zu, %zu bytes, %u functions", elements[i].len,
                     f->len, f->hash_funcs);
}

static void finds_what_the_filter_contains_and_nothing_else(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) {
        spv_filter f;

        draw_elements();
        f = draw_filter();
        check_sieve(&f, ways[0]);
        check_sieve(&f, ways[1]);
        spv_filter_clear(&f);
        free_elements();
    }
}

/** Pots that never empty: all that is asked stays to the last function. */
static void full_filters_find_everyone(void **unused)
{
    spv_filter f;

    (void)unused;
    draw_elements();
    assert_int_equal(spv_filter_init(&f, 5, 11, 0, 0), SPV_OK);
    memset(f.bytes, 0xff, f.len);
    check_sieve(&f, ways[0]);
    check_sieve(&f, ways[1]);
    spv_filter_clear(&f);
    free_elements();
}

/** Who owns several elements is found by any of them, also by the first. */
static void owners_are_found_by_any_element(void **unused)
{
    static spv__sieve s;
    bool found[2] = {false};
    spv_filter f;

    (void)unused;
    draw_elements();
    assert_int_equal(spv_filter_init(&f, 2000, 20, 0, 0), SPV_OK);
    spv_filter_insert(&f, elements[0].bytes, elements[0].len);
    spv__sieve_begin(&s, &f, found);
    for (size_t i = 0; i < OWNERS; i++)
        spv__sieve_ask(&s, elements[i].bytes, elements[i].len, i >= 100);
    spv__sieve_end(&s);
    assert_true(found[0]);
    assert_false(found[1]);
    spv_filter_clear(&f);
    free_elements();
}

/** The machine's own way and the portable one, bit for bit. */
static void both_ways_let_the_same_ones_stay(void **unused)
{
#if defined(SPV__WIDE)
    (void)unused;
    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (int i = 0; i < 1000; i++) {
        static uint8_t pool[SPV__POT][4 * SPV__POT_WORDS];
        static spv__pot pot;
        uint8_t bytes[100];
        size_t words = 1 + draw() % SPV__POT_WORDS;
        uint32_t funcs = 1 + (uint32_t)draw() % SPV_FILTER_FUNCS_MAX;
        spv__bip37 h = spv__bip37_of(8 * sizeof(bytes), funcs, (uint32_t)i);

        draw_bytes(bytes, sizeof(bytes));
        draw_bytes(pool[0], sizeof(pool));
        for (size_t j = 0; j < SPV__POT; j++) {
            pot.element[j] = pool[j];
            pot.last[j] = (uint32_t)draw();
            pot.turn[j] =
                (uint32_t)draw() << SPV__TURN_BITS | (uint32_t)draw() % funcs;
        }
        pot.n = SPV__POT;
        assert_true(spv__shake_wide(&pot, words, &h, bytes) ==
                    spv__shake_portable(&pot, words, &h, bytes));
    }
#else
    (void)unused;
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_the_filter_contains_and_nothing_else),
        cmocka_unit_test(full_filters_find_everyone),
        cmocka_unit_test(owners_are_found_by_any_element),
        cmocka_unit_test(both_ways_let_the_same_ones_stay),
    };

    return cmocka_run_group_tests_name("bloom.sieve", tests, NULL, NULL);
}
