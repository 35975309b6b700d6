"""A wallet and how far it is: synced from a node that has block 0 alone."""

import hashlib
import json
import shutil
import signal
import socket
import struct
import subprocess
import threading
import unittest

from program import PROGRAM, ProgramTest

MAGIC = bytes.fromhex("fabfb5da")
VERSION = (struct.pack("<iQq", 70015, 1 | 4 | 8, 0) + bytes(52) + bytes(8) +
           b"\x06/test/" + struct.pack("<i?", 0, True))
ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"


def message(command, payload=b""):
    check = hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    return (MAGIC + command.ljust(12, b"\0") +
            struct.pack("<I", len(payload)) + check + payload)


class Node:
    """On a port of its own; one that is mute accepts and says nothing, one that
    is rude hangs up."""

    def __init__(self, mute=False, rude=False):
        self.mute = mute
        self.rude = rude
        self.reached = threading.Event()
        self.peers = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.name = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,),
                             daemon=True).start()

    def serve(self, peer):
        self.peers.append(peer)
        self.reached.set()
        if self.rude:
            peer.close()
            return
        with peer, peer.makefile("rb") as incoming:
            try:
                while head := incoming.read(24):
                    payload = incoming.read(struct.unpack("<I", head[16:20])[0])
                    if not self.mute:
                        self.answer(peer, head[4:16].rstrip(b"\0"), payload)
            except (OSError, struct.error):
                pass

    def hang_up(self):
        while self.peers:
            self.peers.pop().shutdown(socket.SHUT_RDWR)

    @staticmethod
    def answer(peer, command, payload):
        answers = {b"version": (message(b"version", VERSION) +
                                message(b"verack")),
                   b"getheaders": message(b"headers", b"\0"),
                   b"ping": message(b"pong", payload)}
        peer.sendall(answers.get(command, b""))


class SyncTest(ProgramTest):
    def node(self, **habits):
        node = Node(**habits)
        self.addCleanup(node.listener.close)
        return node.name

    def ask(self, *args, **options):
        return self.document("--regtest", *args, **options)

    def told(self, *args):
        """What a run that has to succeed says on the side."""
        answer = self.run_program("--regtest", *args)
        self.assertEqual(answer.code, 0, answer.err)
        return answer.err


class Sync(SyncTest):
    def test_a_goal_above_the_end_of_the_chain_is_not_reached(self):
        self.restore()
        node = self.node()
        error = self.failure(6, "--regtest", "sync", "--connect", node,
                             "--until", "5")
        self.assertIn("the chain ends at height 0, below 5", error["message"])
        self.assertEqual(self.ask("balance")["height"], 0)

    def test_a_node_that_is_named_twice_is_asked_once(self):
        self.restore()
        node = self.node()
        words = ("sync", "--connect", node, "--connect", node)
        self.assertEqual(len(self.ask(*words)["peers"]), 1)
        self.assertIn("more than once", self.told(*words))

    def test_an_audit_takes_a_second_node(self):
        self.restore()
        node, other = self.node(), self.node()
        for words, noted in ((("--audit", "0.5"), True), (("--audit", "0"), False),
                             ((), False),
                             (("--connect", other, "--audit", "0.5"), False)):
            with self.subTest(words=words):
                told = self.told("sync", "--connect", node, *words)
                self.assertEqual("name another" in told, noted, told)
        found = self.ask("sync", "--connect", node)
        self.assertEqual((found["audited_blocks"], found["omissions"]), (0, 0))

    def test_the_share_of_audits_may_stand_in_the_environment(self):
        self.restore()
        error = self.failure(2, "--regtest", "sync", "--connect", "127.0.0.1",
                             env={"SPVCLIENT_AUDIT": "2"})
        self.assertIn("from 0 to 1, not '2'", error["message"])

    def test_a_peer_that_refuses_is_told_from_one_that_is_mute(self):
        self.restore()
        closed = socket.create_server(("127.0.0.1", 0))
        name = "127.0.0.1:%d" % closed.getsockname()[1]
        closed.close()
        for peer, words in ((name, "refused the connection"),
                            (self.node(mute=True), "does not answer")):
            with self.subTest(words=words):
                error = self.failure(6, "--regtest", "sync", "--connect", peer,
                                     "--timeout", "1")
                self.assertIn(f"{peer} {words}", error["message"])
                self.assertNotIn("-1", error["message"])
                self.assertIn("running", error["hint"])

    def test_a_peer_is_complained_of_once_however_often_it_is_tried(self):
        self.restore()
        rude = self.node(rude=True)
        answer = self.run_program("--regtest", "sync", "--connect", rude)
        self.assertNotEqual(answer.code, 0)
        warnings = [line for line in answer.err.splitlines()
                    if "warning" in line]
        self.assertEqual(len(warnings), 1, answer.err)
        self.assertIn("hung up during the handshake", warnings[0])
        self.assertIn("on this network", answer.err)

    def test_no_height_is_called_the_beginning(self):
        self.restore()
        node = Node(mute=True)
        self.addCleanup(node.listener.close)
        program = subprocess.Popen(
            [PROGRAM, "--regtest", "--verbose", "sync", "--connect",
             node.name], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.environment({}))
        first = program.stderr.readline()
        self.assertIn(b"from the beginning", first)
        self.assertTrue(node.reached.wait(30))
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 130)
        self.assertIn(b"interrupted while connecting", err)
        self.assertNotIn(b"height", err)
        self.assertNotIn(b"-1", first + err)


