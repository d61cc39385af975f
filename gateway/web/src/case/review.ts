// The decision of a person on what the agent produced: approve, amend or reject; and comments.
import { html, nothing, type TemplateResult } from "lit";
import { idempotencyKey, nextKey, post, type Refusal } from "../api.js";
import { asRefusal } from "../load.js";
import { instant, tell, words } from "../markup.js";
import { Element } from "../page.js";
import type { Phase, ReviewDecision } from "../wire.js";
import { problem, refused } from "./form.js";
import { labelled, type Shown } from "./labels.js";
import { reasonsInWords } from "./vocabulary.js";

type Doing = "" | "amended" | "rejected" | "comment";

class Review extends Element {
  static override properties = {
    phase: { attribute: false },
    caseId: { attribute: false },
    shown: { attribute: false },
  };
  declare phase: Phase;
  declare caseId: string;
  declare shown: Shown;
  private doing: Doing = "";
  private refusal: Refusal | undefined;
  private busy = false;
  private key = idempotencyKey();
  /** What is typed, kept when another form is opened in between. */
  private text = { amended: "", rejected: "", comment: "" };

  private async begin(doing: Doing): Promise<void> {
    this.doing = doing;
    this.refusal = undefined;
    if (doing === "amended" && this.text.amended === "") this.text.amended = this.phase.response?.text ?? "";
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector<HTMLTextAreaElement>("textarea")?.focus();
  }

  private typed(event: Event): void {
    if (this.doing) this.text[this.doing] = (event.currentTarget as HTMLTextAreaElement).value;
  }

  private async decide(decision: ReviewDecision, said: string): Promise<void> {
    this.busy = true;
    this.refusal = undefined;
    this.requestUpdate();
    try {
      const phase = await post<Phase>(`/v1/phases/${this.phase.phaseId}/review`, decision, { key: this.key });
      this.doing = "";
      this.text.comment = "";
      tell(said);
      this.dispatchEvent(new CustomEvent("decided", { detail: phase, bubbles: true }));
    } catch (error) {
      this.refusal = asRefusal(error);
    } finally {
      this.key = nextKey(this.key, this.refusal);
      this.busy = false;
      this.requestUpdate();
    }
  }

  private submit(event: Event): void {
    event.preventDefault();
    if (this.doing === "amended")
      void this.decide(
        { decision: "amended", amendedText: this.text.amended },
        "Amended. Your text stands in the place of the agent’s.",
      );
    else if (this.doing === "rejected")
      void this.decide({ decision: "rejected", note: this.text.rejected }, "Rejected, with your reason on record.");
    else if (this.doing === "comment") void this.decide({ comment: this.text.comment }, "Your comment is on record.");
  }

  override render(): TemplateResult {
    const review = this.phase.review;
    return html`<section class="review" aria-label="Review">
      ${review.status === "pending" ? this.renderPending() : this.renderDecided()}
      ${review.comments?.map((c) => html`<blockquote class="quotation"><p>${labelled(c.text, this.shown)}</p><footer>${c.userId}, ${instant(c.at)}</footer></blockquote>`)}
      ${this.doing ? this.renderForm() : html`<p class="actions"><button class="plain" @click=${() => void this.begin("comment")}>Comment</button></p>`}
    </section>`;
  }

  private renderPending(): TemplateResult {
    const reasons = this.phase.response?.humanReview.reasons ?? [];
    return html`<h4>Your decision</h4>
      <p>${reasons.length > 0 ? `This ${reasonsInWords(reasons)}, so nobody relies on it before a person has decided.` : "Nobody relies on it before a person has decided."} What you approve is exactly what stands here.</p>
      ${this.doing ? nothing : refused(this.refusal, this.caseId)}
      <p class="actions">
        <button ?disabled=${this.busy} @click=${() => void this.decide({ decision: "approved" }, "Approved, with your name on record.")}>Approve</button>
        <button class="quiet" ?disabled=${this.busy} aria-expanded=${this.doing === "amended" ? "true" : "false"} @click=${() => void this.begin("amended")}>Amend…</button>
        <button class="danger" ?disabled=${this.busy} aria-expanded=${this.doing === "rejected" ? "true" : "false"} @click=${() => void this.begin("rejected")}>Reject…</button>
      </p>`;
  }

  private renderDecided(): TemplateResult | typeof nothing {
    const review = this.phase.review;
    if (!review.reviewerUserId) return nothing;
    return html`<p class="fine">${words(review.status)} by ${review.reviewerUserId}, ${instant(review.at)}</p>
      ${review.note ? html`<p>Reason: ${labelled(review.note, this.shown)}</p>` : nothing}`;
  }

  private renderForm(): TemplateResult {
    const doing = this.doing as Exclude<Doing, "">;
    const [label, limit, path, button] = {
      amended: ["The text as it should stand, with labels in the place of names", 100_000, "amendedText", "Amend"],
      rejected: ["Why you reject it", 2000, "note", "Reject"],
      comment: ["Comment", 1000, "comment", "Comment"],
    }[doing] as [string, number, string, string];
    const id = `${doing}-${this.phase.phaseId}`;
    return html`<form @submit=${(event: Event) => this.submit(event)}>
      ${refused(this.refusal, this.caseId)}
      <div class="field">
        <label for=${id}>${label}</label>
        <textarea id=${id} class=${doing === "amended" ? "tall" : ""} required maxlength=${limit} .value=${this.text[doing]} aria-describedby=${`problem-${path}`} @input=${(event: Event) => this.typed(event)}></textarea>
        ${problem(this.refusal, path, this.text[doing])}
      </div>
      <p class="actions"><button class=${doing === "rejected" ? "danger" : ""} ?disabled=${this.busy}>${button}</button><button type="button" class="quiet" @click=${() => void this.begin("")}>Cancel</button></p>
    </form>`;
  }
}

customElements.define("subrosa-review", Review);
