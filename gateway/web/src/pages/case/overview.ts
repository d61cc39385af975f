// A case at a glance: its facts, what is due, what waits and what was done last.
import { html, nothing, type TemplateResult } from "lit";
import { CasePage } from "../../case/frame.js";
import { clip, labelled, type Shown } from "../../case/labels.js";
import { areaName, confidentialities, reasonsInWords, requestName, sides, toneOfPhase } from "../../case/vocabulary.js";
import { badge, day, empty, instant, words } from "../../markup.js";
import type { Case, Entry, Workspace } from "../../wire.js";

class Overview extends CasePage {
  protected readonly tab = "";

  protected draw(workspace: Workspace): TemplateResult {
    const container = workspace.container as Case;
    const at = `/app/cases/${this.caseId}`;
    return html`${container.summary ? html`<p>${labelled(container.summary, this.shown)}</p>` : nothing} ${this.renderUnavailable(workspace)} ${this.renderWaiting(workspace)}
      <div class="grid">
        <section class="panel" aria-labelledby="due">
          <h2 id="due">Next deadlines</h2>
          ${
            workspace.deadlines.length > 0
              ? html`<ul class="plain">
                  ${workspace.deadlines.slice(0, 6).map((entry) => deadline(entry, this.shown))}
                </ul>
                <p><a href=${`${at}/timeline`}>The whole timeline</a></p>`
              : empty(
                  html`No deadline is open. <a href=${`${at}/work?ask=${encodeURIComponent("List the deadlines")}`}>Have them looked up in the files</a>`,
                )
          }
        </section>
        <section class="panel" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          ${this.renderFacts(container)}
          <p><a href=${`${at}/settings`}>Change them</a></p>
        </section>
        ${container.complexity ? this.renderTier(container) : nothing} ${this.renderChecklist(workspace)}
        <section class="panel" aria-labelledby="lately">
          <h2 id="lately">Latest work</h2>
          ${
            workspace.recentPhases.length > 0
              ? html`<ul class="plain">
                  ${workspace.recentPhases.slice(0, 6).map(
                    (phase) => html`<li>
                      <a href=${`${at}/work?phase=${phase.phaseId}`}>${phase.prompt ? labelled(clip(phase.prompt), this.shown) : requestName(phase.requestType)}</a> ${badge(phase.status, toneOfPhase(phase))}
                      ${phase.review.status === "pending" ? badge("review pending", "warn") : nothing}
                      <div class="fine">${requestName(phase.requestType)} · ${instant(phase.createdAt)}</div>
                    </li>`,
                  )}
                </ul>
                <p><a href=${`${at}/work`}>All work, and a new request</a></p>`
              : empty(html`Nothing was asked yet. <a href=${`${at}/work`}>Ask for an evaluation</a>`)
          }
        </section>
      </div>`;
  }

  private renderUnavailable(workspace: Workspace): TemplateResult | typeof nothing {
    if (workspace.unavailable.length === 0) return nothing;
    return html`<div class="notice" role="status">
      <p>Not there at the moment: ${workspace.unavailable.join(", ")}. What you see is without it.</p>
      <p><button class="quiet" @click=${() => void this.refresh()}>Look again</button></p>
    </div>`;
  }

  private renderWaiting(workspace: Workspace): TemplateResult | typeof nothing {
    if (workspace.pendingReviews.length === 0) return nothing;
    return html`<section class="notice" aria-labelledby="waits">
      <h2 id="waits" class="first">Waiting for your review</h2>
      <ul>
        ${workspace.pendingReviews.map(
          (p) =>
            html`<li><a href=${`/app/cases/${this.caseId}/work?phase=${p.phaseId}`}>${this.titleOf(workspace, p.phaseId)}</a>${p.reasons.length > 0 ? html`, which ${reasonsInWords(p.reasons)}` : nothing}</li>`,
        )}
      </ul>
    </section>`;
  }

  private titleOf(workspace: Workspace, phaseId: string): TemplateResult {
    const phase = workspace.recentPhases.find((p) => p.phaseId === phaseId);
    return phase?.prompt
      ? html`${labelled(clip(phase.prompt), this.shown)}`
      : html`${phase ? requestName(phase.requestType) : "An answer of earlier"}`;
  }

