// A backup of the vault: the ciphertext as the service keeps it, in the file that the command line writes and reads too.
import { Refusal, put as replace } from "../api.js";
import { unlock, unwrap } from "./format.js";
import type { Vault as StoredVault } from "../wire.js";
import { NotOpen } from "./obstacle.js";
import type { Vault } from "./session.js";

const FORMAT = "subrosa-vault-1";
const MAX = 1 << 20;

interface Saved {
  format: string;
  tenant: string;
  user: string;
  vault: StoredVault;
}

/** The backup file of a vault; the passphrase of its day opens it. Throws NotOpen without one. */
export function backupFile(vault: Vault, stored = vault.stored): Blob {
  if (!stored) throw new NotOpen("You have no vault yet.");
  const saved: Saved = { format: FORMAT, tenant: vault.caller.tenant, user: vault.caller.user, vault: stored };
  return new Blob([JSON.stringify(saved, null, 2) + "\n"], { type: "application/json" });
}

/** Reads a backup file. Throws with words for people when it is none, or somebody else's. */
export async function readBackup(vault: Vault, file: Blob): Promise<StoredVault> {
  const saved = file.size <= MAX ? parsed(await file.text()) : undefined;
  if (!saved) throw new NotOpen("This file is no backup of a vault.");
  if (saved.tenant !== vault.caller.tenant || saved.user !== vault.caller.user) {
    throw new NotOpen(
      `This is the vault of ${saved.user} at ${saved.tenant}, and you are ${vault.caller.user} at ${vault.caller.tenant}.`,
    );
  }
  return saved.vault;
}

function parsed(text: string): Saved | undefined {
  try {
    const s = JSON.parse(text) as Partial<Saved> | null;
    const v = s?.vault;
    if (s?.format !== FORMAT || typeof s.tenant !== "string" || typeof s.user !== "string" || !v) return undefined;
    if (typeof v.publicKey !== "string" || typeof v.blob !== "string" || !Array.isArray(v.keys)) return undefined;
    return { format: FORMAT, tenant: s.tenant, user: s.user, vault: v };
  } catch {
    return undefined;
  }
}

/**
 * Puts a saved vault back, with the firm keys in it, once its passphrase has opened it, and opens it. Over a vault that is there only if `over`: what was
 * wrapped to the key of that one is lost. Returns what could not be put back. Throws VaultError, NotOpen or a Refusal.
 */
export async function restore(vault: Vault, saved: StoredVault, passphrase: string, over: boolean): Promise<string[]> {
  await vault.load(true);
  if (vault.stored && !over) throw new NotOpen("You have a vault already: confirm that the saved one may replace it.");
  const pair = await unlock(saved.publicKey, saved.blob, passphrase);
  await vault.save(saved.publicKey, saved.blob);
  const problems: string[] = [];
  for (const k of saved.keys) {
    if (vault.stored?.keys.some((held) => held.keyVersion === k.keyVersion)) continue;
    try {
      await unwrap(pair, vault.caller.tenant, k.keyVersion, k);
      const body = { publicKey: saved.publicKey, ephemeralKey: k.ephemeralKey, iv: k.iv, ct: k.ct };
      await replace(`/v1/vault/members/${encodeURIComponent(vault.caller.user)}/keys/${k.keyVersion}`, body);
    } catch (error) {
      if (error instanceof Refusal && error.status !== 404 && error.status !== 409) throw error;
      problems.push(
        `Firm key ${k.keyVersion} of the backup: ${error instanceof Error ? error.message : "it does not open"}`,
      );
    }
  }
  await vault.unlock(passphrase);
  return problems;
}
