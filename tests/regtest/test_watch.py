"""watch against a real node: it mines, pays, replaces, reorganises, restarts."""

import json
import os
import signal
import subprocess
import time

from cases import NodeCase
from client import Client
from node import Node, STRANGER, die_with_parent
from tap import Tap
from watching import PATIENCE, Watch

BTC = 100_000_000


class Watching(NodeCase):
    def setUp(self):
        super().setUp()
        self.wallet = self.new_wallet("wpkh")

    def watch(self, *options):
        watch = Watch(self.wallet.client, *options)
        self.addCleanup(watch.__exit__)
        return watch

    def synced(self, *options):
        watch = self.watch(*options)
        watch.wait("synced", height=self.node.tip()[0])
        return watch

    def at_tip(self, watch, patience=PATIENCE):
        height, block_hash = self.node.tip()
        watch.wait("synced", patience, height=height, block_hash=block_hash)

    def assert_true_in_the_end(self, watch, how=signal.SIGINT):
        self.assertEqual(watch.end(how), 0)
        self.assertEqual("", "\n".join(self.wallet.departures()))

    def test_it_begins_with_who_is_there_and_how_things_stand(self):
        watch = self.synced()
        kinds = [e["event"] for e in watch.events]
        self.assertEqual(kinds, ["connected", "tip", "balance", "synced"])
        self.assertEqual(watch.events[0]["peer"], self.node.address)
        self.assertEqual((watch.events[1]["height"],
                          watch.events[1]["block_hash"]), self.node.tip())
        self.assert_true_in_the_end(watch)

    def test_a_payment_is_seen_before_its_block_and_then_in_it(self):
        watch = self.synced()
        txid, _ = self.wallet.receive(BTC)
        seen = watch.wait("transaction", txid=txid)
        self.assertEqual((seen["net_sat"], seen["state"], seen["seen_by"],
                          seen["height"]), (BTC, "unconfirmed", 1, None))
        balance = watch.wait("balance")
        self.assertEqual((balance["confirmed_sat"],
                          balance["unconfirmed_sat"]), (0, BTC))
        self.node.mine()
        found = watch.wait("confirmed", patience=5, txid=txid)
        self.assertEqual((found["height"], found["block_hash"]),
                         self.node.tip())
        self.assertEqual(watch.wait("balance")["confirmed_sat"], BTC)
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_what_was_in_the_mempool_before_is_seen_too(self):
        txid, _ = self.wallet.receive(BTC)
        watch = self.synced()
        watch.wait("transaction", txid=txid)
        self.assertEqual(watch.end(), 0)
        entry, = self.wallet.client.ask("history")
        self.assertEqual((entry["txid"], entry["state"]),
                         (txid, "unconfirmed"))
        self.node.mine()
        self.assert_true_after_sync(self.wallet)

    def test_confirmations_count_from_the_tip_while_it_catches_up(self):
        self.wallet.client.ask("sync")
        txid, _ = self.wallet.receive(BTC)
        self.node.mine(1200)
        watch = self.synced()
        told, = (e for e in watch.events if e["event"] == "confirmed")
        self.assertEqual((told["txid"], told["confirmations"]),
                         (txid, 1200))
        self.assertEqual(watch.end(), 0)
        entry, = self.wallet.client.ask("history")
        self.assertEqual(entry["confirmations"], 1200)

    def test_every_block_mined_in_a_row_is_followed_once(self):
        watch = self.synced()
        for n in range(10):
            self.wallet.receive(BTC // 10 + n, n)
            self.node.mine()
            time.sleep(0.2)
        self.at_tip(watch, patience=5)
        tips = [e["height"] for e in watch.events if e["event"] == "tip"]
        self.assertEqual(tips, sorted(set(tips)))
        confirmed = [e["txid"] for e in watch.events
                     if e["event"] == "confirmed"]
        self.assertEqual(len(confirmed), len(set(confirmed)), 10)
        self.assert_true_in_the_end(watch, signal.SIGTERM)

    def test_spends_with_and_without_change_in_the_mempool(self):
        watch = self.synced()
        coin = self.wallet.receive(BTC)
        watch.wait("transaction", txid=coin[0])
        other = self.wallet.receive(BTC, 1)
        watch.wait("transaction", txid=other[0])
        spend = self.wallet.spend(coin, BTC // 4, STRANGER)
        self.assertLess(watch.wait("transaction", txid=spend)["net_sat"],
                        -BTC // 4 + 1)
        whole = self.wallet.empty(other)
        self.assertEqual(watch.wait("transaction", txid=whole)["net_sat"],
                         -BTC)
        self.node.mine()
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_a_payment_that_is_replaced_is_counted_once(self):
        watch = self.synced()
        first = self.node.miner.pay({self.wallet.address(0): BTC},
                                    replaceable=True)
        watch.wait("transaction", txid=first)
        second = self.node.miner.call("bumpfee", txid=first,
                                       fee_rate=20)["txid"]
        told = {watch.wait("replaced", txid=first)["state"]}
        self.assertEqual(told, {"replaced"})
        self.assertEqual(watch.events[-1]["conflicts_with"], [second])
        self.node.mine()
        watch.wait("confirmed", txid=second)
        self.assertEqual(watch.wait("balance")["total_sat"], BTC)
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_a_payment_that_is_taken_back_is_told(self):
        watch = self.synced()
        first = self.node.miner.pay({self.wallet.address(0): BTC},
                                    replaceable=True)
        watch.wait("transaction", txid=first)
        time.sleep(6)  # a filter is renewed at most so often
        second = self.node.miner.call(
            "bumpfee", txid=first,
            options={"fee_rate": 20, "outputs": [{STRANGER: "0.9"}]})["txid"]
        told = watch.wait("replaced", txid=first)
        self.assertEqual(told["conflicts_with"], [second])
        self.assertEqual(watch.wait("balance")["total_sat"], 0)
        self.node.mine()
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_a_payment_that_is_taken_back_in_a_block_is_told(self):
        watch = self.synced()
        first = self.node.miner.pay({self.wallet.address(0): BTC},
                                    replaceable=True)
        watch.wait("transaction", txid=first)
        self.node.miner.call(
            "bumpfee", txid=first,
            options={"fee_rate": 20, "outputs": [{STRANGER: "0.9"}]})
        self.node.mine()
        watch.wait("balance", total_sat=0)
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_a_reorganisation_is_told_and_followed(self):
        watch = self.synced()
        height = self.node.tip()[0]
        txid, _ = self.wallet.receive(BTC)
        self.node.mine()
        old = self.node.tip()
        watch.wait("confirmed", txid=txid)
        self.at_tip(watch)
        self.node.call("invalidateblock", old[1])
        for _ in range(2):
            self.node.mine_only(address=self.node.miner.call("getnewaddress"))
        told = watch.wait("reorganised")
        self.assertEqual((told["fork_height"], told["old_height"],
                          told["old_block_hash"]), (height, *old))
        self.assertEqual((told["height"], told["block_hash"]),
                         self.node.tip())
        watch.wait("transaction", txid=txid)
        self.at_tip(watch)
        self.node.mine()
        watch.wait("confirmed", txid=txid)
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_a_deep_reorganisation_with_spends_on_both_sides(self):
        watch = self.synced()
        base = self.node.mine()[0]
        for n in range(6):
            coin = self.wallet.receive(BTC + n, n)
            self.node.mine(1)
            self.wallet.empty(coin)
            self.node.mine(2)
        self.node.mine(6)
        self.at_tip(watch)
        self.node.call("invalidateblock", base)
        other = self.node.miner.call("getnewaddress")
        for _ in range(30):
            self.node.mine_only(address=other)
        self.at_tip(watch)
        self.node.mine()  # what is left in the node's mempool
        self.at_tip(watch)
        self.assert_true_in_the_end(watch)

    def test_until_and_timeout_end_it(self):
        watch = self.synced("--until", str(self.node.tip()[0] + 3))
        self.node.mine(5)
        self.assertEqual(watch.process.wait(PATIENCE), 0)
        watch = self.synced("--timeout", "2")
        self.assertEqual(watch.process.wait(PATIENCE), 0)

    def test_a_reader_that_has_enough_is_no_failure(self):
        reader, writer = os.pipe()
        process = subprocess.Popen(
            self.wallet.client.command("watch"), stdin=subprocess.DEVNULL,
            stdout=writer, stderr=subprocess.PIPE, text=True,
            preexec_fn=die_with_parent)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        os.close(writer)
        with open(reader) as lines:
            while json.loads(lines.readline())["event"] != "synced":
                pass
        self.node.mine()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(process.stderr.read(), "")


class Restarts(NodeCase):
    """A node that goes away and comes back, and two of them."""

    def test_a_node_that_restarts_is_found_again(self):
        wallet = self.new_wallet("wpkh")
        with Tap(self.node, 10 ** 9) as tap, \
                Watch(Client(wallet.client.folder, tap.address)) as watch:
            watch.wait("synced", height=self.node.tip()[0])
            tap.break_all()
            watch.wait("disconnected", peer=tap.address)
            txid, _ = wallet.receive(BTC)
            watch.wait("connected", peer=tap.address)
            watch.wait("transaction", txid=txid)
            self.node.mine()
            watch.wait("confirmed", txid=txid)
            watch.wait("synced", height=self.node.tip()[0])
            self.assertEqual(watch.end(), 0)
        self.assertEqual("", "\n".join(wallet.departures()))

    def test_two_nodes_announce_one_payment(self):
        with Node() as other:
            other.call("addnode", self.node.address, "onetry")
            self.wait_until_alike(other)
            wallet = self.new_wallet("wpkh", self.node.address, other.address)
            with Watch(wallet.client) as watch:
                watch.wait("synced", height=self.node.tip()[0])
                txid, _ = wallet.receive(BTC)
                watch.wait("transaction", txid=txid, seen_by=1)
                watch.wait("transaction", txid=txid, seen_by=2)
                self.node.mine()
                watch.wait("confirmed", txid=txid)
                height, block_hash = self.node.tip()
                watch.wait("synced", height=height, block_hash=block_hash)
                self.assertEqual(watch.end(), 0)
            self.assertEqual("", "\n".join(wallet.departures()))

    def wait_until_alike(self, other):
        deadline = time.monotonic() + PATIENCE
        while other.tip() != self.node.tip():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
