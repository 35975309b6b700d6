"""A wallet in two places beside the client: the node's own, which holds the
same keys and spends; and the truth about both."""

import itertools

import keys
from client import differences
from truth import Truth

SPAN = 60  # addresses a chain that the node knows: more than most tests use
names = (f"wallet-{n}" for n in itertools.count())


class DescribedWallet:
    """The keys of descriptors, at a node, and at a client that has them."""

    def __init__(self, node, client, descriptors, span=SPAN, scripts=()):
        self.node, self.client = node, client
        self.truth = Truth(node, descriptors, span, scripts)
        self.spender = node.wallet(next(names), blank=True)
        self.spender.call("importdescriptors", [
            {**scan, "timestamp": "now"} for scan in self.truth.scan])

    def close(self):
        self.spender.call("unloadwallet", self.spender.name)

    def address(self, index, change=False):
        return self.truth.addresses[change][index]

    def receive(self, sat, index=0):
        """Let the miner pay; the coin (txid, vout), not yet in a block."""
        txid = self.node.miner.pay({self.address(index): sat})
        return self.coin(txid, self.address(index))

    def coin(self, txid, address):
        """Where a transaction in the mempool or a block pays an address."""
        outputs = self.node.call("getrawtransaction", txid, True)["vout"]
        return txid, next(o["n"] for o in outputs
                          if o["scriptPubKey"].get("address") == address)

    def spend(self, coin, sat, to, change=0):
        """Spend a coin with change; the txid, not yet in a block."""
        txid, vout = coin
        return self.spender.pay(
            {to: sat}, inputs=[{"txid": txid, "vout": vout}],
            include_unsafe=True, change_address=self.address(change, True))

    def empty(self, coin):
        """Spend a coin whole, to a stranger; the txid."""
        return self.spender.empty(coin)

    def departures(self):
        """Differences between what the client says and the truth."""
        return differences(self.client.state(), self.truth.state())


class Wallet(DescribedWallet):
    """The keys of one mnemonic."""

    def __init__(self, node, client, kind, mnemonic, span=SPAN):
        super().__init__(node, client, keys.descriptors(kind, mnemonic), span)