class Rescan(SyncTest):
    def setUp(self):
        super().setUp()
        self.restore()
        self.sync = ("sync", "--connect", self.node())
        self.ask(*self.sync)

    def test_nothing_changes_before_it_begins(self):
        before = self.ask("balance")
        self.assertEqual(before["height"], 0)
        self.ask("wallet", "rescan")
        self.assertEqual(self.ask("balance"), before)
        shown = self.ask("wallet", "show")
        self.assertEqual((shown["synced_height"], shown["rescan_height"]),
                         (0, 0))
        for words in (("balance",), ("wallet", "show")):
            self.assertIn("a rescan from height 0 is pending",
                          self.told(*words))
        self.ask(*self.sync)
        self.assertIsNone(self.ask("wallet", "show")["rescan_height"])
        self.assertNotIn("rescan", self.told("balance"))

    def test_what_lies_beyond_the_chain_is_kept_as_asked(self):
        asked = self.ask("wallet", "rescan", "--from", "500")
        self.assertEqual(asked["from_height"], 500)
        self.assertIn("begin at height 500", self.told(*self.sync))
        asked = self.ask("wallet", "rescan", "--from", "2020-01-02")
        self.assertEqual((asked["from_height"], asked["from_time"]),
                         (None, 1577923200))
        self.assertRegex(
            self.text("--regtest", "wallet", "show"),
            "rescan from +2020-01-02")
        self.assertIn("from 2020-01-02 is pending", self.told("balance"))
        again = self.ask("wallet", "rescan", "--from", "700", "--gap", "50")
        self.assertEqual(again["from_height"], 700)
        again = self.ask("wallet", "rescan", "--from", "800")
        self.assertEqual((again["from_height"], again["gap"]), (700, 50))


class Wallet(SyncTest):
    def test_a_birthday_is_a_date_until_it_is_a_height(self):
        self.restore("--birthday", "2020-01-02")
        shown = self.ask("wallet", "show")
        self.assertEqual((shown["birthday_height"], shown["birthday_time"]),
                         (None, 1577923200))
        self.assertRegex(self.text("--regtest", "wallet", "show"),
                         "birthday +2020-01-02")
        self.ask("sync", "--connect", self.node())
        shown = self.ask("wallet", "show")
        self.assertEqual((shown["birthday_height"], shown["birthday_time"]),
                         (0, None))
        self.assertRegex(self.text("--regtest", "wallet", "show"),
                         "birthday +0\n")

    def test_what_is_named_twice_is_watched_once(self):
        answer = self.run_program("--regtest", "--json", "wallet", "watch",
                                  ADDRESS, f"addr({ADDRESS})", ADDRESS)
        self.assertEqual(len(json.loads(answer.out)["descriptors"]), 1)
        self.assertIn("more than once", answer.err)

    def test_only_what_was_given_out_is_listed(self):
        self.restore()
        self.assertEqual(self.ask("address", "list"), [])
        self.assertEqual([self.ask("address")], self.ask("address", "list"))
        self.ask("wallet", "watch", ADDRESS, "--wallet", "one")
        listed = self.ask("address", "list", "--wallet", "one")
        self.assertEqual([a["address"] for a in listed], [ADDRESS])

    def test_a_harmed_secret_is_noticed_at_once(self):
        self.restore()
        secret = self.data / "regtest/wallets/default.secret"
        whole = secret.read_bytes()
        secret.write_bytes(whole[:20] + b"?" + whole[21:])
        self.assertIn("secret", self.failure(10, "--regtest", "balance")
                      ["message"])
        secret.unlink()
        self.assertIn("missing", self.failure(10, "--regtest", "balance")
                      ["message"])
        secret.write_bytes(whole)
        self.ask("balance")

    def test_a_wallet_of_another_network_is_told(self):
        self.restore()
        shutil.copytree(self.data / "regtest", self.data / "signet")
        error = self.failure(2, "--signet", "balance")
        self.assertEqual(error["name"], "NETWORK")
        self.assertIn("of regtest, not of signet", error["message"])


if __name__ == "__main__":
    unittest.main()
