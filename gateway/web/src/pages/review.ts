// What waits for a person, over all cases: answers to decide on, and deadlines that come.
import { html, nothing, type TemplateResult } from "lit";
import { get } from "../api.js";
import { labelled } from "../case/labels.js";
import { Names } from "../case/names.js";
import "../case/phase.js";
import { plural } from "../case/row.js";
import { List, Load } from "../load.js";
import { badge, day, empty, refusalOf, waiting } from "../markup.js";
import { Element, Page } from "../page.js";
import type { Case, CaseRow, Phase, PhaseSummary, Workspace } from "../wire.js";

/** How far ahead deadlines are shown, in days. */
const ahead = 21;

class ReviewQueue extends Page {
  private readonly list = new List<CaseRow>(
    this,
    () => "/v1/cases",
    () => ({ hasPendingReview: true, sort: "nextDeadline", limit: 10, includeTotal: true }),
    () => this.left,
  );
  private readonly due = new List<CaseRow>(
    this,
    () => "/v1/cases",
    () => ({ deadlineBefore: inDays(ahead), sort: "nextDeadline", limit: 10 }),
    () => this.left,
  );

  override connectedCallback(): void {
    super.connectedCallback();
    void this.list.restart();
    void this.due.restart();
  }

  override render(): TemplateResult {
    return html`<h1>Review</h1>
      <p>What your agent states of law, strategy, deadlines and tiers counts once you have decided on it.</p>
      <h2>Waiting for your decision</h2>
      ${this.list.render(
        (rows) => html`${rows.map((row) => html`<subrosa-waiting .row=${row}></subrosa-waiting>`)}`,
        empty(
          html`Nothing waits. New here? <a href="/app/vault">Make your vault</a>, then <a href="/app/cases?do=new">a case</a>, and <a href="/app/redact">take the identities out of its first document</a>. <a href="/app/agent">Your agent</a> works on it by label.`,
        ),
      )}
      <h2>Deadlines of the next three weeks</h2>
      ${this.due.render(
        (rows) => html`<ul class="rows">
          ${rows.map(
            (row) => html`<li class="between">
              <span><strong>${day(row.nextDeadline?.dueOn)}</strong> ${row.nextDeadline ? badge(row.nextDeadline.status, row.nextDeadline.status === "confirmed" ? "good" : "warn") : nothing} ${row.nextDeadline?.title ? labelled(row.nextDeadline.title) : nothing}</span>
              <a href=${`/app/cases/${row.caseId}/timeline`}>${row.title ? labelled(row.title) : "Case"}</a>
            </li>`,
          )}
        </ul>`,
        empty("No deadline falls in the next three weeks."),
      )}`;
  }
}

/** What waits in one case. Its answers are read when the case comes to be seen. */
class Waiting extends Element {
  static override properties = { row: { attribute: false } };
  declare row: CaseRow;
  private readonly workspace = new Load<Workspace>(this, () => get<Workspace>(`/v1/workspace/case/${this.row.caseId}`));
  private readonly phases = new Load<(Phase | PhaseSummary)[]>(this, () => this.read());
  private readonly names = new Names(this, () => this.row.caseId);
  private seen: IntersectionObserver | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      this.seen?.disconnect();
      void this.phases.run();
    });
    this.seen.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.seen?.disconnect();
  }

  private async read(): Promise<(Phase | PhaseSummary)[]> {
    await this.workspace.run();
    if (this.workspace.refusal) throw this.workspace.refusal;
    const pending = this.workspace.value?.pendingReviews ?? [];
    return Promise.all(pending.map((p) => get<Phase>(`/v1/phases?phaseId=${p.phaseId}`)));
  }

  override render(): TemplateResult {
    const files = new Map(this.workspace.value?.files.items.map((f) => [f.fileId, f.name]));
    const container = this.workspace.value?.container as Case | undefined;
    const left = this.row.counts.pendingReviews - (this.phases.value?.length ?? this.row.counts.pendingReviews);
    return html`<section class="waits">
      <div class="between">
        <h3><a href=${`/app/cases/${this.row.caseId}`}>${labelled(container?.title ?? this.row.title ?? "Case", this.names.shown)}</a></h3>
        <span class="badges">${this.row.nextDeadline ? html`<span class="fine">next deadline ${day(this.row.nextDeadline.dueOn)}</span>` : nothing} ${this.names.button()}</span>
      </div>
      ${this.phases.refusal ? refusalOf(this.phases.refusal, () => void this.phases.run()) : nothing}
      ${
        this.phases.value
          ? this.phases.value.map(
              (phase, i) =>
                html`<subrosa-phase .phase=${phase} .caseId=${this.row.caseId} .files=${files} .shown=${this.names.shown} .level=${4} ?open=${i === 0}></subrosa-phase>`,
            )
          : this.phases.refusal
            ? nothing
            : waiting()
      }
      ${left > 0 ? html`<p><a href=${`/app/cases/${this.row.caseId}/work?waiting=true`}>${plural(left, "more answer", "more answers")} of this case</a></p>` : nothing}
    </section>`;
  }
}

function inDays(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
}

customElements.define("subrosa-waiting", Waiting);
customElements.define("subrosa-review-queue", ReviewQueue);
