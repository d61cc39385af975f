// A case as a line of a list.
import { html, nothing, type TemplateResult } from "lit";
import { badge, day, instant } from "../markup.js";
import type { CaseRow } from "../wire.js";
import { labelled } from "./labels.js";
import { areaName, toneOfStatus } from "./vocabulary.js";

/** Draws a case with what a person looks for first. */
export function caseRow(row: CaseRow): TemplateResult {
  const facts = [
    row.jurisdiction,
    ...row.practiceAreas.slice(0, 2).map((area) => area.label || areaName(area.code)),
    plural(row.counts.files, "file"),
    plural(row.counts.parties, "party", "parties"),
  ].filter(Boolean);
  return html`<li>
    <div class="between">
      <a class="strong" href=${`/app/cases/${row.caseId}`}>${row.title ? labelled(row.title) : "Case without a title to show"}</a>
      <span class="badges">
        ${row.urgent ? badge("urgent", "bad") : nothing} ${row.legalHold ? badge("legal_hold", "warn") : nothing} ${row.tier ? badge(`Tier ${row.tier}`) : nothing} ${badge(row.status, toneOfStatus(row.status))}
      </span>
    </div>
    <div class="between fine">
      <span>${facts.join(" · ")}</span>
      <span>Changed ${instant(row.updatedAt)}</span>
    </div>
    ${row.nextDeadline ? html`<p class="fine">Next deadline ${day(row.nextDeadline.dueOn)}${row.nextDeadline.title ? html`: ${labelled(row.nextDeadline.title)}` : nothing}</p>` : nothing}
    ${row.counts.pendingReviews ? html`<p class="fine"><a href=${`/app/cases/${row.caseId}/work?waiting=true`}>${plural(row.counts.pendingReviews, "answer waits", "answers wait")} for your review</a></p>` : nothing}
  </li>`;
}

/** A number with its noun. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
