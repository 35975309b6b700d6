#include <stdlib.h>
#include <string.h>

#include <spv/material.h>

#include "conform/survey.h"
#include "wire_bytes.h"

/* The first look at a node: what is asked, and what becomes of the answers. */

typedef struct scene {
    spv_survey survey;
    spv_session session;
    spv_material *material; /* NULL: the headers below, and no blocks */
    size_t n_blocks;        /* of the material's that the node has */
    int32_t lowest;         /* height that a block was asked for */
    size_t asked;
    size_t locators[8]; /* hashes in each getheaders */
    size_t n_locators;
} scene;

static const char *const dawn[] = {
    "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"
    "000000000000000000000000000000000000000000000000000000000000000081ad5f49"
    "ffff001def59910b",
    "01000000df5672e92429be134dbe84d1b5ae880b686ce72fa6a415d2196bf27200000000"
    "c0c62d0000000000000000000000000000000000000000000000000000000000d9af5f49"
    "ffff001dd2c1440d",
    "010000006277fcee77f07167e34a11a29ed2c21b4a75d3ee9025213c0bd2926f00000000"
    "c02709000000000000000000000000000000000000000000000000000000000031b25f49"
    "ffff001dfa078810",
};

static void begin(scene *s, spv_chain chain, uint64_t services)
{
    const spv_network *network = spv_network_get(chain);

    *s = (scene){.lowest = INT32_MAX};
    spv__survey_init(&s->survey, network, 5);
    spv__session_begin(&s->session, network, 1, &(spv_netaddr){0}, false, 1, 0);
    s->session.services = services;
    s->session.state = SPV_SESSION_READY;
    spv__survey_begin(&s->survey, &s->session);
}

static void end(scene *s)
{
    spv__survey_clear(&s->survey);
    spv__session_clear(&s->session);
    spv_material_free(s->material);
}

static void tell(scene *s, spv_message_kind kind, const spv_buf *payload)
{
    spv_heard heard = {
        .kind = kind, .payload = payload->bytes, .len = payload->len};

    assert_int_equal(payload->err, SPV_OK);
    spv__survey_hear(&s->survey, &s->session, &heard);
}

/* ---- A node that answers as it should ---- */

static void put_dawn(spv_buf *out)
{
    spv__put_compact(out, COUNT(dawn));
    for (size_t i = 0; i < COUNT(dawn); i++) {
        spv_buf header = bytes_of(dawn[i]);

        spv__put_bytes(out, header.bytes, header.len);
        spv__put_u8(out, 0);
        spv__buf_clear(&header);
    }
}

static void answer_headers(scene *s, const spv_frame *f)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_message m;

    assert_int_equal(
        spv__message_decode(&m, SPV_MSG_GETHEADERS, f->payload, f->len),
        SPV_OK);
    s->locators[s->n_locators++ % COUNT(s->locators)] = m.as.locator.hashes.n;
    if (!s->material) {
        put_dawn(&payload);
    } else {
        spv__put_compact(&payload, s->n_blocks);
        for (size_t i = 0; i < s->n_blocks; i++) {
            spv__put_bytes(&payload,
                           spv_material_block_at(s->material, i).bytes,
                           SPV_HEADER_LEN);
            spv__put_u8(&payload, 0);
        }
    }
    tell(s, SPV_MSG_HEADERS, &payload);
    spv__buf_clear(&payload);
}

static void answer_blocks(scene *s, const spv_frame *f)
{
    spv_message m;

    assert_int_equal(
        spv__message_decode(&m, SPV_MSG_GETDATA, f->payload, f->len), SPV_OK);
    for (size_t i = 0; i < m.as.inv.n; i++) {
        spv_inv item = spv__inv_get(&m.as.inv, i);

        assert_int_equal(item.type, SPV_INV_WITNESS_BLOCK);
        s->asked++;
        for (size_t k = 0; s->material && k < s->n_blocks; k++) {
            spv_material_block b = spv_material_block_at(s->material, k);
            spv_buf payload = SPV_BUF_EMPTY;

            if (!spv_hash_equal(&b.hash, &item.hash))
                continue;
            s->lowest = b.height < s->lowest ? b.height : s->lowest;
            spv__put_bytes(&payload, b.bytes, b.len);
            tell(s, SPV_MSG_BLOCK, &payload);
            spv__buf_clear(&payload);
        }
    }
}

/* Answer what was asked; its answers may ask for more. */
static void answer_all(scene *s)
{
    while (s->session.out.len > 0) {
        spv_buf asked = s->session.out;
        size_t at = 0;
        spv_frame f;

        s->session.out = (spv_buf)SPV_BUF_EMPTY;
        for (; at < asked.len; at += f.size) {
            assert_int_equal(spv__frame_decode(&f, asked.bytes + at,
                                               asked.len - at,
                                               s->session.network),
                             SPV_FRAME_WHOLE);
            if (strcmp(f.command, "getheaders") == 0)
                answer_headers(s, &f);
            else if (strcmp(f.command, "getdata") == 0)
                answer_blocks(s, &f);
            else
                tell(s, SPV_MSG_PONG,
                     &(spv_buf){.bytes =
                                    asked.bytes + at + SPV__FRAME_HEADER_LEN,
                                .len = f.len});
        }
        spv__buf_clear(&asked);
    }
}

static void make_chain(scene *s, size_t n_blocks)
{
    spv_material_options o = spv_material_defaults();

    assert_int_equal(spv_material_new(&s->material, &o), SPV_OK);
    s->n_blocks = n_blocks ? n_blocks : spv_material_blocks(s->material);
}

