"""From a mnemonic to descriptors that a node can spend with.

A second road beside the one under test, and a short one: only the master key is
computed here (BIP 39's seed, BIP 32's first step); the node derives the rest.
"""

import hashlib
import hmac
import json

from node import ROOT

TPRV = bytes.fromhex("04358394")  # BIP 32: a private key of a test network
WIF = b"\xef"  # a private key of a test network, by itself
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

# BIP 44, 49, 84 and 86 on a test network (coin type 1).
DESCRIPTORS = {
    "pkh": "pkh({key}/44h/1h/0h/{chain}/*)",
    "sh-wpkh": "sh(wpkh({key}/49h/1h/0h/{chain}/*))",
    "wpkh": "wpkh({key}/84h/1h/0h/{chain}/*)",
    "tr": "tr({key}/86h/1h/0h/{chain}/*)",
}


def mnemonics():
    """English mnemonics, no two alike, from the vectors."""
    vectors = json.loads((ROOT / "tests/vectors/keys.json").read_text())
    return list(dict.fromkeys(
        v["mnemonic"] for v in vectors
        if v["kind"] == "bip39" and v["mnemonic"].isascii()))


def base58check(payload):
    payload += hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, text = int.from_bytes(payload, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    zeros = len(payload) - len(payload.lstrip(b"\0"))
    return BASE58[0] * zeros + text


def master_key(mnemonic):
    """The master key of a mnemonic without passphrase, as text."""
    seed = hashlib.pbkdf2_hmac("sha512", mnemonic.encode(), b"mnemonic", 2048)
    digest = hmac.digest(b"Bitcoin seed", seed, "sha512")
    key, chain_code = digest[:32], digest[32:]
    return base58check(TPRV + bytes(9) + chain_code + b"\0" + key)


def private_key(name):
    """A key for tests, as text: always the same for one name."""
    return base58check(WIF + hashlib.sha256(name.encode()).digest() + b"\1")


def descriptors(kind, mnemonic):
    """Receiving and change descriptor, private, without checksum."""
    key = master_key(mnemonic)
    return [DESCRIPTORS[kind].format(key=key, chain=chain) for chain in (0, 1)]
