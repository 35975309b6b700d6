#include "store_scratch.h"

#include "store/card.h"

static const struct {
    const char *key;
    const char *value;
} LINES[] = {
    {"network", "regtest"},        {"type", "wpkh"},          {"gap", "20"},
    {"descriptor", "wpkh(a=b)#x"}, {"descriptor", "tr(c)#y"}, {"note", ""},
};

#define N_LINES (sizeof(LINES) / sizeof(*LINES))

static spv_path saved(void **state)
{
    spv_path path = scratch_path(state, "joe.wallet");
    spv_card card = SPV_CARD_EMPTY;

    for (size_t i = 0; i < N_LINES; i++)
        assert_int_equal(spv__card_add(&card, LINES[i].key, LINES[i].value),
                         SPV_OK);
    assert_int_equal(spv__card_save(&card, path.text, NULL), SPV_OK);
    spv__card_clear(&card);
    return path;
}

static void assert_is_whole(const char *path)
{
    spv_card card = SPV_CARD_EMPTY;

    assert_int_equal(spv__card_load(&card, path, NULL), SPV_OK);
    assert_string_equal(spv__card_find(&card, "network", 0), "regtest");
    assert_string_equal(spv__card_find(&card, "descriptor", 0), "wpkh(a=b)#x");
    assert_string_equal(spv__card_find(&card, "descriptor", 1), "tr(c)#y");
    assert_string_equal(spv__card_find(&card, "note", 0), "");
    assert_null(spv__card_find(&card, "descriptor", 2));
    assert_null(spv__card_find(&card, "descript", 0));
    assert_null(spv__card_find(&card, "checksum", 0));
    spv__card_clear(&card);
}

static void what_is_saved_is_loaded(void **state)
{
    spv_path path = saved(state);

    assert_is_whole(path.text);
    assert_int_equal(scratch_mode(path.text), 0600);
    assert_is_whole(saved(state).text); /* over the old one */
}

static void an_empty_card_is_a_card(void **state)
{
    spv_path path = scratch_path(state, "joe.wallet");
    spv_card card = SPV_CARD_EMPTY;

    assert_null(spv__card_find(&card, "network", 0));
    assert_int_equal(spv__card_save(&card, path.text, NULL), SPV_OK);
    assert_int_equal(spv__card_load(&card, path.text, NULL), SPV_OK);
    assert_null(spv__card_find(&card, "network", 0));
    spv__card_clear(&card);
}

static void lines_that_would_not_read_back_are_refused(void **state)
{
    static const struct {
        const char *key;
        const char *value;
    } cases[] = {
        {"", "v"},       {"#k", "v"},  {"a=b", "v"},      {"a\nb", "v"},
        {"a", "v\nb=c"}, {"a", "v\r"}, {"checksum", "v"},
    };
    spv_card card = SPV_CARD_EMPTY;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(spv__card_add(&card, cases[i].key, cases[i].value),
                         SPV_INVAL);
    assert_int_equal(card.lines.len, 0);
}

static void assert_damaged(const char *path)
{
    spv_card card = SPV_CARD_EMPTY;
    spv_detail why = {""};

    assert_int_equal(spv__card_load(&card, path, &why), SPV_DAMAGED);
    assert_non_null(strstr(why.text, path));
    assert_int_equal(card.lines.len, 0);
}

static void all_damage_is_found(void **state)
{
    spv_path path = saved(state);
    size_t len;
    uint8_t *bytes = scratch_read(path.text, &len);

    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= 1;
        scratch_write(path.text, bytes, len);
        assert_damaged(path.text);
        bytes[i] ^= 1;
        scratch_write(path.text, bytes, i);
        assert_damaged(path.text);
    }
    free(bytes);
}

/* The checksums are of these very texts, made with another program:
 * printf '...' | sha256sum | xxd -r -p | sha256sum */
static void texts_are_judged_as_the_header_says(void **state)
{
    static const struct {
        const char *text;
        spv_err want;
    } cases[] = {
        {"# spvclient wallet card, version 1\nnetwork=regtest\n"
         "checksum=f9dd2c98b3e55fe210097bb161c1bbb2"
         "852774a6da449f884653081412ecfd27\n",
         SPV_OK},
        {"# spvclient wallet card, version 2\nnetwork=regtest\n"
         "checksum=3261ffe116ba43a4ac09d177d97845b7"
         "3d2a064af444ae65a2021f5072b3deff\n",
         SPV_UNSUPPORTED},
        {"# some other file\nnetwork=regtest\n"
         "checksum=5d5f637d06792b17363a56b901e25b82"
         "479abcff619ba37b48c8d2a3f0818263\n",
         SPV_DAMAGED},
        {"# spvclient wallet card, version 1\nnetwork\n"
         "checksum=c96e01076b169c472479dfeb617f84f5"
         "0f58fae2032b03a270a68cad733e3742\n",
         SPV_DAMAGED},
        {"network=regtest\n", SPV_DAMAGED},
        {"", SPV_DAMAGED},
    };
    spv_path path = scratch_path(state, "joe.wallet");

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        spv_card card = SPV_CARD_EMPTY;

        scratch_write(path.text, cases[i].text, strlen(cases[i].text));
        assert_int_equal(spv__card_load(&card, path.text, NULL), cases[i].want);
        spv__card_clear(&card);
    }
}

static void a_card_that_is_not_there_is_not_found(void **state)
{
    spv_card card = SPV_CARD_EMPTY;

    assert_int_equal(
        spv__card_load(&card, scratch_path(state, "no.wallet").text, NULL),
        SPV_NOT_FOUND);
}

static void a_failed_save_keeps_the_old_card(void **state)
{
    spv_path path = saved(state);
    spv_path in_the_way = scratch_path(state, "joe.wallet.new");
    spv_card card = SPV_CARD_EMPTY;

    /* A folder by the temporary name: neither removed nor written over. */
    assert_int_equal(mkdir(in_the_way.text, 0700), 0);
    assert_int_equal(spv__card_add(&card, "network", "main"), SPV_OK);
    assert_int_equal(spv__card_save(&card, path.text, NULL), SPV_IO);
    spv__card_clear(&card);
    assert_is_whole(path.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_is_saved_is_loaded),
        scratch_test(an_empty_card_is_a_card),
        scratch_test(lines_that_would_not_read_back_are_refused),
        scratch_test(all_damage_is_found),
        scratch_test(texts_are_judged_as_the_header_says),
        scratch_test(a_card_that_is_not_there_is_not_found),
        scratch_test(a_failed_save_keeps_the_old_card),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
