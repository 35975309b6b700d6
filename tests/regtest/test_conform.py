"""The battery of `conform` against real nodes: what each of them gets wrong is
in docs/conformance.md, and nothing else."""

import json
import time
import xml.etree.ElementTree as xml
from fnmatch import fnmatch

import conformance
from cases import NodeCase
from conformance import finish, rpc, run, start
from far import Far
from node import Bcoin, Node, free_ports

PATIENCE = 60
FAST = 30  # seconds for all of it, beside a node on this machine
SEED = "20261130"
QUICK = "match,nomatch,filter,update,load,add,clear,proof,order,tx,getdata,limit"


class Guarded(Node):
    """A bitcoind as it comes: it may ban whom it likes."""

    def options(self):
        return [o for o in super().options() if not o.startswith("-whitelist")]


class Pruned(Node):
    def options(self):
        return [*(o for o in super().options() if o != "-txindex=1"),
                "-prune=1", "-fastprune=1"]


class Conform(NodeCase):
    """Ways to look at what a run says."""

    maxDiff = None

    def page_of(self, user_agent):
        """The page's rows for a node; skips where it was another version."""
        name, version = conformance.name_and_version(user_agent)
        rows = [row for row in conformance.table() if row.node == name]
        if {row.version for row in rows} - {version}:
            self.skipTest(f"the page was measured with another {name}")
        return rows

    def assert_as_on_the_page(self, user_agent, results):
        self.assertEqual("", "\n".join(
            conformance.departures(results, self.page_of(user_agent))))

    def assert_in_time(self, seconds):
        print(f"        the whole battery took {seconds:.1f} s "
              f"(to be under {FAST})", flush=True)


