"""Runs `spvclient` and compares what it says with the truth."""

import json
import os
import pathlib
import subprocess
from dataclasses import dataclass

from node import ROOT, Unavailable, die_with_parent

LIMIT_SECONDS = 120
COIN = ("txid", "vout", "amount_sat", "script_pubkey", "height",
        "confirmations", "coinbase", "spendable")
ENTRY = ("txid", "height", "block_hash", "block_time", "net_sat", "fee_sat",
         "confirmations")
BALANCE = ("confirmed_sat", "immature_sat", "height", "block_hash")


def program():
    """$SPVCLIENT, or the program in one of the usual build folders."""
    if "SPVCLIENT" in os.environ:
        return pathlib.Path(os.environ["SPVCLIENT"]).absolute()
    for preset in ("dev", "release"):
        path = ROOT / "build" / preset / "spvclient"
        if path.exists():
            return path
    raise Unavailable("spvclient is not built: "
                      "cmake --preset dev && ninja -C build/dev spvclient")


@dataclass
class Answer:
    """How a run ended: exit code, the document on stdout, text on stderr."""

    code: int
    document: object
    stderr: str


class Client:
    """One data folder, the peers it connects to, and the program."""

    def __init__(self, folder, *peers):
        self.folder, self.peers = folder, peers

    def command(self, *args):
        connect = [word for peer in self.peers for word in ("--connect", peer)]
        return [program(), "--regtest", "--datadir", self.folder, *connect,
                *args]

    def start(self, *args):
        """A process that the caller waits for or ends."""
        return subprocess.Popen(
            self.command("--json", *args), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=die_with_parent)

    def run(self, *args, stdin=""):
        """Run to the end. Any output but one JSON document is an error."""
        done = subprocess.run(
            self.command("--json", *args), input=stdin, text=True,
            capture_output=True, timeout=LIMIT_SECONDS,
            preexec_fn=die_with_parent)
        if done.returncode < 0:
            raise AssertionError(f"spvclient {args[0]} died of signal "
                                 f"{-done.returncode}:\n{done.stderr}")
        try:
            document = json.loads(done.stdout)
        except ValueError:
            raise AssertionError(
                f"spvclient {' '.join(args)} --json (exit {done.returncode}) "
                f"wrote no JSON document:\n{done.stdout}{done.stderr}")
        return Answer(done.returncode, document, done.stderr)

    def ask(self, *args, **options):
        """The document of a run that has to succeed."""
        answer = self.run(*args, **options)
        if answer.code:
            raise AssertionError(f"spvclient {' '.join(args)}: exit "
                                 f"{answer.code}: {answer.document}")
        return answer.document

    def restore(self, kind, mnemonic, *options):
        return self.ask("wallet", "restore", "--mnemonic-stdin", "--type",
                        kind, *options, stdin=mnemonic + "\n")

    def state(self):
        """The confirmed part of balance, coins and history."""
        return {
            "balance": self.ask("balance"),
            "coins": [c for c in self.ask("coins") if c["height"] is not None],
            "history": [h for h in self.ask("history")
                        if h["state"] == "confirmed"],
        }


def difference(what, ours, truth):
    """Lines that say which rows are missing, made up or there twice."""
    lines = [f"{what}: missing {row}" for row in truth if row not in ours]
    lines += [f"{what}: made up {row}" for row in ours if row not in truth]
    if not lines and len(ours) != len(truth):
        lines = [f"{what}: {len(ours)} rows instead of {len(truth)}"]
    return lines


def differences(client, truth):
    """All the ways in which a client's state departs from the truth."""
    knows_fee = {h["txid"] for h in truth["history"]
                 if h["fee_sat"] is not None}

    def pick(rows, keys):
        return [{key: row[key] for key in keys if key != "fee_sat"
                 or row["txid"] in knows_fee} for row in rows]

    lines = []
    for what, keys in (("coins", COIN), ("history", ENTRY)):
        lines += difference(what, pick(client[what], keys),
                            pick(truth[what], keys))
    lines += difference("balance", pick([client["balance"]], BALANCE),
                        pick([truth["balance"]], BALANCE))
    balance = client["balance"]
    parts = sum(balance[part] for part in (
        "confirmed_sat", "unconfirmed_sat", "immature_sat"))
    if balance["total_sat"] != parts:
        lines.append(f"balance: the total is not the sum of {balance}")
    heights = [h["height"] for h in client["history"]]
    if heights != sorted(heights):
        lines.append(f"history: not newest last, but {heights}")
    return lines
