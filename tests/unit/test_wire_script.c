#include "wire_bytes.h"

#include <spv/script.h>

#define HASH20  "0102030405060708090a0b0c0d0e0f1011121314"
#define HASH32  HASH20 "15161718191a1b1c1d1e1f20"
#define KEY33   "02" HASH32
#define KEY65   "04" HASH32 HASH32
#define KEYS_5  "21" KEY33 "21" KEY33 "21" KEY33 "21" KEY33 "21" KEY33
#define KEYS_17 KEYS_5 KEYS_5 KEYS_5 "21" KEY33 "21" KEY33
#define KEYS_20 KEYS_5 KEYS_5 KEYS_5 KEYS_5

/* `element` is what a filter needs; "" when there is nothing to match. */
static const struct {
    const char *script;
    spv_script_kind kind;
    const char *name;
    const char *element;
} scripts[] = {
    {"", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"76a914" HASH20 "88ac", SPV_SCRIPT_P2PKH, "pubkeyhash", HASH20},
    {"76a914" HASH20 "88ad", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"a914" HASH20 "87", SPV_SCRIPT_P2SH, "scripthash", HASH20},
    {"a914" HASH20 "88", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"21" KEY33 "ac", SPV_SCRIPT_P2PK, "pubkey", KEY33},
    {"41" KEY65 "ac", SPV_SCRIPT_P2PK, "pubkey", KEY65},
    {"2105" HASH32 "ac", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"4102" HASH32 HASH32 "ac", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"4c21" KEY33 "ac", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"0014" HASH20, SPV_SCRIPT_P2WPKH, "witness_v0_keyhash", HASH20},
    {"0020" HASH32, SPV_SCRIPT_P2WSH, "witness_v0_scripthash", HASH32},
    {"0002aabb", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"5120" HASH32, SPV_SCRIPT_P2TR, "witness_v1_taproot", HASH32},
    {"51024e73", SPV_SCRIPT_ANCHOR, "anchor", "4e73"},
    {"51024e74", SPV_SCRIPT_WITNESS, "witness_unknown", "4e74"},
    {"5220" HASH32, SPV_SCRIPT_WITNESS, "witness_unknown", HASH32},
    {"6028" HASH20 HASH20, SPV_SCRIPT_WITNESS, "witness_unknown",
     HASH20 HASH20},
    {"6029" HASH20 HASH20 "00", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"5101aa", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"6114" HASH20, SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"6a", SPV_SCRIPT_NULLDATA, "nulldata", ""},
    {"6a04deadbeef", SPV_SCRIPT_NULLDATA, "nulldata", ""},
    {"6a04deadbe", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"6a76", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"5121" KEY33 "51ae", SPV_SCRIPT_MULTISIG, "multisig", KEY33},
    {"5141" KEY65 "21" KEY33 "52ae", SPV_SCRIPT_MULTISIG, "multisig", KEY65},
    {"5221" KEY33 "51ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"5121" KEY33 "52ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"0021" KEY33 "51ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"5121" KEY33 "51ae00", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"5120" HASH32 "51ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"51ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"51" KEYS_17 "0111ae", SPV_SCRIPT_MULTISIG, "multisig", KEY33},
    {"0114" KEYS_20 "0114ae", SPV_SCRIPT_MULTISIG, "multisig", KEY33},
    {"51" KEYS_20 "21" KEY33 "0115ae", SPV_SCRIPT_OTHER, "nonstandard", ""},
    {"0101"
     "21" KEY33 "51ae",
     SPV_SCRIPT_OTHER, "nonstandard", ""},
};

static void scripts_have_the_kind_and_name_a_node_gives_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        spv_buf s = bytes_of(scripts[i].script);
        spv_script_kind kind = spv_script_classify(s.bytes, s.len);

        if (kind != scripts[i].kind)
            fail_msg("%s is %s", scripts[i].script, spv_script_kind_name(kind));
        assert_string_equal(spv_script_kind_name(kind), scripts[i].name);
        spv__buf_clear(&s);
    }
}

static void the_element_is_what_the_output_pushes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        spv_buf s = bytes_of(scripts[i].script);
        spv_buf want = bytes_of(scripts[i].element);
        size_t len = 99;
        const uint8_t *element = spv_script_element(s.bytes, s.len, &len);

        assert_int_equal(len, want.len);
        assert_int_equal(element != NULL, want.len != 0);
        if (element)
            assert_memory_equal(element, want.bytes, len);
        spv__buf_clear(&s);
        spv__buf_clear(&want);
    }
}

static void pushes_of_every_width_are_walked(void **state)
{
    static const struct {
        uint8_t opcode;
        int len; /* -1: no push */
    } want[] = {{0x00, 0}, {0x01, 1},  {0x4c, 2},  {0x4d, 1},
                {0x4e, 1}, {0x51, -1}, {0x4f, -1}, {0xac, -1}};
    spv_buf s = bytes_of("00"
                         "01aa"
                         "4c02aabb"
                         "4d0100aa"
                         "4e01000000aa"
                         "51"
                         "4f"
                         "ac");
    spv_script_op op;
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(spv_script_next(&op, s.bytes, s.len, &at));
        assert_int_equal(op.opcode, want[i].opcode);
        assert_int_equal(op.data != NULL, want[i].len >= 0);
        assert_int_equal(op.len, want[i].len >= 0 ? want[i].len : 0);
    }
    assert_false(spv_script_next(&op, s.bytes, s.len, &at));
    assert_int_equal(at, s.len);
    spv__buf_clear(&s);
}

static void a_push_that_runs_past_the_end_is_told_apart(void **state)
{
    static const char *const cut[] = {"02aa",   "4c",        "4c01",
                                      "4d01",   "4d0100",    "4e01000000",
                                      "4e0100", "4effffffff"};

    (void)state;
    for (size_t i = 0; i < COUNT(cut); i++) {
        spv_buf s = bytes_of(cut[i]);
        spv_script_op op;
        size_t at = 0;

        assert_false(spv_script_next(&op, s.bytes, s.len, &at));
        assert_int_equal(at, s.len + 1);
        assert_null(op.data);
        assert_false(spv_script_next(&op, s.bytes, s.len, &at));
        assert_int_equal(at, s.len + 1);
        spv__buf_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_have_the_kind_and_name_a_node_gives_them),
        cmocka_unit_test(the_element_is_what_the_output_pushes),
        cmocka_unit_test(pushes_of_every_width_are_walked),
        cmocka_unit_test(a_push_that_runs_past_the_end_is_told_apart),
    };

    return cmocka_run_group_tests_name("wire.script", tests, NULL, NULL);
}
