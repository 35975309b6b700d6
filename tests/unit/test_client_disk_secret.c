#include "cheap_scrypt.h"
#include "client_world.h"
#include "store_scratch.h"

#include "client/disk.h"

#define WORDS                                                          \
    "abandon abandon abandon abandon abandon abandon abandon abandon " \
    "abandon abandon abandon about"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const uint8_t ENTROPY[SPV_ENCRYPTION_ENTROPY] = {9};

static spv_place place_of(void **state)
{
    return (spv_place){
        .datadir = *state, .network = world_network(), .wallet = "w"};
}

static spv_path file_of(void **state, const char *suffix)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "regtest/wallets/w%s", suffix);
    return scratch_path(state, name);
}

static spv_client *created(void **state)
{
    spv_place place = place_of(state);
    spv_wallet_spec spec = {.type = "tr",
                            .mnemonic = WORDS,
                            .passphrase = "two\nlines",
                            .account = 7,
                            .gap = 30,
                            .birthday = 5,
                            .birthday_time = -1,
                            .fp_rate = 1e-6,
                            .updates = SPV_WALLET_UPDATES_P2PUBKEY_ONLY,
                            .entropy = WORLD_ENTROPY};
    spv_client *c = NULL;

    assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
    return c;
}

static spv_err encrypt(spv_client *c, const char *old, const char *password,
                       spv_trouble *trouble)
{
    const spv_encryption how = {
        .password = password, .old_password = old, .entropy = ENTROPY};

    return spv_client_encrypt(c, &how, trouble);
}

static spv_client *encrypted(void **state)
{
    spv_client *c = created(state);
    spv_trouble trouble = {.text = "nothing"};

    assert_int_equal(encrypt(c, NULL, "open sesame", &trouble), SPV_OK);
    assert_string_equal(trouble.text, "");
    return c;
}

static spv_err back_up(void **state, const char *password, spv_backup *out,
                       spv_trouble *trouble)
{
    static const spv_backup nothing;
    spv_place place = place_of(state);
    spv_err err = spv_wallet_backup(out, &place, password, trouble);

    if (err != SPV_OK)
        assert_memory_equal(out, &nothing, sizeof(nothing));
    return err;
}

static spv_err opens_with(void **state, const char *password)
{
    spv_backup b;
    spv_err err = back_up(state, password, &b, NULL);

    if (err == SPV_OK)
        assert_string_equal(b.mnemonic, WORDS);
    spv_backup_clear(&b);
    return err;
}

static bool is_encrypted(const spv_client *c)
{
    spv_wallet_info info;

    spv_client_info(c, &info);
    return info.encrypted;
}

static bool file_has(const char *path, const char *text)
{
    size_t len;
    uint8_t *bytes = scratch_read(path, &len);
    bool found = false;

    for (size_t at = 0; at + strlen(text) <= len; at++)
        found |= memcmp(bytes + at, text, strlen(text)) == 0;
    free(bytes);
    return found;
}

static void an_encrypted_wallet_is_used_without_its_password(void **state)
{
    spv_place place = place_of(state);
    spv_client *c = created(state);
    spv_wallet_address before;
    spv_wallet_address after;

    assert_false(is_encrypted(c));
    assert_int_equal(spv_client_address(c, false, false, &before), SPV_OK);
    assert_int_equal(encrypt(c, NULL, "open sesame", NULL), SPV_OK);
    assert_true(is_encrypted(c));
    spv_client_free(c);
    assert_int_equal(spv_client_open(&c, &place, NULL), SPV_OK);
    assert_true(is_encrypted(c));
    assert_int_equal(spv_client_address(c, false, false, &after), SPV_OK);
    assert_string_equal(before.address, after.address);
    spv_client_free(c);
}

static void the_words_are_in_no_file_any_more(void **state)
{
    static const char *const suffixes[] = {".secret", ".wallet", ".sqlite"};

    spv_client_free(encrypted(state));
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        spv_path path = file_of(state, suffixes[i]);

        assert_false(file_has(path.text, "abandon"));
        assert_false(file_has(path.text, "two\nlines"));
    }
    assert_false(scratch_has(file_of(state, ".secret.new").text));
}

static void assert_backed_up(const spv_backup *b, bool locked)
{
    assert_string_equal(b->mnemonic, WORDS);
    assert_string_equal(b->passphrase, "two\nlines");
    assert_string_equal(b->type, "tr");
    assert_int_equal(b->account, 7);
    assert_int_equal(b->gap, 30);
    assert_int_equal(b->birthday_height, 5);
    assert_int_equal(b->birthday_time, -1);
    assert_int_equal(b->encrypted, locked);
    assert_true(b->fp_rate == 1e-6);
    assert_int_equal(b->updates, SPV_WALLET_UPDATES_P2PUBKEY_ONLY);
}

