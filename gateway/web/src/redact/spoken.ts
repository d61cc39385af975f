// The labels that the case's own words use. They may mean somebody whom nobody has named yet, so no document may bind them by itself.
import { address, get } from "../api.js";
import { all } from "../vault/service.js";
import type { Case, Entry, Phase, PhaseSummary, Timeline, Workspace } from "../wire.js";
import { labelsIn } from "./review.js";

/** How many code points of a prompt a summary has; a longer prompt is read whole. */
const SUMMARY = 200;

/** What the case says of people by their labels. */
export interface Spoken {
  /** Labels in the record of the case: its title, summary and other fields. */
  record: Set<string>;
  /** Labels in what was asked of the agent, in titles of branches and in the timeline. */
  work: Set<string>;
}

/** Reads the labels of the case's own words. Throws a Refusal. */
export async function spokenLabels(caseId: string, signal: AbortSignal): Promise<Spoken> {
  const at = encodeURIComponent(caseId);
  const [written, workspace] = await Promise.all([
    get<Case>(`/v1/cases/${at}`, { signal }),
    get<Workspace>(`/v1/workspace/case/${at}`, { signal }),
  ]);
  const { timelineId, branches } = workspace.timeline;
  const texts = await Promise.all(
    branches.flatMap(({ branchId }) => [prompts(branchId, signal), entries(timelineId, branchId, signal)]),
  );
  const titles = branches.map((b) => b.title);
  return { record: labelsIn(JSON.stringify(written)), work: labelsIn([...titles, ...texts.flat()].join("\n")) };
}

/** What was asked on a branch. */
async function prompts(branchId: string, signal: AbortSignal): Promise<string[]> {
  const phases = await all<PhaseSummary>(
    "/v1/phases",
    { branchId, view: "summary", includeInherited: "false" },
    { signal },
  );
  return Promise.all(
    phases.map(async ({ phaseId, prompt = "" }) => {
      if ([...prompt].length < SUMMARY) return prompt;
      return (await get<Phase>(address("/v1/phases", { phaseId }), { signal })).prompt ?? prompt;
    }),
  );
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
