// The page's side of the worker: its operations as functions, and an end to those that take too long.
import { startWorker } from "../trusted.js";
import type { Call, Operation, Operations, Reply } from "./protocol.js";

/** The address of the worker's script; the build puts it in. */
declare const REDACT_WORKER: string;

/** An operation that failed, with words for people. code `absent`: the programs are not served here; `time_limit`: it took too long. */
export class ToolFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const LIMIT = 120_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: ToolFailure): void;
  timer: ReturnType<typeof setTimeout>;
}

/** The programs that read and check documents. They start with the first call and end with `end`. */
export class Tools {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /** Calls an operation. Throws a ToolFailure. Bytes that are given belong to the worker then. */
  call<O extends Operation>(op: O, given: Operations[O]["in"]): Promise<Operations[O]["out"]> {
    const worker = (this.worker ??= this.begin());
    const id = ++this.last;
    return new Promise<Operations[O]["out"]>((resolve, reject) => {
      const timer = setTimeout(
        () =>
          this.fail(
            "time_limit",
            "This takes too long. The document may be damaged, or too large for this machine: split it, or save it as text.",
          ),
        LIMIT,
      );
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, timer });
      worker.postMessage({ id, op, in: given } as Call, "bytes" in given ? [given.bytes] : []);
    });
  }

  private begin(): Worker {
    const worker = startWorker(REDACT_WORKER);
    worker.onmessage = (event: MessageEvent<Reply>) => this.take(event.data);
    worker.onerror = () => this.fail("internal", "The program that reads documents failed. Choose the file again.");
    return worker;
  }

  private take(reply: Reply): void {
    const asked = this.waiting.get(reply.id);
    if (!asked) return;
    this.waiting.delete(reply.id);
    clearTimeout(asked.timer);
    if ("failed" in reply) asked.reject(new ToolFailure(reply.failed.code, reply.failed.message));
    else asked.resolve(reply.out);
  }

  private fail(code: string, message: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const asked of this.waiting.values()) {
      clearTimeout(asked.timer);
      asked.reject(new ToolFailure(code, message));
    }
    this.waiting.clear();
  }

  /** Ends the worker, and with it all that it holds of documents. */
  end(): void {
    this.fail("ended", "The page was left.");
  }
}
