// What the test of filling does in the browser, with the app's own sources.
import { decode, encode } from "../../../gateway/web/src/vault/bytes.js";
import { Tally } from "../../../gateway/web/src/case/fill.js";
import { fillApart } from "../../../gateway/web/src/case/filling.js";

interface Given {
  Document: string;
  Names: Record<string, string> | null;
  /** Give it up so many milliseconds after it began; 0 for not. */
  GiveUp: number;
}

/** Fills a document while the page counts how often it comes to do anything else. */
async function fillWhileCounting({ Document, Names, GiveUp }: Given): Promise<object> {
  const tally = new Tally();
  const giveUp = new AbortController();
  const shares: number[] = [];
  const began = performance.now();
  let last = began;
  let longest = 0;
  const clock = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (GiveUp > 0 && last - began >= GiveUp) giveUp.abort();
  }, 5);
  const bytes = decode(Document) as Uint8Array;
  const names = new Map(Object.entries(Names ?? {}));
  let filled = "";
  let failure = "";
  try {
    filled = encode(await fillApart(bytes, names, tally, giveUp.signal, (share) => shares.push(share)));
  } catch (error) {
    failure = (error as Error).name;
  }
  clearInterval(clock);
  return {
    Filled: filled,
    Failure: failure,
    Count: tally.filled,
    Missing: [...tally.missing],
    Shares: shares,
    Took: performance.now() - began,
    Longest: longest,
  };
}

Object.assign(globalThis, { fillWhileCounting });
