"""A wallet paid and spent on bcoin alone, where no bitcoind can be had.

bcoin has no descriptors, and knows no taproot. Its library derives the keys,
its RPC signs, and the truth is in its blocks and its coin database.
"""

import collections
import json
import os
import pathlib
import subprocess

import keys
from node import Bcoin, to_coins, to_sat
from truth import Truth
from wallet import SPAN

KINDS = ("wpkh", "sh-wpkh", "pkh")
DERIVE = pathlib.Path(__file__).with_name("bcoin_keys.js")
SEGWIT_HEIGHT = 432  # the first that bcoin's version bits can reach
FEE = 1000  # satoshi, of any transaction here
PUSH_PROGRAM = "16"  # the opcode that pushes a program of 22 bytes


def derive(kind, mnemonic, span=SPAN):
    """Receiving and change chain: lists of {address, secret, program}."""
    done = subprocess.run(
        ["node", DERIVE, Bcoin().find(), kind, str(span)], check=True,
        input=keys.master_key(mnemonic), stdout=subprocess.PIPE, text=True,
        env=os.environ | {"NODE_BACKEND": "js"})
    return json.loads(done.stdout)


def with_script(tx, script):
    """A signed transaction of one input whose scriptSig was left empty."""
    at = 2 * (4 + 2 + 1 + 36)  # version, witness mark, count, outpoint
    assert tx[at:at + 2] == "00"
    return tx[:at] + f"{len(script) // 2:02x}" + script + tx[at + 2:]


class Purse:
    """The keys of one mnemonic, and what bcoin signs with them."""

    def __init__(self, node, kind, mnemonic, span=SPAN):
        self.node, self.kind = node, kind
        chains = derive(kind, mnemonic, span)
        self.addresses = [[k["address"] for k in chain] for chain in chains]
        self.keys = {k["address"]: k for chain in chains for k in chain}

    def send(self, coin, outputs):
        """Spend a coin (txid, vout) on {address: satoshi}; the txid."""
        source = dict(zip(("txid", "vout"), coin))
        amounts = {to: float(to_coins(sat)) for to, sat in outputs.items()}
        tx = self.node.call("createrawtransaction", [source], amounts)
        return self.node.call("sendrawtransaction", self.sign(tx, source))

    def sign(self, tx, source):
        """For a nested program bcoin signs as if it stood alone: BIP 143 has
        the same digest for both, and only the scriptSig tells them apart."""
        found = self.node.call("gettxout", source["txid"], source["vout"])
        script = found["scriptPubKey"]
        key = self.keys[script["addresses"][0]]
        previous = source | {"scriptPubKey": key["program"] or script["hex"],
                             "amount": float(found["value"])}
        tx = self.node.call("signrawtransaction", tx, [previous],
                            [key["secret"]])["hex"]
        if self.kind == "sh-wpkh":
            tx = with_script(tx, PUSH_PROGRAM + key["program"])
        return tx

    def amount(self, coin):
        return to_sat(self.node.call("gettxout", *coin)["value"])


class MiningBcoin(Bcoin):
    """A bcoin with coins to give away."""

    def fund(self, count=40):
        """Mine that many rewards, mature, and on until segwit is active."""
        self.purse = Purse(self, "pkh", keys.mnemonics()[0], span=1)
        self.home = self.purse.addresses[0][0]
        rewards = self.mine(count, self.home)
        self.mine(SEGWIT_HEIGHT - count)
        self.coins = collections.deque(
            (self.read_block(block)["tx"][0]["txid"], 0) for block in rewards)

    def pay(self, address, sat):
        """Pay from the coin that has rested longest; the txid."""
        coin = self.coins.popleft()
        rest = self.purse.amount(coin) - sat - FEE
        txid = self.purse.send(coin, {address: sat, self.home: rest})
        self.coins.append((txid, 1))
        return txid


class BlockTruth(Truth):
    """The truth of a server that finds no coins by script: those that its
    blocks leave, where its coin database has them as well. Ask when nothing
    waits: bcoin does not tell that a transaction in its mempool spends a coin.
    """

    def __init__(self, node, addresses):
        self.node, self.addresses = node, addresses
        self.own = {address for row in addresses for address in row}

    def find_unspents(self):
        height, tip = self.node.tip()
        _, left = self.walk()
        found = [self.look_up(point, height) for point in left]
        return {"height": height, "bestblock": tip,
                "unspents": [coin for coin in found if coin]}

    def look_up(self, point, tip):
        """As scantxoutset lists a coin; None for one that is spent."""
        coin = self.node.call("gettxout", *point, False)
        return coin and {
            "txid": point[0], "vout": point[1], "amount": coin["value"],
            "scriptPubKey": coin["scriptPubKey"]["hex"],
            "height": tip - coin["confirmations"] + 1,
            "coinbase": coin["coinbase"]}


class BcoinWallet:
    """As wallet.Wallet: the keys at bcoin, and the truth about them."""

    def __init__(self, node, client, kind, mnemonic):
        self.node, self.client = node, client
        self.purse = Purse(node, kind, mnemonic)
        self.truth = BlockTruth(node, self.purse.addresses)

    def address(self, index, change=False):
        """In bcoin's words: rb1... for bcrt1..., and other base58 letters."""
        return self.truth.addresses[change][index]

    def receive(self, sat, index=0):
        return self.node.pay(self.address(index), sat), 0

    def spend(self, coin, sat, to, change=0):
        rest = self.purse.amount(coin) - sat - FEE
        return self.purse.send(coin, {to: sat,
                                      self.address(change, True): rest})

    def empty(self, coin):
        return self.purse.send(
            coin, {self.node.stranger: self.purse.amount(coin) - FEE})
