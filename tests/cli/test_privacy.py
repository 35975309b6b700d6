"""privacy: what the present filter gives away, as text, JSON and a page."""

import html.parser
import math
import re
import unittest

from program import ROOT, ProgramTest

STARTS = 10
HABITS = ["this wallet", "filter that just fits", "only addresses in use",
          "key and hash together", "new tweak at each start",
          "oversized, without decoys"]
KEYS = {
    "": {"wallet", "addresses_in_use", "used_addresses", "counted_addresses",
         "strangers", "probability_ours", "probability_all", "filter", "tried",
         "a_day", "two_filters", "habits", "levels"},
    "filter": {"bytes", "hash_functions", "bits_set", "fp_rate", "keys",
               "coins", "decoys"},
    "tried": {"strangers", "matched"},
    "a_day": {"transactions", "bytes"},
    "two_filters": {"reveal_more_than_the_earlier", "earlier_elements",
                    "pairs"},
}


class Page(html.parser.HTMLParser):
    """What a browser would have to load or run, and whether tags are closed."""

    EMPTY = {"meta", "line", "rect", "circle", "path"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.outside = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag in ("script", "link", "img", "iframe", "object"):
            self.outside.append(tag)
        self.outside += [k for k, v in attrs
                         if k in ("src", "href") or k.startswith("on")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Levels(ProgramTest):
    def rate_of(self, name, *args):
        self.restore("--wallet", name, *args)
        return self.document("--regtest", "filter", "wallet", "--wallet",
                             name)["fp_rate"]

    def test_a_level_is_kept_for_life(self):
        rates = {name: self.rate_of(name, "--privacy", name)
                 for name in ("own-node", "default", "strong")}
        answer = self.document("--regtest", "privacy", "--wallet", "strong")
        self.assertEqual(answer["filter"]["fp_rate"], rates["strong"])
        for level in answer["levels"]:
            rate = rates.pop(level["level"])
            self.assertAlmostEqual(rate / level["fp_rate"], 1, delta=0.1)
            self.assertAlmostEqual(level["strangers"],
                                   level["fp_rate"] * 50000000)
        self.assertEqual(rates, {})

    def test_a_rate_may_be_given_instead(self):
        self.assertAlmostEqual(
            self.rate_of("few", "--fp-rate", "0.00000001") / 1e-8, 1, delta=0.2)
        watch = self.document(
            "--regtest", "wallet", "watch", "--fp-rate", "0.01", "--wallet",
            "watch", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080")
        self.assertTrue(watch["watch_only"])
        shown = self.document("--regtest", "filter", "wallet", "--wallet",
                              "watch")
        self.assertAlmostEqual(shown["fp_rate"] / 0.01, 1, delta=0.1)

    def test_bad_levels_and_rates_are_refused(self):
        for args in (("--privacy", "none"), ("--privacy", ""),
                     ("--fp-rate", "0.2"), ("--fp-rate", "1e-10"),
                     ("--fp-rate", "0"), ("--fp-rate", "nan"),
                     ("--fp-rate", "0.001", "--privacy", "strong")):
            with self.subTest(args=args):
                self.failure(2, "--regtest", "wallet", "create", *args)
        self.assertEqual(self.document("--regtest", "wallet", "list"), [])


class Privacy(ProgramTest):
    def setUp(self):
        super().setUp()
        self.restore()

    def privacy(self, *args):
        return self.document("--regtest", "privacy", *args)

    def test_the_keys_are_those_of_the_reference(self):
        answer = self.privacy()
        reference = (ROOT / "docs/privacy.md").read_text()
        for name, keys in KEYS.items():
            self.assertEqual(set(answer[name] if name else answer), keys)
        everything = {k for keys in KEYS.values() for k in keys}
        everything |= set(answer["two_filters"]["pairs"][0])
        everything |= set(answer["habits"][0]) | {"html"}
        everything |= set(answer["levels"][0])
        for key in everything:
            self.assertIn(f'"{key}"', reference)

    def test_the_numbers_are_of_the_filter_that_is_sent(self):
        sent = self.document("--regtest", "filter", "wallet")
        answer = self.privacy("--addresses", "1000000")
        for key in ("bytes", "hash_functions", "bits_set", "fp_rate"):
            self.assertEqual(answer["filter"][key], sent[key])
        self.assertEqual(answer["addresses_in_use"], 1000000)
        self.assertAlmostEqual(answer["strangers"], 1e6 * sent["fp_rate"])
        self.assertAlmostEqual(answer["probability_ours"],
                               1 / (1 + answer["strangers"]))
        expected = sent["fp_rate"] * answer["tried"]["strangers"]
        self.assertLess(abs(answer["tried"]["matched"] - expected),
                        5 * math.sqrt(expected))

    def test_more_addresses_hide_it_better(self):
        few = self.privacy("--addresses", "33000000")
        usual = self.privacy()
        self.assertEqual(usual["addresses_in_use"], 50000000)
        self.assertLess(few["strangers"], usual["strangers"])
        self.assertGreater(few["probability_ours"], usual["probability_ours"])

    def test_two_filters_reveal_nothing_beyond_the_earlier(self):
        two = self.privacy()["two_filters"]
        earlier, tweak, size = two["pairs"]
        self.assertIs(two["reveal_more_than_the_earlier"], False)
        self.assertEqual(earlier["strangers_together"],
                         earlier["strangers_alone"])
        for other in (tweak, size):
            self.assertLess(other["strangers_together"],
                            other["strangers_alone"] / 1000)

    def test_habits_stand_side_by_side(self):
        habits = {h["habit"]: h for h in self.privacy()["habits"]}
        self.assertEqual(list(habits), HABITS)
        for habit in habits.values():
            for key in ("strangers", "probability_ours", "probability_all"):
                self.assertEqual(len(habit[key]), STARTS)
        self.assertEqual(len(set(habits["this wallet"]["strangers"])), 1)
        left = habits["new tweak at each start"]["strangers"]
        self.assertEqual(left, sorted(left, reverse=True))
        self.assertLess(left[-1], 1e-9)
        self.assertAlmostEqual(left[1] / left[0],
                               habits["filter that just fits"]["fp_rate"])
        for shown in ("only addresses in use", "oversized, without decoys"):
            self.assertGreater(habits[shown]["probability_ours"][0], 0.99)

    def test_people_are_told_the_same_in_sentences(self):
        text = self.text("--regtest", "privacy")
        answer = self.privacy()
        self.assertIn("No address of this wallet has been paid yet", text)
        self.assertIn("Of 50 million addresses in use", text)
        self.assertIn(f"{int(answer['strangers']):,}", text)
        self.assertIn(f"{answer['a_day']['bytes'] / 1e6:.2f} MB a day", text)
        self.assertIn("nothing beyond what the earlier one did", text)
        self.assertIn("people's, and 1 that is yours.", text)
        self.assertNotRegex(text, r"\de\+|e-1\d|(?m: $)")
        for name in HABITS:
            self.assertRegex(text, rf"(?m)^{re.escape(name)} ")

    def test_the_page_stands_alone(self):
        answer = self.privacy("--html", "page.html")
        self.assertEqual(answer["html"], "page.html")
        text = (self.home / "page.html").read_text()
        page = Page()
        page.feed(text)
        page.close()
        self.assertEqual(page.open, [])
        self.assertEqual(page.outside, [])
        self.assertEqual(page.seen.count("svg"), 2)
        self.assertNotIn("@import", text)
        self.assertNotIn("url(", text)
        for name in HABITS:
            self.assertGreaterEqual(text.count(name), 2)
        for line in self.text("--regtest", "privacy").splitlines()[:4]:
            self.assertIn(f"<li>{line}</li>", text)

    def test_a_page_does_not_overwrite_a_file_unasked(self):
        (self.home / "page.html").write_text("mine")
        error = self.failure(1, "--regtest", "privacy", "--html", "page.html")
        self.assertEqual(error["name"], "EXISTS")
        self.assertEqual((self.home / "page.html").read_text(), "mine")
        self.privacy("--html", "page.html", "--force")
        self.assertIn("<svg", (self.home / "page.html").read_text())

    def test_bad_numbers_and_missing_wallets_are_refused(self):
        for number in ("0", "-1", "many", "9007199254740993", "1.5", ""):
            with self.subTest(number=number):
                self.failure(2, "--regtest", "privacy", "--addresses", number)
        self.failure(3, "--regtest", "privacy", "--wallet", "none")
        self.failure(3, "--regtest", "privacy", "--html", "none/page.html")


if __name__ == "__main__":
    unittest.main()