class ConformOnBitcoind(Conform):
    """An empty regtest chain is filled by --rpc; then all is looked at."""

    @classmethod
    def add_node(cls):
        node = Guarded()
        node.start()
        cls.addClassCleanup(node.stop)
        return node

    @classmethod
    def prepare(cls):
        began = time.monotonic()
        cls.first = run(cls.node.address, *rpc(cls.node), "--json",
                        "--seed", SEED)
        cls.seconds = time.monotonic() - began
        cls.results = cls.first.results()
        cls.height = cls.node.tip()[0]

    def test_no_check_that_must_hold_fails(self):
        failed = [c for c in self.results.values()
                  if (c["severity"], c["result"]) == ("must", "fail")]
        self.assertEqual(failed, [])
        self.assertEqual(self.first.code, 0, self.first.err)
        self.assert_in_time(self.seconds)

    def test_blocks_made_at_another_node_are_missed(self):
        with Guarded() as other:
            told = run(other.address, *rpc(self.node), "--json")
        self.assertEqual(told.code, 3, told.err)
        error = json.loads(told.out)["error"]
        self.assertIn("does not show the blocks", error["message"])
        self.assertIn("one node", error["hint"])

    def test_it_is_as_on_the_page(self):
        self.assert_as_on_the_page(
            json.loads(self.first.out)["node"]["user_agent"], self.results)

    def test_there_are_sixty_checks_or_more_and_their_sum_is_right(self):
        document = json.loads(self.first.out)
        self.assertGreaterEqual(len(self.results), 60)
        self.assertEqual(len(self.results), len(document["checks"]))
        for result, word in (("pass", "passed"), ("fail", "failed"),
                             ("skipped", "skipped")):
            self.assertEqual(document[word], sum(
                c["result"] == result for c in self.results.values()))
        for check in self.results.values():
            self.assertTrue(check["basis"])
            self.assertTrue(check["detail"] or check["result"] == "pass")

    def test_the_list_has_the_same_checks(self):
        self.assertEqual(list(run("nowhere", "--list", "--json").results()),
                         list(self.results))

    def test_a_seed_repeats_a_run(self):
        again = run(self.node.address, "--json", "--only", "match",
                    "--seed", SEED)
        other = run(self.node.address, "--json", "--only", "match",
                    "--seed", SEED)
        self.assertEqual(again.out, other.out)
        self.assertEqual(str(json.loads(again.out)["seed"]), SEED)

    def test_many_seeds_find_nothing_that_must_hold_and_does_not(self):
        for seed in range(5):
            with self.subTest(seed=seed):
                found = run(self.node.address, "--json", "--only", QUICK,
                            "--seed", str(seed))
                self.assertEqual(found.code, 0, found.out)

    def test_what_is_quick_is_all_but_announcements(self):
        groups = {name.split(".")[0] for name in self.results}
        self.assertEqual(groups - set(QUICK.split(",")),
                         {"relay", "mempool", "nobloom"})

    def test_only_what_is_named_is_run(self):
        found = run(self.node.address, "--json", "--only",
                    "match.txid,proof").results()
        self.assertIn("match.txid", found)
        self.assertEqual({i.split(".")[0] for i in found}, {"match", "proof"})

    def test_gently_nothing_is_done_that_a_node_may_ban_for(self):
        found = run(self.node.address, "--json", "--gentle", "--only",
                    QUICK).results()
        spared = [c["id"] for c in found.values() if "gentle" in c["detail"]]
        self.assertIn("limit.filterload-36001-bytes", spared)
        self.assertTrue(all(found[i]["result"] == "skipped" for i in spared))

    def test_every_format_says_the_same(self):
        args = ("--only", "match,nobloom,getdata", "--seed", SEED)
        found = run(self.node.address, "--format", "json", *args)
        results = found.results()
        expected = {i: c["result"] for i, c in results.items()}
        self.assertEqual(set(expected.values()), {"pass", "fail", "skipped"})
        tap = run(self.node.address, "--format", "tap", *args)
        self.assertEqual(self.read_tap(tap.out), expected)
        junit = run(self.node.address, "--format", "junit", *args)
        self.assertEqual(self.read_junit(junit.out), expected)
        text = run(self.node.address, *args)
        for check, result in expected.items():
            word = {"pass": "pass", "fail": "FAIL"}.get(result)
            self.assertIn(f"  {word}  {check} " if word else
                          "  skip  all 4 checks: ", text.out)
        self.assertEqual({r.code for r in (found, tap, junit, text)}, {0})

    def read_tap(self, text):
        lines = text.splitlines()
        self.assertEqual(lines[0], "TAP version 13")
        tests = [line for line in lines if line.startswith(("ok ", "not ok "))]
        self.assertEqual(lines[1], f"1..{len(tests)}")
        found = {}
        for number, line in enumerate(tests, 1):
            head, _, rest = line.partition(" - ")
            self.assertEqual(head.split()[-1], str(number))
            found[rest.partition(":")[0]] = (
                "skipped" if " # SKIP " in rest
                else "fail" if " # TODO informational" in rest
                else "wrong" if line.startswith("not") else "pass")
        return found

    def read_junit(self, text):
        suite = xml.fromstring(text)
        found = {}
        for case in suite.iter("testcase"):
            skipped = case.find("skipped")
            found[case.get("name")] = (
                "pass" if skipped is None
                else "fail" if skipped.get("message").startswith("informational")
                else "skipped")
        self.assertEqual(suite.get("failures"), "0")
        self.assertEqual(suite.get("tests"), str(len(found)))
        return found

    def test_a_second_run_puts_its_blocks_on_top(self):
        height, tip = self.node.tip()
        found = run(self.node.address, *rpc(self.node), "--json", "--only",
                    QUICK)
        self.assertEqual(found.code, 0, found.out + found.err)
        self.assertEqual(self.node.call("getblockhash", height), tip)
        page = conformance.PAGE.read_text()
        self.assertIn(f"adds {self.height} blocks", page)
        self.assertIn(f"adds {self.node.tip()[0] - height} more", page)

    def test_a_node_that_is_gone_is_no_node(self):
        port, = free_ports(1)
        found = run(f"127.0.0.1:{port}", "--json")
        self.assertEqual(found.code, 5)
        self.assertIn("error", json.loads(found.out))


