// Branches as a picture: each is a line of phases that leaves its parent where it was forked. The list below it says the same in words.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { Element } from "../page.js";
import type { BranchSummary } from "../wire.js";

const row = 36;
const left = 16;
const most = 24; // phases that are drawn one by one

/** Branches in the order of a tree: each one after its parent, children by their age. */
export function inOrder(branches: BranchSummary[]): BranchSummary[] {
  const known = new Set(branches.map((b) => b.branchId));
  const out: BranchSummary[] = [];
  const add = (parent: string | null): void => {
    for (const b of branches.filter(
      (b) => (b.parentBranchId && known.has(b.parentBranchId) ? b.parentBranchId : null) === parent,
    )) {
      out.push(b);
      add(b.branchId);
    }
  };
  add(null);
  return out;
}

class Tree extends Element {
  static override properties = { branches: { attribute: false }, active: { type: String }, chosen: { type: String } };
  declare branches: BranchSummary[];
  declare active: string;
  declare chosen: string;

  private choose(branch: BranchSummary): void {
    this.dispatchEvent(new CustomEvent("chosen", { detail: branch.branchId }));
  }

  override render(): TemplateResult {
    const branches = inOrder(this.branches);
    const length = Math.max(1, ...branches.map((b) => (b.inheritedPhaseCount ?? 0) + b.ownPhaseCount));
    const step = Math.max(10, Math.min(28, 560 / (length + 1)));
    const wide = left + (length + 1) * step + 190;
    const rows = new Map(branches.map((b, i) => [b.branchId, i]));
    const y = (b: BranchSummary): number => 22 + (rows.get(b.branchId) ?? 0) * row;
    const x = (phase: number): number => left + phase * step;
    return html`<svg class="picture tree" width=${wide} height=${branches.length * row + 14} viewBox=${`0 0 ${wide} ${branches.length * row + 14}`} role="img" aria-label=${`Picture of ${branches.length} branches. The list below has the same.`}>
      ${branches.map((b) => {
        const from = b.inheritedPhaseCount ?? 0;
        const to = from + b.ownPhaseCount;
        const parent = branches.find((p) => p.branchId === b.parentBranchId);
        const state = `line ${b.status} ${b.branchId === this.active ? "active" : ""} ${b.branchId === this.chosen ? "chosen" : ""}`;
        const end = Math.max(to, from + 1);
        const fork = parent
          ? svg`<path class=${state} d=${`M${x(from)} ${y(parent)} C${x(from) + step} ${y(parent)} ${x(from)} ${y(b)} ${x(from + 1)} ${y(b)}`} />`
          : svg``;
        const dots: SVGTemplateResult[] = [];
        for (let phase = Math.max(from + 1, to - most + 1); phase <= to; phase++)
          dots.push(svg`<circle class=${state} cx=${x(phase)} cy=${y(b)} r="5" />`);
        return svg`<g @click=${() => this.choose(b)}>
          ${fork}
          <line class=${state} x1=${x(parent ? from + 1 : 0)} x2=${x(end)} y1=${y(b)} y2=${y(b)} />
          ${dots}
          <text x=${x(end) + 12} y=${y(b) + 5}>${b.title}${b.branchId === this.active ? " ●" : ""}</text>
        </g>`;
      })}
    </svg>`;
  }
}

customElements.define("subrosa-tree", Tree);
