// The last step of a redaction: names are kept, then the text goes to the case, or comes back with what the service found in it.
import type { File as StoredFile } from "../wire.js";
import type { Bytes } from "../vault/bytes.js";
import {
  type NewParty,
  type Refused,
  addText,
  clearFindings,
  findingsOf,
  keepNames,
  keepOriginal,
  withoutParty,
} from "./keep.js";
import type { Place } from "./review.js";
import type { Work } from "./work.js";

/** What came of sending. */
export type Sent =
  | { state: "done"; file: StoredFile }
  /** Something is left to decide on in the review. */
  | { state: "again"; fresh: number }
  /** Labels of persons are new to the case: it must be said who they are in it. */
  | { state: "parties"; labels: string[] }
  /** The service finds what the person has said to be no identity; they can answer for it by name. */
  | { state: "clear"; words: string[]; clear: () => Promise<Sent> };

export interface Sending {
  caseId: string;
  name: string;
  /** Whether the original is kept as ciphertext. */
  original: boolean;
  parties: NewParty[];
}

/** Sends one document; what was done of it is not done twice. */
export class Sender {
  private sealedFileId: string | undefined;

  constructor(private readonly work: Work) {}

  /** Sends the text without identities. Throws a ToolFailure, NotOpen, LabelTaken or a Refusal; nothing but ciphertext has left the page then. */
  async send(s: Sending): Promise<Sent> {
    const { result, fresh } = await this.work.check();
    if (fresh > 0) return { state: "again", fresh };
    const named = this.work.review.named();
    const said = new Set(s.parties.filter((p) => p.name.trim() && p.role).map((p) => p.label));
    const unsaid = (
      await withoutParty(
        s.caseId,
        [...named].filter(([, names]) => names.length > 0).map(([label]) => label),
      )
    ).filter((label) => !said.has(label));
    if (unsaid.length > 0) return { state: "parties", labels: unsaid };
    await keepNames(s.caseId, named, s.parties, this.work.review.known);
    if (s.original && !this.sealedFileId) {
      const content: Bytes = new Uint8Array(await this.work.file.arrayBuffer());
      this.sealedFileId = await keepOriginal(s.caseId, sealedName(s.name), {
        name: this.work.file.name,
        mediaType: this.work.document.mediaType,
        content,
      });
    }
    return this.add(s, result.text);
  }

  private async add(s: Sending, text: string): Promise<Sent> {
    try {
      return { state: "done", file: await addText(s.caseId, s.name, text, s.original ? this.sealedFileId : undefined) };
    } catch (error) {
      const found = findingsOf(error, text);
      if (!found) throw error;
      const words = await this.wordsOf(found, text);
      const open = words.filter((f) => !this.work.isCleared(text.slice(f.start, f.end)));
      if (open.length > 0) return { state: "again", fresh: await this.takeBack(open) };
      return {
        state: "clear",
        words: [...new Set(words.map((f) => text.slice(f.start, f.end)))],
        clear: () => this.clear(s, text, found),
      };
    }
  }

  /** What a person decides on: each finding, and in a stretch of a language that the guard does not know, each of its words. */
  private async wordsOf(found: Refused[], text: string): Promise<Refused[]> {
    const words: Refused[] = [];
    for (const f of found) {
      const inside = f.detail.kind === "language" ? await this.work.unreadIn(text, f.start, f.end) : [];
      if (inside.length === 0) words.push(f);
      for (const { kind, start, end } of inside) words.push({ detail: { kind }, start, end });
    }
    return words;
  }

  private async clear(s: Sending, text: string, found: Refused[]): Promise<Sent> {
    await clearFindings(s.caseId, text, found);
    return this.add(s, text);
  }

  /** What the service found and nobody has decided on goes back to the review. */
  private async takeBack(open: Refused[]): Promise<number> {
    const result = this.work.review.result();
    const places: Place[] = open.map(({ detail, start, end }) =>
      result.original({ start, end, kind: detail.kind ?? "person", why: "the service found it" }),
    );
    return (await this.work.find(places)).length;
  }
}

function sealedName(name: string): string {
  return `${name.replace(/\.[a-z]+$/i, "")}.sealed`;
}