/* ---- The tests ---- */

/* Of a chain with checkpoints the first headers are looked at, then those from
 * the last checkpoint on; a node that has it not begins at genesis again. */
static void a_long_chain_is_looked_at_from_both_ends(void **state)
{
    scene s;

    (void)state;
    begin(&s, SPV_MAIN, SPV__NODE_NETWORK | SPV__NODE_WITNESS);
    answer_all(&s);
    assert_int_equal(s.n_locators, 2);
    assert_int_equal(s.locators[0], 1);
    assert_true(s.locators[1] > 5 && s.locators[1] <= 32);
    assert_int_equal(spv__survey_height(&s.survey), 3);
    assert_int_equal(s.survey.dawn.n, 3);
    assert_int_equal(s.survey.dawn.first, 1);
    /* It gives no block, so it is not asked for more. */
    assert_int_equal(s.asked, 3);
    assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
    assert_int_equal(s.survey.err, SPV_OK);
    assert_int_equal(s.survey.samples.n, 0);
    end(&s);
}

static void headers_that_are_no_chain_end_it(void **state)
{
    /* Of the second header the block before it; of the last one the nonce,
     * and so the work. */
    static const size_t spoiled[] = {1 + 81 + 4, 1 + 2 * 81 + 76};

    (void)state;
    for (size_t i = 0; i < COUNT(spoiled); i++) {
        spv_buf payload = SPV_BUF_EMPTY;
        scene s;

        begin(&s, SPV_MAIN, SPV__NODE_NETWORK);
        put_dawn(&payload);
        payload.bytes[spoiled[i]] ^= 1;
        tell(&s, SPV_MSG_HEADERS, &payload);
        assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
        assert_int_equal(s.survey.err, SPV_PROTOCOL);
        assert_non_null(s.survey.why);
        spv__buf_clear(&payload);
        end(&s);
    }
}

static void a_chain_without_the_block_that_it_must_have_ends_it(void **state)
{
    (void)state;
    for (size_t n_blocks = 20; n_blocks <= 21; n_blocks++) {
        scene s;

        begin(&s, SPV_REGTEST, SPV__NODE_NETWORK | SPV__NODE_WITNESS);
        make_chain(&s, n_blocks);
        s.survey.must_have = spv_material_block_at(s.material, 20).hash;
        answer_all(&s);
        assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
        assert_int_equal(s.survey.err, n_blocks == 20 ? SPV_NOT_FOUND : SPV_OK);
        end(&s);
    }
}

/* It stops when it has seen every shape, long before its budget is spent. */
static void it_ends_when_every_shape_was_seen(void **state)
{
    scene s;

    (void)state;
    begin(&s, SPV_REGTEST, SPV__NODE_NETWORK | SPV__NODE_WITNESS);
    make_chain(&s, 0);
    answer_all(&s);
    assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
    assert_int_equal(spv__samples_lacks(&s.survey.samples), 0);
    assert_true(s.survey.samples.n < 100);
    end(&s);
}

static void it_ends_when_its_budget_is_spent(void **state)
{
    scene s;

    (void)state;
    begin(&s, SPV_REGTEST, SPV__NODE_NETWORK | SPV__NODE_WITNESS);
    make_chain(&s, 300); /* plain ones: coinbases alone */
    answer_all(&s);
    assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
    assert_true(s.survey.samples.n >= SPV__SURVEY_BLOCKS_MAX &&
                s.survey.samples.n < SPV__SURVEY_BLOCKS_MAX + SPV__SURVEY_RUN);
    assert_int_equal(s.survey.samples.n, s.asked); /* none twice */
    end(&s);
}

static void a_pruned_node_is_asked_for_what_it_has(void **state)
{
    scene s;

    (void)state;
    begin(&s, SPV_REGTEST,
          SPV__NODE_NETWORK_LIMITED | SPV__NODE_WITNESS | SPV__NODE_BLOOM);
    make_chain(&s, 430);
    answer_all(&s);
    assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
    assert_true(s.survey.samples.n >= SPV__SURVEY_BLOCKS_MAX);
    assert_true(s.lowest >= 430 - 280);
    end(&s);
}

static void what_came_before_silence_is_kept(void **state)
{
    scene s;

    (void)state;
    begin(&s, SPV_REGTEST, SPV__NODE_NETWORK | SPV__NODE_WITNESS);
    make_chain(&s, 0);
    spv__survey_stop(&s.survey, SPV_TIMEOUT, "silence");
    assert_int_equal(s.survey.err, SPV_TIMEOUT);
    end(&s);

    begin(&s, SPV_REGTEST, SPV__NODE_NETWORK | SPV__NODE_WITNESS);
    make_chain(&s, 300);
    answer_all(&s);
    s.survey.phase = SPV_SURVEY_BLOCKS;
    spv__survey_stop(&s.survey, SPV_TIMEOUT, "silence");
    assert_int_equal(s.survey.err, SPV_OK);
    assert_int_equal(s.survey.phase, SPV_SURVEY_DONE);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_chain_is_looked_at_from_both_ends),
        cmocka_unit_test(headers_that_are_no_chain_end_it),
        cmocka_unit_test(a_chain_without_the_block_that_it_must_have_ends_it),
        cmocka_unit_test(it_ends_when_every_shape_was_seen),
        cmocka_unit_test(it_ends_when_its_budget_is_spent),
        cmocka_unit_test(a_pruned_node_is_asked_for_what_it_has),
        cmocka_unit_test(what_came_before_silence_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
