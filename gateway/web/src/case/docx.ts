// A Word document with labels in it, filled in this page: its archive is taken apart, the texts of its parts are changed, and it is put together again.
import { Tally, label, markupSafe } from "./fill.js";

/** The document is put together in a way that is not read here. */
export class Unreadable extends Error {}

/** Parts of a document that hold text. */
const texts = /^word\/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$/;
const mostInflated = 100 * 1024 * 1024; // bytes of one part

interface Entry {
  name: string;
  nameBytes: Uint8Array;
  method: number;
  flags: number;
  time: number; // of MS-DOS, date and time
  crc: number;
  size: number;
  /** As it lies in the archive. */
  packed: Uint8Array;
}

/** Fills the labels of a document, also those that are split over runs of different formats. Throws Unreadable. */
export async function fillDocument(
  bytes: Uint8Array,
  values: ReadonlyMap<string, string>,
  tally: Tally,
): Promise<Uint8Array> {
  const entries = takeApart(bytes);
  if (!entries.some((e) => e.name === "word/document.xml")) throw new Unreadable("This is no Word document.");
  for (const entry of entries) {
    if (!texts.test(entry.name)) continue;
    const xml = readable(await inflate(entry));
    const filled = fillParts(xml, values, tally);
    if (filled === xml) continue;
    const content = new TextEncoder().encode(filled);
    entry.packed = await through(content, new CompressionStream("deflate-raw"));
    entry.method = 8;
    entry.size = content.length;
    entry.crc = crcOf(content);
  }
  return putTogether(entries);
}

function readable(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Unreadable("The text of this document is not in UTF-8.");
  }
}

const tags =
  /<w:(?:t|delText)(?:\s[^>]*)?\/>|<w:(t|delText)(?:\s[^>]*)?>([^<]*)<\/w:\1>|<\/?w:p[\s>/]|<w:(?:tab|br|cr|noBreakHyphen|footnoteReference|endnoteReference)[\s/>]/g;

/** The text of a run. */
interface Run {
  start: number;
  end: number;
  /** The element that holds the text. */
  element: string;
  text: string;
}

/** Fills the labels in the XML of a part. Runs that follow each other without a break are read as one text, and those that are deleted as another. */
export function fillParts(xml: string, values: ReadonlyMap<string, string>, tally: Tally): string {
  const out: string[] = [];
  let from = 0;
  let runs: Run[] = [];
  const flush = (): void => {
    const changed = new Map<Run, string>();
    for (const element of ["t", "delText"]) {
      const one = runs.filter((run) => run.element === element);
      const texts = one.map((run) => run.text);
      if (!texts.join("").includes("[")) continue;
      fillRuns(texts, values, tally).forEach((text, i) => changed.set(one[i] as Run, text));
    }
    for (const run of runs) {
      const text = changed.get(run) ?? run.text;
      if (text === run.text) continue;
      const { element } = run;
      out.push(xml.slice(from, run.start), `<w:${element} xml:space="preserve">${text}</w:${element}>`);
      from = run.end;
    }
    runs = [];
  };
  for (const found of xml.matchAll(tags)) {
    const [whole, element, text] = found;
    if (element === undefined || text === undefined) {
      if (!/^<w:(?:t|delText)[\s/]/.test(whole)) flush(); // an empty run breaks nothing
      continue;
    }
    runs.push({ start: found.index, end: found.index + whole.length, element, text });
  }
  flush();
  out.push(xml.slice(from));
  return out.join("");
}

/** Fills labels over texts that follow each other: a name stands where its label began. Labels hold no character that XML escapes. */
function fillRuns(texts: string[], values: ReadonlyMap<string, string>, tally: Tally): string[] {
  const whole = texts.join("");
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length;
  }
  const out = texts.map(() => "");
  const copy = (from: number, to: number): void => {
    texts.forEach((text, i) => {
      const start = starts[i] as number;
      const [a, b] = [Math.max(from, start), Math.min(to, start + text.length)];
      if (a < b) out[i] += whole.slice(a, b);
    });
  };
  let from = 0;
  for (const found of whole.matchAll(label)) {
    const value = tally.value(found[0], values, markupSafe);
    if (value === undefined) continue;
    copy(from, found.index);
    const run = starts.findLastIndex((start) => start <= found.index);
    out[run] += value;
    from = found.index + found[0].length;
  }
  copy(from, whole.length);
  return out;
}

