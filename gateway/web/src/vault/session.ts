// The person's vault in this page: the only door to identities. Keys are in the memory of this page alone, while it is open.
import { Refusal, get, post, read, put as replace, whenSignedOut } from "../api.js";
import {
  type FirmKey,
  type Identity,
  type KeyPair,
  type Labels,
  fingerprint,
  makeFirmKey,
  makePair,
  relock,
  unlock,
  unwrap,
} from "./format.js";
import { Idle } from "./idle.js";
import { ChangedKey, NotOpen } from "./obstacle.js";
import { knownBy } from "../known.js";
import { type CaseNames, Names, type PartyFields } from "./names.js";
import { type VaultMember, all, create } from "./service.js";
import type { Me, Vault as StoredVault, WrappedKey } from "../wire.js";
import { USUAL_MINUTES, change, kept, pin, pinsOf, setLockAfter, settings } from "./store.js";

/**
 * unknown: not read yet. none: the person has no vault. locked: it has to be opened with the passphrase. open: identities can be read and
 * sealed. waiting: it was opened, but the firm's present key is not in it: nobody gave it yet, or the firm has none.
 */
export type State = "unknown" | "none" | "locked" | "open" | "waiting";

export class Vault {
  state: State = "unknown";
  /** Who is signed in; there once the state is known. */
  me: Me | undefined;
  /** The ciphertext as the service has it; undefined without a vault. */
  stored: StoredVault | undefined;
  /** What a person must know of the keys in this vault: one that does not open, for instance. */
  warnings: string[] = [];
  /** Minutes without use after which the vault locks. */
  lockAfter = USUAL_MINUTES;

  private tag = "";
  private pair: KeyPair | undefined;
  private keys = new Map<number, FirmKey>();
  private newest = 0;
  private readonly watching = new Set<() => void>();
  private readonly names = new Names(this);
  private readonly idle = new Idle(
    () => this.lockAfter,
    () => this.forget(),
  );
  private loading: Promise<void> | undefined;
  private turn = 0;

  constructor() {
    knownBy(() => this.names.known());
    whenSignedOut(() => this.lock());
    addEventListener("subrosa:signed-out", () => this.lock());
  }

  /** Calls back after every change of state, keys or names, until the returned function is called. */
  subscribe(fn: () => void): () => void {
    this.watching.add(fn);
    return () => this.watching.delete(fn);
  }

  /** Reads who is signed in and whether they have a vault; once, unless `anew`. Throws a Refusal. */
  load(anew = false): Promise<void> {
    if (anew || !this.loading) {
      this.loading = this.fetch();
      this.loading.catch(() => (this.loading = undefined));
    }
    return this.loading;
  }

  private async fetch(): Promise<void> {
    this.me ??= await get<Me>("/v1/me");
    this.lockAfter = (await settings()).lockAfter;
    try {
      if (await this.mayHaveOne()) {
        const answer = await read<StoredVault>("/v1/vault");
        await this.keep(answer.body, answer.etag);
      } else this.hasNone();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      this.hasNone();
    }
    if (!this.pair) this.become(this.stored ? "locked" : "none");
  }

  /** Whether the person has a vault, as far as can be told without asking for one that is not there, which browsers note as an error. */
  private async mayHaveOne(): Promise<boolean> {
    if (this.stored || (await this.lastSeen())) return true;
    return (await all<VaultMember>("/v1/vault/members")).some((member) => member.userId === this.caller.user);
  }

  private hasNone(): void {
    this.stored = undefined;
    this.tag = "";
    this.forget();
  }

  private async keep(stored: StoredVault, tag: string): Promise<void> {
    this.stored = stored;
    this.tag = tag;
    await change("vaults", this.place, () => stored);
  }

  /** Under which this browser keeps what is the person's: two who share it share nothing of it. */
  get place(): string {
    return `${this.caller.tenant}/${this.caller.user}`;
  }

  /** Who is signed in. Throws NotOpen before `load`. */
  get caller(): Me {
    if (!this.me) throw new NotOpen("The vault was not read yet. Load the page again.");
    return this.me;
  }

  /** The last vault that this browser saw of the person, for when the service has none any more. */
  lastSeen(): Promise<StoredVault | undefined> {
    return kept("vaults", this.place);
  }

  /** Makes the person's vault and, as the first owner, the firm's key. Throws VaultError `short`, or a Refusal: 409 or 412 when another browser was first. */
  async create(passphrase: string): Promise<void> {
    await this.load();
    const { pair, blob } = await makePair(passphrase);
    const answer = await create<StoredVault>("/v1/vault", { publicKey: pair.publicKey, blob });
    await this.keep(answer.body, answer.etag);
    this.pair = pair;
    if (answer.body.keyVersion === 0 && this.owner) await this.makeFirstKey();
    else await this.opened();
  }

