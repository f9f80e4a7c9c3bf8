#!/bin/sh
# Builds the documentation site, build/docs/index.html, from the Markdown pages and the installed headers. A warning of
# doxygen's, or a link that leads nowhere, is an error.
set -eu
cd "$(dirname "$0")/../.."
VERSION=$(sed -n 's/.*version\[\] = "\(.*\)";/\1/p' framework/version.hpp)
ROOT=$PWD
SITE=$ROOT/build/docs
export VERSION ROOT SITE
rm -rf build/docs build/site
mkdir -p build/docs build/site
"${PYTHON:-python3}" docs/site/prepare.py build/site
cp docs/figures/* build/docs
(cd build/site && doxygen "$ROOT/docs/site/Doxyfile")
"${PYTHON:-python3}" docs/site/links.py build/docs
echo "build/docs/index.html"
