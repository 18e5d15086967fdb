#!/usr/bin/env bash
# How fast the whole program scores a folder, against what a JavaScript program pays for JSON.parse alone.
#
#   benches/plugin/compare.sh [MIB]      MIB of sessions of each kind, 64 by default
#
# Each program runs five times over files that are in memory; the best run counts, as other load on a machine only slows. The
# session-scorer plugin itself, which this replaces, did 75 to 88 MB/s of tool-heavy sessions where Node's JSON.parse alone did
# 230 to 260.
set -euo pipefail
cd "$(dirname "$0")/../.."
mib=${1:-64}
runs=5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cargo build -q --release -p clawgauge-examples --example scores
cargo run -q --release -p clawgauge-benches --bin corpus -- "$folder" "$mib"
scores=${CARGO_TARGET_DIR:-target}/release/examples/scores

# The best of several runs in seconds.
best() {
    local best=
    for _ in $(seq "$runs"); do
        local from to
        from=$(date +%s%N)
        "$@" >/dev/null
        to=$(date +%s%N)
        if [ -z "$best" ] || [ $((to - from)) -lt "$best" ]; then best=$((to - from)); fi
    done
    awk "BEGIN { printf \"%.3f\", $best / 1e9 }"
}

speed() { awk "BEGIN { printf \"%.0f\", $1 / $2 / 1e6 }"; }

printf '%-12s %8s  %14s %14s %16s\n' sessions MB 'scores, MB/s' 'one core, MB/s' 'JSON.parse, MB/s'
for kind in tool_heavy long_lines chatty; do
    bytes=$(cat "$folder/$kind"/*.jsonl | wc -c)
    all=$(best "$scores" score "$folder/$kind" --json)
    one=$(RAYON_NUM_THREADS=1 best "$scores" score "$folder/$kind" --json)
    node=-
    if command -v node >/dev/null; then
        seconds=$(for _ in $(seq "$runs"); do node benches/plugin/parse.mjs "$folder/$kind"; done | awk '{ print $2 }')
        node=$(speed "$bytes" "$(sort -n <<<"$seconds" | head -1)")
    fi
    printf '%-12s %8s  %14s %14s %16s\n' "$kind" "$((bytes / 1000000))" "$(speed "$bytes" "$all")" "$(speed "$bytes" "$one")" "$node"
done
