"""Filters of anything: sized, built, added to, tested, shown."""

import unittest

from program import ProgramTest, vectors

A, B, C = ("99108ad8ed9bb6274d3980bab5a85c048f0950c8",
           "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
           "b9300670b4c5366e95b2699e8b18bc75e5f729c5")
NOT_IN = "19108ad8ed9bb6274d3980bab5a85c048f0950c8"
ABC = "03614e9b050000000000000001"


class Size(ProgramTest):
    def test_sizes_are_the_node_s(self):
        for vector in vectors("bloom"):
            if vector["kind"] != "filter_sizing" or vector["n_elements"] < 1:
                continue
            with self.subTest(id=vector["id"]):
                size = self.document("filter", "size", "--elements",
                                     vector["n_elements"], "--fp-rate",
                                     vector["fp_rate"])
                self.assertEqual((size["bytes"], size["hash_functions"]),
                                 (vector["expected_filter_bytes"],
                                  vector["expected_hash_funcs"]))

    def test_the_document_has_the_promised_keys(self):
        size = self.document("filter", "size", "--elements", "20000",
                             "--fp-rate", "0.001")
        self.assertEqual(set(size), {
            "elements", "fp_rate", "bytes", "hash_functions", "capped",
            "fp_rate_at_capacity", "elements_at_36000_bytes"})
        self.assertFalse(size["capped"])
        self.assertTrue(self.document("filter", "size", "--elements", "20000",
                                      "--fp-rate", "0.0001")["capped"])

    def test_wrong_numbers_are_refused(self):
        self.failure(2, "filter", "size")
        for elements in ("0", "-1", "4294967296", "ten", ""):
            self.failure(2, "filter", "size", "--elements", elements)
        for rate in ("0", "1", "-0.1", "nan", "inf", "little", "0.1x", ""):
            self.failure(2, "filter", "size", "--elements", "5", "--fp-rate",
                         rate)


class Build(ProgramTest):
    def build(self, *args, lines=(A, B, C)):
        return self.text("filter", "build", "--fp-rate", "0.01", *args,
                         stdin="\n".join(lines) + "\n").strip()

    def test_the_payload_is_the_node_s(self):
        self.assertEqual(self.build("--flags", "all"), ABC)
        self.assertEqual(self.build("--flags", "1", "--tweak", "2147483649"),
                         "03ce4299050000000100008001")

    def test_every_form_of_element(self):
        txid = "aa" * 31 + "01"
        outpoint = "01" + "aa" * 31 + "02000000"
        self.assertEqual(self.build(lines=(f"{txid}:2",)),
                         self.build(lines=(outpoint,)))
        self.assertEqual(self.build("--text", lines=("word",)),
                         self.build(lines=("word".encode().hex(),)))
        address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
        self.assertEqual(self.build("--address", lines=(address,)),
                         self.build(lines=(address[:0] +
                                    "751e76e8199196d454941c45d1b3a323f1433bd6",
                                           )))

    def test_blank_lines_and_white_space_are_passed_over(self):
        self.assertEqual(self.build(), self.build(lines=(A + " ", "", B + "\r",
                                                         C, "")))

    def test_a_size_may_be_given(self):
        shown = self.document("filter", "show", self.build("--elements", "500"))
        size = self.document("filter", "size", "--elements", "500",
                             "--fp-rate", "0.01")
        self.assertEqual(shown["bytes"], size["bytes"])

    def test_an_empty_filter_of_a_given_size_is_there_to_be_added_to(self):
        empty = self.text("filter", "build", "--elements", "3", "--fp-rate",
                          "0.01", "--flags", "all").strip()
        self.assertEqual(self.text("filter", "add", empty, A, B, C).strip(),
                         ABC)

    def test_many_lines(self):
        lines = [str(n) for n in range(100000)]
        payload = self.build("--text", lines=lines)
        self.assertLessEqual(len(payload), 2 * (36000 + 12))

    def test_too_many_for_the_protocol_is_told(self):
        answer = self.run_program("filter", "build", "--text",
                                  stdin="".join(f"{n}\n" for n in range(30000)))
        self.assertEqual(answer.code, 0)
        self.assertIn("too few", answer.err)

    def test_wrong_lines_are_told_by_their_number(self):
        for args, bad in (((), "xyz"), ((), "abc"), ((), f"{'ab' * 32}:x"),
                          ((), f"{'ab' * 3}:1"), (("--address",), A)):
            with self.subTest(bad=bad):
                good = "" if args else A
                error = self.failure(2, "filter", "build", *args,
                                     stdin=f"{good}\n{bad}\n")
                self.assertIn("line 2", error["message"])
        self.failure(2, "filter", "build")
        self.failure(2, "filter", "build", "--text", "--address", stdin=A)
        self.failure(2, "filter", "build", "--flags", "some", stdin=A)
        self.failure(2, "filter", "build", "--tweak", "4294967296", stdin=A)
        self.failure(2, "filter", "build", "--out", "x", stdin=A)


