"""Saved filters as files, elements as lines, and how far a command is."""

import json
import os
import pathlib
import pty
import random
import re
import signal
import stat
import subprocess
import time
import unittest

from program import PROGRAM
from saved import SavedTest, lines


class Files(SavedTest):
    def test_a_file_that_is_there_is_kept_unless_forced(self):
        (self.home / "mine").write_text("mine")
        for args in (("build", "--text", "--elements", "5"),
                     ("merge", "a", "a")):
            self.build("a", lines(range(5)), "--force")
            error = self.failure(1, "filter", *args, "--out", "mine",
                                 stdin="x\n")
            self.assertEqual(error["name"], "EXISTS")
            self.assertIn("--force", error["hint"])
            self.assertEqual(self.bytes_of("mine"), b"mine")
            self.text("filter", *args, "--out", "mine", "--force",
                      stdin="x\n")
            self.assertEqual(self.show("mine")["kind"], "bloom")
            (self.home / "mine").write_text("mine")

    def test_adding_changes_the_file_itself_or_makes_another(self):
        self.build("a", lines(range(5)))
        before = self.bytes_of("a")
        self.text("filter", "add", "a", "--text", "x", "--out", "b")
        self.assertEqual(self.bytes_of("a"), before)
        self.text("filter", "add", "a", "--text", "x")
        self.assertEqual(self.bytes_of("a"), self.bytes_of("b"))
        self.failure(1, "filter", "add", "a", "--text", "x", "--out", "b")
        self.failure(2, "filter", "add", "-", "--text", "x", stdin=before)

    def test_nothing_half_written_stays(self):
        self.build("a", lines(range(5)))
        self.assertEqual(sorted(p.name for p in self.home.iterdir()), ["a"])
        error = self.failure(1, "filter", "build", "--text", "--elements",
                             "100000", "--out", "/dev/full", stdin="x\n")
        self.assertIn("No space left", error["message"])
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.failure(1, "filter", "add", "a", "--text", "x", "--out",
                     "/dev/full")
        self.assertEqual(sorted(p.name for p in self.home.iterdir()), ["a"])

    def test_a_full_disk_leaves_the_old_file(self):
        self.build("a", lines(range(5)), elements=100000)
        before = self.bytes_of("a")
        done = subprocess.run(
            ["sh", "-c", 'ulimit -f 8; trap "" XFSZ; '
             'exec "$0" filter add a --text x', PROGRAM],
            cwd=self.home, env=self.environment({}), capture_output=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"cannot write a", done.stderr)
        self.assertEqual(self.bytes_of("a"), before)
        self.assertEqual(sorted(p.name for p in self.home.iterdir()), ["a"])

    def test_wrong_places_are_refused_before_any_line_is_read(self):
        (self.home / "folder").mkdir()
        for code, name in ((3, "no/such/folder/x"), (2, "folder"), (2, "-"),
                           (2, "")):
            with self.subTest(name=name):
                self.failure(code, "filter", "build", "--text", "--elements",
                             "5", "--out", name, stdin="bad \xff")

    def test_a_link_leads_to_the_file_that_is_written(self):
        self.build("a", lines(range(5)))
        (self.home / "link").symlink_to("a")
        self.text("filter", "add", "link", "--text", "x")
        self.assertTrue((self.home / "link").is_symlink())
        self.assertEqual(self.found("a", "x\n"), "x\n")

    def test_a_new_file_is_as_readable_as_any_other(self):
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        self.build("a", lines(range(5)))
        self.assertEqual(self.mode_of("a"), 0o640)

    def test_a_file_that_is_replaced_stays_as_private_as_it_was(self):
        self.build("a", lines(range(5)))
        (self.home / "a").chmod(0o600)
        self.text("filter", "add", "a", "--text", "x")
        self.assertEqual(self.mode_of("a"), 0o600)
        self.build("a", lines(range(5)), "--force")
        self.assertEqual(self.mode_of("a"), 0o600)

    def mode_of(self, name):
        return stat.S_IMODE((self.home / name).stat().st_mode)

    def test_foreign_files_are_refused(self):
        (self.home / "text").write_text("neither hex nor a filter\n")
        (self.home / "empty").write_bytes(b"")
        (self.home / "noise").write_bytes(random.Random(1).randbytes(5000))
        self.build("a", lines(range(5)))
        for name in ("text", "empty", "noise"):
            with self.subTest(name=name):
                self.failure(2, "filter", "show", name)
                self.failure(2, "filter", "test", name, "--text", "x")
                self.failure(2, "filter", "add", name, "--text", "x")
                self.failure(2, "filter", "merge", "a", name, "--out", "c")
        for verb in ("show", "test", "add", "remove"):
            rest = () if verb == "show" else ("--text", "x")
            self.failure(3, "filter", verb, "nowhere", *rest)
        self.failure(2, "decode", "filterload", "a")

    def test_a_newer_version_is_not_called_damage(self):
        self.build("a", lines(range(5)))
        newer = bytearray(self.bytes_of("a"))
        newer[8] = 2
        (self.home / "newer").write_bytes(newer)
        error = self.failure(2, "filter", "show", "newer")
        self.assertIn("newer version", error["message"])


