#!/bin/sh
# Installs what rfbench needs. On Debian and its derivatives by apt-get, with sudo when not root; elsewhere it names
# what is missing and how conda, Homebrew and vcpkg call it. Does nothing, and touches no network, when all is there.
# `setup.sh lint`, `docs`, `package`, `mutants` and `slurm` install what these targets of make (test-slurm) need as well,
# `clang` what test-all and fuzz do.
set -eu

packages="g++ cmake make ninja-build ccache git libeigen3-dev libhdf5-dev libyaml-cpp-dev libfmt-dev catch2 libcli11-dev
libboost-math-dev libboost-random-dev liblbfgspp-dev zlib1g-dev libssl-dev libutfcpp-dev nlohmann-json3-dev libpcre2-dev
libbenchmark-dev groff-base python3-matplotlib python3-h5py python3-h5netcdf python3-xarray
python3-sklearn pybind11-dev python3-dev python3-numpy curl bible-kjv dataset-fashion-mnist"
more=
case ${1:-} in
    lint)
        packages="$packages clang-format clang-tidy libomp-dev shellcheck python3-yaml"
        more="clang-format|clang-format|clang-format|clang-format|(none)
clang-tidy|clang-tidy|clang-tools|llvm|(none)
shellcheck|shellcheck|shellcheck|shellcheck|(none)"
        ;;
    docs)
        packages="$packages doxygen"
        more="doxygen|doxygen|doxygen|doxygen|(none)"
        ;;
    package) packages="$packages dpkg-dev file" ;;
    mutants) packages="$packages python3-yaml" ;;
    clang)
        packages="$packages clang libomp-dev"
        more="clang|clang++|clangxx|llvm|(none)"
        ;;
    slurm)
        packages="$packages slurm-wlm slurmctld slurmd slurm-client munge shellcheck"
        more="Slurm|slurmctld|(none)|(none)|(none)
munge|munged|(none)|munge|(none)
shellcheck|shellcheck|shellcheck|shellcheck|(none)"
        ;;
esac

# dpkg is asked once, for all of them: this runs before every target.
# shellcheck disable=SC2086 # names of packages, a word each
missing_packages() {
    # shellcheck disable=SC2086 # words of a list
    installed=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $packages 2>/dev/null |
        sed -n 's/^installed //p' | tr '\n' ' ') "
    for package in $packages; do
        case $installed in
            *" $package "*) ;;
            *) echo "$package" ;;
        esac
    done
}

# shellcheck disable=SC2086 # names of packages, a word each
if command -v apt-get >/dev/null 2>&1; then
    missing=$(missing_packages)
    [ -n "$missing" ] || exit 0
    echo "setup: installing" $missing
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            echo "setup: run this as root, since there is no sudo: apt-get install" $missing >&2
            exit 1
        }
        as_root=sudo
    fi
    $as_root apt-get update -q
    # sudo passes no variables on, so env sets this one behind it.
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
    exit 0
fi

# name: program, header, folder of headers or module that shows it is there | conda-forge | Homebrew | vcpkg
absent=$(while IFS='|' read -r what probe conda brew vcpkg; do
    [ -n "$what" ] || continue
    case $probe in
        *.h | *.hpp | */*)
            found=
            for prefix in /usr /usr/local /opt/homebrew "${CONDA_PREFIX:-/none}" "${VCPKG_INSTALLED:-/none}"; do
                for folder in include include/eigen3; do
                    [ -e "$prefix/$folder/$probe" ] && found=yes
                done
            done
            ;;
        matplotlib) found=$(python3 -c 'import matplotlib; print("yes")' 2>/dev/null || true) ;;
        *) found=$(command -v "$probe" || true) ;;
    esac
    [ -n "$found" ] || printf '  %-12s conda: %-22s brew: %-16s vcpkg: %s\n' "$what" "$conda" "$brew" "$vcpkg"
done <<TABLE
C++20|g++|gxx|gcc|(none)
CMake|cmake|cmake|cmake|(none)
Eigen|Eigen/Core|eigen|eigen|eigen3
HDF5|hdf5.h|hdf5|hdf5|hdf5
yaml-cpp|yaml-cpp/yaml.h|yaml-cpp|yaml-cpp|yaml-cpp
fmt|fmt/core.h|fmt|fmt|fmt
Catch2|catch2/|catch2|catch2|catch2
CLI11|CLI/CLI.hpp|cli11|cli11|cli11
Boost|boost/version.hpp|libboost-headers|boost|boost-math boost-random
LBFGS++|LBFGSB.h|lbfgspp|(none)|lbfgspp
zlib|zlib.h|zlib|zlib|zlib
OpenSSL|openssl/evp.h|openssl|openssl|openssl
utfcpp|utf8.h|utfcpp|utf8cpp|utfcpp
JSON|nlohmann/json.hpp|nlohmann_json|nlohmann-json|nlohmann-json
Python|python3|python|python|python3
PCRE2|pcre2.h|pcre2|pcre2|pcre2
benchmark|benchmark/benchmark.h|benchmark|google-benchmark|benchmark
matplotlib|matplotlib|matplotlib|python-matplotlib|(none)
pybind11|pybind11/pybind11.h|pybind11|pybind11|pybind11
$more
TABLE
)
[ -n "$absent" ] || exit 0
echo "setup: this system has no apt-get. Install what is missing, then run make again:" >&2
printf '%s\n' "$absent" >&2
exit 1
