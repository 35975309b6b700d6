"""Runs `spvclient conform`, and reads the table of docs/conformance.md."""

import fnmatch
import json
import re
import subprocess
from dataclasses import dataclass

from client import program
from node import ROOT, die_with_parent

LIMIT_SECONDS = 120
NOT_FOR_SERVERS = "nobloom.*"  # of nodes that serve no filters
PAGE = ROOT / "docs" / "conformance.md"


@dataclass
class Run:
    """How a run ended."""

    code: int
    out: str
    err: str

    def results(self):
        """What --json said of each check, by its id."""
        return {c["id"]: c for c in json.loads(self.out)["checks"]}


@dataclass
class Row:
    """A line of the table: what a node did not pass, and how that looked."""

    node: str
    version: str
    check: str
    severity: str
    result: str
    seen: str


def command(address, *args):
    return [program(), "--regtest", "conform", "--connect", address, *args]


def start(address, *args):
    """A process that the caller waits for."""
    return subprocess.Popen(
        command(address, *args), stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=die_with_parent)


def finish(process):
    out, err = process.communicate(timeout=LIMIT_SECONDS)
    if process.returncode < 0:
        raise AssertionError(f"it died of signal {-process.returncode}: {err}")
    return Run(process.returncode, out, err)


def run(address, *args):
    return finish(start(address, *args))


def rpc(server):
    """The options that let it make blocks at a server."""
    options = ["--rpc", f"http://127.0.0.1:{server.rpc_port}"]
    cookie = server.folder / "regtest" / ".cookie"
    return options + (["--rpc-cookie", cookie] if cookie.exists() else [])


def table():
    rows = []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and re.match(r"[\d.]+$", cells[1]):
            rows.append(Row(*cells))
    return rows


def name_and_version(user_agent):
    """"/Satoshi:29.4.2/Knots:20260508/" is bitcoin-knots 29.4.2."""
    name, version = re.match(r"/(\w+):v?([\d.]+)", user_agent).groups()
    if name == "Satoshi":
        name = "bitcoin-knots" if "Knots" in user_agent else "bitcoind"
    return name, version


def departures(results, rows):
    """Lines that say where results and the rows of one node disagree."""
    lines = []
    for check in results.values():
        if check["result"] == "skipped" and fnmatch.fnmatch(check["id"],
                                                            NOT_FOR_SERVERS):
            continue
        known = [row for row in rows if fnmatch.fnmatch(check["id"], row.check)]
        expected = known[0].result if known else "pass"
        if check["result"] != expected:
            lines.append(f"{check['id']}: {check['result']}, and the page says "
                         f"{expected}: {check['detail']}")
        lines += [f"{check['id']} is a {check['severity']}, not a "
                  f"{row.severity}" for row in known
                  if row.severity != check["severity"]]
    lines += [f"the page knows of {row.check}, of which there is none"
              for row in rows if not fnmatch.filter(results, row.check)]
    return lines