  /** Whether the person is an owner of the firm, who alone makes firm keys. */
  get owner(): boolean {
    return this.caller.roles.includes("owner");
  }

  /** Makes the firm's first key, when `create` did not come that far. Throws a Refusal: 409 when another owner was first. */
  async makeFirstKey(): Promise<void> {
    const pair = this.ownPair();
    const { key, wrapped } = await makeFirmKey(this.caller.tenant, 1, [pair.publicKey]);
    await this.rotated(
      key,
      [
        {
          userId: this.caller.user,
          publicKey: pair.publicKey,
          ...(wrapped[0] as { ephemeralKey: string; iv: string; ct: string }),
        },
      ],
      [],
    );
  }

  /** Lays down a new firm key, and makes sure that it comes back as it is before anything is sealed under it. */
  async rotated(key: FirmKey, keys: object[], remove: string[]): Promise<void> {
    const stored = await post<StoredVault>("/v1/vault/rotate", { keyVersion: key.version, keys, remove });
    await pin(this.place, { firmKeys: { [key.version]: key.fingerprint } });
    await this.keep(stored, "");
    await this.opened();
    if (!this.keys.has(key.version))
      throw new NotOpen(
        `Firm key ${key.version} was made, and the service does not give it back as it was. Seal nothing, and keep a backup.`,
      );
  }

  /** Opens the vault. Throws VaultError `passphrase`, ChangedKey, or a Refusal. */
  async unlock(passphrase: string): Promise<void> {
    const turn = ++this.turn;
    await this.load(true);
    if (!this.stored) throw new NotOpen("You have no vault yet.");
    const pair = await unlock(this.stored.publicKey, this.stored.blob, passphrase);
    if (turn !== this.turn) return;
    this.pair = pair;
    await this.opened();
  }

  /** Believes a fingerprint of a firm key from now on, after the person compared it with a colleague. */
  async believe(version: number, print: string): Promise<void> {
    await pin(this.place, { firmKeys: { [version]: print } });
  }

  /** Takes the firm keys out of the vault that was read, and says whether the present one is there. */
  private async opened(): Promise<void> {
    const turn = this.turn;
    const stored = this.stored as StoredVault;
    const pins = await pinsOf(this.place);
    const latest = Math.max(0, ...Object.keys(pins.firmKeys).map(Number));
    const found = new Map<number, FirmKey>();
    const warnings: string[] = [];
    for (const k of stored.keys) {
      const key = await this.taken(k, warnings);
      if (!key) continue;
      const seen = pins.firmKeys[k.keyVersion];
      if (seen ? seen !== key.fingerprint : latest > 0 && k.keyVersion > latest) {
        this.forget();
        throw new ChangedKey(k.keyVersion, seen ?? "", key.fingerprint);
      }
      found.set(k.keyVersion, key);
    }
    await pin(this.place, { firmKeys: Object.fromEntries([...found].map(([v, k]) => [v, k.fingerprint])) });
    if (turn !== this.turn || !this.pair) return; // locked meanwhile
    this.newest = Math.max(latest, ...found.keys());
    this.keys = found;
    this.warnings = warnings;
    this.names.forget();
    this.idle.start();
    this.become(found.has(stored.keyVersion) ? "open" : "waiting");
  }

  private async taken(k: WrappedKey, warnings: string[]): Promise<FirmKey | undefined> {
    try {
      return await unwrap(this.ownPair(), this.caller.tenant, k.keyVersion, k);
    } catch {
      warnings.push(`Firm key ${k.keyVersion}, as the service has it for you, does not open. A backup may have it.`);
      return undefined;
    }
  }

  /** Reads the vault anew without asking for the passphrase again: others may have given keys, or made one. */
  async refresh(): Promise<void> {
    await this.load(true);
    if (this.pair && this.stored?.publicKey === this.pair.publicKey) await this.opened();
    else this.forget();
  }

  /** Forgets every key and name, in this tab and in all others of this browser. */
  lock(): void {
    this.idle.tellLocked();
    this.forget();
  }

  private forget(): void {
    this.turn++;
    this.pair = undefined;
    this.keys = new Map();
    this.warnings = [];
    this.idle.stop();
    this.names.forget();
    if (this.state !== "unknown") this.become(this.stored ? "locked" : "none");
  }

  private become(state: State): void {
    this.state = state;
    this.changed();
  }

  private changed(): void {
    for (const fn of [...this.watching]) fn();
  }

  /** Sets after how many idle minutes the vault locks, 1 to 60, in this browser. */
  async setLockAfter(minutes: number): Promise<void> {
    this.lockAfter = (await setLockAfter(minutes)).lockAfter;
    this.changed();
  }

