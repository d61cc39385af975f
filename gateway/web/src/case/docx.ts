// A Word document with labels in it, filled in this browser: its archive is read, the texts of its parts are changed, and it is written again.
import { DOMParser, XMLSerializer, type Document, type Element, type Node } from "@xmldom/xmldom";
import {
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
  configure,
  type FileEntry,
} from "@zip.js/zip.js/lib/zip-core-custom.js";
import { Tally, label } from "./fill.js";

// The app's policy lets no worker start that the library would make; this runs in one already.
configure({ useWebWorkers: false });

/** The document is put together in a way that is not read here. */
export class Unreadable extends Error {}

/** Bytes that the read parts of a document may have together. */
const mostInflated = 100 * 1024 * 1024;
/** Characters of XML that become trees, in all parts together: a tree takes a hundred times their room. */
const mostInTrees = 8 * 1024 * 1024;
/** As how many characters a tag and an attribute count at least, since each of them is an object. */
const weight = 10;

/** Content types of the part that is the document: of documents and templates, with and without macros. */
const main =
  /^application\/(?:vnd\.openxmlformats-officedocument\.wordprocessingml\.(?:document|template)\.main|vnd\.ms-word\.(?:document|template)\.macroEnabled\.main)\+xml$/i;

/** Content types of the parts beside it that hold text. */
const beside =
  /^application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.(?:document\.glossary|header|footer|footnotes|endnotes|comments)\+xml$/i;

/** What may begin a label in XML: a bracket, or its number. */
const bracket = /\[|&#(?:0*91|x0*5b);/i;

/** The namespaces of Word's elements, in the form that everybody writes and in the strict one. */
const wordprocessing = [
  "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  "http://purl.oclc.org/ooxml/wordprocessingml/main",
];

/**
 * Fills the labels of a document, also those that are split over runs of different formats. Throws Unreadable.
 * @param progress is told the share of the document's bytes that is done, from 0 to 1, after each part
 */
export async function fillDocument(
  bytes: Uint8Array,
  values: ReadonlyMap<string, string>,
  tally: Tally,
  progress: (part: number) => void = () => undefined,
): Promise<Uint8Array> {
  try {
    return await refill(bytes, values, tally, progress);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable("The archive of this document is damaged, or of a kind that is not read here.", {
      cause: error,
    });
  }
}

async function refill(
  bytes: Uint8Array,
  values: ReadonlyMap<string, string>,
  tally: Tally,
  progress: (part: number) => void,
): Promise<Uint8Array> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { checkOverlappingEntry: true });
  const entries = await reader.getEntries();
  const files = entries.filter((entry) => !entry.directory);
  const names = new Set(files.map((entry) => entry.filename));
  if (names.size < files.length) throw new Unreadable("Two parts of this document have one name.");
  const types = files.find((entry) => entry.filename.toLowerCase() === "[content_types].xml");
  if (!types) throw new Unreadable("This is no Word document.");
  const room = { inflated: mostInflated, trees: mostInTrees };
  const texts = textParts(inRoom(await readXML(types, room), room), files);

  const writer = new ZipWriter(new Uint8ArrayWriter(), { extendedTimestamp: false });
  // Reading and writing trees is what takes long, so parts count by what they hold, not by their number.
  const whole = files.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  let done = 0;
  for (const entry of entries) {
    if (entry.directory) {
      await writer.add(entry.filename, undefined, { directory: true, lastModDate: entry.lastModDate });
      continue;
    }
    if (entry.encrypted) throw new Unreadable("This document is encrypted.");
    const xml = texts.has(entry) ? await readXML(entry, room) : "";
    const filled = bracket.test(xml) ? fillParts(inRoom(xml, room), values, tally) : undefined;
    if (filled === undefined) {
      const packed = await entry.getData(new Uint8ArrayWriter(), { passThrough: true });
      await writer.add(entry.filename, new Uint8ArrayReader(packed), { entry, passThrough: true });
    } else {
      const content = new TextEncoder().encode(filled);
      await writer.add(entry.filename, new Uint8ArrayReader(content), { lastModDate: entry.lastModDate });
    }
    done += entry.uncompressedSize;
    progress(whole === 0 ? 1 : done / whole);
  }
  return await writer.close();
}

/** What a document may still take. */
interface Room {
  inflated: number;
  trees: number;
}

/** Takes the room that the tree of a part needs. */
function inRoom(xml: string, room: Room): string {
  const objects = xml.match(/[<=]/g)?.length ?? 0;
  room.trees -= Math.max(xml.length, weight * objects);
  if (room.trees < 0) throw new Unreadable("This document is too big to be filled here.");
  return xml;
}

