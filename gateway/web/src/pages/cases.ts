// Every case of the firm: found by words and filters, which stay in the address, and the way to a new one.
import { html, nothing, type TemplateResult } from "lit";
import { address, idempotencyKey, nextKey, post, type Refusal } from "../api.js";
import { choice, filled, problem, refused, wrong } from "../case/form.js";
import { caseRow } from "../case/row.js";
import { areaCode, areas, matterKinds, sides, sorts, statuses, tiers } from "../case/vocabulary.js";
import { List, asRefusal } from "../load.js";
import { empty, words } from "../markup.js";
import { Page, go } from "../page.js";
import type { Case, CaseRow } from "../wire.js";

const filters = ["q", "status", "tier", "jurisdiction", "practiceArea", "hasPendingReview", "sort"] as const;
const jurisdictionPattern = "[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?";

class Cases extends Page {
  private readonly list = new List<CaseRow>(
    this,
    () => "/v1/cases",
    () => ({ ...this.chosen, includeTotal: true }),
    () => this.left,
  );
  private chosen: Record<string, string> = {};
  private typing = 0;
  private refusal: Refusal | undefined;
  private making = false;
  private key = idempotencyKey();

  override connectedCallback(): void {
    super.connectedCallback();
    for (const name of filters) {
      const value = this.query.get(name);
      if (value) this.chosen[name] = value;
    }
    void this.list.restart();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.typing);
  }

  override firstUpdated(): void {
    if (this.query.get("do") === "new") this.open();
  }

  private open(): void {
    this.querySelector("dialog")?.showModal();
  }

  /** Takes the filters of the form over into the address and the list. */
  private choose(form: HTMLFormElement): void {
    const values = filled(form);
    const jurisdiction = values["jurisdiction"]?.toUpperCase();
    if (jurisdiction && !new RegExp(`^${jurisdictionPattern}$`).test(jurisdiction)) return; // still being typed
    const chosen = { ...values, ...(jurisdiction && { jurisdiction }) };
    this.chosen = chosen;
    void this.list.restart().then((shown) => {
      // What was refused may be a name: it does not get into the history of the browser.
      if (shown && this.isConnected) history.replaceState(null, "", address("/app/cases", chosen));
    });
  }

  private soon(event: Event): void {
    const form = (event.currentTarget as HTMLElement).closest("form") as HTMLFormElement;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.choose(form), event.type === "change" ? 0 : 300);
  }

  private async make(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const values = filled(event.currentTarget as HTMLFormElement);
    this.making = true;
    this.requestUpdate();
    try {
      const made = await post<Case>(
        "/v1/cases",
        {
          title: values["title"],
          summary: values["summary"],
          jurisdiction: values["jurisdiction"]?.toUpperCase(),
          matterKind: values["matterKind"],
          side: values["side"],
          practiceAreas: values["practiceAreas"]
            ? [{ scheme: "LIST", code: areaCode(values["practiceAreas"]), primary: true }]
            : undefined,
        },
        { key: this.key },
      );
      go(`/app/cases/${made.caseId}`);
    } catch (error) {
      this.refusal = asRefusal(error);
      this.key = nextKey(this.key, this.refusal);
    } finally {
      this.making = false;
      this.requestUpdate();
    }
  }

  override render(): TemplateResult {
    const narrowed = Object.keys(this.chosen).some((name) => name !== "sort");
    return html`<div class="between">
        <h1>Cases</h1>
        <p><button @click=${() => this.open()}>New case</button></p>
      </div>
      ${this.renderFilters()}
      <p class="fine" role="status">${this.list.total === undefined ? nothing : `${this.list.total} ${this.list.total === 1 ? "case" : "cases"}`}</p>
      ${this.list.render(
        (rows) => html`<ul class="rows">${rows.map(caseRow)}</ul>`,
        empty(
          narrowed
            ? html`No case fits. <a href="/app/cases">Show all cases</a>`
            : "No case yet. Make one with “New case”; an agent that is connected can make one too.",
        ),
      )}
      ${this.renderNew()}`;
  }

  private renderFilters(): TemplateResult {
    const chosen = (name: string): string => this.chosen[name] ?? "";
    return html`<form class="filters" role="search" @change=${(e: Event) => this.soon(e)} @submit=${(e: Event) => (e.preventDefault(), this.choose(e.currentTarget as HTMLFormElement))}>
      <div class="field">
        <label for="q">Words</label>
        <input id="q" name="q" type="search" maxlength="200" .value=${chosen("q")} placeholder="title, summary, tags" />
      </div>
      ${choice(
        "status",
        "Status",
        statuses.map((s) => [s, words(s)]),
        chosen("status"),
        "Any",
      )} ${choice("tier", "Tier", tiers, chosen("tier"), "Any")}
      <div class="field">
        <label for="jurisdiction">Jurisdiction</label>
        <input id="jurisdiction" name="jurisdiction" .value=${chosen("jurisdiction")} pattern=${jurisdictionPattern} placeholder="US or US-CA" autocomplete="off" @input=${(e: Event) => this.soon(e)} />
      </div>
      ${choice("practiceArea", "Area of law", areas, chosen("practiceArea"), "Any")} ${choice(
        "hasPendingReview",
        "Review",
        [
          ["true", "Waiting for review"],
          ["false", "Nothing waiting"],
        ],
        chosen("hasPendingReview"),
        "Any",
      )}
      ${choice("sort", "Order", sorts.slice(1), chosen("sort"), sorts[0]?.[1])}
    </form>`;
  }

  private renderNew(): TemplateResult {
    return html`<dialog aria-labelledby="new-case">
      <form @submit=${(e: SubmitEvent) => void this.make(e)}>
        <h2 id="new-case">New case</h2>
        <p>Write labels in the place of names, such as <span class="label">[Party 1]</span>. All of this can be changed later.</p>
        ${refused(this.refusal)}
        <div class="field">
          <label for="title">Title</label>
          <input id="title" name="title" maxlength="200" aria-invalid=${wrong(this.refusal, "title")} aria-describedby="problem-title" placeholder="Lease dispute, [Party 1] and [Party 2]" />
          ${problem(this.refusal, "title", this.typed("title"))}
        </div>
        <div class="field">
          <label for="summary">Summary</label>
          <textarea id="summary" name="summary" maxlength="4000" aria-invalid=${wrong(this.refusal, "summary")} aria-describedby="problem-summary"></textarea>
          ${problem(this.refusal, "summary", this.typed("summary"))}
        </div>
        ${choice(
          "matterKind",
          "Kind",
          matterKinds.map((kind) => [kind, words(kind)]),
          "litigation",
        )} ${choice("side", "Our side", sides, "", "Not known yet")} ${choice("practiceAreas", "Area of law", areas, "", "Not known yet")}
        <div class="field">
          <label for="where">Jurisdiction</label>
          <input id="where" name="jurisdiction" pattern=${jurisdictionPattern} maxlength="6" autocomplete="off" placeholder="US-CA" aria-describedby="where-says problem-jurisdiction" />
          <p class="fine" id="where-says">US for federal law, US-CA for California, GB-ENG for England.</p>
          ${problem(this.refusal, "jurisdiction")}
        </div>
        <p class="actions">
          <button ?disabled=${this.making}>${this.making ? "Making…" : "Make the case"}</button>
          <button type="button" class="quiet" @click=${() => this.querySelector("dialog")?.close()}>Cancel</button>
        </p>
      </form>
    </dialog>`;
  }

  private typed(id: string): string {
    return (this.querySelector<HTMLInputElement>(`dialog #${id}`)?.value ?? "").trim();
  }
}

customElements.define("subrosa-cases", Cases);
