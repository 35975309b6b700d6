"""The play behind ./demo, on each server, and with a program that lies."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from client import program
from node import Bcoin, Node, Unavailable

DEMO = pathlib.Path(__file__).with_name("demo.py")
LIAR = """#!/bin/sh
"{program}" "$@" | sed 's/"confirmed_sat": *[0-9]*/"confirmed_sat":1/'
"""


class OnStage(unittest.TestCase):

    def play(self, server, kind="wpkh", spvclient=None):
        """Exit code and text of a run on that server."""
        try:
            server().find()
        except Unavailable as missing:
            self.skipTest(str(missing))
        done = subprocess.run(
            [sys.executable, DEMO, kind], capture_output=True, text=True,
            env=os.environ | {"DEMO_SERVER": server.name,
                              "SPVCLIENT": str(spvclient or program())})
        return done.returncode, done.stdout + done.stderr

    def assert_same(self, *args):
        code, text = self.play(*args)
        self.assertEqual(0, code, text)
        self.assertIn("THE SAME: 33 coins, 36 transactions", text)

    def test_bitcoind_and_client_agree(self):
        self.assert_same(Node)

    def test_bcoin_and_client_agree_on_wpkh(self):
        self.assert_same(Bcoin)

    def test_bcoin_and_client_agree_on_sh_wpkh(self):
        self.assert_same(Bcoin, "sh-wpkh")

    def test_bcoin_and_client_agree_on_pkh(self):
        self.assert_same(Bcoin, "pkh")

    def test_bcoin_refuses_tr_in_one_sentence(self):
        self.assertEqual((1, "demo: bcoin cannot spend from a tr wallet; it "
                             "can from wpkh, sh-wpkh, pkh\n"),
                         self.play(Bcoin, "tr"))

    def test_a_client_that_lies_is_found_out(self):
        with tempfile.TemporaryDirectory() as folder:
            liar = pathlib.Path(folder, "liar")
            liar.write_text(LIAR.format(program=program()))
            liar.chmod(0o755)
            code, text = self.play(Bcoin, "wpkh", liar)
        self.assertEqual(1, code, text)
        self.assertIn("DIFFERENT: spvclient and the node disagree", text)
