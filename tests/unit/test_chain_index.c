#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "chain/index.h"

enum { N = 600 };

/* Hashes that all want to be in a few slots, so that searches are long. */
static spv_hash hashes[N];

static const spv_hash *hash_of(const void *owner, int32_t place)
{
    const spv_hash *list = owner;

    return &list[place >= 0 ? place : ~place];
}

static spv_index crowded(void)
{
    spv_index ix = {.hash_of = hash_of, .owner = hashes};

    for (int i = 0; i < N; i++) {
        memset(hashes[i].bytes, 0, 32);
        hashes[i].bytes[0] = (uint8_t)(i % 7 + 250); /* wraps around, too */
        hashes[i].bytes[1] = i % 2 ? 0xff : 0x03;
        hashes[i].bytes[30] = (uint8_t)i;
        hashes[i].bytes[31] = (uint8_t)(i >> 8);
    }
    return ix;
}

static void add(spv_index *ix, int32_t place)
{
    assert_int_equal(spv__index_reserve(ix, 1), SPV_OK);
    spv__index_add(ix, place);
}

static void finds_what_was_added_and_nothing_else(void **state)
{
    spv_index ix = crowded();

    (void)state;
    assert_int_equal(spv__index_find(&ix, &hashes[0]), SPV__NO_PLACE);
    for (int32_t i = 0; i < N; i += 2)
        add(&ix, i % 4 ? i : ~i);
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(spv__index_find(&ix, &hashes[i]), i % 2 ? SPV__NO_PLACE
                                                           : i % 4 ? i
                                                                   : ~i);
    assert_true(ix.used * 4 <= ix.cap * 3);
    spv__index_clear(&ix);
}

/* Against a plain list, while everything comes and goes. */
static void removal_leaves_all_others_findable(void **state)
{
    spv_index ix = crowded();
    bool there[N] = {false};

    (void)state;
    srand(7);
    for (int round = 0; round < 4000; round++) {
        int32_t i = rand() % N;

        if (there[i])
            spv__index_remove(&ix, &hashes[i]);
        else
            add(&ix, i);
        there[i] = !there[i];
        if (round % 50 == 0)
            for (int32_t k = 0; k < N; k++)
                assert_int_equal(spv__index_find(&ix, &hashes[k]),
                                 there[k] ? k : SPV__NO_PLACE);
    }
    spv__index_clear(&ix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added_and_nothing_else),
        cmocka_unit_test(removal_leaves_all_others_findable),
    };

    return cmocka_run_group_tests_name("chain.index", tests, NULL, NULL);
}
