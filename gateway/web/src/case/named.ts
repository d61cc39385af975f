// Saving a file with real names in the place of its labels: on the person's machine alone.
import { html, nothing, type TemplateResult } from "lit";
import type { Refusal } from "../api.js";
import { refusalOf } from "../markup.js";
import { Element } from "../page.js";
import type { File as StoredFile } from "../wire.js";
import { Tally } from "./fill.js";
import { labelled } from "./labels.js";
import { theVault } from "./names.js";
import { fillFile, formOf, wasGivenUp, whileOpen } from "./naming.js";
import { save } from "./saving.js";
import { plural } from "./row.js";

/** A file that was saved with names in it. */
interface Saved {
  name: string;
  tally: Tally;
  /** Why a Word document became plain text; "" when it did not. */
  notFilled: string;
}

class Named extends Element {
  static override properties = { caseId: { attribute: false }, file: { attribute: false } };
  declare caseId: string;
  declare file: StoredFile;
  /** Gives up what is being filled in; undefined while nothing is. */
  private giveUp: AbortController | undefined;
  /** The share of a document that is filled in, from 0 to 1; undefined while nobody can say. */
  private share: number | undefined;
  private refusal: Refusal | undefined;
  private saved: Saved | undefined;
  /** Whether the person gave up what was being filled in last. */
  private gaveUp = false;

  private get at(): string {
    return `/v1/cases/${this.caseId}/files/${this.file.fileId}`;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.giveUp?.abort();
  }

  private async make(): Promise<void> {
    const giveUp = new AbortController();
    this.giveUp = giveUp;
    this.share = undefined;
    this.refusal = undefined;
    this.saved = undefined;
    this.gaveUp = false;
    this.requestUpdate();
    try {
      const vault = await theVault();
      if (!(await vault.ask())) return;
      const tally = new Tally();
      const { content, ending, notFilled } = await whileOpen(vault, giveUp, async (signal) => {
        const values = await vault.labels(this.caseId);
        return fillFile(this.file, this.at, values, tally, signal, (share) => this.show(share));
      });
      const name = `${this.file.name.replace(/\.[A-Za-z0-9]{1,5}$/, "")}-with-names${ending}`;
      save(content, name);
      this.saved = { name, tally, notFilled };
    } catch (error) {
      this.gaveUp = wasGivenUp(error);
      if (this.gaveUp) return;
      const { failureOf } = await import("../vault/failure.js");
      this.refusal = failureOf(error);
    } finally {
      this.giveUp = undefined;
      this.requestUpdate();
    }
  }

  private show(share: number): void {
    this.share = share;
    this.requestUpdate();
  }

  override render(): TemplateResult {
    return html`<section class="panel" aria-labelledby="named">
      <h2 id="named" tabindex="-1">Save with real names</h2>
      <p>
        Labels are replaced by names in this browser, and the result is saved on this machine. It is sent nowhere.
        ${formOf(this.file) === "text" ? html`<strong>A file of this kind cannot be filled as it is:</strong> you get its text, without its layout.` : nothing}
        ${this.file.source.origin === "generated" ? "Read it before you rely on it: it is a draft by software." : nothing}
      </p>
      ${refusalOf(this.refusal)}
      <p class="actions">
        <button ?disabled=${this.giveUp !== undefined} @click=${() => void this.make()}>${this.giveUp ? "Filling in…" : "Fill in names and save"}</button>
        ${this.giveUp ? this.working(this.giveUp) : nothing}
      </p>
      <div role="status">${this.outcome()}</div>
    </section>`;
  }

  /** How far it is, and the way out of it. */
  private working(giveUp: AbortController): TemplateResult {
    return html`<progress aria-label="Names filled in" max="1" value=${this.share ?? nothing}></progress>
      <button class="quiet" @click=${() => giveUp.abort()}>Cancel</button>`;
  }

  /** How the last filling ended, for the status region; a refusal stands apart from it. */
  private outcome(): TemplateResult | typeof nothing {
    if (this.saved) return this.told(this.saved);
    return this.gaveUp ? html`<p>Given up. Nothing was saved.</p>` : nothing;
  }

  private told({ name, tally, notFilled }: Saved): TemplateResult {
    const missing = [...tally.missing];
    return html`<div class="notice">
      <p><strong>${name}</strong> is saved, with ${plural(tally.filled, "name", "names")} filled in. <strong>It holds real names now:</strong> keep it as you keep client papers, and do not add it to a case.</p>
      ${notFilled ? html`<p>The Word document could not be filled, so you got its text, without its layout. ${notFilled}</p>` : nothing}
      ${
        missing.length > 0
          ? html`<p>${plural(missing.length, "label has", "labels have")} no name in your vault and stayed: ${labelled(missing.join(" "))}. <a href=${`/app/cases/${this.caseId}/parties?do=add`}>Add names of parties</a></p>`
          : nothing
      }
    </div>`;
  }
}

customElements.define("subrosa-named", Named);
