"""Nodes are found by the system's own resolver, in a network of the test's own.

The test runs itself again in namespaces that it makes: there the loopback has
addresses of several /16, on which scripted nodes listen, and /etc/resolv.conf
names a DNS server of the test's. Nothing of it is seen outside, and nothing
outside is reached. Where namespaces are not allowed it is skipped.
"""

import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from fake_node import NODE_BLOOM, NODE_NETWORK, FakeNode, frame
from program import PROGRAM, ProgramTest

INSIDE = "SPVCLIENT_TEST_INSIDE"
SKIPPED = 77
RESOLVER = "127.0.0.1"
PORT = {"main": 8333, "testnet4": 48333}
SEEDS = {"main": ["seed.bitcoin.sipa.be", "dnsseed.bluematt.me",
                  "seed.bitcoin.jonasschnelli.ch", "seed.btc.petertodd.net",
                  "seed.bitcoin.sprovoost.nl", "dnsseed.emzy.de",
                  "seed.bitcoin.wiz.biz", "seed.mainnet.achownodes.xyz"],
         "testnet4": ["seed.testnet4.bitcoin.sprovoost.nl",
                      "seed.testnet4.wiz.biz"]}
FIXED = "2.59.134.244"  # of the program's own list, testnet4
SOON_SECONDS = 2


def enter():
    """Run this file again where it may do as it likes."""
    spaces = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    tried = None
    try:
        tried = subprocess.run([*spaces, "ip", "link", "set", "lo", "up"],
                               capture_output=True, text=True)
    except OSError as error:
        print(f"SKIPPED, nothing of it was tested: {error}")
        sys.exit(SKIPPED)
    if tried.returncode:
        print("SKIPPED, nothing of it was tested: no namespaces here: " +
              tried.stderr.strip())
        sys.exit(SKIPPED)
    os.environ[INSIDE] = "1"
    os.execvp(spaces[0], [*spaces, sys.executable, "-B", __file__,
                          *sys.argv[1:]])


def run(*words):
    subprocess.run(words, check=True)


def settle_in(folder):
    """The loopback, and what tells the resolver whom to ask."""
    run("mount", "--make-rprivate", "/")
    run("ip", "link", "set", "lo", "up")
    files = {"/etc/resolv.conf": f"nameserver {RESOLVER}\n",
             "/etc/nsswitch.conf": "hosts: dns\n"}
    for path, text in files.items():
        if pathlib.Path(path).exists():
            own = folder / pathlib.Path(path).name
            own.write_text(text)
            run("mount", "--bind", str(own), os.path.realpath(path))
    if pathlib.Path("/var/run/nscd").is_dir():
        empty = folder / "nscd"
        empty.mkdir()
        run("mount", "--bind", str(empty), os.path.realpath("/var/run/nscd"))


class Names:
    """A DNS server: names that have addresses, names that are never answered,
    and all others, which do not exist."""

    def __init__(self):
        self.addresses, self.silent, self.asked = {}, set(), []
        self.found_at = None  # when the first good answer went out
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((RESOLVER, 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            query, client = self.socket.recvfrom(512)
            name, end = self.name_in(query)
            self.asked.append(name)
            if name in self.silent:
                continue
            self.socket.sendto(self.answer(query, name, end), client)
            if name in self.addresses and not self.found_at:
                self.found_at = time.monotonic()

    @staticmethod
    def name_in(query):
        at, labels = 12, []
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        return ".".join(labels), at + 1

    def answer(self, query, name, end):
        kind = struct.unpack(">H", query[end:end + 2])[0]
        known = name in self.addresses
        records = [b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) +
                   socket.inet_aton(a)
                   for a in self.addresses.get(name, []) if kind == 1]
        flags = 0x8180 if known else 0x8183
        return (query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0) +
                query[12:end + 4] + b"".join(records))


class Guide(FakeNode):
    """Serves no filters, and knows one node that does."""

    def __init__(self, knows, **options):
        self.knows = knows
        super().__init__(services=NODE_NETWORK, **options)

    def answer(self, peer, command, payload):
        if command != "getaddr":
            super().answer(peer, command, payload)
            return
        entry = (struct.pack("<IQ", int(time.time()) - 60,
                             NODE_NETWORK | NODE_BLOOM) +
                 bytes(10) + b"\xff\xff" + socket.inet_aton(self.knows) +
                 struct.pack(">H", PORT["testnet4"]))
        peer.sendall(frame(self.magic, "addr", b"\x02" + 2 * entry))


