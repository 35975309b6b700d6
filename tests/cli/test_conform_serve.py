"""Scripted nodes: what they make of our own client, and the command."""

import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import unittest

from careless import Careless
from program import FIRST_ADDRESS, MNEMONIC, PROGRAM, ROOT
from serving import SERVE_SECONDS, ServeTest

AT_ONCE = 12

# Blocks that lack a match, or a whole block that is another, show only to who
# has blocks from two nodes.
AUDITS = {"omit_tx", "omit_some", "omit_all", "no_whole", "other_whole"}
# What these do alone can be told from what a client does by itself.
TELLING_ALONE = {
    "honest", "two_versions", "chatter", "early_inv", "stray_tx",
    "late_filter", "false_proof", "extra_tx", "match_everything",
    "withhold_tx", "easy_header", "headers_gap", "header_flood",
    "orphan_flood", "wrong_magic", "garbage", "no_bloom"}


def coins_of(documents):
    return sorted((c["txid"], c["vout"], c["amount_sat"], c["address"],
                   c["height"]) for c in documents)


class OwnClient(ServeTest):
    """Every scenario with an honest node beside it, and alone where that tells
    something: right by the table, and in the end by the truth."""

    def setUp(self):
        super().setUp()
        self.restore("--birthday", "0")

    def wallet(self, name):
        """A copy of the wallet, in a folder of its own."""
        folder = self.home / name
        shutil.copytree(self.data, folder)
        return ("--regtest", "--datadir", str(folder))

    def sync(self, folder, server, scenario):
        nodes = [x for at in server.at for x in ("--connect", at)]
        audit = ["--audit", "1"] if scenario in AUDITS else []
        return self.run_program("--json", *folder, "sync", *nodes, *audit,
                                "--timeout", SERVE_SECONDS)

    def play(self, scenario, *beside):
        scenarios = [scenario, *beside]
        if scenario == "other_whole":  # it is the second that is asked
            scenarios.reverse()
        server = self.serve(*scenarios)
        folder = self.wallet("-".join(scenarios))
        synced = self.sync(folder, server, scenario)
        report = server.report()
        return {
            "scenario": scenario, "truth": server.truth, "code": server.code,
            "synced": synced.code, "report": report, "told": synced.err,
            "balance": self.document(*folder, "balance"),
            "coins": self.document(*folder, "coins")}

    def play_all(self, plays):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda play: self.play(*play), plays))

    def assert_truth(self, played):
        truth = played["truth"]
        self.assertEqual(played["balance"]["confirmed_sat"],
                         truth["balance_sat"])
        self.assertEqual(coins_of(played["coins"]), coins_of(truth["coins"]))

    def test_beside_an_honest_node_it_is_right_and_finds_the_truth(self):
        names = [s["scenario"] for s in
                 self.document("conform", "serve", "--list")["scenarios"]]
        self.assertEqual(names[0], "honest")
        for played in self.play_all([(name, "honest") for name in names]):
            with self.subTest(played["scenario"], told=played["told"]):
                self.assertEqual(
                    [node["verdict"] for node in played["report"]["nodes"]],
                    ["pass", "pass"], played["report"])
                self.assertEqual(played["code"], 0)
                self.assertEqual(played["synced"], 0)
                self.assert_truth(played)

    def test_alone_it_is_right_too(self):
        for played in self.play_all([(name,) for name in TELLING_ALONE]):
            node, = played["report"]["nodes"]
            with self.subTest(played["scenario"], told=played["told"]):
                self.assertEqual(node["verdict"], "pass", node)
                self.assertFalse(node["took_the_bait"])
                self.assertEqual(played["code"], 0)
                if played["synced"] == 0:
                    self.assert_truth(played)
                else:  # it has left, and says that it does not know
                    self.assertGreater(node["lies"] + (
                        node["scenario"] == "no_bloom"), 0)

    def test_a_wallet_of_addresses_is_paid_too(self):
        address = FIRST_ADDRESS["wpkh"]
        server = self.serve("honest", more=("--pay", address))
        self.assertNotIn("mnemonic", server.first)
        self.assertEqual(server.first["pay"], [address])
        self.text("--regtest", "--wallet", "one", "wallet", "watch", address,
                  "--birthday", "0")
        self.text("--regtest", "--wallet", "one", "sync", "--connect",
                  server.at[0])
        self.assertEqual(server.report()["verdict"], "pass")
        coins = self.document("--regtest", "--wallet", "one", "coins")
        self.assertEqual({c["address"] for c in coins}, {address})
        self.assertEqual(coins_of(coins), coins_of(server.truth["coins"]))


