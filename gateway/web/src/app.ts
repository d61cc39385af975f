// The frame of the app: who is signed in, the way to each page, and the page itself.
import { html, nothing, type TemplateResult } from "lit";
import { whenSignedOut, type Refusal } from "./api.js";
import { judgeBy } from "./gate.js";
import { asRefusal } from "./load.js";
import { refusalOf, waiting } from "./markup.js";
import { Element, go, type Page } from "./page.js";
import { findPerson, person, signInAddress, signOut, watchPerson } from "./person.js";
import { match } from "./routes.js";

judgeBy(() => import("./door.js"));

const places: [string, string][] = [
  ["/app/review", "Review"],
  ["/app/cases", "Cases"],
  ["/app/partners", "Partners"],
  ["/app/invites", "Invitations"],
  ["/app/vault", "Vault"],
  ["/app/agent", "Agent"],
  ["/app/applications", "Applications"],
  ["/app/audit", "Audit"],
  ["/app/members", "Members"],
  ["/app/organization", "Organization"],
];

class App extends Element {
  private state: "starting" | "out" | "in" | "failed" = "starting";
  private refusal: Refusal | undefined;
  private told = "";
  private asked = 0;
  private unfolded = false; // the places, in a narrow window
  private page: Page | undefined;
  private readonly listening = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    const { signal } = this.listening;
    addEventListener("pageshow", (event) => event.persisted && location.reload(), { signal }); // what the Back button brings back may be a signed-out person's
    addEventListener("popstate", () => void this.show(false), { signal });
    addEventListener("subrosa:go", () => void this.show(true), { signal });
    addEventListener("subrosa:tell", (event) => this.tell((event as CustomEvent<string>).detail), { signal });
    document.addEventListener("click", (event) => this.follow(event), { signal });
    whenSignedOut(() => this.become("out"));
    watchPerson(signal);
    void this.start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.listening.abort();
  }

  private async start(): Promise<void> {
    try {
      this.become((await findPerson()) ? "in" : "out");
      await this.show(false);
    } catch (error) {
      this.refusal = asRefusal(error);
      this.become("failed");
    }
  }

  private become(state: typeof this.state): void {
    if (state === "out") this.page = undefined;
    this.state = state;
    this.requestUpdate();
  }

  /** Shows the page of the address. Focus goes to its heading when the person went there by themselves. */
  private async show(moved: boolean): Promise<void> {
    if (this.state !== "in") return;
    this.unfolded = false;
    const asked = ++this.asked;
    if (["/", "/app", "/app/"].includes(location.pathname)) {
      go(places[0]?.[0] ?? "/app/", true);
      return;
    }
    const found = match(location.pathname);
    if (!found) {
      this.page = undefined;
      document.title = "Not found · Subrosa";
      this.requestUpdate();
      return;
    }
    try {
      await found.route.load();
    } catch {
      if (asked !== this.asked) return;
      this.page = undefined;
      this.refusal = asRefusal(undefined);
      this.requestUpdate();
      return;
    }
    if (asked !== this.asked) return;
    const page = document.createElement(found.route.element) as Page;
    page.params = found.params;
    page.query = new URLSearchParams(location.search);
    this.page = page;
    this.refusal = undefined;
    document.title = `${found.route.title} · Subrosa`;
    this.requestUpdate();
    await this.updateComplete;
    await page.updateComplete;
    if (moved) {
      scrollTo(0, 0);
      const heading = page.querySelector<HTMLElement>("h1");
      heading?.setAttribute("tabindex", "-1");
      heading?.focus();
    }
  }

  /** Follows links within the app without loading the page anew. */
  private follow(event: MouseEvent): void {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.composedPath().find((e): e is HTMLAnchorElement => e instanceof HTMLAnchorElement);
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith("/app") && !link.pathname.startsWith("/i/") && !link.pathname.startsWith("/c/"))
      return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    go(link.pathname + link.search);
  }

  private tell(text: string): void {
    this.told = text;
    this.requestUpdate();
    setTimeout(() => {
      if (this.told !== text) return;
      this.told = "";
      this.requestUpdate();
    }, 8000);
  }

  override render(): TemplateResult {
    return html`<a class="skip" href="#main">Skip to the page</a>
      <header>
        <a class="brand" href="/app/"><img src="/assets/icon.svg" alt="" width="28" height="28" />Subrosa</a>
        ${this.state === "in" ? this.renderPlaces() : nothing}
      </header>
      <main id="main">${this.renderPage()}</main>
      <div class="told" role="status" aria-live="polite">${this.told}</div>`;
  }

  private renderPlaces(): TemplateResult {
    const me = person();
    return html`<button class="quiet unfold" aria-expanded=${this.unfolded} aria-controls="places" @click=${() => this.unfold(!this.unfolded)}>Menu</button>
      <nav id="places" aria-label="Pages" class=${this.unfolded ? "unfolded" : ""}>
        ${places.map(([to, name]) => html`<a href=${to} aria-current=${location.pathname.startsWith(to) ? "page" : nothing}>${name}</a>`)}
      </nav>
      <details class="account">
        <summary>${me?.name ?? me?.user ?? "Account"}</summary>
        <div class="menu">
          <p class="fine">Signed in as <strong>${me?.name ?? me?.user}</strong><br />${me?.roles.join(", ")} of <code>${me?.tenant}</code></p>
          <p><button @click=${() => void this.leave(false)}>Sign out</button></p>
          <p><button class="quiet" @click=${() => void this.leave(true)}>Sign out everywhere</button></p>
        </div>
      </details>`;
  }

  private unfold(to: boolean): void {
    this.unfolded = to;
    this.requestUpdate();
  }

  private async leave(everywhere: boolean): Promise<void> {
    try {
      await signOut(everywhere);
    } catch (error) {
      this.tell(asRefusal(error).message);
    }
  }

  private renderPage(): TemplateResult | Page | typeof nothing {
    switch (this.state) {
      case "starting":
        return waiting();
      case "out":
        return html`<section class="narrow">
          <h1>Sign in</h1>
          <p>Subrosa works on cases in which every name is a label, such as <code>[Party 1]</code>. The names themselves are encrypted, and open in this browser alone.</p>
          <p><a class="button" href=${signInAddress()}>Sign in</a></p>
        </section>`;
      case "failed":
        return html`<h1>Subrosa</h1>
          ${refusalOf(this.refusal, () => void this.start())}`;
      case "in":
        if (this.page) return this.page;
        if (this.refusal)
          return html`<h1>This page could not be loaded</h1>
            ${refusalOf(this.refusal, () => location.reload())}`;
        return match(location.pathname) || ["/", "/app", "/app/"].includes(location.pathname)
          ? waiting()
          : html`<h1>There is nothing here</h1>
              <p>The address is no page of Subrosa. <a href="/app/">Go to the beginning.</a></p>`;
    }
  }
}

customElements.define("subrosa-app", App);
