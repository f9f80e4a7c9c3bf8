"""Builds and runs the tests that `make test ONLY=... FILTER=...` selects.

python3 tests/selected.py BUILD_FOLDER JOBS, with ONLY (folders of tests/) and FILTER (a Catch2 filter) in the environment.
"""

import difflib
import heapq
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def folder_properties(build):
    """The properties of a CTest entry of each folder of tests/."""
    listing = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True
    )
    folders = {}
    for test in json.loads(listing.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test["properties"]}
        folders.setdefault(properties["LABELS"][0], properties)
    return folders


def chosen_folders(known, asked):
    """The folders that were asked for, all where none was; refuses what is no folder of tests."""
    for name in asked:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            meant = f" Did you mean {near[0]}?" if near else ""
            sys.exit(f"make test: ONLY={name}: there is no such folder.{meant} There are {', '.join(sorted(known))}.")
    return asked or sorted(known)


def matching_cases(program, pattern):
    """The names of the cases that a Catch2 filter selects."""
    listing = subprocess.run([program, pattern, "--list-tests"], capture_output=True, text=True)
    # Its exit code is their number. Two of one name are an error, after which there is no list.
    if not re.search(r"\d+ (matching )?test case", listing.stdout):
        sys.exit(f"make test: {program} cannot say which tests it has:\n{listing.stdout}{listing.stderr}".rstrip())
    listed = listing.stdout
    # Names are indented by two columns, what is left of long ones by four, tags by six; words break at hyphens.
    whole = re.sub(r"\n    (?=\S)", " ", re.sub(r"-\n    (?=\S)", "-", listed))
    return re.findall(r"^  (\S.*)$", whole, re.MULTILINE)


def refuse_filter(text, names):
    """Says that no test is called so, and which come nearest word by word."""

    def likeness(name):
        words = name.lower().split()
        return sum(max(difflib.SequenceMatcher(None, asked, word).ratio() for word in words) for asked in asked_words)

    asked_words = re.findall(r"[\w-]+", text.lower())
    near = "".join(f"\n  {name}" for name in heapq.nlargest(3, names, likeness))
    sys.exit(f"make test: FILTER='{text}': no test is called that (* stands for anything, at either end). Near it:{near}")


def run_filtered(folders, build, jobs, text):
    """Runs what the filter selects, a program a job, each with its output in one piece."""
    # Hidden cases, [.], are no tests, but programs that tests start.
    pattern = ",".join("~[.]" + alternative for alternative in re.findall(r"(?:\\.|[^,])+", text))
    programs = {folder: f"{build}/tests/test_{folder}" for folder in folders}
    programs = {folder: program for folder, program in programs.items() if os.path.exists(program)}
    if not programs:
        sys.exit(f"make test: FILTER chooses among cases of C++, and {', '.join(folders)} have none; leave it out")
    selected = {folder: matching_cases(program, pattern) for folder, program in programs.items()}
    selected = {folder: names for folder, names in selected.items() if names}
    if not selected:
        refuse_filter(text, [name for each in programs.values() for name in matching_cases(each, "~[.]")])

    def run(folder):
        settings = dict(setting.split("=", 1) for setting in folders[folder]["ENVIRONMENT"])
        done = subprocess.run(
            [programs[folder], pattern], env=os.environ | settings, capture_output=True, text=True, cwd=build
        )
        print(f"{folder}: {len(selected[folder])} cases\n{done.stdout}{done.stderr}", end="", flush=True)
        return done.returncode

    with ThreadPoolExecutor(jobs) as pool:
        failed = [folder for folder, code in zip(selected, pool.map(run, selected)) if code != 0]
    if failed:
        sys.exit(f"make test: failed: {', '.join(failed)}")


def main():
    build, jobs = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    known = folder_properties(build)
    folders = chosen_folders(known, os.environ.get("ONLY", "").split())
    targets = [f"test_{folder}" for folder in folders]
    built = subprocess.run(["cmake", "--build", build, "--parallel", str(jobs), "--target", *targets])
    if built.returncode != 0:
        sys.exit(built.returncode)

    text = os.environ.get("FILTER", "")
    if text:
        run_filtered({folder: known[folder] for folder in folders}, build, jobs, text)
    else:
        labels = f"^({'|'.join(folders)})$"
        ctest = ["ctest", "--test-dir", build, "--output-on-failure", "-j", str(jobs), "-L", labels]
        sys.exit(subprocess.run(ctest).returncode)


if __name__ == "__main__":
    main()
