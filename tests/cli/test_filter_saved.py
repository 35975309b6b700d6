"""Filters in files: of any size and kind, built, added to, merged, tested."""

import json
import os
import pty
import random
import stat
import subprocess
import unittest

from program import PROGRAM, ProgramTest

KINDS = ("bloom", "counting", "scalable", "rolling", "cuckoo")
NEVER_MERGED = ("scalable", "rolling")
HASHINGS = ("double", "bip37", "blocked")
HEADER = 128


def lines(*ranges):
    return "".join(f"https://example.org/{i}\n" for r in ranges for i in r)


class SavedTest(ProgramTest):
    def build(self, name, text, *args, elements=1000, rate="0.001"):
        return self.document("filter", "build", "--text", "--elements",
                             elements, "--fp-rate", rate, "--out", name, *args,
                             stdin=text)

    def found(self, name, text, *args):
        return self.text("filter", "test", name, "--text", *args, stdin=text)

    def show(self, name, *args):
        return self.document("filter", "show", name, *args)

    def bytes_of(self, name):
        return (self.home / name).read_bytes()


class EveryKind(SavedTest):
    def every_filter(self):
        for kind in KINDS:
            yield kind, ("--kind", kind)
        for hashing in HASHINGS:
            yield hashing, ("--hashing", hashing)

    def test_what_was_added_is_found_and_little_else(self):
        inside, outside = lines(range(1000)), lines(range(10000, 20000))
        for name, args in self.every_filter():
            with self.subTest(filter=name):
                self.build(name, inside, *args, rate="0.01")
                self.assertEqual(self.found(name, inside), inside)
                self.assertEqual(self.found(name, inside, "-v"), "")
                wrong = self.found(name, outside)
                self.assertLess(wrong.count("\n"), 150)
                right = self.found(name, outside, "-v")
                self.assertEqual(sorted((wrong + right).splitlines()),
                                 sorted(outside.splitlines()))

    def test_adding_later_gives_the_same_file(self):
        for name, args in self.every_filter():
            with self.subTest(filter=name):
                self.build(name, lines(range(600)), *args)
                self.build("all", lines(range(1000)), "--force", *args)
                added = self.document("filter", "add", name, "--text",
                                      stdin=lines(range(600, 1000)))
                self.assertEqual(added["file"], name)
                self.assertEqual(self.bytes_of(name), self.bytes_of("all"))

    def test_what_is_shown_is_what_was_built(self):
        for name, args in self.every_filter():
            with self.subTest(filter=name):
                built = self.build(name, lines(range(900)), *args)
                self.assertEqual(built.pop("file"), name)
                shown = self.show(name)
                self.assertEqual({**shown, **built}, shown)
                self.assertEqual(shown["bytes"] + HEADER,
                                 len(self.bytes_of(name)))
                count = shown.get("elements", shown.get("estimated_elements"))
                self.assertAlmostEqual(count / 900, 1, delta=0.05)
                self.assertLess(shown["fp_rate"], 0.001)
                text = self.text("filter", "show", name)
                self.assertIn(shown["kind"], text)

    def test_a_merge_is_the_union(self):
        halves = lines(range(500)), lines(range(400, 1000))
        for name, args in self.every_filter():
            if name in NEVER_MERGED:
                continue
            with self.subTest(filter=name):
                self.build("a", halves[0], "--force", *args, elements=2000)
                self.build("b", halves[1], "--force", *args, elements=2000)
                self.build("all", halves[0] + halves[1], "--force", *args,
                           elements=2000)
                self.document("filter", "merge", "a", "b", "--out", "c",
                              "--force")
                self.assertEqual(self.found("c", halves[0] + halves[1]),
                                 halves[0] + halves[1])
                if name != "cuckoo":  # where a fingerprint lies may differ
                    self.assertEqual(self.bytes_of("c"), self.bytes_of("all"))

    def test_one_comes_from_a_pipe_too(self):
        for name, args in self.every_filter():
            with self.subTest(filter=name):
                self.build(name, lines(range(10)), *args)
                saved = self.bytes_of(name)
                self.assertEqual(self.document("filter", "show", stdin=saved),
                                 self.show(name))
                self.assertEqual(
                    self.text("filter", "test", "--text", "-",
                              "https://example.org/3", stdin=saved),
                    "https://example.org/3\n")

    def test_a_byte_that_changed_is_found(self):
        for name, args in self.every_filter():
            self.build(name, lines(range(100)), *args)
            good = self.bytes_of(name)
            for at in (13, 20, 30, 33, 100, 125, HEADER, len(good) - 1):
                with self.subTest(filter=name, at=at):
                    bad = bytearray(good)
                    bad[at] ^= 0x10
                    (self.home / "bad").write_bytes(bad)
                    error = self.failure(10, "filter", "show", "bad")
                    self.assertIn("bad is damaged", error["message"])

    def test_a_file_that_was_cut_off_is_found(self):
        for name, args in self.every_filter():
            self.build(name, lines(range(100)), *args)
            good = self.bytes_of(name)
            for size in (8, 9, HEADER - 1, HEADER, len(good) - 1,
                         len(good) + 1):
                with self.subTest(filter=name, size=size):
                    (self.home / "bad").write_bytes((good + b"\0")[:size])
                    self.failure(10, "filter", "show", "bad")
                    self.failure(10, "filter", "test", "bad", "--text", "x")
                    self.failure(10, "filter", "add", "bad", "--text", "x")
                    if name not in NEVER_MERGED:
                        self.failure(10, "filter", "merge", name, "bad",
                                     "--out", "c")


