// A Word document with labels in it, filled in this page: its archive is read, the texts of its parts are changed, and it is written again.
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

// The page's policy lets no worker start that the library would make, and documents are small.
configure({ useWebWorkers: false });

/** The document is put together in a way that is not read here. */
export class Unreadable extends Error {}

const mostInflated = 100 * 1024 * 1024; // bytes of one part

/** Content types of the parts that hold text: of documents and templates, with and without macros. */
const textual =
  /^application\/(?:vnd\.openxmlformats-officedocument\.wordprocessingml\.(?:document\.main|template\.main|document\.glossary|header|footer|footnotes|endnotes|comments)|vnd\.ms-word\.(?:document|template)\.macroEnabled\.main)\+xml$/i;

/** The namespaces of Word's elements, in the form that everybody writes and in the strict one. */
const wordprocessing = [
  "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
  "http://purl.oclc.org/ooxml/wordprocessingml/main",
];

/** Fills the labels of a document, also those that are split over runs of different formats. Throws Unreadable. */
export async function fillDocument(
  bytes: Uint8Array,
  values: ReadonlyMap<string, string>,
  tally: Tally,
): Promise<Uint8Array> {
  try {
    return await refill(bytes, values, tally);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable("The archive of this document is damaged, or of a kind that is not read here.", {
      cause: error,
    });
  }
}

async function refill(bytes: Uint8Array, values: ReadonlyMap<string, string>, tally: Tally): Promise<Uint8Array> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { checkOverlappingEntry: true });
  const entries = await reader.getEntries();
  const files = entries.filter((entry) => !entry.directory);
  const names = new Set(files.map((entry) => entry.filename));
  if (names.size < files.length) throw new Unreadable("Two parts of this document have one name.");
  const types = files.find((entry) => entry.filename.toLowerCase() === "[content_types].xml");
  if (!types) throw new Unreadable("This is no Word document.");
  const texts = textParts(await readXML(types));
  if (texts.size === 0) throw new Unreadable("This is no Word document.");

  const writer = new ZipWriter(new Uint8ArrayWriter(), { extendedTimestamp: false });
  for (const entry of entries) {
    if (entry.directory) {
      await writer.add(entry.filename, undefined, { directory: true, lastModDate: entry.lastModDate });
      continue;
    }
    if (entry.encrypted) throw new Unreadable("This document is encrypted.");
    const filled = texts.has(`/${entry.filename}`.toLowerCase())
      ? fillParts(await readXML(entry), values, tally)
      : undefined;
    if (filled === undefined) {
      const packed = await entry.getData(new Uint8ArrayWriter(), { passThrough: true });
      await writer.add(entry.filename, new Uint8ArrayReader(packed), { entry, passThrough: true });
    } else {
      const content = new TextEncoder().encode(filled);
      await writer.add(entry.filename, new Uint8ArrayReader(content), { lastModDate: entry.lastModDate });
    }
  }
  return await writer.close();
}

/** The names of the parts that hold text, in small letters, of the list of content types. */
function textParts(xml: string): Set<string> {
  const parts = new Set<string>();
  for (const override of parsed(xml).getElementsByTagNameNS("*", "Override")) {
    const name = override.getAttribute("PartName");
    if (name && textual.test(override.getAttribute("ContentType") ?? "")) parts.add(name.toLowerCase());
  }
  return parts;
}

/** Reads a part; its sum and its size are checked. */
async function readXML(entry: FileEntry): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const bounded = new WritableStream<Uint8Array>({
    write(part) {
      length += part.length;
      if (length > mostInflated) throw new Unreadable("A part of this document is too big to be filled here.");
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

function parsed(xml: string): Document {
  const refuse = (): never => {
    throw new Unreadable("The XML of this document is damaged.");
  };
  let document: Document;
  try {
    document = new DOMParser({ onError: refuse }).parseFromString(xml, "text/xml");
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
  return changed ? new XMLSerializer().serializeToString(document) : undefined;
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
  const copy = (from: number, to: number): void => {
    texts.forEach((text, i) => {
      const start = starts[i] as number;
      const [a, b] = [Math.max(from, start), Math.min(to, start + text.length)];
      if (a < b) out[i] += whole.slice(a, b);
    });
  };
  let from = 0;
  for (const found of whole.matchAll(label)) {
    const value = tally.value(found[0], values, allowed);
    if (value === undefined) continue;
    copy(from, found.index);
    const run = starts.findLastIndex((start) => start <= found.index);
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
