#!/usr/bin/env python3
"""Every public header compiles alone, as C11 and as C++17.

usage: check_headers.py INCLUDE_DIR
"""
import pathlib, subprocess, sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
LANGUAGES = [("cc", "c", "c11"), ("c++", "c++", "c++17")]


def main(include):
    bad = 0
    for header in sorted(include.glob("spv/*.h")):
        source = f"#include <spv/{header.name}>\nint main(void);\n"
        for compiler, language, standard in LANGUAGES:
            done = subprocess.run(
                [compiler, *WARNINGS, f"-std={standard}", f"-I{include}",
                 "-x", language, "-"], input=source, text=True)
            if done.returncode:
                print(f"{header.name} does not compile alone as {standard}")
                bad += 1
    return bad


sys.exit(1 if main(pathlib.Path(sys.argv[1])) else 0)
