// What the page does with the worker that fills documents: its answers, its failures, and giving it up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../vault/failure.js";
import { Tally } from "./fill.js";
import { type Filled, NotFilled, fillApart } from "./filling.js";

/** A worker that says what a test has it say. */
class Said {
  static last: Said;
  onmessage: (event: { data: Filled }) => void = () => undefined;
  onerror: () => void = () => undefined;
  onmessageerror: () => void = () => undefined;
  static takes = true;
  ended = false;
  constructor() {
    Said.last = this;
  }
  postMessage(): void {
    if (!Said.takes) throw new DOMException("not cloned", "DataCloneError");
  }
  terminate(): void {
    this.ended = true;
  }
  say(data: Filled): void {
    this.onmessage({ data });
  }
}
Object.assign(globalThis, { Worker: Said, DOCX_WORKER: "/assets/docxworker.js" });

const begin = (signal: AbortSignal, tally = new Tally(), shares: number[] = []): Promise<Uint8Array> =>
  fillApart(new Uint8Array([1]), new Map(), tally, signal, (share) => shares.push(share));

test("a document that is filled comes with its count, and ends the worker", async () => {
  const tally = new Tally();
  const shares: number[] = [];
  const filling = begin(new AbortController().signal, tally, shares);
  Said.last.say({ part: 0.5 });
  assert.equal(Said.last.ended, false);
  Said.last.say({ bytes: new Uint8Array([2]), filled: 3, missing: ["[Party 9]"] });
  assert.deepEqual(await filling, new Uint8Array([2]));
  assert.deepEqual([shares, tally.filled, [...tally.missing]], [[0.5], 3, ["[Party 9]"]]);
  assert.ok(Said.last.ended);
});

/** What a filling failed with. */
const failure = (filling: Promise<unknown>): Promise<unknown> =>
  filling.then(
    () => undefined,
    (error: unknown) => error,
  );

test("a document that is not read here is told from a failure", async () => {
  const refused = failure(begin(new AbortController().signal));
  Said.last.say({ unreadable: true, message: "This document is encrypted." });
  const error = await refused;
  assert.ok(error instanceof NotFilled && error.message === "This document is encrypted.");
});

for (const [what, fails, message] of [
  [
    "says that it failed",
    () => Said.last.say({ unreadable: false, message: "" }),
    "The names could not be filled in. Try again.",
  ],
  ["ends by itself", () => Said.last.onerror(), "The program that fills documents failed. Try again."],
  [
    "sends what cannot be read",
    () => Said.last.onmessageerror(),
    "The program that fills documents failed. Try again.",
  ],
] as const) {
  test(`a worker that ${what} is told in words for the person`, async () => {
    const filling = failure(begin(new AbortController().signal));
    fails();
    const error = await filling;
    assert.ok(!(error instanceof NotFilled));
    assert.equal(failureOf(error).message, message);
    assert.ok(Said.last.ended);
  });
}

test("a worker that takes no document ends", async () => {
  Said.takes = false;
  const error = await failure(begin(new AbortController().signal));
  Said.takes = true;
  assert.equal(failureOf(error).message, "The program that fills documents failed. Try again.");
  assert.ok(Said.last.ended);
});

test("who gives up ends the worker at once, and begins none afterwards", async () => {
  const giveUp = new AbortController();
  const filling = failure(begin(giveUp.signal));
  giveUp.abort();
  assert.equal(((await filling) as Error).name, "AbortError");
  assert.ok(Said.last.ended);
  const worker = Said.last;
  assert.equal(((await failure(begin(giveUp.signal))) as Error).name, "AbortError");
  assert.equal(Said.last, worker, "a worker began for what was given up before");
});