class Interrupted(SavedTest):
    """Ctrl-C while a file is made: exit code 130, the old file, no remains."""

    LARGE = 20_000_000  # elements, that make 36 MB: no blink of an eye

    def setUp(self):
        super().setUp()
        self.build("a", lines(range(5)))
        self.before = self.bytes_of("a")

    def start(self, *args, stdin=subprocess.PIPE, **options):
        process = subprocess.Popen(
            [PROGRAM, "--json", "filter", *args], stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.home,
            env=self.environment({}), **options)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()

    def listening(self, process):
        """Wait until a signal would be seen: what it has handlers for is in
        the kernel's table."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        if not status.exists():
            self.skipTest("this system does not tell who handles signals")
        until = time.monotonic() + 30
        while time.monotonic() < until:
            caught = re.search(r"SigCgt:\s*(\w+)", status.read_text())
            if int(caught[1], 16) >> (signal.SIGTERM - 1) & 1:
                return
            time.sleep(0.001)
        self.fail("it never listens")

    def ended(self, process, document=True):
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        if document:
            self.assertEqual(json.loads(out)["error"]["name"], "INTERRUPTED")
        self.assertEqual(self.bytes_of("a"), self.before)
        self.assertEqual([p.name for p in self.home.iterdir()], ["a"])

    def test_while_lines_are_read(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for args in (("build", "--elements", "9", "--out", "a", "--force"),
                         ("build", "--out", "a", "--force"), ("add", "a")):
                with self.subTest(args=args, signal=number):
                    process = self.start(*args, "--text")
                    process.stdin.write(lines(range(3)).encode())
                    process.stdin.flush()
                    self.listening(process)
                    process.send_signal(number)
                    self.ended(process)

    def halt_while_writing(self):
        """A large filter's making, stopped while its new file grows."""
        for _ in range(50):
            process = self.start("build", "--text", "--elements",
                                 str(self.LARGE), "--out", "a", "--force",
                                 stdin=subprocess.DEVNULL)
            while process.poll() is None:
                if any(self.home.glob("a.new-*")):
                    process.send_signal(signal.SIGSTOP)
                    break
            os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG)
            if process.poll() is None and any(self.home.glob("a.new-*")):
                return process
            self.end(process)
            (self.home / "a").write_bytes(self.before)
        self.fail("it was never seen writing")

    def test_while_the_file_is_written(self):
        process = self.halt_while_writing()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        self.ended(process)

    def test_twice_while_the_file_is_written(self):
        process = self.halt_while_writing()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.ended(process, document=False)

    def test_what_is_ignored_stays_ignored(self):
        process = self.start("add", "a", "--text", preexec_fn=lambda:
                             signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.listening(process)
        process.send_signal(signal.SIGHUP)
        process.stdin.write(b"x\n")
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.found("a", "x\n"), "x\n")


