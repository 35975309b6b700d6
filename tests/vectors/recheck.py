#!/usr/bin/env python3
"""Computes vectors again with bip37.py, which shares no code with the library.

usage: recheck.py [VECTORS_DIR]

Every murmur3, bloom and merkle vector is recomputed; one that differs is named,
and so is a kind of those files that is not rechecked. Exit code 0 when all agree.
"""

import collections
import hashlib
import json
import pathlib
import struct
import sys

import bip37
from bip37 import Filter, Refused

FILES = ("murmur3", "bloom", "merkleblock", "filtered_block")


def data(text):
    return bytes.fromhex(text)


def display(text):
    """A hash as people print it, in wire order."""
    return bytes.fromhex(text)[::-1]


def same(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def filter_of(vector):
    if vector["n_elements"] is None:
        return Filter(data(vector.get("filterload_payload_initial") or
                           vector["filterload_payload_before"]))
    return Filter.sized(vector["n_elements"], vector["fp_rate"],
                        vector["tweak"], vector["flags"])


def same_filter(what, got, want):
    same(what, got.payload().hex(), want)


# ---- murmur3.json ----


def murmur3_x86_32(v):
    same("hash", bip37.murmur3(v["seed"], data(v["data"])), v["expected"])
    same("seed_hex", f"{v['seed']:08x}", v["seed_hex"])
    same("expected_hex", f"{v['expected']:08x}", v["expected_hex"])


def bloom_seed(v):
    same("seed", bip37.hash_seed(v["hash_index"], v["tweak"]),
         v["expected_seed"])
    same("expected_seed_hex", f"{v['expected_seed']:08x}",
         v["expected_seed_hex"])


# ---- bloom.json ----


def filter_sizing(v):
    same("size", bip37.filter_size(v["n_elements"], v["fp_rate"]),
         (v["expected_filter_bytes"], v["expected_hash_funcs"]))


def filter_serialize(v):
    f = filter_of(v)
    same("bytes", len(f.bits), v["expected_filter_bytes"])
    same("hash functions", f.hash_funcs, v["expected_hash_funcs"])
    for step in v["steps"]:
        element = data(step["hex"])
        if step["op"] == "insert":
            f.insert(element)
        else:
            same("contains", f.contains(element), step["expect"])
    same_filter("payload", f, v["expected_filterload_payload"])


def filter_contains(v):
    f = Filter(data(v["filterload_payload"]))
    for check in v["checks"]:
        same("contains", f.contains(data(check["hex"])), check["expect"])


def filteradd(v):
    f = Filter(data(v["filterload_payload"]))
    payload = data(v["filteradd_payload"])
    same("length", payload[0], len(payload) - 1)
    f.insert(payload[1:])
    same_filter("payload", f, v["expected_filterload_payload_after"])


def filter_limit(v):
    if "element_bytes" in v:
        fits = v["element_bytes"] <= bip37.MAX_ELEMENT
    else:
        fits = (v["filter_bytes"] <= bip37.MAX_FILTER_BYTES and
                v["hash_funcs"] <= bip37.MAX_HASH_FUNCS)
    same("accepted", fits, v["accepted"])


def outpoints_after(v, f):
    for row in v.get("outpoints_after", ()):
        outpoint = data(row["outpoint"])
        same("outpoint", outpoint,
             display(row["txid"]) + struct.pack("<I", row["index"]))
        same("contains the outpoint", f.contains(outpoint),
             row["expect_contained"])


def tx_match(v):
    f = filter_of(v)
    for element in v["inserted"]:
        f.insert(data(element))
    same_filter("filter before", f, v["filterload_payload_before"])
    for item in v["sequence"]:
        tx = bip37.read_tx(data(item["tx"]))
        same("txid", tx.txid, display(item["txid"]))
        same("matches", f.match(tx), item["expect_match"])
        same_filter("filter after", f, item["filterload_payload_after"])
    outpoints_after(v, f)


def answer(f, block):
    """What a node sends of a block: matches, the merkleblock, and the matched
    transactions."""
    header, txs = bip37.read_block(data(block))
    matched = [f.match(tx) for tx in txs]
    found = [{"index": i, "txid": tx.txid[::-1].hex()}
             for i, tx in enumerate(txs) if matched[i]]
    payload = bip37.merkleblock(header, [tx.txid for tx in txs], matched)
    sent = [tx.stripped().hex() for tx, one in zip(txs, matched) if one]
    return found, payload.hex(), sent


def block_filter(v):
    f = filter_of(v)
    header, txs = bip37.read_block(data(v["block"]))
    same("block hash", bip37.sha256d(header), display(v["block_hash"]))
    same("transactions", len(txs), v["tx_count"])
    for each in v["passes"]:
        for element in each["insert_before"]:
            f.insert(data(element))
        same_filter("filter before", f, each["filterload_payload_before"])
        found, payload, _ = answer(f, v["block"])
        same("matches", found, each["expected_matches"])
        same("merkleblock", payload, each["expected_merkleblock_payload"])
        same_filter("filter after", f, each["filterload_payload_after"])
    outpoints_after(v, f)


# ---- filtered_block.json ----


def filtered_block(v):
    f = Filter(data(v["filterload_payload"]))
    found, payload, sent = answer(f, v["block"])
    same("matches", found, v["expected_matches"])
    same("merkleblock", payload, v["expected_merkleblock_payload"])
    same("tx messages", sent, v["expected_tx_payloads"])
    same_filter("filter after", f, v["filterload_payload_after"])
    same("proof", [{"index": i, "txid": txid[::-1].hex()}
                   for i, txid in bip37.verify(data(payload))], found)


# ---- merkleblock.json ----


def proved(v):
    matches = bip37.verify(data(v["payload"]), v.get("pow_valid", True))
    return [{"index": i, "txid": txid[::-1].hex()} for i, txid in matches]


def merkleblock_accepted_edge(v):
    same("result", "accept", v["expected_result"])
    same("matches", proved(v), v["expected_matches"])
    same("transactions", bip37.read_merkleblock(data(v["payload"]))[1],
         v["n_transactions"])


def merkleblock(v):
    merkleblock_accepted_edge(v)
    header, _, hashes, flags = bip37.read_merkleblock(data(v["payload"]))
    same("block hash", bip37.sha256d(header), display(v["block_hash"]))
    same("merkle root", header[36:68], display(v["merkle_root"]))
    same("hashes", [h.hex() for h in hashes], v["hashes"])
    same("flags", flags.hex(), v["flags"])
    if "block" in v:
        header, txs = bip37.read_block(data(v["block"]))
        wanted = {match["index"] for match in v["expected_matches"]}
        built = bip37.merkleblock(header, [tx.txid for tx in txs],
                                  [i in wanted for i in range(len(txs))])
        same("payload", built.hex(), v["payload"])


def refusal(v):
    try:
        proved(v)
    except Refused as refused:
        return str(refused)
    return "accepted"


def merkleblock_invalid(v):
    same("result", "reject", v["expected_result"])
    same("reason", refusal(v), v["reason"])


def merkleblock_policy(v):
    same("result", "policy", v["expected_result"])
    same("reason", refusal(v), v["reason"])


PATTERNS = {
    "all": lambda i, n: True,
    "none": lambda i, n: False,
    "last only": lambda i, n: i == n - 1,
    "every index with index % 3 == 1": lambda i, n: i % 3 == 1,
}


def pmt_roundtrip(v):
    n = v["n_transactions"]
    txids = [bip37.sha256d(struct.pack("<IBBI", 2, 0, 0, j)) for j in range(n)]
    matched = [PATTERNS[v["pattern"]](i, n) for i in range(n)]
    root = bip37.merkle_root(txids)
    hashes, flags = bip37.partial_tree(txids, matched)
    written = bip37.write_tree(n, hashes, flags)
    proof = bip37.Proof(n, hashes, flags)
    same("root", root.hex(), v["merkle_root_wire"])
    same("height", bip37.tree_height(n), v["tree_height"])
    same("hashes", len(hashes), v["hash_count"])
    same("flag bytes", len(flags), v["flag_bytes"])
    same("length", len(written), v["serialized_length"])
    same("digest", hashlib.sha256(written).hexdigest(), v["serialized_sha256"])
    same("serialized", written.hex(), v.get("serialized", written.hex()))
    same("within the bound", len(written) <= v["size_bound"], True)
    same("root proved", proof.root, root)
    same("matches", [i for i, _ in proof.matches],
         [i for i in range(n) if matched[i]])
    same("matched_count", sum(matched), v["matched_count"])


KINDS = {kind.__name__: kind for kind in (
    murmur3_x86_32, bloom_seed, filter_sizing, filter_serialize,
    filter_contains, filteradd, filter_limit, tx_match, block_filter,
    filtered_block, merkleblock, merkleblock_accepted_edge,
    merkleblock_invalid, merkleblock_policy, pmt_roundtrip)}


def main(folder):
    counts = collections.Counter()
    bad = 0
    for name in FILES:
        for vector in json.loads((folder / f"{name}.json").read_text()):
            try:
                KINDS[vector["kind"]](vector)
                counts[vector["kind"]] += 1
            except (AssertionError, KeyError, ValueError, Refused) as wrong:
                print(f"FAIL {vector['id']}: {wrong!r}")
                bad += 1
    for kind in KINDS.keys() - counts.keys():
        print(f"FAIL there is no vector of kind {kind} that passes")
        bad += 1
    print(f"{sum(counts.values())} vectors of {len(counts)} kinds agree, "
          f"{bad} do not")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                               pathlib.Path(__file__).parent)))
