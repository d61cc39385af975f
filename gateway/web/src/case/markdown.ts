// Answers of the agent are Markdown with labels and marks of sources. Drawn as templates: no text of an answer ever becomes markup by itself.
import { html, type TemplateResult } from "lit";
import { labelled, type Shown } from "./labels.js";

/** What an answer's text is drawn with. */
export interface Drawing {
  /** The address behind the mark [n]; undefined where there is no such source. */
  source: (n: number) => string | undefined;
  shown?: Shown;
}

type Piece = TemplateResult | string | Piece[];

/** Draws Markdown: headings, lists, tables, quotations, code, bold and italic text. */
export function markdown(text: string, drawing: Drawing): TemplateResult {
  return html`<div class="answer">${blocks(text.split("\n"), drawing)}</div>`;
}

const item = /^(\s*)([-*]|[0-9]{1,9}[.)])\s+(.*)$/;
const row = /^\s*\|.*\|\s*$/;
const rule = /^\s*\|[\s:|-]+\|\s*$/;

function blocks(lines: string[], drawing: Drawing): Piece[] {
  const out: Piece[] = [];
  let i = 0;
  const at = (n: number): string => lines[n] ?? "";
  const until = (stop: (line: string) => boolean): string[] => {
    const from = i;
    while (i < lines.length && !stop(at(i))) i++;
    return lines.slice(from, i);
  };
  while (i < lines.length) {
    const line = at(i);
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (line.trim() === "") {
      i++;
    } else if (heading) {
      const inside = inline(heading[2] as string, drawing);
      out.push((heading[1] as string).length < 4 ? html`<h4>${inside}</h4>` : html`<h5>${inside}</h5>`);
      i++;
    } else if (/^\s*```/.test(line)) {
      i++;
      const code = until((l) => /^\s*```/.test(l));
      i++;
      out.push(html`<pre>${code.join("\n")}</pre>`);
    } else if (/^\s*(-{3,}|\*{3,})\s*$/.test(line)) {
      out.push(html`<hr />`);
      i++;
    } else if (row.test(line) && rule.test(at(i + 1))) {
      const table = until((l) => !row.test(l));
      out.push(drawTable(table, drawing));
    } else if (/^\s*>/.test(line)) {
      const quoted = until((l) => !/^\s*>/.test(l));
      out.push(
        html`<blockquote class="quotation">${blocks(
          quoted.map((l) => l.replace(/^\s*> ?/, "")),
          drawing,
        )}</blockquote>`,
      );
    } else if (item.test(line)) {
      const from = i;
      i++;
      until((l) =>
        l.trim() === "" ? !/^\s{2,}\S/.test(at(i + 1)) && !item.test(at(i + 1)) : !item.test(l) && !/^\s{2,}\S/.test(l),
      );
      out.push(drawList(lines.slice(from, i), drawing));
    } else {
      const paragraph = until(
        (l) => l.trim() === "" || /^(#{1,6}\s|\s*>|\s*```)/.test(l) || item.test(l) || row.test(l),
      );
      if (paragraph.length === 0) paragraph.push(at(i++));
      out.push(html`<p>${inline(paragraph.join("\n"), drawing)}</p>`);
    }
  }
  return out;
}

function drawList(lines: string[], drawing: Drawing): TemplateResult {
  const indent = (item.exec(lines[0] ?? "")?.[1] ?? "").length;
  const numbered = /^\s*[0-9]/.test(lines[0] ?? "");
  const first = Number(/[0-9]+/.exec(lines[0] ?? "")?.[0] ?? 1);
  const items: string[][] = [];
  for (const line of lines) {
    const found = item.exec(line);
    if (found && (found[1] as string).length <= indent) items.push([found[3] as string]);
    else items.at(-1)?.push(line.replace(new RegExp(`^\\s{0,${indent + 2}}`), ""));
  }
  const drawn = items.map(
    (inside) => html`<li>${inside.length === 1 ? inline(inside[0] as string, drawing) : tight(inside, drawing)}</li>`,
  );
  return numbered ? html`<ol start=${first}>${drawn}</ol>` : html`<ul>${drawn}</ul>`;
}

/** An item with more under it: its first lines stand without the space of a paragraph. */
function tight(lines: string[], drawing: Drawing): Piece[] {
  const more = lines.findIndex(
    (line, i) => i > 0 && (line.trim() === "" || item.test(line) || row.test(line) || /^\s*>/.test(line)),
  );
  const head = more < 0 ? lines : lines.slice(0, more);
  return [inline(head.join("\n"), drawing), ...(more < 0 ? [] : blocks(lines.slice(more), drawing))];
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

function drawTable(lines: string[], drawing: Drawing): TemplateResult {
  const [head, , ...rows] = lines;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead><tr>${cells(head ?? "").map((cell) => html`<th scope="col">${inline(cell, drawing)}</th>`)}</tr></thead>
      <tbody>${rows.map((line) => html`<tr>${cells(line).map((cell) => html`<td>${inline(cell, drawing)}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;
}

const token =
  /\\([!-/:-@[-`{-~])|\*\*(.+?)\*\*|(?<![\p{L}\p{N}*])\*([^\s*](?:[^*]*[^\s*])?)\*|`([^`]+)`|\[([0-9]{1,4})\]/gsu;

/** Draws the inside of a line. */
function inline(text: string, drawing: Drawing): Piece[] {
  const out: Piece[] = [];
  let plain = "";
  let from = 0;
  const flush = (): void => {
    if (plain !== "") out.push(labelled(plain, drawing.shown));
    plain = "";
  };
  for (const found of text.matchAll(token)) {
    plain += text.slice(from, found.index);
    from = found.index + found[0].length;
    const [whole, escaped, bold, italic, code, mark] = found;
    const address = mark === undefined ? undefined : drawing.source(Number(mark));
    if (escaped !== undefined) {
      plain += escaped;
      continue;
    }
    if (mark !== undefined && address === undefined) {
      plain += whole;
      continue;
    }
    flush();
    if (bold !== undefined) out.push(html`<strong>${inline(bold, drawing)}</strong>`);
    else if (italic !== undefined) out.push(html`<em>${inline(italic, drawing)}</em>`);
    else if (code !== undefined) out.push(html`<code>${code}</code>`);
    else out.push(html`<a class="source" href=${address} aria-label=${`Source ${mark}`}>${mark}</a>`);
  }
  plain += text.slice(from);
  flush();
  return out;
}
