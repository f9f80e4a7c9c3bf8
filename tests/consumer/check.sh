#!/bin/sh
# check.sh BUILD_FOLDER SOURCE_FOLDER COMPILER: installs the build to a fresh prefix and builds the consumer against it,
# by the compiler of the build, whose OpenMP runtime the library wants.
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix/install" >/dev/null
cmake -S "$2/tests/consumer" -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix/install" \
    -DCMAKE_CXX_COMPILER="$3" >/dev/null
cmake --build "$prefix/build" >/dev/null
"$prefix/build/consumer"
