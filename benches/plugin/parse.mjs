// What any JavaScript program pays before it scores anything: every line of every session through JSON.parse.
// node parse.mjs FOLDER   prints bytes and seconds.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const started = performance.now();
let bytes = 0;
let messages = 0;
for (const name of readdirSync(folder)) {
  if (!name.endsWith(".jsonl")) continue;
  const text = readFileSync(join(folder, name));
  bytes += text.length;
  for (const line of text.toString("utf8").split("\n")) {
    if (line !== "" && JSON.parse(line).type === "message") messages += 1;
  }
}
const seconds = (performance.now() - started) / 1000;
console.log(`${bytes} ${seconds.toFixed(3)} ${messages}`);
