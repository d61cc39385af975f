// Names of a case: what stands behind its labels, opened in this page and forgotten when the vault locks.
import { Refusal, get, put as replace } from "../api.js";
import {
  type FirmKey,
  type Identity,
  type Labels,
  conflictTokens,
  newRef,
  normalised,
  openIdentity,
  openLabels,
  sealValue,
} from "./format.js";
import { wordsOf } from "../known.js";
import { all, create, labelsPath, tagOf } from "./service.js";
import type { Sealed, Party, SealedLabels as StoredLabels } from "../wire.js";

/** The keys that names are sealed with. */
export interface Keyring {
  /** The present firm key; throws when it is not held. */
  current(): FirmKey;
  /** The firm key of a version, if it is held. */
  key(version: number): FirmKey | undefined;
  /** Reads anew which keys there are. */
  refresh(): Promise<void>;
}

/** What a case's labels stand for. */
export interface CaseNames {
  /** Real value by label: parties' names and all other values. */
  values: Map<string, string>;
  /** Who stands behind the labels of parties. */
  identities: Map<string, Identity>;
  parties: Party[];
  /** Labels that could not be opened, with the reason for people. */
  failed: Map<string, string>;
}

/** What the vault keeps of a party, as the interface takes it. */
export interface PartyFields {
  identityRef: string;
  sealed: Sealed;
  conflictTokens: string[];
}

/** Labels that stand for something else already: somebody gave them out meanwhile. */
export class LabelTaken extends Error {
  constructor(readonly labels: string[]) {
    super(`${labels.join(", ")}: somebody gave this label to something else meanwhile. Choose another label.`);
  }
}

const TRIES = 6;
const MAX_TOKENS = 20;

/** What an identity of a party is sealed for. */
export function placeOf(caseId: string, ref: string): string {
  return `${caseId}:${ref}`;
}

/** The conflict tokens of an identity: those of its name and of as many aliases as a party can have. */
export async function tokensOf(key: FirmKey, kind: string, who: Identity): Promise<string[]> {
  return (await conflictTokens(key, kind, [who.name, ...(who.aliases ?? [])])).slice(0, MAX_TOKENS);
}

/** Opens who stands behind a party. Throws with the reason for people. */
export async function identityOf(keys: Keyring, p: Party): Promise<Identity> {
  const s = p.sealed as Sealed;
  const key = keys.key(s.keyVersion);
  if (!key) throw new Error(`sealed under firm key ${s.keyVersion}, which you do not hold`);
  if (s.aad !== placeOf(p.caseId, p.identityRef ?? ""))
    throw new Error("what is sealed there belongs to another party");
  return openIdentity(key, s, s.aad);
}

/** The sealed labels of a case as the service has them; undefined when there are none. */
export async function storedLabels(caseId: string): Promise<StoredLabels | undefined> {
  return (await get<StoredLabels | null>(labelsPath(caseId))) ?? undefined;
}

export class Names {
  private readonly cache = new Map<string, Promise<CaseNames>>();
  private readonly open = new Map<string, CaseNames>(); // those of the cache that are read

  constructor(private readonly keys: Keyring) {}

  /** Drops names that are in memory: of a case, or all. */
  forget(caseId?: string): void {
    if (caseId === undefined) {
      this.cache.clear();
      this.open.clear();
    } else {
      this.cache.delete(caseId);
      this.open.delete(caseId);
    }
  }

  /** Everything by which somebody of the cases that are open could be told. */
  *known(): Iterable<string> {
    for (const names of this.open.values()) {
      for (const who of names.identities.values()) yield* wordsOf(who);
      yield* names.values.values();
    }
  }

  /** The names of a case, read once until they are forgotten. */
  of(caseId: string): Promise<CaseNames> {
    this.keys.current();
    let names = this.cache.get(caseId);
    if (!names) {
      names = this.read(caseId);
      this.cache.set(caseId, names);
      const reading = names;
      reading.then(
        (read) => this.cache.get(caseId) === reading && this.open.set(caseId, read),
        () => this.cache.get(caseId) === reading && this.cache.delete(caseId),
      );
    }
    return names;
  }

  private async read(caseId: string): Promise<CaseNames> {
    const [parties, stored] = await Promise.all([all<Party>("/v1/parties", { caseId }), storedLabels(caseId)]);
    const names: CaseNames = { values: new Map(), identities: new Map(), parties, failed: new Map() };
    if (stored) {
      try {
        for (const [label, value] of Object.entries((await this.opened(caseId, stored)).labels))
          names.values.set(label, value);
      } catch (error) {
        names.failed.set("other labels", reason(error));
      }
    }
    for (const p of parties) {
      if (!p.sealed) continue;
      try {
        if (p.caseId !== caseId) throw new Error("it is another case’s");
        const who = await identityOf(this.keys, p);
        names.identities.set(p.label, who);
        names.values.set(p.label, who.name);
      } catch (error) {
        names.failed.set(p.label, reason(error));
      }
    }
    this.keys.current(); // nothing is handed out by a vault that was locked meanwhile
    return names;
  }

  private opened(caseId: string, stored: StoredLabels): Promise<Labels> {
    const key = this.keys.key(stored.keyVersion);
    if (!key) throw new Error(`sealed under firm key ${stored.keyVersion}, which you do not hold`);
    return openLabels(key, stored, `${caseId}:labels`);
  }

  /** The sealed labels of a case as they are now. */
  async sealedLabels(caseId: string): Promise<Labels> {
    this.keys.current();
    const stored = await storedLabels(caseId);
    return stored ? this.opened(caseId, stored) : { v: 1, labels: {} };
  }

  /** Seals an identity for a party. */
  async sealParty(
    caseId: string,
    kind: string,
    identity: Omit<Identity, "v">,
    identityRef?: string,
  ): Promise<PartyFields> {
    const key = this.keys.current();
    const who: Identity = { v: 1, ...identity };
    if (!normalised(who.name)) throw new Error("An identity has a name.");
    const ref = identityRef || newRef();
    const aad = placeOf(caseId, ref);
    const { iv, ct } = await sealValue(key, who, aad);
    return {
      identityRef: ref,
      sealed: { v: 1, alg: "A256GCM", keyVersion: key.version, iv, ct, aad },
      conflictTokens: await tokensOf(key, kind, who),
    };
  }

  /** Adds to the sealed labels of a case. What others wrote meanwhile is read and kept. */
  async add(caseId: string, labels: Map<string, string>, originals: Map<string, string>): Promise<void> {
    for (let tries = 1; ; tries++) {
      const stored = await storedLabels(caseId);
      const now: Labels = stored ? await this.opened(caseId, stored) : { v: 1, labels: {} };
      const taken = [...labels]
        .filter(([label, value]) => (now.labels[label] ?? value) !== value)
        .map(([label]) => label);
      if (taken.length > 0) throw new LabelTaken(taken);
      const next: Labels = { v: 1, labels: { ...now.labels, ...Object.fromEntries(labels) } };
      if (now.originals || originals.size > 0) next.originals = { ...now.originals, ...Object.fromEntries(originals) };
      const key = this.keys.current();
      const body = { keyVersion: key.version, ...(await sealValue(key, next, `${caseId}:labels`)) };
      try {
        if (stored) await replace(labelsPath(caseId), body, { ifMatch: tagOf(stored.version) });
        else await create(labelsPath(caseId), body);
        this.forget(caseId);
        return;
      } catch (error) {
        if (!(error instanceof Refusal) || (error.status !== 409 && error.status !== 412) || tries === TRIES)
          throw error;
        if (error.code === "key_outdated") await this.keys.refresh();
      }
    }
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : "it does not open";
}
