// Reading for a page: one thing, or a list by pages, with the states that a person sees meanwhile.
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import { Refusal, address, get } from "./api.js";
import { refusalOf, waiting } from "./markup.js";

/** Reads one thing for a page and draws the page anew when it is there. A later call of run forgets what an earlier one brings. */
export class Load<T> implements ReactiveController {
  value: T | undefined;
  refusal: Refusal | undefined;
  busy = false;
  private turn = 0;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly task: () => Promise<T>,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  /** Reads; what was read before stays until then. */
  async run(): Promise<void> {
    const turn = ++this.turn;
    this.busy = true;
    this.host.requestUpdate();
    try {
      const value = await this.task();
      if (turn !== this.turn) return;
      this.value = value;
      this.refusal = undefined;
    } catch (error) {
      if (turn !== this.turn) return;
      if (error instanceof DOMException && error.name === "AbortError") return;
      this.refusal = asRefusal(error);
    } finally {
      if (turn === this.turn) {
        this.busy = false;
        this.host.requestUpdate();
      }
    }
  }

  /** Draws what is there, or what a person must know instead. */
  render(done: (value: T) => TemplateResult | typeof nothing): TemplateResult | typeof nothing {
    if (this.value !== undefined && !this.refusal) return done(this.value);
    if (this.refusal) return refusalOf(this.refusal, () => void this.run());
    return waiting();
  }
}

/** A page of a list, as the service sends it. */
export interface ListPage<T> {
  items: T[];
  nextCursor?: string | null;
  total?: number;
}

/** Reads a list page by page. */
export class List<T> implements ReactiveController {
  items: T[] = [];
  refusal: Refusal | undefined;
  busy = false;
  total: number | undefined;
  private cursor = "";
  private done = false;
  private turn = 0;

  /**
   * @param path where the list is
   * @param parameters its filters, read anew at every restart
   * @param signal ends the reading
   */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly path: () => string,
    private readonly parameters: () => Record<string, string | number | boolean | undefined>,
    protected readonly signal: () => AbortSignal,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  /** Reads the first page anew. Tells whether that page is what is shown now: not when it was refused, or a later call took its place. */
  async restart(): Promise<boolean> {
    this.cursor = "";
    this.done = false;
    return this.next();
  }

  /** Reads the next page, as restart does the first. */
  async next(): Promise<boolean> {
    if (this.done) return false;
    const first = this.cursor === "";
    const turn = ++this.turn;
    this.busy = true;
    this.host.requestUpdate();
    try {
      const page = await this.read(address(this.path(), { ...this.parameters(), cursor: this.cursor }));
      if (turn !== this.turn) return false;
      this.items = first ? page.items : [...this.items, ...page.items];
      this.cursor = page.nextCursor ?? "";
      this.done = this.cursor === "";
      if (page.total !== undefined) this.total = page.total;
      this.refusal = undefined;
      return true;
    } catch (error) {
      if (turn !== this.turn || this.signal().aborted) return false;
      this.refusal = asRefusal(error);
      if (first) this.items = []; // what other filters found does not stand under these
      return false;
    } finally {
      if (turn === this.turn) {
        this.busy = false;
        this.host.requestUpdate();
      }
    }
  }

  /** Reads one page from an address. */
  protected read(from: string): Promise<ListPage<T>> {
    return get<ListPage<T>>(from, { signal: this.signal() });
  }

  /** Draws the items, and under them the way to more. */
  render(draw: (items: T[]) => TemplateResult, empty: TemplateResult): TemplateResult {
    if (this.items.length === 0 && this.refusal)
      return refusalOf(this.refusal, () => void this.restart()) as TemplateResult;
    if (this.items.length === 0) return this.busy || !this.done ? waiting() : empty;
    return html`${draw(this.items)}
      ${this.refusal ? refusalOf(this.refusal, () => void this.next()) : nothing}
      ${this.done ? nothing : html`<p><button class="quiet" ?disabled=${this.busy} @click=${() => void this.next()}>${this.busy ? "Loading…" : "Show more"}</button></p>`}`;
  }
}

/** Any failure as a refusal that can be shown. */
export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal
    ? error
    : new Refusal(
        0,
        "failed",
        "That did not work, and this page does not know why. Reload it; if it happens again, tell your administrator what you did.",
      );
}
