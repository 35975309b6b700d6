"""The play behind ./demo: a wallet, a real node, and what both say of it."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from bcoin_wallet import KINDS, BcoinWallet, MiningBcoin
from client import Client, differences
from node import Node, Unavailable
from wallet import Wallet

BTC = 100_000_000
SHOWN = 8  # equal rows of a table
COLOUR = sys.stdout.isatty()
STAGES = {"bitcoind": (Node, Wallet), "bcoin": (MiningBcoin, BcoinWallet)}


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def say(text):
    print(text, flush=True)


def title(text):
    say("\n" + paint(1, text))


def coins(sat):
    return f"{sat / BTC:+.8f}" if sat < 0 else f"{sat / BTC:.8f}"


def show(client, *args):
    """Run a command for the reader's eyes, as the reader would."""
    say(paint(2, f"$ spvclient --regtest ... {' '.join(args)}"))
    if subprocess.run(client.command(*args)).returncode:
        sys.exit(f"demo: spvclient {args[0]} failed")


def play(node, wallet):
    """Receive, spend with change, spend whole, be paid by a block."""
    node.mine(1, wallet.address(0))
    say("  a block pays its reward to the wallet")
    first, second, _ = [wallet.receive(sat, index) for index, sat in
                        enumerate((BTC // 2, BTC // 4, BTC // 8), start=1)]
    node.mine()
    say("  three payments arrive in one block")
    wallet.spend(first, BTC // 5, node.stranger)
    node.mine()
    say("  one coin is spent with change")
    wallet.empty(second)
    node.mine()
    say("  one coin is spent whole: only its outpoint gives that away")
    for index in range(4, 34):
        wallet.receive(100_000 + index, index)
    node.mine()
    say("  30 payments to 30 addresses in one block reach past the gap of 20")
    node.mine(100)
    say("  100 more blocks make the reward spendable")


def rows(state):
    """What a state says: {part: {label: text}}, oldest first."""
    balance = state["balance"]
    return {
        "Coins": {
            f"{c['txid'][:12]}..:{c['vout']}":
                f"{coins(c['amount_sat'])} at {c['height']}"
            for c in sorted(state["coins"], key=lambda c: c["height"])},
        "History": {
            f"{h['txid'][:16]}..": f"{coins(h['net_sat'])} at {h['height']}"
            for h in state["history"]},
        "Balance": {
            "confirmed": coins(balance["confirmed_sat"]),
            "immature": coins(balance["immature_sat"]),
            "at height": str(balance["height"])},
    }


def table(ours, nodes):
    """Both accounts side by side. Equal rows are folded after a few."""
    for part in nodes:
        title(f"{part:20}{'spvclient says':>26}{'the node says':>26}")
        folded = 0
        for n, label in enumerate(nodes[part] | ours[part]):
            left = ours[part].get(label, "nothing")
            right = nodes[part].get(label, "nothing")
            if left == right and n >= SHOWN:
                folded += 1
                continue
            mark = paint(32, "=") if left == right else paint(31, "DIFFERENT")
            say(f"{label:20}{left:>26}{right:>26}  {mark}")
        if folded:
            say(f"and {folded} more, all equal")


def verdict(ours, nodes):
    wrong = differences(ours, nodes)
    if wrong:
        say("\n" + paint(31, "DIFFERENT: spvclient and the node disagree."))
        say("\n".join(wrong))
        return 1
    say("\n" + paint(32, f"THE SAME: {len(ours['coins'])} coins, "
                     f"{len(ours['history'])} transactions and the balance "
                     "are what the node says."))
    return 0


def main(kind="wpkh"):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = os.environ.get("DEMO_SERVER", "bitcoind")
    if server == "bcoin" and kind not in KINDS:
        raise Unavailable(f"bcoin cannot spend from a {kind} wallet; "
                          f"it can from {', '.join(KINDS)}")
    make_node, make_wallet = STAGES[server]
    title("A private regtest network")
    with make_node() as node, tempfile.TemporaryDirectory() as folder:
        node.fund()
        version = node.call("getnetworkinfo")["subversion"].strip("/")
        say(f"  {version} at {node.address}, {node.tip()[0]} blocks")

        title(f"A new {kind} wallet, and the same keys in the node's own")
        client = Client(pathlib.Path(folder), node.address)
        mnemonic = client.ask("wallet", "create", "--type", kind)["mnemonic"]
        wallet = make_wallet(node, client, kind, mnemonic)
        say(f"  {client.ask('address')['address']} is its first address")
        if server == "bcoin":
            say(f"  {wallet.address(0)} is the same in bcoin's words")
        play(node, wallet)

        title("The client asks for filtered blocks, and checks each")
        show(client, "sync")
        ours, nodes = client.state(), wallet.truth.state()
        table(rows(ours), rows(nodes))
        return verdict(ours, nodes)


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Unavailable as missing:
        sys.exit(f"demo: {missing}")
    except KeyboardInterrupt:
        sys.exit(130)
