#!/usr/bin/env python3
"""A vectors file that no test reads is a failure.

usage: check_vectors_used.py VECTORS_DIR SPVCLIENT

The program must count every vector of the folder, one result each.
"""
import json, pathlib, re, subprocess, sys


def count(path):
    document = json.loads(path.read_text())
    if isinstance(document, list):
        return len(document)
    return sum(len(entries) for entries in document["networks"].values())


def main(folder, program):
    want = sum(count(path) for path in folder.glob("*.json"))
    out = subprocess.run([program, "conform", "vectors", folder], capture_output=True, text=True).stdout
    passed, failed = map(int, re.search(r"(\d+) passed, (\d+) failed\s*$", out).groups())
    if passed + failed != want:
        print(f"{want} vectors in {folder}, but {passed + failed} results")
    return passed + failed != want


sys.exit(1 if main(pathlib.Path(sys.argv[1]), sys.argv[2]) else 0)
