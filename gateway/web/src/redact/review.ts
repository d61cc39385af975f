// What a person decides of the identities in one text: a label for each, or that it is none. Pure; it holds names and must go when the vault locks.
import type { LabelData } from "./protocol.js";

/** A place in the text. Offsets count UTF-16 code units. */
export interface Place {
  start: number;
  end: number;
  kind: string;
  why: string;
}

/** An identity as it is spelled in the text, with all its places. */
export interface Subject {
  name: string;
  kind: string;
  why: string;
  places: Place[];
  label: string;
  /** The person says that it identifies nobody. */
  cleared: boolean;
}

/** A label that the case has. names is empty when it stands for nobody that this vault knows. */
export interface KnownLabel {
  label: string;
  names: string[];
  /** The texts of the case speak of somebody by this label, and nobody is behind it: only a person can say who it is. */
  asked?: boolean;
}

/** The words of labels that stand for people and organisations. */
const WHO = /^\[(Party|Person|Minor|Witness|Org|Company) /;

/** Whether a label stands for somebody rather than for a thing. */
export function isSomebody(label: string): boolean {
  return WHO.test(label);
}

/** The words that a label can begin with, as pkg/guard has them. */
export const LABEL_WORDS = [
  "Party",
  "Person",
  "Minor",
  "Witness",
  "Org",
  "Company",
  "Address",
  "Phone",
  "Email",
  "Account",
  "Id",
  "Docket",
  "Ref",
  "Vehicle",
  "Property",
  "Url",
  "Date",
];

const LABEL = new RegExp(`\\[(${LABEL_WORDS.join("|")}) ([1-9][0-9]{0,3})\\]`, "g");
const SHORTEST = 3;

/** Every label in a text, once. */
export function labelsIn(text: string): Set<string> {
  return new Set(text.match(LABEL) ?? []);
}

/** What makes two spellings one for a person's decision: case and blanks do not count. */
export function keyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

export class Review {
  /** By keyOf, in the order in which they were found. */
  readonly subjects = new Map<string, Subject>();
  /** Every place that is not cleared, in order and apart. */
  places: Place[] = [];

  constructor(
    readonly text: string,
    readonly known: KnownLabel[],
  ) {}

  /** Where names of the case stand by themselves, spelled as they are known, whether or not the guard would see them. */
  familiar(): Place[] {
    return this.known.flatMap((k) => k.names.flatMap((name) => this.occurrences(name, k.label)));
  }

  /** Where words stand by themselves, whatever blanks and ends of lines are between them. */
  occurrences(name: string, why: string, kind = "person"): Place[] {
    const parts = name.trim().split(/\s+/);
    if ([...name.trim()].length < SHORTEST) return [];
    const found: Place[] = [];
    for (const m of this.text.matchAll(new RegExp(parts.map(literal).join("\\s+"), "giu"))) {
      const end = m.index + m[0].length;
      if (
        !inWord(this.text.slice(Math.max(0, m.index - 2), m.index), true) &&
        !inWord(this.text.slice(end, end + 2), false)
      )
        found.push({ start: m.index, end, kind, why });
    }
    return found;
  }

  /** Takes places in. Those that touch become one that reaches as far as all of them do. Returns what is new or reaches further. */
  add(found: Place[]): Place[] {
    const known = new Set(this.places);
    const incoming = found.flatMap((f) => this.pieces(f)).filter((p) => !this.clearedAt(p));
    const all = [...this.places, ...incoming].sort((a, b) => a.start - b.start || b.end - a.end);
    const apart: Place[] = [];
    for (const p of all) {
      const last = apart[apart.length - 1];
      if (!last || p.start >= last.end) apart.push(p);
      else if (p.end > last.end) apart[apart.length - 1] = { ...last, end: p.end };
    }
    this.places = apart;
    this.gather();
    return apart.filter((p) => !known.has(p));
  }

  private clearedAt(p: Place): boolean {
    return this.subjects.get(keyOf(this.text.slice(p.start, p.end)))?.cleared ?? false;
  }

  /** A place without blanks at its ends; where labels stand in it, what stands between them. */
  private pieces(f: Place): Place[] {
    const raw = this.text.slice(f.start, f.end);
    const pieces: Place[] = [];
    let at = 0;
    for (const cut of [...raw.matchAll(LABEL), undefined]) {
      const piece = raw.slice(at, cut?.index ?? raw.length);
      const inner = piece.trim();
      const start = f.start + at + piece.indexOf(inner);
      if (inner) pieces.push({ ...f, start, end: start + inner.length });
      if (cut) at = cut.index + cut[0].length;
    }
    return pieces;
  }

  /** Puts places together by what stands there, and keeps what was decided. */
  private gather(): void {
    const before = new Map(this.subjects);
    for (const s of this.subjects.values()) if (!s.cleared) s.places = [];
    for (const p of this.places) {
      const name = this.text.slice(p.start, p.end);
      const key = keyOf(name);
      let s = this.subjects.get(key);
      if (!s) {
        s = { name, kind: p.kind, why: p.why, places: [], label: "", cleared: false };
        this.subjects.set(key, s);
      }
      s.places.push(p);
    }
    for (const [key, s] of before) if (!s.cleared && s.places.length === 0) this.subjects.delete(key);
  }

  /** Those without a label yet, by the place that stands first. */
  undecided(): Subject[] {
    return [...this.subjects.values()].filter((s) => !s.cleared && !s.label);
  }

  /** Gives an identity a label; the same as another's joins the two. */
  assign(s: Subject, label: string): void {
    s.label = label;
    if (!s.cleared) return;
    s.cleared = false;
    this.add(s.places);
  }

  /** Says that something identifies nobody, wherever it stands in the text. */
  clear(s: Subject): void {
    const gone = new Set(s.places);
    this.places = this.places.filter((p) => !gone.has(p));
    s.cleared = true;
    s.label = "";
  }

  /** What is labelled so far, for proposing further labels: the case's labels, those of the text, and what was decided here. */
  data(): LabelData {
    const entries = new Map<string, string[]>();
    for (const k of this.known) entries.set(k.label, [...k.names]);
    for (const label of labelsIn(this.text)) if (!entries.has(label)) entries.set(label, []);
    for (const s of this.subjects.values()) {
      if (s.label) entries.set(s.label, [...(entries.get(s.label) ?? []), s.name]);
    }
    return {
      labels: [...entries].map(([label, identities]) => ({ label, identities })),
      noIdentity: [...this.subjects.values()].filter((s) => s.cleared).map((s) => s.name),
    };
  }

  /** The next label that begins with a word and that nothing in the case or the text has. */
  next(word: string): string {
    const numbers = this.data()
      .labels.map(({ label }) => /^\[([A-Za-z]+) ([0-9]+)\]$/.exec(label))
      .map((m) => (m?.[1] === word ? Number(m[2]) : 0));
    return `[${word} ${Math.max(0, ...numbers) + 1}]`;
  }

  /** The spellings of each label that is used here, in the order of the text; brackets that were meant as labels are no names. */
  named(): Map<string, string[]> {
    const names = new Map<string, string[]>();
    for (const s of this.subjects.values()) {
      if (!s.label || s.cleared) continue;
      const list = names.get(s.label) ?? [];
      if (s.kind !== "label") list.push(s.name.replace(/\s+/g, " "));
      names.set(s.label, list);
    }
    return names;
  }

  /** The text with labels in the place of identities, and how to find a place of it in the original. */
  result(): Result {
    const cuts: Cut[] = [];
    let text = "";
    let at = 0;
    for (const p of this.places) {
      const label = this.subjects.get(keyOf(this.text.slice(p.start, p.end)))?.label;
      if (!label) continue;
      text += this.text.slice(at, p.start);
      cuts.push({ from: text.length, to: text.length + label.length, place: p });
      text += label;
      at = p.end;
    }
    text += this.text.slice(at);
    return new Result(text.endsWith("\n") ? text : `${text}\n`, cuts);
  }
}

interface Cut {
  from: number;
  to: number;
  place: Place;
}

/** A text without identities, and where its places stand in the text that it was made of. */
export class Result {
  constructor(
    readonly text: string,
    private readonly cuts: Cut[],
  ) {}

  /** A place of the result in the original: one that touches a label reaches over all that the label stands for. */
  original(f: Place): Place {
    return { ...f, start: this.back(f.start, false), end: this.back(f.end, true) };
  }

  private back(at: number, end: boolean): number {
    let low = 0;
    let high = this.cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.cuts[middle] as Cut).from < at) low = middle + 1;
      else high = middle;
    }
    const cut = this.cuts[low - 1];
    if (!cut) return at;
    if (at < cut.to) return end ? cut.place.end : cut.place.start;
    return cut.place.end + at - cut.to;
  }
}

function literal(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function inWord(beside: string, before: boolean): boolean {
  const points = [...beside];
  const c = before ? points[points.length - 1] : points[0];
  return c !== undefined && /[\p{L}\p{Nd}]/u.test(c);
}
