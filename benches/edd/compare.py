#!/usr/bin/env python3
"""Checks the same cases against the same run with openclaw-edd 0.4.3 and with clawgauge, and prints how many times faster.

Usage: python benches/edd/compare.py [CASES [CALLS]]        (default: 1000 cases, 200 calls)

Needs a Python that has openclaw-edd 0.4.3, such as the one that golden/tests/check_edd.sh makes
(target/tmp/openclaw-edd-0.4.3/bin/python). Exit: 0 measured, 1 the two disagree, 77 no openclaw-edd: nothing was measured.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    from openclaw_edd.eval import check_assertions
    from openclaw_edd.models import EvalCase, Event
except ImportError:
    print("compare: this Python has no openclaw-edd, nothing was measured")
    sys.exit(77)

PASSES = 3


def call(i):
    tool = ("exec", "read", "edit", "exec")[i % 4]
    if tool == "exec":
        command = f"cargo test --package part{i} && git add src/part{i}.rs"
        return {"kind": "tool_end", "tool": tool, "input": {"command": command}, "output": "ok"}
    return {"kind": "tool_end", "tool": tool, "input": {"path": f"src/part{i}.rs", "limit": i}, "output": "ok"}


def case(i, calls):
    return {
        "id": f"c{i}",
        "message": "m",
        "expect_tools": ["exec", "read"],
        "expect_tools_ordered": ["exec", "edit"],
        "forbidden_tools": ["write"],
        "expect_commands": ["cargo test", f"part{i % calls // 4 * 4}"],
        "forbidden_commands": ["rm -rf"],
        "expect_commands_ordered": ["cargo test", "git add"],
        "expect_output_contains": ["slow query"],
        "expect_tool_args": {"read": {"path": "part5.rs"}},
        "max_retries": 3,
    }


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    suite = [case(i, calls) for i in range(cases)]
    events = [call(i) for i in range(calls)]
    output = "All parts are tested; the slow query is in part 17."

    theirs = [EvalCase(**one) for one in suite]
    their_events = [Event(**one) for one in events]
    least = float("inf")
    for _ in range(PASSES):
        begun = time.perf_counter()
        passed = sum(check_assertions(one, their_events, output)[0] for one in theirs)
        least = min(least, time.perf_counter() - begun)
    print(f"openclaw-edd 0.4.3: {cases} cases against {calls} calls, {passed} passed, {least:.4f} s")

    root = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "suite.json").write_text(json.dumps({"cases": suite}), encoding="utf-8")
        (work / "run.json").write_text(json.dumps({"events": events, "final_output": output}), encoding="utf-8")
        command = ["cargo", "run", "-q", "--release", "-p", "clawgauge-benches", "--example", "check_cases", "--"]
        command += [str(work / "suite.json"), str(work / "run.json")]
        lines = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    agree = True
    for line in map(json.loads, lines):
        agree &= line["passed"] == passed
        times = least / line["seconds"]
        print(f"clawgauge, semantics {line['semantics']}: {line['passed']} passed, {line['seconds']:.4f} s: {times:.0f} times as fast")
    if not agree:
        print("compare: the verdicts differ")
    sys.exit(0 if agree else 1)


main()
