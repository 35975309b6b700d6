"""The common ground of the suites."""

import itertools
import tempfile
import unittest

import keys
from client import Client
from node import Node, Unavailable
from wallet import SPAN, DescribedWallet, Wallet

mnemonics = itertools.cycle(keys.mnemonics())


class NodeCase(unittest.TestCase):
    """Tests that share a node. Each has wallets that no other test knows."""

    node_options = ()
    unavailable = None

    @classmethod
    def setUpClass(cls):
        try:
            cls.node = cls.add_node()
            cls.prepare()
        except Unavailable as missing:
            cls.unavailable = str(missing)

    @classmethod
    def add_node(cls):
        """One more node, up to the end of the class."""
        node = Node(*cls.node_options)
        node.start()
        cls.addClassCleanup(node.stop)
        return node

    @classmethod
    def prepare(cls):
        cls.node.fund()

    def setUp(self):
        if self.unavailable:
            self.skipTest(self.unavailable)

    def new_client(self, *peers):
        """A data folder with nothing in it."""
        folder = tempfile.mkdtemp(dir=self.node.folder)
        return Client(folder, *(peers or [self.node.address]))

    def new_wallet(self, kind, *peers, options=(), span=SPAN):
        """Keys that are new to the node, restored in a data folder."""
        client, mnemonic = self.new_client(*peers), next(mnemonics)
        client.restore(kind, mnemonic, *options)
        wallet = Wallet(self.node, client, kind, mnemonic, span)
        self.addCleanup(wallet.close)
        return wallet

    def new_watch(self, descriptors, scripts=()):
        """A wallet whose client has the public half of the keys only."""
        client = self.new_client()
        client.ask("wallet", "watch", *(
            self.node.call("getdescriptorinfo", d)["descriptor"]
            for d in descriptors))
        wallet = DescribedWallet(self.node, client, descriptors,
                                 scripts=scripts)
        self.addCleanup(wallet.close)
        return wallet

    def assert_true_after_sync(self, wallet):
        """Sync; then the client and the node agree in everything."""
        report = wallet.client.ask("sync", "--timeout", "60")
        self.assertEqual((report["height"], report["block_hash"]),
                         self.node.tip())
        self.assertEqual("", "\n".join(wallet.departures()))
        return report