class Bloom(SavedTest):
    def test_bip37_hashing_makes_the_bits_of_the_payload(self):
        text = lines(range(300))
        self.build("saved", text, "--hashing", "bip37", "--tweak", "7",
                   elements=300)
        payload = self.text("filter", "build", "--text", "--elements", "300",
                            "--fp-rate", "0.001", "--tweak", "7", stdin=text)
        self.assertIn(self.bytes_of("saved")[HEADER:], bytes.fromhex(payload))
        shown, wire = self.show("saved"), self.show(payload.strip())
        for key in ("bytes", "hash_functions", "tweak", "bits_set",
                    "estimated_elements"):
            self.assertEqual(shown[key], wire[key], key)
        self.assertEqual(shown["hashing"], "bip37")

    def test_larger_than_any_payload(self):
        built = self.build("large", lines(range(3)), elements=10_000_000)
        self.assertAlmostEqual(built["bytes"] / 17.97e6, 1, places=2)
        self.assertEqual(self.found("large", lines(range(5))),
                         lines(range(3)))

    def test_without_elements_it_is_sized_for_the_lines(self):
        text = lines(range(5000))
        counted = self.document("filter", "build", "--text", "--fp-rate",
                                "0.001", "--out", "counted", stdin=text)
        self.build("sized", text, elements=5000)
        self.assertEqual(counted["file"], "counted")
        self.assertEqual(self.bytes_of("counted"), self.bytes_of("sized"))
        self.failure(2, "filter", "build", "--text", "--out", "x", stdin="")
        self.assertFalse((self.home / "x").exists())

    def test_too_many_elements_are_told(self):
        answer = self.run_program("filter", "build", "--text", "--elements",
                                  "100", "--fp-rate", "0.001", "--out", "full",
                                  stdin=lines(range(1000)))
        self.assertEqual((answer.code, answer.out), (0, ""))
        self.assertIn("1000 elements are in a filter for 100", answer.err)

    def test_room_is_told_for_any_rate(self):
        for hashing in HASHINGS:
            with self.subTest(hashing=hashing):
                self.build(hashing, lines(range(400)), "--hashing", hashing)
                left = self.show(hashing, "--fp-rate", "0.001")
                self.assertEqual(left["capacity_fp_rate"], 0.001)
                self.assertAlmostEqual(left["capacity_left"] / 600, 1,
                                       delta=0.1)
                self.assertEqual(self.show(hashing, "--fp-rate", "1e-9")
                                 ["capacity_left"], 0)
        self.failure(2, "filter", "show", "double", "--fp-rate", "2")

    def test_only_alike_filters_are_merged_and_the_difference_is_told(self):
        self.build("a", lines(range(9)))
        others = {
            "bits": dict(elements=2000),
            "hash_functions": dict(elements=1000, rate="0.01"),
            "tweak": dict(args=("--tweak", "1")),
            "hashing": dict(args=("--hashing", "blocked")),
            "a cuckoo filter": dict(args=("--kind", "cuckoo")),
        }
        for word, other in others.items():
            with self.subTest(difference=word):
                args = other.pop("args", ())
                self.build("b", lines(range(9)), "--force", *args, **other)
                error = self.failure(2, "filter", "merge", "a", "b", "--out",
                                     "c")
                self.assertIn("a and b cannot be merged", error["message"])
                if word != "hash_functions":  # the size differs with them
                    self.assertIn(word, error["message"])
        self.assertFalse((self.home / "c").exists())
        for kind in NEVER_MERGED:
            self.build(kind, lines(range(9)), "--kind", kind)
            error = self.failure(2, "filter", "merge", kind, kind, "--out",
                                 "c")
            self.assertIn("cannot be merged", error["message"])
        self.failure(2, "filter", "merge", "a", "--out", "c")
        self.failure(2, "filter", "merge", "a", "a")
        self.failure(3, "filter", "merge", "a", "none", "--out", "c")

    def test_several_are_merged_at_once(self):
        for i in range(4):
            self.build(f"f{i}", lines(range(100 * i, 100 * i + 100)))
        self.text("filter", "merge", "f0", "f1", "f2", "f3", "--out", "all")
        self.assertEqual(self.found("all", lines(range(400))),
                         lines(range(400)))

    def test_payloads_are_merged_into_a_payload(self):
        def payload(*words):
            return self.text("filter", "build", "--text", "--elements", "20",
                             stdin="\n".join(words)).strip()

        a, b = payload("one"), payload("two")
        self.assertEqual(self.text("filter", "merge", a, b).strip(),
                         payload("one", "two"))
        self.assertIn("bytes", self.failure(
            2, "filter", "merge", a, "03614e9b050000000000000001")["message"])
        self.failure(2, "filter", "merge", a, b, "--out", "c")
        self.failure(2, "filter", "add", a, "00", "--out", "c")
        self.build("saved", lines(range(3)))
        self.assertIn("a bloom filter", self.failure(
            2, "filter", "merge", a, "saved")["message"])

    def test_a_checksum_is_passed_over_only_when_told(self):
        self.build("saved", lines(range(100)))
        bad = bytearray(self.bytes_of("saved"))
        bad[-1] ^= 1
        (self.home / "saved").write_bytes(bad)
        self.failure(10, "filter", "test", "saved", "--text", "x")
        self.assertEqual(self.found("saved", lines(range(9)), "--no-verify"),
                         lines(range(9)))
        self.show("saved", "--no-verify")


