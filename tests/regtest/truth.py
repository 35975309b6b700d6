"""What a wallet holds and did, in the words of the node alone.

The node derives the scripts, `scantxoutset` finds the coins, and `getblock HASH
2` tells the history; nothing of the program under test takes part. The two
views of the node have to agree with each other before they judge anybody.
"""

from node import to_sat

MATURITY = 100  # blocks, the coinbase's own included


class Truth:
    """The confirmed state of a wallet given by descriptors."""

    def __init__(self, node, descriptors, span=100):
        self.node = node
        self.descriptors = [self.with_checksum(d) for d in descriptors]
        self.scan = [{"desc": d, "range": span - 1} for d in self.descriptors]
        self.addresses = [node.call("deriveaddresses", d, [0, span - 1])
                          for d in self.descriptors]
        self.own = {address for row in self.addresses for address in row}

    def with_checksum(self, descriptor):
        checksum = self.node.call("getdescriptorinfo", descriptor)["checksum"]
        return f"{descriptor}#{checksum}"

    def state(self):
        """Balance, coins and history, shaped as `spvclient` shows them."""
        found = self.node.call("scantxoutset", "start", self.scan)
        coins = [self.coin(c, found["height"]) for c in found["unspents"]]
        history, left = self.walk()
        if left != {(c["txid"], c["vout"]): c["amount_sat"] for c in coins}:
            raise RuntimeError("the node contradicts itself, or the wallet "
                               f"reaches past its span: {left} and {coins}")
        total = sum(c["amount_sat"] for c in coins)
        mature = sum(c["amount_sat"] for c in coins if c["spendable"])
        return {"balance": {"confirmed_sat": mature,
                            "immature_sat": total - mature,
                            "height": found["height"],
                            "block_hash": found["bestblock"]},
                "coins": coins, "history": history}

    @staticmethod
    def coin(unspent, tip):
        confirmations = tip - unspent["height"] + 1
        immature = unspent["coinbase"] and confirmations < MATURITY
        return {"txid": unspent["txid"], "vout": unspent["vout"],
                "amount_sat": to_sat(unspent["amount"]),
                "script_pubkey": unspent["scriptPubKey"],
                "height": unspent["height"], "confirmations": confirmations,
                "coinbase": unspent["coinbase"], "spendable": not immature}

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
                  if o["scriptPubKey"].get("address") in self.own}
        coins.update(gained)
        if not spent and not gained:
            return None
        # The fee is known to a wallet only when it owns every input.
        fee = to_sat(tx["fee"]) if len(spent) == len(points) else None
        return {"txid": tx["txid"], "fee_sat": fee,
                "net_sat": sum(gained.values()) - sum(spent)}
