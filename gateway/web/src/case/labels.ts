// Text with labels in it, drawn so that labels stand out, and with names in their place while a person wants to see them.
import { html, type TemplateResult } from "lit";
import { label } from "./fill.js";

/** Real values by label; they are in this page alone. */
export type Shown = ReadonlyMap<string, string> | undefined;

/** Draws a text. What stands for a label is the name behind it, where it is shown. */
export function labelled(text: string | undefined, shown?: Shown): (string | TemplateResult)[] {
  const parts: (string | TemplateResult)[] = [];
  let from = 0;
  for (const found of (text ?? "").matchAll(label)) {
    if (found.index > from) parts.push((text as string).slice(from, found.index));
    const name = shown?.get(found[0]);
    parts.push(
      name
        ? html`<span class="label named" title=${found[0]}>${name}</span>`
        : html`<span class="label">${found[0]}</span>`,
    );
    from = found.index + found[0].length;
  }
  if (text && from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Draws a text with the words of a search marked. */
export function marked(
  text: string,
  query: string,
  shown?: Shown,
): (string | TemplateResult | (string | TemplateResult)[])[] {
  const words = (query.match(/\[[A-Za-z]+ [0-9]+\]|[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => word.length > 1)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (words.length === 0) return labelled(text, shown);
  const parts: (string | TemplateResult | (string | TemplateResult)[])[] = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})[\\p{L}\\p{N}]*`, "giu"))) {
    if (found.index > from) parts.push(labelled(text.slice(from, found.index), shown));
    parts.push(html`<mark>${labelled(found[0], shown)}</mark>`);
    from = found.index + found[0].length;
  }
  parts.push(labelled(text.slice(from), shown));
  return parts;
}

/** The first words of a longer text. */
export function clip(text: string, most = 120): string {
  const points = [...text.replace(/\s+/g, " ")];
  return points.length <= most ? points.join("") : `${points.slice(0, most).join("")}…`;
}
