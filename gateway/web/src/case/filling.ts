// The page's side of filling a Word document: the work is done by a worker, so that the page answers meanwhile, and it can be given up.
import { Refusal } from "../api.js";
import { startWorker } from "../trusted.js";
import type { Tally } from "./fill.js";

/** The address of the worker's script; the build puts it in. */
declare const DOCX_WORKER: string;

/** What the worker is given. */
export interface Filling {
  bytes: Uint8Array;
  values: ReadonlyMap<string, string>;
}

/** What the worker says: which share of the document is done, from 0 to 1, or how it ended. */
export type Filled =
  | { part: number }
  | { bytes: Uint8Array; filled: number; missing: string[] }
  | { unreadable: boolean; message: string };

/** The document cannot be filled as it is; its text still can. The message says why, and holds nothing of the document. */
export class NotFilled extends Error {}

/**
 * Fills the labels of a document. Throws NotFilled for one that is not read here, the signal's reason once it is given up, and a Refusal when
 * the worker fails; the worker, and with it the names that it holds, is gone in each case. The bytes belong to the worker then.
 * @param progress is told the share of the document that is done, from 0 to 1
 */
export function fillApart(
  bytes: Uint8Array,
  values: ReadonlyMap<string, string>,
  tally: Tally,
  signal: AbortSignal,
  progress: (part: number) => void,
): Promise<Uint8Array> {
  return new Promise<Uint8Array>((resolve, reject) => {
    signal.throwIfAborted();
    const worker = startWorker(DOCX_WORKER);
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener("abort", give);
    };
    const give = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const fail = (error: Error): void => {
      end();
      reject(error);
    };
    signal.addEventListener("abort", give);
    const broken = (): void => fail(failed("The program that fills documents failed. Try again."));
    worker.onerror = broken;
    worker.onmessageerror = broken;
    worker.onmessage = ({ data }: MessageEvent<Filled>) => {
      if ("part" in data) return progress(data.part);
      if (!("bytes" in data)) {
        if (data.unreadable) return fail(new NotFilled(data.message));
        return fail(failed("The names could not be filled in. Try again."));
      }
      end();
      tally.filled += data.filled;
      for (const label of data.missing) tally.missing.add(label);
      resolve(data.bytes);
    };
    try {
      worker.postMessage({ bytes, values } satisfies Filling, [bytes.buffer]);
    } catch {
      broken();
    }
  });
}

/** A failure in words that pages show as they are. */
function failed(message: string): Refusal {
  return new Refusal(0, "not_filled", message);
}
