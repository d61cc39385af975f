// What every page of the app shares: it draws into the document itself, and stops what it began when it is left.
import { LitElement } from "lit";

/** An element without a shadow, so that one stylesheet and the browser's own forms reach everything. */
export class Element extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** A page. The router sets what its address says. */
export class Page extends Element {
  static override properties = { params: { attribute: false }, query: { attribute: false } };

  /** Parts of the path, by the names of the route. */
  declare params: Record<string, string>;
  /** What stands after the question mark. */
  declare query: URLSearchParams;

  private readonly leaving = new AbortController();

  constructor() {
    super();
    this.params = {};
    this.query = new URLSearchParams();
  }

  /** Ends when the page is left: calls take it as their signal. */
  protected get left(): AbortSignal {
    return this.leaving.signal;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.leaving.abort();
  }
}

/** Goes to an address of the app without loading the page anew. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  dispatchEvent(new Event("subrosa:go"));
}
