// The branches of a case's work: lines of thought that leave each other and never change what was done before.
import { html, nothing, type TemplateResult } from "lit";
import { address, get, idempotencyKey, nextKey, patch, post, read, type Refusal } from "../../api.js";
import { choice, filled, problem, refused } from "../../case/form.js";
import { CasePage, tagOf } from "../../case/frame.js";
import { clip, labelled } from "../../case/labels.js";
import "../../case/tree.js";
import { inOrder } from "../../case/tree.js";
import { requestName } from "../../case/vocabulary.js";
import { Load, asRefusal, type ListPage } from "../../load.js";
import { badge, instant, refusalOf, tell, waiting, words } from "../../markup.js";
import type { Branch, BranchPatch, BranchSummary, Case, PhaseSummary, Timeline, Workspace } from "../../wire.js";

class Branches extends CasePage {
  protected readonly tab = "branches";
  private readonly timeline = new Load<Timeline>(this, () =>
    get<Timeline>(address(`/v1/timeline/${this.workspace.value?.timeline.timelineId ?? ""}`, { include: "branches" }), {
      signal: this.left,
    }),
  );
  private readonly branch = new Load<Branch>(
    this,
    async () => (await read<Branch>(`/v1/branch/${this.chosen}`, { signal: this.left })).body,
  );
  private readonly phases = new Load<PhaseSummary[]>(
    this,
    async () =>
      (
        await get<ListPage<PhaseSummary>>(
          address("/v1/phases", { branchId: this.chosen, view: "summary", order: "desc", limit: 50 }),
          { signal: this.left },
        )
      ).items,
  );
  private chosen = "";
  private refusal: Refusal | undefined;
  private key = idempotencyKey();

  protected override opened(workspace: Workspace): void {
    void this.readTree();
    void this.choose(this.query.get("branch") ?? workspace.timeline.activeBranchId);
  }

  private async readTree(): Promise<void> {
    await this.timeline.run();
  }

  private async choose(branchId: string): Promise<void> {
    this.chosen = branchId;
    this.refusal = undefined;
    this.branch.value = undefined;
    this.phases.value = undefined;
    history.replaceState(null, "", address(location.pathname, { branch: branchId }));
    await Promise.all([this.branch.run(), this.phases.run()]);
  }

  private async act(task: () => Promise<unknown>, said: string): Promise<boolean> {
    this.refusal = undefined;
    try {
      await task();
      tell(said);
      await Promise.all([this.refresh(), this.readTree(), this.branch.run()]);
      return true;
    } catch (error) {
      this.refusal = asRefusal(error);
      if (this.refusal.status === 412) await Promise.all([this.refresh(), this.branch.run()]);
      return false;
    } finally {
      this.requestUpdate();
    }
  }

  private change(branch: Branch, change: BranchPatch, said: string): Promise<boolean> {
    return this.act(
      () => patch<Branch>(`/v1/branch/${branch.branchId}`, change, { ifMatch: tagOf(branch.version) }),
      said,
    );
  }

  private adopt(branch: Branch, container: Case): Promise<boolean> {
    return this.act(
      () =>
        patch<Case>(
          `/v1/cases/${this.caseId}`,
          { activeBranchId: branch.branchId },
          { ifMatch: tagOf(container.version) },
        ),
      `${branch.title} is the active branch now: new work goes on there.`,
    );
  }

  private async fork(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    let made: Branch | undefined;
    const done = await this.act(async () => {
      made = await post<Branch>(
        "/v1/branch",
        { timelineId: this.workspace.value?.timeline.timelineId, parentBranchId: this.chosen, ...filled(form) },
        { key: this.key },
      );
    }, "The branch is made.");
    this.key = nextKey(this.key, this.refusal);
    if (!done || !made) return;
    form.reset();
    await this.choose(made.branchId);
  }

  protected draw(workspace: Workspace): TemplateResult {
    const active = workspace.timeline.activeBranchId;
    return html`<p>A branch is a line of work. A fork goes on from any finished step and leaves the rest as it is, so that another view can be tried without losing the first.</p>
      ${this.timeline.render((timeline) => this.drawTree(timeline.branches ?? workspace.timeline.branches, active))} ${this.renderBranch(workspace.container as Case, active)}`;
  }

