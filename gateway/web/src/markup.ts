// Pieces that many pages draw, so that the same thing looks and reads the same everywhere.
import { html, nothing, type TemplateResult } from "lit";
import { Refusal } from "./api.js";

/** Drawn while something is being read. */
export function waiting(): TemplateResult {
  return html`<p class="waiting" role="status">Loading…</p>`;
}

/** Drawn in the place of an empty list: what it would hold and how to get there. */
export function empty(text: string | TemplateResult): TemplateResult {
  return html`<p class="empty">${text}</p>`;
}

/** What was refused, in the service's words, with the way on. */
export function refusalOf(refusal: Refusal | undefined, again?: () => void): TemplateResult | typeof nothing {
  if (!refusal) return nothing;
  return html`<div class="refusal" role="alert">
    <p>${refusal.message}</p>
    ${refusal.deepLink ? html`<p><a href=${ours(refusal.deepLink)}>Do it here</a></p>` : nothing}
    ${refusal.requestId ? html`<p class="fine">Number of this request, for your administrator: <code>${refusal.requestId}</code></p>` : nothing}
    ${again ? html`<p><button class="quiet" @click=${again}>Try again</button></p>` : nothing}
  </div>`;
}

/** A deep link of the service as an address of this page; anything else leads nowhere. */
export function ours(link: string): string {
  try {
    const url = new URL(link, location.href);
    return url.origin === location.origin && url.pathname.startsWith("/i/") ? url.pathname + url.search : "/app/";
  } catch {
    return "/app/";
  }
}

const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** An instant in the person's own time zone. */
export function instant(at: string | undefined): TemplateResult | typeof nothing {
  if (!at) return nothing;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return html`${at}`;
  return html`<time datetime=${at} title=${exact.format(date)}>${instants.format(date)}</time>`;
}

/** A calendar date, which belongs to no time zone. */
export function day(on: string | undefined): TemplateResult | typeof nothing {
  if (!on) return nothing;
  const date = new Date(`${on.slice(0, 10)}T00:00:00Z`);
  if (on.length < 10 || Number.isNaN(date.getTime())) return html`${on}`;
  return html`<time datetime=${on.slice(0, 10)}>${days.format(date)}</time>`;
}

/** A word of the interface for people: snake_case and camelCase become words. */
export function words(code: string | undefined): string {
  if (!code) return "";
  const text = code
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A state as a badge. The tone says no more than the word does. */
export function badge(
  state: string | undefined,
  tone: "good" | "warn" | "bad" | "plain" = "plain",
): TemplateResult | typeof nothing {
  return state ? html`<span class="badge ${tone}">${words(state)}</span>` : nothing;
}

/** Bytes for people. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Says something to the person at the edge of the page, and to their screen reader. */
export function tell(text: string): void {
  dispatchEvent(new CustomEvent("subrosa:tell", { detail: text }));
}