class OtherKinds(SavedTest):
    def test_what_is_removed_is_as_if_it_had_never_been_added(self):
        for kind in ("counting", "cuckoo"):
            with self.subTest(kind=kind):
                self.build("a", lines(range(500)), "--kind", kind, "--force")
                self.document("filter", "remove", "a", "--text",
                              stdin=lines(range(100, 500)))
                self.assertEqual(self.found("a", lines(range(500))),
                                 lines(range(100)))
                self.assertEqual(self.show("a")["elements"], 100)
                if kind == "counting":
                    self.build("b", lines(range(100)), "--kind", kind)
                    self.assertEqual(self.bytes_of("a"), self.bytes_of("b"))

    def test_a_counting_filter_projects_to_the_node_s_payload(self):
        self.build("a", lines(range(50)), "--kind", "counting", "--flags",
                   "all", "--tweak", "5", elements=50)
        self.text("filter", "remove", "a", "--text",
                  stdin=lines(range(20, 50)))
        payload = self.text("filter", "build", "--text", "--elements", "50",
                            "--fp-rate", "0.001", "--flags", "all", "--tweak",
                            "5", stdin=lines(range(20))).strip()
        self.assertEqual(self.show("a")["payload"], payload)
        self.build("large", lines(range(5)), "--kind", "counting",
                   elements=100000)
        self.assertIsNone(self.show("large")["payload"])

    def test_what_was_never_added_cannot_be_removed(self):
        for kind in ("counting", "cuckoo"):
            self.build(kind, lines(range(50)), "--kind", kind)
            before = self.bytes_of(kind)
            error = self.failure(3, "filter", "remove", kind, "--text",
                                 stdin=lines(range(20), (77,)))
            self.assertIn("element 21", error["message"])
            self.assertEqual(self.bytes_of(kind), before)
        self.build("bloom", lines(range(5)))
        error = self.failure(2, "filter", "remove", "bloom", "--text", "x")
        self.assertIn("counting", error["hint"])

    def test_a_scalable_filter_grows_and_keeps_its_promise(self):
        built = self.document("filter", "build", "--text", "--kind",
                              "scalable", "--elements", "50", "--fp-rate",
                              "0.01", "--out", "s", stdin=lines(range(5000)))
        self.assertGreater(built["layers"], 5)
        self.assertLessEqual(built["fp_rate"], built["promised_fp_rate"])
        self.assertLessEqual(built["promised_fp_rate"], 0.01)
        self.assertEqual(self.found("s", lines(range(5000))),
                         lines(range(5000)))
        self.document("filter", "build", "--text", "--kind", "scalable",
                      "--out", "t", stdin="x\n")

    def test_a_rolling_filter_forgets_the_oldest(self):
        self.build("r", lines(range(5000)), "--kind", "rolling", elements=500)
        self.assertEqual(self.found("r", lines(range(4500, 5000))),
                         lines(range(4500, 5000)))
        self.assertLess(self.found("r", lines(range(1000))).count("\n"), 20)
        self.failure(2, "filter", "build", "--text", "--kind", "rolling",
                     "--out", "x", stdin="a\n")

    def test_a_full_cuckoo_filter_says_so_and_writes_nothing(self):
        error = self.failure(2, "filter", "build", "--text", "--kind",
                             "cuckoo", "--elements", "100", "--out", "x",
                             stdin=lines(range(1000)))
        self.assertIn("full", error["message"])
        self.assertFalse((self.home / "x").exists())

    def test_what_a_kind_cannot_have_is_refused(self):
        for args in (("--kind", "quotient"), ("--hashing", "triple"),
                     ("--kind", "cuckoo", "--hashing", "double"),
                     ("--kind", "cuckoo", "--flags", "all"),
                     ("--flags", "all"), ("--kind", "counting", "--tweak",
                                          "4294967296"),
                     ("--elements", "9223372036854775807")):
            with self.subTest(args=args):
                self.failure(2, "filter", "build", "--text", "--out", "x",
                             "--elements", "5", *args, stdin="a\n")
        self.assertEqual(list(self.home.glob("x*")), [])


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
        self.assertEqual(stat.S_IMODE((self.home / "a").stat().st_mode),
                         0o640)

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

    def test_a_reader_that_went_away_ends_it(self):
        self.build("a", lines(range(9)))
        done = subprocess.run(
            ["sh", "-c", 'yes https://example.org/3 | "$0" filter test a '
             '--text | head -n 1', PROGRAM], cwd=self.home, timeout=60,
            env=self.environment({}), capture_output=True, text=True)
        self.assertEqual(done.stdout, "https://example.org/3\n")

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.build("a", lines(range(50000)), elements=50000)
        with open("/dev/full", "wb") as full:
            answer = self.run_program("filter", "test", "a", "--text",
                                      stdin=lines(range(50000)), stdout=full)
        self.assertEqual(answer.code, 1)


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
