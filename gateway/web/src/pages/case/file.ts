// One file of a case: what is known of it, and its text, with the passage marked that a source names.
import { html, nothing, type TemplateResult } from "lit";
import { get, type Refusal } from "../../api.js";
import { contentName, droppedWords, isRendered, unreadWords, weakWords, wordName } from "../../case/content.js";
import { CasePage } from "../../case/frame.js";
import { labelled } from "../../case/labels.js";
import { Reading } from "../../case/reading.js";
import { Load, asRefusal } from "../../load.js";
import { badge, day, instant, refusalOf, size, waiting, words } from "../../markup.js";
import type { File as StoredFile } from "../../wire.js";

const readable = new Set(["ok", "low_quality"]);

class FilePage extends CasePage {
  protected readonly tab = "files";
  private readonly file = new Load<StoredFile>(this, () => get<StoredFile>(this.at, { signal: this.left }));
  private reading: Reading | undefined;
  private refusal: Refusal | undefined;
  private busy = false;
  private start = 0;
  private end = 0;
  private named = false;

  private get at(): string {
    return `/v1/cases/${this.caseId}/files/${this.params["fileId"] ?? ""}`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.start = numberIn(this.query.get("from"));
    this.end = numberIn(this.query.get("to"));
    void this.look();
    if (this.query.get("do") === "named") void this.nameIt();
  }

  private async nameIt(): Promise<void> {
    await import("../../case/named.js");
    this.named = true;
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector<HTMLElement>("subrosa-named button")?.focus();
  }

  private async look(): Promise<void> {
    await this.file.run();
    if (readable.has(this.file.value?.extraction.status ?? "")) await this.load();
  }

  private async load(): Promise<void> {
    const reading = new Reading(`${this.at}/text`);
    await this.read(() => reading.around(this.start, this.end, this.left));
    if (this.refusal) return;
    this.reading = reading;
    this.requestUpdate();
    await this.updateComplete;
    const passage = this.querySelector<HTMLElement>("#passage");
    passage?.scrollIntoView({ block: "center" });
    passage?.focus({ preventScroll: true });
  }

  private async read(task: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.refusal = undefined;
    this.requestUpdate();
    try {
      await task();
    } catch (error) {
      if (!this.left.aborted) this.refusal = asRefusal(error);
    } finally {
      this.busy = false;
      this.requestUpdate();
    }
  }

  /** Saves what the text was made of. Its code is loaded when somebody wants it. */
  private async original(sealedFileId: string): Promise<void> {
    this.busy = true;
    this.refusal = undefined;
    this.requestUpdate();
    const [{ saveOriginal }, { failureOf }] = await Promise.all([
      import("../../vault/originals.js"),
      import("../../vault/failure.js"),
    ]);
    try {
      await saveOriginal(this.caseId, sealedFileId, this.left);
    } catch (error) {
      this.refusal = failureOf(error);
    } finally {
      this.busy = false;
      this.requestUpdate();
    }
  }

  protected draw(): TemplateResult {
    return html`<p class="crumb"><a href=${`/app/cases/${this.caseId}/files`}>Files of this case</a></p>
      ${this.file.render((file) => this.renderFile(file))}`;
  }

