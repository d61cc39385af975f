// The steps of a case from intake to archive, its export and its deletion.
import { html, nothing, type TemplateResult } from "lit";
import { address, del, patch, type Refusal } from "../api.js";
import { asRefusal } from "../load.js";
import { badge, tell, words } from "../markup.js";
import { Element, go } from "../page.js";
import { hasRole } from "../person.js";
import type { Case, CasePatch, CloseReason } from "../wire.js";
import { choice, filled, refused } from "./form.js";
import { tagOf } from "./frame.js";
import { toneOfStatus } from "./vocabulary.js";

const reasons: CloseReason[] = [
  "settled",
  "judgment",
  "dismissed",
  "withdrawn",
  "advice_given",
  "referred",
  "declined",
  "transaction_completed",
  "other",
];

/** What a step may lack, with the way to it. */
const lacks: Record<string, [string, string]> = {
  jurisdiction: ["its jurisdiction", ""],
  practiceAreas: ["its area of law", ""],
  supervisor: ["a person who answers for it", ""],
  client: ["a party that is the client", "/parties?do=add"],
  jointRepresentation: ["word that several clients are represented together", ""],
  conflict: ["a look at conflicts of interest", "/parties?do=conflict"],
  closeReason: ["a reason", ""],
  legalHold: ["the end of the legal hold", ""],
};

class Lifecycle extends Element {
  static override properties = { case: { attribute: false }, wanted: { type: String } };
  declare case: Case;
  /** What the address asks to be made ready: export. */
  declare wanted: string;
  private refusal: Refusal | undefined;
  private busy = false;
  private arrived = false;

  override updated(): void {
    if (this.arrived || this.wanted !== "export") return;
    this.arrived = true;
    const link = this.querySelector<HTMLElement>("#export a");
    requestAnimationFrame(() => {
      // after the frame of the app has put the focus on the heading
      link?.scrollIntoView({ block: "center" });
      link?.focus({ preventScroll: true });
    });
  }

  private get at(): string {
    return `/v1/cases/${this.case.caseId}`;
  }

  private async step(change: CasePatch, said: string, acknowledge = false): Promise<void> {
    await this.try(
      () =>
        patch<Case>(address(this.at, { acknowledgePending: acknowledge || undefined }), change, {
          ifMatch: tagOf(this.case.version),
        }),
      said,
    );
  }

  private async try(task: () => Promise<unknown>, said: string): Promise<boolean> {
    this.busy = true;
    this.refusal = undefined;
    this.requestUpdate();
    try {
      await task();
      this.querySelectorAll("dialog").forEach((dialog) => dialog.close());
      tell(said);
      return true;
    } catch (error) {
      this.refusal = asRefusal(error);
      return false;
    } finally {
      this.busy = false;
      this.requestUpdate();
      this.dispatchEvent(new Event("changed"));
    }
  }

  private close(event: SubmitEvent): void {
    event.preventDefault();
    const values = filled(event.currentTarget as HTMLFormElement);
    void this.step(
      { status: "closed", closeReason: values["closeReason"] as CloseReason },
      "The case is closed.",
      values["acknowledge"] === "true",
    );
  }

  private async end(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const acknowledge = filled(event.currentTarget as HTMLFormElement)["acknowledge"] === "true";
    if (
      await this.try(
        () =>
          del(address(this.at, { acknowledgePending: acknowledge || undefined }), {
            ifMatch: tagOf(this.case.version),
          }),
        "The case is deleted. An owner can bring it back for 30 days.",
      )
    )
      go("/app/cases");
  }

  private open(id: string): void {
    this.refusal = undefined;
    this.requestUpdate();
    this.querySelector<HTMLDialogElement>(`#${id}`)?.showModal();
  }

  private shut(): void {
    this.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  }

