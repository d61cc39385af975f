// One document on its way in: read, looked through, labelled, looked through again. It holds names: it ends when the vault locks or the page is left.
import type { Extracted } from "./protocol.js";
import { Review, keyOf, labelsIn, type KnownLabel, type Place, type Result } from "./review.js";
import { ToolFailure, type Tools } from "./tools.js";

/** The most bytes that a document has. */
export const MAX_BYTES = 25 << 20;

/** What came of looking through the text with its labels. */
export interface Checked {
  result: Result;
  /** How many places were found that nobody has decided on. */
  fresh: number;
}

export class Work {
  /** The document as the person has it. */
  readonly file: File;
  readonly document: Extracted;
  readonly review: Review;

  /** How many words were found in a language that the guard does not know. */
  unread = 0;

  private constructor(
    private readonly tools: Tools,
    file: File,
    document: Extracted,
    known: KnownLabel[],
  ) {
    this.file = file;
    this.document = document;
    this.review = new Review(document.text, known);
  }

  /** Reads a document and finds what is in it. Throws a ToolFailure with words for people. */
  static async begin(tools: Tools, file: File, known: KnownLabel[]): Promise<Work> {
    if (file.size > MAX_BYTES)
      throw new ToolFailure("file_too_large", "The file has more than 25 MiB. Split it, or leave out pictures.");
    const document = await tools.call("extract", { bytes: await file.arrayBuffer(), name: file.name });
    if (document.status !== "ok" && document.status !== "low_quality")
      throw new ToolFailure(document.status, `Nobody can say whom this document names. ${document.obstacle}`);
    const work = new Work(tools, file, document, known);
    work.review.add(work.review.familiar());
    const found = await tools.call("check", { text: document.text, door: "fileText" });
    work.unread = found.filter((f) => f.unread).length;
    await work.find(found);
    return work;
  }

  /** Takes places in and proposes labels for what has none. */
  async find(places: Place[]): Promise<Place[]> {
    const fresh = this.review.add(places);
    await this.propose();
    return fresh;
  }

  /** Marks what a person selected, and wherever else the same words stand. */
  async mark(start: number, end: number): Promise<void> {
    const words = this.review.text.slice(start, end).trim();
    const cleared = this.review.subjects.get(keyOf(words));
    if (cleared?.cleared) this.review.assign(cleared, "");
    await this.find([
      { start, end, kind: "person", why: "you marked it" },
      ...this.review.occurrences(words, "you marked it"),
    ]);
  }

  private async propose(): Promise<void> {
    const subjects = this.review.undecided();
    if (subjects.length === 0) return;
    const places = subjects
      .map((s) => ({ kind: s.kind, start: s.places[0]?.start ?? 0, end: s.places[0]?.end ?? 0 }))
      .sort((a, b) => a.start - b.start);
    const labels = await this.tools.call("propose", { text: this.review.text, places, map: this.review.data() });
    for (const [i, p] of places.entries()) {
      const subject = this.review.subjects.get(keyOf(this.review.text.slice(p.start, p.end)));
      const label = labels[i];
      if (subject && label) this.review.assign(subject, label);
    }
  }

  /** Looks through the text with labels in it. What nobody has decided on is added to the review. Throws a ToolFailure. */
  async check(): Promise<Checked> {
    const result = this.review.result();
    const found = await this.tools.call("check", { text: result.text, door: "fileText" });
    const open = found.filter((f) => !this.isCleared(result.text.slice(f.start, f.end)));
    const fresh = await this.find(open.map((f) => result.original(f)));
    // A finding on a place that is listed already and has no label yet is as open as a new one.
    const known = open.length - fresh.length;
    return { result: fresh.length > 0 ? this.review.result() : result, fresh: fresh.length + Math.max(0, known) };
  }

  /** The words of a text with labels, between two places, in a language that the guard does not know. Throws a ToolFailure. */
  async unreadIn(text: string, start: number, end: number): Promise<Place[]> {
    const found = await this.tools.call("check", { text, door: "fileText" });
    return found.filter((f) => f.unread && start <= f.start && f.end <= end);
  }

  /** The words that only the strictest rules take for names in the text with labels, each once. Throws a ToolFailure. */
  async doubts(result: Result): Promise<string[]> {
    const found = await this.tools.call("check", { text: result.text, door: "reread" });
    const words = found.map((f) => result.text.slice(f.start, f.end)).filter((w) => !this.isCleared(w));
    return [...new Set(words)];
  }

  /** Whether a person said of these words that they identify nobody; a finding may reach over a label beside them. */
  isCleared(words: string): boolean {
    if (this.review.subjects.get(keyOf(words))?.cleared) return true;
    let rest = words;
    for (const label of labelsIn(words)) rest = rest.replaceAll(label, " ");
    return rest !== words && (rest.trim() === "" || (this.review.subjects.get(keyOf(rest))?.cleared ?? false));
  }

  /** Whether a name for the file says nothing of anybody. Throws a ToolFailure. */
  async neutral(name: string): Promise<boolean> {
    return (await this.tools.call("check", { text: name, door: "fileName" })).length === 0;
  }
}