class Use(ProgramTest):
    def test_show_has_the_promised_keys_and_numbers(self):
        shown = self.document("filter", "show", ABC)
        self.assertEqual(set(shown), {
            "bytes", "hash_functions", "tweak", "flags", "bits_set",
            "estimated_elements", "fp_rate", "wire_ok", "payload"})
        self.assertEqual((shown["bytes"], shown["hash_functions"],
                          shown["tweak"], shown["flags"], shown["payload"]),
                         (3, 5, 0, 1, ABC))

    def test_a_payload_comes_by_operand_file_or_pipe(self):
        (self.home / "hex").write_text(ABC + "\n")
        (self.home / "raw").write_bytes(bytes.fromhex(ABC))
        shown = self.document("filter", "show", ABC)
        for args, stdin in ((("hex",), ""), (("raw",), ""), ((), ABC),
                            (("-",), ABC + "\n"),
                            ((), bytes.fromhex(ABC))):
            with self.subTest(args=args):
                self.assertEqual(self.document("filter", "show", *args,
                                               stdin=stdin), shown)

    def test_lines_in_the_filter_are_printed_as_they_came(self):
        lines = f"{A}\n{NOT_IN}\n{B.upper()}\n\n"
        self.assertEqual(self.text("filter", "test", ABC, stdin=lines),
                         f"{A}\n{B.upper()}\n")
        self.assertEqual(self.text("filter", "test", "-v", ABC, stdin=lines),
                         f"{NOT_IN}\n")
        self.assertEqual(self.text("filter", "test", ABC, A, NOT_IN), A + "\n")
        self.assertEqual(
            self.document("filter", "test", ABC, stdin=lines),
            {"tested": 3, "inverted": False, "elements": [A, B.upper()]})

    def test_nothing_in_the_filter_is_an_answer_too(self):
        self.assertEqual(self.text("filter", "test", ABC, NOT_IN), "")

    def test_added_elements_are_there(self):
        empty = "030000000500000000000000" + "01"
        self.assertEqual(self.text("filter", "add", empty, A, B, C).strip(),
                         ABC)
        self.assertEqual(self.text("filter", "add", empty,
                                   stdin=f"{A}\n{B}\n{C}\n").strip(), ABC)
        self.assertEqual(self.document("filter", "add", empty, A, B,
                                       C)["payload"], ABC)

    def test_vectors_contain_what_they_should(self):
        for vector in vectors("bloom"):
            if vector["kind"] != "filter_contains":
                continue
            for check in vector["checks"]:
                if not check["hex"]:
                    continue  # the shell of a line cannot hold nothing
                with self.subTest(id=vector["id"], hex=check["hex"]):
                    out = self.text("filter", "test",
                                    vector["filterload_payload"], check["hex"])
                    self.assertEqual(out != "", check["expect"])

    def test_a_dangerous_filter_is_told(self):
        answer = self.run_program("filter", "show", "00010000000000000000")
        self.assertEqual(answer.code, 0)
        self.assertIn("no node should be sent", answer.err)
        self.assertIsNone(self.document("filter", "show", "01ff" + "01000000"
                                        "00000000" "00")["estimated_elements"])

    def test_what_is_no_filter_is_refused(self):
        self.failure(2, "filter", "show", ABC[:-2])
        self.failure(2, "filter", "show", ABC + "00")
        self.failure(2, "filter", "show", ABC[:-1])
        self.failure(2, "filter", "show", stdin="")
        self.failure(2, "filter", "show", stdin="not hex")
        self.failure(3, "filter", "show", "no-such-file")
        self.failure(2, "filter", "test", "-", stdin=ABC)
        self.failure(2, "filter", "test")
        self.failure(2, "filter", "show", stdin=b"00" * (9 << 20))


if __name__ == "__main__":
    unittest.main()
