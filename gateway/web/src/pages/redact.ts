// Redaction on the way in: a document is read in this page, labels take the place of identities, and only the result is sent.
import { html, nothing, type TemplateResult } from "lit";
import { Refusal, address } from "../api.js";
import { Load } from "../load.js";
import { badge, refusalOf, tell, words } from "../markup.js";
import { Page } from "../page.js";
import "../redact/identities.js";
import { type NewParty, caseLabels, fullest } from "../redact/keep.js";
import { MANY_UNREAD } from "../redact/protocol.js";
import type { Place } from "../redact/review.js";
import { Sender, type Sent, type Sending } from "../redact/send.js";
import { renumber } from "../redact/taken.js";
import type { RedactText, Selected } from "../redact/text.js";
import "../redact/text.js";
import { ToolFailure, Tools } from "../redact/tools.js";
import { Work } from "../redact/work.js";
import { failureOf } from "../vault/failure.js";
import { LabelTaken } from "../vault/names.js";
import { save } from "../vault/save.js";
import { all } from "../vault/service.js";
import { vault } from "../vault/session.js";
import type { CaseRow, File as StoredFile, PartyKind, PartyRole, PartySide } from "../wire.js";

const kinds: PartyKind[] = ["individual", "organization", "government", "estate", "trust", "class", "minor", "unknown"];
const roles: PartyRole[] = [
  "plaintiff",
  "defendant",
  "petitioner",
  "respondent",
  "appellant",
  "appellee",
  "claimant",
  "creditor",
  "debtor",
  "buyer",
  "seller",
  "lessor",
  "lessee",
  "employer",
  "employee",
  "witness",
  "expert",
  "guardian_ad_litem",
  "next_friend",
  "trustee",
  "beneficiary",
  "executor",
  "heir",
  "insurer",
  "third_party_plaintiff",
  "third_party_defendant",
  "intervenor",
  "amicus",
  "interested_party",
  "other",
];
const partySides: PartySide[] = ["unknown", "ours", "adverse", "neutral"];

/** The answer that a label stands for nobody in the document: no spelling is written so. */
const NOBODY = "\u0000";

