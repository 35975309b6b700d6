"""Filters of anything: sized, built, added to, tested, shown."""

import math
import unittest
from xml.etree import ElementTree

from program import ROOT, ProgramTest, vectors

A, B, C = ("99108ad8ed9bb6274d3980bab5a85c048f0950c8",
           "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
           "b9300670b4c5366e95b2699e8b18bc75e5f729c5")
NOT_IN = "19108ad8ed9bb6274d3980bab5a85c048f0950c8"
ABC = "03614e9b050000000000000001"
SIZE_KEYS = {"elements", "fp_rate", "bytes", "hash_functions", "capped",
             "fp_rate_at_capacity", "elements_at_36000_bytes", "uncapped_bits",
             "uncapped_bits_per_element", "uncapped_hash_functions",
             "uncapped_fp_rate", "uncapped_bytes"}


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
        self.assertEqual(set(size), SIZE_KEYS)
        self.assertFalse(size["capped"])
        self.assertTrue(self.document("filter", "size", "--elements", "20000",
                                      "--fp-rate", "0.0001")["capped"])

    def test_wrong_numbers_are_refused(self):
        for elements in ("0", "-1", "9223372036854775808", "ten", "", "1,",
                         "1..", "..5", "1,,2", "1..0", "5..ten", "1...5",
                         ",".join(["7"] * 33)):
            with self.subTest(elements=elements):
                self.failure(2, "filter", "size", "--elements", elements)
        for rate in ("0", "1", "-0.1", "nan", "inf", "little", "0.1x", "",
                     "0.1,", "0.1..0", "0.1,2"):
            with self.subTest(rate=rate):
                self.failure(2, "filter", "size", "--elements", "5",
                             "--fp-rate", rate)

    def test_a_capped_filter_is_told_with_the_rate_that_results(self):
        answer = self.run_program("filter", "size", "--elements", "20000",
                                  "--fp-rate", "0.0001")
        self.assertIn("36,000 bytes, the protocol's most, are too few: with "
                      "20000 elements the rate is 0.00101, not 0.0001",
                      answer.err)

    def test_too_few_functions_are_told_with_the_rate_that_results(self):
        asked = ("filter", "size", "--elements", "100", "--fp-rate", "1e-30")
        size = self.document(*asked)
        self.assertEqual((size["hash_functions"], size["capped"]), (50, False))
        self.assertIn("50 hash functions, the protocol's most, are too few: "
                      "with 100 elements the rate is 2.51e-27, not 1e-30",
                      self.run_program(*asked).err)
        most = size["elements_at_36000_bytes"]
        rate = (1 - math.exp(-50 * most / 288000)) ** 50
        self.assertLessEqual(rate, 1e-30)
        self.assertGreater(rate, 0.9e-30)

    def test_a_filter_without_functions_holds_no_number_of_elements(self):
        asked = ("filter", "size", "--elements", "1000", "--fp-rate", "0.9")
        size = self.document(*asked)
        self.assertEqual((size["hash_functions"],
                          size["elements_at_36000_bytes"]), (0, None))
        answer = self.run_program(*asked)
        self.assertRegex(answer.out, r"(?m)^most at this rate +-$")
        self.assertIn("warning: BIP 37 gives this filter no hash function: it "
                      "matches everything", answer.err)
        most = self.document("filter", "size", "--elements", "1000000",
                             "--fp-rate", "0.01")["elements_at_36000_bytes"]
        self.assertEqual(most, 30046)

    def test_beyond_the_protocol_the_size_is_told_all_the_same(self):
        size = self.document("filter", "size", "--elements", "1000000",
                             "--fp-rate", "0.01")
        self.assertAlmostEqual(size["uncapped_bits"] / 9.59e6, 1, places=3)
        self.assertEqual(size["uncapped_bytes"] * 8, size["uncapped_bits"])
        self.assertEqual(size["uncapped_hash_functions"], 7)
        self.assertLessEqual(size["uncapped_fp_rate"], 0.01)
        self.assertEqual((size["bytes"], size["capped"]), (36000, True))
        size = self.document("filter", "size", "--elements", "100000000000")
        self.assertAlmostEqual(size["uncapped_bits_per_element"], 19.17,
                               places=2)

    def test_without_numbers_there_is_a_table(self):
        table = self.document("filter", "size")
        self.assertEqual(set(table), {"sizes", "rates"})
        self.assertTrue(all(set(row) == SIZE_KEYS for row in table["sizes"]))
        self.assertEqual({row["capped"] for row in table["sizes"]},
                         {True, False})
        ten = [row for row in table["rates"] if row["bits_per_element"] == 10]
        self.assertEqual(ten[0]["hash_functions"], 7)
        self.assertAlmostEqual(ten[0]["fp_rate"], 0.0082, places=4)
        text = self.text("filter", "size")
        self.assertIn("36,000 bytes are the protocol's most", text)
        for row in (r"10 +7 +0\.00819372",  # 0.82 %
                    r"1000000 +0\.01 +9592960 +9\.59296 +7 +36000 .* yes",
                    r"100000000 +0\.001 +1437763936 +14\.3776 +10 .* yes",
                    r"10000 +1e-06 +287560 +28\.756 +20 +35943 .* no"):
            self.assertRegex(text, rf"(?m)^ *{row} *$")

    def test_tables_and_single_sizes_say_the_cap_alike(self):
        for elements, capped in ((15022, False), (15024, True)):
            with self.subTest(elements=elements):
                size = self.document("filter", "size", "--elements", elements)
                self.assertEqual(size["elements_at_36000_bytes"], 15023)
                self.assertIs(size["capped"], capped)
                row, _ = self.document("filter", "size", "--elements",
                                       f"{elements},5", "--fp-rate",
                                       "0.0001")["sizes"]
                self.assertEqual(row, size)
                answer = self.run_program("filter", "size", "--elements",
                                          elements)
                self.assertEqual("too few" in answer.err, capped)
                self.assertRegex(answer.out,
                                 rf"capped +{'yes' if capped else 'no'}\n")

    def test_ranges_and_lists_make_a_table(self):
        def asked(*args):
            table = self.document("filter", "size", *args)
            return [(row["elements"], row["fp_rate"])
                    for row in table["sizes"]]

        self.assertEqual(
            asked("--elements", "1000..1000000", "--fp-rate", "0.01"),
            [(1000, 0.01), (10000, 0.01), (100000, 0.01), (1000000, 0.01)])
        self.assertEqual(
            asked("--elements", "500,20..300", "--fp-rate", "0.5,0.25"),
            [(n, p) for n in (500, 20, 200, 300) for p in (0.5, 0.25)])
        rates = [p for _, p in asked("--elements", "5", "--fp-rate",
                                     "0.01..0.0001")]
        for rate, wanted in zip(rates, (0.01, 0.001, 0.0001), strict=True):
            self.assertAlmostEqual(rate, wanted, places=12)
        self.assertEqual({p for _, p in asked("--fp-rate", "0.02")}, {0.02})
        for row in self.document("filter", "size", "--elements",
                                 "100,200")["sizes"]:
            alone = self.document("filter", "size", "--elements",
                                  row["elements"], "--fp-rate", row["fp_rate"])
            self.assertEqual(row, alone)


