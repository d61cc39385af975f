// The timeline as a picture: one lane for each kind, one mark for each entry, in the order of days. The list below it says the same in words.
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { words } from "../markup.js";
import { Element } from "../page.js";
import type { Entry } from "../wire.js";

const day = 86_400_000;
const lane = 34;
const mark = 7;
const left = 8;
const top = 26;

/** The day of an entry, as UTC milliseconds; undefined when it has none. */
export function dayOf(entry: Entry): number | undefined {
  const on = entry.dueOn ?? entry.when?.on;
  if (!on) return undefined;
  const [year, month = "01", date = "01"] = on.split("-");
  const at = Date.UTC(Number(year), Number(month) - 1, Number(date));
  return Number.isNaN(at) ? undefined : at;
}

class Picture extends Element {
  static override properties = { entries: { attribute: false } };
  declare entries: Entry[];
  private wide = 0;
  private watching: ResizeObserver | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.watching = new ResizeObserver(() => {
      const wide = Math.max(280, Math.floor(this.clientWidth));
      if (Math.abs(wide - this.wide) < 2) return;
      this.wide = wide;
      this.requestUpdate();
    });
    this.watching.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.watching?.disconnect();
  }

  private go(entry: Entry): void {
    this.dispatchEvent(new CustomEvent("chosen", { detail: entry.entryId }));
  }

  override render(): TemplateResult | typeof nothing {
    const dated = this.entries
      .map((entry) => ({ entry, at: dayOf(entry) }))
      .filter((e): e is { entry: Entry; at: number } => e.at !== undefined);
    if (dated.length === 0 || this.wide === 0) return nothing;
    const today = Math.floor(Date.now() / day) * day;
    const times = dated.map((e) => e.at);
    const [first, last] = span(Math.min(...times), Math.max(...times), today);
    const right = this.wide - 12;
    const x = (at: number): number => left + 4 + ((at - first) / (last - first)) * (right - left - 8);
    const lanes = [...new Set(dated.map((e) => e.entry.kind))].sort((a, b) => order(a) - order(b));
    const drawn: SVGTemplateResult[] = [];
    let y = top;
    for (const kind of lanes) {
      const rows = stack(
        dated.filter((e) => e.entry.kind === kind),
        x,
      );
      drawn.push(svg`<text class="lane" x=${left} y=${y + 12}>${words(kind)}</text>`);
      for (const { entry, at, row } of rows.marks) drawn.push(this.drawMark(entry, x(at), y + 24 + row * 15));
      y += lane + rows.count * 15 - 8;
      drawn.push(svg`<line class="rule" x1=${left} x2=${right} y1=${y - 6} y2=${y - 6} />`);
    }
    const ticks = ticksOf(first, last, Math.max(2, Math.floor(this.wide / 90)));
    return html`<svg class="picture" width=${this.wide} height=${y} viewBox=${`0 0 ${this.wide} ${y}`} role="img" aria-label=${`Picture of ${dated.length} dated entries from ${text(first)} to ${text(last)}. The list below has the same entries.`}>
      ${ticks.map((at) => svg`<line class="tick" x1=${x(at)} x2=${x(at)} y1=${top - 6} y2=${y} /><text class="date" x=${Math.min(x(at) + 3, right - 50)} y=${14}>${text(at)}</text>`)}
      ${today >= first && today <= last ? svg`<line class="today" x1=${x(today)} x2=${x(today)} y1=${top - 6} y2=${y} /><text class="date now" x=${Math.min(x(today) + 3, right - 34)} y=${top}>today</text>` : nothing} ${drawn}
    </svg>`;
  }

  /** A deadline is a diamond, everything else a circle; what nobody confirmed is hollow. */
  private drawMark(entry: Entry, x: number, y: number): SVGTemplateResult {
    const sure =
      entry.kind === "deadline"
        ? entry.status === "confirmed" || entry.status === "met"
        : entry.reviewStatus === "confirmed" || entry.origin === "user" || entry.origin === "system";
    const state = `mark ${entry.kind} ${sure ? "sure" : "open"} ${entry.status === "missed" ? "missed" : ""}`;
    const title = svg`<title>${`${entry.dueOn ?? entry.when?.on ?? ""} ${entry.title}`}</title>`;
    const shape =
      entry.kind === "deadline"
        ? svg`<path class=${state} d=${`M${x} ${y - mark} L${x + mark} ${y} L${x} ${y + mark} L${x - mark} ${y} Z`}>${title}</path>`
        : svg`<circle class=${state} cx=${x} cy=${y} r=${mark - 1}>${title}</circle>`;
    return svg`<g @click=${() => this.go(entry)}>${shape}</g>`;
  }
}

function order(kind: string): number {
  return kind === "deadline" ? 0 : kind === "hearing" ? 1 : kind === "filing" ? 2 : 3;
}

/** The days that are shown: those of the entries, and today when it is not far off. */
function span(first: number, last: number, today: number): [number, number] {
  const length = Math.max(last - first, 30 * day);
  if (today > last && today - last < length) last = today;
  if (today < first && first - today < length) first = today;
  const margin = Math.max(3 * day, (last - first) * 0.02);
  return [first - margin, last + margin];
}

/** Marks that would cover each other are stacked. */
function stack(
  entries: { entry: Entry; at: number }[],
  x: (at: number) => number,
): { marks: { entry: Entry; at: number; row: number }[]; count: number } {
  const ends: number[] = [];
  const marks = entries
    .sort((a, b) => a.at - b.at)
    .map((e) => {
      let row = ends.findIndex((end) => x(e.at) > end);
      if (row < 0) row = ends.length < 8 ? ends.length : 7;
      ends[row] = x(e.at) + 2 * mark;
      return { ...e, row };
    });
  return { marks, count: ends.length };
}

/** First days of years, quarters, months or weeks, whichever gives at most so many. */
function ticksOf(first: number, last: number, most: number): number[] {
  for (const months of [1, 3, 6, 12, 24, 60, 120, 240, 600]) {
    const ticks: number[] = [];
    const from = new Date(first);
    for (
      let y = from.getUTCFullYear(), m = Math.floor(from.getUTCMonth() / months) * months;
      ticks.length <= most;
      m += months
    ) {
      const at = Date.UTC(y, m, 1);
      if (at > last) break;
      if (at >= first) ticks.push(at);
    }
    if (ticks.length <= most) return ticks;
  }
  return [];
}

const monthly = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" });

function text(at: number): string {
  return monthly.format(at);
}

customElements.define("subrosa-picture", Picture);
