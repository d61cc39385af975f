// Forms of cases: a refusal beside the field that it is about, and what it found there.
import { html, nothing, type TemplateResult } from "lit";
import type { Detail, Refusal } from "../api.js";
import { ours } from "../markup.js";

const kinds: Record<string, string> = {
  person: "a person’s name",
  org: "the name of an organization",
  address: "an address",
  phone: "a telephone number",
  email: "an e-mail address",
  account: "an account number",
  id_number: "an identity number",
  birth_date: "a date of birth",
  docket: "a docket number",
  vehicle: "a vehicle",
  property: "a property",
  url: "a web address",
  language: "a language that the service does not know: it reads English, German, French and Spanish",
  "name in your vault": "a name that your vault knows",
};

/** What the guard found, in words; value is what was sent, in which offsets count bytes. */
export function found(detail: Detail, value = ""): string {
  const kind = kinds[detail.kind ?? ""] ?? (detail.kind ?? "an identity").replaceAll("_", " ");
  if (detail.kind === "language")
    return `This is in ${kind}. It cannot tell names from words there: write it in one of these.`;
  if (!value || detail.end === undefined) return `This looks like ${kind}.`;
  const there = new TextDecoder().decode(new TextEncoder().encode(value).slice(detail.start ?? 0, detail.end));
  return `“${there}” looks like ${kind}. Write a label in its place.`;
}

const mostShown = 6;

/** The findings of a refusal about a field, drawn beneath it. */
export function problem(refusal: Refusal | undefined, path: string, value = ""): TemplateResult | typeof nothing {
  const details =
    refusal?.details.filter(
      (d) => d.path === path || d.path?.startsWith(`${path}.`) || d.path?.startsWith(`${path}[`),
    ) ?? [];
  if (details.length === 0) return nothing;
  const more = details.length - mostShown;
  return html`<div class="problem" id=${`problem-${path}`}>
    ${details.slice(0, mostShown).map((d) => html`<p>${d.message || (d.kind ? found(d, value) : refusal?.message)}</p>`)} ${more > 0 ? html`<p>And ${more} more.</p>` : nothing}
  </div>`;
}

/** Whether a refusal is about a field, for aria-invalid. */
export function wrong(refusal: Refusal | undefined, path: string): "true" | typeof nothing {
  return problem(refusal, path) === nothing ? nothing : "true";
}

/** A refusal as a whole, over a form: what happened and where identities go instead. */
export function refused(refusal: Refusal | undefined, caseId = ""): TemplateResult | typeof nothing {
  if (!refusal) return nothing;
  const identity = refusal.code === "identity_refused" || refusal.code === "identity_kept"; // by the service, or in this page
  const stale = refusal.status === 412;
  return html`<div class="refusal" role="alert">
    <p>${stale ? "Somebody changed this after you opened it, so nothing was saved. Look at it as it is now and save again if you still want to." : refusal.message}</p>
    ${
      identity
        ? html`<p>
          Names stay in this browser:
          ${caseId ? html`<a href=${`/app/cases/${caseId}/parties?do=add`}>keep the name and get a label for it</a>, or ` : nothing}<a href=${caseId ? `/app/redact?case=${caseId}` : "/app/redact"}>take identities out of a document</a>.
        </p>`
        : refusal.deepLink
          ? html`<p><a href=${ours(refusal.deepLink)}>Do it here</a></p>`
          : nothing
    }
    ${refusal.requestId ? html`<p class="fine">Number of this request, for your administrator: <code>${refusal.requestId}</code></p>` : nothing}
  </div>`;
}

/** A choice of one of several. Its id is made of its name unless the page has several of that name. */
export function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  chosen: string,
  none?: string,
  id = `f-${name}`,
): TemplateResult {
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select id=${id} name=${name}>
      ${none === undefined ? nothing : html`<option value="" ?selected=${chosen === ""}>${none}</option>`}
      ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
    </select>
  </div>`;
}

/** What a form holds: text by the names of its fields, without what is empty. */
export function filled(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form))
    if (typeof value === "string" && value.trim() !== "") values[name] = value.trim();
  return values;
}