class Discovery(ProgramTest):
    places = (f"5.{n}.0.1" for n in range(1, 256))  # each a /16 of its own

    def setUp(self):
        super().setUp()
        NAMES.addresses, NAMES.silent, NAMES.found_at = {}, set(), None
        NAMES.asked.clear()

    def node(self, chain="testnet4", kind=FakeNode, address=None, **options):
        """A node at a place of its own: what it is called."""
        address = address or next(self.places)
        run("ip", "addr", "add", f"{address}/32", "dev", "lo")
        self.addCleanup(run, "ip", "addr", "del", f"{address}/32", "dev", "lo")
        node = kind(chain=chain, place=(address, PORT[chain]), hangs_up=False,
                    **options)
        self.addCleanup(node.server.close)
        return address

    def name(self, at, *addresses, chain="testnet4", prefix="x5."):
        NAMES.addresses[prefix + SEEDS[chain][at]] = addresses

    def silence(self, *places, chain="testnet4"):
        NAMES.silent.update("x5." + SEEDS[chain][at] for at in places)

    def make(self, chain):
        self.text("--chain", chain, "wallet", "create")

    def sync(self):
        self.make("testnet4")
        return self.document("--testnet4", "sync")

    def served(self):
        return {peer["address"]
                for peer in self.document("--testnet4", "peers", "list")
                if peer["last_success_time"]}

    @staticmethod
    def texts(nodes):
        return {f"{node}:{PORT['testnet4']}" for node in nodes}

    def assert_peers(self, report, nodes):
        self.assertEqual({peer["address"] for peer in report["peers"]},
                         self.texts(nodes))

    def first_line(self, *words):
        """The first line of a run, and how many seconds after the first good
        answer it came."""
        with subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE,
                              env=self.sanitized(self.environment({})),
                              cwd=self.home) as program:
            line = program.stdout.readline()
            took = time.monotonic() - NAMES.found_at
            program.terminate()
            program.communicate(timeout=20)
        self.assertEqual(program.returncode, 0)
        return json.loads(line), took

    def test_silent_names_hold_up_no_good_one(self):
        good = self.node("main")
        self.silence(*range(7), chain="main")
        self.name(7, good, chain="main")
        self.make("main")
        event, took = self.first_line("watch")
        self.assertEqual((event["event"], event["peer"]),
                         ("connected", f"{good}:{PORT['main']}"))
        self.assertLess(took, SOON_SECONDS)

    def test_a_run_does_not_wait_for_names_that_are_silent(self):
        self.silence(0)
        self.name(1, self.node())
        began = time.monotonic()
        self.sync()
        self.assertLess(time.monotonic() - began, 4 * SOON_SECONDS)

    def test_nodes_are_found_remembered_and_asked_for_no_name_again(self):
        nodes = [self.node() for _ in range(3)]
        self.name(0, *nodes[:2])
        self.name(1, nodes[2], nodes[2][:-1] + "2", prefix="")
        self.sync()
        self.assertTrue(NAMES.asked)
        for _ in range(3):  # where all is slow, a sync may end without one
            if self.served() == self.texts(nodes):
                break
            self.document("--testnet4", "sync")
        self.assertEqual(self.served(), self.texts(nodes))
        NAMES.asked.clear()
        report = self.document("--testnet4", "sync")
        self.assertEqual(NAMES.asked, [])
        self.assertLessEqual({peer["address"] for peer in report["peers"]},
                             self.texts(nodes))

    def test_a_node_without_filters_leads_to_one_with(self):
        good = self.node()
        self.name(0, self.node(kind=Guide, knows=good))
        self.assert_peers(self.sync(), [good])
        self.assertEqual(self.served(), self.texts([good]))

    def test_fixed_nodes_are_asked_when_dns_is_dead(self):
        node = self.node(address=FIXED)
        self.assert_peers(self.sync(), [node])

    def test_nobody_at_all_is_told_with_what_to_do(self):
        self.make("testnet4")
        error = self.failure(5, "--testnet4", "sync")
        self.assertIn("no usable peer was found", error["message"])
        self.assertIn("--connect", error["hint"])


if __name__ == "__main__":
    if INSIDE not in os.environ:
        enter()
    with tempfile.TemporaryDirectory() as scratch:
        settle_in(pathlib.Path(scratch))
        NAMES = Names()
        unittest.main()
