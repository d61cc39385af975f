// Follows a run of which the line breaks at every byte, and checks that every event comes once, in order, and to the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow } from "./following.js";

const phase = "0198c0de-0000-7000-8000-000000000001";
const events = [
  { type: "status", seq: 1, status: "processing" },
  { type: "phase_start", seq: 2, attempt: 1 },
  { type: "heartbeat", lastSeq: 2 },
  { type: "status", seq: 3, status: "working", message: "Lese § 4 – 🙂" },
  { type: "content_chunk", seq: 4, delta: "One [Party 1] " },
  { type: "content_chunk", seq: 5, delta: "two" },
  { type: "direct_response", seq: 6, response: { text: "One [Party 1] two" } },
  { type: "phase_end", seq: 7, status: "completed" },
];
const frame = (e: (typeof events)[number]): string =>
  (e.seq ? `id: ${phase}:${e.seq}\n` : "") + `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`;
const stream = (after: number): Uint8Array =>
  new TextEncoder().encode(
    "retry: 2000\n\n" +
      events
        .filter((e) => (e.seq ?? after + 1) > after)
        .map(frame)
        .join(""),
  );
const told = events.filter((e) => e.seq);

// Waiting takes no time here, but for the watch over a silent line.
const later = globalThis.setTimeout;
globalThis.setTimeout = ((f: () => void, ms?: number) =>
  later(f, ms === 9000 || ms === 17000 ? ms : 0)) as typeof setTimeout;

globalThis.location ??= { href: "https://subrosa.example/app/" } as Location;

const check = (what: string, got: unknown, want: unknown): void => assert.deepEqual(got, want, what);
const body = (bytes: Uint8Array, broken: boolean): Response =>
  new Response(
    new ReadableStream({
      start(out) {
        if (bytes.length > 0) out.enqueue(bytes);
        if (broken) later(() => out.error(new TypeError("network error")), 0);
        else out.close();
      },
    }),
    { headers: { "Content-Type": "text/event-stream" } },
  );

/** Follows; answer says what comes of each request. Returns the events, the requests and what was thrown. */
type Answer = (n: number, after: number) => Response;
async function followed(task: object | undefined, answer: Answer) {
  const got: unknown[] = [];
  const asked: unknown[] = [];
  const lines: unknown[] = [];
  globalThis.fetch = async (_, init) => {
    asked.push(init?.method);
    const headers = init?.headers as Record<string, string>;
    return answer(asked.length, Number(headers["Last-Event-ID"]?.split(":")[1] ?? 0));
  };
  let thrown: { code?: string; status?: number } | undefined;
  try {
    await follow(
      phase,
      task as Parameters<typeof follow>[1],
      { event: (e) => "seq" in e && e.seq && got.push(e), line: (l) => lines.push(l) },
      new AbortController().signal,
    );
  } catch (error) {
    thrown = error as { code?: string };
  }
  return { got, asked, lines, thrown };
}

const task = { seedPhase: { phaseId: phase } };
const whole = stream(0).length;
test("a line that breaks at any byte", async () => {
  for (let cut = 0; cut < whole; cut++) {
    for (const broken of [true, false]) {
      const r = await followed(task, (n, after) =>
        n === 1 ? body(stream(0).slice(0, cut), broken) : body(stream(after), false),
      );
      check(`cut at ${cut}`, r.got, told);
      check(`cut at ${cut}: thrown`, r.thrown, undefined);
      check(`cut at ${cut}: begun by a POST, and attached to once`, [r.asked[0], r.asked.length], ["POST", 2]);
    }
  }
});

test("a line that breaks again and again", async () => {
  // Cut again and again, after every few bytes.
  const r = await followed(task, (_, after) => body(stream(after).slice(0, 260), true));
  check("cut again and again", r.got, told);
});

test("what the service refuses", async () => {
  const refusal = (status: number, error: string): Response =>
    new Response(JSON.stringify({ error, message: "Wait." }), { status });
  let r = await followed(task, (n, after) => (n < 4 ? refusal(503, "unavailable") : body(stream(after), false)));
  check("unavailable at first", [r.got.length, r.asked], [7, ["POST", "POST", "POST", "POST"]]);
  r = await followed(task, () => refusal(409, "branch_busy"));
  check("refused", [r.thrown?.code, r.asked], ["branch_busy", ["POST"]]);
  r = await followed(undefined, (n, after) =>
    n === 1 ? body(stream(0).slice(0, 200), true) : body(stream(after), false),
  );
  check("attached to", [r.got.length, r.asked], [7, ["GET", "GET"]]);
  r = await followed(task, (n, after) =>
    n === 1 ? body(stream(0).slice(0, 300), true) : n < 5 ? body(new Uint8Array(), false) : body(stream(after), false),
  );
  check("interrupted: the service takes it up", [r.got.length, r.asked], [7, ["POST", "GET", "GET", "GET", "GET"]]);
  r = await followed(task, (n, after) => (n === 1 ? body(stream(0).slice(0, 150), true) : body(stream(after), false)));
  check("cut off in line: the task is sent again", [r.got.length, r.asked], [7, ["POST", "POST"]]);
  r = await followed(task, () => {
    throw new TypeError("offline");
  });
  check("never reached", [r.thrown?.status, r.asked.length], [0, 40]);
});
