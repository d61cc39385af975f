// The directory of professionals: search with reasons, and the invitation to a case.
import { html, nothing, type TemplateResult } from "lit";
import { address, get, idempotencyKey, nextKey, post, type Refusal } from "../api.js";
import { pass } from "../door.js";
import { Load, asRefusal } from "../load.js";
import { badge, empty, refusalOf, tell, words } from "../markup.js";
import { Page, go } from "../page.js";
import type { Case, FileList, Invite, InviteDraft, InviteRole, Partner, PartnerKind, PartnerList } from "../wire.js";

const kinds: PartnerKind[] = [
  "lawyer",
  "law_firm",
  "notary",
  "mediator",
  "arbitrator",
  "expert_witness",
  "paralegal",
  "translator",
  "investigator",
  "court_reporter",
  "agent_service",
];
const roles: InviteRole[] = ["co_counsel", "referral", "second_opinion", "expert", "mediator", "translator", "other"];
const filters = ["q", "kind", "jurisdiction", "practiceArea", "language", "sort"] as const;

class Partners extends Page {
  private partners: Partner[] = [];
  private cursor = "";
  private readonly list = new Load<PartnerList>(this, async () => {
    const page = await get<PartnerList>(
      address("/v1/partners", { ...this.chosen(), forCaseId: this.caseId, limit: 25, cursor: this.cursor }),
      { signal: this.left },
    );
    this.partners = this.cursor === "" ? page.items : [...this.partners, ...page.items];
    return page;
  });
  private readonly case = new Load<{ kase: Case; files: FileList }>(this, async () => {
    const [kase, files] = await Promise.all([
      get<Case>(`/v1/cases/${this.caseId}`, { signal: this.left }),
      get<FileList>(address(`/v1/cases/${this.caseId}/files`, { limit: 100, sort: "name" }), { signal: this.left }),
    ]);
    return { kase, files };
  });
  private inviting: Partner | undefined;
  private refusal: Refusal | undefined;
  private refused: Refusal | undefined; // of the words to search for
  private licence = false;
  private key = "";

  private get caseId(): string {
    return this.query.get("case") ?? "";
  }

  private chosen(): Record<string, string> {
    return Object.fromEntries(filters.map((name) => [name, this.query.get(name) ?? ""]));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.list.run();
    if (this.caseId) void this.case.run();
  }

