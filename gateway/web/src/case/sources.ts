// Sources: each opens the passage that it names.
import { html, type TemplateResult } from "lit";
import { address } from "../api.js";
import { labelled, type Shown } from "./labels.js";
import type { SourceRef } from "../wire.js";

/** Where the passage of a source is read. */
export function passageAddress(caseId: string, source: SourceRef): string {
  return address(`/app/cases/${caseId}/files/${source.fileId}`, { from: source.charStart, to: source.charEnd });
}

/** Names of files, by their ids. */
export type FileNames = ReadonlyMap<string, string>;

/** Where a source stands, in words. */
export function placeOf(source: SourceRef, names: FileNames): string {
  const name = names.get(source.fileId) ?? "file";
  return source.page ? `${name}, page ${source.page}` : name;
}

/** A source with its words, which lead to the passage. */
export function quotation(caseId: string, source: SourceRef, names: FileNames, shown?: Shown): TemplateResult {
  return html`<blockquote class="quotation"><p>${labelled(source.quote, shown)}</p><footer><a href=${passageAddress(caseId, source)}>${placeOf(source, names)}</a></footer></blockquote>`;
}
