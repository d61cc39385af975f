// The firm's keys among its people: who has a vault, who gets the key, and a new key without those who leave.
import { put as replace } from "../api.js";
import { fingerprint, makeFirmKey, rewrap } from "./format.js";
import { type VaultMember, all } from "./service.js";
import type { Vault as StoredVault, WrappedKey } from "../wire.js";
import { NotOpen } from "./obstacle.js";
import type { Vault } from "./session.js";
import { pin, pinsOf } from "./store.js";

/** Somebody of the firm with a vault, as a person sees them. */
export interface Member extends VaultMember {
  /** By what the service says of their key; only the member's own app can say that it is theirs. */
  fingerprint: string;
  /** Whether this browser's person compared this key before: `changed` when it was another one then. */
  compared: "never" | "same" | "changed";
  /** The firm's present key is in their vault. */
  holdsPresent: boolean;
  you: boolean;
}

/** Everybody of the firm who has a vault, in the order of their ids. Throws a Refusal. */
export async function members(vault: Vault): Promise<Member[]> {
  const [list, pins] = await Promise.all([all<VaultMember>("/v1/vault/members"), pinsOf(vault.place)]);
  const present = vault.stored?.keyVersion ?? 0;
  return Promise.all(
    list.map(async (m) => {
      const seen = pins.members[m.userId];
      return {
        ...m,
        fingerprint: await fingerprint(m.publicKey).catch(() => "damaged"),
        compared: !seen ? "never" : seen === m.publicKey ? "same" : "changed",
        holdsPresent: present > 0 && m.keyVersions.includes(present),
        you: m.userId === vault.caller.user,
      } as const;
    }),
  );
}

/** Remembers that the person compared a member's key, as it was shown to them, by another channel than the service. */
export async function comparedWith(vault: Vault, m: Member): Promise<void> {
  await pin(vault.place, { members: { [m.userId]: m.publicKey } });
}

/**
 * Gives a member every version of the firm's key that is held here and not there. Their key must have been compared: the service refuses with 409
 * when it is not theirs any more. Returns how many versions were given. Throws NotOpen or a Refusal.
 */
export async function give(vault: Vault, m: Member): Promise<number> {
  const pair = vault.ownPair();
  if ((await pinsOf(vault.place)).members[m.userId] !== m.publicKey)
    throw new NotOpen(`Compare the fingerprint with ${m.userId} first.`);
  let given = 0;
  for (const key of vault.held()) {
    const own = wrappedOf(vault.stored, key.version);
    if (!own || m.keyVersions.includes(key.version)) continue;
    const wrapped = await rewrap(pair, key.tenant, key.version, own, m.publicKey);
    await replace(`/v1/vault/members/${encodeURIComponent(m.userId)}/keys/${key.version}`, {
      publicKey: m.publicKey,
      ...wrapped,
    });
    given++;
  }
  return given;
}

function wrappedOf(stored: StoredVault | undefined, version: number): WrappedKey | undefined {
  return stored?.keys.find((k) => k.keyVersion === version);
}

/** Those whose key has to be compared before a new firm key can be made: they hold the present one and stay. */
export function toCompare(list: Member[], remove: Set<string>): Member[] {
  return list.filter((m) => !m.you && m.holdsPresent && !remove.has(m.userId) && m.compared !== "same");
}

/**
 * Makes the next firm key for everybody who holds the present one, but for those who are removed: they lose their vaults and every key. What is
 * sealed stays under the old key until `reseal`. Throws NotOpen or a Refusal: 409 when another owner was first, or when nobody else could open
 * what is still sealed.
 */
export async function rotate(vault: Vault, remove: string[]): Promise<void> {
  const pair = vault.ownPair();
  await vault.refresh();
  const list = await members(vault);
  const leaving = new Set(remove);
  const missing = toCompare(list, leaving);
  if (missing.length > 0)
    throw new NotOpen(`Compare the fingerprints of ${missing.map((m) => m.userId).join(", ")} first: no key was made.`);
  if (leaving.has(vault.caller.user)) throw new NotOpen("You cannot remove yourself: another owner does that.");
  const stay = list
    .filter((m) => !leaving.has(m.userId) && (m.you || m.holdsPresent))
    .map((m) => ({ userId: m.userId, publicKey: m.you ? pair.publicKey : m.publicKey }));
  const version = (vault.stored?.keyVersion ?? 0) + 1;
  const { key, wrapped } = await makeFirmKey(
    vault.caller.tenant,
    version,
    stay.map((m) => m.publicKey),
  );
  const keys = stay.map((m, i) => ({ ...m, ...wrapped[i] }));
  await vault.rotated(key, keys, remove);
}
