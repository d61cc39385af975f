// Server-sent events out of the body of a response, for streams that EventSource cannot open: those that a POST begins.
import { createParser } from "eventsource-parser";

/** One event. An event without an id of its own has that of the last one that had. */
export interface StreamEvent {
  id: string;
  kind: string;
  data: string;
}

/** An event is longer than this page takes. */
export class TooLong extends Error {}

/** What one event, or one line that has no end yet, may hold, in UTF-16 code units. The service's own limit is 1 MiB. */
export const mostHeld = 2 * 1024 * 1024;

/** Takes the bytes of a stream as they come, cut anywhere, and gives the events that are complete. */
export class Parser {
  /** The id of the last complete event that had one: where to resume. */
  lastId = "";
  /** Milliseconds to wait before connecting again, as the service wishes; undefined when it said nothing. */
  retry: number | undefined;
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // the parser knows a mark at the beginning
  private events: StreamEvent[] = [];
  private tooLong = false;

  private readonly parser = createParser({
    maxBufferSize: mostHeld,
    onId: (id) => (this.lastId = id),
    onRetry: (retry) => (this.retry = retry),
    onEvent: ({ event, data }) => this.events.push({ id: this.lastId, kind: event || "message", data }),
    onError: (error) => (this.tooLong ||= error.type === "max-buffer-size-exceeded"),
  });

  /** Takes bytes and returns the events that they complete. Throws TooLong, and for ever after. */
  push(bytes: Uint8Array): StreamEvent[] {
    this.events = [];
    if (!this.tooLong) this.parser.feed(this.decoder.decode(bytes, { stream: true }));
    if (this.tooLong) throw new TooLong("An event of this stream is too long.");
    return this.events;
  }
}

/** Reads the events of a body until it ends. An event that the end cuts off is none. Throws TooLong, and what reading the body throws. */
export async function* eventsOf(body: ReadableStream<Uint8Array>, parser: Parser): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