class Plot(ProgramTest):
    SVG = "{http://www.w3.org/2000/svg}"

    def plot(self, *args):
        size = self.document("filter", "size", "--svg", "plot.svg", *args)
        self.assertEqual(size["svg"], "plot.svg")
        return ElementTree.parse(self.home / "plot.svg").getroot()

    def curves(self, root):
        """The points of each curve; the axes are a path without an L."""
        paths = [path.get("d") for path in root.iter(self.SVG + "path")]
        return [[tuple(map(float, point.split()))
                 for point in d.lstrip("M").split("L")]
                for d in paths if "L" in d]

    def words(self, root):
        return ["".join(t.itertext()) for t in root.iter(self.SVG + "text")]

    def test_the_curve_rises_through_the_filter_asked_about(self):
        root = self.plot("--elements", "2000", "--fp-rate", "0.001")
        curve, = self.curves(root)
        self.assertEqual(curve, sorted(curve))
        self.assertTrue(all(a[1] >= b[1] for a, b in zip(curve, curve[1:])))
        dot, = root.iter(self.SVG + "circle")
        x, y = float(dot.get("cx")), float(dot.get("cy"))
        self.assertTrue(any(abs(px - x) < 3 and abs(py - y) < 3
                            for px, py in curve))
        words = self.words(root)
        for wanted in ("elements inserted", "false-positive rate",
                       "rate wanted: 0.001", "2,000 elements: 0.00102",
                       "BIP 37: 3,594 bytes, k = 9", "10-3"):
            self.assertIn(wanted, words)

    def test_a_capped_filter_is_drawn_beside_the_one_without_a_limit(self):
        root = self.plot("--elements", "20000", "--fp-rate", "0.0001")
        self.assertEqual(len(self.curves(root)), 2)
        words = " ".join(self.words(root))
        self.assertIn("the protocol's most", words)
        self.assertIn("no limit: 47,933 bytes, k = 13", words)

    def test_the_plot_in_the_documentation_is_what_is_drawn(self):
        self.plot("--elements", "20000", "--fp-rate", "0.0001")
        self.assertEqual((self.home / "plot.svg").read_text(),
                         (ROOT / "docs/filter-20000.svg").read_text())

    def test_every_size_can_be_drawn(self):
        for elements, rate in (("1", "0.9"), ("1", "1e-300"), ("3", "0.5"),
                               ("100000000000", "0.001")):
            with self.subTest(elements=elements, rate=rate):
                self.plot("--elements", elements, "--fp-rate", rate,
                          "--force")

    def test_one_filter_is_drawn_and_no_file_overwritten(self):
        self.failure(2, "filter", "size", "--svg", "plot.svg")
        self.failure(2, "filter", "size", "--elements", "1,2", "--svg", "x")
        self.assertEqual(list(self.home.glob("*.svg")), [])
        (self.home / "plot.svg").write_text("mine")
        error = self.failure(1, "filter", "size", "--elements", "5", "--svg",
                             "plot.svg")
        self.assertIn("--force", error["hint"])
        self.assertEqual((self.home / "plot.svg").read_text(), "mine")
        self.failure(3, "filter", "size", "--elements", "5", "--svg",
                     "no/folder/plot.svg")
        self.failure(1, "filter", "size", "--elements", "5", "--svg",
                     "/dev/full")


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
        self.assertEqual(self.build(), self.build(lines=("  " + A, "\t" + B,
                                                         "   ", C)))
        self.assertEqual(self.text("filter", "test", ABC, stdin=f"  {A}\n"),
                         f"  {A}\n")

    def test_a_line_that_is_no_hex_is_told_why(self):
        for line, message, hint in (
                (b"aab", "'aab' has an odd number of hex digits, 3", ""),
                (b"aa\0bb", "'aa' is not hex: byte 3 of it is 00", ""),
                (b"aabb\0", "'aabb' is not hex: byte 5 of it is 00", ""),
                (b"\x01", "byte 1 of it is 01", ""),
                (b"0xaabb", "'0xaabb' is not hex", "without 0x"),
                (b"word", "'word' is not hex", "--text"),
                (b"aa bb", "'aa bb' is not hex", "--text"),
                (b"a" * 99 + b"z", f"'{'a' * 20}...' is not hex", "--text"),
                (b"a" * 99, "has an odd number of hex digits, 99", ""),
                (b"caf\xe9", "is not hex", "--text")):
            with self.subTest(line=line):
                error = self.failure(2, "filter", "build",
                                     stdin=b"aa\n" + line + b"\n")
                self.assertIn("line 2: ", error["message"])
                self.assertIn(message, error["message"])
                self.assertIn(hint, error["hint"] or "")

    def test_elements_are_not_taken_for_a_file_nor_a_file_for_elements(self):
        error = self.failure(2, "filter", "build", "urls.txt")
        self.assertIn("does not take 'urls.txt'", error["message"])
        self.assertIn("help filter build", error["hint"])

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
        for line in ("https://example.org/", "12:34 noon"):
            error = self.failure(2, "filter", "build", stdin=f"{line}\n")
            self.assertIn("--text", error["hint"])
        self.failure(2, "filter", "build")
        self.failure(2, "filter", "build", "--text", "--address", stdin=A)
        self.failure(2, "filter", "build", "--flags", "some", stdin=A)
        self.failure(2, "filter", "build", "--tweak", "4294967296", stdin=A)
        self.failure(2, "filter", "build", "--kind", "cuckoo", stdin=A)
        self.failure(2, "filter", "build", "--hashing", "bip37", stdin=A)
        self.failure(2, "filter", "build", "--elements", "4294967296",
                     stdin=A)


