"""Scripted nodes: what they make of our own client, and of a careless one."""

import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import unittest

from careless import Careless, bits_of, element_of, filterload, getdata
from program import FIRST_ADDRESS, MNEMONIC, PROGRAM, ROOT, ProgramTest

AT_ONCE = 12
SERVE_SECONDS = 40

CODES = {"pass": 0, "fail": 1, "skipped": 6}
# P2WPKH: addresses of the wallet that everybody knows.
PAID = ("bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk",
        "bcrt1qd7spv5q28348xl4myc8zmh983w5jx32cs707jh")
NEVER_CAME = (r"^\d+ of \d+ blocks that pay or spend were served under filters "
              r"that did not match it all: \d+ transactions? never came")

# Blocks that lack a match, or a whole block that is another, show only to who
# has blocks from two nodes.
AUDITS = {"omit_tx", "omit_some", "omit_all", "no_whole", "other_whole"}
# What these do alone can be told from what a client does by itself.
TELLING_ALONE = {
    "honest", "two_versions", "chatter", "early_inv", "stray_tx",
    "late_filter", "false_proof", "extra_tx", "match_everything",
    "withhold_tx", "easy_header", "headers_gap", "header_flood",
    "orphan_flood", "wrong_magic", "garbage", "no_bloom"}


class Server:
    """`spvclient conform serve`, from its first line to its report."""

    def __init__(self, test, *scenarios, more=()):
        names = [x for name in scenarios for x in ("--scenario", name)]
        self.process = subprocess.Popen(
            [PROGRAM, "conform", "serve", "--json", "--timeout",
             str(SERVE_SECONDS), *names, *more], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=test.environment({}), cwd=test.home)
        self.first = json.loads(self.process.stdout.readline())
        self.at = [node["address"] for node in self.first["listening"]]
        self.truth = self.first["truth"]

    def report(self):
        out, err = self.process.communicate(timeout=SERVE_SECONDS + 10)
        self.code = self.process.returncode
        self.err = err.decode()
        return json.loads(out)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def failed(node):
    return {check["id"] for check in node["checks"]
            if check["result"] == "fail"}


def coins_of(documents):
    return sorted((c["txid"], c["vout"], c["amount_sat"], c["address"],
                   c["height"]) for c in documents)


class ServeTest(ProgramTest):
    def serve(self, *scenarios, more=()):
        server = Server(self, *scenarios, more=more)
        self.addCleanup(server.stop)
        return server


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
        # Nobody has the block of the last header: who saw that one first knows
        # that it is not synced, and waits.
        limit = 4 if scenario == "headers_beside" else SERVE_SECONDS
        return self.run_program("--json", *folder, "sync", *nodes, *audit,
                                "--timeout", limit)

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
                self.assertIn(played["synced"],
                              (0, 6) if played["scenario"] == "headers_beside"
                              else (0,))
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
        self.text("--regtest", "--wallet", "one", "wallet", "watch", address,
                  "--birthday", "0")
        self.text("--regtest", "--wallet", "one", "sync", "--connect",
                  server.at[0])
        self.assertEqual(server.report()["verdict"], "pass")
        coins = self.document("--regtest", "--wallet", "one", "coins")
        self.assertEqual({c["address"] for c in coins}, {address})
        self.assertEqual(coins_of(coins), coins_of(server.truth["coins"]))


