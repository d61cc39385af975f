// What the page and the worker of the redaction say to each other.

/** A place in a text that may identify somebody. start and end count UTF-16 code units, the others bytes of UTF-8. */
export interface Finding {
  kind: string;
  why: string;
  /** It is a word in a language that the guard does not know, and may be no name. */
  unread: boolean;
  start: number;
  end: number;
  startByte: number;
  endByte: number;
}

/** From how many words on, in a language that the guard does not know, it is said of a text once and not of each word. */
export const MANY_UNREAD = 3;

/** What a file says. pageStarts count UTF-16 code units of text; beside is what the file carries and the text does not: properties, comments, what is hidden. */
export interface Extracted {
  mediaType: string;
  status: "ok" | "low_quality" | "needs_ocr" | "damaged" | "encrypted" | "unsupported";
  /** Why it cannot be relied on and what to do about it, in words for people; empty when it can. */
  obstacle: string;
  method: string;
  pages: number;
  pageStarts: number[];
  chars: number;
  language: string;
  text: string;
  beside: { path: string; text: string }[];
}

/** The labels of a case and who stands behind them, in the form of the guard. */
export interface LabelData {
  labels: { label: string; identities?: string[] }[];
  noIdentity?: string[];
}

/** A place to find a label for. */
export interface Marked {
  kind: string;
  start: number;
  end: number;
}

/** What the worker does, by the names of its operations. */
export interface Operations {
  extract: { in: { bytes: ArrayBuffer; name: string }; out: Extracted };
  /** door is one of the guard's, by its name. */
  check: { in: { text: string; door: string }; out: Finding[] };
  /** A label for each place, "" for what is marked as no identity: the one of its identity, of the person it probably means, or the next one. */
  propose: { in: { text: string; places: Marked[]; map: LabelData }; out: string[] };
}

export type Operation = keyof Operations;

/** A call of the page. */
export type Call = { [O in Operation]: { id: number; op: O; in: Operations[O]["in"] } }[Operation];

/** The worker's answer. */
export type Reply =
  { id: number; out: Operations[Operation]["out"] } | { id: number; failed: { code: string; message: string } };
