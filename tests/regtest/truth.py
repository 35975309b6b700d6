"""What a wallet holds and did, in the words of the node alone.

The node derives the scripts, `scantxoutset` finds the coins, and `getblock HASH
2` tells the history; nothing of the program under test takes part. The two
views of the node have to agree with each other before they judge anybody.
"""

from node import to_sat

MATURITY = 100  # blocks, the coinbase's own included


def is_mature(coin):
    return not coin["coinbase"] or coin["confirmations"] >= MATURITY


class Truth:
    """The confirmed state of a wallet given by descriptors.

    What those without addresses pay is to be told: `scripts`, in hex.
    """

    def __init__(self, node, descriptors, span=100, scripts=()):
        self.node = node
        self.scan = [self.scan_of(d, span) for d in descriptors]
        self.addresses = [] if scripts else [
            node.call("deriveaddresses", s["desc"], [0, span - 1])
            for s in self.scan]
        self.own = {address for row in self.addresses for address in row}
        self.own.update(scripts)

    def scan_of(self, descriptor, span):
        scan = {"desc": self.with_checksum(descriptor)}
        return scan | {"range": span - 1} if "*" in descriptor else scan

    def with_checksum(self, descriptor):
        checksum = self.node.call("getdescriptorinfo", descriptor)["checksum"]
        return f"{descriptor}#{checksum}"

    def state(self):
        """Balance, coins and history, shaped as `spvclient` shows them."""
        found = self.find_unspents()
        coins = [self.coin(c, found["height"]) for c in found["unspents"]]
        history, left = self.walk()
        if left != {(c["txid"], c["vout"]): c["amount_sat"] for c in coins}:
            raise RuntimeError("the node contradicts itself, or the wallet "
                               f"reaches past its span: {left} and {coins}")
        total = sum(c["amount_sat"] for c in coins)
        immature = sum(c["amount_sat"] for c in coins if not is_mature(c))
        return {"balance": {"confirmed_sat": total - immature,
                            "immature_sat": immature,
                            "height": found["height"],
                            "block_hash": found["bestblock"]},
                "coins": coins, "history": history}

    def find_unspents(self):
        return self.node.call("scantxoutset", "start", self.scan)

    def coin(self, unspent, tip):
        """Spendable: mature, and not spent by a transaction that waits."""
        coin = {"txid": unspent["txid"], "vout": unspent["vout"],
                "amount_sat": to_sat(unspent["amount"]),
                "script_pubkey": unspent["scriptPubKey"],
                "height": unspent["height"],
                "confirmations": tip - unspent["height"] + 1,
                "coinbase": unspent["coinbase"]}
        waiting = self.node.call("gettxout", coin["txid"], coin["vout"], True)
        return coin | {"spendable": is_mature(coin) and waiting is not None}

    def is_own(self, script):
        return script.get("address") in self.own or script["hex"] in self.own

    def walk(self):
        """The history and the coins left at its end, from the blocks alone."""
        history, coins, chain = [], {}, self.node.chain()
        for block in chain:
            for tx in block["tx"]:
                if entry := self.apply(tx, coins):
                    history.append(entry | {
                        "height": block["height"],
                        "block_hash": block["hash"],
                        "block_time": block["time"],
                        "confirmations": len(chain) - block["height"]})
        return history, coins

    def apply(self, tx, coins):
        """Take a transaction's inputs from the coins and add its outputs."""
        points = [(i.get("txid"), i.get("vout")) for i in tx["vin"]]
        spent = [coins.pop(point) for point in points if point in coins]
        gained = {(tx["txid"], o["n"]): to_sat(o["value"]) for o in tx["vout"]
                  if self.is_own(o["scriptPubKey"])}
        coins.update(gained)
        if not spent and not gained:
            return None
        # The fee is known to a wallet only when it owns every input.
        fee = to_sat(tx["fee"]) if len(spent) == len(points) else None
        return {"txid": tx["txid"], "fee_sat": fee,
                "net_sat": sum(gained.values()) - sum(spent)}
