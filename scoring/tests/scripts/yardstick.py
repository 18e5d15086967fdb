"""An independent look at the risk of failure: the yardstick, and the area under the curve by another hand.

    yardstick.py RUNS.ndjson ROWS.ndjson

RUNS: runs with a known outcome, as `scores calibrate` reads them. ROWS: what `scores calibrate --rows` wrote of the same runs
in the same order. Needs scikit-learn. Prints for each source and pooled by pairs: the yardstick (eight signs with whole-number
weights, read here with nothing but regular expressions), and the risk of the rows, each by scikit-learn within source and model.
"""
import collections
import json
import re
import sys

from sklearn.metrics import roc_auc_score

I = re.I
RETRY = re.compile(r"different approach|still fail|doesn'?t work|same error|oops|let me fix|try again", I)
UNABLE = re.compile(r"\bunable\b|(?<!you )\bcannot\b|(?<!you )\bcan't\b(?! wait)|\bcould ?n[o']t\b|\bunfortunately\b|\bfailed to\b", I)
HEDGE = re.compile(r"should now work|should work|probably|likely|seems|i think|assuming", I)
SORRY = re.compile(r"\bsorry\b|apolog", I)
BYE = re.compile(r"you're welcome|anything else|have a (great|nice|good)|goodbye|take care", I)
NOT_BYE = re.compile(r"unable|sorry|transfer", I)
ERROR = re.compile(r"^\W*(error|exception|traceback|invalid|permission denied|\S+: command not found|http [45]\d\d|timed? ?out)", I)
EXIT = re.compile(r"exit(?:ed with)? code:? (-?\d+)|returncode>?:? ?(-?\d+)", I)
CHANGE = re.compile(r"write|edit|update|modify|create|delete|remove|cancel|book|exchange|return|insert|replace|patch|send|add|set_|transfer|put|post|submit|save", I)
READ = re.compile(r"^(get|find|list|read|search|view|look|fetch|calculate|check|think)", I)
SHELL_CHANGE = re.compile(r"(^|[;&|\s])(sed -i|git (apply|commit|checkout|add)|mv|cp|rm|mkdir|touch|tee|pip install|apt|make|patch|chmod)\b|>>?\s*[\w/.]|<<", I)


def text_of(message):
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(b.get("text", "") for b in content or [] if b.get("type") == "text")


def is_error(message):
    if message.get("isError") is True:
        return True
    text = text_of(message).strip()
    if text.startswith("{"):
        try:
            value = json.loads(text)
            if value.get("error"):
                return True
            if str(value.get("status")).lower() in ("error", "failed") or False in (value.get("success"), value.get("ok")):
                return True
            for key in ("exit_code", "returncode"):
                if isinstance(value.get(key), int):
                    return value[key] != 0
        except ValueError:
            pass
    if ERROR.match(text):
        return True
    found = EXIT.search(text[:200]) or EXIT.search(text[-200:])
    return bool(found) and (found[1] or found[2]) != "0"


def changes(call):
    name = call["name"].split("__")[-1]
    arguments = call.get("arguments")
    command = arguments.get("command") or arguments.get("cmd") if isinstance(arguments, dict) else None
    if "edit" in name.lower() and isinstance(command, str):
        return command.split()[0:1] != ["view"]  # an editor's command is what it does, not a line for a shell
    if isinstance(command, str):
        return bool(SHELL_CHANGE.search(command))
    name = re.sub(r"^(retail|airline|telecom|terminalbench|swebench)_", "", name)
    return bool(CHANGE.search(name)) and not READ.match(name)


def yardstick(messages):
    calls, results = {}, []
    order, said, person = [], [], 0
    for message in messages:
        if message["role"] == "user":
            person += 1
        elif message["role"] == "assistant":
            said.append(text_of(message))
            content = message.get("content")
            for block in content if isinstance(content, list) else []:
                if block.get("type") == "toolCall":
                    calls[block.get("id")] = block
                    order.append(block)
        elif message["role"] == "toolResult":
            results.append((message.get("toolName"), message.get("toolCallId"), is_error(message)))
    task = person < 3
    unresolved, fine = 0, set()
    for name, _, error in reversed(results):
        if not error:
            fine.add(name)
        elif name not in fine:
            unresolved += 1
    points = 25 * min(1, unresolved / len(results) / 0.25) if results else 0
    if task and not any(not error and call in calls and changes(calls[call]) for _, call, error in results):
        points += 20
    points += 0 if order else 20
    points += 20 * min(1, sum(bool(RETRY.search(t)) for t in said) / max(1, len(said)) / 0.5)
    seen, repeated = set(), 0
    for call in order:
        key = (call["name"], json.dumps(call.get("arguments"), sort_keys=True))
        repeated += key in seen
        seen.add(key)
    points += 10 * min(1, repeated / len(order) / 0.3) if order else 0
    texts = [t for t in said if t.strip()]
    last, walked = (texts[-1] if texts else ""), 0
    for text in reversed(texts):
        if walked == 3 or not (len(text) < 200 and BYE.search(text) and not NOT_BYE.search(text)):
            last = text
            break
        walked += 1
    if task:
        sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n+", last) if s.strip()]
        points += 10 * min(1, sum(bool(UNABLE.search(s)) for s in sentences) / max(1, len(sentences)) / 0.3)
        points += 10 * bool(HEDGE.search(last)) + 10 * bool(SORRY.search(last))
    return min(100, points)


def within(rows, value):
    """Area under the curve over the pairs of all groups together."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["source"], row["model"]].append(row)
    won = pairs = 0
    for group in groups.values():
        failed = [row["failed"] for row in group]
        count = sum(failed) * (len(failed) - sum(failed))
        if count:
            won += count * roc_auc_score(failed, [row[value] for row in group])
            pairs += count
    return won / pairs if pairs else float("nan")


def main():
    rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    with open(sys.argv[1], encoding="utf-8") as runs:
        for row, line in zip(rows, runs, strict=True):
            run = json.loads(line)
            assert run["source"] == row["source"] and (run["label"] == 0) == row["failed"]
            row["yardstick"] = yardstick(run["messages"])
    print(f"{'source':<26}{'n':>6}  yardstick   risk  with length")
    for source in [*sorted({row["source"] for row in rows}), None]:
        chosen = [row for row in rows if source in (None, row["source"])]
        values = [within(chosen, value) for value in ("yardstick", "risk", "riskWithLength")]
        print(f"{source or 'pooled':<26}{len(chosen):>6}      {values[0]:.4f}  {values[1]:.4f}  {values[2]:.4f}")


if __name__ == "__main__":
    main()
