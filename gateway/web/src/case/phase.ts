// One piece of the agent's work: what was asked, what came of it, where it rests, and the decision of a person on it.
import { html, nothing, type TemplateResult } from "lit";
import { address, get, type Refusal } from "../api.js";
import { asRefusal } from "../load.js";
import { badge, day, instant, ours, refusalOf, waiting, words } from "../markup.js";
import { Element } from "../page.js";
import type { Phase, PhaseResponse, PhaseSummary, Proposal } from "../wire.js";
import { clip, labelled, type Shown } from "./labels.js";
import { markdown } from "./markdown.js";
import "./review.js";
import { passageAddress, placeOf, quotation, type FileNames } from "./sources.js";
import { requestName, toneOfPhase } from "./vocabulary.js";

class PhaseElement extends Element {
  static override properties = {
    phase: { attribute: false },
    caseId: { attribute: false },
    files: { attribute: false },
    shown: { attribute: false },
    open: { type: Boolean },
    level: { type: Number },
  };
  declare phase: Phase | PhaseSummary;
  declare caseId: string;
  declare files: FileNames;
  declare shown: Shown;
  /** Whether it shows all that there is. */
  declare open: boolean;
  /** Level of its heading, 3 or 4. */
  declare level: number;
  private refusal: Refusal | undefined;
  private reading = false;

  constructor() {
    super();
    this.open = false;
    this.level = 3;
  }

  override willUpdate(): void {
    if (this.open && !this.reading && !this.refusal && !whole(this.phase) && ended(this.phase)) void this.read();
  }

  /** Reads the whole phase, of which only the summary is known. */
  private async read(): Promise<void> {
    this.reading = true;
    this.refusal = undefined;
    try {
      this.phase = await get<Phase>(address("/v1/phases", { phaseId: this.phase.phaseId }));
    } catch (error) {
      this.refusal = asRefusal(error);
    } finally {
      this.reading = false;
      this.requestUpdate();
    }
  }

  private decided(event: CustomEvent<Phase>): void {
    this.phase = event.detail;
  }

  override render(): TemplateResult {
    const phase = this.phase;
    const title = html`<button class="plain title" aria-expanded=${this.open ? "true" : "false"} @click=${() => (this.open = !this.open)}>${phase.prompt ? labelled(clip(phase.prompt, this.open ? 400 : 120), this.shown) : requestName(phase.requestType)}</button>`;
    return html`<article class="panel phase" id=${`phase-${phase.phaseId}`}>
      <div class="between">
        ${this.level === 4 ? html`<h4 class="first">${title}</h4>` : html`<h3 class="first">${title}</h3>`}
        <span class="badges">${badge(phase.status, toneOfPhase(phase))} ${reviewBadge(phase)}</span>
      </div>
      <p class="fine">${requestName(phase.requestType)} ${phase.sequence} · ${instant(phase.createdAt)}${phase.createdBy ? ` · by ${phase.createdBy.kind === "user" ? phase.createdBy.id : `the ${phase.createdBy.kind} of ${phase.createdBy.userId}`}` : nothing}${engine(phase)}</p>
      ${this.open ? this.renderWhole() : nothing}
    </article>`;
  }

  private renderWhole(): TemplateResult | typeof nothing {
    const phase = this.phase;
    if (!ended(phase)) return html`<p>It is still at work.</p>`;
    if (this.refusal) return refusalOf(this.refusal, () => void this.read());
    if (!whole(phase)) return waiting();
    const amended = phase.review.status === "amended" ? phase.review.amendedText : undefined;
    return html`${phase.error ? html`<div class="refusal"><p>${phase.error.message}</p>${phase.error.retryable ? html`<p>Ask again: it may go through the next time.</p>` : nothing}</div>` : nothing}
      ${
        amended
          ? html`<h4>As amended by ${phase.review.reviewerUserId}</h4>
            ${markdown(amended, this.drawing(phase.response))}
            <details><summary>What the agent wrote</summary>${this.renderResponse(phase.response)}</details>`
          : this.renderResponse(phase.response)
      }
      <subrosa-review .phase=${phase} .caseId=${this.caseId} .shown=${this.shown} @decided=${(event: CustomEvent<Phase>) => this.decided(event)}></subrosa-review>`;
  }

  private drawing(response: PhaseResponse | undefined): Parameters<typeof markdown>[1] {
    const sources = new Map(response?.citations.map((c) => [c.n, passageAddress(this.caseId, c.source)]));
    return { source: (n) => sources.get(n), shown: this.shown };
  }

