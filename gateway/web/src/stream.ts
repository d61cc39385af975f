// Server-sent events out of the body of a response, for streams that EventSource cannot open: those that a POST begins.

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
  private readonly decoder = new TextDecoder();
  private line = "";
  private afterReturn = false;
  private id = "";
  private kind = "";
  private data: string[] = [];
  private held = 0;

  /** Takes bytes and returns the events that they complete. Throws TooLong. */
  push(bytes: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = [];
    let text = this.decoder.decode(bytes, { stream: true });
    if (text === "") return events;
    if (this.afterReturn && text.startsWith("\n")) text = text.slice(1);
    this.afterReturn = text === "" ? false : text.endsWith("\r");
    const lines = (this.line + text).split(/\r\n|\n|\r/);
    this.line = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.take(line);
      if (event) events.push(event);
    }
    if (this.held + this.line.length > mostHeld) throw new TooLong("An event of this stream is too long.");
    return events;
  }

  private take(line: string): StreamEvent | undefined {
    if (line === "") return this.complete();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    switch (field) {
      case "data":
        this.held += value.length;
        if (this.held > mostHeld) throw new TooLong("An event of this stream is too long.");
        this.data.push(value);
        break;
      case "event":
        this.kind = value;
        break;
      case "id":
        if (!value.includes("\0")) this.id = value;
        break;
      case "retry":
        if (/^[0-9]{1,9}$/.test(value)) this.retry = Number(value);
        break;
    }
    return undefined;
  }

  private complete(): StreamEvent | undefined {
    this.lastId = this.id;
    const { kind, data } = this;
    this.kind = "";
    this.data = [];
    this.held = 0;
    return data.length === 0 ? undefined : { id: this.id, kind: kind || "message", data: data.join("\n") };
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
