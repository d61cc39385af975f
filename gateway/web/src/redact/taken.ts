// Labels that came to mean something else between the review of a document and its sending, and how the review gets others.
import type { NewParty } from "./keep.js";
import { type KnownLabel, type Subject, keyOf } from "./review.js";
import type { Work } from "./work.js";

/**
 * Those labels of a review that stand for something else in the case now than when the document was read: new then and taken since, or given to
 * somebody else. A label behind which one of the review's own spellings stands is the review's own, kept before.
 */
export function takenLabels(named: Map<string, string[]>, then: KnownLabel[], now: KnownLabel[]): string[] {
  const was = new Map(then.map((k) => [k.label, k.names]));
  const is = new Map(now.map((k) => [k.label, k.names]));
  const taken: string[] = [];
  for (const [label, names] of named) {
    const before = was.get(label);
    const after = is.get(label);
    if (names.length === 0 || !after) continue;
    if (before && before.length === 0 && after.length === 0) continue;
    const ours = new Set([...names, ...(before ?? [])].map(keyOf));
    if (!after.some((name) => ours.has(keyOf(name)))) taken.push(label);
  }
  return taken;
}

/** Gives what has a taken label another one, as the case's labels are now. What had one label has one again, and what was said of new parties goes with it. Throws a ToolFailure. */
export async function renumber(work: Work, taken: string[], now: KnownLabel[], parties: NewParty[]): Promise<void> {
  const { review } = work;
  const groups = new Map<string, Subject[]>();
  for (const s of review.subjects.values()) {
    if (s.cleared || !taken.includes(s.label)) continue;
    groups.set(s.label, [...(groups.get(s.label) ?? []), s]);
    review.assign(s, "");
  }
  review.known.splice(0, review.known.length, ...now);
  await work.find(review.familiar());
  for (const [old, group] of groups) {
    const longest = group.reduce((a, b) => (b.name.length > a.name.length ? b : a));
    for (const s of group) review.assign(s, longest.label);
    for (const p of parties) if (p.label === old) p.label = longest.label;
  }
}
