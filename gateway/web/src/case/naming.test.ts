// How the filling of a file ends: with its content, with a person who gives up, or with a vault that locks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asRefusal } from "../load.js";
import { failureOf } from "../vault/failure.js";
import type { State } from "../vault/session.js";
import type { File as StoredFile } from "../wire.js";
import { Tally } from "./fill.js";
import type { Filled } from "./filling.js";
import { fillFile, wasGivenUp, whileOpen } from "./naming.js";

/** A vault that locks when a test has it lock. */
class Lockable {
  state: State = "open";
  readonly watching = new Set<() => void>();
  subscribe(fn: () => void): () => void {
    this.watching.add(fn);
    return () => this.watching.delete(fn);
  }
  lock(): void {
    this.state = "locked";
    for (const fn of this.watching) fn();
  }
}

/** A worker that finds the document not to be one. */
class Refusing {
  onmessage: (event: { data: Filled }) => void = () => undefined;
  postMessage(): void {
    queueMicrotask(() => this.onmessage({ data: { unreadable: true, message: "This document is encrypted." } }));
  }
  terminate(): void {}
}
Object.assign(globalThis, { Worker: Refusing, DOCX_WORKER: "/assets/docxworker.js" });
globalThis.location ??= { href: "https://subrosa.example/app/" } as Location;

/** Answers calls by their address; one that is not named waits until it is given up. */
function serve(answers: Record<string, BodyInit>): void {
  globalThis.fetch = (async (path: string, { signal }: RequestInit) => {
    const answer = answers[path];
    if (answer !== undefined) return new Response(answer);
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  }) as typeof fetch;
}

const stored = (mediaType: string): StoredFile =>
  ({ name: "lease.json", content: { mediaType, renderer: "none" } }) as unknown as StoredFile;
const word = stored("application/vnd.openxmlformats-officedocument.wordprocessingml.document");
const names = new Map([["[Party 1]", 'Ada "Söhne"']]);
const filling = (file: StoredFile, signal: AbortSignal, tally = new Tally()): ReturnType<typeof fillFile> =>
  fillFile(file, "/file", names, tally, signal, () => undefined);
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test("a vault that locks ends what was begun, and says so", async () => {
  serve({});
  const vault = new Lockable();
  const ended = failure(whileOpen(vault, new AbortController(), (signal) => filling(word, signal)));
  vault.lock();
  const error = await ended;
  assert.equal(wasGivenUp(error), false);
  assert.equal(failureOf(error).message, "The vault was locked before the document was filled. Open it and try again.");
  assert.equal(vault.watching.size, 0);
});

test("nothing comes of work that does not hear of the lock", async () => {
  const vault = new Lockable();
  const error = await failure(whileOpen(vault, new AbortController(), async () => vault.lock()));
  assert.match((error as Error).message, /^The vault was locked/);
});

for (const [what, file, answers] of [
  ["a text", stored("text/plain"), {}],
  ["a file of which the text is read", stored("application/pdf"), {}],
  ["a Word document", word, {}],
  ["the text of a Word document that is not filled", word, { "/file/content?form=docx": "PK" }],
] as const) {
  test(`a person gives up ${what}`, { timeout: 5000 }, async () => {
    serve(answers);
    const giveUp = new AbortController();
    const ended = failure(whileOpen(new Lockable(), giveUp, (signal) => filling(file, signal)));
    setTimeout(() => giveUp.abort(), 10);
    assert.ok(wasGivenUp(await ended));
  });
}

test("a failure that nobody wished is not taken for giving up", async () => {
  const error = await failure(
    whileOpen(new Lockable(), new AbortController(), () => Promise.reject(new TypeError("no"))),
  );
  assert.equal(wasGivenUp(error), false);
  assert.match(asRefusal(error).message, /^That did not work/);
});

test("each kind of file is filled in its form", async () => {
  serve({
    "/file/content": '{"of":"[Party 1]"}',
    "/file/content?form=docx": "PK",
    "/file/text": JSON.stringify({ text: "[Party 1] owes." }),
  });
  for (const [file, text, ending, notFilled] of [
    [stored("application/json"), '{"of":"Ada \\"Söhne\\""}', ".json", ""],
    [stored("text/html"), 'Ada "Söhne" owes.', ".txt", ""],
    [word, 'Ada "Söhne" owes.', ".txt", "This document is encrypted."],
  ] as const) {
    const tally = new Tally();
    const got = await filling(file, new AbortController().signal, tally);
    assert.deepEqual([await got.content.text(), got.ending, got.notFilled, tally.filled], [text, ending, notFilled, 1]);
  }
});
