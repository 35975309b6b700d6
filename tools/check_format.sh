#!/bin/sh
# Every C file is laid out as .clang-format says.
# usage: check_format.sh CLANG_FORMAT ROOT
cd "$2" || exit 1
find include src tests bench examples -name '*.[ch]' -exec "$1" --dry-run -Werror {} +
