#include "store_scratch.h"

#include "base/digest.h"
#include "store/secret.h"

static const char WORDS[] = "abandon abandon abandon about";

static spv_secret secret_of(const char *text)
{
    spv_secret s = {.len = strlen(text)};

    memcpy(s.bytes, text, s.len);
    return s;
}

static spv_path created(void **state)
{
    spv_path path = scratch_path(state, "joe.secret");
    spv_secret s = secret_of(WORDS);

    assert_int_equal(spv__secret_create(path.text, &s, NULL), SPV_OK);
    return path;
}

static void assert_holds(const char *path, const char *text)
{
    spv_secret got;

    assert_int_equal(spv__secret_read(&got, path, NULL), SPV_OK);
    assert_int_equal(got.len, strlen(text));
    assert_memory_equal(got.bytes, text, got.len);
    spv__secret_clear(&got);
    assert_int_equal(got.len, 0);
    assert_int_equal(got.bytes[0], 0);
}

static void what_is_written_is_read(void **state)
{
    mode_t before = umask(0);
    spv_path path = created(state);

    (void)umask(before);
    assert_holds(path.text, WORDS);
    assert_int_equal(scratch_mode(path.text), 0600);
    assert_false(scratch_has(scratch_path(state, "joe.secret.new").text));
}

static void every_length_up_to_the_most_is_kept(void **state)
{
    static const size_t lens[] = {1, 252, 253, 254, 1023, SPV__SECRET_MAX};
    spv_path path = scratch_path(state, "joe.secret");

    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        spv_secret s = {.len = lens[i]};
        spv_secret got;

        memset(s.bytes, 'a' + (int)i, s.len);
        assert_int_equal(spv__secret_create(path.text, &s, NULL), SPV_OK);
        assert_int_equal(spv__secret_read(&got, path.text, NULL), SPV_OK);
        assert_memory_equal(&got, &s, sizeof(s));
        assert_int_equal(unlink(path.text), 0);
    }
}

static void a_secret_is_never_replaced(void **state)
{
    spv_path path = created(state);
    spv_secret other = secret_of("zoo zoo zoo wrong");
    spv_detail why = {""};

    assert_int_equal(spv__secret_create(path.text, &other, &why), SPV_EXISTS);
    assert_non_null(strstr(why.text, path.text));
    assert_holds(path.text, WORDS);
}

static void even_a_damaged_one_is_not_replaced(void **state)
{
    spv_path path = scratch_path(state, "joe.secret");
    spv_secret s = secret_of(WORDS);
    uint8_t *bytes;
    size_t len;

    scratch_write(path.text, "", 0);
    assert_int_equal(spv__secret_create(path.text, &s, NULL), SPV_EXISTS);
    bytes = scratch_read(path.text, &len);
    assert_int_equal(len, 0);
    free(bytes);
}

static void what_a_crash_left_does_not_block(void **state)
{
    scratch_write(scratch_path(state, "joe.secret.new").text, "half", 4);
    assert_holds(created(state).text, WORDS);
}

static void nothing_is_left_where_it_cannot_be_written(void **state)
{
    spv_path path = scratch_path(state, "nowhere/joe.secret");
    spv_secret s = secret_of(WORDS);
    spv_secret empty = {.len = 0};
    spv_secret got;
    spv_detail why = {""};

    assert_int_equal(spv__secret_create(path.text, &s, &why), SPV_IO);
    assert_non_null(strstr(why.text, path.text));
    assert_null(strstr(why.text, "abandon"));
    assert_int_equal(spv__secret_create(path.text, &empty, &why), SPV_INVAL);
    assert_int_equal(spv__secret_read(&got, path.text, &why), SPV_NOT_FOUND);
}

/** Every bit of the file wrong in turn, and every length too short. */
static void all_damage_is_found(void **state)
{
    spv_path path = created(state);
    spv_secret got;
    size_t len;
    uint8_t *bytes = scratch_read(path.text, &len);
    spv_detail why = {""};

    for (size_t bit = 0; bit < 8 * len; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        scratch_write(path.text, bytes, len);
        assert_int_equal(spv__secret_read(&got, path.text, &why), SPV_DAMAGED);
        assert_int_equal(got.len, 0);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t n = 0; n < len; n++) {
        scratch_write(path.text, bytes, n);
        assert_int_equal(spv__secret_read(&got, path.text, &why), SPV_DAMAGED);
    }
    assert_non_null(strstr(why.text, path.text));
    scratch_write(path.text, bytes, len);
    assert_holds(path.text, WORDS);
    free(bytes);
}

static void a_file_that_is_too_long_is_damaged(void **state)
{
    static const uint8_t zeros[1 << 16];
    spv_path path = scratch_path(state, "joe.secret");
    spv_secret got;

    scratch_write(path.text, zeros, sizeof(zeros));
    assert_int_equal(spv__secret_read(&got, path.text, NULL), SPV_DAMAGED);
}

/** Change one byte and make the checksum right again. */
static spv_err read_altered(const char *path, size_t at, uint8_t value)
{
    size_t len;
    uint8_t *bytes = scratch_read(path, &len);
    uint8_t before = bytes[at];
    spv_secret got;
    spv_err err;

    bytes[at] = value;
    spv__sha256d((spv_hash *)(void *)(bytes + len - 32), bytes, len - 32);
    scratch_write(path, bytes, len);
    err = spv__secret_read(&got, path, NULL);
    bytes[at] = before;
    spv__sha256d((spv_hash *)(void *)(bytes + len - 32), bytes, len - 32);
    scratch_write(path, bytes, len);
    free(bytes);
    return err;
}

static void the_future_is_told_from_damage(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        spv_err want;
    } cases[] = {
        {0, 'S', SPV_DAMAGED},    /* the magic */
        {8, 2, SPV_UNSUPPORTED},  /* the version */
        {10, 1, SPV_UNSUPPORTED}, /* the cipher */
        {12, 9, SPV_DAMAGED},     /* parameters that leave no payload */
        {13, 200, SPV_DAMAGED},   /* a payload past the end */
        {13, 28, SPV_DAMAGED},    /* a payload that ends early */
    };
    spv_path path = created(state);

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(read_altered(path.text, cases[i].at, cases[i].value),
                         cases[i].want);
    assert_holds(path.text, WORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_is_written_is_read),
        scratch_test(every_length_up_to_the_most_is_kept),
        scratch_test(a_secret_is_never_replaced),
        scratch_test(even_a_damaged_one_is_not_replaced),
        scratch_test(what_a_crash_left_does_not_block),
        scratch_test(nothing_is_left_where_it_cannot_be_written),
        scratch_test(all_damage_is_found),
        scratch_test(a_file_that_is_too_long_is_damaged),
        scratch_test(the_future_is_told_from_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
