"""What happens to wallets, for each kind of address, on a real node."""

from cases import NodeCase
from node import STRANGER

BTC = 100_000_000


class Scenarios:
    """Run once for each kind below."""

    def setUp(self):
        super().setUp()
        self.wallet = self.new_wallet(self.kind)

    def mine_and_check(self, count=1):
        self.node.mine(count)
        return self.assert_true_after_sync(self.wallet)

    def receive_and_check(self, sat=BTC, index=0):
        coin = self.wallet.receive(sat, index)
        self.mine_and_check()
        return coin

    def confirmed(self):
        return self.wallet.client.ask("balance")["confirmed_sat"]

    def entry(self, txid):
        return self.entry_of(self.wallet.client, txid)

    def entry_of(self, client, txid):
        return next(h for h in client.ask("history") if h["txid"] == txid)

    def test_its_addresses_are_those_that_the_node_derives(self):
        client = self.wallet.client
        self.assertEqual(client.ask("address", "list"), [])
        given = [client.ask("address", "new", *side)
                 for side in ((), (), ("--change",))]
        for row in given:
            self.assertEqual(
                row["address"],
                self.wallet.address(row["index"], row["change"]))
        listed = [(row["index"], row["change"])
                  for row in client.ask("address", "list")]
        self.assertEqual(listed, [(0, False), (1, False), (0, True)])

    def test_a_wallet_that_was_never_paid_is_empty(self):
        self.assert_true_after_sync(self.wallet)
        self.assertEqual(self.wallet.client.ask("coins"), [])
        self.assertEqual(self.wallet.client.ask("history"), [])

    def test_a_payment_is_received(self):
        self.receive_and_check(BTC)
        self.assertEqual(self.confirmed(), BTC)

    def test_a_log_tells_how_a_sync_went(self):
        self.wallet.receive(BTC)
        self.node.mine()
        told = self.wallet.client.run("sync", "--log-level", "debug").stderr
        for line in (f"info: {self.node.address}: connected to /",
                     "info: headers: from ", "info: filtered blocks: from ",
                     "debug: filter 1: ", "1 transactions of the wallet",
                     f"info: synced at height {self.node.tip()[0]}\n"):
            self.assertIn(line, told)

    def test_a_spend_with_change_is_seen(self):
        coin = self.receive_and_check()
        self.wallet.spend(coin, BTC // 3, STRANGER)
        self.mine_and_check()
        self.assertLess(self.confirmed(), BTC - BTC // 3)

    def test_a_spend_without_change_is_seen(self):
        coin = self.receive_and_check()
        self.wallet.empty(coin)
        self.mine_and_check()
        self.assertEqual(self.confirmed(), 0)

    def test_all_found_from_the_beginning_in_one_sync(self):
        first = self.wallet.receive(BTC, 0)
        second = self.wallet.receive(2 * BTC, 1)
        self.node.mine()
        self.wallet.spend(first, BTC // 2, STRANGER)
        self.node.mine()
        self.wallet.empty(second)
        self.mine_and_check()

    def test_a_block_reward_matures_after_100_blocks(self):
        self.node.mine(1, self.wallet.address(0))
        self.mine_and_check(98)
        balance = self.wallet.client.ask("balance")
        self.assertEqual(balance["confirmed_sat"], 0)
        self.assertGreater(balance["immature_sat"], 0)
        self.mine_and_check()
        matured = self.wallet.client.ask("balance")
        self.assertEqual(matured["confirmed_sat"], balance["immature_sat"])
        self.assertEqual(matured["immature_sat"], 0)
        self.node.mine()
        [coin] = self.wallet.client.ask("coins")
        self.wallet.empty((coin["txid"], coin["vout"]))
        self.mine_and_check()

    def test_several_transactions_in_one_block_are_all_found(self):
        paid = [self.wallet.receive((n + 1) * 1_000_000, n // 2)
                for n in range(6)]
        for _ in range(3):
            self.node.miner.pay({STRANGER: BTC})
        self.mine_and_check()
        self.wallet.spend(paid[0], 300_000, STRANGER, change=0)
        self.wallet.spend(paid[1], 300_000, self.wallet.address(4), change=1)
        self.wallet.empty(paid[2])
        self.mine_and_check()

    def test_a_chain_of_spends_within_one_block_is_followed(self):
        coin = self.wallet.receive(BTC)
        second = self.wallet.spend(coin, BTC // 4, STRANGER)
        change = self.wallet.coin(second, self.wallet.address(0, True))
        third = self.wallet.spend(change, BTC // 4, self.wallet.address(1))
        last = self.wallet.empty(
            self.wallet.coin(third, self.wallet.address(1)))
        block = self.node.mine()[0]
        held = self.node.call("getblock", block)["tx"]
        for txid in (coin[0], second, third, last):
            self.assertIn(txid, held)
        self.assert_true_after_sync(self.wallet)

    def test_a_transaction_on_both_sides_of_a_fork_keeps_confirmed(self):
        self.receive_and_check()
        txid, _ = self.wallet.receive(BTC // 2, 1)
        left = self.node.mine()[0]
        self.assert_true_after_sync(self.wallet)
        height = self.entry(txid)["height"]
        self.node.call("invalidateblock", left)
        self.node.mine_only()
        self.node.mine_only([txid])
        self.mine_and_check()
        self.assertEqual(self.entry(txid)["height"], height + 1)
        self.assertEqual(self.confirmed(), BTC + BTC // 2)

    def test_a_transaction_that_a_fork_leaves_out_is_unconfirmed(self):
        self.receive_and_check()
        txid, _ = self.wallet.receive(BTC // 2, 1)
        left = self.node.mine()[0]
        self.assert_true_after_sync(self.wallet)
        self.node.call("invalidateblock", left)
        for _ in range(3):
            self.node.mine_only()
        self.assert_true_after_sync(self.wallet)
        entry = self.entry(txid)
        self.assertEqual((entry["state"], entry["height"]),
                         ("unconfirmed", None))
        self.assertEqual(self.confirmed(), BTC)
        self.mine_and_check()
        self.assertEqual(self.entry(txid)["state"], "confirmed")

    def test_a_fork_gives_back_what_the_left_side_had_spent(self):
        coin = self.receive_and_check()
        spend = self.wallet.empty(coin)
        left = self.node.mine()[0]
        self.assert_true_after_sync(self.wallet)
        self.node.call("invalidateblock", left)
        for _ in range(3):
            self.node.mine_only()
        self.assert_true_after_sync(self.wallet)
        self.assertEqual(len(self.wallet.client.ask("coins")), 1)
        self.node.mine_only([spend])
        self.assert_true_after_sync(self.wallet)

    def test_a_sync_goes_on_from_where_the_last_one_ended(self):
        coin = self.receive_and_check()
        again = self.assert_true_after_sync(self.wallet)
        self.assertEqual(again["filtered_blocks"], 0)
        self.wallet.spend(coin, BTC // 3, STRANGER)
        self.wallet.receive(BTC, 1)
        later = self.mine_and_check(3)
        self.assertLess(later["filtered_blocks"], 50)

    def test_thirty_payments_in_one_block_stretch_the_gap_of_twenty(self):
        for index in range(30):
            self.wallet.receive(100_000 + index, index)
        self.mine_and_check()
        self.assertEqual(len(self.wallet.client.ask("coins")), 30)
        self.wallet.receive(BTC, 30 + 19)
        self.mine_and_check()
        self.assertEqual(len(self.wallet.client.ask("coins")), 31)

    def test_S16_an_encrypted_wallet_keeps_deriving(self):
        # So wide a gap that what was derived at its making does not suffice.
        wallet = self.new_wallet(self.kind, options=("--gap", "500"), span=560)
        client = wallet.client
        client.ask("wallet", "encrypt", "--password-stdin", stdin="hush\n")
        first = self.assert_true_after_sync(wallet)["filter"]["elements"]
        wallet.receive(BTC, 499)
        self.node.mine()
        self.assert_true_after_sync(wallet)
        for index in range(500, 560):
            wallet.receive(100_000 + index, index)
            if index % 20 == 19:
                self.node.mine()
                report = self.assert_true_after_sync(wallet)
        self.assertEqual(len(client.ask("coins")), 61)
        # A coin each, and new keys for as far as the window has moved on.
        self.assertGreaterEqual(report["filter"]["elements"], first + 61 + 500)
        self.assertTrue(client.ask("wallet", "show")["encrypted"])
        self.assertEqual(client.run("wallet", "backup").code, 4)


class Pkh(Scenarios, NodeCase):
    kind = "pkh"


class Wpkh(Scenarios, NodeCase):
    kind = "wpkh"

    def test_S15_a_rescan_with_a_larger_gap_finds_what_lay_beyond(self):
        wallet = self.new_wallet(self.kind, span=600)
        client = wallet.client
        # 560 is beyond what is derived early, too.
        for index in (0, 1, 2, 70, 560):
            wallet.receive(BTC + index, index)
        txid = self.node.miner.pay({wallet.address(90, change=True): BTC})
        self.node.mine()
        self.assertEqual(client.ask("sync")["gap"], 20)
        found = {coin["amount_sat"] for coin in client.ask("coins")}
        self.assertEqual(found, {BTC, BTC + 1, BTC + 2})
        self.assertEqual(client.ask("wallet", "rescan", "--gap", "580")["gap"],
                         580)
        # Nothing is deleted; what was seen by chance is there already.
        self.assertLessEqual(found | {BTC + 70}, {
            coin["amount_sat"] for coin in client.ask("coins")})
        self.assertEqual(len(client.ask("coins")), 5)
        self.assert_true_after_sync(wallet)
        self.assertEqual(len(client.ask("coins")), 6)
        self.assertEqual(self.entry_of(client, txid)["net_sat"], BTC)

    def test_S15_a_gap_is_honoured_on_both_chains(self):
        wallet = self.new_wallet(self.kind, options=("--gap", "100"), span=120)
        wallet.receive(BTC, 99)
        self.node.miner.pay({wallet.address(99, change=True): BTC})
        self.node.mine()
        self.assert_true_after_sync(wallet)
        self.assertEqual(len(wallet.client.ask("coins")), 2)


class ShWpkh(Scenarios, NodeCase):
    kind = "sh-wpkh"


class Tr(Scenarios, NodeCase):
    kind = "tr"


class WithoutUpdateAll(NodeCase):
    """Nodes that may not add coins to their filter: slower, no less right."""

    def test_coins_spent_at_once_and_later_are_seen(self):
        for flags, number in (("none", 0), ("p2pubkey", 2)):
            with self.subTest(flags=flags):
                wallet = self.new_wallet("wpkh", options=("--flags", flags))
                early = wallet.receive(BTC, 0)
                self.node.mine(3)
                wallet.empty(early)
                wallet.empty(wallet.receive(BTC, 1))
                self.node.mine(3)
                report = self.assert_true_after_sync(wallet)
                self.assertEqual(report["filter"]["flags"], number)
                self.assertEqual(report["wallet_transactions"], 4)
                self.assertGreater(report["refetched_blocks"], 0)
                wallet.receive(BTC, 2)
                self.node.mine()
                self.assert_true_after_sync(wallet)


class TwoNodes(NodeCase):
    """Several peers at once: right first, fast later."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.other = cls.add_node()

    def test_two_peers_serve_one_wallet(self):
        wallet = self.new_wallet("wpkh", self.node.address, self.other.address)
        for n in range(25):
            coin = wallet.receive(BTC // 10 + n, n)
            self.node.mine(4)
            if n % 2:
                wallet.empty(coin)
            elif n % 3:
                wallet.spend(coin, BTC // 40, STRANGER, change=n)
            self.node.mine(4)
        self.other.feed(self.node)
        report = self.assert_true_after_sync(wallet)
        self.assertEqual({peer["address"] for peer in report["peers"]},
                         {self.node.address, self.other.address})

    def test_each_passes_the_audits_of_the_other(self):
        wallet = self.new_wallet("wpkh", self.node.address, self.other.address)
        for n in range(12):
            coin = wallet.receive(BTC // 10 + n, n)
            self.node.mine()
            if n % 3:
                wallet.empty(coin)
            self.node.mine()
        self.other.feed(self.node)
        answer = wallet.client.run("sync", "--audit", "1", "--timeout", "60")
        self.assertEqual((answer.code, answer.stderr), (0, ""))
        self.assertGreater(answer.document["audited_blocks"],
                           self.node.tip()[0] // 2)
        self.assertEqual(answer.document["omissions"], 0)
        self.assert_true_after_sync(wallet)

    def test_the_serving_peer_may_change_between_receipt_and_spend(self):
        wallet = self.new_wallet("tr")
        coin = wallet.receive(BTC)
        self.node.mine()
        self.assert_true_after_sync(wallet)
        wallet.empty(coin)
        self.node.mine()
        self.other.feed(self.node)
        wallet.client.peers = [self.other.address]
        self.assert_true_after_sync(wallet)
        self.assertEqual(wallet.client.ask("balance")["total_sat"], 0)
