"""Kinds of scripts that are only watched, beside those of test_wallets."""

import re

import keys
from cases import NodeCase, mnemonics

BTC = 100_000_000

# Of two master keys, without hardened steps: the public half is enough.
EVERY_KIND = ("pkh({0}/0/*)", "wpkh({0}/1/*)", "sh(wpkh({0}/2/*))",
              "wsh(multi(2,{0}/3/*,{1}/3/*))", "tr({0}/4/*)")


class Watched(NodeCase):
    def every_kind(self):
        masters = [keys.master_key(next(mnemonics)) for _ in range(2)]
        return [text.format(*masters) for text in EVERY_KIND]

    def spent_whole(self, wallet):
        """How many coins went by without change, each by itself."""
        return [h["net_sat"] for h in wallet.client.ask("history")].count(-BTC)

    def test_S01_every_kind_of_coin_is_seen_to_go_without_change(self):
        descriptors = self.every_kind()
        wallet, late = self.new_watch(descriptors), self.new_watch(descriptors)
        addresses = [row[0] for row in wallet.truth.addresses]
        coins = [wallet.coin(self.node.miner.pay({address: BTC}), address)
                 for address in addresses]
        self.node.mine()
        self.assert_true_after_sync(wallet)
        self.assertEqual(len(wallet.client.ask("coins")), len(EVERY_KIND))
        for coin in coins:
            wallet.empty(coin)
            self.node.mine()
        for each in (wallet, late):  # in two syncs, and in one
            self.assert_true_after_sync(each)
            self.assertEqual(each.client.ask("coins"), [])
            self.assertEqual(self.spent_whole(each), len(EVERY_KIND))

    def public_key(self, name):
        found = self.node.call("getdescriptorinfo",
                               f"pk({keys.private_key(name)})")
        return re.fullmatch(r"pk\(([0-9a-f]{66})\)#.{8}",
                            found["descriptor"])[1]

    def bare_keys(self):
        """Descriptors whose outputs show the keys themselves; the scripts."""
        alone, one, two = (f"{self.id()} {n}" for n in range(3))
        push = [f"21{self.public_key(name)}" for name in (alone, one, two)]
        either = ",".join(map(keys.private_key, (one, two)))
        return ([f"pk({keys.private_key(alone)})", f"multi(1,{either})"],
                [f"{push[0]}ac", f"51{push[1]}{push[2]}52ae"])

    def test_S03_bare_keys_are_seen_to_be_paid_and_to_spend(self):
        descriptors, scripts = self.bare_keys()
        wallet = self.new_watch(descriptors, scripts)
        late = self.new_watch(descriptors, scripts)
        coins = [self.node.miner.pay_script(script, BTC) for script in scripts]
        self.assert_true_after_sync(wallet)
        self.assertEqual([c["script_pubkey"] for c in
                          wallet.client.ask("coins")], scripts)
        for coin in coins:
            wallet.empty(coin)
            self.node.mine()
        for each in (wallet, late):
            self.assert_true_after_sync(each)
            self.assertEqual(each.client.ask("coins"), [])
            self.assertEqual(self.spent_whole(each), len(scripts))
