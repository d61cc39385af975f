// The firm's people and the firm's key: who can read names, who gets the key, and a new key without those who leave.
import { html, nothing, type TemplateResult } from "lit";
import type { Refusal } from "../api.js";
import { badge, refusalOf, tell, waiting } from "../markup.js";
import { Element } from "../page.js";
import { failureOf } from "./failure.js";
import { type Member, comparedWith, give, members, rotate, toCompare } from "./firm.js";
import { type Progress, reseal } from "./reseal.js";
import { vault } from "./session.js";

class Colleagues extends Element {
  private list: Member[] | undefined;
  private refusal: Refusal | undefined;
  private comparing: Member | undefined;
  private leaving = new Set<string>();
  private busy = false;
  private progress: Progress | undefined;
  private ending = new AbortController();
  private stop: () => void = () => undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.ending = new AbortController();
    this.stop = vault.subscribe(() => this.requestUpdate());
    void this.read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.ending.abort();
    this.stop();
  }

  private async read(): Promise<void> {
    await this.doing(async () => {
      this.list = await members(vault);
      this.leaving = new Set([...this.leaving].filter((id) => this.list?.some((m) => m.userId === id)));
    });
  }

  /** Does something, and shows what it is refused with. */
  private async doing(work: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    this.refusal = undefined;
    this.requestUpdate();
    try {
      await work();
      return true;
    } catch (error) {
      if (!this.ending.signal.aborted) this.refusal = failureOf(error);
      return false;
    } finally {
      this.busy = false;
      this.requestUpdate();
    }
  }

  private compare(m: Member): void {
    this.comparing = m;
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector("dialog")?.showModal());
  }

  private async agreed(event: Event): Promise<void> {
    event.preventDefault();
    const m = this.comparing;
    if (!m) return;
    this.querySelector("dialog")?.close();
    await this.doing(async () => {
      await comparedWith(vault, m);
      if (vault.state === "open") {
        const given = await give(vault, m);
        if (given > 0) tell(`${m.userId} has the firm’s key now. Have them compare its fingerprint with you.`);
      }
      this.list = await members(vault);
    });
  }

  private async makeNewKey(event: Event): Promise<void> {
    event.preventDefault();
    const made = await this.doing(async () => {
      await rotate(vault, [...this.leaving]);
      this.leaving.clear();
      this.list = await members(vault);
    });
    if (made) await this.sealAnew();
  }

  private async sealAnew(): Promise<void> {
    await this.doing(async () => {
      const end = await reseal(vault, (p) => this.show(p), this.ending.signal);
      if (end.left.length === 0) tell("Everything is sealed under the firm’s present key.");
    });
  }

  private show(p: Progress): void {
    this.progress = p;
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const list = this.list;
    return html`<h2>Who can read names</h2>
      <p>Whoever holds the firm’s present key reads the names of all its cases. Before you give it to a colleague, compare their fingerprint by telephone or face to face: this service could have put another key in the place of theirs.</p>
      ${refusalOf(this.refusal, list ? undefined : () => void this.read())} ${list ? this.renderList(list) : this.refusal ? nothing : waiting()}
      ${list && vault.owner && vault.state === "open" ? this.renderNewKey(list) : nothing} ${vault.state === "open" ? this.renderReseal() : nothing} ${this.renderDialog()}`;
  }

  private renderList(list: Member[]): TemplateResult {
    return html`<ul class="rows">
      ${list.map(
        (m) => html`<li>
          <div class="between">
            <strong>${m.userId}${m.you ? " (you)" : ""}</strong>
            <span>${m.holdsPresent ? badge("holds the key", "good") : badge("has no key", "warn")} ${m.you ? nothing : this.renderCompared(m)}</span>
          </div>
          <p class="fine">By what the service says: <code>${m.fingerprint}</code></p>
          ${m.you || (m.compared === "same" && (m.holdsPresent || vault.state !== "open")) ? nothing : html`<p class="actions"><button class="quiet" ?disabled=${this.busy} @click=${() => this.compare(m)}>${m.holdsPresent || vault.state !== "open" ? "Compare the fingerprint" : "Compare and give the key"}</button></p>`}
        </li>`,
      )}
    </ul>`;
  }

  private renderCompared(m: Member): TemplateResult | typeof nothing {
    if (m.compared === "changed") return badge("changed since you compared it", "bad");
    return m.compared === "same" ? badge("compared", "good") : badge("not compared here", "plain");
  }

  private renderDialog(): TemplateResult | typeof nothing {
    const m = this.comparing;
    if (!m) return nothing;
    return html`<dialog aria-labelledby="compare" @close=${() => this.forget()}>
      <form @submit=${(event: Event) => void this.agreed(event)}>
        <h2 id="compare">Compare with ${m.userId}</h2>
        ${m.compared === "changed" ? html`<p class="refusal">Their key has changed since you compared it in this browser. They may have made a new vault; ask them.</p>` : nothing}
        <p>Ask ${m.userId}, by telephone or face to face, to open the page of the vault and read you their own fingerprint. It must be this one:</p>
        <pre>${m.fingerprint}</pre>
        <p class="actions"><button>They read me this one</button><button type="button" class="quiet" @click=${() => this.querySelector("dialog")?.close()}>It is another, or I cannot ask now</button></p>
      </form>
    </dialog>`;
  }

  private forget(): void {
    this.comparing = undefined;
    this.requestUpdate();
  }

  private renderNewKey(list: Member[]): TemplateResult {
    const open = toCompare(list, this.leaving);
    const others = list.filter((m) => !m.you);
    return html`<h2>A new firm key</h2>
      <p>Make one when somebody leaves, or when a key may be known to others. Everybody who stays gets it, and everything is sealed anew under it. Who leaves keeps what they have read before; no cryptography takes that back.</p>
      <form @submit=${(event: Event) => void this.makeNewKey(event)}>
        <fieldset>
          <legend>Who leaves</legend>
          ${others.length === 0 ? html`<p class="fine">Nobody else has a vault.</p>` : others.map((m) => html`<label class="check"><input type="checkbox" .checked=${this.leaving.has(m.userId)} @change=${() => this.mark(m.userId)} /> ${m.userId} loses their vault and every key</label>`)}
        </fieldset>
        ${open.length > 0 ? html`<p>Compare the fingerprints of ${open.map((m) => m.userId).join(", ")} first: they stay, and a key must not go to a stranger.</p>` : nothing}
        <p class="actions"><button class="danger" ?disabled=${this.busy || open.length > 0}>Make a new key${this.leaving.size > 0 ? " without them" : ""}</button></p>
      </form>`;
  }

  private mark(userId: string): void {
    if (!this.leaving.delete(userId)) this.leaving.add(userId);
    this.requestUpdate();
  }

  private renderReseal(): TemplateResult {
    const p = this.progress;
    const steps = { parties: "Names of parties", tokens: "Conflict tokens", labels: "Other labels" };
    return html`<h2>Sealed under keys before</h2>
      <p>After a new key, everything is sealed anew. If that was interrupted, go on with it here, at any time.</p>
      ${
        p
          ? html`<p role="status">${steps[p.step]}: ${p.done} of ${p.of} <progress max=${Math.max(1, p.of)} value=${p.of === 0 ? 1 : p.done}></progress></p>
            ${p.left.length > 0 ? html`<p>These were left as they are; colleagues who hold their keys go on with them:</p><ul>${p.left.map((text) => html`<li>${text}</li>`)}</ul>` : nothing}`
          : nothing
      }
      <p><button class="quiet" ?disabled=${this.busy} @click=${() => void this.sealAnew()}>Seal anew what is left</button></p>`;
  }
}

customElements.define("subrosa-colleagues", Colleagues);
