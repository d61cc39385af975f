// The files of a case: found by their words, taken in without identities, and deleted by a person.
import { html, nothing, type TemplateResult } from "lit";
import { address, del, type Refusal } from "../../api.js";
import { choice, filled, refused } from "../../case/form.js";
import { contentName } from "../../case/content.js";
import { CasePage, tagOf } from "../../case/frame.js";
import { labelled, marked } from "../../case/labels.js";
import { passageAddress } from "../../case/sources.js";
import { documentTypes } from "../../case/vocabulary.js";
import "../../case/upload.js";
import { List, asRefusal } from "../../load.js";
import { badge, day, empty, instant, size, tell, words } from "../../markup.js";
import type { File as StoredFile, Workspace } from "../../wire.js";

const filters = ["q", "docType", "status", "sort"] as const;
const orders: [string, string][] = [
  ["name", "Name"],
  ["documentOn", "Date of the document"],
  ["createdAt", "Oldest first"],
  ["relevance", "Best match"],
];

class Files extends CasePage {
  protected readonly tab = "files";
  private chosen: Record<string, string> = {};
  private readonly list = new List<StoredFile>(
    this,
    () => `/v1/cases/${this.caseId}/files`,
    () => ({ ...this.chosen, sort: this.chosen["sort"] ?? (this.chosen["q"] ? "relevance" : "") }),
    () => this.left,
  );
  private typing = 0;
  private ending: StoredFile | undefined;
  private refusal: Refusal | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    for (const name of filters) {
      const value = this.query.get(name);
      if (value) this.chosen[name] = value;
    }
    void this.list.restart();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.typing);
  }

  private soon(event: Event): void {
    const form = (event.currentTarget as HTMLElement).closest("form") as HTMLFormElement;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.choose(form), event.type === "change" ? 0 : 300);
  }

  private choose(form: HTMLFormElement): void {
    const chosen = filled(form);
    if (chosen["sort"] === "relevance" && !chosen["q"]) delete chosen["sort"];
    this.chosen = chosen;
    void this.list.restart().then((shown) => {
      // What was refused may be a name: it does not get into the history of the browser.
      if (shown && this.isConnected)
        history.replaceState(null, "", address(location.pathname, { ...chosen, do: this.query.get("do") ?? "" }));
    });
  }

  private async end(event: Event): Promise<void> {
    event.preventDefault();
    const file = this.ending;
    if (!file) return;
    try {
      await del(`/v1/cases/${this.caseId}/files/${file.fileId}`, { ifMatch: tagOf(file.version) });
      this.querySelector<HTMLDialogElement>("#ending")?.close();
      tell(`${file.name} is deleted.`);
      await Promise.all([this.list.restart(), this.refresh()]);
    } catch (error) {
      this.refusal = asRefusal(error);
      await this.list.restart();
      this.ending = this.list.items.find((f) => f.fileId === file.fileId) ?? file;
    }
    this.requestUpdate();
  }

  private async ask(file: StoredFile): Promise<void> {
    this.ending = file;
    this.refusal = undefined;
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector<HTMLDialogElement>("#ending")?.showModal();
  }

  protected draw(workspace: Workspace): TemplateResult {
    const chosen = (name: string): string => this.chosen[name] ?? "";
    const deleting = this.query.get("do") === "delete";
    const naming = this.query.get("do") === "named";
    return html`${deleting ? html`<div class="notice"><p>Choose the file to delete. Agents cannot delete files; you can, and it goes on record.</p></div>` : nothing}
      ${naming ? html`<div class="notice"><p>Choose the file to save with real names. The names are filled in by this browser, and the result goes to your machine alone.</p></div>` : nothing}
      <form class="filters" role="search" @change=${(e: Event) => this.soon(e)} @submit=${(e: Event) => (e.preventDefault(), this.choose(e.currentTarget as HTMLFormElement))}>
        <div class="field">
          <label for="q">Words in the files</label>
          <input id="q" name="q" type="search" maxlength="200" .value=${chosen("q")} placeholder='words, or "a phrase"' />
        </div>
        ${choice(
          "docType",
          "Type",
          documentTypes.map((t) => [t, words(t)]),
          chosen("docType"),
          "Any",
        )}
        ${choice(
          "status",
          "State",
          [
            ["superseded", "Replaced by a newer version"],
            ["deleted", "Deleted"],
          ],
          chosen("status"),
          "In use",
        )} ${choice("sort", "Order", orders, chosen("sort"), "Newest first")}
      </form>
      ${this.list.render(
        (files) => html`<ul class="rows">${files.map((file) => this.renderFile(file, deleting, naming))}</ul>`,
        empty(
          Object.keys(this.chosen).length > 0
            ? html`No file fits. <a href=${`/app/cases/${this.caseId}/files`}>Show all files</a>`
            : "No file yet. Take the identities out of a document, then add it below.",
        ),
      )}
      ${
        this.writable && workspace.permissions.canUpload
          ? html`<subrosa-upload .caseId=${this.caseId} @added=${() => void Promise.all([this.list.restart(), this.refresh()])}></subrosa-upload>`
          : html`<p class="fine">This case takes no files at the moment.</p>`
      }
      ${this.renderEnding()}`;
  }

  private renderFile(file: StoredFile, deleting: boolean, naming: boolean): TemplateResult {
    const at = `/app/cases/${this.caseId}/files/${file.fileId}`;
    const facts = [
      words(file.docType),
      size(file.content?.sizeBytes ?? file.sizeBytes),
      file.unread.count ? `${file.unread.count} not read` : "",
      file.extraction.pages ? `${file.extraction.pages} ${file.extraction.pages === 1 ? "page" : "pages"}` : "",
      file.revision > 1 ? `version ${file.revision}` : "",
    ].filter(Boolean);
    return html`<li>
      <div class="between">
        <a class="strong" href=${naming ? `${at}?do=named` : at}>${labelled(file.name, this.shown)}</a>
        <span class="badges">
          ${file.source.origin === "generated" ? badge("draft by software") : nothing} ${file.deidCheck.status === "refused" ? badge("holds an identity", "bad") : nothing}
          ${file.agentReadable ? nothing : badge("not read by agents", "warn")} ${file.status === "active" ? nothing : badge(file.status)}
        </span>
      </div>
      <div class="between fine">
        <span>${facts.join(" · ")}${file.documentOn ? html` · of ${day(file.documentOn)}` : nothing}</span>
        <span>Added ${instant(file.createdAt)}</span>
      </div>
      ${file.hits?.map((hit) => html`<blockquote class="quotation"><p>${marked(hit.quote, this.chosen["q"] ?? "", this.shown)}</p><footer><a href=${passageAddress(this.caseId, hit)}>${hit.page ? `Open at page ${hit.page}` : "Open there"}</a></footer></blockquote>`)}
      <p class="actions">
        ${file.content ? html`<a class="button quiet small" href=${`/v1/cases/${this.caseId}/files/${file.fileId}/content`} download=${contentName(file)}>Save</a>` : nothing}
        ${naming ? html`<a class="button small" href=${`${at}?do=named`}>Save with names</a>` : nothing}
        ${file.status === "active" && this.writable ? html`<button class=${deleting ? "danger small" : "plain small"} @click=${() => void this.ask(file)}>Delete</button>` : nothing}
      </p>
    </li>`;
  }

  private renderEnding(): TemplateResult {
    return html`<dialog id="ending" aria-labelledby="ending-title">
      <form @submit=${(event: Event) => void this.end(event)}>
        <h2 id="ending-title">Delete ${this.ending?.name}?</h2>
        ${refused(this.refusal)}
        <p>It leaves the case at once, and no agent reads it any more. That it was here, and who deleted it, stays on record. Answers that quote it keep their quotations.</p>
        <p class="actions"><button class="danger">Delete</button><button type="button" class="quiet" @click=${() => this.querySelector<HTMLDialogElement>("#ending")?.close()}>Keep it</button></p>
      </form>
    </dialog>`;
  }
}

customElements.define("subrosa-case-files", Files);
