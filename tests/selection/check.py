"""`make test ONLY=... FILTER=...` runs the cases that are asked for; it and PRESET=... refuse what there is not.

python3 tests/selection/check.py BUILD_FOLDER: with the tests of tests/json/, which are built.
"""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import selected


def said(call, *arguments):
    """What is printed, and what is said at the end where it does not end well."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            call(*arguments)
        return printed.getvalue(), None
    except SystemExit as ended:
        return printed.getvalue(), str(ended)


def main():
    build = os.path.abspath(sys.argv[1])
    known = selected.folder_properties(build)
    json = {"json": known["json"]}

    names = selected.matching_cases(f"{build}/tests/test_json", "~[.]")
    word = names[0].split()[0]
    some = [name for name in names if name.startswith(word)]
    assert 0 < len(some) < len(names), names
    printed, refused = said(selected.run_filtered, json, build, 1, f"{word}*")
    assert refused is None, refused
    assert printed.startswith(f"json: {len(some)} cases\n") and "All tests passed" in printed, printed

    _, refused = said(selected.run_filtered, json, build, 1, "nothing of the kind")
    assert "FILTER='nothing of the kind': no test is called that" in refused, refused

    _, refused = said(selected.matching_cases, "/bin/false", "*")
    assert refused == "make test: /bin/false cannot say which tests it has:", refused

    assert selected.chosen_folders(known, ["json"]) == ["json"]
    assert selected.chosen_folders(known, []) == sorted(known)
    _, refused = said(selected.chosen_folders, known, ["jsno"])
    assert "ONLY=jsno: there is no such folder. Did you mean json?" in refused, refused

    # The make that runs this test has nothing to say to that one.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    project = Path(__file__).resolve().parent.parent.parent
    ended = subprocess.run(["make", "build", "PRESET=relase"], cwd=project, env=plain, capture_output=True, text=True)
    assert ended.returncode != 0, ended
    assert ended.stderr.startswith("make: PRESET=relase: there is no such preset. There are release, portable, "), ended


main()
