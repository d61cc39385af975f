// Feeds streams of events to the parser, cut at every byte.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Parser, TooLong, eventsOf, mostHeld } from "./stream.js";

const check = (what: string, got: unknown, want: unknown): void => assert.deepEqual(got, want, what);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const phase = "0198c0de-0000-7000-8000-000000000001";

const lines = [
  "retry: 2000",
  "",
  `id: ${phase}:1`,
  "event: status",
  'data: {"seq":1}',
  "",
  ": a comment",
  "event: heartbeat",
  'data: {"lastSeq":1}',
  "",
  `id: ${phase}:2`,
  "event: content_chunk",
  'data: {"delta":"§ 4 of [Docket 1]: “Zürich” 🙂"}',
  "",
  "data",
  "data:  two spaces",
  "data: three",
  "unknown: field",
  "",
  "id: has\0nul",
  "event: nothing to say",
  "",
  `id:${phase}:3`,
  "event:phase_end",
  "data:{}",
  "",
];
const want = [
  { id: `${phase}:1`, kind: "status", data: '{"seq":1}' },
  { id: `${phase}:1`, kind: "heartbeat", data: '{"lastSeq":1}' },
  { id: `${phase}:2`, kind: "content_chunk", data: '{"delta":"§ 4 of [Docket 1]: “Zürich” 🙂"}' },
  { id: `${phase}:2`, kind: "message", data: "\n two spaces\nthree" },
  { id: `${phase}:3`, kind: "phase_end", data: "{}" },
];

const stored = want.filter((e) => ["status", "content_chunk", "phase_end"].includes(e.kind));

for (const [name, end] of [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
] as const) {
  test(`a stream with ${name}, cut anywhere`, () => {
    const bytes = bytesOf(lines.join(end) + end);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const parser = new Parser();
      const got = [...parser.push(bytes.slice(0, cut)), ...parser.push(bytes.slice(cut))];
      check(`${name}, cut at ${cut}`, got, want);
      check(`${name}, retry, cut at ${cut}`, parser.retry, 2000);
      check(`${name}, last id, cut at ${cut}`, parser.lastId, `${phase}:3`);

      // The line breaks at cut, and the service sends what comes after the last id again: together that is every event once.
      const first = new Parser();
      const seen = first.push(bytes.slice(0, cut));
      check(`${name}, broken at ${cut}`, seen, want.slice(0, seen.length));
      const again = stored.filter((e) => e.id > first.lastId);
      check(
        `${name}, broken at ${cut} and resumed`,
        [...seen.filter((e) => stored.some((s) => s.data === e.data)), ...again],
        stored,
      );
    }
    const single = new Parser();
    check(
      `${name}, byte by byte`,
      [...bytes].flatMap((b) => single.push(Uint8Array.of(b))),
      want,
    );
  });
}

test("an id counts only once its event is complete", () => {
  const parser = new Parser();
  parser.push(bytesOf("id: a:1\ndata: x\n\nid: a:2\ndata: y\n"));
  check("id of an event that is cut off", parser.lastId, "a:1");
});

test("a byte order mark is no part of the first line", () => {
  const parser = new Parser();
  check("byte order mark", parser.push(bytesOf("\uFEFFdata: x\n\n")), [{ id: "", kind: "message", data: "x" }]);
});

for (const [name, text] of [
  ["a line without an end", "data: " + "x".repeat(mostHeld + 1)],
  ["an event without an end", ("data: " + "x".repeat(1023) + "\n").repeat(mostHeld / 1023 + 2)],
] as const) {
  test(`${name} is refused`, () => {
    const parser = new Parser();
    let refused = false;
    try {
      for (let at = 0; at < text.length; at += 65536) parser.push(bytesOf(text.slice(at, at + 65536)));
    } catch (error) {
      refused = error instanceof TooLong;
    }
    check(name, refused, true);
  });
}

test("a comment without an end is not kept", () => {
  const parser = new Parser();
  for (let sent = 0; sent <= mostHeld; sent += 65536) parser.push(bytesOf((sent === 0 ? ":" : "") + "x".repeat(65536)));
  check("a comment without an end is not kept", parser.push(bytesOf("\ndata: x\n\n")), [
    { id: "", kind: "message", data: "x" },
  ]);
});

test("an event of 1 MiB", () => {
  const parser = new Parser();
  const long = "y".repeat(1024 * 1024);
  check("an event of 1 MiB", parser.push(bytesOf(`data: ${long}\n\n`))[0]?.data.length, long.length);
});

test("a body that ends within an event", async () => {
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      for (const part of ["id: 1\nda", "ta: x\r", "\n\r\ndata: cut off"]) out.enqueue(bytesOf(part));
      out.close();
    },
  });
  const got: unknown[] = [];
  for await (const event of eventsOf(body, new Parser())) got.push(event);
  check("a body that ends within an event", got, [{ id: "1", kind: "message", data: "x" }]);
});