/** The parts that hold text, by the list of content types: of a part by its name, or else of all with its ending. */
function textParts(xml: string, files: FileEntry[]): Set<FileEntry> {
  const list = parsed(xml);
  const types = (element: string, key: string): Map<string, string> => {
    const all = new Map<string, string>();
    for (const one of list.getElementsByTagNameNS("*", element))
      all.set(partName(one.getAttribute(key) ?? ""), (one.getAttribute("ContentType") ?? "").trim());
    return all;
  };
  const byName = types("Override", "PartName");
  const byEnding = types("Default", "Extension");

  const texts = new Set<FileEntry>();
  const mains = new Set<string>();
  for (const entry of files) {
    const name = partName(entry.filename);
    const type = byName.get(name) ?? byEnding.get(name.slice(name.lastIndexOf(".") + 1)) ?? "";
    if (main.test(type)) mains.add(name);
    if (main.test(type) || beside.test(type)) texts.add(entry);
  }
  const missing = [...byName].some(([name, type]) => main.test(type) && !mains.has(name));
  if (mains.size === 0 || missing) throw new Unreadable("This is no Word document, or its text is missing.");
  return texts;
}

/** A name as names are compared: decoded, in small letters and from the root. */
function partName(name: string): string {
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // It is no encoded name, and stands for itself.
  }
  return decoded.replace(/^\//, "").toLowerCase();
}

/** Reads a part; its sum and its size are checked. */
async function readXML(entry: FileEntry, room: Room): Promise<string> {
  const parts: Uint8Array[] = [];
  const bounded = new WritableStream<Uint8Array>({
    write(part) {
      room.inflated -= part.length;
      if (room.inflated < 0) throw new Unreadable("This document is too big to be filled here.");
      parts.push(part);
    },
  });
  await entry.getData({ writable: bounded }, { checkCrc32: true });
  const content = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new Unreadable("The text of this document is not in UTF-8.");
  }
}

/** Line endings as XML 1.0 reads them: other characters that break lines are text. */
const normalizeLineEndings = (xml: string): string => xml.replace(/\r\n?/g, "\n");

function parsed(xml: string): Document {
  const refuse = (): never => {
    throw new Unreadable("The XML of this document is damaged.");
  };
  let document: Document;
  try {
    document = new DOMParser({ onError: refuse, normalizeLineEndings }).parseFromString(xml, "text/xml");
  } catch {
    return refuse();
  }
  // Word writes no document type, and refuses to read one: it could declare entities.
  if (document.doctype) return refuse();
  return document;
}

/** The text of a run. */
interface Run {
  element: Element;
  text: string;
}

/** What a label does not go over: what is read on its other side is another text. */
const breaks = new Set(["p", "tab", "br", "cr", "noBreakHyphen", "footnoteReference", "endnoteReference"]);

/**
 * Fills the labels in the XML of a part, and returns undefined where there are none to fill. Runs that follow each
 * other without a break are read as one text, and those that are deleted as another.
 */
export function fillParts(xml: string, values: ReadonlyMap<string, string>, tally: Tally): string | undefined {
  const document = parsed(xml);
  let changed = false;
  let runs: Run[] = [];
  const flush = (): void => {
    for (const name of ["t", "delText"]) {
      const one = runs.filter((run) => run.element.localName === name);
      fillRuns(
        one.map((run) => run.text),
        values,
        tally,
      ).forEach((text, i) => {
        const run = one[i] as Run;
        if (text === run.text) return;
        run.element.textContent = text;
        run.element.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:space", "preserve");
        changed = true;
      });
    }
    runs = [];
  };
  inOrder(document, (node, entered) => {
    const element = node as Element;
    if (!wordprocessing.includes(node.namespaceURI ?? "")) return;
    const { localName } = element;
    if (breaks.has(localName ?? "")) flush();
    else if (entered && (localName === "t" || localName === "delText"))
      runs.push({ element, text: element.textContent ?? "" });
  });
  flush();
  if (!changed) return undefined;
  // A CR is in a text alone, and would be read as a line feed if it were not written by its number.
  return new XMLSerializer().serializeToString(document).replaceAll("\r", "&#13;");
}

/** Visits the nodes below root as they stand in the text, each when it is entered and when it is left. */
function inOrder(root: Node, visit: (node: Node, entered: boolean) => void): void {
  let node = root.firstChild;
  while (node) {
    visit(node, true);
    if (node.firstChild) {
      node = node.firstChild;
      continue;
    }
    for (visit(node, false); !node.nextSibling; visit(node, false)) {
      const above: Node | null = node.parentNode;
      if (!above || above === root) return;
      node = above;
    }
    node = node.nextSibling;
  }
}

/** Fills labels over texts that follow each other: a name stands where its label began. */
function fillRuns(texts: string[], values: ReadonlyMap<string, string>, tally: Tally): string[] {
  const whole = texts.join("");
  if (!whole.includes("[")) return texts;
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length;
  }
  const out = texts.map(() => "");
  // The run that copying has come to: no document makes the work grow with the square of its runs.
  let run = 0;
  const copy = (from: number, to: number): void => {
    for (;;) {
      const end = starts[run + 1] ?? length;
      out[run] += whole.slice(from, Math.min(to, end));
      if (to < end || run === texts.length - 1) return;
      from = Math.max(from, end);
      run++;
    }
  };
  let from = 0;
  for (const found of whole.matchAll(label)) {
    const value = tally.value(found[0], values, allowed);
    if (value === undefined) continue;
    copy(from, found.index);
    out[run] += value;
    from = found.index + found[0].length;
  }
  copy(from, whole.length);
  return out;
}

/** A value without the characters that XML cannot hold; Word would not open the document for one of them. */
function allowed(value: string): string {
  return value.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "");
}
