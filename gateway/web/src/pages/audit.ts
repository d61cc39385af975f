// The audit trail: who did what, without content, and whether the chains are whole.
import { html, nothing, type TemplateResult } from "lit";
import type { Refusal } from "../api.js";
import { chains, verify, type ChainName, type Checked } from "../audit/verify.js";
import { pass } from "../door.js";
import { List, asRefusal } from "../load.js";
import { badge, empty, instant, refusalOf, words } from "../markup.js";
import { Page, go } from "../page.js";
import { person } from "../person.js";
import type { AuditEvent } from "../wire.js";

const titles: Record<ChainName, string> = {
  case: "Cases",
  party: "Parties, partners and vault",
  agents: "Agents",
  auth: "Sign-ins and applications",
};

class Audit extends Page {
  private readonly events = new List<AuditEvent>(
    this,
    () => `/v1/audit/${this.chain}`,
    () => this.filters(),
    () => this.left,
  );
  private checked: Checked[] = [];
  private checking = "";
  private refusal: Refusal | undefined;

  private get chain(): ChainName {
    const given = this.query.get("chain");
    return chains.find((name) => name === given) ?? "case";
  }

  private filters(): Record<string, string | number> {
    const day = (name: string, plus: number): string => {
      const given = this.query.get(name);
      if (!given) return "";
      const date = new Date(`${given}T00:00:00`);
      date.setDate(date.getDate() + plus);
      return Number.isNaN(date.getTime()) ? "" : date.toISOString();
    };
    return {
      limit: 50,
      resourceId: this.query.get("case") ?? "",
      action: this.query.get("action") ?? "",
      from: day("from", 0),
      to: day("to", 1),
    };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.events.restart();
  }

  private async choose(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(event.currentTarget as HTMLFormElement))
      if (typeof value === "string" && value !== "") query.set(name, value);
    try {
      await pass({ q: [query.get("case") ?? "", query.get("action") ?? ""] }, false); // a name does not get into the history of the browser
    } catch (error) {
      this.refusal = asRefusal(error);
      this.requestUpdate();
      return;
    }
    go(`/app/audit?${query}`);
  }

  private async verify(): Promise<void> {
    const tenant = person()?.tenant ?? "";
    this.checked = [];
    this.refusal = undefined;
    for (const chain of chains) {
      const show = (events: number): void => {
        this.checking = `${titles[chain]}: ${events} events checked…`;
        this.requestUpdate();
      };
      show(0);
      try {
        this.checked.push(await verify(tenant, chain, this.left, show));
      } catch (error) {
        if (this.left.aborted) return;
        this.refusal = asRefusal(error);
        break;
      }
    }
    this.checking = "";
    this.requestUpdate();
  }

  override render(): TemplateResult {
    return html`<h1>What happened</h1>
      <p>Who did what and when, without content. Every event holds the hash of the one before it, so that none can be changed or left out unseen; this page can check that by itself, from the first event on.</p>
      <p class="actions">
        <button ?disabled=${this.checking !== ""} @click=${() => void this.verify()}>Check all chains here</button>
        <span role="status">${this.checking}</span>
      </p>
      ${refusalOf(this.refusal)} ${this.checked.length > 0 ? this.renderChecked() : nothing}
      <form class="filters" @submit=${(event: SubmitEvent) => void this.choose(event)}>
        <div class="field">
          <label for="chain">Chain</label>
          <select id="chain" name="chain">
            ${chains.map((name) => html`<option value=${name} ?selected=${name === this.chain}>${titles[name]}</option>`)}
          </select>
        </div>
        <div class="field"><label for="resource">About (id)</label><input id="resource" name="case" .value=${this.query.get("case") ?? ""} maxlength="256" autocomplete="off" /></div>
        <div class="field"><label for="action">Action</label><input id="action" name="action" .value=${this.query.get("action") ?? ""} placeholder="case.create" maxlength="100" autocomplete="off" /></div>
        <div class="field"><label for="from">From</label><input id="from" name="from" type="date" .value=${this.query.get("from") ?? ""} /></div>
        <div class="field"><label for="to">To</label><input id="to" name="to" type="date" .value=${this.query.get("to") ?? ""} /></div>
        <button class="quiet">Show</button>
      </form>
      ${this.events.render(
        (items) => html`<div class="scroll" tabindex="0" role="region" aria-label="Events">
          <table>
            <thead>
              <tr><th scope="col">No.</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">Did</th><th scope="col">Outcome</th><th scope="col">To</th></tr>
            </thead>
            <tbody>
              ${items.map((event) => this.renderEvent(event))}
            </tbody>
          </table>
        </div>`,
        empty("No event on this chain fits."),
      )}`;
  }

  private renderChecked(): TemplateResult {
    return html`<ul class="rows" aria-label="Result of the check">
      ${this.checked.map(
        (result) => html`<li>
          ${result.reason === "" ? badge("whole", "good") : badge("broken", "bad")} <strong>${titles[result.chain]}</strong>: ${result.events} events. ${result.reason}
          ${result.head ? html`<br /><span class="fine">Ends with <code>${result.head}</code></span>` : nothing}
        </li>`,
      )}
    </ul>`;
  }

  private renderEvent(event: AuditEvent): TemplateResult {
    const { actor, resource } = event;
    return html`<tr>
      <td>${event.seq}</td>
      <td>${instant(event.at)}</td>
      <td>${words(actor.kind)} <code>${actor.id}</code>${actor.userId && actor.userId !== actor.id ? html` for <code>${actor.userId}</code>` : nothing}</td>
      <td><code>${event.action}</code></td>
      <td>${badge(event.outcome, event.outcome === "ok" ? "good" : "warn")}</td>
      <td>${resource.type} <code>${resource.id}</code></td>
    </tr>`;
  }
}

customElements.define("subrosa-audit", Audit);
