#!/usr/bin/env python3
"""Sends recorded runs to a real Phoenix and reads them back through its REST API.

    python3 tracing-map/tests/phoenix/check.py [--venv DIR] [--keep-running]

Needs the built program (`cargo build -p clawgauge-examples --example trace-export --features net`). Makes a virtual
environment and installs `arize-phoenix` there (about 850 MB) unless DIR has it. Exits 77 (skipped) when the package cannot
be had, 0 when every span came back as it was sent, 1 otherwise.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tracing-map/tests/fixtures"
PORT = int(os.environ.get("PHOENIX_CHECK_PORT", "16006"))
BASE = f"http://127.0.0.1:{PORT}"


def phoenix_program(venv):
    program = venv / "bin/phoenix"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        install = subprocess.run([str(venv / "bin/pip"), "install", "-q", "arize-phoenix"])
        if install.returncode != 0:
            print("skipped: arize-phoenix cannot be had")
            sys.exit(77)
    return program


def exporter():
    for profile in ("release", "debug"):
        program = ROOT / "target" / profile / "examples/trace-export"
        if program.exists():
            return program
    sys.exit("build the program first: cargo build -p clawgauge-examples --example trace-export --features net")


def state_dir(folder):
    """The recorded sessions as a state folder, so that live runs find their texts."""
    for agent in ("main", "ops"):
        target = folder / "agents" / agent / "sessions"
        target.mkdir(parents=True)
        for file in (FIXTURES / "sessions" / agent).glob("*.jsonl"):
            (target / file.name).write_bytes(file.read_bytes())
    return folder


def get(path):
    with urllib.request.urlopen(BASE + path, timeout=30) as answer:
        return json.load(answer)


def wait_until_up(process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit("Phoenix ended before it answered")
        try:
            return get("/v1/projects")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    sys.exit("Phoenix did not come up")


def value(any_value):
    (kind, content), = any_value.items()
    if kind == "intValue":
        return int(content)
    if kind == "arrayValue":
        return [value(one) for one in content.get("values", [])]
    return content


def wanted(bodies):
    spans = {}
    for line in bodies.splitlines():
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    span["attributes"] = {one["key"]: value(one["value"]) for one in span["attributes"]}
                    spans[span["spanId"]] = span
    return spans


def flatten(attributes, prefix=""):
    """Phoenix may give attributes nested or flat."""
    flat = {}
    for key, content in attributes.items():
        if isinstance(content, dict):
            flat.update(flatten(content, f"{prefix}{key}."))
        else:
            flat[prefix + key] = content
    return flat


def all_spans(project):
    found, cursor = {}, None
    while True:
        path = f"/v1/projects/{project}/spans?limit=500" + (f"&cursor={cursor}" if cursor else "")
        page = get(path)
        for span in page["data"]:
            found[span["context"]["span_id"]] = span
        cursor = page.get("next_cursor")
        if not cursor:
            return found


CHECKED = [
    "openinference.span.kind", "session.id", "user.id", "input.value", "output.value", "llm.model_name", "llm.provider",
    "llm.token_count.prompt", "llm.token_count.completion", "llm.token_count.total",
    "llm.token_count.prompt_details.cache_read", "llm.cost.total", "tool.name", "tool_call.id", "agent.name",
]


def compare(sent, got):
    problems = []
    missing = sorted(set(sent) - set(got))
    if missing:
        problems.append(f"{len(missing)} spans did not come back: {missing[:5]}")
    for span_id, ours in sent.items():
        theirs = got.get(span_id)
        if theirs is None:
            continue
        flat = flatten(theirs.get("attributes") or {})
        flat.setdefault("openinference.span.kind", theirs.get("span_kind"))
        checks = [("name", ours["name"], theirs["name"]),
                  ("parent", ours.get("parentSpanId"), theirs.get("parent_id")),
                  ("trace", ours["traceId"], theirs["context"]["trace_id"]),
                  ("error", ours.get("status", {}).get("code") == 2, theirs.get("status_code") == "ERROR")]
        for key in CHECKED:
            if key in ours["attributes"]:
                checks.append((key, ours["attributes"][key], flat.get(key)))
        for what, a, b in checks:
            same = abs(a - b) < 1e-9 if isinstance(a, float) and isinstance(b, (int, float)) else a == b
            if not same:
                problems.append(f"{span_id} {ours['name']} {what}: sent {str(a)[:80]!r}, came back {str(b)[:80]!r}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "clawgauge-phoenix")
    parser.add_argument("--keep-running", action="store_true")
    options = parser.parse_args()
    program, export = phoenix_program(options.venv), exporter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        env = dict(os.environ, PHOENIX_PORT=str(PORT), PHOENIX_HOST="127.0.0.1", PHOENIX_GRPC_PORT=str(PORT + 1),
                   PHOENIX_WORKING_DIR=str(folder / "work"), PHOENIX_TELEMETRY_ENABLED="false")
        log = open(folder / "phoenix.log", "wb")
        process = subprocess.Popen([str(program), "serve"], env=env, stdout=log, stderr=log)
        try:
            wait_until_up(process)
            texts = state_dir(folder / "state")
            sent = {}
            for file in sorted((FIXTURES / "events/2026.9.6").glob("*.jsonl")):
                common = [str(export), "events", str(file), "--to", "phoenix", "--state-dir", str(texts), "--endpoint", BASE]
                shown = subprocess.run(common + ["--dry-run", "--json"], check=True, capture_output=True, text=True)
                # A run that goes on in the next recording is sent twice; the first write of an id is what stays.
                for span_id, span in wanted(shown.stdout).items():
                    sent.setdefault(span_id, span)
                subprocess.run(common, check=True, capture_output=True)
            got, before = {}, -1
            for _ in range(120):
                try:
                    got = all_spans("default")
                except urllib.error.HTTPError:
                    got = {}
                if len(got) >= len(sent) and len(got) == before:
                    break
                before = len(got)
                time.sleep(1)
            problems = compare(sent, got)
            print(f"{len(sent)} spans sent, {len(got)} came back, {len(problems)} differences")
            for problem in problems[:40]:
                print(" ", problem)
            if options.keep_running:
                print(f"Phoenix runs at {BASE}; interrupt to stop")
                process.wait()
            sys.exit(1 if problems or len(got) < len(sent) else 0)
        finally:
            process.terminate()
            process.wait(timeout=30)


if __name__ == "__main__":
    main()
