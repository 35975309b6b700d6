"""Several nodes at once: one stops, restarts, is far away, or disagrees.

Far away is a proxy, far.py, since kernels that tests run on often lack network
namespaces and netem.
"""

import contextlib
import itertools
import pathlib
import subprocess
import tempfile
import time

from cases import NodeCase, mnemonics
from client import program
from far import Far
from node import STRANGER
from tap import Tap
from wallet import Wallet
from watching import PATIENCE, Watch

BTC = 100_000_000
HEADER = 81  # bytes, in a message
SOME_BLOCKS = 5_000  # bytes
ONE_WAY_MS = 50
LOSS = 0.02


class ThreeNodes(NodeCase):
    """They know of each other only what a test hands over."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.node.mine(150)
        cls.nodes = [cls.node, cls.add_node(), cls.add_node()]

    def setUp(self):
        super().setUp()
        self.share()
        self.wallet = self.new_wallet("wpkh")
        self.client = self.wallet.client

    def share(self):
        """Every node that runs has the blocks of all others."""
        nodes = [node for node in self.nodes if node.process]
        for giver, taker in itertools.permutations(nodes, 2):
            if giver.tip() != taker.tip():
                taker.feed(giver)

    def fill(self, count=20):
        """Receipts, and spends with change and without."""
        for n in range(count):
            coin = self.wallet.receive(BTC // 10 + n, n)
            self.node.mine(2)
            if n % 3 == 1:
                self.wallet.empty(coin)
            elif n % 3 == 2:
                self.wallet.spend(coin, BTC // 40, STRANGER, change=n)
        self.node.mine()
        self.share()

    def assert_true(self):
        self.assertEqual("", "\n".join(self.wallet.departures()))

    def connect(self, *servers):
        self.client.peers = [server.address for server in servers]

    def sync_across(self, tap, event):
        """Sync; when the tap is closed, let something happen."""
        process = self.client.start("sync", "--timeout", "60")
        try:
            self.assertTrue(tap.reached.wait(PATIENCE), "no bytes came")
            event()
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assert_true()

    def test_each_of_three_serves_a_part(self):
        self.fill()
        self.connect(*self.nodes)
        report = self.assert_true_after_sync(self.wallet)
        self.assertEqual({peer["address"] for peer in report["peers"]},
                         set(self.client.peers))

    def test_one_that_stops_while_the_client_syncs_is_done_without(self):
        self.fill()
        gone = self.nodes[2]

        def stop():
            gone.halt()
            self.addCleanup(gone.launch)

        with Tap(gone, SOME_BLOCKS, hang_up=True) as tap, \
                Far(self.nodes[1], ONE_WAY_MS) as far:
            self.connect(tap, far)
            self.sync_across(tap, stop)
        self.fill(3)
        self.connect(gone, self.nodes[1])
        self.assert_true_after_sync(self.wallet)

    def test_the_only_one_restarts_while_the_client_syncs(self):
        self.fill()
        only = self.nodes[2]

        def restart():
            only.halt()
            only.launch()
            tap.break_all()

        blocks_from = HEADER * only.tip()[0]
        with Tap(only, blocks_from + SOME_BLOCKS) as tap:
            self.connect(tap)
            self.sync_across(tap, restart)

    def test_one_that_restarts_while_the_client_watches_is_found_again(self):
        other = self.nodes[1]
        self.connect(self.node, other)
        with Watch(self.client) as watch:
            watch.wait("synced", height=self.node.tip()[0])
            other.halt()
            watch.wait("disconnected", peer=other.address)
            txid, _ = self.wallet.receive(BTC)
            self.node.mine()
            watch.wait("confirmed", txid=txid)
            other.launch()
            other.feed(self.node)
            watch.wait("connected", peer=other.address)
            other.mine(2)  # it is the one that is ahead now
            watch.wait("synced", height=other.tip()[0])
            self.node.feed(other)
            self.assertEqual(watch.end(), 0)
        self.assert_true()

    def part(self, theirs, ours):
        """Blocks of its own for the second node, and a payment that the first
        alone has in a block."""
        self.wallet.receive(BTC)
        self.node.mine(ours)
        self.nodes[1].mine(theirs)

    def test_one_on_a_shorter_branch_moves_nothing(self):
        self.part(theirs=3, ours=5)
        for peers in (self.nodes[:2], self.nodes[1::-1]):
            with self.subTest(first=peers[0].address):
                self.connect(*peers)
                self.assert_true_after_sync(self.wallet)

    def test_a_longer_branch_of_one_node_is_the_truth(self):
        self.part(theirs=5, ours=3)
        self.connect(*self.nodes[:2])
        report = self.client.ask("sync", "--timeout", "60")
        self.assertEqual(report["block_hash"], self.nodes[1].tip()[1])
        self.assertEqual(self.client.ask("balance")["confirmed_sat"], 0)
        self.node.feed(self.nodes[1])
        self.assert_true_after_sync(self.wallet)

    def test_a_watch_follows_whichever_branch_has_more_work(self):
        coin = self.wallet.receive(BTC)
        self.node.mine()
        self.share()
        left = self.node.tip()[1]
        self.connect(*self.nodes[:2])
        with Watch(self.client) as watch:
            watch.wait("confirmed", txid=coin[0])
            watch.wait("synced")
            self.nodes[1].call("invalidateblock", left)
            self.addCleanup(self.nodes[1].call, "reconsiderblock", left)
            for _ in range(3):
                self.nodes[1].mine_only()
            watch.wait("synced", block_hash=self.nodes[1].tip()[1])
            self.wallet.empty(coin)
            self.node.mine(4)
            watch.wait("synced", block_hash=self.node.tip()[1])
            self.assertEqual(watch.end(), 0)
        self.assert_true()

    def test_nodes_far_away_on_lossy_lines(self):
        for far, loss, near in ((1, 0, 0), (1, LOSS, 1), (3, LOSS, 0)):
            with self.subTest(f"{far} far, {loss} lost, {near} near"), \
                    contextlib.ExitStack() as lines:
                self.wallet = self.new_wallet("tr")
                self.client = self.wallet.client
                self.fill(12)
                self.connect(*(
                    lines.enter_context(Far(node, ONE_WAY_MS, loss))
                    for node in self.nodes[:far]), *self.nodes[3 - near:])
                report = self.assert_true_after_sync(self.wallet)
                self.assertEqual(len(report["peers"]), far + near)

    def test_a_far_node_is_watched(self):
        with Far(self.node, ONE_WAY_MS, LOSS) as far:
            self.connect(far)
            with Watch(self.client) as watch:
                watch.wait("synced", height=self.node.tip()[0])
                txid, _ = self.wallet.receive(BTC)
                watch.wait("transaction", txid=txid)
                self.node.mine()
                watch.wait("confirmed", txid=txid)
                watch.wait("synced", height=self.node.tip()[0])
                self.assertEqual(watch.end(), 0)
        self.assert_true()


class BusyWallets(NodeCase):
    """300 transactions, forty new addresses paid in one block; the chain is
    generated, and each node begins with all of it."""

    chain = {"blocks": 400, "txs": 1200, "wallet-txs": 300,
             "wallet-blocks": 60, "burst": 40, "type": "tr"}
    span = 300  # addresses a chain, for the truth

    @classmethod
    def setUpClass(cls):
        maker = pathlib.Path(program()).parent / "bench" / "chaingen"
        if not maker.exists():
            cls.unavailable = f"{maker} is not built"
            return
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        blocks = pathlib.Path(folder.name) / "blocks"
        cls.mnemonic = next(mnemonics)
        options = {"out": blocks, "mnemonic": cls.mnemonic, **cls.chain}
        subprocess.run([maker, *(word for key, value in options.items()
                                 for word in (f"--{key}", str(value)))],
                       check=True)
        cls.node_options = (f"-loadblock={blocks}",)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        cls.nodes = [cls.node, *(cls.add_node() for _ in range(3))]
        for node in cls.nodes:
            while node.tip()[0] < cls.chain["blocks"]:
                time.sleep(0.05)

    def test_it_is_right_with_one_two_and_four_nodes(self):
        for count in (1, 2, 4):
            with self.subTest(f"{count} nodes"):
                client = self.new_client(*(
                    node.address for node in self.nodes[:count]))
                client.restore(self.chain["type"], self.mnemonic)
                wallet = Wallet(self.node, client, self.chain["type"],
                                self.mnemonic, self.span)
                self.addCleanup(wallet.close)
                report = self.assert_true_after_sync(wallet)
                self.assertEqual(report["wallet_transactions"],
                                 self.chain["wallet-txs"])
                self.assertEqual(len(report["peers"]), count)
