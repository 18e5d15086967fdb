// The page of the program `platform` in a real browser: send, stream, a step, click a choice, stop.
//   node page.mjs <page address> <chromium> [screenshot.png]
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [address, executablePath, screenshot] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 900, height: 800 } });
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (message) => { if (message.type() === "error" && !message.text().includes("favicon") && !message.text().includes("404")) errors.push(message.text()); });
await page.goto(address);
await page.waitForSelector("#state.on");

const say = async (text) => { await page.fill("#text", text); await page.click("#send"); };
const turn = (at) => page.locator(".turn").nth(at);
const over = (at, fate) => turn(at).locator(".meta", { hasText: fate }).waitFor();

// A reply streams: it is seen growing before it is there.
await say("/slow 12");
await turn(0).locator(".text.open", { hasText: "word2" }).waitFor();
const early = await turn(0).locator(".text.open").textContent();
assert.ok(early.length < "word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12".length);
await over(0, "ok");
assert.match(await turn(0).locator(".text").first().textContent(), /word12$/);

// Markup stays text.
await say("<b>bold</b> & <script>document.title='x'</" + "script>");
await over(1, "ok");
assert.equal(await turn(1).locator("b, script").count(), 0);
assert.equal(await page.title(), "Relay platform");

// A step.
await say("/run make test");
await over(2, "ok");
assert.equal(await turn(2).locator(".step").textContent(), "exec: make test");

// Choices are buttons; a click is the next message.
await say("/ask Staging, Production");
await over(3, "ok");
assert.deepEqual(await turn(3).locator("button.choice").allTextContents(), ["Staging", "Production"]);
await turn(3).locator("button.choice", { hasText: "Production" }).click();
await over(4, "ok");
assert.equal(await turn(4).locator(".text").first().textContent(), "You said: Production");
assert.ok(await turn(3).locator("button.choice").first().isDisabled());

// Stop.
await say("/slow 600");
await turn(5).locator(".text.open", { hasText: "word2" }).waitFor();
if (screenshot) await page.screenshot({ path: screenshot });
assert.ok(await page.isEnabled("#stop"));
await page.click("#stop");
await over(5, "aborted");
assert.ok(await page.isDisabled("#stop"));
await say("still there?");
await over(6, "ok");
assert.deepEqual(errors, []);
await browser.close();
console.log("page: as it should be");
