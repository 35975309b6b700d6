"""The list of known nodes, and what it is good for."""

import json
import socket
import sqlite3
import subprocess
import time
import unittest

from fake_node import FakeNode
from program import PROGRAM, ProgramTest

KEYS = ["address", "services", "node_bloom", "met", "source", "failures",
        "last_seen_time", "last_tried_time", "last_success_time",
        "banned_until_time"]
YEAR = 365 * 86400


class PeersTest(ProgramTest):
    def node(self):
        node = FakeNode(hangs_up=False)
        self.addCleanup(node.server.close)
        return node.address

    def ask(self, *words):
        return self.document("--regtest", *words)

    def peers(self, *words):
        return self.ask("peers", *(words or ("list",)))


class Peers(PeersTest):
    def test_at_first_there_are_none_and_nothing_is_made(self):
        self.assertEqual(self.peers(), [])
        self.assertFalse(self.data.exists())
        told = self.run_program("--regtest", "peers", "list")
        self.assertIn("no peers of regtest are known", told.err)

    def test_what_is_added_is_listed(self):
        added = self.peers("add", "1.2.3.4", "[2a01:4f8::1]:77", "10.0.0.1:5")
        self.assertEqual({peer["address"] for peer in added},
                         {"1.2.3.4:18444", "[2a01:4f8::1]:77", "10.0.0.1:5"})
        self.assertEqual(self.peers(), added)
        for peer in added:
            self.assertEqual(list(peer), KEYS)
            self.assertEqual(peer["source"], "user")
            self.assertFalse(peer["met"])
            self.assertIsNone(peer["node_bloom"])
            self.assertIsNone(peer["last_success_time"])
        self.assertEqual(len(self.peers("add", "1.2.3.4:18444")), 1)
        self.assertEqual(len(self.peers()), 3)
        self.assertIn("1.2.3.4:18444", self.text("--regtest", "peers", "list"))

    def test_a_banned_host_is_banned_at_each_port_and_that_is_told(self):
        self.peers("ban", "1.2.3.4")
        told = self.run_program("--regtest", "--json", "peers", "add",
                                "1.2.3.4:99")
        self.assertEqual(told.code, 0)
        self.assertIn("is banned: 'spvclient --regtest peers unban", told.err)
        for peer in self.peers():
            self.assertIsNotNone(peer["banned_until_time"])

    def test_when_nobody_may_be_asked_that_is_said(self):
        self.peers("ban", "1.2.3.4")
        self.document("--regtest", "wallet", "create")
        error = self.failure(5, "--regtest", "sync")
        self.assertIn("each is banned", error["message"])
        self.assertIn("peers unban", error["hint"])

    def test_each_network_has_its_own(self):
        self.peers("add", "1.2.3.4")
        self.assertEqual(self.document("--signet", "peers", "list"), [])

    def test_a_ban_is_lifted_as_it_was_laid(self):
        self.peers("add", "1.2.3.4:5")
        banned = self.peers("ban", "1.2.3.4", "5.6.7.8")
        self.assertEqual([peer["address"] for peer in banned],
                         ["1.2.3.4:5", "5.6.7.8:18444"])
        for peer in banned:
            self.assertGreater(peer["banned_until_time"], YEAR)
        lifted = self.peers("unban", "1.2.3.4")
        self.assertIsNone(lifted[0]["banned_until_time"])
        error = self.failure(3, "--regtest", "peers", "unban", "1.2.3.4")
        self.assertIn("is not banned", error["message"])

    def test_what_is_no_address_is_refused_with_how_to_write_one(self):
        for text, hint in (("node.example", "--connect"), ("1.2.3.4:0", "8333"),
                           ("[::1", "8333"), ("", "8333")):
            with self.subTest(text=text):
                error = self.failure(2, "--regtest", "peers", "add", text)
                self.assertIn("no numeric address", error["message"])
                self.assertIn(hint, error["hint"])
        self.assertFalse(self.data.exists())


class Sync(PeersTest):
    def setUp(self):
        super().setUp()
        self.restore()

    def test_without_any_peer_it_says_what_to_do(self):
        error = self.failure(5, "--regtest", "sync")
        self.assertIn("no peer of regtest is known", error["message"])
        self.assertIn("--connect", error["hint"])
        self.assertIn("peers add", error["hint"])

    def test_a_peer_that_was_added_needs_no_connect(self):
        node = self.node()
        self.peers("add", node)
        report = self.ask("sync")
        self.assertEqual([peer["address"] for peer in report["peers"]], [node])
        known = self.peers()[0]
        self.assertTrue(known["met"] and known["node_bloom"])
        self.assertEqual(known["services"], 5)
        self.assertIsNotNone(known["last_success_time"])

    def test_a_banned_one_is_not_connected_to_but_by_name(self):
        node = self.node()
        self.peers("add", node)
        self.peers("ban", "127.0.0.1")
        self.failure(5, "--regtest", "sync")
        self.assertEqual(len(self.ask("sync", "--connect", node)["peers"]), 1)

    def test_who_is_not_there_is_told(self):
        node = self.node()
        self.peers("add", "127.0.0.1:1")
        error = self.failure(5, "--regtest", "sync")
        self.assertIn("127.0.0.1:1 refused the connection", error["message"])
        self.peers("add", node)
        self.assertEqual(len(self.ask("sync")["peers"]), 1)

    def await_write(self):
        """Until the running process, which lets nobody else into its database,
        has the peer in its log."""
        log = self.data / "regtest/chain.sqlite-wal"
        until = time.monotonic() + 10
        while (socket.inet_aton("127.0.0.1") not in log.read_bytes() and
               time.monotonic() < until):
            time.sleep(0.02)

    def test_what_a_killed_run_learned_is_there(self):
        self.peers("add", self.node())
        with subprocess.Popen([PROGRAM, "--regtest", "watch"],
                              stdout=subprocess.PIPE, cwd=self.home,
                              env=self.environment({})) as program:
            try:
                for line in program.stdout:
                    if json.loads(line)["event"] == "synced":
                        break
                error = self.failure(9, "--regtest", "peers", "list")
                self.assertIn("the other process", error["hint"])
                self.await_write()
            finally:
                program.kill()
        self.assertIsNotNone(self.peers()[0]["last_success_time"])

    def test_a_damaged_list_begins_anew_and_says_so(self):
        node = self.node()
        self.peers("add", node)
        self.ask("sync")
        path = self.data / "regtest/chain.sqlite"
        with sqlite3.connect(path) as rows:
            rows.execute("UPDATE peers SET services = 99")
        rows.close()
        told = self.run_program("--regtest", "sync", "--connect", node)
        self.assertEqual(told.code, 0, told.err)
        self.assertIn("the stored peers were damaged", told.err)
        self.assertEqual(self.peers(), [])
        self.assertFalse(list(path.parent.glob("*.damaged-*")))


if __name__ == "__main__":
    unittest.main()
