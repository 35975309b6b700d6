"""The judge is judged: a comparison that sees nothing would pass anything."""

import copy
import unittest

from client import differences

TXID, BLOCK = "11" * 32, "22" * 32
TRUTH = {
    "balance": {"confirmed_sat": 7, "immature_sat": 5, "height": 9,
                "block_hash": BLOCK},
    "coins": [{"txid": TXID, "vout": 0, "amount_sat": 7,
               "script_pubkey": "51", "height": 8, "confirmations": 2,
               "coinbase": False, "spendable": True}],
    "history": [{"txid": TXID, "height": 8, "block_hash": BLOCK,
                 "block_time": 3, "net_sat": 7, "fee_sat": 1,
                 "confirmations": 2}],
}


class Comparison(unittest.TestCase):
    def setUp(self):
        self.start_over()

    def start_over(self):
        self.client = copy.deepcopy(TRUTH)
        self.client["balance"] |= {"unconfirmed_sat": 0, "total_sat": 12}

    def assert_seen(self):
        self.assertTrue(differences(self.client, TRUTH))

    def test_the_same_state_has_no_differences(self):
        self.assertEqual(differences(self.client, TRUTH), [])

    def test_any_other_value_of_any_field_is_seen(self):
        for what in TRUTH:
            row = TRUTH[what] if what == "balance" else TRUTH[what][0]
            for key in row:
                with self.subTest(f"{what}: {key}"):
                    other = row | {key: -1}
                    self.start_over()
                    if what == "balance":
                        self.client[what] |= other
                    else:
                        self.client[what] = [other]
                    self.assert_seen()

    def test_a_missing_row_is_seen(self):
        for what in ("coins", "history"):
            with self.subTest(what):
                self.start_over()
                self.client[what] = []
                self.assert_seen()

    def test_a_total_that_is_not_the_sum_is_seen(self):
        self.client["balance"]["total_sat"] = 13
        self.assert_seen()

    def test_a_row_told_twice_is_seen(self):
        self.client["coins"] *= 2
        self.assert_seen()

    def test_a_history_with_the_newest_first_is_seen(self):
        older = TRUTH["history"][0] | {"height": 7}
        truth = TRUTH | {"history": [older, TRUTH["history"][0]]}
        self.client["history"] = truth["history"][::-1]
        self.assertTrue(differences(self.client, truth))
