#!/usr/bin/env python3
"""A function is a sentence: median at most 12 lines, nine in ten at most 45,
none above 80; no file above 800 lines.

usage: check_functions.py SRC_DIR

Functions are told by their layout, which clang-format settles: a brace alone
in the first column opens and closes each.
"""
import pathlib, statistics, sys

LONGEST_FILE = 800
LONGEST, NINTH, MEDIAN = 80, 45, 12


def functions(path):
    opened = None
    for n, line in enumerate(path.read_text().splitlines(), 1):
        if line == "{":
            opened = n
        elif line == "}" and opened:
            yield n - opened - 1, opened
            opened = None


def main(root):
    bad = 0
    lengths = []
    for path in sorted(root.rglob("*.[ch]")):
        lines = path.read_text().count("\n")
        if lines > LONGEST_FILE and not path.stem.endswith(("_data", "wordlist")):
            print(f"{path}: {lines} lines: is there more than one idea in it?")
            bad += 1
        for length, at in functions(path):
            lengths.append(length)
            if length > LONGEST:
                print(f"{path}:{at}: a function of {length} lines")
                bad += 1
    lengths.sort()
    median = statistics.median(lengths)
    ninth = lengths[len(lengths) * 9 // 10]
    print(f"{len(lengths)} functions: median {median}, nine in ten up to {ninth}, longest {lengths[-1]}")
    return bad or median > MEDIAN or ninth > NINTH


sys.exit(1 if main(pathlib.Path(sys.argv[1])) else 0)