/** The word that a label begins with. */
function labelWord(label: string): string {
  return /^\[([A-Za-z]+) /.exec(label)?.[1] ?? "Ref";
}

class RedactPage extends Page {
  private readonly cases = new Load<CaseRow[]>(this, () =>
    all<CaseRow>("/v1/cases", { status: "intake,open,on_hold" }, { signal: this.left }),
  );
  private caseId = "";
  private tools = new Tools();
  private work: Work | undefined;
  private sender: Sender | undefined;
  private name = "";
  private busy = "";
  private refusal: Refusal | undefined;
  private told = "";
  private turn = 0;
  private newParties: NewParty[] = [];
  /** By label, whether the person has said who it is. */
  private answered = new Set<string>();
  private clearing: Extract<Sent, { state: "clear" }> | undefined;
  private done: StoredFile | undefined;
  private stop: () => void = () => undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.caseId = this.query.get("case") ?? "";
    this.stop = vault.subscribe(() => this.vaultChanged());
    void this.cases.run();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
    this.drop();
  }

  /** A document that is open holds names: it goes with the vault. */
  private vaultChanged(): void {
    if (vault.state !== "open" && this.work) {
      this.drop();
      this.told =
        "The vault was locked, so the document was put away. Nothing of it was sent. Choose it again to go on.";
    }
    this.requestUpdate();
  }

  private drop(): void {
    this.tools.end();
    this.tools = new Tools();
    this.work = undefined;
    this.sender = undefined;
    this.newParties = [];
    this.answered = new Set();
    this.clearing = undefined;
    this.done = undefined;
    this.refusal = undefined;
  }

  private async doing(what: string, work: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = what;
    this.refusal = undefined;
    this.told = "";
    this.requestUpdate();
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ToolFailure && error.code === "ended"))
        this.refusal = error instanceof ToolFailure ? new Refusal(0, error.code, error.message) : failureOf(error);
    } finally {
      this.busy = "";
      this.turn++;
      this.requestUpdate();
    }
  }

  private async take(file: File | undefined): Promise<void> {
    if (!file || !this.caseId) return;
    if (!(await vault.ask())) {
      this.told = "The vault has to be open: names that are taken out are kept there. Nothing was read or sent.";
      this.requestUpdate();
      return;
    }
    this.drop();
    await this.doing("Reading the document in this page…", async () => {
      const { known, files, unread } = await caseLabels(this.caseId, this.left);
      this.work = await Work.begin(this.tools, file, known);
      this.sender = new Sender(this.work);
      this.name = `Document ${files + 1}.txt`;
      if (unread > 0)
        this.told = `${unread} long prompts of this case were not read to their end, so labels that stand only there are not known here. Number new ones with that in mind.`;
    });
    await this.updateComplete;
    this.querySelector<HTMLElement>("#review")?.focus();
  }

  private dropped(event: DragEvent): void {
    event.preventDefault();
    void this.take(event.dataTransfer?.files[0]);
  }

  private async marked(event: CustomEvent<Selected>): Promise<void> {
    const { start, end } = event.detail;
    await this.doing("Looking for it…", async () => this.work?.mark(start, end));
  }

  private async also(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const input = this.querySelector<HTMLInputElement>("#also");
    const place = input && this.work?.review.occurrences(input.value.trim(), "you named it")[0];
    if (!input || !place) {
      this.told = "These words do not stand in the text as whole words.";
      this.requestUpdate();
      return;
    }
    input.value = "";
    await this.doing("Looking for it…", async () => this.work?.mark(place.start, place.end));
  }

  private async again(): Promise<void> {
    await this.doing("Looking through it once more…", async () => {
      const { work } = this;
      if (!work) return;
      const { fresh, result } = await work.check();
      if (fresh > 0) {
        this.told = `${fresh} more found: see what is to be labelled.`;
        return;
      }
      const doubts = await work.doubts(result);
      this.told =
        doubts.length > 0
          ? `Looked through once more. Not sure of: ${doubts.join(", ")}. Label what is a name.`
          : "Looked through once more, and more strictly: nothing is left but what you cleared.";
    });
  }

  private sending(): Sending {
    return {
      caseId: this.caseId,
      name: this.name,
      original: this.querySelector<HTMLInputElement>("#original")?.checked ?? false,
      parties: this.newParties,
    };
  }

  private async send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await this.doing("Keeping the names, then sending the text without them…", async () => {
      const { work, sender } = this;
      if (!work || !sender) return;
      if (!(await work.neutral(this.name)))
        throw new ToolFailure(
          "name",
          "The name of the file may identify somebody. Call it Document 7.txt, for instance.",
        );
      const open = this.asked(work).filter((label) => !this.answered.has(label));
      if (open.length > 0) {
        this.told = `Say who ${open.join(", ")} is, then send. Nothing was sent yet.`;
        return;
      }
      try {
        this.sent(await sender.send(this.sending()));
      } catch (error) {
        if (!(error instanceof LabelTaken)) throw error;
        await this.numberAnew(work, error.labels);
      }
    });
  }

  /** Colleagues gave labels of the review to others meanwhile: those get other numbers, and the person looks again. */
  private async numberAnew(work: Work, taken: string[]): Promise<void> {
    const { known } = await caseLabels(this.caseId, this.left);
    await renumber(work, taken, known, this.newParties);
    this.told = `${taken.join(", ")}: a colleague gave this to something else meanwhile, so nothing was sent. What had it here has another label now: look at it, then send.`;
  }

  private async clear(): Promise<void> {
    const { clearing } = this;
    if (clearing) await this.doing("Clearing, then sending…", async () => this.sent(await clearing.clear()));
  }

  private sent(s: Sent): void {
    this.clearing = undefined;
    switch (s.state) {
      case "done":
        this.drop();
        this.done = s.file;
        tell("The document is in the case, with labels in the place of names.");
        return;
      case "again":
        this.told = `${s.fresh} more found: nothing was sent. See what is to be labelled.`;
        return;
      case "parties":
        this.addParties(s.labels);
        this.told = "Say who the new parties are, then send. Nothing was sent yet.";
        return;
      case "clear":
        this.clearing = s;
    }
  }

  private addParties(labels: string[]): void {
    const named = this.work?.review.named();
    for (const label of labels) {
      if (this.newParties.some((p) => p.label === label)) continue;
      this.newParties.push({
        label,
        name: fullest(named?.get(label) ?? []),
        kind: "individual",
        role: "",
        side: "unknown",
      });
    }
    this.newParties = this.newParties.filter((p) => named?.has(p.label));
  }

  override render(): TemplateResult {
    return html`<section>
      <h1>Take identities out of a document</h1>
      <p>The document is read in this page and nowhere else. Names, addresses and numbers get labels; the names go into your vault, encrypted, and the case gets the text with labels.</p>
      ${refusalOf(this.refusal)} ${this.told ? html`<p class="notice" role="status">${this.told}</p>` : nothing} ${this.busy ? html`<p class="waiting" role="status">${this.busy}</p>` : nothing}
      ${this.done ? this.renderDone(this.done) : this.work ? this.renderWork(this.work) : this.renderChoose()}
    </section>`;
  }

  private renderDone(file: StoredFile): TemplateResult {
    return html`<div class="notice">
        <p><strong>${file.name}</strong> is in the case. ${file.agentReadable ? "Your agent can read it." : "Your agent cannot read it yet."}</p>
        <p><a href=${`/app/cases/${this.caseId}/files/${file.fileId}`}>See it in the case</a></p>
      </div>
      ${this.renderChoose()}`;
  }

  private renderChoose(): TemplateResult {
    return html`<div class="narrow">
      <div class="field">
        <label for="case">Case</label>
        ${this.cases.render(
          (
            list,
          ) => html`<select id="case" required @change=${(event: Event) => this.choose((event.target as HTMLSelectElement).value)}>
            <option value="" ?selected=${!this.caseId}>Choose a case</option>
            ${list.some((c) => c.caseId === this.caseId) || !this.caseId ? nothing : html`<option value=${this.caseId} selected>Case ${this.caseId}</option>`}
            ${list.map((c) => html`<option value=${c.caseId} ?selected=${c.caseId === this.caseId}>${c.title}</option>`)}
          </select>`,
        )}
      </div>
      <div class="panel" @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${(event: DragEvent) => this.dropped(event)}>
        <label for="document">Document</label>
        <input id="document" type="file" accept=".pdf,.docx,.odt,.ott,.fodt,.txt,.md,.html,.htm,.csv,.eml,.mht,.mhtml" ?disabled=${!this.caseId || this.busy !== ""} @change=${(event: Event) => void this.take((event.target as HTMLInputElement).files?.[0])} aria-describedby="document-kinds" />
        <p class="fine" id="document-kinds">PDF, DOCX, ODT, text, Markdown, HTML, CSV or e-mail, at most 25 MiB. Choose it, or drop it here. ${this.caseId ? "" : "Choose the case first."}</p>
      </div>
    </div>`;
  }

  private choose(caseId: string): void {
    this.caseId = caseId;
    history.replaceState(null, "", address("/app/redact", { case: caseId }));
    this.requestUpdate();
  }

  private renderWork(work: Work): TemplateResult {
    const d = work.document;
    return html`<h2 id="review" tabindex="-1">Found in the document</h2>
      <p>
        ${badge(d.status === "ok" ? "good text" : "poor text", d.status === "ok" ? "good" : "warn")} ${d.method}, ${d.pages} ${d.pages === 1 ? "page" : "pages"}, ${d.chars} characters.
        ${d.status === "low_quality" ? "Parts may be missing or garbled: compare the text with the document." : nothing}
        ${work.unread >= MANY_UNREAD ? html`<strong>The text is in a language that the check does not know</strong>: it reads English, German, French and Spanish. Many of what it found may be no names, and it may have missed some. Read the text yourself.` : nothing}
        ${d.beside.length > 0 ? html`Left out, since only the text is taken: ${d.beside.map(({ path }) => words(path.replace(/^metadata\./, ""))).join(", ")}.` : nothing}
      </p>
      <div class="redact">
        <div>
          <subrosa-redact-text .review=${work.review} .turn=${this.turn} @subrosa:mark=${(event: CustomEvent<Selected>) => void this.marked(event)}></subrosa-redact-text>
          <form class="filters" @submit=${(event: SubmitEvent) => void this.also(event)}>
            <div class="field"><label for="also">A name that was missed, as it stands in the text</label><input id="also" autocomplete="off" required minlength="3" /></div>
            <button class="quiet" ?disabled=${this.busy !== ""}>Label it</button>
          </form>
        </div>
        <subrosa-identities
          .review=${work.review}
          .turn=${this.turn}
          @subrosa:changed=${() => this.redraw()}
          @subrosa:show=${(event: CustomEvent<Place>) => void this.querySelector<RedactText>("subrosa-redact-text")?.show(event.detail)}
        ></subrosa-identities>
      </div>
      ${this.renderAsked(work)} ${this.clearing ? this.renderClearing(this.clearing.words) : nothing} ${this.renderSend(work)}`;
  }

  /** The labels by which the case speaks of somebody whom nobody has named yet. */
  private asked(work: Work): string[] {
    return work.review.known.filter((k) => k.asked).map((k) => k.label);
  }

  /** Takes the person's word for who stands behind a label: a spelling in the document, or nobody in it. */
  private answer(work: Work, label: string, key: string): void {
    for (const s of work.review.subjects.values())
      if (s.label === label) work.review.assign(s, work.review.next(labelWord(label)));
    const subject = work.review.subjects.get(key);
    if (subject) {
      const { label: before } = subject;
      for (const s of work.review.subjects.values())
        if (s === subject || (before !== "" && s.label === before)) work.review.assign(s, label);
      this.newParties = this.newParties.filter((p) => p.label !== before);
    }
    if (key === "") this.answered.delete(label);
    else this.answered.add(label);
    this.redraw();
  }

  private renderAsked(work: Work): TemplateResult | typeof nothing {
    const labels = this.asked(work);
    if (labels.length === 0) return nothing;
    const subjects = [...work.review.subjects].filter(
      ([, s]) => !s.cleared && (s.kind === "person" || s.kind === "org"),
    );
    return html`<h2>Who is meant in the case</h2>
      <p>The case speaks of ${labels.join(" and ")}, and nobody has said who that is. It is not taken from the order of names in a document.</p>
      ${labels.map((label) => {
        const id = `who-${label.replace(/\W+/g, "")}`;
        return html`<div class="field">
          <label for=${id}>Who is ${label}?</label>
          <select id=${id} @change=${(event: Event) => this.answer(work, label, (event.target as HTMLSelectElement).value)}>
            <option value="">Choose</option>
            ${subjects.map(([key, s]) => html`<option value=${key} ?selected=${s.label === label}>${s.name}</option>`)}
            <option value=${NOBODY} ?selected=${this.answered.has(label) && !subjects.some(([, s]) => s.label === label)}>Nobody in this document</option>
          </select>
        </div>`;
      })}`;
  }

  private redraw(): void {
    this.turn++;
    this.clearing = undefined;
    this.requestUpdate();
  }

  private renderClearing(list: string[]): TemplateResult {
    return html`<div class="refusal" role="alert">
      <p>The service finds these, which you said identify nobody: ${list.map((text, i) => html`${i > 0 ? ", " : ""}<strong>${text}</strong>`)}. If you clear them, that is on record under your name, and agents will read the text.</p>
      <p class="actions"><button class="danger" ?disabled=${this.busy !== ""} @click=${() => void this.clear()}>None of them identifies anybody: clear and send</button></p>
    </div>`;
  }

  private renderSend(work: Work): TemplateResult {
    return html`<form @submit=${(event: SubmitEvent) => void this.send(event)}>
      ${this.newParties.length > 0 ? html`<h2>New parties of the case</h2>${this.newParties.map((p) => this.renderParty(p))}` : nothing}
      <h2>Send the text with labels</h2>
      <div class="field">
        <label for="name">Name in the case</label>
        <input id="name" required maxlength="180" .value=${this.name} @input=${(event: Event) => (this.name = (event.target as HTMLInputElement).value)} />
        <p class="fine">A neutral one: it is not encrypted.</p>
      </div>
      <label class="check"><input id="original" type="checkbox" /> Keep the original with it, encrypted for your firm</label>
      <p class="actions">
        <button ?disabled=${this.busy !== ""}>Keep the names and send</button>
        <button type="button" class="quiet" ?disabled=${this.busy !== ""} @click=${() => void this.again()}>Look through it once more</button>
        <button type="button" class="quiet" @click=${() => save(new Blob([work.review.result().text], { type: "text/plain" }), this.name)}>Save the text here</button>
        <button type="button" class="quiet" @click=${() => this.putAway()}>Put it away</button>
      </p>
    </form>`;
  }

  private putAway(): void {
    this.drop();
    this.told = "The document was put away. Nothing of it was sent.";
    this.requestUpdate();
  }

  private renderParty(p: NewParty): TemplateResult {
    const id = p.label.replace(/\W+/g, "");
    const chosen = (field: "kind" | "role" | "side", event: Event): void => {
      p[field] = (event.target as HTMLSelectElement).value;
    };
    return html`<fieldset>
      <legend>${p.label}</legend>
      <div class="field">
        <label for=${`name-${id}`}>Full name, kept encrypted</label>
        <input id=${`name-${id}`} required .value=${p.name} autocomplete="off" @input=${(event: Event) => (p.name = (event.target as HTMLInputElement).value)} />
      </div>
      <div class="filters">
        <div class="field">
          <label for=${`role-${id}`}>Role</label>
          <select id=${`role-${id}`} required @change=${(event: Event) => chosen("role", event)}>
            <option value="">Choose</option>
            ${roles.map((role) => html`<option value=${role} ?selected=${role === p.role}>${words(role)}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for=${`kind-${id}`}>Kind</label>
          <select id=${`kind-${id}`} @change=${(event: Event) => chosen("kind", event)}>
            ${kinds.map((kind) => html`<option value=${kind} ?selected=${kind === p.kind}>${words(kind)}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for=${`side-${id}`}>Side</label>
          <select id=${`side-${id}`} @change=${(event: Event) => chosen("side", event)}>
            ${partySides.map((side) => html`<option value=${side} ?selected=${side === p.side}>${words(side)}</option>`)}
          </select>
        </div>
      </div>
    </fieldset>`;
  }
}

customElements.define("subrosa-redact", RedactPage);