class Command(ServeTest):
    def test_the_same_seed_is_the_same_chain(self):
        servers = [self.serve("honest", more=("--seed", seed))
                   for seed in ("5", "5", "6")]
        hashes = [s.truth["block_hash"] for s in servers]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_the_list_tells_what_a_right_client_does(self):
        scenarios = self.document("conform", "serve", "--list")["scenarios"]
        text = self.text("conform", "serve", "--list").splitlines()
        self.assertEqual(len(text), len(scenarios))
        for line, scenario in zip(text, scenarios):
            self.assertEqual(line, "{scenario}: {lie}; a right client {right}"
                             .format(**scenario))

    def test_the_page_has_the_same_scenarios_and_checks(self):
        page = (ROOT / "docs/conform-serve.md").read_text()
        scenarios = self.document("conform", "serve", "--list")["scenarios"]
        for scenario in scenarios:
            self.assertIn("| `{scenario}` | {lie} | {right} |\n"
                          .format(**scenario), page)
        self.assertEqual(page.count("\n| `"), len(scenarios) + 8)

    def test_nobody_came(self):
        answer = self.run_program("--json", "conform", "serve", "--scenario",
                                  "honest", "--timeout", "1")
        self.assertEqual(answer.code, 6)
        first, error = map(json.loads, answer.out.splitlines())
        self.assertEqual(first["chain"], "regtest")
        self.assertEqual(error["error"]["name"], "TIMEOUT")

    def test_an_interrupt_ends_it_with_the_report(self):
        server = self.serve("honest")
        with Careless(server.at[0]) as client:
            client.sync()
            os.kill(server.process.pid, signal.SIGINT)
            self.assertEqual(server.report()["verdict"], "pass")
        self.assertEqual(server.code, 0)

    def test_it_listens_where_it_is_told(self):
        other = self.serve("honest", more=("--listen", "[::1]:0"))
        self.assertRegex(other.at[0], r"^\[::1\]:\d+$")
        taken = self.serve("honest").at[0]
        answer = self.run_program("conform", "serve", "--scenario", "honest",
                                  "--listen", taken)
        self.assertEqual(answer.code, 1, answer.out)
        self.assertIn("is taken", answer.err)

    def test_wrong_use_is_refused(self):
        serve = ("conform", "serve")
        for args, hint in [
                ((), "--list"), (("--scenario", "nice"), "--list")]:
            error = self.failure(2, *serve, *args)
            self.assertIn(hint, error["hint"])
        honest = (*serve, "--scenario", "honest")
        error = self.failure(2, *serve, "--scenario", "nice", *honest[2:])
        self.assertIn("'nice'", error["message"])
        self.failure(2, *honest, *honest[2:], "--listen", "127.0.0.1:65535")
        self.failure(2, *honest, "--listen", "localhost:0")
        self.failure(2, *honest, "--listen", "127.0.0.1")
        self.failure(2, *honest, "--pay", "nobody")
        self.failure(2, *honest, "--chain", "main")

    def test_what_means_nothing_to_it_is_refused(self):
        for option in ("--connect", "127.0.0.1"), ("--wallet", "mine"):
            error = self.failure(2, *option, "conform", "serve", "--scenario",
                                 "honest")
            self.assertIn(option[0], error["message"])
            self.assertIn("your client", error["hint"])

    def read(self, code, *args):
        """What people read of a run with a careless client."""
        server = subprocess.Popen(
            [PROGRAM, "conform", "serve", *args, "--timeout", "30"],
            stdout=subprocess.PIPE, text=True, env=self.environment({}),
            cwd=self.home)
        line = server.stdout.readline()
        with Careless(line.split(" ")[0]) as client:
            client.sync()
        with server.stdout:
            out = server.stdout.read()
        self.assertEqual(server.wait(timeout=40), code)
        return line + out

    def test_people_read_the_same(self):
        out = self.read(1, "--scenario", "false_proof")
        self.assertIn(MNEMONIC, out)
        self.assertRegex(out, r"\n  fail     asks_no_more +asks nothing more .*: "
                         r"4 requests came after the client had read the lie")
        self.assertIn("\n  lies told      240\n", out)
        self.assertTrue(out.endswith("verdict: fail\n"), out)

    def test_people_are_told_what_was_not_checked(self):
        address = FIRST_ADDRESS["wpkh"]
        out = self.read(0, "--scenario", "honest", "--pay", address, "--seed",
                        "9")
        self.assertIn(" honest: serves BIP 37 as ", out)
        self.assertIn(f"\npaid are\n  {address}\n\nseed 9\n", out)
        self.assertRegex(out, rf"\n[0-9a-f]{{64}} +\d+ +\S+ btc +\d+  {address}"
                         "\n")
        for word in "left after", "took the bait", "lies told":
            self.assertNotIn(word, out)
        self.assertTrue(out.endswith(
            "\ncompare your wallet with the truth: that was not checked\n"
            "verdict: pass (of what can be seen from outside; compare the "
            "wallet with the truth above)\n"), out)


if __name__ == "__main__":
    unittest.main()
