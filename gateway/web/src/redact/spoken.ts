// The labels that the case's own words use. They may mean somebody whom nobody has named yet, so no document may bind them by itself.
import { address, get } from "../api.js";
import { all } from "../vault/service.js";
import type { Case, Entry, Phase, PhaseSummary, Timeline, Workspace } from "../wire.js";
import { labelsIn } from "./review.js";

/** How many code points of a prompt a summary has; a longer prompt is read whole. */
const SUMMARY = 200;

/** How many prompts are read whole at once, and how many at most. */
const AT_ONCE = 4;
const MOST_READ = 400;

/** What the case says of people by their labels. */
export interface Spoken {
  /** Labels in the record of the case: its title, summary and other fields. */
  record: Set<string>;
  /** Labels in what was asked of the agent, in titles of branches and in the timeline. */
  work: Set<string>;
  /** How many long prompts there are besides, of which the beginning alone was read. */
  unread: number;
}

/** Reads the labels of the case's own words. Throws a Refusal. */
export async function spokenLabels(caseId: string, signal: AbortSignal): Promise<Spoken> {
  const at = encodeURIComponent(caseId);
  const [written, workspace] = await Promise.all([
    get<Case>(`/v1/cases/${at}`, { signal }),
    get<Workspace>(`/v1/workspace/case/${at}`, { signal }),
  ]);
  const { timelineId, branches } = workspace.timeline;
  const [asked, texts] = await Promise.all([
    Promise.all(branches.map(({ branchId }) => summaries(branchId, signal))),
    Promise.all(branches.map(({ branchId }) => entries(timelineId, branchId, signal))),
  ]);
  const phases = asked.flat();
  const long = phases.filter(({ prompt = "" }) => [...prompt].length >= SUMMARY);
  const whole = await wholePrompts(long.slice(0, MOST_READ), signal);
  const beginnings = phases.map(({ prompt = "" }) => prompt);
  const titles = branches.map((b) => b.title);
  return {
    record: labelsIn(JSON.stringify(written)),
    work: labelsIn([...titles, ...texts.flat(), ...beginnings, ...whole].join("\n")),
    unread: Math.max(0, long.length - MOST_READ),
  };
}

/** What was asked on a branch, in short. */
function summaries(branchId: string, signal: AbortSignal): Promise<PhaseSummary[]> {
  return all<PhaseSummary>("/v1/phases", { branchId, view: "summary", includeInherited: "false" }, { signal });
}

/** The prompts of phases, a few at once. */
async function wholePrompts(phases: PhaseSummary[], signal: AbortSignal): Promise<string[]> {
  const texts: string[] = [];
  const waiting = phases.values();
  const read = async (): Promise<void> => {
    for (const { phaseId } of waiting)
      texts.push((await get<Phase>(address("/v1/phases", { phaseId }), { signal })).prompt ?? "");
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return texts;
}

/** What the entries of a branch say in their own words. Their sources are quotations of files, whose labels are known anyway. */
async function entries(timelineId: string, branchId: string, signal: AbortSignal): Promise<string[]> {
  const texts: string[] = [];
  let cursor = "";
  do {
    const page = await get<Timeline>(
      address(`/v1/timeline/${encodeURIComponent(timelineId)}`, { branchId, include: "entries", limit: 100, cursor }),
      { signal },
    );
    const found: Entry[] = page.entries ?? [];
    texts.push(...found.flatMap(({ title, detail = "" }) => [title, detail]));
    cursor = page.nextCursor ?? "";
  } while (cursor);
  return texts;
}