  private renderResponse(response: PhaseResponse | undefined): TemplateResult | typeof nothing {
    if (!response) return nothing;
    return html`${response.refusal ? html`<div class="notice"><p>${response.refusal.reason}</p><p><a href=${ours(response.refusal.deepLink)}>Do it here</a></p></div>` : nothing} ${markdown(response.text, this.drawing(response))}
      ${this.renderDrafts(response)} ${this.renderProposals("Deadlines that it proposed", response.deadlines)} ${this.renderProposals("Entries that it proposed for the timeline", response.entries)} ${this.renderScore(response)}
      ${list("Questions that are open", response.questions, this.shown)} ${list("What it could not do", response.limits, this.shown)} ${this.renderSources(response)} ${this.renderNext(response)}`;
  }

  private renderDrafts(response: PhaseResponse): TemplateResult | typeof nothing {
    if (!response.drafts?.length) return nothing;
    return html`<h4>Drafts</h4>
      <ul>
        ${response.drafts.map((draft) => {
          const at = `/app/cases/${this.caseId}/files/${draft.fileId}`;
          return html`<li><a href=${at}>${this.files.get(draft.fileId) ?? words(draft.docType)}</a>, with ${draft.placeholders.length} places to fill in · <a href=${`${at}?do=named`}>Save with real names</a></li>`;
        })}
      </ul>`;
  }

  private renderProposals(title: string, proposals: Proposal[] | undefined): TemplateResult | typeof nothing {
    if (!proposals?.length) return nothing;
    return html`<details>
      <summary>${title} (${proposals.length})</summary>
      <ul>
        ${proposals.map((p) => html`<li><strong>${day(p.dueOn ?? p.when?.on)}</strong> ${labelled(p.title, this.shown)} ${p.sources?.[0] ? html`<a href=${passageAddress(this.caseId, p.sources[0])}>${placeOf(p.sources[0], this.files)}</a>` : nothing}</li>`)}
      </ul>
      <p><a href=${`/app/cases/${this.caseId}/timeline?reviewStatus=unreviewed`}>Confirm or reject them in the timeline</a></p>
    </details>`;
  }

  private renderScore(response: PhaseResponse): TemplateResult | typeof nothing {
    const evaluation = response.evaluation;
    if (!evaluation || evaluation.breakdown.length === 0) return nothing;
    return html`<details>
      <summary>How the score of ${evaluation.score.toFixed(0)} came about</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of the score">
        <table>
          <thead><tr><th scope="col">Feature</th><th scope="col">Value</th><th scope="col">Points</th><th scope="col">Rests on</th></tr></thead>
          <tbody>
            ${evaluation.breakdown.map(
              (row) => html`<tr>
                <td>${words(row.feature)}</td>
                <td>${labelled(row.value, this.shown)}</td>
                <td>${row.points} of ${row.max}</td>
                <td>${row.sources.length > 0 ? row.sources.slice(0, 3).map((s) => html`<a href=${passageAddress(this.caseId, s)}>${placeOf(s, this.files)}</a> `) : words(row.basis)}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
  }

  private renderSources(response: PhaseResponse): TemplateResult | typeof nothing {
    if (response.citations.length === 0) return nothing;
    return html`<details>
      <summary>Sources (${response.citations.length})</summary>
      <ol class="sources">
        ${response.citations.map((c) => html`<li value=${c.n}>${quotation(this.caseId, c.source, this.files, this.shown)}</li>`)}
      </ol>
    </details>`;
  }

  private renderNext(response: PhaseResponse): TemplateResult | typeof nothing {
    if (response.suggestedNext.length === 0) return nothing;
    return html`<h4>Ask next</h4>
      <ul>
        ${response.suggestedNext.slice(0, 5).map((next) => html`<li><a href=${address(`/app/cases/${this.caseId}/work`, { ask: next.prompt, type: next.requestType === "eval_req" ? "eval_req" : "" })}>${labelled(next.prompt, this.shown)}</a></li>`)}
      </ul>`;
  }
}

function list(title: string, texts: string[], shown: Shown): TemplateResult | typeof nothing {
  if (texts.length === 0) return nothing;
  return html`<h4>${title}</h4>
    <ul>${texts.map((text) => html`<li>${labelled(text, shown)}</li>`)}</ul>`;
}

function engine(phase: Phase | PhaseSummary): string {
  if (!phase.engine) return "";
  return phase.engine.mode === "model"
    ? ` · with the language model ${phase.engine.model?.name ?? ""}`
    : " · by rules, without a language model";
}

function reviewBadge(phase: Phase | PhaseSummary): TemplateResult | typeof nothing {
  switch (phase.review.status) {
    case "pending":
      return badge("waits for review", "warn");
    case "approved":
    case "amended":
      return badge(phase.review.status, "good");
    case "rejected":
      return badge("rejected", "bad");
    default:
      return nothing;
  }
}

/** Whether a phase will not change any more but for its review. */
export function ended(phase: Pick<PhaseSummary, "status">): boolean {
  return !["queued", "running", "interrupted"].includes(phase.status);
}

function whole(phase: Phase | PhaseSummary): phase is Phase {
  return "requestSha256" in phase;
}

customElements.define("subrosa-phase", PhaseElement);
