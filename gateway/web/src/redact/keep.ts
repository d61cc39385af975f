// What happens once nothing is left to label: names go into the vault first, then the text without them to the case.
import { Refusal, type Detail, del, idempotencyKey, post, upload } from "../api.js";
import { sha256Hex, utf8 } from "../vault/bytes.js";
import type { Identity } from "../vault/format.js";
import { type Original, SEALED, sealOriginal } from "../vault/original.js";
import { all, putParty } from "../vault/service.js";
import type { Party, File as StoredFile } from "../wire.js";
import { LabelTaken } from "../vault/names.js";
import { vault } from "../vault/session.js";
import { type KnownLabel, isSomebody, keyOf } from "./review.js";
import { spokenLabels } from "./spoken.js";
import { takenLabels } from "./taken.js";

/** A party that a new label makes, as the person describes it. */
export interface NewParty {
  label: string;
  name: string;
  kind: string;
  role: string;
  side: string;
}

const MAX_ALIASES = 19;

/** What a case uses of labels. */
export interface CaseLabels {
  known: KnownLabel[];
  files: number;
  /** How many long prompts of the case were not read to their end. */
  unread: number;
}

/** Every label that the case uses, in its own texts too, with the names behind those that this vault opens, and how many files there are. Throws NotOpen or a Refusal. */
export async function caseLabels(caseId: string, signal: AbortSignal): Promise<CaseLabels> {
  const [names, files, spoken] = await Promise.all([
    vault.namesOf(caseId),
    all<StoredFile>(filesPath(caseId), {}, { signal }),
    spokenLabels(caseId, signal),
  ]);
  const known = new Map<string, string[]>();
  const filed = new Set(files.flatMap((f) => f.findings.labels));
  for (const label of [...spoken.record, ...spoken.work, ...filed]) known.set(label, []);
  for (const p of names.parties) known.set(p.label, []);
  for (const [label, value] of names.values) known.set(label, [value]);
  for (const [label, who] of names.identities) known.set(label, [who.name, ...(who.aliases ?? [])]);
  // Work may speak of a label because a file has it: that file has bound it already.
  const said = (label: string): boolean => spoken.record.has(label) || (spoken.work.has(label) && !filed.has(label));
  const asked = (label: string, list: string[]): boolean => list.length === 0 && said(label) && isSomebody(label);
  return {
    known: [...known].map(([label, list]) => ({ label, names: list, asked: asked(label, list) })),
    files: files.length,
    unread: spoken.unread,
  };
}

function filesPath(caseId: string): string {
  return `/v1/cases/${encodeURIComponent(caseId)}/files`;
}

/** Those labels of parties that have no party in the case yet, as it is now. */
export async function withoutParty(caseId: string, labels: Iterable<string>): Promise<string[]> {
  vault.forgetNames(caseId);
  const { parties } = await vault.namesOf(caseId);
  const there = new Set(parties.map((p) => p.label));
  return [...labels].filter((label) => label.startsWith("[Party ") && !there.has(label));
}

/**
 * Keeps the names behind labels as keepThem does, once more when the firm's key was changed meanwhile.
 * @param then what the labels of the case stood for when the document was read
 */
export async function keepNames(
  caseId: string,
  named: Map<string, string[]>,
  fresh: NewParty[],
  then: KnownLabel[],
): Promise<void> {
  try {
    await keepThem(caseId, named, fresh, then);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "key_outdated") throw error;
    await vault.refresh();
    await keepThem(caseId, named, fresh, then);
  }
}

/**
 * Keeps the names behind labels: of parties in their sealed identities, new spellings as aliases, of all other labels in the case's sealed labels.
 * It can be repeated; what is kept already is left alone. Throws NotOpen, a Refusal, or LabelTaken, before
 * anything is kept, when labels stand for something else now.
 */
async function keepThem(
  caseId: string,
  named: Map<string, string[]>,
  fresh: NewParty[],
  then: KnownLabel[],
): Promise<void> {
  vault.forgetNames(caseId);
  const now = await caseLabels(caseId, new AbortController().signal);
  const taken = takenLabels(named, then, now.known);
  if (taken.length > 0) throw new LabelTaken(taken);
  const { parties, identities, failed } = await vault.namesOf(caseId);
  const others = new Map<string, string>();
  for (const [label, names] of named) {
    const party = parties.find((p) => p.label === label);
    const made = fresh.find((p) => p.label === label);
    if (names.length === 0) continue;
    if (failed.has(label)) throw new Error(`${label} is sealed already, and does not open here: ${failed.get(label)}.`);
    if (party) await addSpellings(caseId, party, identities.get(label), names);
    else if (made) await makeParty(caseId, made, names);
    else others.set(label, names[0] as string);
  }
  const kept = await vault.labels(caseId);
  const missing = new Map([...others].filter(([label]) => !kept.has(label)));
  if (missing.size > 0) await vault.addLabels(caseId, missing);
  vault.forgetNames(caseId);
}

