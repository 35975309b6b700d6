"""What `conform` makes of its results: exit code, hints, and formats for build
servers, which agree with each other. The nodes have no block, so that only the
checks of nodes without filters can be run."""

import json
import socket
import subprocess
import unittest
import xml.etree.ElementTree as xml

from fake_node import NODE_NETWORK, FakeNode
from program import PROGRAM, ProgramTest


class Verdict(ProgramTest):
    def node(self, **habits):
        node = FakeNode(**habits)
        self.addCleanup(node.server.close)
        return node.address

    def lax(self):
        """A node without filters that lets them pass: a `should` and an
        `informational` fail."""
        return self.node(services=NODE_NETWORK, hangs_up=False)

    def conform(self, address, *args):
        return self.run_program("--regtest", "conform", "--connect", address,
                                *args)

    def lines(self, text):
        return [line for line in text.splitlines() if line]

    def test_an_empty_chain_tests_nothing_which_is_no_success(self):
        address = self.node()
        plain = self.conform(address)
        self.assertEqual(plain.code, 6)
        self.assertIn("nothing was tested", self.lines(plain.out)[-1])
        self.assertIn("--rpc URL", plain.err)
        found = json.loads(self.conform(address, "--json").out)
        self.assertIn("chain is empty", found["unfinished"])
        self.assertEqual(found["passed"] + found["failed"], 0)
        self.assertEqual(found["musts_untried"], sum(
            c["severity"] == "must" and not c["id"].startswith("nobloom.")
            for c in found["checks"]))
        self.assertIn(f"{found['skipped']} skipped "
                      f"({found['musts_untried']} of them a must", plain.out)

    def test_what_is_asked_for_and_cannot_be_tried_is_no_success(self):
        for only in ("match.txid", "relay", "nobloom"):
            with self.subTest(only=only):
                self.assertEqual(
                    self.conform(self.node(), "--only", only).code, 6)

    def test_a_node_without_filters_may_be_asked_how_it_refuses_them(self):
        address = self.node(services=NODE_NETWORK)
        for only, code in (((), 5), (("--only", "nobloom"), 0),
                           (("--only", "nobloom,match.txid"), 5)):
            with self.subTest(only=only):
                answer = self.conform(address, *only)
                self.assertEqual(answer.code, code, answer.out)
                self.assertEqual("peerbloomfilters" in answer.err, code == 5)

    def test_a_group_that_is_skipped_for_one_reason_is_one_line(self):
        out = self.conform(self.node(services=NODE_NETWORK)).out
        groups = {c["id"].split(".")[0] for c in
                  self.document("conform", "--list")["checks"]}
        self.assertEqual(out.count("the node does not offer NODE_BLOOM"),
                         len(groups) - 1)
        self.assertIn("  skip  all 2 checks: ", out)
        self.assertIn("  pass  nobloom.filterload ", out)

    def test_a_failure_that_is_no_must_does_not_count_in_tap(self):
        answer = self.conform(self.lax(), "--only", "nobloom", "--format",
                              "tap")
        self.assertEqual(answer.code, 0, answer.out)
        lines = self.lines(answer.out)
        self.assertEqual(lines[:2], ["TAP version 13", "1..4"])
        self.assertRegex(lines[2], r"# node 127\.0\.0\.1:\d+ /fake/, regtest$")
        self.assertRegex(lines[3], r"# seed \d+$")
        failed = [line for line in lines if line.startswith("not ok")]
        self.assertEqual([line.rpartition(" # ")[2] for line in failed],
                         ["TODO should", "TODO should", "TODO informational"])

    def test_a_failure_that_is_no_must_does_not_count_in_junit(self):
        answer = self.conform(self.lax(), "--only", "nobloom", "--format",
                              "junit", "--seed", "7")
        self.assertEqual(answer.code, 0, answer.out)
        suite = xml.fromstring(answer.out)
        self.assertEqual([suite.get(k) for k in ("tests", "failures", "errors",
                                                 "skipped")],
                         ["4", "0", "0", "4"])
        self.assertGreaterEqual(float(suite.get("time")), 0)
        self.assertEqual({p.get("name"): p.get("value")
                          for p in suite.iter("property")}["seed"], "7")
        for case in suite.iter("testcase"):
            self.assertEqual(case.get("classname"), "conform.nobloom")
        self.assertEqual(
            [s.get("message").partition(":")[0] for s in suite.iter("skipped")
             if "got" in s.get("message")],
            ["should", "should", "informational"])

    def test_a_run_without_a_verdict_is_an_error_to_a_build_server(self):
        address = self.node()
        tap = self.conform(address, "--format", "tap")
        self.assertTrue(self.lines(tap.out)[-1].startswith(
            "Bail out! nothing was tested"))
        suite = xml.fromstring(self.conform(address, "--format", "junit").out)
        self.assertEqual((suite.get("errors"), suite.get("failures")),
                         ("1", "0"))
        self.assertEqual(suite.get("tests"),
                         str(len(list(suite.iter("testcase")))))

    def test_so_is_one_without_results(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % unused.getsockname()[1]
            tap = self.conform(address, "--format", "tap")
            junit = self.conform(address, "--format", "junit")
        self.assertEqual((tap.code, junit.code), (5, 5))
        self.assertRegex(tap.out, r"\ATAP version 13\nBail out! .+\n\Z")
        self.assertEqual(xml.fromstring(junit.out).get("errors"), "1")
        self.assertEqual(len(list(xml.fromstring(junit.out).iter("error"))), 1)

    def test_the_list_is_no_result(self):
        for kind in ("tap", "junit"):
            answer = self.run_program("conform", "--list", "--format", kind)
            self.assertEqual((answer.code, answer.out), (2, ""))
            self.assertIn(kind, answer.err)

    def test_the_list_is_of_what_is_named(self):
        listed = self.document("conform", "--list", "--only",
                               "nobloom")["checks"]
        self.assertEqual(len(listed), 4)
        self.failure(2, "conform", "--list", "--only", "nobody")

    def test_time_that_runs_out_is_no_success(self):
        serving = subprocess.Popen(
            [PROGRAM, "--json", "conform", "serve", "--scenario", "honest"],
            stdout=subprocess.PIPE, text=True, cwd=self.home,
            env=self.environment({}))
        self.addCleanup(serving.stdout.close)
        self.addCleanup(serving.wait)
        self.addCleanup(serving.terminate)
        address = json.loads(serving.stdout.readline())["listening"][0]["address"]
        # nobody puts anything into this mempool: it waits for announcements
        answer = self.conform(address, "--only", "match.txid,mempool",
                              "--timeout", "2")
        self.assertEqual(answer.code, 6, answer.out)
        self.assertIn("time ran out", self.lines(answer.out)[-1])
        self.assertIn("--timeout", answer.err)

    def test_a_failure_has_its_messages(self):
        args = ("--only", "nobloom", "--seed", "7")
        found = json.loads(self.conform(self.lax(), "--json", *args).out)
        failed = [c for c in found["checks"] if c["result"] == "fail"]
        self.assertEqual(["exchange" in c for c in found["checks"]],
                         [c in failed for c in found["checks"]])
        exchange = failed[0]["exchange"]
        self.assertEqual(list(exchange), ["sent", "expected", "got"])
        load, ping = exchange["sent"]
        self.assertEqual((load["command"], ping["command"]),
                         ("filterload", "ping"))
        self.assertEqual(load["length"], len(load["payload"]) // 2)
        self.document("decode", "filterload", load["payload"])
        self.assertEqual(exchange["expected"], [])
        self.assertEqual(exchange["got"], [{
            "command": "pong", "payload": ping["payload"], "length": 8,
            "optional": False}])
        loud = self.conform(self.lax(), "--verbose", *args).out
        self.assertIn(f"sent      filterload {load['payload']}\n", loud)
        self.assertIn(f"got       pong {ping['payload']}\n", loud)
        self.assertNotIn(load["payload"], self.conform(self.lax(), *args).out)

    def test_another_network_is_told(self):
        for speaks_first, words, hint in (
                (False, "closed the connection", "--regtest"),
                (True, "a node of regtest, not of main", "--chain regtest")):
            with self.subTest(speaks_first=speaks_first):
                error = self.failure(
                    5, "conform", "--connect",
                    self.node(speaks_first=speaks_first))
                self.assertIn(words, error["message"])
                self.assertIn(hint, error["hint"])


if __name__ == "__main__":
    unittest.main()
