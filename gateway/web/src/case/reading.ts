// The text of a file, read in stretches around the place that a person wants to see.
import { address, get } from "../api.js";
import type { FileText } from "../wire.js";

/** How much of a text is read at once, in code points. */
export const stretch = 20_000;
const before = 3_000;

/** A piece of text to draw: ordinary, marked as the passage asked for, or the beginning of a page. */
export interface Piece {
  text: string;
  marked: boolean;
  /** The page that begins with this piece; 0 for none. */
  page: number;
}

/** A stretch of a text that is read already. Offsets count code points. */
export class Reading {
  from = 0;
  to = 0;
  total = 0;
  private points: string[] = [];
  private readonly pages = new Map<number, number>();

  constructor(private readonly path: string) {}

  /** Reads the stretch in which a passage stands. */
  async around(start: number, end: number, signal: AbortSignal): Promise<void> {
    const from = Math.max(0, start - before);
    const part = await this.part(from, Math.max(from + stretch, end + 1), signal);
    this.from = part.from;
    this.to = part.to;
    this.points = [...part.text];
  }

  async earlier(signal: AbortSignal): Promise<void> {
    const part = await this.part(Math.max(0, this.from - stretch), this.from, signal);
    this.points = [...part.text, ...this.points];
    this.from = part.from;
  }

  async later(signal: AbortSignal): Promise<void> {
    const part = await this.part(this.to, this.to + stretch, signal);
    this.points = [...this.points, ...part.text];
    this.to = part.to;
  }

  private async part(from: number, to: number, signal: AbortSignal): Promise<FileText> {
    const part = await get<FileText>(address(this.path, { from, to }), { signal });
    this.total = part.total;
    for (const page of part.pageStarts) this.pages.set(page.start, page.page);
    return part;
  }

  /** The pieces of what is read, cut where pages begin and where the passage does. */
  pieces(start: number, end: number): Piece[] {
    const inside = (at: number): boolean => at > this.from && at < this.to;
    const cuts = [
      ...new Set([
        this.from,
        this.to,
        ...(end > start ? [start, end] : []).filter(inside),
        ...[...this.pages.keys()].filter(inside),
      ]),
    ].sort((a, b) => a - b);
    return cuts.slice(0, -1).map((cut, i) => ({
      text: this.points.slice(cut - this.from, (cuts[i + 1] as number) - this.from).join(""),
      marked: end > start && cut >= start && cut < end,
      page: this.pages.get(cut) ?? 0,
    }));
  }
}
