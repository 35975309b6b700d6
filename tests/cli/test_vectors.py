"""Test vectors run through the program, and fail where they should: a corrupted
vector, an unknown kind, a missing field, a damaged file, nothing at all."""

import json
import re
import unittest

from program import ROOT, ProgramTest

GOOD = {"id": "murmur", "kind": "murmur3_x86_32", "source": "derived",
        "why": "two bytes are a tail", "seed": 0, "seed_hex": "00000000",
        "data": "0011", "expected": 0x16C6B7AB, "expected_hex": "16c6b7ab"}
BENT = {**GOOD, "id": "bent", "expected": 7, "expected_hex": "00000007"}


class Vectors(ProgramTest):
    def write(self, name, content):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str)
                        else json.dumps(content))
        return path

    def assert_fails(self, path, *words, passed=0, failed=1):
        """As text and as a document: exit code 1, and these words."""
        plain = self.run_program("conform", "vectors", path)
        self.assertEqual((plain.code, plain.err), (1, ""))
        *lines, tally = plain.out.splitlines()
        self.assertEqual(tally, f"{passed} passed, {failed} failed")
        self.assertEqual(len(lines), failed)
        for line in lines:
            self.assertTrue(line.startswith("FAIL "), line)
        for word in words:
            self.assertIn(word, plain.out)
        answer = self.run_program("--json", "conform", "vectors", path)
        self.assertEqual(answer.code, 1)
        document = json.loads(answer.out)
        self.assertEqual((document["passed"], document["failed"]),
                         (passed, failed))
        return document

    def test_a_good_folder_passes(self):
        self.write("good/a.json", [GOOD])
        self.write("good/below/b.json", [GOOD, GOOD])
        self.write("good/README.md", "not a vector")
        self.write("good/a.schema.json", {})
        self.write("good/.hidden.json", "")
        self.assertEqual(self.text("conform", "vectors", "good"),
                         "3 passed, 0 failed\n")
        self.assertEqual(
            self.document("conform", "vectors", "good"),
            {"files": [{"file": f"good/{name}", "passed": n, "failed": 0,
                        "error": None}
                       for name, n in (("a.json", 1), ("below/b.json", 2))],
             "vectors": [], "passed": 3, "failed": 0})

    def test_the_own_corpus_passes(self):
        document = self.document("conform", "vectors", ROOT / "tests/vectors")
        self.assertEqual(document["failed"], 0)
        self.assertGreaterEqual(document["passed"], 1800)

    def test_with_verbose_those_that_pass_are_told_too(self):
        path = self.write("good.json", [GOOD])
        self.assertEqual(self.text("conform", "vectors", path, "--verbose"),
                         "PASS murmur\n1 passed, 0 failed\n")
        document = self.document("conform", "vectors", path, "--verbose")
        self.assertEqual(document["vectors"],
                         [{"file": str(path), "id": "murmur", "result": "pass",
                           "kind": "murmur3_x86_32", "detail": ""}])

    def test_kinds_and_ids_can_be_run_alone(self):
        path = self.write("both.json", [GOOD, BENT, {"id": "x", "kind": "y"}])
        for only, counts in ((("--only", "murmur"), (1, 0)),
                             (("--only", "murmur3*"), (1, 1)),
                             (("--only", "x,murmur"), (1, 1)),
                             (("--only", "x", "--only", "bent"), (0, 2))):
            with self.subTest(only=only):
                answer = self.run_program("--json", "conform", "vectors", path,
                                          *only)
                document = json.loads(answer.out)
                self.assertEqual((document["passed"], document["failed"]),
                                 counts)
        error = self.failure(3, "conform", "vectors", path, "--only", "moon")
        self.assertIn("--list", error["hint"])
        for only, near in (("filter_s", "'filter_s*'"),
                           ("murmur3_x86_23", "'murmur3_x86_32'")):
            error = self.failure(3, "conform", "vectors", path, "--only", only)
            self.assertIn(near, error["hint"])

    def test_the_kinds_are_listed(self):
        kinds = {kind["kind"]: kind["about"] for kind in self.document(
            "conform", "vectors", "--list")["kinds"]}
        self.assertGreater(len(kinds), 80)
        shown = self.text("conform", "vectors", "--list")
        for kind, about in kinds.items():
            self.assertRegex(shown, rf"(?m)^{kind} +{re.escape(about)}$")

    def test_standard_input_is_a_file_too(self):
        self.assertEqual(self.text("conform", "vectors", "-",
                                   stdin=json.dumps([GOOD])),
                         "1 passed, 0 failed\n")

    def test_a_corrupted_vector_fails_with_what_differs(self):
        path = self.write("bad.json", [GOOD, BENT])
        document = self.assert_fails(
            path, "FAIL bent: hash: got 382121899, want 7\n", passed=1)
        self.assertEqual(document["vectors"],
                         [{"file": str(path), "id": "bent", "result": "fail",
                           "kind": "murmur3_x86_32",
                           "detail": "hash: got 382121899, want 7"}])

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
                                        7, {"id": 5, "kind": 5}])
        self.assert_fails(path, "(a vector without id)", "FAIL x: kind: ",
                          failed=4)

    def test_names_of_others_cannot_steer_a_terminal(self):
        path = self.write("esc.json", [{**BENT, "id": "\x1b[2J\n"}])
        self.assert_fails(path, "FAIL ?[2J?: ")

    def test_damaged_files_fail_and_the_rest_still_runs(self):
        self.write("all/a.json", "[\n{")
        self.write("all/b.json", "{}")
        self.write("all/c.json", "[]")
        self.write("all/d.json", "")
        self.write("all/e/good.json", [GOOD])
        self.write("all/f.json", b"[\xff]".decode("latin-1"))
        self.write("all/g.json", '[{"id": "a", "id": "b"}]')
        document = self.assert_fails(
            self.home / "all", "a.json: line 2: ", "b.json: it has no vectors",
            "c.json: it has no vectors", "d.json: it is empty",
            "docs/vectors.md", passed=1, failed=6)
        self.assertEqual([bool(f["error"]) for f in document["files"]],
                         [True] * 4 + [False] + [True] * 2)

    def test_what_is_deep_or_huge_fails_and_does_no_harm(self):
        self.assert_fails(self.write("deep.json", "[" * 1000000), "line 1: ")
        deep = "[" * 1900 + "]" * 1900
        tree = {"id": "t", "kind": "taproot_script_pubkey",
                "script_tree": "TREE", "internal_key": "00" * 32}
        text = json.dumps([tree]).replace('"TREE"', deep)
        self.assert_fails(self.write("tree.json", text), "FAIL t: ")
        many = {"id": "m", "kind": "pmt_roundtrip", "pattern": "all",
                "n_transactions": 2 ** 62}
        path = self.write("many.json", [many])
        self.assert_fails(path, "want an integer from 0 to ")

    def test_a_file_beyond_the_limit_is_refused(self):
        path = self.home / "large.json"
        with path.open("wb") as file:
            file.truncate((64 << 20) + 1)
        self.assert_fails(path, "over 64 MB")

    def test_a_folder_without_vectors_is_an_error(self):
        (self.home / "empty").mkdir()
        error = self.failure(3, "conform", "vectors", "empty")
        self.assertIn("no vectors in empty", error["message"])
        self.assertIn(".json", error["hint"])

    def test_a_path_that_is_not_there_is_an_error(self):
        good = self.write("good.json", [GOOD])
        error = self.failure(3, "conform", "vectors", good, "gone.json")
        self.assertIn("gone.json", error["message"])
        error = self.failure(2, "conform", "vectors")
        self.assertIn("PATH", error["message"])

    def test_links_are_not_followed_in_circles(self):
        self.write("round/good.json", [GOOD])
        (self.home / "round/again").symlink_to(self.home / "round")
        (self.home / "round/link.json").symlink_to("good.json")
        (self.home / "round/dead.json").symlink_to("gone.json")
        self.assert_fails(self.home / "round", "dead.json: it cannot be read",
                          passed=2)

    def test_a_corrupted_checkpoint_is_named_by_network_and_height(self):
        entry = {"height": 2016, "hash": "00" * 32, "time": 1,
                 "bits": "1d00ffff", "chainwork": "00" * 32,
                 "header": "00" * 80}
        path = self.write("checkpoints.json", {"networks": {"main": [entry]}})
        self.assert_fails(path, "FAIL checkpoints-main-2016: ")


if __name__ == "__main__":
    unittest.main()
