"""The same client against bcoin, which filters by code of its own."""

from cases import NodeCase
from node import STRANGER, Bcoin

BTC = 100_000_000
SEGWIT_HEIGHT = 432  # the first that bcoin's version bits can reach
SIGNALS_CSV_AND_SEGWIT = 0x20000003


class OnBcoin(NodeCase):
    """bitcoind mines under bcoin's rules; bcoin serves the client."""

    node_options = (
        f"-testactivationheight=segwit@{SEGWIT_HEIGHT}",
        f"-testactivationheight=csv@{SEGWIT_HEIGHT}",
        f"-blockversion={SIGNALS_CSV_AND_SEGWIT}",
    )

    @classmethod
    def prepare(cls):
        cls.bcoin = Bcoin()
        cls.bcoin.start()
        cls.addClassCleanup(cls.bcoin.stop)
        cls.node.fund(kind="legacy")
        cls.node.mine(SEGWIT_HEIGHT - cls.node.tip()[0])

    def assert_true_at_bcoin(self, wallet):
        self.bcoin.feed(self.node)
        return self.assert_true_after_sync(wallet)

    def check(self, kind):
        wallet = self.new_wallet(kind, self.bcoin.address)
        first, second, third = (wallet.receive(BTC + n, n) for n in range(3))
        self.node.mine()
        wallet.spend(first, BTC // 3, STRANGER)
        self.node.mine()
        report = self.assert_true_at_bcoin(wallet)
        self.assertIn("bcoin", report["peers"][0]["user_agent"])
        wallet.empty(second)
        for index in range(3, 33):
            wallet.receive(100_000 + index, index)
        self.node.mine()
        self.assert_true_at_bcoin(wallet)
        inner = wallet.coin(wallet.spend(third, BTC // 3, STRANGER, change=1),
                            wallet.address(1, True))
        wallet.empty(inner)
        self.node.mine()
        self.assert_true_at_bcoin(wallet)

    def test_pkh_receives_and_spends(self):
        self.check("pkh")

    def test_wpkh_receives_and_spends(self):
        self.check("wpkh")

    def test_sh_wpkh_receives_and_spends(self):
        self.check("sh-wpkh")

    def test_tr_receives_and_spends(self):
        self.check("tr")
