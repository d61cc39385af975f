// Taking in a file that is de-identified already, with its progress, and what to do when the gate finds something.
import { html, nothing, type TemplateResult } from "lit";
import { type Detail, Refusal, del } from "../api.js";
import { passFile } from "../door.js";
import { asRefusal } from "../load.js";
import { size, tell, words } from "../markup.js";
import { Element } from "../page.js";
import type { FileItems, File as StoredFile } from "../wire.js";
import { unreadWords, willBeRendered } from "./content.js";
import { choice, filled, found, problem, refused } from "./form.js";
import { theVault } from "./names.js";
import { sendForm } from "./sending.js";
import { confidentialities, documentTypes } from "./vocabulary.js";

const most = 25 * 1024 * 1024;

class Upload extends Element {
  static override properties = { caseId: { attribute: false } };
  declare caseId: string;
  private file: File | undefined;
  private sent = 0;
  private sending: AbortController | undefined;
  private refusal: Refusal | undefined;
  private unproved = false; // nobody but a person can say what the file shows
  private open = false; // the vault, so that an original can be sealed
  private unread: StoredFile | undefined; // what was added and not read in full

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sending?.abort();
  }

  private take(file: File | undefined): void {
    this.file = file;
    this.refusal = undefined;
    this.unread = undefined;
    void theVault().then((vault) => {
      this.open = vault.state === "open";
      this.requestUpdate();
    });
    this.unproved = false;
    const name = this.querySelector<HTMLInputElement>("input[name=name]");
    if (name && file) name.value = file.name;
    this.requestUpdate();
  }

  private async send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!this.file) return;
    const { attested, original, ...metadata } = filled(event.currentTarget as HTMLFormElement);
    this.sending = new AbortController();
    this.sent = 0;
    this.refusal = undefined;
    this.requestUpdate();
    try {
      await passFile(this.file, metadata, attested !== undefined);
      const sealedFileId = original ? await this.seal(this.file, metadata["name"] ?? this.file.name) : undefined;
      const added = await this.sendWith(this.file, metadata, attested !== undefined, sealedFileId);
      this.unread = added && added.unread.count > 0 ? added : undefined;
      tell(told(metadata["name"] ?? this.file.name, added, sealedFileId));
      this.querySelector("form")?.reset();
      this.file = undefined;
      this.dispatchEvent(new Event("added"));
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) this.refusal = asRefusal(error);
    } finally {
      this.sending = undefined;
      this.requestUpdate();
    }
  }

  /** Stores the original as ciphertext and returns the id of the file that holds it. */
  private async seal(file: File, name: string): Promise<string> {
    const { keepOriginal } = await import("../redact/keep.js");
    const content = new Uint8Array(await file.arrayBuffer());
    return keepOriginal(this.caseId, `${name.replace(/\.[a-z]+$/i, "")}.sealed`, {
      name: file.name,
      mediaType: file.type || "application/octet-stream",
      content,
    });
  }

  /**
   * Sends the file. When the service refuses it or has it already, its sealed original goes again: it would belong to
   * nothing. When nobody knows whether it was taken, as after a broken connection, the original stays.
   */
  private async sendWith(
    file: File,
    metadata: Record<string, string>,
    attested: boolean,
    sealedFileId: string | undefined,
  ): Promise<StoredFile | undefined> {
    const body = new FormData();
    const said = { ...metadata, ...(attested && { attestation: true }), ...(sealedFileId && { sealedFileId }) };
    body.set("metadata", JSON.stringify([said]));
    body.set("file", file, metadata["name"] ?? file.name);
    const progress = (part: number): void => {
      this.sent = part;
      this.requestUpdate();
    };
    const signal = this.sending?.signal ?? new AbortController().signal;
    const drop = (): Promise<unknown> => del(`/v1/cases/${this.caseId}/files/${sealedFileId}`).catch(() => undefined);
    let added: StoredFile | undefined;
    try {
      added = (await sendForm<FileItems>(`/v1/cases/${this.caseId}/files`, body, progress, signal)).items[0];
    } catch (error) {
      const refused = error instanceof Refusal && error.status >= 400 && error.status < 500;
      if (sealedFileId && refused) await drop();
      throw error;
    }
    if (sealedFileId && added?.duplicate && added.sealedFileId !== sealedFileId) await drop();
    return added;
  }

  override render(): TemplateResult {
    const busy = this.sending !== undefined;
    const tooBig = (this.file?.size ?? 0) > most;
    this.unproved ||= this.refusal?.code === "identity_unverifiable";
    const unproved = this.unproved;
    return html`<section class="panel" aria-labelledby="add-file">
      <h2 id="add-file" class="first">Add a file</h2>
      <p>A file with names in it goes through <a href=${`/app/redact?case=${this.caseId}`}>Take identities out of a document</a>, which puts labels in their place before anything is sent. Here you add one that holds labels already; the service checks it.</p>
      ${this.unread ? html`<p class="notice" role="status"><strong>${this.unread.name}</strong>: ${unreadWords(this.unread)}. Keep your own copy of the file, or add what stands there as a text.</p>` : nothing}
      ${this.refusal?.code === "identity_refused" ? this.renderFindings(this.refusal) : refused(this.refusal)}
      <form @submit=${(event: SubmitEvent) => void this.send(event)}>
        <div class="field">
          <label for="file">File</label>
          <input id="file" type="file" required accept=".txt,.md,.html,.htm,.csv,.json,.eml,.mht,.mhtml,.pdf,.docx,.odt,.ott,.fodt,.png,.jpg,.jpeg,.tif,.tiff" ?disabled=${busy} aria-describedby="file-says" @change=${(e: Event) => this.take((e.currentTarget as HTMLInputElement).files?.[0])} />
          <p class="fine" id="file-says">${this.file ? `${size(this.file.size)}${tooBig ? ": too big, a file has at most 25 MB" : ""}` : "PDF, Word, text, e-mail or picture; at most 25 MB"}</p>
        </div>
        ${
          this.file
            ? html`<div class="filters">
                <div class="field">
                  <label for="f-name">Name in the case</label>
                  <input id="f-name" name="name" maxlength="180" required .value=${this.file.name} aria-describedby="problem-name" />
                  ${problem(this.refusal, "name", this.file.name)}
                </div>
                ${choice(
                  "docType",
                  "Type",
                  documentTypes.map((t) => [t, words(t)]),
                  "",
                  "Have it guessed",
                )}
                <div class="field"><label for="f-on">Date of the document</label><input id="f-on" name="documentOn" type="date" /></div>
                ${choice("privilege", "Privilege", confidentialities, "", "As the case")}
              </div>
              ${this.renderKept(this.file)}
              ${
                unproved || this.file.type.startsWith("image/")
                  ? html`<div class="field"><label class="check"><input type="checkbox" name="attested" value="true" required />I have looked at every page and found no identity. Agents will never read this file.</label></div>`
                  : nothing
              }`
            : nothing
        }
        ${
          busy
            ? html`<p role="status"><progress max="1" .value=${this.sent}></progress> ${this.sent < 1 ? `${Math.round(this.sent * 100)} % sent` : "Sent; the service reads and checks it…"}</p>`
            : nothing
        }
        <p class="actions">
          <button ?disabled=${busy || !this.file || tooBig}>Add the file</button>
          ${busy ? html`<button type="button" class="quiet" @click=${() => this.sending?.abort()}>Stop</button>` : nothing}
        </p>
      </form>
    </section>`;
  }

  /** What becomes of the file that was chosen, and how its original can be kept. */
  private renderKept(file: File): TemplateResult | typeof nothing {
    if (!willBeRendered(file.name)) return nothing;
    return html`<p class="fine">Of a file of this kind the service keeps only what it reads: its text with headings, lists and tables, and of a Word file a new one. The file itself cannot be had back from it, so keep your own copy${this.open ? "" : html`, or <a href="/app/vault">open your vault</a> to store the original with the case, encrypted`}.</p>
      ${this.open ? html`<div class="field"><label class="check"><input type="checkbox" name="original" value="true" />Keep the original with it, encrypted for your firm</label></div>` : nothing}`;
  }

  private renderFindings(refusal: Refusal): TemplateResult {
    return html`<div class="refusal" role="alert">
      <p>${refusal.message}</p>
      <ul>
        ${refusal.details.slice(0, 10).map((detail) => html`<li>${placeOf(detail)}: ${found(detail, detail.path === "name" ? this.file?.name : "")}</li>`)}
      </ul>
      ${refusal.details.length > 10 ? html`<p>And ${refusal.details.length - 10} more places.</p>` : nothing}
      <p><a href=${`/app/redact?case=${this.caseId}`}>Take identities out of this document here</a>, or clear there what is none.</p>
    </div>`;
  }
}

/** What came of adding a file, and of its original where one was to be kept. */
function told(sent: string, added: StoredFile | undefined, sealedFileId: string | undefined): string {
  const there = added?.name ?? "The file";
  const name = added?.duplicate && sent !== there ? `${sent} is the same as ${there}, which` : there;
  const kept = sealedFileId !== undefined && added?.sealedFileId === sealedFileId;
  if (!added?.duplicate) return `${name} is in the case${kept ? ", and its original is kept with it, encrypted" : ""}.`;
  if (kept) return `${name} is in the case already; its original is kept with it now, encrypted.`;
  if (sealedFileId === undefined) return `${name} is in the case already; nothing was added.`;
  return added.sealedFileId
    ? `${name} is in the case already, with its original; nothing was added.`
    : `${sent} is what the service hands out of ${there}, and not its original: nothing was added.`;
}

/** Where in a file something was found. */
function placeOf(detail: Detail): string {
  const path = (detail.path ?? "text").replace(/^files?\[\d+\]\./, "");
  const at = detail.start === undefined || path === "name" ? "" : `, at byte ${detail.start}`;
  return `${path === "text" ? "Text" : words(path.replace(/^metadata\./, "metadata: "))}${at}`;
}

customElements.define("subrosa-upload", Upload);
