// Invitations: those of a case, which the firm sends and takes back, and those that a professional gets.
import { html, nothing, type TemplateResult } from "lit";
import { get, idempotencyKey, post, type Refusal } from "../api.js";
import { confirm } from "../confirm.js";
import { List, Load, asRefusal } from "../load.js";
import { badge, empty, instant, refusalOf, tell, words } from "../markup.js";
import { Page } from "../page.js";
import type { Invite, InviteOffer } from "../wire.js";

type Decision = "confirm" | "revoke" | "accept" | "decline" | "end";

const done: Record<Decision, string> = {
  confirm: "The invitation is sent.",
  revoke: "The invitation is taken back.",
  accept: "You accepted. The case is open to you within what you were invited to.",
  decline: "You declined. You saw nothing that could put you in conflict.",
  end: "The access has ended.",
};

const tones: Record<Invite["status"], "good" | "warn" | "plain"> = {
  proposed: "warn",
  pending: "warn",
  accepted: "good",
  declined: "plain",
  expired: "plain",
  revoked: "plain",
  ended: "plain",
};

class Invites extends Page {
  private readonly list = new List<Invite | InviteOffer>(
    this,
    () => "/v1/invites",
    () => ({ caseId: this.caseId, limit: 25 }),
    () => this.left,
  );
  private readonly named = new Load<Invite | InviteOffer>(this, () =>
    get<Invite | InviteOffer>(`/v1/invites/${this.query.get("invite") ?? ""}`, { signal: this.left }),
  );
  private refusal: Refusal | undefined;

  private get caseId(): string {
    return this.query.get("case") ?? "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.refresh();
  }

  private async refresh(): Promise<void> {
    await Promise.all([this.list.restart(), this.query.get("invite") ? this.named.run() : undefined]);
  }

  private async decide(invite: Invite | InviteOffer, decision: Decision, attested = false): Promise<void> {
    const asks = decision === "revoke" || decision === "end" || decision === "decline";
    if (
      asks &&
      !(await confirm({
        title: `${words(decision)} this invitation?`,
        text:
          decision === "decline"
            ? "The firm is told that you declined."
            : "The professional's access to the case ends at once.",
        action: words(decision),
      }))
    )
      return;
    try {
      await post(
        `/v1/invites/${invite.inviteId}/decision`,
        { decision, ...(decision === "accept" ? { conflictAttested: attested } : {}) },
        { key: idempotencyKey() },
      );
      this.refusal = undefined;
      tell(done[decision]);
    } catch (error) {
      this.refusal = asRefusal(error);
    }
    await this.refresh();
  }

  override render(): TemplateResult {
    const others = this.list.items.filter((invite) => invite.inviteId !== this.query.get("invite"));
    return html`<h1>Invitations</h1>
      <p>${this.caseId ? html`Those of <a href="/app/cases/${this.caseId}">this case</a>. <a href="/app/partners?case=${this.caseId}">Invite somebody else</a>` : "Invitations that firms sent to you. Those that your firm sends are on the page of their case."}</p>
      ${refusalOf(this.refusal)}
      ${this.query.get("invite") ? this.named.render((invite) => html`<section class="panel" aria-label="The invitation of your link">${this.renderInvite(invite)}</section>`) : nothing}
      ${this.list.render(
        () => html`<ul class="rows">
          ${others.map((invite) => html`<li>${this.renderInvite(invite)}</li>`)}
        </ul>`,
        empty(this.caseId ? "Nobody is invited to this case." : "No firm has invited you."),
      )}`;
  }

  private renderInvite(invite: Invite | InviteOffer): TemplateResult {
    return html`<div class="between">
        <h2>${words(invite.role)}</h2>
        ${badge(invite.status, tones[invite.status])}
      </div>
      ${"caseId" in invite ? this.renderSent(invite) : this.renderOffer(invite)}`;
  }

  private renderSent(invite: Invite): TemplateResult {
    const mine = !this.caseId && !this.query.get("invite");
    return html`${invite.message ? html`<p>${invite.message}</p>` : nothing}
      <dl class="facts">
        <dt>Case</dt>
        <dd><a href="/app/cases/${invite.caseId}"><code>${invite.caseId}</code></a></dd>
        <dt>May read</dt>
        <dd>${invite.scope.fileIds.length} files, ${invite.scope.branchIds.length} branches</dd>
        <dt>Made</dt>
        <dd>${instant(invite.createdAt)} by ${words(invite.createdBy.kind).toLowerCase()} <code>${invite.createdBy.id}</code></dd>
        ${invite.decidedAt ? html`<dt>Decided</dt><dd>${instant(invite.decidedAt)}</dd>` : html`<dt>Answer until</dt><dd>${instant(invite.expiresAt)}</dd>`}
        ${invite.conflictAttested !== undefined ? html`<dt>Conflicts</dt><dd>${invite.conflictAttested ? "checked by the professional: none" : "not attested"}</dd>` : nothing}
      </dl>
      <p class="actions">
        ${invite.status === "proposed" ? html`<button @click=${() => void this.decide(invite, "confirm")}>Send it</button>` : nothing}
        ${!mine && (invite.status === "proposed" || invite.status === "pending") ? html`<button class="danger" @click=${() => void this.decide(invite, "revoke")}>Take it back</button>` : nothing}
        ${invite.status === "accepted" ? html`<button class="danger" @click=${() => void this.decide(invite, "end")}>End the access</button>` : nothing}
      </p>`;
  }

  private renderOffer(invite: InviteOffer): TemplateResult {
    const { matter } = invite;
    const attest = `attest-${invite.inviteId}`;
    return html`<dl class="facts">
        <dt>Matter</dt>
        <dd>${words(matter.matterKind)} ${matter.practiceAreas.map((area) => area.label ?? area.code).join(", ")}</dd>
        <dt>Jurisdiction</dt>
        <dd>${matter.jurisdiction ?? "not said"}</dd>
        <dt>Tier</dt>
        <dd>${matter.tier ?? "not evaluated"}</dd>
        <dt>Answer until</dt>
        <dd>${instant(invite.expiresAt)}</dd>
      </dl>
      ${
        invite.status === "pending"
          ? html`<p class="fine">You see no more before you accept, so that declining leaves you without a conflict.</p>
            <label class="check"><input type="checkbox" id=${attest} />I checked for conflicts of interest by my own means, and have none.</label>
            <p class="actions">
              <button @click=${() => void this.decide(invite, "accept", this.querySelector<HTMLInputElement>(`#${attest}`)?.checked ?? false)}>Accept</button>
              <button class="quiet" @click=${() => void this.decide(invite, "decline")}>Decline</button>
            </p>`
          : nothing
      }`;
  }
}

customElements.define("subrosa-invites", Invites);
