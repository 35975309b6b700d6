#include "fateful_calls.h"
#include "store_scratch.h"

#include <sys/stat.h>
#include <sys/wait.h>

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

static void a_pipe_in_its_place_is_not_waited_for(void **state)
{
    spv_path path = scratch_path(state, "pipe.secret");
    spv_secret got;

    assert_int_equal(mkfifo(path.text, 0600), 0);
    assert_int_equal(spv__secret_read(&got, path.text, NULL), SPV_IO);
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
        {10, 2, SPV_UNSUPPORTED}, /* the cipher */
        {10, 1, SPV_DAMAGED},     /* a seal without parameters */
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

/* ---- Sealed ---- */

/* As cheap as it may be: what it costs is not what is tested here. */
static spv_password password_of(const char *text)
{
    return (spv_password){
        .bytes = text, .len = strlen(text), .cost = {1, 1, 1}};
}

static const uint8_t ENTROPY[SPV__SECRET_ENTROPY] = {1, 2, 3};

static spv_err seal(const char *path, const char *text, const char *password,
                    bool *wiped)
{
    spv_secret s = secret_of(text);
    spv_password p = password_of(password);

    return spv__secret_seal(path, &s, &p, ENTROPY, wiped, NULL);
}

/** A plain file and, in its place, a sealed one. */
static spv_path sealed(void **state)
{
    spv_path path = created(state);

    assert_int_equal(seal(path.text, WORDS, "open sesame", NULL), SPV_OK);
    return path;
}

static spv_err open_with(const char *path, const char *password)
{
    spv_password p = password_of(password);
    spv_secret got;
    spv_err err = spv__secret_open(&got, path, &p, NULL);

    if (err == SPV_OK) {
        assert_int_equal(got.len, strlen(WORDS));
        assert_memory_equal(got.bytes, WORDS, got.len);
    } else {
        assert_int_equal(got.len, 0);
    }
    spv__secret_clear(&got);
    return err;
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

static void a_sealed_secret_needs_its_password(void **state)
{
    mode_t before = umask(0);
    spv_path path = sealed(state);
    spv_secret got;

    (void)umask(before);
    assert_int_equal(spv__secret_read(&got, path.text, NULL), SPV_LOCKED);
    assert_int_equal(got.len, 0);
    assert_int_equal(open_with(path.text, "open sesame"), SPV_OK);
    assert_int_equal(scratch_mode(path.text), 0600);
    assert_false(scratch_has(scratch_path(state, "joe.secret.new").text));
    assert_false(file_has(path.text, "aban"));
}

static void a_plain_secret_needs_none(void **state)
{
    spv_path path = created(state);

    assert_int_equal(open_with(path.text, "whatever"), SPV_OK);
}

static void another_password_is_told_to_be_wrong(void **state)
{
    static const char *const wrong[] = {"",
                                        "open sesam",
                                        "open sesame ",
                                        "Open sesame",
                                        "open Sesame",
                                        "open sesame\n",
                                        "close sesame"};
    spv_path path = sealed(state);

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_int_equal(open_with(path.text, wrong[i]), SPV_LOCKED);
}

static void the_password_can_be_changed(void **state)
{
    spv_path path = sealed(state);

    assert_int_equal(seal(path.text, WORDS, "new", NULL), SPV_OK);
    assert_int_equal(open_with(path.text, "open sesame"), SPV_LOCKED);
    assert_int_equal(open_with(path.text, "new"), SPV_OK);
}

static void a_seal_does_not_show_how_long_the_secret_is(void **state)
{
    spv_path path = sealed(state);
    size_t first;
    size_t second;

    free(scratch_read(path.text, &first));
    assert_int_equal(seal(path.text, "x", "open sesame", NULL), SPV_OK);
    free(scratch_read(path.text, &second));
    assert_int_equal(first, second);
}

static void every_length_can_be_sealed(void **state)
{
    static const size_t lens[] = {1, 252, 253, 1023, SPV__SECRET_MAX};
    spv_path path = created(state);
    spv_password p = password_of("p");
    spv_secret s = {.len = 0};
    spv_secret got;

    assert_int_equal(spv__secret_seal(path.text, &s, &p, ENTROPY, NULL, NULL),
                     SPV_INVAL);
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        s.len = lens[i];
        memset(s.bytes, 'a' + (int)i, s.len);
        assert_int_equal(
            spv__secret_seal(path.text, &s, &p, ENTROPY, NULL, NULL), SPV_OK);
        assert_int_equal(spv__secret_open(&got, path.text, &p, NULL), SPV_OK);
        assert_memory_equal(&got, &s, sizeof(s));
    }
}

/** A bit of every byte of a sealed file wrong in turn, and every length too
 * short: never taken for a wrong password, whether one is given or not. */
static void s53(void **state)
{
    spv_path path = sealed(state);
    spv_secret got;
    size_t len;
    uint8_t *bytes = scratch_read(path.text, &len);

    for (size_t at = 0; at < len; at++) {
        bytes[at] ^= (uint8_t)(1u << at % 8);
        scratch_write(path.text, bytes, len);
        assert_int_equal(open_with(path.text, "open sesame"), SPV_DAMAGED);
        assert_int_equal(open_with(path.text, "wrong"), SPV_DAMAGED);
        assert_int_equal(spv__secret_read(&got, path.text, NULL), SPV_DAMAGED);
        bytes[at] ^= (uint8_t)(1u << at % 8);
    }
    for (size_t n = 0; n < len; n++) {
        scratch_write(path.text, bytes, n);
        assert_int_equal(open_with(path.text, "open sesame"), SPV_DAMAGED);
    }
    scratch_write(path.text, bytes, len);
    assert_int_equal(open_with(path.text, "open sesame"), SPV_OK);
    assert_int_equal(open_with(path.text, "wrong"), SPV_LOCKED);
    free(bytes);
}

/** Where the parts of a sealed file begin. */
enum { AT_LOG2_N = 13, AT_R = 14, AT_P = 18, AT_SALT = 22, AT_PAYLOAD = 69 };

/** Set one byte of a sealed file, make the checksum right, and open it. */
static spv_err open_altered(const char *path, size_t at, uint8_t value)
{
    size_t len;
    uint8_t *bytes = scratch_read(path, &len);
    uint8_t *altered = scratch_read(path, &len);
    spv_err err;

    altered[at] = value;
    spv__sha256d((spv_hash *)(void *)(altered + len - 32), altered, len - 32);
    scratch_write(path, altered, len);
    err = open_with(path, "open sesame");
    scratch_write(path, bytes, len);
    free(bytes);
    free(altered);
    return err;
}

/** Not by chance, since the checksum is right: by somebody who wants our
 * memory, our time, or an oracle. */
static void no_file_can_ask_for_terabytes_or_years(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        spv_err want;
    } cases[] = {
        {AT_LOG2_N, 0, SPV_DAMAGED},    {AT_LOG2_N, 40, SPV_DAMAGED},
        {AT_LOG2_N, 255, SPV_DAMAGED},  {AT_R + 3, 1, SPV_DAMAGED},
        {AT_R, 0, SPV_DAMAGED},         {AT_P + 3, 1, SPV_DAMAGED},
        {AT_P, 0, SPV_DAMAGED},         {AT_LOG2_N, 2, SPV_LOCKED},
        {AT_SALT, 9, SPV_LOCKED},       {AT_PAYLOAD, 9, SPV_LOCKED},
        {AT_LOG2_N - 1, 9, SPV_DAMAGED} /* parameters that end early */
    };
    spv_path path = sealed(state);

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(open_altered(path.text, cases[i].at, cases[i].value),
                         cases[i].want);
    assert_int_equal(open_with(path.text, "open sesame"), SPV_OK);
}

