"""Filters in files: every kind built, added to, merged, tested, damaged."""

import itertools
import unittest

from saved import (HASHINGS, HEADER, KINDS, MOST, NEVER_MERGED, SavedTest,
                   lines, little_memory, runs_with_little_memory, sealed,
                   with_parameter)


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
                    self.refused_as_damaged(bad, "show", "bad")

    def test_a_file_that_was_cut_off_is_found(self):
        for name, args in self.every_filter():
            self.build(name, lines(range(100)), *args)
            good = self.bytes_of(name)
            for size in (8, HEADER - 1, HEADER, len(good) - 1, len(good) + 1):
                with self.subTest(filter=name, size=size):
                    self.refused_as_damaged((good + b"\0")[:size], "show",
                                            "bad")

    def test_no_command_takes_a_damaged_file(self):
        for name, args in self.every_filter():
            self.build(name, lines(range(100)), *args)
            bad = self.bytes_of(name)[:-1] + b"?"
            commands = [("test", "bad", "--text", "x"),
                        ("add", "bad", "--text", "x")]
            if name not in NEVER_MERGED:
                commands += [("merge", name, "bad", "--out", "c"),
                             ("merge", "bad", name, "--out", "c")]
            for command in commands:
                with self.subTest(filter=name, command=command):
                    self.refused_as_damaged(bad, *command)
                    self.assertEqual(self.bytes_of("bad"), bad)
        self.assertFalse((self.home / "c").exists())

    def test_damage_is_told_as_a_document_too(self):
        self.build("a", lines(range(9)))
        (self.home / "a").write_bytes(self.bytes_of("a")[:-1])
        error = self.failure(10, "filter", "show", "a")
        self.assertEqual(error["name"], "DAMAGED")
        self.assertIn("build it again", error["hint"])
        self.assertIn("shorter than it says", error["message"])

    def test_the_checksums_are_those_of_the_reference(self):
        """Or else the forgeries below would be refused for their seals."""
        for name, args in self.every_filter():
            self.build(name, lines(range(10)), *args)
            self.assertEqual(sealed(self.bytes_of(name)), self.bytes_of(name))

    def test_no_header_asks_for_more_than_the_file_has(self):
        """Right checksums over wrong numbers: refused, or used as they are;
        never a crash, nor memory for what is not there."""
        limit = little_memory if runs_with_little_memory() else None
        for name, args in self.every_filter():
            self.build(name, lines(range(100)), *args)
            good, refused = self.bytes_of(name), 0
            for i, value in itertools.product(range(5), (0, 255, 1 << 40,
                                                         MOST - 7)):
                (self.home / "bad").write_bytes(with_parameter(good, i, value))
                command = (("add", "bad", "--out", "o", "--force") if value
                           else ("test", "bad"))
                answer = self.run_program("filter", *command, "--text", "x",
                                          before=limit)
                with self.subTest(filter=name, parameter=i, value=value):
                    self.assertIn(answer.code, (0, 10), answer.err)
                refused += answer.code == 10
            self.assertGreater(refused, 5, name)

    def test_a_length_or_kind_that_is_not_the_file_s_is_found(self):
        for name, args in self.every_filter():
            self.build(name, lines(range(100)), *args)
            good = self.bytes_of(name)
            for length in (0, 1, len(good), 1 << 40, MOST):
                with self.subTest(filter=name, length=length):
                    self.refused_as_damaged(sealed(good, length), "show",
                                            "bad")
            self.refused_as_damaged(sealed(good[:HEADER]), "show", "bad")
            for kind in (0, 6, 1 << 31):
                (self.home / "bad").write_bytes(sealed(
                    good[:12] + kind.to_bytes(4, "little") + good[16:]))
                error = self.failure(2, "filter", "show", "bad")
                self.assertIn("a kind that this one does not know",
                              error["message"])

    def refused_as_damaged(self, content, *command):
        (self.home / "bad").write_bytes(content)
        answer = self.run_program("filter", *command)
        self.assertEqual((answer.code, answer.out), (10, ""), answer.err)
        self.assertIn("bad is damaged: ", answer.err)


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

    def test_the_elements_are_estimated_from_the_bits(self):
        text = "".join(f"{n}\n" for n in range(100000))
        for hashing in HASHINGS:
            with self.subTest(hashing=hashing):
                built = self.build(hashing, text, "--hashing", hashing,
                                   elements=100000)
                self.assertAlmostEqual(built["estimated_elements"] / 100000,
                                       1, delta=0.004)
                self.assertAlmostEqual(built["fp_rate"] / 0.001, 1,
                                       delta=0.05)

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

    def test_a_merge_tells_about_how_many_came_twice(self):
        parts = range(6000), range(4000, 10000), range(9000, 12000)
        for hashing in HASHINGS:
            with self.subTest(hashing=hashing):
                for name, part in zip("abc", parts):
                    self.build(name, lines(part), "--force", "--hashing",
                               hashing, elements=12000)
                merged = self.document("filter", "merge", *"abc", "--out",
                                       "all", "--force")
                self.assertAlmostEqual(merged["estimated_elements"] / 12000, 1,
                                       delta=0.01)
                self.assertAlmostEqual(merged["shared_elements"] / 3000, 1,
                                       delta=0.05)
        full = "01ff010000000000000000"
        self.assertIsNone(self.document("filter", "merge", full, full)
                          ["shared_elements"])
        self.build("k", lines(range(5)), "--kind", "counting")
        self.assertNotIn("shared_elements", self.document(
            "filter", "merge", "k", "k", "--out", "kk"))

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


if __name__ == "__main__":
    unittest.main()