  override render(): TemplateResult {
    const status = this.case.status;
    const step = (text: string, change: CasePatch, said: string, style = ""): TemplateResult =>
      html`<button class=${style} ?disabled=${this.busy} @click=${() => void this.step(change, said)}>${text}</button>`;
    return html`<section class="panel" aria-labelledby="stands">
        <h2 id="stands">Where it stands ${badge(status, toneOfStatus(status))}</h2>
        ${this.querySelector("dialog[open]") ? nothing : this.renderRefusal()}
        <p class="actions">
          ${status === "intake" ? step("Open the case", { status: "open" }, "The case is open.") : nothing} ${status === "open" ? step("Put on hold", { status: "on_hold" }, "The case is on hold.", "quiet") : nothing}
          ${status === "on_hold" ? step("Take up again", { status: "open" }, "The case is open.") : nothing}
          ${["intake", "open", "on_hold"].includes(status) ? html`<button class="quiet" @click=${() => this.open("closing")}>Close…</button>` : nothing}
          ${status === "closed" ? html`${step("Reopen", { status: "open" }, "The case is open again.")} ${step("Archive", { status: "archived" }, "The case is archived.", "quiet")}` : nothing}
        </p>
      </section>
      <section class="panel" id="export" aria-labelledby="export-title">
        <h2 id="export-title">Export</h2>
        <p>A ZIP archive of everything: files, timeline, work, parties by label, and this case’s part of the audit record. It holds labels only.</p>
        <p class="actions"><a class="button" href=${`${this.at}/export`} download=${`case-${this.case.caseId}.zip`}>Export the case</a></p>
      </section>
      ${
        hasRole("owner")
          ? html`<section class="panel" aria-labelledby="delete-title">
            <h2 id="delete-title">Delete</h2>
            <p>The case goes out of sight at once. For 30 days an owner can bring it back; then it is purged, unless it has to be kept longer.</p>
            <p class="actions"><button class="danger" @click=${() => this.open("deleting")}>Delete the case…</button></p>
          </section>`
          : nothing
      }
      ${this.renderClosing()} ${this.renderDeleting()}`;
  }

  private renderRefusal(): TemplateResult | typeof nothing {
    const unmet = this.refusal?.details[0]?.unmet;
    if (!unmet?.length) return refused(this.refusal, this.case.caseId);
    return html`<div class="refusal" role="alert">
      <p>The case cannot take this step yet. It lacks:</p>
      <ul>
        ${unmet.map((name) => {
          const [text, part] = lacks[name] ?? [words(name), ""];
          return html`<li>${part ? html`<a href=${`/app/cases/${this.case.caseId}${part}`}>${text}</a>` : text}</li>`;
        })}
      </ul>
    </div>`;
  }

  private acknowledgement(): TemplateResult | typeof nothing {
    const waiting = this.case.counts.pendingReviews;
    if (waiting === 0) return nothing;
    return html`<div class="field"><label class="check"><input type="checkbox" name="acknowledge" value="true" />${waiting === 1 ? "One answer waits" : `${waiting} answers wait`} for review; go on all the same</label></div>`;
  }

  private renderClosing(): TemplateResult {
    const allowed =
      this.case.status === "intake" ? reasons.filter((r) => r === "declined" || r === "referred") : reasons;
    return html`<dialog id="closing" aria-labelledby="closing-title">
      <form @submit=${(event: SubmitEvent) => this.close(event)}>
        <h2 id="closing-title" class="first">Close this case?</h2>
        ${this.renderRefusal()}
        <p>Nothing can be added then. It is kept as long as the retention rule says, and you can reopen it.</p>
        ${choice(
          "closeReason",
          "Reason",
          allowed.map((r) => [r, words(r)]),
          allowed[0] ?? "",
        )} ${this.acknowledgement()}
        <p class="actions"><button ?disabled=${this.busy}>Close the case</button><button type="button" class="quiet" @click=${() => this.shut()}>Keep it as it is</button></p>
      </form>
    </dialog>`;
  }

  private renderDeleting(): TemplateResult {
    return html`<dialog id="deleting" aria-labelledby="deleting-title">
      <form @submit=${(event: SubmitEvent) => void this.end(event)}>
        <h2 id="deleting-title" class="first">Delete this case?</h2>
        ${this.renderRefusal()}
        <p>${this.case.counts.files} files, ${this.case.counts.phases} steps of work and ${this.case.counts.parties} parties go with it. Who deleted it stays on record.</p>
        ${this.acknowledgement()}
        <p class="actions"><button class="danger" ?disabled=${this.busy}>Delete the case</button><button type="button" class="quiet" @click=${() => this.shut()}>Keep it</button></p>
      </form>
    </dialog>`;
  }
}

customElements.define("subrosa-lifecycle", Lifecycle);
