// The applications that a person signed in to: what each may do, and the way to end it at once.
import { html, type TemplateResult } from "lit";
import { del, type Refusal } from "../api.js";
import { confirm } from "../confirm.js";
import { List, asRefusal } from "../load.js";
import { badge, empty, instant, refusalOf, tell } from "../markup.js";
import { Page } from "../page.js";
import type { AppGrant } from "../wire.js";

const allowed: Record<AppGrant["scopes"][number], string> = {
  "cases:read": "read your cases",
  "cases:write": "change your cases",
  "agent:run": "set the legal agent to work",
};

class Applications extends Page {
  private readonly grants = new List<AppGrant>(
    this,
    () => "/v1/grants",
    () => ({ limit: 25 }),
    () => this.left,
  );
  private refusal: Refusal | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.grants.restart();
  }

  private async end(grant: AppGrant): Promise<void> {
    const sure = await confirm({
      title: `End ${grant.clientName}?`,
      text: "It has no access any more. To use it again, sign in to it again.",
      action: "End it",
    });
    if (!sure) return;
    try {
      await del(`/v1/grants/${grant.grantId}`);
      tell(`${grant.clientName} can do nothing more.`);
      this.refusal = undefined;
    } catch (error) {
      this.refusal = asRefusal(error);
    }
    await this.grants.restart();
  }

  override render(): TemplateResult {
    return html`<h1>Connected applications</h1>
      <p>Assistants and other applications that you connected to <code>${location.origin}/api/mcp</code>. Each sees labels only, and does no more than you allowed.</p>
      ${refusalOf(this.refusal)}
      ${this.grants.render(
        (items) => html`<ul class="rows">
          ${items.map((grant) => this.renderGrant(grant))}
        </ul>`,
        empty(
          "No application is connected. Paste the address above into your assistant's settings to connect one; it leads you here to sign in and to allow it.",
        ),
      )}`;
  }

  private renderGrant(grant: AppGrant): TemplateResult {
    return html`<li>
      <div class="between">
        <h2>${grant.clientName}</h2>
        ${grant.verified ? badge("describes itself at its own address", "good") : badge("registered itself", "warn")}
      </div>
      <p>May ${new Intl.ListFormat("en").format(grant.scopes.map((scope) => allowed[scope]))}.</p>
      <dl class="facts">
        <dt>Led back to</dt>
        <dd><code>${grant.redirectHost}</code></dd>
        <dt>Known as</dt>
        <dd><code>${grant.clientId}</code></dd>
        <dt>Allowed</dt>
        <dd>${instant(grant.createdAt)}</dd>
        <dt>Last used</dt>
        <dd>${instant(grant.lastUsedAt)}</dd>
        <dt>Ends</dt>
        <dd>${instant(grant.expiresAt)}</dd>
      </dl>
      <button class="danger" @click=${() => void this.end(grant)}>End ${grant.clientName}</button>
    </li>`;
  }
}

customElements.define("subrosa-applications", Applications);
