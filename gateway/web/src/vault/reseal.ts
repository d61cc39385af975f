// After a new firm key: everything that is sealed under one before is sealed anew. It can be ended and taken up again at any time.
import { Refusal, put as replace } from "../api.js";
import { type FirmKey, VaultError, reseal as sealAnew } from "./format.js";
import { identityOf, storedLabels, tokensOf } from "./names.js";
import { all, labelsPath, putParty, tagOf } from "./service.js";
import type { Sealed, Party } from "../wire.js";
import type { Vault } from "./session.js";

/** How far it is, for a person. */
export interface Progress {
  step: "parties" | "tokens" | "labels";
  done: number;
  of: number;
  /** What could not be moved, with the reason. Those who hold its keys go on with it. */
  left: string[];
}

const MAX_TOKENS = 20;
const ROUNDS = 10; // of looking for parties that others sealed under an old key meanwhile

/**
 * Brings everything under the present firm key. First every party gets the tokens of both keys, and when all have those of the new one, the old
 * ones go: two parties with one name have a token in common all the while, and no conflict is missed. What cannot be opened is told and left, and
 * as long as a party is left, all keep their old tokens. Throws NotOpen once the vault is locked, or a Refusal when the service cannot go on; what was moved until then stays moved.
 */
export async function reseal(vault: Vault, told: (p: Progress) => void, signal: AbortSignal): Promise<Progress> {
  const present = vault.current();
  const left = new Map<string, string>();
  const tell = (step: Progress["step"], done: number, of: number): Progress => {
    const p = { step, done, of, left: [...left.values()] };
    told(p);
    return p;
  };
  const attempt = async (id: string, name: string, move: () => Promise<void>): Promise<void> => {
    try {
      await move();
    } catch (error) {
      vault.current(); // of a locked vault nothing opens: that ends all
      if (endsAll(error)) throw error;
      left.set(id, `${name}: ${error instanceof Error ? error.message : "it does not open"}`);
    }
  };
  for (let round = 1; ; round++) {
    const parties = (await all<Party>("/v1/parties", {}, { signal })).filter(
      (p) => p.sealed && p.sealed.keyVersion !== present.version && !left.has(p.partyId),
    );
    if (parties.length === 0) break;
    if (round > ROUNDS) {
      for (const p of parties)
        left.set(p.partyId, `${p.label}: it is under an old key again each time that it was sealed anew`);
      break;
    }
    await each(
      parties,
      signal,
      (done) => tell("parties", done, parties.length),
      async (p) => {
        await attempt(p.partyId, p.label, () => moveParty(vault, p, present));
      },
    );
  }
  const sealed =
    left.size > 0
      ? []
      : (await all<Party>("/v1/parties", {}, { signal })).filter((p) => p.sealed?.keyVersion === present.version);
  await each(
    sealed,
    signal,
    (done) => tell("tokens", done, sealed.length),
    async (p) => {
      await attempt(p.partyId, p.label, () => dropOldTokens(vault, p, present));
    },
  );
  const cases = await all<{ caseId: string }>("/v1/cases", {}, { signal });
  await each(
    cases,
    signal,
    (done) => tell("labels", done, cases.length),
    async ({ caseId }) => {
      await attempt(caseId, `labels of case ${caseId}`, () => moveLabels(vault, caseId, present));
    },
  );
  return tell("labels", cases.length, cases.length);
}

async function each<T>(
  list: T[],
  signal: AbortSignal,
  told: (done: number) => void,
  move: (item: T) => Promise<void>,
): Promise<void> {
  for (const [i, item] of list.entries()) {
    told(i);
    signal.throwIfAborted();
    await move(item);
  }
}

/** What nothing more can be done about, such as no connection. */
function endsAll(error: unknown): boolean {
  return (
    error instanceof Refusal &&
    (error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500)
  );
}

async function moveParty(vault: Vault, p: Party, present: FirmKey): Promise<void> {
  const s = p.sealed as Sealed;
  const who = await identityOf(vault, p);
  const old = vault.key(s.keyVersion) as FirmKey; // identityOf opened it
  const { iv, ct } = await sealAnew(present, old, s, s.aad);
  const tokens = await tokensOf(present, p.kind, who);
  const before = await tokensOf(old, p.kind, who);
  if (tokens.length + before.length <= MAX_TOKENS) tokens.push(...before);
  await putParty(p, {
    identityRef: p.identityRef as string,
    sealed: { ...s, keyVersion: present.version, iv, ct },
    conflictTokens: tokens,
  });
}

async function dropOldTokens(vault: Vault, p: Party, present: FirmKey): Promise<void> {
  const tokens = await tokensOf(present, p.kind, await identityOf(vault, p));
  if (tokens.length === p.conflictTokenCount) return;
  await putParty(p, { identityRef: p.identityRef as string, sealed: p.sealed as Sealed, conflictTokens: tokens });
}

async function moveLabels(vault: Vault, caseId: string, present: FirmKey): Promise<void> {
  const stored = await storedLabels(caseId);
  if (!stored || stored.keyVersion === present.version) return;
  const old = vault.key(stored.keyVersion);
  if (!old) throw new VaultError("damaged");
  const { iv, ct } = await sealAnew(present, old, stored, `${caseId}:labels`);
  await replace(labelsPath(caseId), { keyVersion: present.version, iv, ct }, { ifMatch: tagOf(stored.version) });
}
