// Answers of the agent are Markdown with labels and marks of sources. Drawn as templates: no text of an answer ever becomes markup by itself.
import { html, type TemplateResult } from "lit";
import { Lexer, Marked, type Token, type Tokens, type TokensList } from "marked";
import { labelled, type Shown } from "./labels.js";

/** What an answer's text is drawn with. */
export interface Drawing {
  /** The address behind the mark [n]; undefined where there is no such source. */
  source: (n: number) => string | undefined;
  shown?: Shown;
}

type Piece = TemplateResult | string | Piece[];

const nothing = (): undefined => undefined;

/**
 * Reads Markdown into tokens. Of what Markdown can say, an answer says headings, lists, tables, quotations, code in
 * fences, bold and italic text. Links, pictures, HTML and the rest stand as they are written: an answer leads nowhere
 * but to its sources, and a label in brackets is no link.
 */
const reader = new Marked({
  tokenizer: {
    autolink: nothing,
    code: nothing,
    def: nothing,
    del: nothing,
    html: nothing,
    lheading: nothing,
    link: nothing,
    reflink: nothing,
    tag: nothing,
    url: nothing,
  },
  extensions: [
    {
      name: "mark",
      level: "inline",
      tokenizer(text) {
        const found = /^\[([0-9]{1,4})\]/.exec(text);
        return found ? { type: "mark", raw: found[0], number: Number(found[1]) } : undefined;
      },
    },
  ],
});

/** Draws Markdown: headings, lists, tables, quotations, code, bold and italic text. */
export function markdown(text: string, drawing: Drawing): TemplateResult {
  const tokens = read(text);
  if (!tokens) return html`<div class="answer"><pre>${labelled(text, drawing.shown)}</pre></div>`;
  return html`<div class="answer">${blocks(tokens, drawing)}</div>`;
}

/** How deep lists and quotations may lie in each other: each is read again for every one around it. */
const mostDeep = 12;
/** How many marks of emphasis and code a block may hold: the time to match them grows with their square. */
const mostEmphasis = 2000;

/**
 * Reads blocks that nobody would write as they are written, and the rest as Markdown: what lies too deep, and what
 * holds too many marks of emphasis, would take a browser's time or its stack.
 */
class BoundedLexer extends Lexer {
  private depth = 0;

  override blockTokens(src: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], clipped?: boolean): Token[] {
    if (this.depth > mostDeep) {
      tokens.push({ type: "text", raw: src, text: src, tokens: this.inline(src) });
      return tokens;
    }
    this.depth++;
    try {
      return super.blockTokens(src, tokens, clipped);
    } finally {
      this.depth--;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const marks = src.replace(/\\[^]/g, "").match(/[*_`]+/g)?.length ?? 0;
    if (marks <= mostEmphasis) return super.inlineTokens(src, tokens);
    src.split(/\[([0-9]{1,4})\]/).forEach((text, i) => {
      // Every second part is the number of a source.
      tokens.push(i % 2 ? { type: "mark", raw: `[${text}]`, number: Number(text) } : { type: "text", raw: text, text });
    });
    return tokens;
  }
}

/** Reads a text; one that the reader fails on is still to be read by a person, as it is written. */
function read(text: string): Token[] | undefined {
  try {
    return new BoundedLexer(reader.defaults).lex(text);
  } catch {
    return undefined;
  }
}

function blocks(tokens: Token[], drawing: Drawing): Piece[] {
  return tokens.map((token) => block(token, drawing));
}

function block(token: Token, drawing: Drawing): Piece {
  switch (token.type) {
    case "space":
      return "";
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      const inside = inline(tokens, drawing);
      return depth < 4 ? html`<h4>${inside}</h4>` : html`<h5>${inside}</h5>`;
    }
    case "code":
      return html`<pre>${(token as Tokens.Code).text}</pre>`;
    case "hr":
      return html`<hr />`;
    case "table":
      return drawTable(token as Tokens.Table, drawing);
    case "blockquote":
      return html`<blockquote class="quotation">${blocks((token as Tokens.Blockquote).tokens, drawing)}</blockquote>`;
    case "list":
      return drawList(token as Tokens.List, drawing);
    case "paragraph":
      return html`<p>${inline((token as Tokens.Paragraph).tokens, drawing)}</p>`;
    default: // the text of an item, without the space of a paragraph
      return inline("tokens" in token && token.tokens ? token.tokens : [token], drawing);
  }
}

function drawList(list: Tokens.List, drawing: Drawing): TemplateResult {
  const items = list.items.map((item) => html`<li>${blocks(item.tokens, drawing)}</li>`);
  return list.ordered ? html`<ol start=${list.start ?? 1}>${items}</ol>` : html`<ul>${items}</ul>`;
}

function drawTable(table: Tokens.Table, drawing: Drawing): TemplateResult {
  const cells = (row: Tokens.TableCell[], draw: (inside: Piece[]) => TemplateResult): TemplateResult[] =>
    row.map((cell) => draw(inline(cell.tokens, drawing)));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead><tr>${cells(table.header, (inside) => html`<th scope="col">${inside}</th>`)}</tr></thead>
      <tbody>${table.rows.map((row) => html`<tr>${cells(row, (inside) => html`<td>${inside}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;
}

/** Draws the inside of a line. Texts that follow each other are put together, so that no label is cut. */
function inline(tokens: Token[], drawing: Drawing): Piece[] {
  const out: Piece[] = [];
  let plain = "";
  for (const token of tokens) {
    const drawn = looks[token.type]?.(token, drawing);
    if (drawn === undefined) {
      plain += token.type === "escape" ? (token as Tokens.Escape).text : token.raw;
      continue;
    }
    if (plain !== "") out.push(labelled(plain, drawing.shown));
    plain = "";
    out.push(drawn);
  }
  if (plain !== "") out.push(labelled(plain, drawing.shown));
  return out;
}

/** How tokens look that do not stand as they are written. */
const looks: Record<string, (token: Token, drawing: Drawing) => TemplateResult | undefined> = {
  strong: (token, drawing) => html`<strong>${inline((token as Tokens.Strong).tokens, drawing)}</strong>`,
  em: (token, drawing) => html`<em>${inline((token as Tokens.Em).tokens, drawing)}</em>`,
  codespan: (token) => html`<code>${(token as Tokens.Codespan).text}</code>`,
  br: () => html`<br />`,
  mark: (token, drawing) => {
    const { number } = token as Tokens.Generic;
    const address = drawing.source(number);
    return address === undefined
      ? undefined
      : html`<a class="source" href=${address} aria-label=${`Source ${number}`}>${number}</a>`;
  },
};
