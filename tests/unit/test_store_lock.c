#include "store_scratch.h"

#include <signal.h>
#include <sys/wait.h>

#include "store/lock.h"

static spv_folder made_folder(void **state)
{
    spv_folder f;

    assert_int_equal(
        spv__folder_init(&f, *state, spv_network_get(SPV_REGTEST), NULL),
        SPV_OK);
    assert_int_equal(spv__folder_make(&f, NULL), SPV_OK);
    return f;
}

static void the_second_taker_is_told_busy(void **state)
{
    spv_folder f = made_folder(state);
    spv_detail why = {""};
    spv_lock first = SPV_LOCK_NONE;
    spv_lock second = SPV_LOCK_NONE;

    assert_int_equal(spv__lock_take(&first, &f, NULL), SPV_OK);
    assert_int_equal(spv__lock_take(&second, &f, &why), SPV_BUSY);
    assert_non_null(strstr(why.text, f.root.text));
    spv__lock_drop(&second);
    assert_int_equal(spv__lock_take(&second, &f, &why), SPV_BUSY);
    spv__lock_drop(&first);
    spv__lock_drop(&first);
    assert_int_equal(spv__lock_take(&second, &f, &why), SPV_OK);
    spv__lock_drop(&second);
}

static void what_a_link_leads_to_is_left_alone(void **state)
{
    static const char precious[] = "precious";
    spv_folder f = made_folder(state);
    spv_path victim = scratch_path(state, "victim");
    spv_path link = scratch_path(state, "regtest/lock");
    spv_detail why = {""};
    spv_lock lock = SPV_LOCK_NONE;
    size_t len = 0;
    uint8_t *bytes = NULL;

    scratch_write(victim.text, (const uint8_t *)precious, sizeof(precious));
    assert_int_equal(symlink(victim.text, link.text), 0);
    assert_int_equal(spv__lock_take(&lock, &f, &why), SPV_IO);
    assert_non_null(strstr(why.text, link.text));
    bytes = scratch_read(victim.text, &len);
    assert_int_equal(len, sizeof(precious));
    assert_memory_equal(bytes, precious, len);
    free(bytes);
}

/** A child that takes the lock, says so through `said`, and waits for death. */
static pid_t start_holder(const spv_folder *f, int said[2])
{
    spv_lock lock = SPV_LOCK_NONE;
    pid_t pid;

    assert_int_equal(pipe(said), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    if (spv__lock_take(&lock, f, NULL) != SPV_OK || write(said[1], "k", 1) != 1)
        _exit(1);
    for (;;)
        (void)pause();
}

static void a_lock_dies_with_its_process(void **state)
{
    spv_folder f = made_folder(state);
    spv_lock lock = SPV_LOCK_NONE;
    spv_detail why = {""};
    int said[2];
    char ready;
    char name[32];
    pid_t pid = start_holder(&f, said);

    assert_int_equal(read(said[0], &ready, 1), 1);
    assert_int_equal(spv__lock_take(&lock, &f, &why), SPV_BUSY);
    (void)snprintf(name, sizeof(name), "process %ld", (long)pid);
    assert_non_null(strstr(why.text, name));

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(scratch_has(scratch_path(state, "regtest/lock").text));
    assert_int_equal(spv__lock_take(&lock, &f, &why), SPV_OK);
    spv__lock_drop(&lock);
    (void)close(said[0]);
    (void)close(said[1]);
}

static void networks_have_locks_of_their_own(void **state)
{
    spv_folder regtest = made_folder(state);
    spv_folder signet;
    spv_lock a = SPV_LOCK_NONE;
    spv_lock b = SPV_LOCK_NONE;

    assert_int_equal(
        spv__folder_init(&signet, *state, spv_network_get(SPV_SIGNET), NULL),
        SPV_OK);
    assert_int_equal(spv__folder_make(&signet, NULL), SPV_OK);
    assert_int_equal(spv__lock_take(&a, &regtest, NULL), SPV_OK);
    assert_int_equal(spv__lock_take(&b, &signet, NULL), SPV_OK);
    spv__lock_drop(&a);
    spv__lock_drop(&b);
}

static void a_missing_folder_is_named(void **state)
{
    spv_lock lock = SPV_LOCK_NONE;
    spv_detail why = {""};
    spv_folder f;

    assert_int_equal(
        spv__folder_init(&f, *state, spv_network_get(SPV_MAIN), NULL), SPV_OK);
    assert_int_equal(spv__lock_take(&lock, &f, &why), SPV_IO);
    assert_non_null(strstr(why.text, "No such file"));
    assert_int_equal(lock.fd, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(the_second_taker_is_told_busy),
        scratch_test(what_a_link_leads_to_is_left_alone),
        scratch_case("S42 a lock dies with its process",
                     a_lock_dies_with_its_process),
        scratch_test(networks_have_locks_of_their_own),
        scratch_test(a_missing_folder_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
