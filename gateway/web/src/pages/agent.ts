// The person's agent: connecting one, how it is, and ending it.
import { html, nothing, type TemplateResult } from "lit";
import { Refusal, del, get, post } from "../api.js";
import { Load, asRefusal } from "../load.js";
import { badge, instant, refusalOf, tell } from "../markup.js";
import { Page } from "../page.js";
import type { Agent as AgentRecord, Me, RegistrationToken } from "../wire.js";

/** How the signatures of a card stand, in words. */
const signatures: Record<AgentRecord["card_signature"], string> = {
  none: "none",
  valid: "valid",
  invalid: "invalid: it is not over this card",
  unknown_key: "by a key that is not known here",
};

class AgentPage extends Page {
  private readonly agent = new Load<AgentRecord | null>(
    this,
    async () => (await get<Me>("/v1/me", { signal: this.left })).agent,
  );
  private readonly health = new Load<string>(this, async () => {
    try {
      await get(`/v1/agents/${this.agent.value?.agent_id ?? ""}/health`, { signal: this.left });
      return "";
    } catch (error) {
      if (error instanceof Refusal && (error.code === "card_unreachable" || error.code === "card_invalid"))
        return error.message;
      throw error;
    }
  });
  private token: RegistrationToken | undefined;
  private until = 0;
  private seconds = 0;
  private clock = 0;
  private refusal: Refusal | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.refresh();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.clock);
    this.token = undefined;
  }

  private async refresh(): Promise<void> {
    await this.agent.run();
    if (this.agent.value) {
      this.forget();
      await this.health.run();
    }
  }

  private forget(): void {
    clearInterval(this.clock);
    this.token = undefined;
    this.requestUpdate();
  }

  private async begin(): Promise<void> {
    this.refusal = undefined;
    try {
      this.token = await post<RegistrationToken>("/v1/agents/registration-token", undefined);
    } catch (error) {
      this.refusal = asRefusal(error);
      this.requestUpdate();
      return;
    }
    this.until = performance.now() + this.token.expires_in_seconds * 1000;
    clearInterval(this.clock);
    this.clock = setInterval(() => this.tick(), 1000);
    this.tick();
  }

  /** Counts down, and looks every few seconds whether the agent has come. */
  private tick(): void {
    this.seconds = Math.max(0, Math.round((this.until - performance.now()) / 1000));
    if (this.seconds === 0) this.forget();
    else if (this.seconds % 5 === 0) void this.refresh();
    this.requestUpdate();
  }

  private async end(event: Event): Promise<void> {
    event.preventDefault();
    const agent = this.agent.value;
    if (!agent) return;
    try {
      await del(`/v1/agents/${agent.agent_id}`);
      this.querySelector("dialog")?.close();
      tell("The agent is disconnected. Its key and its bearers ended at once.");
      await this.refresh();
    } catch (error) {
      this.refusal = asRefusal(error);
      this.requestUpdate();
    }
  }

  override render(): TemplateResult {
    return html`<section class="narrow">
      <h1>Your agent</h1>
      ${refusalOf(this.refusal)} ${this.agent.render((agent) => (agent ? this.renderAgent(agent) : this.renderConnect()))}
    </section>`;
  }

  private renderConnect(): TemplateResult {
    return html`<p>One agent works for you. It sees labels only, and what it states waits for your review. To connect it, hand it a registration token; it registers itself with it, and gets a key that nobody sees again.</p>
      ${this.token ? this.renderToken(this.token) : html`<p><button @click=${() => void this.begin()}>Make a registration token</button></p>`}`;
  }

  private renderToken(token: RegistrationToken): TemplateResult {
    const minutes = Math.floor(this.seconds / 60);
    const left = `${minutes}:${String(this.seconds % 60).padStart(2, "0")}`;
    const command = `curl ${location.origin}/v1/agents/register \\\n  -H 'Content-Type: application/json' \\\n  -d '{"registration_token":"${token.registration_token}","agent_card_url":"https://YOUR-AGENT/.well-known/agent.json"}'`;
    return html`<div class="panel">
      <h2>Registration token</h2>
      <p>Valid once, for <strong role="timer">${left}</strong> more. Whoever has it connects an agent as yours: hand it to your agent alone.</p>
      <pre id="token">${token.registration_token}</pre>
      <p class="actions"><button @click=${() => void this.copy(token.registration_token, "The token is copied.")}>Copy the token</button><button class="quiet" @click=${() => this.forget()}>Hide it</button></p>
      <h3>What the agent does</h3>
      <p>It sends the token with the address of its own agent card, and keeps the key from the answer:</p>
      <pre id="command">${command}</pre>
      <p class="actions"><button class="quiet" @click=${() => void this.copy(command, "The command is copied.")}>Copy the command</button></p>
      <p role="status">Waiting for the agent…</p>
    </div>`;
  }

  private async copy(text: string, told: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      tell(told);
    } catch {
      tell("The browser does not let this page copy. Mark the text and copy it yourself.");
    }
  }

  private renderAgent(agent: AgentRecord): TemplateResult {
    return html`<div class="panel">
        <h2>${agent.name} ${badge(agent.status, agent.status === "active" ? "good" : "warn")}</h2>
        ${agent.description ? html`<p>${agent.description}</p>` : nothing}
        <dl class="facts">
          <dt>Id</dt>
          <dd><code>${agent.agent_id}</code></dd>
          <dt>Address</dt>
          <dd>${agent.url}</dd>
          <dt>Card</dt>
          <dd>${agent.agent_card_url}</dd>
          <dt>Signature of the card</dt>
          <dd>${signatures[agent.card_signature]}</dd>
          ${agent.card_changed_at ? html`<dt>Card changed</dt><dd>${badge("changed", "warn")} seen ${instant(agent.card_changed_at)}. What was registered stays in force; disconnect the agent and register it again to take the new card.</dd>` : nothing}
          <dt>Connected</dt>
          <dd>${instant(agent.connected_at)}</dd>
          <dt>Last used</dt>
          <dd>${agent.last_used_at ? instant(agent.last_used_at) : "not yet"}</dd>
        </dl>
        <h3>Health</h3>
        ${this.health.render((ill) => html`<p>${ill ? badge("unhealthy", "warn") : badge("healthy", "good")} ${ill || "Its card can be fetched and is valid."}</p>`)}
        <p class="actions">
          <button class="quiet" @click=${() => void this.refresh()}>Look again</button>
          <button class="danger" @click=${() => this.querySelector("dialog")?.showModal()}>Disconnect</button>
        </p>
      </div>
      <dialog aria-labelledby="end">
        <form @submit=${(event: Event) => void this.end(event)}>
          <h2 id="end">Disconnect ${agent.name}?</h2>
          <p>Its key and its bearers end at once; runs that it started go on to their end and stay on record. To work for you again it registers anew.</p>
          <p class="actions"><button class="danger">Disconnect</button><button type="button" class="quiet" @click=${() => this.querySelector("dialog")?.close()}>Keep it</button></p>
        </form>
      </dialog>`;
  }
}

customElements.define("subrosa-agent", AgentPage);