static void what_was_replaced_is_overwritten(void **state)
{
    spv_path path = created(state);
    int fd = open(path.text, O_RDONLY);
    bool wiped = false;
    uint8_t byte = 1;

    assert_true(fd >= 0);
    assert_int_equal(seal(path.text, WORDS, "p", &wiped), SPV_OK);
    assert_true(wiped);
    for (size_t n = 0; read(fd, &byte, 1) == 1; n++)
        assert_int_equal(byte, 0);
    (void)close(fd);
}

static void a_copy_under_another_name_is_left_and_told(void **state)
{
    spv_path path = created(state);
    spv_path copy = scratch_path(state, "copy");
    bool wiped = true;

    assert_int_equal(link(path.text, copy.text), 0);
    assert_int_equal(seal(path.text, WORDS, "p", &wiped), SPV_OK);
    assert_false(wiped);
    assert_holds(copy.text, WORDS);
}

/* ---- Sealed, or not, but never neither ---- */

/** One of the two: plain, or sealed with the password; and what is left of the
 * other does not block the next. */
static void assert_is_either(const char *path)
{
    spv_secret got;
    spv_err err = spv__secret_read(&got, path, NULL);

    spv__secret_clear(&got);
    assert_true(err == SPV_OK || err == SPV_LOCKED);
    assert_int_equal(open_with(path, "p"), SPV_OK);
    assert_int_equal(seal(path, WORDS, "p", NULL), SPV_OK);
    assert_int_equal(open_with(path, "p"), SPV_OK);
}

