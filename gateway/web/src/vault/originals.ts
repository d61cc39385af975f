// The original of a redacted file, back on the person's machine: fetched as ciphertext, opened in this page.
import { send } from "../api.js";
import { openOriginal } from "./original.js";
import { save } from "./save.js";
import { NotOpen } from "./obstacle.js";
import { vault } from "./session.js";

/**
 * Saves what a sealed file of a case holds, under its own name; asks for the passphrase where the vault is locked, and does nothing when the person
 * dismisses that. Throws NotOpen when its key is not among the labels of the case, VaultError or a Refusal.
 */
export async function saveOriginal(caseId: string, sealedFileId: string, signal: AbortSignal): Promise<void> {
  if (!(await vault.ask())) return;
  const key = (await vault.sealedLabels(caseId)).originals?.[sealedFileId];
  if (!key) throw new NotOpen("The key of this original is not among the labels of the case, so nobody can open it.");
  const response = await send(
    "GET",
    `/v1/cases/${encodeURIComponent(caseId)}/files/${encodeURIComponent(sealedFileId)}/content`,
    null,
    {},
    { signal },
  );
  const original = await openOriginal(caseId, new Uint8Array(await response.arrayBuffer()), key);
  save(new Blob([original.content], { type: "application/octet-stream" }), original.name);
}