static void a_backup_says_all_that_makes_the_wallet_again(void **state)
{
    spv_client *c = created(state);
    spv_backup b;

    assert_int_equal(back_up(state, NULL, &b, NULL), SPV_OK);
    assert_backed_up(&b, false);
    assert_int_equal(encrypt(c, NULL, "open sesame", NULL), SPV_OK);
    assert_int_equal(back_up(state, NULL, &b, NULL), SPV_LOCKED);
    assert_int_equal(back_up(state, "open sesame", &b, NULL), SPV_OK);
    assert_backed_up(&b, true);
    spv_client_free(c);
}

static void s53(void **state)
{
    spv_path path = file_of(state, ".secret");
    spv_trouble wrong = {0};
    spv_trouble damaged = {0};
    spv_backup b;
    spv_client *c = NULL;
    spv_place place = place_of(state);
    size_t len;
    uint8_t *bytes;

    spv_client_free(encrypted(state));
    assert_int_equal(back_up(state, "open sesam", &b, &wrong), SPV_LOCKED);
    assert_int_equal(wrong.code, SPV_LOCKED);
    assert_non_null(strstr(wrong.text, "password"));
    bytes = scratch_read(path.text, &len);
    bytes[len / 2] ^= 1;
    scratch_write(path.text, bytes, len);
    assert_int_equal(back_up(state, "open sesame", &b, &damaged), SPV_DAMAGED);
    assert_int_equal(damaged.code, SPV_DAMAGED);
    assert_non_null(strstr(damaged.text, "damaged"));
    assert_null(strstr(damaged.text, "password"));
    assert_int_equal(back_up(state, "open sesam", &b, NULL), SPV_DAMAGED);
    assert_int_equal(spv_client_open(&c, &place, NULL), SPV_DAMAGED);
    free(bytes);
}

static void the_old_password_changes_it(void **state)
{
    spv_client *c = encrypted(state);
    spv_trouble trouble;

    assert_int_equal(encrypt(c, NULL, "new", &trouble), SPV_LOCKED);
    assert_non_null(strstr(trouble.text, "is encrypted"));
    assert_int_equal(encrypt(c, "close sesame", "new", &trouble), SPV_LOCKED);
    assert_non_null(strstr(trouble.text, "password"));
    assert_int_equal(encrypt(c, "open sesame", "new", &trouble), SPV_OK);
    spv_client_free(c);
    assert_int_equal(opens_with(state, "open sesame"), SPV_LOCKED);
    assert_int_equal(opens_with(state, "new"), SPV_OK);
}

static void what_is_no_password_is_refused(void **state)
{
    static const struct {
        const char *password;
        spv_err want;
    } cases[] = {
        {"", SPV_INVAL},
        {"\xf0\x9f\x94\x91", SPV_UNSUPPORTED}, /* a key, in another plane */
        {"\xe5\xaf\x86", SPV_UNSUPPORTED},     /* a script not known here */
        {"\xff", SPV_MALFORMED},
    };
    char much[600];
    spv_client *c = created(state);
    spv_trouble trouble;

    memset(much, 'a', sizeof(much));
    much[sizeof(much) - 1] = '\0';
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(encrypt(c, NULL, cases[i].password, &trouble),
                         cases[i].want);
        assert_non_null(strstr(trouble.text, "password"));
    }
    assert_int_equal(encrypt(c, NULL, much, &trouble), SPV_LIMIT);
    assert_null(strstr(trouble.text, "aaaa"));
    assert_false(is_encrypted(c));
    spv_client_free(c);
    assert_int_equal(opens_with(state, NULL), SPV_OK);
}

static void accents_count_however_they_are_composed(void **state)
{
    spv_client *c = created(state);

    assert_int_equal(encrypt(c, NULL, "caf\xc3\xa9", NULL), SPV_OK);
    spv_client_free(c);
    assert_int_equal(opens_with(state, "cafe\xcc\x81"), SPV_OK);
    assert_int_equal(opens_with(state, "cafe"), SPV_LOCKED);
    assert_int_equal(opens_with(state, "\xff"), SPV_LOCKED);
}

