#!/bin/sh
# lint.sh [REVISION]: checks how everything is written, or only what has changed since a revision: the format of C++,
# what clang-tidy finds in it, shell scripts, the version, Markdown, how comments begin, whether public declarations have
# one, whether bugs can still be planted, and the subjects of commits. All checks are made; one that fails is named.
set -u
cd "$(dirname "$0")/../.." || exit 1
jobs=${JOBS:-$(nproc)}
python=${PYTHON:-python3}
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT

if [ -n "${1:-}" ]; then
    base=$(git merge-base "$1" HEAD) || exit 1
    git diff --name-only --diff-filter=d "$base" >"$list"
else
    git ls-files --deduplicate | while read -r file; do [ -e "$file" ] && echo "$file"; done >"$list"
fi
git ls-files --others --exclude-standard >>"$list"

# files PATTERN...: of the list those whose names match, an extended regular expression each.
files() { grep -E "$1" "$list"; }

failed=""
check() {
    echo "lint: $1"
    shift
    "$@" || failed=yes
}

cpp_format() { files '\.[ch]pp$' | xargs -r -n 40 clang-format --dry-run --Werror; }

# Commands of a build folder of its own, which is configured and never built: one for each file, no precompiled headers,
# which are the compiler's own, and no cache between. Headers alone are read as their folder's sources are. What was read
# without a find is not read again until it, or what it includes, changes (unread.py).
tidy() {
    cmake -S . -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DRFBENCH_JOINED=1 -DCMAKE_CXX_COMPILER_LAUNCHER= \
        -DRFBENCH_BENCHMARKS=ON >build/lint.log || { cat build/lint.log; return 1; }
    pattern='\.cpp$'
    [ -z "${1:-}" ] || pattern='\.[ch]pp$'
    mkdir -p build/lint-read
    # Names of files hold no spaces here.
    # shellcheck disable=SC2046
    unread=$("$python" tests/lint/unread.py build/lint-read $(files "$pattern" | grep -vE '^tests/(consumer|fuzz)/')) || return 1
    [ -n "$unread" ] || return 0
    echo "lint: $(printf '%s\n' "$unread" | wc -l) of them have changed since they were read"
    # shellcheck disable=SC2016 # $1 and $2 are the inner shell's
    printf '%s\n' "$unread" | xargs -r -n 2 -P "$jobs" sh -c '
        found=$(clang-tidy -p build/lint --quiet "$1" 2>/dev/null) || { printf "%s\n" "$found"; exit 1; }
        : >"build/lint-read/$2"' tidy
}

scripts() { files '(\.sh|^\.ci/run)$' | xargs -r shellcheck; }

# The header has it (framework/version.hpp); CMake, the program and result files take it there.
version() {
    version=$(sed -n 's/.*version\[\] = "\(.*\)";/\1/p' framework/version.hpp)
    released=$(sed -n 's/^## \([0-9].*\)/\1/p' CHANGELOG.md | head -n 1)
    cited=$(sed -n 's/^version: //p' CITATION.cff)
    date=$(sed -n 's/^date-released: //p' CITATION.cff)
    [ "$version - $date" = "$released" ] && [ "$version" = "$cited" ] && return
    echo "framework/version.hpp says '$version', CITATION.cff '$cited' of '$date', the newest of CHANGELOG.md '$released'" >&2
    return 1
}

# Tables of reference results are written by the program, caption and all in one line.
comments() { files '(\.[ch]pp|\.py|\.sh|\.cmake|CMakeLists\.txt|\.yaml)$' | xargs -r "$python" tests/lint/comments.py; }

# All of them, which is a second: a header becomes public when another one includes it.
declarations() { "$python" tests/lint/declarations.py; }

markdown() { files '\.md$' | grep -v '^results/reference/.*/' | xargs -r "$python" tests/lint/markdown.py; }

# A subject of a commit that is not yet in main has at most 72 characters.
subjects() {
    base=$(git merge-base "${1:-origin/main}" HEAD 2>/dev/null) || return 0
    long=$(git log --no-merges --format='%h %s' "$base"..HEAD | awk 'length($0) - length($1) - 1 > 72')
    [ -z "$long" ] || { printf 'subjects over 72 characters:\n%s\n' "$long" >&2; return 1; }
}

minutes() { "$python" tests/lint/minutes.py; }

planted() { DRY=1 "$python" tests/mutants/run.py; }

mkdir -p build
check "format of C++" cpp_format
check "shell scripts" scripts
check "version" version
check "Markdown" markdown
check "comments" comments
check "public declarations" declarations
check "minutes of targets" minutes
check "planted bugs" planted
check "subjects of commits" subjects "${1:-}"
check "clang-tidy ($(files '\.cpp$' | wc -l) files, $jobs at a time)" tidy "${1:-}"
[ -z "$failed" ] || { echo "lint: something is to be mended" >&2; exit 1; }
