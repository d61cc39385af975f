// The vault: making it, opening and locking it, its passphrase, a backup, and the firm's keys.
import { html, nothing, type TemplateResult } from "lit";
import type { Refusal } from "../api.js";
import { instant, refusalOf, tell, waiting } from "../markup.js";
import { Page } from "../page.js";
import { backupFile, readBackup, restore } from "../vault/backup.js";
import "../vault/colleagues.js";
import { failureOf } from "../vault/failure.js";
import { MIN_PASSPHRASE } from "../vault/format.js";
import { save } from "../vault/save.js";
import type { Vault as StoredVault } from "../wire.js";
import { vault } from "../vault/session.js";
import { drawn } from "../vault/unlock.js";

type Part = "page" | "create" | "passphrase" | "restore";

class VaultPage extends Page {
  private refusals: Partial<Record<Part, Refusal>> = {};
  private busy = false;
  private print = "";
  private copy: StoredVault | undefined;
  private problems: string[] = [];
  private stop: () => void = () => undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.stop = vault.subscribe(() => void this.look());
    void this.doing("page", () => vault.load(true));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
  }

  private async look(): Promise<void> {
    this.print = vault.state === "open" || vault.state === "waiting" ? await vault.ownFingerprint() : "";
    this.copy = vault.state === "none" ? await vault.lastSeen() : undefined;
    this.requestUpdate();
  }

  /** Does something that belongs to a part of the page, and shows there what it is refused with. */
  private async doing(part: Part, work: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.refusals = { ...this.refusals, [part]: undefined };
    this.requestUpdate();
    await drawn();
    try {
      await work();
      return true;
    } catch (error) {
      this.refusals = { ...this.refusals, [part]: failureOf(error) };
      return false;
    } finally {
      this.busy = false;
      this.requestUpdate();
    }
  }

  private field(name: string): HTMLInputElement {
    return this.querySelector<HTMLInputElement>(`#${name}`) as HTMLInputElement;
  }

  /** The new passphrase of a form, when both fields of it agree. */
  private agreed(prefix: string): string | undefined {
    const [first, second] = [this.field(`${prefix}-new`), this.field(`${prefix}-again`)];
    second.setCustomValidity(
      first.value === second.value ? "" : "The two passphrases differ. Type the same one twice.",
    );
    return second.reportValidity() ? first.value : undefined;
  }

  private empty(...names: string[]): void {
    for (const name of names) this.field(name).value = "";
  }

  private async create(event: Event): Promise<void> {
    event.preventDefault();
    const passphrase = this.agreed("create");
    if (passphrase === undefined) return;
    if (await this.doing("create", () => vault.create(passphrase)))
      tell("Your vault is made and open. Keep a backup of it.");
  }

  private async changePassphrase(event: Event): Promise<void> {
    event.preventDefault();
    const next = this.agreed("change");
    if (next === undefined) return;
    const now = this.field("change-now").value;
    if (!(await this.doing("passphrase", () => vault.changePassphrase(now, next)))) return;
    this.empty("change-now", "change-new", "change-again");
    tell("The passphrase is changed. Backups from before open with the old one.");
  }

  private async restore(event: Event): Promise<void> {
    event.preventDefault();
    const file = this.field("restore-file").files?.[0];
    const passphrase = this.field("restore-passphrase").value;
    const over = this.querySelector<HTMLInputElement>("#restore-over")?.checked ?? false;
    if (!file) return;
    const done = await this.doing("restore", async () => {
      this.problems = await restore(vault, await readBackup(vault, file), passphrase, over);
    });
    if (done) tell("Your vault is back, and open.");
  }

  private async lockAfter(event: Event): Promise<void> {
    const input = event.target as HTMLInputElement;
    if (input.reportValidity()) await vault.setLockAfter(input.valueAsNumber);
  }

  override render(): TemplateResult {
    return html`<section class="narrow">
      <h1>Vault</h1>
      ${refusalOf(this.refusals.page, () => void this.doing("page", () => vault.load(true)))} ${this.renderState()}
    </section>`;
  }

  private renderState(): TemplateResult | typeof nothing {
    switch (vault.state) {
      case "unknown":
        return this.refusals.page ? nothing : waiting();
      case "none":
        return this.renderNone();
      case "locked":
        return html`<p>Your vault is locked: names stay labels until you unlock it. ${this.renderChanged()}</p>
          <p class="actions"><button @click=${() => void vault.ask()}>Unlock</button></p>
          ${this.renderPassphrase()} ${this.renderBackup()}`;
      case "waiting":
      case "open":
        return html`${vault.state === "open" ? html`<p>Your vault is open in this browser. ${this.renderChanged()}</p>` : this.renderWaiting()}
          <p class="actions"><button @click=${() => vault.lock()}>Lock now</button></p>
          ${vault.warnings.map((text) => html`<p class="notice">${text}</p>`)} ${this.renderKeys()} ${this.renderLockAfter()}
          <subrosa-colleagues></subrosa-colleagues>
          ${this.renderPassphrase()} ${this.renderBackup()}`;
    }
  }

  private renderChanged(): TemplateResult | typeof nothing {
    return vault.stored ? html`Last changed ${instant(vault.stored.updatedAt)}.` : nothing;
  }

  private renderNone(): TemplateResult {
    return html`<p>Real names never reach this service. They are encrypted in your browser, with keys that only you and your colleagues have; your passphrase opens them.</p>
      ${
        this.copy
          ? html`<div class="notice">
            <p>This browser has seen a vault of yours that the service does not have any more. Save that copy, and put it back below with its passphrase, rather than making a new one.</p>
            <p><button class="quiet" @click=${() => save(backupFile(vault, this.copy), "subrosa-vault.json")}>Save the copy</button></p>
          </div>`
          : nothing
      }
      <h2>Make your vault</h2>
      <p><strong>Nobody can reset the passphrase.</strong> Who forgets it, and has no colleague with the firm’s key, loses the names: we cannot open them, and no court order makes us able to.</p>
      ${refusalOf(this.refusals.create)}
      <form @submit=${(event: Event) => void this.create(event)}>
        ${this.renderNew("create")}
        <p class="actions"><button ?disabled=${this.busy}>${this.busy ? "Making it…" : "Make the vault"}</button></p>
      </form>
      ${this.renderRestore()}`;
  }

  private renderNew(prefix: string): TemplateResult {
    return html`<div class="field">
        <label for="${prefix}-new">New passphrase</label>
        <input id="${prefix}-new" type="password" autocomplete="new-password" required minlength=${MIN_PASSPHRASE} aria-describedby="${prefix}-rule" />
        <p class="fine" id="${prefix}-rule">At least ${MIN_PASSPHRASE} characters. Four or five words that nobody would guess are good, and easy to remember.</p>
      </div>
      <div class="field">
        <label for="${prefix}-again">The same once more</label>
        <input id="${prefix}-again" type="password" autocomplete="new-password" required @input=${(event: Event) => (event.target as HTMLInputElement).setCustomValidity("")} />
      </div>`;
  }

  private renderWaiting(): TemplateResult {
    if (vault.stored?.keyVersion === 0 && vault.owner) {
      return html`<div class="notice">
        <p>The firm has no key yet, and names cannot be sealed without one.</p>
        <p><button ?disabled=${this.busy} @click=${() => void this.doing("page", () => vault.makeFirstKey())}>Make the firm’s key</button></p>
      </div>`;
    }
    return html`<div class="notice">
      <p>${vault.stored?.keyVersion === 0 ? "The firm has no key yet: an owner makes it on this page." : "Your vault is made, but nobody has given you the firm’s key yet. Read your fingerprint below to a colleague who holds it; they give it to you on this page."}</p>
      <p><button class="quiet" ?disabled=${this.busy} @click=${() => void this.doing("page", () => vault.refresh())}>Look again</button></p>
    </div>`;
  }

  private renderKeys(): TemplateResult {
    return html`<h2>Fingerprints</h2>
      <p>Read these to a colleague, by telephone or face to face, when either of you compares keys. Of the firm’s key both must see the same.</p>
      <dl class="facts">
        <dt>Yours</dt>
        <dd><code id="own-fingerprint">${this.print}</code></dd>
        ${vault.held().map(
          (key) => html`<dt>Firm key ${key.version}${key.version === vault.stored?.keyVersion ? ", in use" : ""}</dt>
            <dd><code>${key.fingerprint}</code></dd>`,
        )}
      </dl>`;
  }

  private renderLockAfter(): TemplateResult {
    return html`<h2>Locking</h2>
      <div class="field">
        <label for="lock-after">Lock after so many minutes without use</label>
        <input id="lock-after" type="number" min="1" max="60" step="1" required .valueAsNumber=${vault.lockAfter} @change=${(event: Event) => void this.lockAfter(event)} />
        <p class="fine">1 to 60, in this browser. Locking here locks every tab; so does signing out.</p>
      </div>`;
  }

  private renderPassphrase(): TemplateResult {
    return html`<h2>Change the passphrase</h2>
      <p>Only your own key is sealed anew: names stay as they are, and your colleagues notice nothing.</p>
      ${refusalOf(this.refusals.passphrase)}
      <form @submit=${(event: Event) => void this.changePassphrase(event)}>
        <div class="field">
          <label for="change-now">Present passphrase</label>
          <input id="change-now" type="password" autocomplete="current-password" required />
        </div>
        ${this.renderNew("change")}
        <p class="actions"><button class="quiet" ?disabled=${this.busy}>Change it</button></p>
      </form>`;
  }

  private renderBackup(): TemplateResult {
    return html`<h2>Backup</h2>
      <p>The file is ciphertext: your passphrase of today opens it, and nothing else does. Keep the two apart. The command line writes and reads the same file.</p>
      <p class="actions"><button class="quiet" @click=${() => save(backupFile(vault), "subrosa-vault.json")}>Save a backup</button></p>
      ${this.renderRestore()}`;
  }

  private renderRestore(): TemplateResult {
    return html`<h2>Put a backup back</h2>
      ${refusalOf(this.refusals.restore)} ${this.problems.map((text) => html`<p class="notice">${text}</p>`)}
      <form @submit=${(event: Event) => void this.restore(event)}>
        <div class="field">
          <label for="restore-file">Backup file</label>
          <input id="restore-file" type="file" accept=".json,application/json" required />
        </div>
        <div class="field">
          <label for="restore-passphrase">Passphrase of the backup</label>
          <input id="restore-passphrase" type="password" autocomplete="current-password" required />
        </div>
        ${vault.stored ? html`<label class="check"><input id="restore-over" type="checkbox" required /> It takes the place of the vault that I have; what only the present one opens is lost</label>` : nothing}
        <p class="actions"><button class="quiet" ?disabled=${this.busy}>Put it back</button></p>
      </form>`;
  }
}

customElements.define("subrosa-vault", VaultPage);
