// What every page of a case shares: the bundle of the case, its title, and the way to its other pages.
import { html, nothing, type TemplateResult } from "lit";
import { get } from "../api.js";
import { Load } from "../load.js";
import { badge, refusalOf, waiting, words } from "../markup.js";
import { Page } from "../page.js";
import type { Case, Workspace } from "../wire.js";
import { labelled, type Shown } from "./labels.js";
import { Names } from "./names.js";
import type { FileNames } from "./sources.js";
import { toneOfStatus } from "./vocabulary.js";

const tabs: [string, string][] = [
  ["", "Overview"],
  ["files", "Files"],
  ["timeline", "Timeline"],
  ["work", "Work"],
  ["branches", "Branches"],
  ["parties", "Parties"],
  ["settings", "Settings"],
];

/** The bundle read last, so that going from page to page of one case shows it at once; it is read anew behind that. */
let last: Workspace | undefined;

/** A page of a case. Its title is the case's. */
export abstract class CasePage extends Page {
  protected readonly workspace = new Load<Workspace>(this, async () => {
    const read = await get<Workspace>(`/v1/workspace/case/${this.caseId}`, { signal: this.left });
    last = read;
    return read;
  });
  protected readonly names = new Names(this, () => this.caseId);
  private ready = false;

  /** The last part of this page's address. */
  protected abstract readonly tab: string;
  /** Draws the page below its tabs. */
  protected abstract draw(workspace: Workspace): TemplateResult | typeof nothing;
  /** Called once, when the bundle of the case is there. */
  protected opened(_workspace: Workspace): void {}

  protected get caseId(): string {
    return this.params["caseId"] ?? "";
  }

  /** Names by label, while the person wants to see them. */
  protected get shown(): Shown {
    return this.names.shown;
  }

  /** The case as it was read last. */
  protected get case(): Case | undefined {
    return this.workspace.value?.container as Case | undefined;
  }

  /** Whether anything of the case may be changed by ordinary work. */
  protected get writable(): boolean {
    const status = this.case?.status;
    return status !== undefined && status !== "closed" && status !== "archived";
  }

  protected get fileNames(): FileNames {
    return new Map(this.workspace.value?.files.items.map((file) => [file.fileId, file.name]));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (last?.containerId === this.caseId) {
      this.workspace.value = last;
      this.begin(last);
    }
    void this.refresh();
  }

  /** Reads the case anew. */
  protected async refresh(): Promise<void> {
    await this.workspace.run();
    if (this.workspace.value && !this.workspace.refusal) this.begin(this.workspace.value);
  }

  private begin(workspace: Workspace): void {
    const container = workspace.container as Case;
    const name = tabs.find(([path]) => path === this.tab)?.[1] ?? "";
    if (container.title) document.title = `${name} · ${container.title} · Subrosa`;
    if (this.ready) return;
    this.ready = true;
    this.opened(workspace);
  }

  /** Drawn when there is no such case for this person. */
  protected missing(): TemplateResult | typeof nothing {
    return html`<p><a href=${`/app/cases/${this.caseId}/settings?do=restore`}>Was it deleted? An owner can bring it back for 30 days.</a></p>`;
  }

  override render(): TemplateResult {
    const container = this.case;
    const name = tabs.find(([path]) => path === this.tab)?.[1] ?? "";
    return html`<p class="crumb"><a href="/app/cases">Cases</a></p>
      <div class="between">
        <h1>${container ? (container.title ? labelled(container.title, this.shown) : "Case without a title to show") : "Case"}<span class="hidden">: ${name}</span></h1>
        <p class="badges">${container ? html`${badge(container.status, toneOfStatus(container.status))} ${container.retention.legalHold ? badge("legal_hold", "warn") : nothing} ${conflictBadge(container)} ${this.names.button()}` : nothing}</p>
      </div>
      <nav class="tabs" aria-label="Pages of this case">
        ${tabs.map(([path, text]) => html`<a href=${`/app/cases/${this.caseId}${path && `/${path}`}`} aria-current=${path === this.tab ? "page" : nothing}>${text}${this.count(path)}</a>`)}
      </nav>
      ${this.workspace.refusal ? html`${refusalOf(this.workspace.refusal, () => void this.refresh())} ${this.workspace.refusal.status === 404 ? this.missing() : nothing}` : nothing}
      ${this.workspace.value ? this.draw(this.workspace.value) : this.workspace.refusal ? nothing : waiting()}`;
  }

  private count(path: string): TemplateResult | typeof nothing {
    const counts = this.case?.counts;
    const n =
      path === "files"
        ? counts?.files
        : path === "parties"
          ? counts?.parties
          : path === "work"
            ? counts?.pendingReviews
            : 0;
    if (!n) return nothing;
    return html` <span class="count" title=${path === "work" ? `${n} waiting for review` : nothing}>${n}</span>`;
  }
}

function conflictBadge(container: Case): TemplateResult | typeof nothing {
  const status = container.conflict.status;
  if (status === "potential" || status === "blocked")
    return html`<a href=${`/app/cases/${container.caseId}/parties?do=conflict`}>${badge(`conflict ${status}`, "bad")}</a>`;
  return status === "not_run" ? nothing : badge(`conflict ${words(status)}`, "plain");
}

/** The ETag of something that has a version. */
export function tagOf(version: number): string {
  return `"${version}"`;
}
