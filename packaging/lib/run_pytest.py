# SPDX-License-Identifier: Apache-2.0
"""Runs pytest in a pool of workers, then once more, alone, what failed: `run_pytest.py RESULT [--workers N] [pytest's arguments]`.

RESULT.txt tells what came out, one line each: "passed N", "skipped N", "again TEST" (passed only when it was run again; counted in
"passed"), "failed TEST". RESULT.xml and RESULT-again.xml are pytest's own reports. The exit status is 0 when nothing failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

MOST_AGAIN = 8  # more failures than that have one cause
FAILED = 1  # pytest's exit status when all tests ran and some failed; others say that the run itself went wrong


def run(report: Path, cache: Path, arguments: list[str]) -> int:
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-o", f"cache_dir={cache}", f"--junitxml={report}", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode


def outcomes(report: Path) -> dict[str, str]:
    """Of each test by its name "folder.test_file::test_function": passed, failed or skipped."""
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):
        name = "::".join(filter(None, (case.get("classname"), case.get("name"))))
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        if found.get(name) != "failed":  # a test can pass and fail when it is torn down
            found[name] = outcome
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=lambda text: Path(text).resolve())
    parser.add_argument("--workers", type=int, default=0)
    options, arguments = parser.parse_known_args()
    name = options.result.name
    told, first, second, cache = (options.result.with_name(name + ending) for ending in (".txt", ".xml", "-again.xml", "-cache"))
    told.unlink(missing_ok=True)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    pool = ["-n", str(options.workers), "--dist", "loadscope", "--no-loadscope-reorder", "--max-worker-restart", "0"] if options.workers else []
    status = run(first, cache, [*pool, *arguments])
    found = outcomes(first) if first.exists() else {}
    bad = [name for name, outcome in found.items() if outcome == "failed"]
    again: list[str] = []
    if status == FAILED and len(bad) <= MOST_AGAIN:
        print("== run what failed once more, alone", flush=True)
        run(second, cache, ["--last-failed", "--last-failed-no-failures=none", *arguments])
        alone = outcomes(second) if second.exists() else {}
        again = [name for name in bad if alone.get(name) == "passed"]
    failed = [name for name in bad if name not in again]
    if status not in (0, FAILED) or (status == FAILED and not bad):
        failed.append(f"{name} (pytest ended with status {status})")
    count = list(found.values()).count
    rows = [f"passed {count('passed') + len(again)}", f"skipped {count('skipped')}"]
    rows += [f"again {name}" for name in again] + [f"failed {name}" for name in failed]
    told.write_text("".join(row + "\n" for row in rows))
    print("\n".join(rows))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
