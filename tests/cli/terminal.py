"""Runs the built program on a terminal, as a person would."""

import os
import pty
import subprocess
import termios

from program import ProgramTest


def own_terminal(follower):
    """Make the terminal the one that /dev/tty means."""
    os.setsid()
    os.close(os.open(os.ttyname(follower), os.O_RDWR))


def has_echo(leader):
    return bool(termios.tcgetattr(leader)[3] & termios.ECHO)


def drain(leader):
    os.set_blocking(leader, False)
    try:
        return os.read(leader, 4096)
    except OSError:
        return b""


class TerminalTest(ProgramTest):
    def expect(self, leader, prompt):
        """What the terminal is told, up to this prompt."""
        seen = b""
        while prompt not in seen:
            seen += os.read(leader, 100)
        return seen

    def start_on_terminal(self, *command):
        """Start a command on a terminal of its own, up to its first prompt."""
        leader, follower = pty.openpty()
        program = subprocess.Popen(
            command, stdin=follower, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.environment({}),
            preexec_fn=lambda: own_terminal(follower))
        os.close(follower)
        self.addCleanup(os.close, leader)
        self.addCleanup(program.kill)
        return program, leader, os.read(leader, 100)
