#!/bin/sh
# Installs openclaw-edd 0.4.3 from the Python registry into a virtual environment and lets it read our files.
#
# Usage: golden/tests/check_edd.sh [GOLDEN_JSONL]    (default: a file that this repository's tests keep)
# Exit: 0 it reads them, 1 it does not, 77 there is no Python or no registry (nothing was checked).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
golden=${1:-$here/fixtures/mined.jsonl}
golden=$(cd "$(dirname "$golden")" && pwd)/$(basename "$golden")
target=${CARGO_TARGET_DIR:-$here/../../target}
venv=${CLAWGAUGE_EDD_VENV:-$target/tmp/openclaw-edd-0.4.3}

skip() {
    echo "check_edd: $1, nothing was checked"
    exit 77
}

command -v python3 >/dev/null 2>&1 || skip "no python3"
# An environment that is only half there is made anew.
if ! "$venv/bin/python" -c 'import openclaw_edd, yaml' >/dev/null 2>&1; then
    rm -rf "$venv"
    mkdir -p "$(dirname "$venv")"
    python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 makes no virtual environment"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
        'openclaw-edd==0.4.3' pyyaml >/dev/null 2>&1 || { rm -rf "$venv"; skip "openclaw-edd 0.4.3 could not be installed"; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$golden" "$work/golden.jsonl"
cd "$work"
export HOME="$work"

# 1. It loads every record as a case.
"$venv/bin/openclaw-edd" run --cases golden.jsonl --dry-run --output-json report.json >run.txt 2>&1 || true
"$venv/bin/python" - <<'PY'
import json, sys

records = [json.loads(line) for line in open("golden.jsonl", encoding="utf-8") if line.strip()]
turns = [turn for record in records for turn in record["conversation"]]
try:
    report = json.load(open("report.json", encoding="utf-8"))
except OSError:
    sys.exit("check_edd: openclaw-edd wrote no report:\n" + open("run.txt", encoding="utf-8").read())
results = report if isinstance(report, list) else report.get("results", report.get("cases", []))
if len(results) != len(turns):
    sys.exit(f"check_edd: {len(turns)} turns, {len(results)} cases")
for turn, result in zip(turns, results):
    case = result["case"]
    wanted = [one["value"] for one in turn["assert"] if one["type"] == "tool_called"]
    words = [one["value"] for one in turn["assert"] if one["type"] == "contains"]
    assert case["message"] == turn["user"], (case["message"], turn["user"])
    assert case["expect_tools"] == wanted, (case["expect_tools"], wanted)
    assert case["expect_output_contains"] == words, (case["expect_output_contains"], words)
print(f"check_edd: openclaw-edd reads {len(records)} records as {len(results)} cases")
PY

# 2. Its review approves them, and what we wrote beside its fields is still there afterwards.
count=$(grep -c . golden.jsonl)
i=0
while [ "$i" -lt "$count" ]; do echo a; i=$((i + 1)); done >keys.txt
"$venv/bin/openclaw-edd" edd review --input golden.jsonl <keys.txt >review.txt 2>&1
"$venv/bin/python" - "$golden" <<'PY'
import json, sys

def load(path):
    return [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]

for before, after in zip(load(sys.argv[1]), load("golden.jsonl")):
    if not (after["reviewed"] and after["approved"]):
        sys.exit(f"check_edd: {after['id']} was not approved")
    for key in ("schemaVersion", "contentHash"):
        if before.get(key) != after.get(key):
            sys.exit(f"check_edd: {key} of {after['id']} was lost")
print("check_edd: openclaw-edd reviews them and keeps our fields")
PY

# 3. What it approved it loads when asked for approved records only.
"$venv/bin/openclaw-edd" run --cases golden.jsonl --dry-run --only-approved --output-json approved.json >run.txt 2>&1 || true
"$venv/bin/python" -c 'import json; n = json.load(open("approved.json")); assert n, "no approved case"; print("check_edd: and loads what was approved")'