  private renderFile(file: StoredFile): TemplateResult {
    return html`<div class="between">
        <h2 class="first">${labelled(file.name, this.shown)}</h2>
        <p class="actions">
          ${file.content ? html`<a class="button quiet small" href=${`${this.at}/content`} download=${contentName(file)}>Save</a>` : nothing}
          ${file.content?.docx ? html`<a class="button quiet small" href=${`${this.at}/content?form=docx`} download=${wordName(file)}>Save as Word</a>` : nothing}
          ${file.sealedFileId ? html`<button class="quiet small" ?disabled=${this.busy} @click=${() => void this.original(file.sealedFileId ?? "")}>Save the original</button>` : nothing}
          ${this.named || file.findings.labels.length === 0 ? nothing : html`<button class="quiet small" @click=${() => void this.nameIt()}>Save with real names</button>`}
        </p>
      </div>
      ${this.named ? html`<subrosa-named .caseId=${this.caseId} .file=${file}></subrosa-named>` : nothing}
      <details>
        <summary>${words(file.docType)}, ${size(file.content?.sizeBytes ?? file.sizeBytes)}${file.agentReadable ? nothing : html` ${badge("not read by agents", "warn")}`}</summary>
        <dl class="facts">
          <dt>Added</dt>
          <dd>${instant(file.createdAt)} by ${file.uploadedBy.kind === "user" ? file.uploadedBy.id : `${file.uploadedBy.kind} of ${file.uploadedBy.userId}`}</dd>
          ${file.documentOn ? html`<dt>Date of the document</dt><dd>${day(file.documentOn)}</dd>` : nothing}
          <dt>Type</dt>
          <dd>${words(file.docType)}${file.docTypeBasis === "rule" ? ", as the service reads it" : ""}</dd>
          <dt>Privilege</dt>
          <dd>${words(file.privilege)}</dd>
          <dt>Check for identities</dt>
          <dd>${file.deidCheck.status === "attested" ? html`attested by ${file.deidCheck.attestedByUserId}` : words(file.deidCheck.status)}, ${instant(file.deidCheck.at)}</dd>
          <dt>Labels in it</dt>
          <dd>${file.findings.labels.length > 0 ? labelled(file.findings.labels.join(" "), this.shown) : "none"}</dd>
          <dt>Sent</dt>
          <dd>${size(file.sizeBytes)} of ${file.mediaType}, SHA-256 <code>${file.sha256}</code></dd>
          ${isRendered(file) ? html`<dt>Kept</dt><dd>${size(file.content?.sizeBytes ?? 0)} of text, written from what was read (${file.content?.renderer})</dd>` : nothing}
          ${isRendered(file) || file.sealedFileId ? html`<dt>Original</dt><dd>${file.sealedFileId ? html`kept, encrypted for your firm; <em>Save the original</em> opens it here` : "not kept"}</dd>` : nothing}
          ${file.dropped.length > 0 ? html`<dt>Left out</dt><dd>${droppedWords(file)}</dd>` : nothing}
          ${file.supersedesFileId ? html`<dt>Before it</dt><dd><a href=${`/app/cases/${this.caseId}/files/${file.supersedesFileId}`}>Version ${file.revision - 1}</a></dd>` : nothing}
        </dl>
      </details>
      ${weakWords(file) ? html`<p class="notice">The text is of low quality, since ${weakWords(file)}. Compare it with the document.</p>` : nothing}
      ${file.unread.count > 0 ? html`<p class="notice">${unreadWords(file)}. Whoever reads this text does not know what is there.</p>` : nothing}
      ${file.content ? nothing : html`<p class="notice">This file was stored before only renditions were kept, and its content is not handed out ${readable.has(file.extraction.status) ? "until its rendition is made; its text is below" : "any more"}.</p>`}
      ${
        file.deidCheck.status === "refused"
          ? html`<div class="refusal" role="alert"><p>A later check found an identity in this file. Agents do not read it any more. <a href=${`/app/redact?case=${this.caseId}`}>Take it out here</a>, add the result, and delete this file.</p></div>`
          : nothing
      }
      ${this.renderText(file)}`;
  }

  private renderText(file: StoredFile): TemplateResult | typeof nothing {
    if (!readable.has(file.extraction.status)) return html`<p class="empty">${unreadable(file)}</p>`;
    const reading = this.reading;
    if (!reading) return this.refusal ? refusalOf(this.refusal, () => void this.load()) : waiting();
    const pieces = reading.pieces(this.start, this.end);
    const first = pieces.findIndex((piece) => piece.marked);
    return html`${this.end > this.start && first < 0 ? html`<p class="notice">The passage is not in this version of the text.</p>` : nothing}
      ${reading.from > 0 ? html`<p><button class="quiet" ?disabled=${this.busy} @click=${() => void this.read(() => reading.earlier(this.left))}>Show what stands before</button></p>` : nothing}
      <article class="document" aria-label=${`Text of ${file.name}`}>${pieces.map((piece, i) => html`${piece.page > 1 ? html`<span class="page">Page ${piece.page}</span>` : nothing}${piece.marked ? html`<mark id=${i === first ? "passage" : nothing} tabindex=${i === first ? "-1" : nothing}>${labelled(piece.text, this.shown)}</mark>` : labelled(piece.text, this.shown)}`)}</article>
      ${refusalOf(this.refusal)}
      ${
        reading.to < reading.total
          ? html`<p><button class="quiet" ?disabled=${this.busy} @click=${() => void this.read(() => reading.later(this.left))}>${this.busy ? "Loading…" : "Show more"}</button> <span class="fine">${Math.round((100 * reading.to) / reading.total)} % of the text is here</span></p>`
          : nothing
      }`;
  }
}

function numberIn(text: string | null): number {
  return text && /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
}

function unreadable(file: StoredFile): string {
  switch (file.extraction.status) {
    case "needs_ocr":
      return "This file is a picture of text; there is no text in it to show. Save it to look at it.";
    case "encrypted":
      return "This file is encrypted, so there is no text to show.";
    case "damaged":
      return "This file is damaged, and its text could not be read.";
    default:
      return "The text of files of this kind is not read. Save it to look at it.";
  }
}

customElements.define("subrosa-case-file", FilePage);