function takeApart(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 22 - 65536 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50)
    throw new Unreadable("The archive of this document has no end.");
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff)
    throw new Unreadable("The archive of this document is of a kind that is not read here.");
  const entries: Entry[] = [];
  try {
    for (let i = 0; i < count; i++) {
      if (view.getUint32(at, true) !== 0x02014b50) throw new Unreadable("The archive of this document is damaged.");
      const [names, extra, comment] = [
        view.getUint16(at + 28, true),
        view.getUint16(at + 30, true),
        view.getUint16(at + 32, true),
      ];
      const nameBytes = bytes.slice(at + 46, at + 46 + names);
      const header = view.getUint32(at + 42, true);
      const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
      const packed = bytes.subarray(start, start + view.getUint32(at + 20, true));
      const flags = view.getUint16(at + 8, true);
      if (flags & 1) throw new Unreadable("This document is encrypted.");
      entries.push({
        name: new TextDecoder().decode(nameBytes),
        nameBytes,
        method: view.getUint16(at + 10, true),
        flags: flags & ~8,
        time: view.getUint32(at + 12, true),
        crc: view.getUint32(at + 16, true),
        size: view.getUint32(at + 24, true),
        packed,
      });
      at += 46 + names + extra + comment;
    }
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable("The archive of this document is damaged.");
    throw error;
  }
  return entries;
}

async function inflate(entry: Entry): Promise<Uint8Array> {
  if (entry.method !== 0 && entry.method !== 8)
    throw new Unreadable("This document is compressed in a way that is not read here.");
  let content = entry.packed;
  if (entry.method === 8) {
    try {
      content = await through(entry.packed, new DecompressionStream("deflate-raw"));
    } catch {
      throw new Unreadable("The archive of this document is damaged, or too big.");
    }
  }
  if (content.length !== entry.size || crcOf(content) !== entry.crc)
    throw new Unreadable("The archive of this document is damaged.");
  return content;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > mostInflated) {
      await reader.cancel();
      throw new Unreadable("too big");
    }
    parts.push(value);
  }
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function putTogether(entries: Entry[]): Uint8Array {
  const size = entries.reduce((sum, e) => sum + 76 + 2 * e.nameBytes.length + e.packed.length, 22);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  let at = 0;
  const starts: number[] = [];
  const described = (e: Entry, from: number): void => {
    view.setUint16(from, 20, true);
    view.setUint16(from + 2, e.flags, true);
    view.setUint16(from + 4, e.method, true);
    view.setUint32(from + 6, e.time, true);
    view.setUint32(from + 10, e.crc, true);
    view.setUint32(from + 14, e.packed.length, true);
    view.setUint32(from + 18, e.size, true);
    view.setUint16(from + 22, e.nameBytes.length, true);
  };
  for (const e of entries) {
    starts.push(at);
    view.setUint32(at, 0x04034b50, true);
    described(e, at + 4);
    out.set(e.nameBytes, at + 30);
    out.set(e.packed, at + 30 + e.nameBytes.length);
    at += 30 + e.nameBytes.length + e.packed.length;
  }
  const directory = at;
  entries.forEach((e, i) => {
    view.setUint32(at, 0x02014b50, true);
    view.setUint16(at + 4, 20, true);
    described(e, at + 6);
    view.setUint32(at + 42, starts[i] as number, true);
    out.set(e.nameBytes, at + 46);
    at += 46 + e.nameBytes.length;
  });
  view.setUint32(at, 0x06054b50, true);
  view.setUint16(at + 8, entries.length, true);
  view.setUint16(at + 10, entries.length, true);
  view.setUint32(at + 12, at - directory, true);
  view.setUint32(at + 16, directory, true);
  return out;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