  private drawTree(branches: BranchSummary[], active: string): TemplateResult {
    return html`<div class="scroll panel" tabindex="0" role="region" aria-label="Picture of the branches"><subrosa-tree .branches=${branches} .active=${active} .chosen=${this.chosen} @chosen=${(e: CustomEvent<string>) => void this.choose(e.detail)}></subrosa-tree></div>
      <ul class="rows">
        ${inOrder(branches).map(
          (b) => html`<li class="between">
            <span><button class="plain" aria-pressed=${b.branchId === this.chosen ? "true" : "false"} @click=${() => void this.choose(b.branchId)}>${labelled(b.title, this.shown)}</button> <span class="fine">${words(b.purpose)}, ${b.ownPhaseCount} of its own${b.inheritedPhaseCount ? `, ${b.inheritedPhaseCount} before the fork` : ""}</span></span>
            <span class="badges">${b.branchId === active ? badge("active", "good") : nothing} ${b.runningPhaseId ? badge("at work", "warn") : nothing} ${b.status === "archived" ? badge("archived") : nothing}</span>
          </li>`,
        )}
      </ul>`;
  }

  private renderBranch(container: Case, active: string): TemplateResult {
    const branch = this.branch.value;
    if (this.branch.refusal) return refusalOf(this.branch.refusal, () => void this.branch.run()) as TemplateResult;
    if (!branch) return waiting();
    return html`<section class="panel" aria-labelledby="chosen-branch">
      <h2 id="chosen-branch">${labelled(branch.title, this.shown)}</h2>
      ${refused(this.refusal, this.caseId)}
      <p class="fine">${branch.lineage && branch.lineage.length > 1 ? html`From ${branch.lineage.map((step, i) => html`${i > 0 ? " › " : nothing}${step.title}`)} · ` : nothing}changed ${instant(branch.updatedAt)}</p>
      <p class="actions">
        <a class="button quiet small" href=${address(`/app/cases/${this.caseId}/work`, { branch: branch.branchId === active ? "" : branch.branchId })}>See its work</a>
        ${
          this.writable
            ? html`${branch.branchId !== active && branch.status === "active" ? html`<button class="small" @click=${() => void this.adopt(branch, container)}>Make it the active one</button>` : nothing}
              ${
                branch.branchId === active
                  ? nothing
                  : branch.status === "active"
                    ? html`<button class="quiet small" @click=${() => void this.change(branch, { status: "archived" }, "The branch is archived.")}>Archive</button>`
                    : html`<button class="quiet small" @click=${() => void this.change(branch, { status: "active" }, "The branch is in use again.")}>Take it up again</button>`
              }`
            : nothing
        }
      </p>
      ${this.writable && branch.status === "active" ? this.renderFork(branch) : nothing}
    </section>`;
  }

  private renderFork(branch: Branch): TemplateResult {
    const ended = (this.phases.value ?? []).filter((p) => !["queued", "running", "interrupted"].includes(p.status));
    return html`<h3>Fork it</h3>
      <form class="filters" @submit=${(event: SubmitEvent) => void this.fork(event)}>
        ${choice(
          "fromPhaseId",
          "After",
          ended.map((p) => [p.phaseId, `${p.sequence}. ${clip(p.prompt ?? requestName(p.requestType), 60)}`]),
          "",
          "its last step",
        )}
        ${choice(
          "purpose",
          "For",
          [
            ["alternative", "Another way"],
            ["opposing_view", "The other side’s view"],
            ["draft", "A draft"],
          ],
          "alternative",
        )}
        <div class="field"><label for="fork-title">Title</label><input id="fork-title" name="title" maxlength="120" placeholder=${`Branch of ${branch.title}`} />${problem(this.refusal, "title", this.querySelector<HTMLInputElement>("#fork-title")?.value.trim())}</div>
        <button>Fork</button>
      </form>`;
  }
}

customElements.define("subrosa-case-branches", Branches);
