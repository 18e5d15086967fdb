// The JavaScript package `ws` as an independent peer, on either side:
//   node peers.mjs platform <relay program>      a platform for the program `relay`
//   node peers.mjs agent <relay address>         an agent for the program `platform`, keys in RELAY_KEYS
// Exits with 0 when everything was as the protocol says, else prints what was not.
import { spawn } from "node:child_process";
import assert from "node:assert/strict";
import { WebSocket, WebSocketServer } from "ws";

const [side, target] = process.argv.slice(2);
const TIMEOUT = setTimeout(() => { console.error("timed out"); process.exit(1); }, 60_000);

/** Waits for frames that fit, in order of arrival; everything is kept. */
class Inbox {
  frames = [];
  #waiting = [];
  push(frame) {
    this.frames.push(frame);
    this.#waiting = this.#waiting.filter(({ fits, done }) => !(fits(frame) && (done(frame), true)));
  }
  wait(fits) {
    const here = this.frames.find(fits);
    return here ? Promise.resolve(here) : new Promise((done) => this.#waiting.push({ fits, done }));
  }
}

async function platform() {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((done) => server.once("listening", done));
  const address = `ws://127.0.0.1:${server.address().port}/chat`;
  const connections = [];
  const opened = [];
  server.on("connection", (socket, request) => {
    const inbox = new Inbox();
    socket.on("message", (data, binary) => { assert.equal(binary, false); inbox.push(JSON.parse(data)); });
    const connection = { socket, inbox, headers: request.headers };
    connections.push(connection);
    opened.splice(0).forEach((done) => done(connection));
  });
  const next = () => new Promise((done) => opened.push(done));
  const first = next();
  const relay = spawn(target, ["--url", address, "--hurry"], {
    env: { ...process.env, BENCHGEN_PUBLIC_KEY: "pk-js", BENCHGEN_SECRET_KEY: "sk:with:colons" },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let log = "";
  relay.stderr.on("data", (data) => { log += data; });
  let { socket, inbox, headers } = await first;
  const say = (frame) => socket.send(JSON.stringify(frame));

  // hello comes first and says who it is, twice.
  const hello = await inbox.wait(() => true);
  assert.equal(hello.type, "hello");
  assert.equal(hello.protocol, 1);
  assert.deepEqual(hello.auth, { publicKey: "pk-js", secretKey: "sk:with:colons" });
  assert.equal(headers.authorization, "Basic " + Buffer.from("pk-js:sk:with:colons").toString("base64"));
  assert.equal(headers["x-benchgen-protocol"], "1");
  assert.match(headers["x-benchgen-plugin"], /^[^/]+\/.+/);
  assert.ok(hello.capabilities.includes("abort"));
  assert.ok(hello.agents.some((agent) => agent.default));

  // A turn, from a platform that never acknowledges and counts its ids.
  say({ type: "message", conversationId: 5, messageId: 1, text: "hello \ud83d\udc4b", sender: { id: "u", name: "n" } });
  const done = await inbox.wait((frame) => frame.type === "turn.done" && frame.messageId === 1);
  assert.equal(done.conversationId, 5);
  assert.equal(done.status, "ok");
  assert.deepEqual(done.replies, { tool: 0, block: 0, final: 1 });
  const of = (id) => inbox.frames.filter((frame) => frame.messageId === id);
  assert.equal(of(1)[0].type, "turn.started");
  assert.equal(of(1)[0].sessionKey, "agent:main:benchgen:direct:5");
  assert.equal(of(1).find((frame) => frame.type === "reply").text, "You said: hello \ud83d\udc4b");
  assert.ok(of(1).some((frame) => frame.type === "reply.partial"));
  const usage = await inbox.wait((frame) => frame.type === "turn.usage" && frame.messageId === 1);
  assert.equal(usage.usage.calls, 1);
  assert.ok(usage.ts - done.ts >= 1_400, "usage settles");
  assert.ok(inbox.frames.every((frame) => Number.isInteger(frame.ts)), "every frame carries ts");
  assert.ok(inbox.frames.every((frame) => frame.seq === undefined), "version 1 frames are not numbered");

  // Delivered twice, run once; the same id with another text is an error.
  say({ type: "message", conversationId: 5, messageId: 1, text: "hello \ud83d\udc4b" });
  const again = await inbox.wait((frame) => frame.reason === "duplicate");
  assert.equal(again.messageId, 1);
  say({ type: "message", conversationId: 5, messageId: 1, text: "something else" });
  assert.match((await inbox.wait((frame) => frame.status === "error")).error, /reused/);

  // What is invalid or unknown.
  say({ type: "fly" });
  socket.send("no json");
  say({ type: "message", conversationId: "c", messageId: "bad" });
  assert.equal((await inbox.wait((frame) => frame.messageId === "bad")).error, "text is required");
  say({ type: "ping" });
  await inbox.wait((frame) => frame.type === "pong");

  // Choices, a step, an abort.
  say({ type: "message", conversationId: "c", messageId: "ask", text: "/ask red, blue" });
  const choices = await inbox.wait((frame) => frame.type === "choices");
  assert.deepEqual(choices.questions[0].options.map((option) => option.label), ["red", "blue"]);
  say({ type: "message", conversationId: "c", messageId: "run", text: "/run ls -l" });
  assert.deepEqual((await inbox.wait((frame) => frame.type === "tool.start")).args, { command: "ls -l" });
  say({ type: "message", conversationId: "d", messageId: "slow", text: "/slow 500" });
  await inbox.wait((frame) => frame.type === "reply.partial" && frame.messageId === "slow");
  say({ type: "abort", conversationId: "d", messageId: "slow" });
  const aborted = await inbox.wait((frame) => frame.type === "turn.done" && frame.messageId === "slow");
  assert.equal(aborted.status, "aborted");
  await inbox.wait((frame) => frame.type === "turn.usage" && frame.messageId === "slow");

  // A turn that ends while the connection is gone is told on the next one, after hello.
  say({ type: "message", conversationId: "e", messageId: "gap", text: "/slow 8" });
  await inbox.wait((frame) => frame.type === "turn.started" && frame.messageId === "gap");
  const second = next();
  socket.terminate();
  ({ socket, inbox } = await second);
  await inbox.wait((frame) => frame.type === "turn.done" && frame.messageId === "gap");
  assert.equal(inbox.frames[0].type, "hello");
  assert.equal(inbox.frames.filter((frame) => frame.type === "reply" && frame.messageId === "gap").length, 1);

  // It stops when told to.
  relay.kill("SIGTERM");
  assert.equal(await new Promise((done) => relay.once("exit", done)), 0);
  for (const secret of ["pk-js", "sk:with:colons"]) assert.ok(!log.includes(secret), log);
  server.close();
}

async function agent() {
  const [publicKey, secretKey] = process.env.RELAY_KEYS.split(":");
  const connect = () => {
    const socket = new WebSocket(target);
    const inbox = new Inbox();
    socket.on("message", (data) => inbox.push(JSON.parse(data)));
    const closed = new Promise((done) => socket.once("close", (code) => done(code)));
    return new Promise((done) => socket.once("open", () => done({ socket, inbox, closed, say: (frame) => socket.send(JSON.stringify({ ...frame, ts: Date.now() })) })));
  };
  const hello = (secret) => ({ type: "hello", protocol: 1, auth: { publicKey, secretKey: secret }, plugin: { name: "js" }, agents: [{ id: "main", default: true }], capabilities: ["abort"] });

  const wrong = await connect();
  wrong.say(hello("wrong"));
  assert.equal(await wrong.closed, 4401);

  const one = await connect();
  one.say({ type: "turn.started", conversationId: "x", messageId: "x" });
  one.say(hello(secretKey));
  const ack = await one.inbox.wait((frame) => frame.type === "hello.ack");
  assert.equal(ack.protocol, 1);
  assert.equal(ack.resume, undefined, "a version 1 agent is not offered more than it knows");

  const page = new WebSocket(new URL("/ui", target).href);
  const told = new Inbox();
  page.on("message", (data) => told.push(JSON.parse(data)));
  await new Promise((done) => page.once("open", done));
  page.send(JSON.stringify({ do: "send", agent: ack.agentId, conversationId: "c", messageId: "m", text: "hi" }));
  const message = await one.inbox.wait((frame) => frame.type === "message");
  assert.deepEqual([message.conversationId, message.messageId, message.text], ["c", "m", "hi"]);
  const turn = { conversationId: "c", messageId: "m" };
  one.say({ type: "turn.started", ...turn, sessionKey: "k", agentId: "main" });
  one.say({ type: "reply.partial", ...turn, text: "He", later: { unknown: true } });
  one.say({ type: "reply", ...turn, text: "Hello", kind: "final" });
  one.say({ type: "turn.done", ...turn, status: "ok", sessionKey: "k", agentId: "main", replies: { tool: 0, block: 0, final: 1 } });
  one.say({ type: "reply", ...turn, text: "too late", kind: "final" });
  const over = await told.wait((event) => event.kind === "over");
  assert.deepEqual([over.fate, over.text], ["ok", "Hello"]);
  assert.deepEqual((await told.wait((event) => event.frame?.type === "reply.partial")).frame.later, { unknown: true });

  page.send(JSON.stringify({ do: "send", agent: ack.agentId, conversationId: "c", messageId: "m2", text: "again" }));
  await one.inbox.wait((frame) => frame.messageId === "m2");
  page.send(JSON.stringify({ do: "abort", agent: ack.agentId, conversationId: "c", messageId: "m2" }));
  await one.inbox.wait((frame) => frame.type === "abort" && frame.messageId === "m2");

  // A newer connection with the same keys takes over.
  const two = await connect();
  two.say(hello(secretKey));
  assert.equal(await one.closed, 4409);
  await two.inbox.wait((frame) => frame.type === "hello.ack");
  assert.ok(!told.frames.some((event) => event.frame?.text === "too late"), "nothing follows turn.done");
  two.socket.close();
  page.close();
}

await { platform, agent }[side]();
clearTimeout(TIMEOUT);
console.log(`${side}: as the protocol says`);
process.exit(0);
