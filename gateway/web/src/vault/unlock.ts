// The dialog that asks for the passphrase of the vault, over whatever page is open.
import { html, nothing, type TemplateResult } from "lit";
import type { Refusal } from "../api.js";
import { refusalOf } from "../markup.js";
import { Element, go } from "../page.js";
import { failureOf } from "./failure.js";
import { ChangedKey } from "./obstacle.js";
import type { Vault } from "./session.js";

let asking: Promise<boolean> | undefined;

/** Shows the dialog, once however often it is asked for. Resolves with whether the vault is open when the dialog is gone. */
export function askToUnlock(vault: Vault): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    const dialog = new Unlock(vault);
    dialog.done = () => {
      dialog.remove();
      asking = undefined;
      resolve(vault.state === "open");
    };
    document.body.append(dialog);
  });
  return asking;
}

class Unlock extends Element {
  /** Called once, when the dialog is gone. */
  done: () => void = () => undefined;

  private busy = false;
  private refusal: Refusal | undefined;
  private changed: ChangedKey | undefined;
  private stop: () => void = () => undefined;

  constructor(private readonly vault: Vault) {
    super();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stop = this.vault.subscribe(() => {
      if (this.vault.state === "open" && !this.busy) this.close();
      else this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
  }

  protected override firstUpdated(): void {
    const dialog = this.dialog;
    dialog.addEventListener("close", () => this.done(), { once: true });
    dialog.showModal();
  }

  private get dialog(): HTMLDialogElement {
    return this.querySelector("dialog") as HTMLDialogElement;
  }

  private close(): void {
    this.dialog.close();
  }

  private async unlock(event: Event): Promise<void> {
    event.preventDefault();
    const input = this.querySelector<HTMLInputElement>("#vault-passphrase");
    if (!input || this.busy) return;
    const passphrase = input.value;
    this.busy = true;
    this.refusal = undefined;
    this.changed = undefined;
    this.requestUpdate();
    await drawn();
    try {
      await this.vault.unlock(passphrase);
      input.value = "";
      if (this.vault.state === "open") this.close();
    } catch (error) {
      this.refusal = failureOf(error);
      if (error instanceof ChangedKey) this.changed = error;
    } finally {
      this.busy = false;
      this.requestUpdate();
      await this.updateComplete;
      if (this.refusal) this.querySelector<HTMLInputElement>("#vault-passphrase")?.select();
    }
  }

  private async believe(changed: ChangedKey): Promise<void> {
    await this.vault.believe(changed.version, changed.now);
    this.changed = undefined;
    this.refusal = undefined;
    this.requestUpdate();
  }

  private toVault(): void {
    this.close();
    go("/app/vault");
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="vault-ask">
      <h2 id="vault-ask">${this.vault.state === "none" ? "You have no vault yet" : "Unlock your vault"}</h2>
      ${this.renderBody()}
    </dialog>`;
  }

  private renderBody(): TemplateResult {
    if (this.vault.state === "none") {
      return html`<p>Real names are encrypted with keys that only you and your colleagues have. Make your vault first; it takes a minute.</p>
        ${this.actions(html`<button type="button" @click=${() => this.toVault()}>Make your vault</button>`)}`;
    }
    if (this.vault.state === "waiting") {
      return html`<p>Your vault is open, but the firm’s key is not in it yet. A colleague who holds it gives it to you; the page of the vault says how.</p>
        ${this.actions(html`<button type="button" @click=${() => this.toVault()}>See the vault</button>`)}`;
    }
    return html`<p>Names are decrypted in this page alone. Your passphrase is sent nowhere.</p>
      ${refusalOf(this.refusal)} ${this.changed ? this.renderChanged(this.changed) : nothing}
      <form @submit=${(event: Event) => void this.unlock(event)}>
        <div class="field">
          <label for="vault-passphrase">Passphrase</label>
          <input id="vault-passphrase" type="password" autocomplete="current-password" required autofocus aria-invalid=${this.refusal ? "true" : nothing} />
        </div>
        ${this.actions(html`<button ?disabled=${this.busy}>${this.busy ? "Unlocking…" : "Unlock"}</button>`)}
      </form>`;
  }

  private renderChanged(changed: ChangedKey): TemplateResult {
    return html`<dl class="facts">
        ${
          changed.seen
            ? html`<dt>Seen before</dt>
              <dd><code>${changed.seen}</code></dd>`
            : nothing
        }
        <dt>${changed.seen ? "Now" : "The new key"}</dt>
        <dd><code>${changed.now}</code></dd>
      </dl>
      <p><button type="button" class="danger" @click=${() => void this.believe(changed)}>A colleague sees ${changed.seen ? "the new one" : "this one"} too: believe it</button></p>`;
  }

  private actions(first: TemplateResult): TemplateResult {
    return html`<p class="actions">${first}<button type="button" class="quiet" @click=${() => this.close()}>Not now</button></p>`;
  }
}

/** Resolves once the browser has drawn what was changed: deriving a key holds up the page for a moment. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

customElements.define("subrosa-unlock", Unlock);
