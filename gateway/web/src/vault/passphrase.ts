/** The passphrase key of the vault. It is a chunk of its own, loaded when a vault is made or opened: Argon2id comes as WebAssembly. */
import { argon2id } from "hash-wasm";
import type { Bytes } from "./bytes.js";

/**
 * Argon2id (RFC 9106) over the passphrase in NFKC, one lane, 32 bytes. It holds up its thread for as long as it costs: about a third of a
 * second for 64 MiB and 3 passes.
 */
export async function passphraseKey(
  passphrase: string,
  salt: Bytes,
  memoryKiB: number,
  passes: number,
): Promise<Bytes> {
  const key = await argon2id({
    password: passphrase.normalize("NFKC"),
    salt,
    iterations: passes,
    memorySize: memoryKiB,
    parallelism: 1,
    hashLength: 32,
    outputType: "binary",
  });
  return new Uint8Array(key);
}
