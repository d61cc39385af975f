// The agent's work in a case: asking, watching, and the phases of a branch with their review.
import { html, nothing, type TemplateResult } from "lit";
import { address, get } from "../../api.js";
import { choice } from "../../case/form.js";
import { CasePage } from "../../case/frame.js";
import "../../case/phase.js";
import "../../case/run.js";
import { List } from "../../load.js";
import { empty } from "../../markup.js";
import type { BranchSummary, Phase, PhaseSummary, Workspace } from "../../wire.js";

class Work extends CasePage {
  protected readonly tab = "work";
  private branchId = "";
  private waiting = false;
  private readonly list = new List<PhaseSummary>(
    this,
    () => "/v1/phases",
    () => ({
      branchId: this.branchId,
      order: "desc",
      view: "summary",
      limit: 10,
      reviewStatus: this.waiting ? "pending" : "",
    }),
    () => this.left,
  );
  /** The phase that the address names, when it is not among those that are listed. */
  private named: Phase | undefined;
  private arrived = false;

  private get wanted(): string {
    return this.query.get("phase") ?? "";
  }

  protected override opened(workspace: Workspace): void {
    const chosen = this.query.get("branch");
    this.branchId = workspace.timeline.branches.some((b) => b.branchId === chosen)
      ? (chosen as string)
      : workspace.timeline.activeBranchId;
    this.waiting = this.query.get("waiting") === "true";
    void this.read();
  }

  private async read(): Promise<void> {
    await this.list.restart();
    if (this.wanted && !this.named && !this.list.items.some((p) => p.phaseId === this.wanted)) {
      try {
        this.named = await get<Phase>(address("/v1/phases", { phaseId: this.wanted }), { signal: this.left });
        if (this.named.containerId !== this.caseId) this.named = undefined;
      } catch {
        this.named = undefined; // it is not there, or not for this person: the list is
      }
      this.requestUpdate();
    }
    await this.updateComplete;
    const running = this.branch?.runningPhaseId;
    if (running) this.querySelector<HTMLElement & { attach(id: string): void }>("subrosa-run")?.attach(running);
    if (this.arrived || !this.wanted) return;
    this.arrived = true;
    const phase = this.querySelector<HTMLElement>(`#phase-${CSS.escape(this.wanted)}`);
    phase?.scrollIntoView({ block: "start" });
    phase?.querySelector<HTMLElement>("button.title")?.focus({ preventScroll: true });
  }

  private get branch(): BranchSummary | undefined {
    return this.workspace.value?.timeline.branches.find((b) => b.branchId === this.branchId);
  }

  private choose(event: Event): void {
    const form = (event.currentTarget as HTMLElement).closest("form") as HTMLFormElement;
    const values = new FormData(form);
    this.branchId = String(values.get("branch") ?? this.branchId);
    this.waiting = values.get("waiting") === "true";
    history.replaceState(
      null,
      "",
      address(location.pathname, {
        branch: this.branchId === this.workspace.value?.timeline.activeBranchId ? "" : this.branchId,
        waiting: this.waiting || "",
      }),
    );
    void this.list.restart();
  }

  private async ended(event: CustomEvent<string>): Promise<void> {
    await this.refresh();
    await this.list.restart();
    await this.updateComplete;
    const phase = this.querySelector<HTMLElement & { open: boolean }>(
      `subrosa-phase:has(#phase-${CSS.escape(event.detail)})`,
    );
    if (!phase) return;
    phase.open = true;
    phase.scrollIntoView({ block: "start" });
  }

  protected draw(workspace: Workspace): TemplateResult {
    const branches = workspace.timeline.branches;
    const active = workspace.timeline.activeBranchId;
    return html`<subrosa-run
        .caseId=${this.caseId}
        .branchId=${this.branchId || active}
        .allowed=${workspace.permissions.canRunAgent ? workspace.permissions.allowedRequestTypes : []}
        .model=${workspace.engine.modelConfigured}
        .shown=${this.shown}
        .prompt=${this.query.get("ask") ?? ""}
        .type=${this.query.get("type") === "eval_req" ? "eval_req" : ""}
        @ended=${(event: CustomEvent<string>) => void this.ended(event)}
      ></subrosa-run>
      <h2>${this.waiting ? "Waiting for review" : "Done so far"}</h2>
      <form class="filters" @change=${(event: Event) => this.choose(event)} @submit=${(event: Event) => event.preventDefault()}>
        ${
          branches.length > 1
            ? choice(
                "branch",
                "Branch",
                branches.map((b) => [b.branchId, b.branchId === active ? `${b.title} (active)` : b.title]),
                this.branchId,
              )
            : nothing
        }
        <label class="check"><input type="checkbox" name="waiting" value="true" .checked=${this.waiting} />Only what waits for review</label>
      </form>
      ${this.named ? this.drawPhase(this.named) : nothing}
      ${
        this.branchId
          ? this.list.render(
              (phases) => html`${phases.map((phase) => this.drawPhase(phase))}`,
              empty(
                this.waiting
                  ? "Nothing waits for your review on this branch."
                  : "Nothing was asked on this branch yet. Start with an evaluation: it says what kind of case this is and what is missing.",
              ),
            )
          : nothing
      }`;
  }

  private drawPhase(phase: Phase | PhaseSummary): TemplateResult {
    return html`<subrosa-phase
      .phase=${phase}
      .caseId=${this.caseId}
      .files=${this.fileNames}
      .shown=${this.shown}
      ?open=${phase.phaseId === this.wanted}
      @decided=${() => void this.refresh()}
    ></subrosa-phase>`;
  }
}

customElements.define("subrosa-case-work", Work);
