"""What a sync draws on a terminal, and what Ctrl-C leaves of a rescan."""

import os
import pty
import re
import signal
import subprocess

from program import PROGRAM
from serving import ServeTest, main

BLOCKS = re.compile(r"\rblocks +(?:\[[#.]+\] )?\d+%  (\d+)/(\d+)  ")


class Progress(ServeTest):
    def setUp(self):
        super().setUp()
        self.restore("--birthday", "0")

    def sync_on_terminal(self, server, stop_at=None):
        """All that was drawn, and the exit code; Ctrl-C when `stop_at` is
        seen."""
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        program = subprocess.Popen(
            [PROGRAM, "--regtest", "--color", "never", "sync", "--connect",
             server.at[0]], stdout=subprocess.DEVNULL, stderr=follower,
            env=self.environment({}))
        os.close(follower)
        drawn = ""
        try:
            while piece := os.read(leader, 4096):
                drawn += piece.decode()
                if stop_at and stop_at.search(drawn):
                    program.send_signal(signal.SIGINT)
                    stop_at = None
        except OSError:  # so a terminal ends on Linux
            pass
        return drawn, program.wait(timeout=30)

    def balance(self):
        return self.document("--regtest", "balance")["confirmed_sat"]

    def test_S18_phase_height_and_target_are_shown(self):
        server = self.serve("late_filter")
        drawn, code = self.sync_on_terminal(server)
        self.assertEqual(code, 0, drawn)
        self.assertIn("\rconnecting ", drawn)
        targets = {int(target) for _, target in BLOCKS.findall(drawn)}
        self.assertEqual(targets, {server.truth["height"]})
        self.assertTrue(drawn.endswith("\r\x1b[K"), drawn)  # it is wiped
        self.assertEqual(self.balance(), server.truth["balance_sat"])

    def test_a_goal_that_is_passed_is_told(self):
        server = self.serve("honest", more=("--seed", "5"))
        sync = ("--regtest", "sync", "--connect", server.at[0])
        self.assertNotIn("passed", self.run_program(*sync, "--until", "1").err)
        self.text(*sync)
        server = self.serve("honest", more=("--seed", "5"))
        answer = self.run_program("--regtest", "sync", "--connect",
                                  server.at[0], "--until", "1")
        self.assertEqual(answer.code, 0, answer.err)
        self.assertIn("--until 1 is passed already: all is known up to height "
                      f"{server.truth['height']}\n", answer.err)

    def test_S18_a_rescan_that_is_interrupted_goes_on_later(self):
        first = self.serve("honest", more=("--seed", "5"))
        self.text("--regtest", "sync", "--connect", first.at[0])
        self.text("--regtest", "wallet", "rescan")
        slow = self.serve("late_filter", more=("--seed", "5"))
        drawn, code = self.sync_on_terminal(slow, stop_at=BLOCKS)
        self.assertEqual(code, 130, drawn)
        self.assertEqual(self.balance(), first.truth["balance_sat"])
        last = self.serve("honest", more=("--seed", "5"))
        self.text("--regtest", "sync", "--connect", last.at[0])
        self.assertEqual(self.balance(), first.truth["balance_sat"])
        self.assertIsNone(self.document("--regtest", "wallet", "show")
                          ["rescan_height"])


if __name__ == "__main__":
    main()