class Use(ProgramTest):
    def test_show_has_the_promised_keys_and_numbers(self):
        shown = self.document("filter", "show", ABC)
        self.assertEqual(set(shown), {
            "bytes", "hash_functions", "tweak", "flags", "bits_set",
            "estimated_elements", "fp_rate", "wire_ok", "payload",
            "capacity_left", "capacity_fp_rate"})
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

    def test_a_refusal_says_what_is_wrong_with_a_payload(self):
        for payload, words in (
                (ABC[:-2], "announces a filter of 3 bytes, which makes 13 in "
                           "all, and has 12"),
                (ABC + "00", "which makes 13 in all, and has 14"),
                ("01", "a filter of 1 byte, which makes 11 in all, and has 1"),
                ("03614e9b" + "33000000" + "00" * 5,
                 "51 hash functions, and the protocol's most are 50"),
                ("03614e9b" + "ff000000" + "00" * 5, "255 hash functions"),
                ("fda18c" + "00" * 36010,
                 "announces 36001 bytes, and the protocol's most are 36000"),
                ("ff" + "ff" * 8, "announces 18446744073709551615 bytes"),
                ("fd", "ends within its first number"),
                ("feffffff", "ends within its first number"),
                ("fd0300" + ABC[2:], "length, 3, is not in its shortest form"),
                ("fe03000000" + ABC[2:], "is not in its shortest form")):
            (self.home / "file").write_text(payload)
            for args, name, stdin in (((payload,), "this", ""),
                                      (("file",), "file", ""),
                                      (("-",), "standard input", payload)):
                if len(payload) > 10000 and name == "this":
                    continue  # longer than the name of any file
                with self.subTest(payload=payload[:30], name=name):
                    error = self.failure(2, "filter", "show", *args,
                                         stdin=stdin)
                    self.assertIn(f"{name} is no filterload payload: it",
                                  error["message"])
                    self.assertIn(words, error["message"])
                    self.assertIn("'filter build' prints", error["hint"])

    def test_what_is_not_even_hex_is_answered_with_what_a_filter_is(self):
        (self.home / "text").write_text("neither hex nor a filter\n")
        (self.home / "fee").write_text(ABC)
        for name, message, hint in (
                ("text", "text is text, and no hex", "'filter build --out'"),
                ("none", "neither hex nor the name of a file", "payload"),
                (ABC[:-1], "an odd number of hex digits, 25", "payload"),
                ("fee", "an odd number of hex digits, 3",
                 "./fee is the file of that name")):
            with self.subTest(name=name):
                code = 3 if name == "none" else 2
                error = self.failure(code, "filter", "show", name)
                self.assertIn(message, error["message"])
                self.assertIn(hint, error["hint"])
        self.assertEqual(self.document("filter", "show", "./fee")["payload"],
                         ABC)

    def test_what_need_not_worry_is_a_note(self):
        answer = self.run_program("filter", "size", "--elements", "20000")
        self.assertIn("spvclient: note: 36,000 bytes", answer.err)
        answer = self.run_program("filter", "build", "--text",
                                  stdin="".join(f"{n}\n" for n in range(20000)))
        self.assertIn("spvclient: warning: 36,000 bytes", answer.err)


if __name__ == "__main__":
    unittest.main()
