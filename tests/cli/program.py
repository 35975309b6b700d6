"""Runs the built program, each test in a home of its own."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SPVCLIENT", str(ROOT / "build/dev/spvclient"))
LIMIT_SECONDS = 60
LEAKS_RUNS = 3

MNEMONIC = "abandon " * 11 + "about"
FIRST_ADDRESS = {  # of MNEMONIC on regtest, by type
    "wpkh": "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk",
}
EXIT_CODES = {*range(12), 130}


def vectors(name):
    return json.loads((ROOT / "tests/vectors" / f"{name}.json").read_text())


def argument(value):
    return value if isinstance(value, bytes) else str(value)


class Answer:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode(errors="surrogateescape")
        self.err = done.stderr.decode(errors="surrogateescape")


class ProgramTest(unittest.TestCase):
    """A home folder, and ways to run the program in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.data = self.home / ".local/share/spvclient"
        self.runs = 0

    def environment(self, extra):
        kept = {k: v for k, v in os.environ.items()
                if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                         "LSAN_OPTIONS", "LLVM_PROFILE_FILE")}
        return {**kept, "HOME": str(self.home), **extra}

    def sanitized(self, env):
        """LeakSanitizer takes twice as long as all the rest of a run: it looks
        at the first runs of each test."""
        self.runs += 1
        if self.runs > LEAKS_RUNS:
            options = env.get("ASAN_OPTIONS", "")
            env["ASAN_OPTIONS"] = f"{options}:detect_leaks=0"
        return env

    def run_program(self, *args, stdin="", env=None, stdout=subprocess.PIPE,
                    before=None):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        done = subprocess.run([PROGRAM, *map(argument, args)], input=stdin,
                              stdout=stdout, stderr=subprocess.PIPE,
                              env=self.sanitized(self.environment(env or {})),
                              cwd=self.home, timeout=LIMIT_SECONDS,
                              preexec_fn=before)
        if stdout is not subprocess.PIPE:
            done.stdout = b""
        self.assertIn(done.returncode, EXIT_CODES, done.stderr)
        return Answer(done)

    def text(self, *args, **options):
        """Standard output of a run that has to succeed."""
        answer = self.run_program(*args, **options)
        self.assertEqual(answer.code, 0, answer.err)
        return answer.out

    def document(self, *args, **options):
        """The one document of a run with --json that has to succeed."""
        return json.loads(self.text("--json", *args, **options))

    def failure(self, code, *args, **options):
        """The error of a run that has to fail: the same sentence as text, with
        nothing on standard output, and as one document."""
        plain = self.run_program(*args, **options)
        self.assertEqual(plain.code, code, plain.out + plain.err)
        self.assertEqual(plain.out, "")
        self.assertIn("spvclient: ", plain.err)
        answer = self.run_program("--json", *args, **options)
        self.assertEqual(answer.code, code, answer.err)
        error = json.loads(answer.out)["error"]
        self.assertEqual(set(error) - {"rule"},
                         {"code", "name", "message", "hint"})
        self.assertEqual(error["code"], code)
        self.assertTrue(error["message"])
        self.assertIn(error["message"], plain.err)
        return error

    def restore(self, *args, kind="wpkh"):
        return self.document("--regtest", "wallet", "restore", "--type", kind,
                             "--mnemonic-stdin", *args, stdin=MNEMONIC + "\n")
