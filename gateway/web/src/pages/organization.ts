// What holds for all cases of the organization. Changing it needs the role admin.
import { html, nothing, type TemplateResult } from "lit";
import { Refusal, patch, read, type Answer } from "../api.js";
import { Load, asRefusal } from "../load.js";
import { plural } from "../case/row.js";
import { refusalOf, size, tell, words } from "../markup.js";
import { Page } from "../page.js";
import { hasRole, person } from "../person.js";
import type { Settings, SettingsPatch } from "../wire.js";

const choices = {
  openedBy: ["owners", "users", "agents"],
  conflictPolicy: ["flag", "block"],
  defaultAiPolicy: ["no_model", "local_model_only", "model_allowed"],
  a2aDefaultContainer: ["ask", "new_case"],
} as const;

class Organization extends Page {
  private readonly settings = new Load<Answer<Settings>>(this, () =>
    read<Settings>("/v1/settings", { signal: this.left }),
  );
  private refusal: Refusal | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.settings.run();
  }

  private async save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const before = this.settings.value;
    if (!before) return;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    const changes: SettingsPatch = {
      openedBy: text("openedBy") as Settings["openedBy"],
      conflictPolicy: text("conflictPolicy") as Settings["conflictPolicy"],
      defaultAiPolicy: text("defaultAiPolicy") as Settings["defaultAiPolicy"],
      a2aDefaultContainer: text("a2aDefaultContainer") as Settings["a2aDefaultContainer"],
      archiveAfterDays: text("archiveAfterDays") === "" ? null : Number(text("archiveAfterDays")),
      removeOriginals: form.get("removeOriginals") !== null || (before.body.removeOriginals && !before.body.originals),
      allowedWords: text("allowedWords")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
      authorities: text("authorities")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
      tierCutPoints: text("tierCutPoints")
        .split(",")
        .map((part) => Number(part.trim())),
    };
    try {
      await patch<Settings>("/v1/settings", changes, { ifMatch: before.etag });
      this.refusal = undefined;
      tell("Saved. It applies to everybody within a few seconds.");
    } catch (error) {
      const refusal = asRefusal(error);
      this.refusal =
        refusal.status === 412
          ? new Refusal(
              412,
              refusal.code,
              "Somebody changed the settings meanwhile. They are shown as they are now; make your change again.",
            )
          : refusal;
      if (refusal.status !== 412) {
        this.requestUpdate();
        return;
      }
    }
    await this.settings.run();
  }

  override render(): TemplateResult {
    return html`<section class="narrow">
      <h1>Organization</h1>
      <p>What holds for all cases of <code>${person()?.tenant}</code>.${hasRole("admin") ? "" : " Changing it needs the role admin."}</p>
      ${refusalOf(this.refusal)} ${this.settings.render(({ body }) => this.renderForm(body))}
    </section>`;
  }

  private renderForm(settings: Settings): TemplateResult {
    const closed = !hasRole("admin");
    const choice = (name: keyof typeof choices, title: string, now: string): TemplateResult => html`<div class="field">
      <label for=${name}>${title}</label>
      <select id=${name} name=${name} ?disabled=${closed}>
        ${choices[name].map((value) => html`<option value=${value} ?selected=${value === now}>${words(value)}</option>`)}
      </select>
    </div>`;
    return html`<form @submit=${(event: SubmitEvent) => void this.save(event)}>
      ${choice("openedBy", "Who may open cases", settings.openedBy)} ${choice("conflictPolicy", "When a conflict of interest shows", settings.conflictPolicy)} ${choice("defaultAiPolicy", "Language models, unless a case says otherwise", settings.defaultAiPolicy)} ${choice("a2aDefaultContainer", "When another agent's message names no case", settings.a2aDefaultContainer)}
      <div class="field">
        <label for="archiveAfterDays">Archive closed cases after (days)</label>
        <input id="archiveAfterDays" name="archiveAfterDays" type="number" min="1" .value=${String(settings.archiveAfterDays ?? "")} ?disabled=${closed} />
        <p class="fine">Empty: never by itself.</p>
      </div>
      <div class="field">
        <label for="tierCutPoints">Scores at which the next tier begins</label>
        <input id="tierCutPoints" name="tierCutPoints" .value=${settings.tierCutPoints.join(", ")} ?disabled=${closed} />
      </div>
      <div class="field">
        <label for="allowedWords">Words that identify nobody</label>
        <textarea id="allowedWords" name="allowedWords" .value=${settings.allowedWords.join("\n")} ?disabled=${closed}></textarea>
        <p class="fine">One in a line, such as the telephone number of a court's clerk. They pass at every door; never put a client's name here.</p>
      </div>
      <div class="field">
        <label for="authorities">Authorities that a language model may cite</label>
        <textarea id="authorities" name="authorities" .value=${settings.authorities.join("\n")} ?disabled=${closed}></textarea>
        <p class="fine">One citation in a line, such as 347 U.S. 483, without names; at most 5,000. An authority that stands neither here nor in a file of the case is taken out of the answer.</p>
      </div>
      ${this.renderOriginals(settings, closed)}
      <p class="actions"><button ?disabled=${closed}>Save</button></p>
    </form>`;
  }

  /** How many files there are from before only renditions were kept, and the consent to their removal. */
  private renderOriginals(settings: Settings, closed: boolean): TemplateResult | typeof nothing {
    const old = settings.originals;
    if (!old) return nothing;
    return html`<fieldset>
      <legend>Originals from before</legend>
      <p>Word files, PDFs, web pages and e-mails used to be stored as they were sent. Now only what was read of them is kept and handed out. <strong>${plural(old.setAside, "original", "originals")}, ${size(old.sizeBytes)} in all, ${old.setAside === 1 ? "is" : "are"} set aside.</strong> Nobody can fetch them.
        ${old.waiting > 0 ? `${plural(old.waiting, "file waits", "files wait")} for what replaces the original.` : nothing} ${old.unreadable > 0 ? `${plural(old.unreadable, "file", "files")} could not be read well enough; their bytes stay, and nobody can fetch them.` : nothing}</p>
      <label class="check"><input type="checkbox" name="removeOriginals" value="true" ?checked=${settings.removeOriginals} ?disabled=${closed} />Remove each of them 30 days after it was set aside, but never while its case is under legal hold. They cannot be had back then.</label>
    </fieldset>`;
  }
}

customElements.define("subrosa-organization", Organization);
