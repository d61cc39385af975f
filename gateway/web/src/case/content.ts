// What the service keeps of a file: its bytes, or a rendition in their place.
import { plural } from "./row.js";
import type { File as StoredFile } from "../wire.js";

/** The media type of Word documents. */
export const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** Files of which a rendition is kept in the place of their bytes, by the end of their names. */
const renderedNames = /\.(?:docx|odt|pdf|html?|eml)$/i;

/** Whether only a rendition of a file of this name will be kept. */
export function willBeRendered(name: string): boolean {
  return renderedNames.test(name);
}

/** Whether a rendition is kept of a file. */
export function isRendered(file: StoredFile): boolean {
  return file.content !== undefined && file.content.renderer !== "none";
}

/** The name under which the content of a file is saved. */
export function contentName(file: StoredFile): string {
  return isRendered(file) ? `${file.name}.md` : file.name;
}

/** The name under which the Word file of a rendition is saved. */
export function wordName(file: StoredFile): string {
  return /\.docx$/i.test(file.name) ? file.name : `${file.name}.docx`;
}

const weaknesses: Record<string, string> = {
  few_letters: "it has more figures and signs than words",
  part_garbled: "some of its letters stand for no known characters",
};

/** Why a text that can be read is of low quality, to follow "since"; "" when it is not. */
export function weakWords(file: StoredFile): string {
  return weaknesses[file.extraction.reason ?? ""] ?? "";
}

/** What nobody read of a file, in words; "" when everything was read. */
export function unreadWords(file: StoredFile): string {
  const { count, places } = file.unread;
  if (count === 0) return "";
  const told = places.slice(0, 10).map(({ what, page, count: n }) => {
    const many = n > 1 ? ` (${n})` : "";
    if (what === "page") return `page ${page ?? "?"}${many}`;
    return page ? `${what} on page ${page}${many}` : `${what}${many}`;
  });
  const listed = places.slice(0, 10).reduce((sum, p) => sum + p.count, 0);
  if (count > listed) told.push(`${count - listed} more`);
  return `${plural(count, "place was", "places were")} not read and ${count === 1 ? "is" : "are"} not kept: ${told.join(", ")}`;
}

/** What was left out of a file, in words; "" when nothing was. */
export function droppedWords(file: StoredFile): string {
  return file.dropped
    .map(({ kind, count }) => `${kind.replace(/([A-Z])/g, " $1").toLowerCase()} (${count})`)
    .join(", ");
}
