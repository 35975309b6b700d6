"""What goes wrong around a sync: interruptions, crashes, deaf nodes."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess

from cases import NodeCase
from client import Client
from node import STRANGER, die_with_parent
from tap import Tap

BTC = 100_000_000
KILLS = int(os.environ.get("KILLS", 20))  # 200 in the long run
WAIT_SECONDS = 60


class DeafNode(NodeCase):
    """A node that serves no filters."""

    node_options = ("-peerbloomfilters=0",)

    @classmethod
    def prepare(cls):
        cls.node.mine(10)

    def test_a_node_without_bloom_filters_is_told_how_to_turn_them_on(self):
        answer = self.new_wallet("wpkh").client.run("sync", "--timeout", "20")
        self.assertEqual(answer.code, 5)
        self.assertEqual(answer.document["error"]["code"], 5)
        self.assertIn("peerbloomfilters=1", answer.document["error"]["message"]
                      + (answer.document["error"]["hint"] or ""))


class Interruptions(NodeCase):
    """One busy wallet; each test syncs it into a data folder of its own."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.node.mine(400)

    def setUp(self):
        super().setUp()
        self.wallet = self.new_wallet("wpkh")
        self.fresh = self.wallet.client.folder + "-fresh"
        shutil.copytree(self.wallet.client.folder, self.fresh)
        self.addCleanup(shutil.rmtree, self.fresh)

    def fill(self):
        """Receipts that stretch the gap, spends with change and without."""
        for n in range(40):
            coin = self.wallet.receive(BTC // 10 + n, n)
            self.node.mine()
            if n % 3 == 1:
                self.wallet.empty(coin)
            elif n % 3 == 2:
                self.wallet.spend(coin, BTC // 40, STRANGER, change=n)
        self.node.mine()

    def whole(self):
        """Bytes of an uninterrupted sync, less a part for what varies."""
        report = self.assert_true_after_sync(self.wallet)
        return report["bytes_received"] * 9 // 10

    def start_over(self):
        shutil.rmtree(self.wallet.client.folder)
        shutil.copytree(self.fresh, self.wallet.client.folder)

    def end_at(self, tap, how):
        """Start a sync through the tap and send a signal when it is reached."""
        client = Client(self.wallet.client.folder, tap.address)
        process = client.start("sync", "--timeout", "60")
        try:
            self.assertTrue(tap.reached.wait(WAIT_SECONDS), "no bytes came")
            process.send_signal(how)
            process.communicate(timeout=WAIT_SECONDS)
        finally:
            process.kill()
            process.communicate()
        return process.returncode

    def test_S19_kill_9_at_random_moments_changes_nothing_in_the_end(self):
        self.fill()
        whole = self.whole()
        expected = self.wallet.client.state()
        for seed in range(KILLS):
            at = random.Random(seed).randrange(1, whole)
            with self.subTest(f"killed after {at} of {whole} bytes"):
                self.start_over()
                with Tap(self.node, at) as tap:
                    self.assertEqual(self.end_at(tap, signal.SIGKILL),
                                     -signal.SIGKILL)
                self.assert_true_after_sync(self.wallet)
                self.assertEqual(self.wallet.client.state(), expected)

    def test_S19_one_sync_killed_again_and_again_arrives_at_the_truth(self):
        self.fill()
        numbers = random.Random(1)
        for _ in range(KILLS):
            with Tap(self.node, numbers.randrange(1, 30_000)) as tap:
                client = Client(self.wallet.client.folder, tap.address)
                process = client.start("sync", "--timeout", "60")
                while process.poll() is None and not tap.reached.wait(0.01):
                    pass
                process.kill()
                process.communicate()
        self.assert_true_after_sync(self.wallet)

    def secret(self):
        """The file that holds the words."""
        root = pathlib.Path(self.wallet.client.folder)
        [path] = root.rglob("*.secret")
        return path.read_bytes()

    def largest(self):
        root = pathlib.Path(self.wallet.client.folder)
        return max(path.stat().st_size for path in root.rglob("*"))

    def sync_with_files_up_to(self, size):
        """Sync where no file may grow past a size, as on a full disk: the exit
        code, and what was told."""
        def limit():
            die_with_parent()
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        # Without its signals restored: else the first write too many kills it.
        done = subprocess.run(
            self.wallet.client.command("--json", "sync"), text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT_SECONDS,
            preexec_fn=limit, restore_signals=False)
        return done.returncode, json.loads(done.stdout)

    def test_S52_a_full_disk_is_told_and_costs_nothing(self):
        self.fill()
        self.assert_true_after_sync(self.wallet)
        largest, secret = self.largest(), self.secret()
        for share in (0.1, 0.25, 0.4):
            with self.subTest(f"{share} of what it needs"):
                self.start_over()
                code, told = self.sync_with_files_up_to(int(share * largest))
                self.assertEqual((code, told["error"]["name"]), (1, "IO"))
                self.assertEqual(self.secret(), secret)
                self.assert_true_after_sync(self.wallet)

    def test_a_node_that_hangs_up_half_way_is_asked_again(self):
        self.fill()
        whole = self.whole()
        self.start_over()
        with Tap(self.node, whole // 2, hang_up=True) as tap:
            self.wallet.client.peers = [tap.address]
            self.assert_true_after_sync(self.wallet)
            self.assertTrue(tap.reached.is_set())

    def test_ctrl_c_exits_130_and_keeps_what_was_committed(self):
        self.fill()
        whole = self.whole()
        for at in (1, whole // 2, whole):
            with self.subTest(f"interrupted after {at} bytes"):
                self.start_over()
                with Tap(self.node, at) as tap:
                    self.assertEqual(self.end_at(tap, signal.SIGINT), 130)
                self.assert_true_after_sync(self.wallet)

    def test_S42_a_second_process_on_one_data_folder_exits_9(self):
        with Tap(self.node, 1) as tap:
            holder = Client(self.wallet.client.folder, tap.address).start(
                "sync", "--timeout", "60")
            try:
                self.assertTrue(tap.reached.wait(WAIT_SECONDS))
                answer = self.wallet.client.run("sync", "--timeout", "20")
            finally:
                holder.kill()
                holder.communicate()
        self.assertEqual(answer.code, 9)
        self.assertEqual(answer.document["error"]["code"], 9)
        # The lock of a process that was killed is nobody's.
        self.assert_true_after_sync(self.wallet)
