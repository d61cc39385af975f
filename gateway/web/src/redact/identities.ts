// What was found in a document, by label: each can get another label, be joined with another, or be said to identify nobody.
import { html, nothing, type TemplateResult } from "lit";
import { Element } from "../page.js";
import { LABEL_WORDS, type Place, type Review, type Subject } from "./review.js";

const STEP = 50;

/** Shows a review's findings. Sends `subrosa:show` with a Place, and `subrosa:changed` after every decision. */
export class Identities extends Element {
  static override properties = { review: { attribute: false }, turn: { attribute: false } };

  declare review: Review;
  /** Changes whenever the review does, so that it is drawn anew. */
  declare turn: number;

  private limit = STEP;
  private changing: Subject | undefined;
  private readonly seen = new Map<Subject, number>();

  private changed(): void {
    this.dispatchEvent(new Event("subrosa:changed"));
    this.requestUpdate();
  }

  /** Brings the places of an identity into view, one after the other. */
  private show(s: Subject): void {
    const next = (this.seen.get(s) ?? -1) + 1;
    const n = next < s.places.length ? next : 0;
    this.seen.set(s, n);
    const place = s.places[n];
    if (place) this.dispatchEvent(new CustomEvent<Place>("subrosa:show", { detail: place }));
  }

  private change(s: Subject): void {
    this.changing = s;
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector("dialog")?.showModal());
  }

  private clear(s: Subject): void {
    this.review.clear(s);
    this.changed();
  }

  private restore(s: Subject): void {
    this.review.assign(s, this.review.next("Ref"));
    this.changed();
    this.change(s);
  }

  private chosen(event: SubmitEvent): void {
    event.preventDefault();
    const s = this.changing;
    const label = this.querySelector<HTMLSelectElement>("#identity-label")?.value;
    this.querySelector("dialog")?.close();
    if (!s || !label) return;
    this.review.assign(s, label);
    this.changed();
  }

  override render(): TemplateResult {
    const all = [...this.review.subjects.values()];
    const found = all.filter((s) => !s.cleared).sort((a, b) => (a.places[0]?.start ?? 0) - (b.places[0]?.start ?? 0));
    const cleared = all.filter((s) => s.cleared);
    return html`<h3>To be labelled (${found.length})</h3>
      ${found.length === 0 ? html`<p class="empty">Nothing was found that identifies anybody. Read the text all the same: a nickname or a role can give somebody away.</p>` : html`<ul class="rows identities">${found.slice(0, this.limit).map((s) => this.renderFound(s))}</ul>`}
      ${found.length > this.limit ? html`<p><button class="quiet" @click=${() => this.more()}>Show more</button></p>` : nothing}
      ${
        cleared.length > 0
          ? html`<h3>No identities, you say (${cleared.length})</h3>
            <ul class="rows">${cleared.map((s) => html`<li class="between"><span>${s.name}</span><button class="plain" @click=${() => this.restore(s)}>Label it after all</button></li>`)}</ul>`
          : nothing
      }
      ${this.renderDialog()}`;
  }

  private more(): void {
    this.limit += STEP;
    this.requestUpdate();
  }

  private renderFound(s: Subject): TemplateResult {
    return html`<li>
      <div class="between"><strong>${s.name}</strong><span class="label">${s.label}</span></div>
      <p class="fine">${s.why || s.kind}${s.places.length > 1 ? `, ${s.places.length} places` : ""}</p>
      <p class="actions">
        <button class="plain" @click=${() => this.show(s)} aria-label=${`Show ${s.name} in the text`}>Show</button>
        <button class="plain" @click=${() => this.change(s)} aria-label=${`Another label for ${s.name}`}>Another label</button>
        <button class="plain" @click=${() => this.clear(s)} aria-label=${`${s.name} is no identity`}>No identity</button>
      </p>
    </li>`;
  }

  private renderDialog(): TemplateResult | typeof nothing {
    const s = this.changing;
    if (!s) return nothing;
    const used = new Map<string, string>();
    for (const { label, identities } of this.review.data().labels)
      used.set(label, identities?.find((name) => name !== s.name) ?? "");
    return html`<dialog aria-labelledby="identity-title" @close=${() => this.done()}>
      <form @submit=${(event: SubmitEvent) => this.chosen(event)}>
        <h2 id="identity-title">Label for ${s.name}</h2>
        <div class="field">
          <label for="identity-label">Label</label>
          <select id="identity-label">
            <optgroup label="The same as">
              ${[...used].map(([label, name]) => html`<option value=${label} ?selected=${label === s.label}>${label}${name ? ` ${name}` : ""}</option>`)}
            </optgroup>
            <optgroup label="Somebody or something else">
              ${LABEL_WORDS.map((word) => {
                const label = this.review.next(word);
                return html`<option value=${label}>${label}, new</option>`;
              })}
            </optgroup>
          </select>
          <p class="fine">Two spellings with one label are one person to every reader.</p>
        </div>
        <p class="actions"><button>Use this label</button><button type="button" class="quiet" @click=${() => this.querySelector("dialog")?.close()}>Leave it</button></p>
      </form>
    </dialog>`;
  }

  private done(): void {
    this.changing = undefined;
    this.requestUpdate();
  }
}

customElements.define("subrosa-identities", Identities);
