"""watch: lines as they happen, and how it ends."""

import fcntl
import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM
from test_sync import Node, SyncTest

WAIT_SECONDS = 30


class Watch(SyncTest):
    def setUp(self):
        super().setUp()
        self.restore()

    def start(self, *args):
        program = subprocess.Popen(
            [PROGRAM, "--regtest", "watch", *args], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.environment({}))
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    def until_synced(self, program):
        events = []
        while not events or events[-1]["event"] != "synced":
            events.append(json.loads(program.stdout.readline()))
        return events

    def test_each_event_is_an_object_on_a_line_with_or_without_json(self):
        for options in ((), ("--json",)):
            with self.subTest(options=options):
                node = self.node()
                program = self.start("--connect", node, *options)
                events = self.until_synced(program)
                self.assertEqual([e["event"] for e in events],
                                 ["connected", "tip", "balance", "synced"])
                self.assertEqual(events[0]["peer"], node)
                self.assertEqual(events[0]["user_agent"], "/test/")
                self.assertEqual(events[3]["height"], 0)
                program.send_signal(signal.SIGINT)
                out, err = program.communicate(timeout=WAIT_SECONDS)
                self.assertEqual((program.returncode, out, err), (0, "", ""))

    def test_the_end_is_0_at_sigterm_and_when_the_time_is_up(self):
        program = self.start("--connect", self.node())
        self.until_synced(program)
        program.terminate()
        self.assertEqual(program.wait(WAIT_SECONDS), 0)
        program = self.start("--connect", self.node(), "--timeout", "1")
        self.assertEqual(program.wait(WAIT_SECONDS), 0)

    def test_it_is_6_if_the_time_is_up_before_it_was_synced(self):
        error = self.failure(6, "--regtest", "watch", "--timeout", "1",
                             "--connect", self.node(mute=True))
        self.assertIn("does not answer", error["message"])

    def test_it_is_6_if_the_time_is_up_before_the_height_is_reached(self):
        node = self.node()
        for options in (("--until", "5"), ("--until", "5", "--json")):
            with self.subTest(options=options):
                answer = self.run_program("--regtest", "watch", "--timeout",
                                          "1", "--connect", node, *options)
                self.assertEqual(answer.code, 6)
                self.assertIn("ends at height 0, below 5",
                              answer.out + answer.err)

    def test_without_a_node_it_is_5_and_the_error_is_one_line(self):
        self.failure(5, "--regtest", "watch")
        answer = self.run_program("--regtest", "--json", "watch")
        self.assertEqual(len(answer.out.splitlines()), 1)

    def test_a_lost_node_is_told_on_both_sides_and_waited_for(self):
        node = Node()
        self.addCleanup(node.listener.close)
        program = self.start("--connect", node.name, "--quiet")
        self.until_synced(program)
        node.hang_up()
        told = json.loads(program.stdout.readline())
        self.assertEqual((told["event"], told["peer"], told["reason"]),
                         ("disconnected", node.name, "hung up"))
        self.assertEqual(json.loads(program.stdout.readline())["event"],
                         "connected")
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=WAIT_SECONDS)
        self.assertEqual((program.returncode, err), (0, ""))

    def test_a_reader_that_has_enough_ends_it(self):
        node = Node()
        self.addCleanup(node.listener.close)
        program = self.start("--connect", node.name)
        self.until_synced(program)
        program.stdout.close()
        node.hang_up()
        self.assertEqual(program.wait(WAIT_SECONDS), 0)
        self.assertNotIn("standard output", program.stderr.read())

    def test_a_reader_that_does_not_read_holds_up_no_end(self):
        reader, writer = os.pipe()
        size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        filler = b"x" * (size - 1) + b"\n"
        os.write(writer, filler)
        program = subprocess.Popen(
            [PROGRAM, "--regtest", "watch", "--connect", self.node()],
            stdout=writer, stderr=subprocess.PIPE, text=True,
            env=self.environment({}))
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        os.close(writer)
        time.sleep(1) # by now it waits to write its first line
        program.terminate()
        self.assertEqual(program.wait(WAIT_SECONDS), 0)
        with os.fdopen(reader, "rb") as rest:
            self.assertEqual(rest.read(), filler)
        self.assertEqual(program.stderr.read(), "")

    def test_what_cannot_be_written_is_an_error(self):
        with open("/dev/full", "wb") as full:
            answer = self.run_program("--regtest", "watch", "--connect",
                                      self.node(), stdout=full)
        self.assertEqual(answer.code, 1)
        self.assertIn("cannot write to standard output", answer.err)


if __name__ == "__main__":
    unittest.main()
