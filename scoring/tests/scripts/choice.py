"""Would points for flags, or other weights, tell failures apart better? Chosen inside cross-validation, judged outside.

    choice.py RUNS.ndjson ROWS.ndjson

RUNS and ROWS as for yardstick.py. For each way of leaving runs out (tasks in five parts; one source at a time) the choice is made
on the rest: beginning with the default weights, the one step that raises the area under the curve most is taken, as long as it
raises it by .002. A step adds ten points for a flag, or changes one weight by five. What was chosen is then judged on the runs
left out, against the default weights and against the yardstick, with 95 % intervals from resampling tasks. Last, what each sign
adds to the others. Needs numpy.
"""
import json
import sys
import zlib

import numpy as np

from yardstick import yardstick

WEIGHTS = {
    "unresolved-errors": 25, "no-successful-change": 20, "no-calls": 20, "retries": 20, "inability": 10, "hedge": 10, "apology": 10,
    "repeated-calls": 10,
}
FLAGS = ["last-result-error", "success-after-error", "request-repeated", "call-as-text", "ends-with-intention", "cut-off"]
ROUNDS = 1000


def numbered(names):
    return np.unique([json.dumps(name) for name in names], return_inverse=True)[1]


class Pairs:
    """The pairs of a failed and another run within groups."""

    def __init__(self, failed, groups, chosen):
        of = [chosen[groups[chosen] == group] for group in np.unique(groups[chosen])]
        self.sides = [(rows[failed[rows]], rows[~failed[rows]]) for rows in of]
        self.sides = [(bad, good) for bad, good in self.sides if len(bad) and len(good)]

    def auc(self, values):
        won = count = 0
        for bad, good in self.sides:
            ordered = np.sort(values[good])
            below = np.searchsorted(ordered, values[bad], "left") + np.searchsorted(ordered, values[bad], "right")
            won, count = won + below.sum() / 2, count + len(bad) * len(good)
        return won / count if count else float("nan")

    def resampled(self, values, times):
        won, count = np.zeros(len(times)), np.zeros(len(times))
        for bad, good in self.sides:
            wins = (values[bad][:, None] > values[good]) + 0.5 * (values[bad][:, None] == values[good])
            won += ((times[:, bad] @ wins) * times[:, good]).sum(1)
            count += times[:, bad].sum(1) * times[:, good].sum(1)
        return won / count


def main():
    rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    with open(sys.argv[1], encoding="utf-8") as runs:
        known = np.array([yardstick(json.loads(line)["messages"]) for line in runs], float)
    failed = np.array([row["failed"] for row in rows])
    groups = numbered([(row["source"], row["model"]) for row in rows])
    tasks = numbered([(row["source"], row["task"]) for row in rows])
    sources = numbered([row["source"] for row in rows])
    fifths = np.array([zlib.crc32(f"{row['source']}/{row['task']}".encode()) % 5 for row in rows])
    names = [*WEIGHTS, *FLAGS]
    found = np.array([[row["signs"].get(n) or 0 for n in WEIGHTS] + [n in row["flags"] for n in FLAGS] for row in rows], float)
    start = np.array([WEIGHTS.get(name, 0) for name in names], float)

    def risk(weights):
        return np.round(np.minimum(found @ weights, 100), 6)

    random = np.random.default_rng(1)
    clusters = tasks.max() + 1
    times = np.stack([np.bincount(random.integers(0, clusters, clusters), minlength=clusters)[tasks] for _ in range(ROUNDS)]).astype(float)

    def against(pairs, values, other):
        low, high = np.nanpercentile(pairs.resampled(values, times) - pairs.resampled(other, times), [2.5, 97.5])
        return f"[{low:+.3f}, {high:+.3f}]"

    def choose(chosen, steps):
        pairs = Pairs(failed, groups, chosen)
        weights, reached = start, pairs.auc(risk(start))
        while True:
            trials = [weights + step for step in steps if ((weights + step >= 0) & (weights + step <= 40)).all()]
            best = max(trials, key=lambda trial: pairs.auc(risk(trial)))
            if pairs.auc(risk(best)) < reached + 0.002:
                return weights
            weights, reached = best, pairs.auc(risk(best))

    unit = np.eye(len(names))
    flags = [10 * unit[names.index(flag)] for flag in FLAGS]
    kinds = {"flags": flags, "weights": [sign * 5 * unit[at] for at in range(len(WEIGHTS)) for sign in (1, -1)]}
    everything = np.arange(len(rows))
    print(f"all rows: yardstick {Pairs(failed, groups, everything).auc(known):.4f}, risk {Pairs(failed, groups, everything).auc(risk(start)):.4f},"
          f" risk - yardstick {against(Pairs(failed, groups, everything), risk(start), known)}")
    for kind, steps in kinds.items():
        for name, parts in (("other tasks", fifths), ("other sources", sources)):
            values = np.zeros(len(rows))
            for part in np.unique(parts):
                weights = choose(everything[parts != part], steps)
                values[parts == part] = risk(weights)[parts == part]
                print("   ", {n: int(w) for n, w, s in zip(names, weights, start) if w != s})
            # Other parts have other weights: only pairs within a part are compared.
            pairs = Pairs(failed, numbered(list(zip(groups.tolist(), parts.tolist()))), everything)
            print(f"{kind} chosen, {name}: yardstick {pairs.auc(known):.4f}, risk {pairs.auc(risk(start)):.4f}, chosen {pairs.auc(values):.4f};"
                  f" chosen - yardstick {against(pairs, values, known)}, chosen - risk {against(pairs, values, risk(start))}")
    pairs = Pairs(failed, groups, everything)
    for at, name in enumerate(WEIGHTS):
        without = risk(start - start[at] * unit[at])
        print(f"without {name:<22}{pairs.auc(without):.4f}  what it adds {against(pairs, risk(start), without)}")


main()
