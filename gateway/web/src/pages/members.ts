// The members of the organization: who has access, and the way to end it, everywhere, in one act.
import { html, nothing, type TemplateResult } from "lit";
import { post, type Refusal } from "../api.js";
import { confirm } from "../confirm.js";
import { List, asRefusal } from "../load.js";
import { badge, empty, instant, refusalOf, tell } from "../markup.js";
import { Page } from "../page.js";
import { hasRole, person } from "../person.js";
import type { Member, OffboardedMember } from "../wire.js";

const why: Record<NonNullable<Member["reason"]>, string> = {
  offboarded: "ended by the organization",
  absent: "the identity provider does not send them any more",
};

class Members extends Page {
  private readonly members = new List<Member>(
    this,
    () => "/v1/members",
    () => ({ limit: 50 }),
    () => this.left,
  );
  private refusal: Refusal | undefined;
  private rotate = false; // somebody who could open identities has left

  override connectedCallback(): void {
    super.connectedCallback();
    void this.members.restart();
  }

  private async offboard(member: Member): Promise<void> {
    const sure = await confirm({
      title: `End the access of ${member.userId}?`,
      text: "Their sign-ins, their agent's key, the applications that they connected and their running work end at once, everywhere. An owner can lift this; what has ended does not come back.",
      action: "End the access",
    });
    if (!sure) return;
    await this.change(async () => {
      const left = await post<OffboardedMember>(`/v1/members/${encodeURIComponent(member.userId)}/offboard`, {});
      this.rotate ||= left.rotateFirmKey;
      tell(`${member.userId} has no access any more.`);
    });
  }

  private async reinstate(member: Member): Promise<void> {
    await this.change(async () => {
      await post<Member>(`/v1/members/${encodeURIComponent(member.userId)}/reinstate`, {});
      tell(`${member.userId} can sign in again.`);
    });
  }

  private async change(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.refusal = undefined;
    } catch (error) {
      this.refusal = asRefusal(error);
    }
    await this.members.restart();
  }

  override render(): TemplateResult {
    return html`<h1>Members</h1>
      <p>Everybody of your organization who has signed in. Who has not signed in yet is not shown.</p>
      ${refusalOf(this.refusal)}
      ${
        this.rotate
          ? html`<p role="status">
            Whoever left could open the identities of your clients. <a href="/app/vault">Replace the organization's key</a> now.
          </p>`
          : nothing
      }
      ${this.members.render(
        (items) => html`<ul class="rows">
          ${items.map((member) => this.renderMember(member))}
        </ul>`,
        empty("Nobody has signed in yet."),
      )}`;
  }

  private renderMember(member: Member): TemplateResult {
    const self = member.userId === person()?.user;
    return html`<li>
      <div class="between">
        <h2>${member.userId}${self ? " (you)" : ""}</h2>
        ${member.status === "active" ? badge("has access", "good") : badge("no access", "warn")}
      </div>
      <p>${new Intl.ListFormat("en").format(member.roles)}${member.reason ? html`; ${why[member.reason]}` : nothing}</p>
      <dl class="facts">
        <dt>Signed in last</dt>
        <dd>${instant(member.lastSeenAt)}</dd>
        ${
          member.endedAt
            ? html`<dt>Access ended</dt>
              <dd>${instant(member.endedAt)}</dd>`
            : nothing
        }
        <dt>Agent's key</dt>
        <dd>${member.hasKey ? (member.keyLastUsedAt ? html`used ${instant(member.keyLastUsedAt)}` : "never used") : "none"}</dd>
        ${
          member.hasKey && member.keyExpiresAt
            ? html`<dt>Key expires</dt>
              <dd>${instant(member.keyExpiresAt)}</dd>`
            : nothing
        }
      </dl>
      ${
        member.status === "active"
          ? html`<button class="danger" @click=${() => void this.offboard(member)}>End the access of ${member.userId}</button>`
          : hasRole("owner")
            ? html`<button @click=${() => void this.reinstate(member)}>Give ${member.userId} access again</button>`
            : nothing
      }
    </li>`;
  }
}

customElements.define("subrosa-members", Members);
