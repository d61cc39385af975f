// Saving a file with real names in the place of its labels: on the person's machine alone.
import { html, nothing, type TemplateResult } from "lit";
import { get, send, type Refusal } from "../api.js";
import { refusalOf } from "../markup.js";
import { Element } from "../page.js";
import type { File as StoredFile, FileText } from "../wire.js";
import { Tally, fill, jsonSafe } from "./fill.js";
import { NotFilled, fillApart } from "./filling.js";
import { labelled } from "./labels.js";
import { theVault } from "./names.js";
import { WORD, isRendered } from "./content.js";
import { save } from "./saving.js";
import { plural } from "./row.js";

/** Forms that are filled as they are, with what a name needs to stand in them. HTML is none: a script in it would read the names when it is opened. */
const kept: Record<string, (value: string) => string> = {
  "text/plain": (v) => v,
  "text/markdown": (v) => v,
  "application/json": jsonSafe,
};

class Named extends Element {
  static override properties = { caseId: { attribute: false }, file: { attribute: false } };
  declare caseId: string;
  declare file: StoredFile;
  /** Gives up what is being filled in; undefined while nothing is. */
  private giveUp: AbortController | undefined;
  /** The share of a document that is filled in, from 0 to 1; undefined while nobody can say. */
  private share: number | undefined;
  private refusal: Refusal | undefined;
  private saved: { name: string; tally: Tally } | undefined;

  private get form(): "same" | "word" | "text" {
    const { content } = this.file;
    if (content?.docx || content?.mediaType === WORD) return "word";
    return kept[content?.mediaType ?? ""] ? "same" : "text";
  }

  /** The type of what is kept, "" while nothing is handed out. */
  private get kept(): string {
    return this.file.content?.mediaType ?? "";
  }

  private get at(): string {
    return `/v1/cases/${this.caseId}/files/${this.file.fileId}`;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.giveUp?.abort();
  }

  private async make(): Promise<void> {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    let stop: (() => void) | undefined;
    this.giveUp = giveUp;
    this.share = undefined;
    this.refusal = undefined;
    this.saved = undefined;
    this.requestUpdate();
    try {
      const vault = await theVault();
      if (!(await vault.ask())) return;
      // A vault that locks leaves no names behind, those in the worker included.
      stop = vault.subscribe(() => vault.state !== "open" && giveUp.abort());
      const values = await vault.labels(this.caseId);
      const tally = new Tally();
      const [content, ending] = await this.filled(values, tally, signal);
      signal.throwIfAborted();
      const name = `${this.file.name.replace(/\.[A-Za-z0-9]{1,5}$/, "")}-with-names${ending}`;
      save(content, name);
      this.saved = { name, tally };
    } catch (error) {
      if (signal.aborted) return;
      const { failureOf } = await import("../vault/failure.js");
      this.refusal = failureOf(error);
    } finally {
      stop?.();
      this.giveUp = undefined;
      this.requestUpdate();
    }
  }

  private async filled(
    values: ReadonlyMap<string, string>,
    tally: Tally,
    signal: AbortSignal,
  ): Promise<[Blob, string]> {
    const ending = isRendered(this.file) ? ".md" : (/\.[A-Za-z0-9]{1,5}$/.exec(this.file.name)?.[0] ?? "");
    if (this.form === "word") {
      const answer = await send("GET", `${this.at}/content?form=docx`, null, {}, { signal });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      try {
        const filled = await fillApart(bytes, values, tally, signal, (share) => this.show(share));
        return [new Blob([filled as BlobPart], { type: WORD }), ".docx"];
      } catch (error) {
        if (!(error instanceof NotFilled)) throw error;
        return [await this.text(values, tally), ".txt"];
      }
    }
    const escape = kept[this.kept];
    if (!escape) return [await this.text(values, tally), ".txt"];
    const text = await (await send("GET", `${this.at}/content`, null, {})).text();
    return [new Blob([fill(text, values, tally, escape)], { type: `${this.kept};charset=utf-8` }), ending];
  }

  private show(share: number): void {
    this.share = share;
    this.requestUpdate();
  }

  private async text(values: ReadonlyMap<string, string>, tally: Tally): Promise<Blob> {
    const { text } = await get<FileText>(`${this.at}/text`);
    return new Blob([fill(text, values, tally)], { type: "text/plain;charset=utf-8" });
  }

  override render(): TemplateResult {
    return html`<section class="panel" aria-labelledby="named">
      <h2 id="named" tabindex="-1">Save with real names</h2>
      <p>
        Labels are replaced by names in this browser, and the result is saved on this machine. It is sent nowhere.
        ${this.form === "text" ? html`<strong>A file of this kind cannot be filled as it is:</strong> you get its text, without its layout.` : nothing}
        ${this.file.source.origin === "generated" ? "Read it before you rely on it: it is a draft by software." : nothing}
      </p>
      ${refusalOf(this.refusal)}
      <p class="actions">
        <button ?disabled=${this.giveUp !== undefined} @click=${() => void this.make()}>${this.giveUp ? "Filling in…" : "Fill in names and save"}</button>
        ${this.giveUp ? this.working(this.giveUp) : nothing}
      </p>
      <div role="status">${this.saved ? this.told(this.saved) : nothing}</div>
    </section>`;
  }

  /** How far it is, and the way out of it. */
  private working(giveUp: AbortController): TemplateResult {
    return html`<progress aria-label="Names filled in" max="1" value=${this.share ?? nothing}></progress>
      <button class="quiet" @click=${() => giveUp.abort()}>Cancel</button>`;
  }

  private told({ name, tally }: { name: string; tally: Tally }): TemplateResult {
    const missing = [...tally.missing];
    const asText = this.form === "word" && name.endsWith(".txt");
    return html`<div class="notice">
      <p><strong>${name}</strong> is saved, with ${plural(tally.filled, "name", "names")} filled in. <strong>It holds real names now:</strong> keep it as you keep client papers, and do not add it to a case.</p>
      ${asText ? html`<p>The document is put together in a way that could not be filled, so you got its text.</p>` : nothing}
      ${
        missing.length > 0
          ? html`<p>${plural(missing.length, "label has", "labels have")} no name in your vault and stayed: ${labelled(missing.join(" "))}. <a href=${`/app/cases/${this.caseId}/parties?do=add`}>Add names of parties</a></p>`
          : nothing
      }
    </div>`;
  }
}

customElements.define("subrosa-named", Named);