async function addSpellings(caseId: string, party: Party, was: Identity | undefined, names: string[]): Promise<void> {
  const have = new Set(was ? [was.name, ...(was.aliases ?? [])].map(keyOf) : []);
  const more = names.filter((name) => !have.has(keyOf(name)));
  if (more.length === 0) return;
  const { v: _, ...before } = was ?? { v: 1, name: fullest(names) };
  const identity = withAliases(before, more);
  await putParty(party, await vault.sealParty(caseId, party.kind, identity, party.identityRef));
}

async function makeParty(caseId: string, p: NewParty, names: string[]): Promise<void> {
  const fields = await vault.sealParty(caseId, p.kind, withAliases({ name: p.name }, names));
  try {
    await post(
      "/v1/parties",
      { caseId, label: p.label, kind: p.kind, role: p.role, side: p.side, ...fields },
      { key: idempotencyKey() },
    );
  } catch (error) {
    if (error instanceof Refusal && error.code === "label_taken") throw new LabelTaken([p.label]); // in this very moment
    throw error;
  }
}

function withAliases(who: Omit<Identity, "v">, names: string[]): Omit<Identity, "v"> {
  const seen = new Set([who.name, ...(who.aliases ?? [])].map(keyOf));
  const more = names.filter((name) => {
    const key = keyOf(name);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const aliases = [...(who.aliases ?? []), ...more].slice(0, MAX_ALIASES);
  return aliases.length > 0 ? { ...who, aliases } : who;
}

/** The spelling that says most: the one with the most letters. */
export function fullest(names: string[]): string {
  return names.reduce((a, b) => (b.length > a.length ? b : a), "");
}

/** Stores an original as ciphertext, with its key in the sealed labels of the case. Returns the id of the file that holds it. Throws as keepNames. */
export async function keepOriginal(caseId: string, name: string, original: Original): Promise<string> {
  const { sealed, key } = await sealOriginal(caseId, original);
  const answer = await upload<{ items: StoredFile[] }>(
    filesPath(caseId),
    name,
    new Blob([sealed], { type: SEALED }),
    {},
    { key: idempotencyKey() },
  );
  const file = answer.items[0] as StoredFile;
  try {
    await vault.addLabels(caseId, new Map(), new Map([[file.fileId, key]]));
  } catch (error) {
    await del(`${filesPath(caseId)}/${file.fileId}`).catch(() => undefined); // nobody could ever open it
    throw error;
  }
  return file.fileId;
}

/** Adds the text without identities to the case. Throws a Refusal. */
export async function addText(
  caseId: string,
  name: string,
  text: string,
  sealedFileId: string | undefined,
): Promise<StoredFile> {
  const metadata = JSON.stringify([{ name, ...(sealedFileId ? { sealedFileId } : {}) }]);
  const answer = await upload<{ items: StoredFile[] }>(
    filesPath(caseId),
    name,
    new Blob([text], { type: "text/plain" }),
    { metadata },
    { key: idempotencyKey() },
  );
  return answer.items[0] as StoredFile;
}

/** A finding of the service in the text that was sent, in UTF-16 code units. */
export interface Refused {
  detail: Detail;
  start: number;
  end: number;
}

/** What the service found in the text, if that is why it refused it; undefined when the refusal has another reason. */
export function findingsOf(error: unknown, text: string): Refused[] | undefined {
  if (!(error instanceof Refusal) || error.code !== "identity_refused") return undefined;
  const found = error.details.filter((d) => d.path === "text" && d.start !== undefined && d.end !== undefined);
  if (found.length === 0 || found.length < error.details.length) return undefined;
  const bytes = utf8(text);
  const reader = new TextDecoder();
  return found.map((detail) => {
    const start = reader.decode(bytes.subarray(0, detail.start)).length;
    return { detail, start, end: start + reader.decode(bytes.subarray(detail.start, detail.end)).length };
  });
}

/** Says by the person's name that findings of the service are no identities. The same text passes in this case then. Throws a Refusal. */
export async function clearFindings(caseId: string, text: string, found: Refused[]): Promise<void> {
  const marks = found.map(({ detail }) => ({
    path: detail.path,
    kind: detail.kind,
    start: detail.start,
    end: detail.end,
  }));
  await post(
    `${filesPath(caseId)}/clearances`,
    { sha256: await sha256Hex(utf8(text)), marks },
    { key: idempotencyKey() },
  );
}