  /** Seals the same private key under another passphrase. Throws VaultError, or a Refusal with 412 when the vault was changed elsewhere meanwhile. */
  async changePassphrase(passphrase: string, next: string): Promise<void> {
    await this.load(true);
    if (!this.stored) throw new NotOpen("You have no vault yet.");
    const blob = await relock(this.stored.publicKey, this.stored.blob, passphrase, next);
    await this.save(this.stored.publicKey, blob);
  }

  /** Puts a vault in the place of what was read last. */
  async save(publicKey: string, blob: string): Promise<void> {
    const body = { publicKey, blob };
    const answer = this.tag
      ? await replace<StoredVault>("/v1/vault", body, { ifMatch: this.tag })
      : await create<StoredVault>("/v1/vault", body);
    await this.keep(answer.body, answer.etag);
  }

  /** The fingerprint of the person's own public key, of the opened vault: what the service says of a key is just what must not be believed. */
  ownFingerprint(): Promise<string> {
    return fingerprint(this.ownPair().publicKey);
  }

  /** The person's own keys. Throws NotOpen. */
  ownPair(): KeyPair {
    if (!this.pair) throw new NotOpen("Your vault is locked. Unlock it and try again.");
    return this.pair;
  }

  /** Every firm key that is held, the lowest version first. */
  held(): FirmKey[] {
    return [...this.keys.values()].sort((a, b) => a.version - b.version);
  }

  /** The firm key of a version, if it is held. */
  key(version: number): FirmKey | undefined {
    return this.keys.get(version);
  }

  /** The firm key under which identities are sealed now. Throws NotOpen. */
  current(): FirmKey {
    this.ownPair();
    const version = this.stored?.keyVersion ?? 0;
    if (version < this.newest) {
      throw new NotOpen(
        `The service says that firm key ${version} is the present one, and this browser has seen ${this.newest}. Nothing is sealed under an older key: ask your administrator.`,
      );
    }
    const key = this.keys.get(version);
    if (key) return key;
    throw new NotOpen(
      version === 0
        ? "The firm has no key yet: an owner makes it on the page of the vault."
        : "Nobody has given you the firm’s key yet: a colleague who holds it does that on the page of the vault.",
    );
  }

  /** Whether names can be in the vault: nothing is sealed before the firm has a key. */
  get holdsNames(): boolean {
    return (this.stored?.keyVersion ?? 0) > 0;
  }

  /** Asks for the passphrase in a dialog over the page. Resolves with true once the vault is open, with false when the person dismissed it. */
  async ask(): Promise<boolean> {
    await this.load();
    if (this.state === "open") return true;
    const { askToUnlock } = await import("./unlock.js");
    return askToUnlock(this);
  }

  /** Real values by label, of parties and of all other labels of a case. Kept in memory until the vault locks. Throws NotOpen. */
  async labels(caseId: string): Promise<Map<string, string>> {
    return (await this.names.of(caseId)).values;
  }

  /** Who stands behind the labels of a case's parties. Throws NotOpen. */
  async identities(caseId: string): Promise<Map<string, Identity>> {
    return (await this.names.of(caseId)).identities;
  }

  /** All that is known of a case's names, with what could not be opened. Throws NotOpen. */
  namesOf(caseId: string): Promise<CaseNames> {
    return this.names.of(caseId);
  }

  /** The fields under which POST and PUT /v1/parties take an identity. Give the identityRef of a party that has one. Throws NotOpen. */
  sealParty(caseId: string, kind: string, identity: Omit<Identity, "v">, identityRef?: string): Promise<PartyFields> {
    return this.names.sealParty(caseId, kind, identity, identityRef);
  }

  /**
   * Adds real values of labels, and keys of sealed originals by file, to the sealed labels of a case, beside what others put there meanwhile.
   * Throws NotOpen, LabelTaken when a label stands for something else already, or a Refusal. Nothing is kept then.
   */
  addLabels(caseId: string, labels: Map<string, string>, originals: Map<string, string> = new Map()): Promise<void> {
    return this.names.add(caseId, labels, originals);
  }

  /** The sealed labels of a case as they are now. Throws NotOpen. */
  sealedLabels(caseId: string): Promise<Labels> {
    return this.names.sealedLabels(caseId);
  }

  /** A text with real values in the place of the labels that are known. Never send the result anywhere. Throws NotOpen. */
  async fill(caseId: string, text: string): Promise<string> {
    const values = await this.labels(caseId);
    return text.replace(/\[[A-Z][a-z]+ [1-9][0-9]{0,3}\]/g, (label) => values.get(label) ?? label);
  }

  /** Drops the names of a case that are in memory, after its parties were changed. */
  forgetNames(caseId: string): void {
    this.names.forget(caseId);
    this.changed();
  }
}

/** The vault of whoever is signed in here. */
export const vault = new Vault();