  private async search(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(event.currentTarget as HTMLFormElement))
      if (typeof value === "string" && value !== "") query.set(name, value);
    try {
      await pass({ q: [...query.values()] }, false); // a name does not get into the history of the browser
    } catch (error) {
      this.refused = asRefusal(error);
      this.requestUpdate();
      return;
    }
    if (this.caseId) query.set("case", this.caseId);
    go(`/app/partners?${query}`);
  }

  private more(cursor: string): void {
    this.cursor = cursor;
    void this.list.run();
  }

  private begin(partner: Partner): void {
    this.inviting = partner;
    this.refusal = undefined;
    this.licence = false;
    this.key = idempotencyKey();
    this.requestUpdate();
    void this.updateComplete.then(() => this.querySelector("dialog")?.showModal());
  }

  private async invite(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const partner = this.inviting;
    if (!partner) return;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const message = String(form.get("message") ?? "").trim();
    const draft: InviteDraft = {
      role: form.get("role") as InviteRole,
      expiresInHours: Number(form.get("days")) * 24,
      scope: { fileIds: form.getAll("file").map(String) },
      ...(message ? { message } : {}),
      ...(this.licence ? { acknowledgeLicence: form.get("licence") === "on" } : {}),
    };
    try {
      await post<Invite>(`/v1/cases/${this.caseId}/partners/${partner.partnerId}/invite`, draft, { key: this.key });
      this.querySelector("dialog")?.close();
      tell(`The invitation to ${partner.displayName} is sent.`);
      go(`/app/invites?case=${this.caseId}`);
    } catch (error) {
      this.refusal = asRefusal(error);
      this.licence = this.licence || this.refusal.code === "licence_mismatch";
      this.key = nextKey(this.key, this.refusal); // what is sent next is another invitation, unless nobody knows what became of this one
      this.requestUpdate();
    }
  }

  override render(): TemplateResult {
    const chosen = this.chosen();
    return html`<h1>Partners</h1>
      ${
        this.caseId
          ? this.case.render(
              ({ kase }) =>
                html`<p class="notice">For the case <a href="/app/cases/${this.caseId}">${kase.title ?? "without a title"}</a>: those come first who fit its jurisdiction, practice area, tier and languages. <a href="/app/invites?case=${this.caseId}">Its invitations</a></p>`,
            )
          : html`<p>Professionals who can be invited to a case. Go here from a case to see who fits it, and to invite them. <a href="/app/invites">Invitations to you</a></p>`
      }
      <form class="filters" role="search" @submit=${(event: SubmitEvent) => void this.search(event)}>
        <div class="field"><label for="q">Words</label><input id="q" name="q" .value=${chosen["q"] ?? ""} minlength="2" maxlength="200" /></div>
        <div class="field">
          <label for="kind">Kind</label>
          <select id="kind" name="kind">
            <option value="">Any</option>
            ${kinds.map((kind) => html`<option value=${kind} ?selected=${kind === chosen["kind"]}>${words(kind)}</option>`)}
          </select>
        </div>
        <div class="field"><label for="jurisdiction">Jurisdiction</label><input id="jurisdiction" name="jurisdiction" .value=${chosen["jurisdiction"] ?? ""} placeholder="US-CA" pattern="[A-Z]{2}(-[A-Z0-9]{1,3})?" title="Such as US or US-CA" /></div>
        <div class="field"><label for="practiceArea">Practice area</label><input id="practiceArea" name="practiceArea" .value=${chosen["practiceArea"] ?? ""} placeholder="housing" maxlength="100" /></div>
        <div class="field"><label for="language">Language</label><input id="language" name="language" .value=${chosen["language"] ?? ""} placeholder="es" maxlength="35" /></div>
        <button>Search</button>
      </form>
      ${refusalOf(this.refused)}
      ${this.list.render((page) =>
        this.partners.length === 0
          ? empty(
              Object.values(chosen).some((value) => value !== "")
                ? "Nobody in the directory matches. Remove a filter."
                : "The directory is empty: the operator of this service has not loaded it yet.",
            )
          : html`<ul class="rows">
                ${this.partners.map((partner) => this.renderPartner(partner))}
              </ul>
              ${page.nextCursor ? html`<p><button class="quiet" ?disabled=${this.list.busy} @click=${() => this.more(page.nextCursor ?? "")}>Show more</button></p>` : nothing}`,
      )}
      ${this.inviting ? this.renderInvite(this.inviting) : nothing}`;
  }

  private renderPartner(partner: Partner): TemplateResult {
    const { match, licences } = partner;
    return html`<li>
      <div class="between">
        <h2>${partner.displayName}</h2>
        <span>${badge(partner.kind)} ${badge(partner.availability, partner.availability === "open" ? "good" : "warn")}</span>
      </div>
      <p>${partner.practiceAreas.map((area) => area.label ?? area.code).join(", ")} · ${partner.jurisdictions.join(", ")} · speaks ${partner.languages.join(", ")}</p>
      <p class="fine">
        ${licences.map((l) => `${words(l.kind)}, ${l.jurisdiction}: ${l.status}`).join("; ")}${partner.typicalResponseHours ? ` · answers within ${partner.typicalResponseHours} hours` : ""} ·
        ${partner.feeModels.map((fee) => words(fee).toLowerCase()).join(", ")}${partner.capacityNote ? ` · ${partner.capacityNote}` : ""}
      </p>
      ${match && this.caseId ? html`<p>Fits (${match.score}): ${match.reasons.join("; ")}.</p>` : nothing}
      ${this.caseId ? html`<button class="quiet" ?disabled=${partner.availability === "closed"} @click=${() => this.begin(partner)}>Invite ${partner.displayName}</button>` : nothing}
    </li>`;
  }

  private renderInvite(partner: Partner): TemplateResult {
    const files = this.case.value?.files.items ?? [];
    return html`<dialog aria-labelledby="invite" @close=${() => {
      this.inviting = undefined;
      this.requestUpdate();
    }}>
      <form @submit=${(event: SubmitEvent) => void this.invite(event)}>
        <h2 id="invite">Invite ${partner.displayName}</h2>
        ${refusalOf(this.refusal)}
        <div class="field">
          <label for="role">As</label>
          <select id="role" name="role">
            ${roles.map((role) => html`<option value=${role}>${words(role)}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for="message">Message</label>
          <textarea id="message" name="message" maxlength="1000" aria-describedby="message-note"></textarea>
          <p class="fine" id="message-note">Labels only. Before they accept, they see the kind of matter, practice area, jurisdiction, tier and role, and neither this message nor the case.</p>
        </div>
        <fieldset>
          <legend>Files that they may read once they accept</legend>
          ${
            files.length === 0
              ? html`<p class="fine">The case has no files.</p>`
              : files.map(
                  (file) =>
                    html`<label class="check"><input type="checkbox" name="file" value=${file.fileId} />${file.name}</label>`,
                )
          }
          <p class="fine">None chosen: they read no file.</p>
        </fieldset>
        <div class="field"><label for="days">Days to answer</label><input id="days" name="days" type="number" min="1" max="30" value="14" required /></div>
        ${this.licence ? html`<label class="check"><input type="checkbox" name="licence" />They have no active licence in the case's jurisdiction; I know, and take care of it (for example pro hac vice).</label>` : nothing}
        <p class="actions"><button>Send the invitation</button><button type="button" class="quiet" @click=${() => this.querySelector("dialog")?.close()}>Not now</button></p>
      </form>
    </dialog>`;
  }
}

customElements.define("subrosa-partners", Partners);
