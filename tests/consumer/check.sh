#!/bin/sh
# check.sh BUILD_FOLDER SOURCE_FOLDER COMPILER [FLAGS]: installs the build to a fresh prefix and builds both consumers
# against it, by the compiler of the build, whose OpenMP runtime the library wants, and with its flags, as a library with
# sanitizers is linked with theirs.
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --component library --prefix "$prefix/install" >/dev/null

# consumer NAME OPTION...: configures, builds and runs one.
consumer() {
    name=$1
    shift
    cmake --no-warn-unused-cli -S "$source/tests/consumer" -B "$prefix/$name" -DCMAKE_PREFIX_PATH="$prefix/install" \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" "$@" >/dev/null
    cmake --build "$prefix/$name" >/dev/null
    "$prefix/$name/consumer"
}
source=$2
compiler=$3
flags=${4-}

# The mathematics is found where none of what the framework needs is, and is linked with none of it.
without=
for package in HDF5 yaml-cpp fmt ZLIB OpenSSL Boost nlohmann_json; do without="$without -DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"; done
# shellcheck disable=SC2086  # options without spaces
consumer mathematics $without
linked=$(ldd "$prefix/mathematics/consumer" | grep -E 'hdf5|yaml|fmt|libz|pcre' || true)
[ -z "$linked" ] || { echo "the mathematics is linked with $linked" >&2; exit 1; }

consumer framework -DFRAMEWORK=ON

# The programs of docs/library.md, as they stand there: each prints last an error or a loss that is small.
awk -v folder="$prefix" '/^```cpp$/ { page = folder "/page" ++n ".cpp"; next } /^```$/ { page = "" } page { print > page }' \
    "$source/docs/library.md"
# shellcheck disable=SC2086  # options without spaces
consumer page -DPAGE="$prefix" $without
for program in page1 page2 page3 page4; do
    said=$("$prefix/page/$program")
    echo "$said"
    echo "$said" | awk '{ exit !($NF > 0 && $NF < 0.2) }' || { echo "$program of docs/library.md is wrong" >&2; exit 1; }
done