class ConformOnOddNodes(Conform):
    """Nodes that are not as one would wish."""

    @classmethod
    def prepare(cls):
        pass  # it stays empty, and so in its initial download

    def more(self, kind, *options):
        node = kind(*options)
        node.start()
        self.addCleanup(node.stop)
        return node

    def test_one_without_a_chain_cannot_be_tested(self):
        found = run(self.node.address, "--json", "--only", QUICK)
        self.assertEqual(found.code, 6, found.err)
        self.assertIn("--rpc URL", found.err)
        for check in found.results().values():
            self.assertEqual(check["result"], "skipped", check)

    def test_one_without_filters_is_not_judged_by_them(self):
        node = self.more(Node, "-peerbloomfilters=0")
        found = run(node.address, *rpc(node), "--json")
        self.assertEqual(found.code, 5)
        self.assertIn("peerbloomfilters=1", found.err)
        for name, check in found.results().items():
            wanted = "pass" if name.startswith("nobloom.") else "skipped"
            self.assertEqual(check["result"], wanted, check)

    def test_a_seed_without_rpc_repeats_a_run_that_made_blocks(self):
        node = self.more(Node)
        args = ("--only", "match,update,limit,getdata", "--seed", SEED)
        first = run(node.address, *rpc(node), *args)
        again = run(node.address, *args)
        self.assertIn(f"--seed {SEED} without --rpc repeats", first.out)
        self.assertIn(f"--seed {SEED} repeats", again.out)
        self.assertEqual(again.out.replace(" repeats this run", ""),
                         first.out.replace(" without --rpc repeats this run "
                                           "but for relay.* and mempool.all", ""))

    def test_one_in_its_initial_download_is_clearly_told(self):
        node = self.more(Guarded, "-maxtipage=1")
        self.feed_old(node)
        self.assertTrue(
            node.call("getblockchaininfo")["initialblockdownload"])
        found = run(node.address, "--json", "--only", QUICK)
        self.assertIn(found.code, (0, 5, 6))
        if found.code:
            self.assertIn("syncing", json.loads(found.out)["error"]["message"])

    def feed_old(self, node):
        """Blocks that are some seconds old when they come."""
        node.call("setmocktime", int(time.time()) - 1000)
        node.mine(5)
        node.call("setmocktime", 0)
        node.halt()
        node.launch()

    def test_one_that_is_pruned_shows_what_it_has(self):
        node = self.more(Pruned)
        run(node.address, *rpc(node), "--only", "match.txid")
        node.mine(700)
        node.call("pruneblockchain", node.tip()[0])
        self.assertGreater(node.call("getblockchaininfo")["pruneheight"], 0)
        found = run(node.address, *rpc(node), "--json", "--only", QUICK)
        self.assertEqual(found.code, 0, found.out)
        self.assertGreater(json.loads(found.out)["node"]["blocks_sampled"], 0)

    def test_one_that_dies_meanwhile_is_told_of_in_time(self):
        node = self.more(Node)
        run(node.address, *rpc(node), "--only", "match.txid")
        with Far(node, 100) as far:
            process = start(far.address, "--json", "--only", QUICK)
            self.wait_for_filters(node)
            node.process.kill()
            node.process.wait()
            began = time.monotonic()
            found = finish(process)
        self.assertLess(time.monotonic() - began, PATIENCE)
        self.assertIn(found.code, (0, 1, 5))
        if found.code == 5:
            self.assertIn("error", json.loads(found.out))
            return
        skipped = [c for c in found.results().values()
                   if c["result"] == "skipped"]
        self.assertGreater(len(skipped), 60)

    def wait_for_filters(self, node):
        deadline = time.monotonic() + PATIENCE
        while not any("filterload" in peer["bytesrecv_per_msg"]
                      for peer in node.call("getpeerinfo")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class ConformOnBcoin(Conform):
    """bcoin bans for a day: what it may ban for is done alone, with bcoin told
    to forgive before."""

    @classmethod
    def add_node(cls):
        node = Bcoin()
        node.start()
        cls.addClassCleanup(node.stop)
        return node

    @classmethod
    def prepare(cls):
        began = time.monotonic()
        cls.first = run(cls.node.address, *rpc(cls.node), "--json", "--gentle",
                        "--seed", SEED)
        cls.seconds = time.monotonic() - began
        cls.results = cls.first.results()
        for name, check in cls.results.items():
            if "gentle" in check["detail"]:
                cls.node.call("clearbanned")
                cls.results[name] = run(cls.node.address, "--json", "--only",
                                        name).results()[name]

    def test_it_is_as_on_the_page(self):
        self.assert_in_time(self.seconds)
        self.assert_as_on_the_page(
            json.loads(self.first.out)["node"]["user_agent"], self.results)

    def test_what_must_hold_and_does_not_is_exit_code_1(self):
        failed = [c for c in self.results.values()
                  if (c["severity"], c["result"]) == ("must", "fail")]
        self.assertEqual(self.first.code, 1 if failed else 0)


class ConformancePage(Conform):
    """docs/conformance.md, beside the list of checks."""

    @classmethod
    def setUpClass(cls):
        cls.rows = conformance.table()

    def test_it_knows_two_nodes(self):
        self.assertEqual({row.node for row in self.rows},
                         {"bitcoin-knots", "bcoin"})

    def test_every_row_is_of_a_check_that_there_is(self):
        checks = run("nowhere", "--list", "--json").results()
        for row in self.rows:
            self.assertTrue(any(
                fnmatch(i, row.check) and
                c["severity"] == row.severity for i, c in checks.items()), row)

    def test_every_row_says_what_was_seen(self):
        for row in self.rows:
            self.assertIn(row.result, ("fail", "skipped"), row)
            self.assertTrue(row.seen, row)