  private renderFacts(container: Case): TemplateResult {
    const amount = container.amountInControversy;
    const facts: [string, unknown][] = [
      ["Kind", container.matterKind ? words(container.matterKind) : ""],
      ["Area of law", container.practiceAreas.map((area) => area.label || areaName(area.code)).join(", ")],
      ["Jurisdiction", container.jurisdiction],
      [
        "Forum",
        container.forum
          ? [words(container.forum.system), container.forum.courtCode, container.forum.docketLabel]
              .filter(Boolean)
              .join(", ")
          : "",
      ],
      ["Our side", sides.find(([side]) => side === container.side)?.[1]],
      ["Stage", [container.stage.phase, container.stage.task].filter(Boolean).join(", ")],
      [
        "In controversy",
        amount
          ? `${new Intl.NumberFormat(undefined, { style: "currency", currency: amount.currency }).format(Number(amount.amount))} (${words(amount.basis).toLowerCase()})`
          : "",
      ],
      ["Supervised by", container.supervision.responsibleUserId],
      ["Privilege", confidentialities.find(([code]) => code === container.confidentiality.privilege)?.[1]],
      ["Opened", container.openedOn ? day(container.openedOn) : ""],
      [
        "Closed",
        container.closedOn ? html`${day(container.closedOn)}, ${words(container.closeReason).toLowerCase()}` : "",
      ],
      ["Changed", instant(container.updatedAt)],
    ];
    return html`<dl class="facts">${facts.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  }

  private renderTier(container: Case): TemplateResult {
    const evaluation = container.complexity as NonNullable<Case["complexity"]>;
    const tier = evaluation.override?.tier ?? evaluation.tier;
    return html`<section class="panel" aria-labelledby="tier">
      <h2 id="tier">${tier ? `Tier ${tier}` : "Not rated"} ${evaluation.urgent ? badge("urgent", "bad") : nothing}</h2>
      <p>
        ${evaluation.override ? html`Set by a person: ${labelled(evaluation.override.reason, this.shown)}. The rules came to ${evaluation.tierName || "no tier"}.` : html`${evaluation.tierName}, score ${evaluation.score.toFixed(0)} of 100, confidence ${evaluation.confidence}.`}
      </p>
      ${
        evaluation.breakdown.length > 0
          ? html`<details>
            <summary>How the score came about</summary>
            <table>
              <thead><tr><th>Feature</th><th>Value</th><th>Points</th></tr></thead>
              <tbody>${evaluation.breakdown.map((row) => html`<tr><td>${words(row.feature)}</td><td>${labelled(row.value, this.shown)}</td><td>${row.points} of ${row.max}</td></tr>`)}</tbody>
            </table>
          </details>`
          : nothing
      }
      ${evaluation.questions.length > 0 ? html`<p>Open questions:</p><ul>${evaluation.questions.map((question) => html`<li>${labelled(question, this.shown)}</li>`)}</ul>` : nothing}
    </section>`;
  }

  private renderChecklist(workspace: Workspace): TemplateResult | typeof nothing {
    const list = workspace.checklist;
    if (!list) return nothing;
    const total = list.present + list.missing;
    return html`<section class="panel" aria-labelledby="checklist">
      <h2 id="checklist">Documents of this stage</h2>
      <p><label for="there">${list.present} of ${total} that are usual in ${list.phase} are there</label> <meter id="there" min="0" max=${total} value=${list.present}></meter></p>
      <p><a href=${`/app/cases/${this.caseId}/work?ask=${encodeURIComponent("Which documents are missing? Show the checklist")}`}>See which are missing</a></p>
    </section>`;
  }
}

function deadline(entry: Entry, shown: Shown): TemplateResult {
  return html`<li>
    <strong>${day(entry.dueOn)}</strong> ${entry.status ? badge(entry.status, entry.status === "confirmed" ? "good" : entry.status === "missed" ? "bad" : "warn") : nothing}
    <div>${labelled(entry.title, shown)}</div>
  </li>`;
}

customElements.define("subrosa-case", Overview);
