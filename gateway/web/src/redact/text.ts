// The text of a document with what was found in it marked, a window of it at a time: a long document must not hold up the page.
import { html, nothing, type TemplateResult } from "lit";
import { Element } from "../page.js";
import { type Place, type Review, keyOf } from "./review.js";

const WINDOW = 12_000;

/** What a person selected in the text, in UTF-16 code units. */
export interface Selected {
  start: number;
  end: number;
}

/** Shows a review's text. Sends `subrosa:mark` with a Selected when the person marks what they selected. */
export class RedactText extends Element {
  static override properties = { review: { attribute: false }, turn: { attribute: false } };

  declare review: Review;
  /** Changes whenever the review does, so that it is drawn anew. */
  declare turn: number;

  private shown = 0;
  private starts: number[] = [0];
  private of: Review | undefined;
  private selected: Selected | undefined;
  private readonly look = (): void => this.select();

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("selectionchange", this.look);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("selectionchange", this.look);
  }

  protected override willUpdate(): void {
    if (this.of === this.review) return;
    this.of = this.review;
    this.shown = 0;
    this.starts = windows(this.review.text);
  }

  /** Shows the window of a place and brings the place into view. */
  async show(p: Place): Promise<void> {
    this.shown = Math.max(
      0,
      this.starts.findLastIndex((start) => start <= p.start),
    );
    this.requestUpdate();
    await this.updateComplete;
    const mark = this.querySelector<HTMLElement>(`mark[data-at="${p.start}"]`);
    mark?.scrollIntoView({ block: "center" });
    mark?.focus({ preventScroll: true });
  }

  private turnTo(window: number): void {
    this.shown = window;
    this.selected = undefined;
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".paper")?.focus());
  }

  private select(): void {
    const selection = document.getSelection();
    const paper = this.querySelector(".paper");
    let found: Selected | undefined;
    if (selection && !selection.isCollapsed && selection.rangeCount > 0 && paper) {
      const range = selection.getRangeAt(0);
      if (paper.contains(range.startContainer) && paper.contains(range.endContainer)) {
        const [start, end] = [
          this.offset(range.startContainer, range.startOffset),
          this.offset(range.endContainer, range.endOffset),
        ];
        if (start < end && this.review.text.slice(start, end).trim()) found = { start, end };
      }
    }
    if (found?.start === this.selected?.start && found?.end === this.selected?.end) return;
    this.selected = found;
    this.requestUpdate();
  }

  /** Where a point of the document stands in the text. */
  private offset(node: Node, within: number): number {
    if (node.nodeType === Node.TEXT_NODE) {
      const run = node.parentElement?.closest<HTMLElement>("[data-at]");
      return run ? Number(run.dataset["at"]) + within : 0;
    }
    const next = [...node.childNodes].slice(within).find((n): n is HTMLElement => n instanceof HTMLElement);
    const run = next?.closest<HTMLElement>("[data-at]") ?? next?.querySelector<HTMLElement>("[data-at]");
    return run ? Number(run.dataset["at"]) : this.bounds()[1];
  }

  private mark(): void {
    if (!this.selected) return;
    this.dispatchEvent(new CustomEvent<Selected>("subrosa:mark", { detail: this.selected }));
    document.getSelection()?.removeAllRanges();
  }

  /** The window that is shown: it cuts no place in two. */
  private bounds(): [number, number] {
    const start = this.starts[this.shown] ?? 0;
    const end = this.starts[this.shown + 1] ?? this.review.text.length;
    const over = (at: number): number => this.review.places.find((p) => p.start < at && p.end > at)?.end ?? at;
    return [over(start), over(end)];
  }

  override render(): TemplateResult {
    const [start, end] = this.bounds();
    const places = this.review.places.filter((p) => p.start >= start && p.start < end);
    return html`${this.renderTurning()}
      <div class="paper" tabindex="0" role="group" aria-label="Text of the document">${this.runs(start, end, places)}</div>
      <p class="actions"><button class="quiet" ?disabled=${!this.selected} @mousedown=${(event: Event) => event.preventDefault()} @click=${() => this.mark()}>Label what I selected</button></p>`;
  }

  /** The text between marks and the marks, without any blank between them: every offset counts. */
  private runs(start: number, end: number, places: Place[]): TemplateResult[] {
    const runs: TemplateResult[] = [];
    let at = start;
    for (const p of places) {
      if (at < p.start) runs.push(html`<span data-at=${at}>${this.review.text.slice(at, p.start)}</span>`);
      const name = this.review.text.slice(p.start, p.end);
      const label = this.review.subjects.get(keyOf(name))?.label;
      runs.push(
        html`<mark data-at=${p.start} tabindex="-1" title=${p.why}>${name}</mark>${label ? html`<span class="label given">${label}</span>` : nothing}`,
      );
      at = p.end;
    }
    if (at < end) runs.push(html`<span data-at=${at}>${this.review.text.slice(at, end)}</span>`);
    return runs;
  }

  private renderTurning(): TemplateResult | typeof nothing {
    const count = this.starts.length;
    if (count < 2) return nothing;
    return html`<p class="actions">
      <button class="quiet" ?disabled=${this.shown === 0} @click=${() => this.turnTo(this.shown - 1)}>Back</button>
      <span role="status">Part ${this.shown + 1} of ${count}</span>
      <button class="quiet" ?disabled=${this.shown >= count - 1} @click=${() => this.turnTo(this.shown + 1)}>On</button>
    </p>`;
  }
}

/** Where each window of a text begins: at the beginning of a line where there is one near. */
function windows(text: string): number[] {
  const starts = [0];
  for (let at = WINDOW; at < text.length;) {
    const line = text.lastIndexOf("\n", at);
    const last = starts[starts.length - 1] as number;
    const start = line > last + WINDOW / 2 ? line + 1 : at;
    starts.push(start);
    at = start + WINDOW;
  }
  return starts;
}

customElements.define("subrosa-redact-text", RedactText);
