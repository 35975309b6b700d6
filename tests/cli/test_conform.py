"""`conform` as far as it goes without a node: its options, its list, and what it
says when there is nobody. The battery itself is tests/unit/test_conform_*.c and
tests/regtest/test_conform.py."""

import json
import socket
import unittest

from program import ProgramTest


class Conform(ProgramTest):
    def test_the_list_names_every_check_once(self):
        checks = self.document("conform", "--list")["checks"]
        ids = [c["id"] for c in checks]
        self.assertGreaterEqual(len(ids), 60)
        self.assertEqual(len(ids), len(set(ids)))
        for check in checks:
            self.assertEqual(set(check), {"id", "title", "basis", "severity"})
            self.assertIn(check["severity"],
                          ("must", "should", "informational"))
        text = self.text("conform", "--list")
        for check in checks:
            self.assertIn(check["id"], text)
            self.assertIn(check["basis"], text)

    def test_the_format_json_is_the_same_as_the_option(self):
        self.assertEqual(json.loads(self.text("conform", "--list", "--format",
                                              "json")),
                         self.document("conform", "--list"))

    def test_a_format_that_there_is_not_is_refused(self):
        self.assertIn("tap", self.failure(2, "conform", "--list", "--format",
                                          "yaml")["message"])

    def test_json_and_another_format_exclude_each_other(self):
        answer = self.run_program("conform", "--list", "--json", "--format",
                                  "tap")
        self.assertEqual(answer.code, 2)
        self.assertIn("tap", json.loads(answer.out)["error"]["message"])

    def test_a_check_that_there_is_not_is_refused(self):
        for only in ("mtach.txid", "match.txid,nothing", "matc"):
            with self.subTest(only=only):
                error = self.failure(2, "conform", "--connect", "127.0.0.1:1",
                                     "--only", only)
                self.assertTrue(error["hint"])
        for only in ("", ",", ",,,"):
            with self.subTest(only=only):
                error = self.failure(2, "conform", "--list", "--only", only)
                self.assertIn("names no check", error["message"])
                self.assertIn("--list", error["hint"])
        error = self.failure(2, "conform", "--list", "--only", "nothing.like")
        self.assertIn("--list", error["hint"])

    def test_what_is_near_to_a_check_that_there_is_not_is_hinted(self):
        for only, near in (("matc", "'matc*'"), ("mtach", "'match'"),
                           ("match.txit", "'match.txid'")):
            with self.subTest(only=only):
                error = self.failure(2, "conform", "--list", "--only", only)
                self.assertIn(near, error["hint"])

    def test_a_node_that_is_no_option_is_told_to_be_one(self):
        error = self.failure(2, "conform", "127.0.0.1:18444")
        self.assertIn("--connect HOST[:PORT]", error["hint"])
        self.assertIn("conform serve", self.failure(2, "conform",
                                                    "srve")["hint"])

    def test_a_second_word_alone_finds_its_first(self):
        for words in (("vectors",), ("help", "vectors")):
            with self.subTest(words=words):
                self.assertIn("'conform vectors'",
                              self.failure(2, *words)["hint"])

    def test_the_help_tells_what_is_needed(self):
        text = self.text("help", "conform")
        self.assertIn("spvclient conform --connect HOST[:PORT] [OPTION...]\n",
                      text)
        for option in ("connect", "rpc", "rpc-cookie", "json", "format"):
            self.assertIn(f"  --{option} ", text)
        self.assertIn("\n for implementers\n  conform ", self.text("--help"))

    def test_a_node_must_be_named_and_one_alone(self):
        self.assertIn("--connect", self.failure(5, "conform")["hint"])
        self.failure(2, "conform", "--connect", "127.0.0.1:1", "--connect",
                     "127.0.0.1:2")

    def test_a_seed_is_a_number(self):
        self.failure(2, "conform", "--connect", "127.0.0.1:1", "--seed", "x")

    def test_nobody_there_is_exit_code_5(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            error = self.failure(5, "--regtest", "conform", "--connect",
                                 f"127.0.0.1:{port}")
        self.assertIn(f"127.0.0.1:{port}", error["message"])

    def test_somebody_who_says_nothing_is_given_up(self):
        with socket.create_server(("127.0.0.1", 0)) as mute:
            port = mute.getsockname()[1]
            self.failure(6, "--regtest", "conform", "--connect",
                         f"127.0.0.1:{port}", "--timeout", "1")


if __name__ == "__main__":
    unittest.main()
