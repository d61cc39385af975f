// The original of a redacted file, as ciphertext: what `application/vnd.subrosa.sealed` holds. docs/vault.md has the format.
import { type Bytes, decode, encode, join, random, utf8 } from "./bytes.js";
import { VaultError } from "./format.js";

const MARK = "SBRSEAL1";
const DOMAIN = "subrosa/vault/original/v1";

/** The media type under which the service takes it. */
export const SEALED = "application/vnd.subrosa.sealed";

/** A file as the person has it. */
export interface Original {
  name: string;
  mediaType: string;
  content: Bytes;
}

/**
 * Seals a file of a case under a key of its own (AES-256-GCM, NIST SP 800-38D), which belongs into the sealed labels of the case. The result is the
 * mark, a nonce of 12 bytes and the ciphertext of: the length of a JSON header in 4 bytes, the header, the bytes of the file.
 */
export async function sealOriginal(caseId: string, original: Original): Promise<{ sealed: Bytes; key: string }> {
  const raw = random(32);
  const key = encode(raw);
  const header = utf8(JSON.stringify({ v: 1, name: original.name, mediaType: original.mediaType }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, header.length);
  const iv = random(12);
  const aes = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
  raw.fill(0);
  const ct = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: utf8(`${DOMAIN}:${caseId}`) },
    aes,
    join(length, header, original.content),
  );
  return { sealed: join(utf8(MARK), iv, new Uint8Array(ct)), key };
}

/** Opens a sealed original of a case. Throws VaultError `damaged`, or `newer`. */
export async function openOriginal(caseId: string, sealed: Bytes, key: string): Promise<Original> {
  const raw = decode(key);
  const mark = utf8(MARK);
  if (raw?.length !== 32 || sealed.length < mark.length + 28 || !mark.every((b, i) => sealed[i] === b))
    throw new VaultError("damaged");
  const aes = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
  const iv = sealed.slice(mark.length, mark.length + 12);
  let text: Bytes;
  try {
    text = new Uint8Array(
      await crypto.subtle.decrypt(
        { name: "AES-GCM", iv, additionalData: utf8(`${DOMAIN}:${caseId}`) },
        aes,
        sealed.slice(mark.length + 12),
      ),
    );
  } catch {
    throw new VaultError("damaged");
  }
  const length = text.length >= 4 ? new DataView(text.buffer).getUint32(0) : text.length;
  if (length > text.length - 4) throw new VaultError("damaged");
  const header = headerOf(text.subarray(4, 4 + length));
  if (header.v !== 1) throw new VaultError("newer");
  return {
    name: header.name ?? "original",
    mediaType: header.mediaType ?? "application/octet-stream",
    content: text.slice(4 + length),
  };
}

interface Header {
  v?: number;
  name?: string;
  mediaType?: string;
}

function headerOf(bytes: Bytes): Header {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new VaultError("damaged");
  }
  if (typeof header !== "object" || header === null) throw new VaultError("damaged");
  return header;
}