class Lines(SavedTest):
    def test_lines_of_every_length_cross_the_blocks(self):
        source = random.Random(3)
        words = ["".join(source.choices("abcdefgh", k=size)) for size in
                 [1, 2, 1 << 20, 3, (1 << 20) - 1, 5, 3 << 20]
                 + [source.randrange(1, 3000) for _ in range(3000)]]
        text = "\n".join(words)  # the last one without a newline
        self.build("a", text, elements=5000)
        self.assertEqual(self.found("a", text), text + "\n")
        self.assertEqual(self.found("a", text, "-v"), "")

    def test_lines_are_bytes(self):
        text = b"\xff\x00\xfe\n\r\n \n\x80\n"
        self.build("a", text)
        answer = self.run_program("filter", "test", "a", "--text", stdin=text)
        self.assertEqual(answer.out.encode(errors="surrogateescape"), text)
        answer = self.run_program("--json", "filter", "test", "a", "--text",
                                  stdin=text)
        self.assertEqual(answer.code, 2)
        self.assertIn("UTF-8", json.loads(answer.out)["error"]["message"])

    def test_hex_and_addresses_go_into_files_too(self):
        key = "751e76e8199196d454941c45d1b3a323f1433bd6"
        address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
        for args, text in ((("--address",), address), ((), key)):
            self.document("filter", "build", "--elements", "5", "--out", "a",
                          "--force", *args, stdin=text + "\n")
            self.assertEqual(self.text("filter", "test", "a", key), key + "\n")
            self.assertEqual(self.text("filter", "test", "a", "--address",
                                       address), address + "\n")

    def test_lines_before_a_wrong_one_are_answered(self):
        self.document("filter", "build", "--elements", "5", "--out", "a",
                      stdin="aa\nbb\n")
        answer = self.run_program("filter", "test", "a",
                                  stdin="aa\ncc\n\nbb\nxyz\naa\n")
        self.assertEqual((answer.code, answer.out), (2, "aa\nbb\n"))
        self.assertIn("line 5", answer.err)

    def test_a_json_answer_is_one_document(self):
        self.build("a", lines(range(3000)), elements=3000)
        answer = self.document("filter", "test", "a", "--text",
                               stdin=lines(range(2990, 3010)))
        self.assertEqual(answer["tested"], 20)
        self.assertEqual(answer["elements"][:10],
                         lines(range(2990, 3000)).splitlines())

    def test_a_reader_that_went_away_ends_it_without_a_word(self):
        self.build("a", lines(range(9)))
        with open(os.devnull) as nothing:
            feeder = subprocess.Popen(["yes", "https://example.org/3"],
                                      stdout=subprocess.PIPE, stdin=nothing)
        program = subprocess.Popen(
            [PROGRAM, "filter", "test", "a", "--text"], stdin=feeder.stdout,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.home,
            env=self.environment({}))
        feeder.stdout.close()
        with program.stdout:
            self.assertEqual(program.stdout.readline(),
                             b"https://example.org/3\n")
        with program.stderr:
            self.assertEqual(program.stderr.read(), b"")
        self.assertEqual(program.wait(60), -signal.SIGPIPE)
        feeder.wait(60)

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.build("a", lines(range(50000)), elements=50000)
        with open("/dev/full", "wb") as full:
            answer = self.run_program("filter", "test", "a", "--text",
                                      stdin=lines(range(50000)), stdout=full)
        self.assertEqual(answer.code, 1)
        self.assertIn("standard output: No space left", answer.err)


class Progress(SavedTest):
    def watch(self, *args):
        """What a terminal is told while a slow pipe is read."""
        master, slave = pty.openpty()
        feeder = subprocess.Popen(
            ["sh", "-c", "for i in 1 2 3 4; do seq 20000; sleep 0.15; done"],
            stdout=subprocess.PIPE)
        done = subprocess.run([PROGRAM, *args, "filter", "build", "--text",
                               "--elements", "80000", "--out", "a"],
                              stdin=feeder.stdout, stdout=subprocess.PIPE,
                              stderr=slave, cwd=self.home, timeout=60,
                              env=self.environment({"TERM": "dumb"}))
        feeder.stdout.close()
        feeder.wait()
        os.close(slave)
        told = b""
        try:
            while chunk := os.read(master, 4096):
                told += chunk
        except OSError:
            pass  # how a terminal that was closed ends
        os.close(master)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        return told.decode()

    def test_a_terminal_is_shown_how_far_it_is(self):
        told = self.watch()
        self.assertRegex(told, r"\rbuilding  [0-9.]+ k lines  .* lines/s")
        self.assertTrue(told.endswith("\r\x1b[K"), told)  # and wiped

    def test_quiet_means_no_progress(self):
        self.assertEqual(self.watch("--quiet"), "")


if __name__ == "__main__":
    unittest.main()
