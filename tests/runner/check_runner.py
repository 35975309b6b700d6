#!/usr/bin/env python3
"""vectors-runner must fail where it should: a corrupted vector, an unknown
kind, a missing field, a malformed file, an empty folder, nothing at all."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

RUNNER = sys.argv.pop(1)

GOOD = {"id": "murmur", "kind": "murmur3_x86_32", "source": "derived",
        "why": "two bytes are a tail", "seed": 0, "seed_hex": "00000000",
        "data": "0011", "expected": 0x16C6B7AB, "expected_hex": "16c6b7ab"}


def run(*paths):
    done = subprocess.run([RUNNER, *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    lines = done.stdout.splitlines()
    tally = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1])
    return done.returncode, int(tally[1]), int(tally[2]), lines[:-1]


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            if isinstance(content, str):
                file.write(content)
            else:
                json.dump(content, file)
        return path

    def assert_fails(self, path, *words, passed=0, failed=1):
        code, n_passed, n_failed, lines = run(path)
        self.assertEqual((code, n_passed, n_failed), (1, passed, failed))
        report = "\n".join(line for line in lines if line.startswith("FAIL "))
        for word in words:
            self.assertIn(word, report)

    def test_a_good_vector_passes(self):
        path = self.write("good.json", [GOOD])
        self.assertEqual(run(path), (0, 1, 0, []))
        self.assertEqual(run("-v", path), (0, 1, 0, ["PASS murmur"]))

    def test_a_corrupted_vector_fails_with_what_differs(self):
        bad = {**GOOD, "id": "bent", "expected": 7, "expected_hex": "00000007"}
        path = self.write("bad.json", [GOOD, bad])
        self.assert_fails(path, "FAIL bent: ", "got ", "want ", passed=1)

    def test_a_changed_input_fails_too(self):
        changed = {**GOOD, "data": "0012"}
        self.assert_fails(self.write("data.json", [changed]), "FAIL murmur: ")

    def test_an_unknown_kind_fails(self):
        path = self.write("kind.json", [{**GOOD, "kind": "of_magic"}])
        self.assert_fails(path, "FAIL murmur: kind: ", "of_magic")

    def test_a_missing_field_fails_by_name(self):
        vector = {k: v for k, v in GOOD.items() if k != "data"}
        path = self.write("field.json", [vector])
        self.assert_fails(path, "FAIL murmur: field data: got nothing")

    def test_a_field_of_another_type_fails(self):
        path = self.write("type.json", [{**GOOD, "data": 5}])
        self.assert_fails(path, "field data: got an integer, want text")

    def test_odd_hex_fails(self):
        path = self.write("hex.json", [{**GOOD, "data": "001"}])
        self.assert_fails(path, "field data: ", "want hex")

    def test_a_vector_without_id_or_kind_fails(self):
        path = self.write("bare.json", [{"kind": "murmur3_x86_32"}, {"id": "x"},
                                        7])
        self.assert_fails(path, "no id", "FAIL x: got no kind", failed=3)

    def test_malformed_files_fail_and_the_rest_still_runs(self):
        self.write("a.json", "[{")
        self.write("b.json", "{}")
        self.write("c.json", "[]")
        self.write("d/e/good.json", [GOOD])
        self.write("d/README.md", "not a vector")
        self.assert_fails(self.folder, "a.json: line 1: ",
                          "b.json: got no vectors", "c.json: got no vectors",
                          passed=1, failed=3)

    def test_an_empty_folder_fails(self):
        self.assert_fails(self.folder, "got no .json file")

    def test_a_path_that_is_not_there_fails(self):
        self.assert_fails(os.path.join(self.folder, "gone.json"), "gone.json")

    def test_wrong_use_is_answered_with_the_usage(self):
        for arguments, code in (((), 2), (("-v",), 2), (("-x", "."), 2),
                                (("--help",), 0), (("-h",), 0)):
            with self.subTest(arguments=arguments):
                done = subprocess.run([RUNNER, *arguments], text=True,
                                      capture_output=True, check=False)
                said, silent = ((done.stderr, done.stdout) if code else
                                (done.stdout, done.stderr))
                self.assertEqual((done.returncode, silent), (code, ""))
                self.assertTrue(said.startswith("usage: vectors-runner "))

    def test_a_corrupted_checkpoint_is_named_by_network_and_height(self):
        entry = {"height": 2016, "hash": "00" * 32, "time": 1,
                 "bits": "1d00ffff", "chainwork": "00" * 32,
                 "header": "00" * 80}
        path = self.write("checkpoints.json", {"networks": {"main": [entry]}})
        self.assert_fails(path, "FAIL checkpoints-main-2016: ")


if __name__ == "__main__":
    unittest.main()
