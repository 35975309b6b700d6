"""What can spend is told to nobody but its owner."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
from itertools import pairwise

from program import MNEMONIC, PROGRAM
from secret import PASSWORD, SecretTest

STRANGER = 65534  # a user without any rights, for when root runs this


class S53(SecretTest):
    """A wrong password and a damaged file are different errors. No secret in
    arguments, environment, logs or core dumps."""

    def test_S53_a_wrong_password_is_exit_code_4(self):
        self.restore()
        self.encrypt()
        error = self.backup_fails(4, password="open sesam")
        self.assertEqual(error["name"], "LOCKED")
        self.assertIn("password", error["message"])
        error = self.failure(4, "--regtest", "wallet", "backup")
        self.assertIn("--password-stdin", error["hint"])
        self.assertEqual(self.back_up()["mnemonic"], MNEMONIC)

    def test_S53_a_damaged_file_is_exit_code_10_whatever_the_password(self):
        self.restore()
        self.encrypt()
        whole = self.secret.read_bytes()
        harmed = [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:]
                  for at in range(0, len(whole), len(whole) // 8)]
        for bytes_ in [*harmed, b"", whole[:-1], whole + b"x",
                       whole[:len(whole) // 2]]:
            self.secret.write_bytes(bytes_)
            error = self.backup_fails(10)
            self.assertEqual(error["name"], "DAMAGED")
            self.assertNotIn("password", error["message"])
            self.backup_fails(10, password="wrong")
        self.failure(10, "--regtest", "wallet", "show")
        self.failure(10, "--regtest", "wallet", "encrypt", "--password-stdin",
                     stdin="x\n")
        self.secret.write_bytes(whole)
        self.assertEqual(self.back_up()["mnemonic"], MNEMONIC)

    def test_S53_no_secret_is_taken_from_arguments_or_the_environment(self):
        for args in (("--password", "hunter2"), ("--password=hunter2",),
                     ("--new-password", "hunter2"), ("hunter2",)):
            error = self.failure(2, "wallet", "encrypt", *args)
            self.assertNotIn("hunter2", json.dumps(error))
            self.assertIn("--password-stdin", error["hint"])
        error = self.failure(2, "wallet", "encrypt", "--password", "hunter2")
        for name in ("mnemonic", "passphrase", "password", "new-password"):
            for source in ("stdin", "file"):
                self.assertIn(f"--{name}-{source}", error["hint"])
        for name in ("PASSWORD", "NEW_PASSWORD", "PASSPHRASE", "MNEMONIC"):
            error = self.failure(2, "wallet", "list",
                                 env={f"SPVCLIENT_{name}": "hunter2"})
            self.assertNotIn("hunter2", json.dumps(error))
        for name in ("PASSWORD_FILE", "PASSWORD_STDIN"):
            self.failure(2, "wallet", "list", env={f"SPVCLIENT_{name}": "1"})

    def everything_told(self, *args, code=0, stdin=""):
        """Standard error and log of a run that is asked to tell all."""
        log = self.home / "log"
        answer = self.run_program("--regtest", "--log-level", "debug",
                                  "--log-file", log, *args, stdin=stdin)
        self.assertEqual(answer.code, code, answer.err)
        return answer.err + log.read_text()

    def test_S53_logs_tell_no_secret(self):
        told = ""
        for args, code, lines in (
                (("restore", "--mnemonic-stdin", "--passphrase-stdin"), 0,
                 (MNEMONIC, "hunter1")),
                (("restore", "--mnemonic-stdin"), 1, (MNEMONIC,)),
                (("restore", "--mnemonic-stdin", "--wallet", "other"), 2,
                 (MNEMONIC + " abandon",)),
                (("encrypt", "--password-stdin"), 0, ("hunter2",)),
                (("encrypt", "--password-stdin", "--new-password-stdin"), 4,
                 ("hunter3", "hunter4")),
                (("encrypt", "--password-stdin", "--new-password-stdin"), 0,
                 ("hunter2", "hunter5")),
                (("backup", "--password-stdin"), 4, ("hunter6",)),
                (("backup", "--password-stdin"), 0, ("hunter5",)),
                (("show",), 0, ())):
            told += self.everything_told("wallet", *args, code=code,
                                         stdin=self.lines(*lines))
        told += self.everything_told("sync", "--connect", "127.0.0.1:1",
                                     "--timeout", "1", code=6)
        self.assertIn("info: ", told)
        for secret in ("abandon", "hunter"):
            self.assertNotIn(secret, told)

    def files_with(self, *secrets):
        return {path.name for path in self.home.rglob("*") if path.is_file()
                and any(secret in path.read_bytes() for secret in secrets)}

    def test_S53_an_encrypted_folder_holds_the_words_nowhere(self):
        made = self.document("--regtest", "wallet", "create",
                             "--passphrase-stdin", stdin="swordfish\n")
        words = made["mnemonic"].encode().split()
        # A pair: "network" and "filter" are in every card.
        words = [b"mnemonic=", b"swordfish", *map(b" ".join, pairwise(words))]
        self.assertEqual(self.files_with(*words), {"default.secret"})
        self.encrypt()
        self.text("--regtest", "address", "new")
        self.run_program("--regtest", "sync", "--connect", "127.0.0.1:1",
                         "--timeout", "1")
        self.assertEqual(self.files_with(PASSWORD.encode(), *words), set())
        self.assertEqual(self.back_up()["passphrase"], "swordfish")

    def memory_of(self, program):
        """What it can write to, as a debugger or a core dump would have it."""
        found = b""
        proc = pathlib.Path(f"/proc/{program.pid}")
        with open(proc / "mem", "rb", buffering=0) as memory:
            for line in (proc / "maps").read_text().splitlines():
                span, rights, *_ = line.split()
                start, end = (int(n, 16) for n in span.split("-"))
                if rights.startswith("rw") and end - start < 1 << 30:
                    memory.seek(start)
                    try:
                        found += memory.read(end - start)
                    except OSError:
                        pass  # what the kernel keeps to itself
        return found

    @unittest.skipUnless(sys.platform == "linux", "looks at /proc")
    def test_S53_a_running_sync_holds_no_words_even_of_a_plain_wallet(self):
        self.restore()
        program = subprocess.Popen(
            [PROGRAM, "--regtest", "sync", "--connect", "127.0.0.1:1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment({}))
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        program.stderr.readline()  # it has begun: the peer cannot be reached
        try:
            memory = self.memory_of(program)
        except PermissionError:
            self.skipTest("no process may look into another's memory here")
        self.assertIn(str(self.data).encode(), memory)
        self.assertNotIn(b"abandon abandon", memory)

    def start_at_prompt(self):
        """A process that waits for a secret, and belongs to no superuser."""
        def step_down():
            if os.getuid() == 0:
                os.setgid(STRANGER)
                os.setuid(STRANGER)

        os.chmod(self.home, 0o777)
        try:
            return subprocess.Popen(
                [PROGRAM, "--regtest", "wallet", "restore",
                 "--mnemonic-stdin"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
                env=self.environment({}), preexec_fn=step_down)
        except PermissionError:
            self.skipTest("the program's folder is closed to other users")

    @unittest.skipUnless(sys.platform == "linux", "looks at /proc")
    def test_S53_at_a_secret_no_core_is_written_and_nobody_looks_in(self):
        program = self.start_at_prompt()
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        proc = pathlib.Path(f"/proc/{program.pid}")
        end = time.monotonic() + 20
        # What is not dumpable belongs to the superuser, and so its memory.
        while (proc / "mem").stat().st_uid != 0 and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual((proc / "mem").stat().st_uid, 0)
        limits = (proc / "limits").read_text()
        self.assertRegex(limits, r"(?m)^Max core file size +0 +0 ")
        program.send_signal(signal.SIGABRT)
        _, status = os.waitpid(program.pid, 0)
        self.assertTrue(os.WIFSIGNALED(status))
        self.assertFalse(os.WCOREDUMP(status))

if __name__ == "__main__":
    unittest.main()
