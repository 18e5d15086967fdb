#!/usr/bin/env bash
# Scores a file of session envelopes over two processes and compares the result with that of one process: the same bytes.
# This is how Spark's `pipe()`, Ray or GNU parallel run `scores --ndjson`: each line is answered by itself, in order.
#
#   examples/shards.sh envelopes.ndjson [the scores program; else the release build here, else the installed one]
set -euo pipefail
input=${1:?usage: shards.sh FILE [SCORES]}
built=target/release/examples/scores
scores=${2:-$([ -x "$built" ] && echo "$built" || echo scores)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lines=$(wc -l < "$input")
half=$(( (lines + 1) / 2 ))
head -n "$half" "$input" | "$scores" --ndjson > "$work/1.out" &
first=$!
tail -n "+$(( half + 1 ))" "$input" | "$scores" --ndjson > "$work/2.out" &
second=$!
wait "$first"
wait "$second"

"$scores" --ndjson < "$input" > "$work/whole.out"
cat "$work/1.out" "$work/2.out" | cmp - "$work/whole.out"
echo "$lines lines: two processes and one give the same $(wc -c < "$work/whole.out") bytes"