class CarelessClient(ServeTest):
    """The table can be failed, and in the right place."""

    def verdict_on(self, scenarios, visit, verdict="fail"):
        server = self.serve(*scenarios)
        visit(server.at)
        report = server.report()
        self.assertEqual(report["verdict"], verdict, report)
        self.assertEqual(server.code, CODES[verdict])
        return report["nodes"]

    def serve_two(self):
        """Two addresses are paid; what a filter holds for each."""
        return self.serve("honest", more=("--pay", PAID[0], "--pay", PAID[1]))

    def assert_lacks(self, server, verdict="fail"):
        node, = server.report()["nodes"]
        self.assertEqual(node["verdict"], verdict, node)
        self.assertEqual(failed(node),
                         {"complete"} if verdict == "fail" else set())
        reason = node["checks"][-1]["reason"]
        if verdict == "fail":
            self.assertRegex(reason, NEVER_CAME)
        return reason

    def test_whose_filter_matches_nothing_has_nothing(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bytes(8))
        truth = server.truth
        self.assertEqual(
            self.assert_lacks(server).split(",")[0],
            "{blocks} of {blocks} blocks that pay or spend were served under "
            "filters that did not match it all: {transactions} transactions "
            "never came".format(**truth))

    def test_whose_filter_lacks_an_address_is_seen(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of([element_of(PAID[0])]))
        self.assert_lacks(server)

    def test_whose_filter_never_holds_its_coins_is_seen(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of(map(element_of, PAID)), flags=0)
        self.assert_lacks(server)

    def test_whose_filter_holds_all_of_it_has_all(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of(map(element_of, PAID)))
        self.assert_lacks(server, "pass")

    def test_who_asks_again_under_other_filters_has_all(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of([element_of(PAID[0])]))
            client.sync(bits=bytes(8))
            client.sync(bits=bits_of([element_of(PAID[1])]))
        self.assert_lacks(server, "pass")

    def test_another_node_counts_for_what_it_really_gave(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.headers()
                client.say("filterload", filterload())
                client.say("getdata", getdata(client.headers()))
                client.until("merkleblock")
            with Careless(at[1]) as client:
                client.sync(bits=bytes(8))

        liar, honest = self.verdict_on(["false_proof", "honest"], visit)
        self.assertEqual(failed(liar), {"asks_elsewhere", "complete"})
        self.assertEqual(failed(honest), {"complete"})

    def test_who_had_asked_for_everything_before_the_lie_cannot_be_told(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(at_a_time=240)

        for scenario in ("false_proof", "withhold_tx", "orphan_flood"):
            with self.subTest(scenario):
                node, = self.verdict_on([scenario], visit, "skipped")
                leaves, = (c for c in node["checks"] if c["id"] == "leaves")
                self.assertEqual(leaves["result"], "skipped")
                self.assertIn("cannot be told", leaves["reason"])

    def test_who_leaves_as_it_reads_the_lie_is_right(self):
        def visit(at):
            with Careless(at[0]) as client:
                hashes = client.headers()
                client.say("filterload", filterload())
                client.say("getdata", getdata(hashes))
                client.until("merkleblock")

        node, = self.verdict_on(["false_proof"], visit, "pass")
        self.assertLess(node["left_after_ms"], 2000)

    def test_who_names_a_header_of_the_lie_took_the_bait(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(at_a_time=240)

        for scenario in ("easy_header", "headers_gap"):
            with self.subTest(scenario):
                node, = self.verdict_on([scenario], visit)
                self.assertEqual(failed(node), {"asks_no_more"})
                self.assertTrue(node["took_the_bait"])
                self.assertEqual(node["asked"]["after_lie"], 1)

    def test_two_who_compare_nothing_are_not_right_together(self):
        def visit(at):
            for address in at:
                with Careless(address) as client:
                    client.sync(at_a_time=240)

        liar, honest = self.verdict_on(["false_proof", "honest"], visit,
                                       "skipped")
        self.assertEqual(liar["verdict"], "skipped")
        self.assertEqual(honest["verdict"], "pass")

    def test_who_asks_before_there_is_a_filter_is_seen(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(loads=False)

        node, = self.verdict_on(["honest"], visit)
        self.assertEqual(failed(node), {"filter_first", "complete"})
        self.assertEqual(node["asked"]["before_filter"], 240)
        self.assertTrue(node["relay"])
        self.assertIsNone(node["filter"])

    def test_who_goes_on_with_a_liar_took_the_bait(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync()

        liar, honest = self.verdict_on(["false_proof", "honest"], visit)
        self.assertEqual(failed(liar), {"asks_no_more", "asks_elsewhere",
                                        "complete"})
        self.assertTrue(liar["took_the_bait"])
        self.assertEqual(liar["lies"], 240)
        self.assertEqual(liar["asked"]["after_lie"], 4)
        self.assertEqual(honest["connections"], 0)
        self.assertEqual(honest["verdict"], "skipped")

    def test_who_comes_back_to_a_liar_took_the_bait(self):
        def visit(at):
            for _ in range(2):
                with Careless(at[0]) as client:
                    client.sync(at_a_time=240)
            with Careless(at[1]) as client:
                client.sync()

        liar, honest = self.verdict_on(["false_proof", "honest"], visit)
        self.assertEqual(failed(liar), {"asks_no_more"})
        self.assertEqual(liar["connections"], 2)
        self.assertEqual(liar["asked"]["refetched"], 240)
        self.assertEqual(honest["verdict"], "pass")

    def test_who_compares_nothing_believes_what_was_left_out(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync()

        liar, _ = self.verdict_on(["omit_all", "honest"], visit)
        self.assertIn("compares", failed(liar))
        self.assertGreater(liar["omissions"], 50)
        self.assertTrue(liar["took_the_bait"])

    def test_who_does_not_wait_for_its_filter_is_seen(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync()

        node, = self.verdict_on(["late_filter"], visit)
        self.assertEqual(failed(node), {"waits"})
        self.assertFalse(node["fenced"])

    def test_who_sends_a_filter_where_none_is_served_is_seen(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.say("filterload", filterload())
                self.assertRaises((EOFError, OSError), client.fence)
            with Careless(at[1]) as client:
                client.sync()

        node, honest = self.verdict_on(["no_bloom", "honest"], visit)
        self.assertEqual(failed(node), {"no_filter"})
        self.assertEqual(honest["verdict"], "pass")

    def test_who_stays_with_a_liar_is_seen(self):
        server = self.serve("garbage", more=("--timeout", "1"))
        with Careless(server.at[0]):
            report = server.report()
        node, = report["nodes"]
        self.assertEqual(failed(node), {"leaves"})
        self.assertEqual(server.code, 1)

    def test_what_it_says_is_told(self):
        server = self.serve("honest")
        with Careless(server.at[0]) as client:
            client.say("filterload", filterload(b"\x0f" * 4, 2, 99, 2))
            client.say("filteradd", b"\x02hi")
            client.say("sendheaders")
            client.say("notamessage")
            client.fence()
            client.say("filterclear")
            client.fence()
        node, = server.report()["nodes"]
        self.assertEqual(node["user_agent"], "/careless/")
        self.assertEqual(node["filter"], {
            "loads": 1, "bytes": 4, "hash_functions": 2, "tweak": 99,
            "flags": 2, "fp_rate": 0.25})
        self.assertEqual((node["filter_adds"], node["filter_clears"]), (1, 1))
        self.assertEqual(node["received"]["ping"], 2)
        self.assertEqual(node["received"]["unknown"], 1)
        self.assertTrue(node["fenced"])


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

    def test_people_read_the_same(self):
        server = subprocess.Popen(
            [PROGRAM, "conform", "serve", "--scenario", "false_proof",
             "--timeout", "30"], stdout=subprocess.PIPE, text=True,
            env=self.environment({}), cwd=self.home)
        line = server.stdout.readline()
        with Careless(line.split(" ")[0]) as client:
            client.sync()
        with server.stdout:
            out = server.stdout.read()
        self.assertEqual(server.wait(timeout=40), 1)
        self.assertIn(MNEMONIC, out)
        self.assertIn("requests came after the client had read the lie", out)
        self.assertTrue(out.endswith("verdict: fail\n"), out)


if __name__ == "__main__":
    unittest.main()
