// Following a run of the legal agent from its first event to its last, over as many connections as that takes.
import { Refusal, judge, send } from "../api.js";
import { Parser, TooLong, eventsOf } from "../stream.js";
import type { AgentTask, Event } from "../wire.js";

/** How the line to the run is. */
export type Line = "connecting" | "live" | "silent" | "cut";

/** Where what is followed goes. */
export interface Watcher {
  event(event: Event): void;
  line(line: Line): void;
}

/** The service sends a heartbeat every three seconds; after so many milliseconds without a byte the line counts as silent, and as cut. */
const silentAfter = 9_000;
const cutAfter = 17_000;
const longestWait = 15_000;
const mostTries = 40;

/** What may pass by itself. */
const passing = new Set([0, 429, 500, 502, 503, 504]);

/**
 * Follows a run to its end. Given a task it begins it; sent again, the same task attaches to its run and never begins another. Once it has
 * begun, the run belongs to the service and goes on when nobody follows; before that it waits in line for whoever follows.
 * @throws Refusal when the service refuses; an AbortError when signal ends
 */
export async function follow(
  phaseId: string,
  task: AgentTask | undefined,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  if (task) await judge(task); // a person who is asked takes their time, and is asked once
  let last = ""; // id of the last event that came whole
  let retry = 2000; // milliseconds
  let begun = task === undefined; // the run has begun, and does not wait for its branch
  let again = task; // sent in place of the next attachment
  for (let tries = 1; ; tries++) {
    const cut = new AbortController();
    const end = (): void => cut.abort();
    signal.addEventListener("abort", end, { once: true });
    const watch = new Watch(watcher, cut);
    try {
      watcher.line("connecting");
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      const response = again
        ? await send(
            "POST",
            "/v1/agent",
            JSON.stringify(again),
            { ...headers, "Content-Type": "application/json" },
            { signal: cut.signal, judged: true },
          )
        : await send("GET", `/v1/agent/${phaseId}`, null, headers, { signal: cut.signal });
      const parser = new Parser(); // what was cut off of the last event does not count
      for await (const message of eventsOf(watch.over(response.body as ReadableStream<Uint8Array>), parser)) {
        const event = JSON.parse(message.data) as Event;
        if (message.id) last = message.id;
        retry = parser.retry ?? retry;
        if (event.type === "phase_start") begun = true;
        if (event.type !== "heartbeat") tries = 1;
        watcher.line("live");
        watcher.event(event);
        if (event.type === "phase_end") return;
      }
    } catch (error) {
      if (signal.aborted || error instanceof TooLong || error instanceof SyntaxError) throw error;
      if (error instanceof Refusal && !passing.has(error.status)) throw error;
    } finally {
      watch.stop();
      signal.removeEventListener("abort", end);
      cut.abort();
    }
    if (tries >= mostTries)
      throw new Refusal(
        0,
        "unreachable",
        begun
          ? "The run goes on, but this page cannot reach it. Load the page again to see how it stands."
          : "This page cannot reach the service. If the run has begun, it goes on; load the page again to see how it stands.",
      );
    // A line that ended before the run did: attach to it again. A run that has not begun waits in line for the task, which is sent again.
    again = begun ? undefined : task;
    watcher.line("cut");
    await pause(Math.min(longestWait, retry * tries), signal);
  }
}

/** Notices when a line falls silent. */
class Watch {
  private silent = 0;
  private dead = 0;

  constructor(
    private readonly watcher: Watcher,
    private readonly cut: AbortController,
  ) {
    this.heard();
  }

  private heard(): void {
    this.stop();
    this.silent = setTimeout(() => this.watcher.line("silent"), silentAfter);
    this.dead = setTimeout(() => this.cut.abort(), cutAfter);
  }

  over(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, out) => {
          this.heard();
          out.enqueue(bytes);
        },
      }),
    );
  }

  stop(): void {
    clearTimeout(this.silent);
    clearTimeout(this.dead);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