/** Seal in a process that is killed before its change number `at`; false when
 * it has no more of them. */
static bool seal_and_kill(const char *path, unsigned at)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        fateful.what = FATE_KILLED;
        fateful.before = at;
        _exit(seal(path, WORDS, "p", NULL) != SPV_OK);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status);
}

static void kill_9_leaves_the_plain_file_or_the_sealed_one(void **state)
{
    unsigned at = 0;
    bool killed = true;

    for (; killed; at++) {
        spv_path path = created(state);

        killed = seal_and_kill(path.text, at);
        assert_is_either(path.text);
        assert_int_equal(unlink(path.text), 0);
    }
    assert_in_range(at, 8, 30);
}

static void whatever_fails_leaves_the_plain_file_or_the_sealed_one(void **state)
{
    unsigned at = 0;

    for (fateful.met = true; fateful.met; at++) {
        spv_path path = created(state);
        spv_err err;
        bool wiped = false;

        fateful.met = false;
        fateful.before = at;
        fateful.what = FATE_FAILS;
        err = seal(path.text, WORDS, "p", &wiped);
        fateful.what = FATE_NONE;
        assert_true(err == SPV_OK || err == SPV_IO);
        assert_false(wiped && err != SPV_OK);
        assert_is_either(path.text);
        assert_int_equal(unlink(path.text), 0);
    }
    assert_in_range(at, 8, 30);
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
        scratch_test(a_pipe_in_its_place_is_not_waited_for),
        scratch_test(the_future_is_told_from_damage),
        scratch_test(a_sealed_secret_needs_its_password),
        scratch_test(a_plain_secret_needs_none),
        scratch_test(another_password_is_told_to_be_wrong),
        scratch_test(the_password_can_be_changed),
        scratch_test(a_seal_does_not_show_how_long_the_secret_is),
        scratch_test(every_length_can_be_sealed),
        scratch_case("S53 damage of a sealed secret is no wrong password", s53),
        scratch_test(no_file_can_ask_for_terabytes_or_years),
        scratch_test(what_was_replaced_is_overwritten),
        scratch_test(a_copy_under_another_name_is_left_and_told),
        scratch_test(kill_9_leaves_the_plain_file_or_the_sealed_one),
        scratch_test(whatever_fails_leaves_the_plain_file_or_the_sealed_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