static void what_only_watches_has_no_secret(void **state)
{
    static const char *const descriptor[] = {WORLD_RAW};
    spv_place place = place_of(state);
    spv_wallet_spec spec = {.descriptors = descriptor,
                            .n_descriptors = 1,
                            .birthday = -1,
                            .birthday_time = -1,
                            .entropy = WORLD_ENTROPY};
    spv_client *c = NULL;
    spv_trouble trouble;
    spv_backup b;

    assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
    assert_int_equal(encrypt(c, NULL, "p", &trouble), SPV_UNSUPPORTED);
    assert_non_null(strstr(trouble.text, "only watches"));
    assert_int_equal(back_up(state, NULL, &b, &trouble), SPV_UNSUPPORTED);
    assert_non_null(strstr(trouble.text, "only watches"));
    spv_client_free(c);
    c = client_watching(WORLD_RAW, -1);
    assert_int_equal(encrypt(c, NULL, "p", &trouble), SPV_INVAL);
    spv_client_free(c);
}

static void there_is_no_backup_of_what_is_not_there(void **state)
{
    spv_place place = place_of(state);
    spv_trouble trouble;
    spv_backup b;

    assert_int_equal(back_up(state, NULL, &b, &trouble), SPV_NOT_FOUND);
    place.wallet = "../w";
    assert_int_equal(spv_wallet_backup(&b, &place, NULL, &trouble), SPV_INVAL);
    assert_int_equal(b.birthday_height, 0); /* cleared, as after any failure */
    spv_client_free(created(state));
    assert_int_equal(unlink(file_of(state, ".secret").text), 0);
    assert_int_equal(back_up(state, NULL, &b, &trouble), SPV_DAMAGED);
    assert_non_null(strstr(trouble.text, "missing"));
}

/** All that is left is the secret, and its password. */
static void the_secret_alone_is_a_backup(void **state)
{
    spv_place place = place_of(state);
    spv_client *c = NULL;
    spv_trouble trouble;
    spv_backup b;

    spv_client_free(encrypted(state));
    assert_int_equal(unlink(file_of(state, ".wallet").text), 0);
    assert_int_equal(unlink(file_of(state, ".sqlite").text), 0);
    assert_int_equal(spv_client_open(&c, &place, &trouble), SPV_NOT_FOUND);
    assert_non_null(strstr(trouble.hint, "wallet backup"));
    assert_int_equal(back_up(state, "open sesame", &b, NULL), SPV_OK);
    assert_string_equal(b.mnemonic, WORDS);
    assert_string_equal(b.type, "");
}

static void an_encrypted_secret_is_in_the_way_of_no_other_wallet(void **state)
{
    spv_place place = place_of(state);
    spv_wallet_spec spec = {.type = "tr",
                            .mnemonic = WORDS,
                            .birthday = -1,
                            .birthday_time = -1,
                            .entropy = WORLD_ENTROPY};
    spv_client *c = NULL;
    spv_trouble trouble;

    spv_client_free(encrypted(state));
    assert_int_equal(unlink(file_of(state, ".wallet").text), 0);
    assert_int_equal(unlink(file_of(state, ".sqlite").text), 0);
    assert_int_equal(spv_client_create(&c, &place, &spec, &trouble),
                     SPV_EXISTS);
    assert_non_null(strstr(trouble.text, "encrypted"));
    assert_non_null(strstr(trouble.hint, "--wallet"));
    assert_int_equal(opens_with(state, "open sesame"), SPV_OK);
    place.wallet = "other";
    assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
    spv_client_free(c);
}

static void a_copy_that_could_not_be_overwritten_is_told(void **state)
{
    spv_client *c = created(state);
    spv_trouble trouble;

    assert_int_equal(
        link(file_of(state, ".secret").text, scratch_path(state, "copy").text),
        0);
    assert_int_equal(encrypt(c, NULL, "p", &trouble), SPV_OK);
    assert_non_null(strstr(trouble.text, "overwritten"));
    assert_int_equal(trouble.code, SPV_OK);
    spv_client_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(an_encrypted_wallet_is_used_without_its_password),
        scratch_test(the_words_are_in_no_file_any_more),
        scratch_test(a_backup_says_all_that_makes_the_wallet_again),
        scratch_case("S53 a wrong password and a damaged file are told apart",
                     s53),
        scratch_test(the_old_password_changes_it),
        scratch_test(what_is_no_password_is_refused),
        scratch_test(accents_count_however_they_are_composed),
        scratch_test(what_only_watches_has_no_secret),
        scratch_test(there_is_no_backup_of_what_is_not_there),
        scratch_test(the_secret_alone_is_a_backup),
        scratch_test(an_encrypted_secret_is_in_the_way_of_no_other_wallet),
        scratch_test(a_copy_that_could_not_be_overwritten_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
