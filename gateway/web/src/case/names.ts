// "Show names": what stands behind the labels of a case, opened by the vault in this page while a person wishes to see it.
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import { tell } from "../markup.js";
import type { Shown } from "./labels.js";
import type { Vault } from "../vault/session.js";

/** Whether the person wishes to see names, from page to page; never kept longer than this page lives. */
let wished = false;

/** The vault; its code is loaded when somebody wants names. */
export async function theVault(): Promise<Vault> {
  return (await import("../vault/session.js")).vault;
}

/** Names of one case for a page that shows its texts. They go when the vault locks. */
export class Names implements ReactiveController {
  shown: Shown;
  /** Labels whose names could not be opened. */
  failed: ReadonlyMap<string, string> = new Map();
  private stop: (() => void) | undefined;
  private busy = false;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly caseId: () => string,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    if (wished) void this.show(false);
  }

  hostDisconnected(): void {
    this.stop?.();
    this.stop = undefined;
    this.shown = undefined;
  }

  /** Shows names; `asking` says whether the passphrase may be asked for. Returns whether names are shown. */
  async show(asking = true): Promise<boolean> {
    this.busy = true;
    this.host.requestUpdate();
    try {
      const vault = await theVault();
      if (!this.stop) this.stop = vault.subscribe(() => void this.changed(vault));
      if (vault.state !== "open" && !(asking && (await vault.ask()))) return false;
      await this.read(vault);
      wished = true;
      return true;
    } catch (error) {
      if (asking) tell(error instanceof Error ? error.message : "The vault could not be opened.");
      return false;
    } finally {
      this.busy = false;
      this.host.requestUpdate();
    }
  }

  private async read(vault: Vault): Promise<void> {
    const names = await vault.namesOf(this.caseId());
    this.shown = names.values;
    this.failed = names.failed;
  }

  private async changed(vault: Vault): Promise<void> {
    if (vault.state !== "open") this.shown = undefined;
    else if (this.shown) await this.read(vault).catch(() => (this.shown = undefined));
    this.host.requestUpdate();
  }

  hide(): void {
    wished = false;
    this.shown = undefined;
    this.host.requestUpdate();
  }

  /** The button that shows and hides names. */
  button(): TemplateResult | typeof nothing {
    return html`<button class="quiet small" aria-pressed=${this.shown ? "true" : "false"} ?disabled=${this.busy} @click=${() => (this.shown ? this.hide() : void this.show())}>
      ${this.shown ? "Hide names" : "Show names"}
    </button>`;
  }
}
