/**
 * The format of the vault, as docs/vault.md has it and as the command line writes and reads it. Pure functions over WebCrypto: nothing here
 * keeps state, calls the service or touches storage. Keys are non-extractable; where raw bytes of a key must exist (to seal it for somebody),
 * they live for the length of one call and are overwritten.
 *
 * AES-256-GCM: NIST SP 800-38D, nonces of 96 random bits. ECDH on P-256: NIST SP 800-56A. HKDF: RFC 5869. HMAC: RFC 2104. Argon2id: RFC 9106.
 */
import { type Bytes, decode, encode, join, random, utf8 } from "./bytes.js";

/** How many characters a new passphrase has at least, blanks around it not counted. */
export const MIN_PASSPHRASE = 12;

const USUAL = { memoryKiB: 64 << 10, passes: 3 };
const MOST = { memoryKiB: 1 << 20, passes: 20 };
const BLOB = "subrosa/vault/blob/v1";
const WRAP = "subrosa/vault/wrap/v1";
const CONFLICT = "subrosa/vault/conflict/v1";
const PRINT = "subrosa/vault/fingerprint/v1";
const ECDH = { name: "ECDH", namedCurve: "P-256" };

/** Why something does not open. `passphrase`: it is the wrong one. `damaged`: not of this format or not under this key. `newer`: of a later form. */
export class VaultError extends Error {
  readonly reason: "passphrase" | "short" | "damaged" | "newer";

  constructor(reason: "passphrase" | "short" | "damaged" | "newer") {
    super(
      {
        passphrase: "This passphrase does not open the vault.",
        short: `A passphrase has at least ${MIN_PASSPHRASE} characters: whoever gets the ciphertext can try as many as they like.`,
        damaged: "This is not of the vault’s format, or it was sealed with another key.",
        newer:
          "This was sealed by a later version of the app. Reload the page to use that one, so that nothing of it is lost.",
      }[reason],
    );
    this.reason = reason;
  }
}

/** A text under a key: nonce and ciphertext in base64url. */
export interface Sealed {
  iv: string;
  ct: string;
}

/** A firm key wrapped to a member. */
export interface Wrapped extends Sealed {
  ephemeralKey: string;
}

/** A member's own keys: the private half is non-extractable and only derives. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: CryptoKey;
}

/** One version of the key under which a firm's identities are sealed. */
export interface FirmKey {
  readonly tenant: string;
  readonly version: number;
  /** What members compare to know that they hold the same key; it says nothing of the key. */
  readonly fingerprint: string;
  readonly aes: CryptoKey;
  readonly conflict: CryptoKey;
}

/** Who stands behind a party's label. */
export interface Identity {
  v: 1;
  name: string;
  aliases?: string[];
  email?: string;
  phone?: string;
  address?: string;
  notes?: string;
}

/** The real values of those labels of a case that are no party's, and the keys of sealed originals by the id of the file that holds them. */
export interface Labels {
  v: 1;
  labels: Record<string, string>;
  originals?: Record<string, string>;
}

/** Throws `short` for a passphrase that keeps nobody out. */
export function checkPassphrase(passphrase: string): void {
  if ([...passphrase.trim()].length < MIN_PASSPHRASE) throw new VaultError("short");
}

/** Eight groups of four hexadecimal digits of the SHA-256 of a public key: what two people compare by another channel. */
export async function fingerprint(publicKey: string): Promise<string> {
  return grouped(needed(decode(publicKey)));
}

async function grouped(of: Bytes): Promise<string> {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", of)).subarray(0, 16);
  const groups: string[] = [];
  sum.forEach((b, i) => {
    const digits = b.toString(16).padStart(2, "0");
    if (i % 2 === 0) groups.push(digits);
    else groups[groups.length - 1] += digits;
  });
  return groups.join(" ");
}

/** Makes a key pair and its blob under a passphrase. Throws `short`. */
export async function makePair(passphrase: string): Promise<{ pair: KeyPair; blob: string }> {
  checkPassphrase(passphrase);
  const made = await crypto.subtle.generateKey(ECDH, true, ["deriveBits"]);
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", made.privateKey));
  try {
    const publicKey = encode(new Uint8Array(await crypto.subtle.exportKey("raw", made.publicKey)));
    const blob = await lock(pkcs8, publicKey, passphrase);
    return { pair: { publicKey, privateKey: await privateKeyOf(pkcs8, publicKey) }, blob };
  } finally {
    pkcs8.fill(0);
  }
}

/** Opens the blob that belongs to a public key. Throws `passphrase`, or `damaged` for what is no blob or holds another key. */
export async function unlock(publicKey: string, blob: string, passphrase: string): Promise<KeyPair> {
  const pkcs8 = await openBlob(publicKey, blob, passphrase);
  try {
    return { publicKey, privateKey: await privateKeyOf(pkcs8, publicKey) };
  } finally {
    pkcs8.fill(0);
  }
}

/** The same private key under another passphrase: a new blob. Throws as `unlock`, and `short` for the next one. */
export async function relock(publicKey: string, blob: string, passphrase: string, next: string): Promise<string> {
  checkPassphrase(next);
  const pkcs8 = await openBlob(publicKey, blob, passphrase);
  try {
    await privateKeyOf(pkcs8, publicKey);
    return await lock(pkcs8, publicKey, next);
  } finally {
    pkcs8.fill(0);
  }
}

async function lock(pkcs8: Bytes, publicKey: string, passphrase: string): Promise<string> {
  const salt = random(16);
  const key = await passphraseAES(passphrase, salt, USUAL);
  const { iv, ct } = await seal(key, pkcs8, `${BLOB}:${publicKey}`);
  return encode(utf8(JSON.stringify({ v: 1, kdf: "argon2id", salt: encode(salt), ...USUAL, iv, ct })));
}

async function openBlob(publicKey: string, blob: string, passphrase: string): Promise<Bytes> {
  const b = object(needed(decode(blob)));
  const salt = decode(b["salt"]);
  const memoryKiB = bounded(b["memoryKiB"], 8, MOST.memoryKiB);
  const passes = bounded(b["passes"], 1, MOST.passes);
  if (b["v"] !== 1 || b["kdf"] !== "argon2id" || salt?.length !== 16 || !memoryKiB || !passes)
    throw new VaultError("damaged");
  const key = await passphraseAES(passphrase, salt, { memoryKiB, passes });
  const pkcs8 = await open(key, b["iv"], b["ct"], `${BLOB}:${publicKey}`);
  if (!pkcs8) throw new VaultError("passphrase");
  return pkcs8;
}

async function passphraseAES(
  passphrase: string,
  salt: Bytes,
  cost: { memoryKiB: number; passes: number },
): Promise<CryptoKey> {
  const { passphraseKey } = await import("./passphrase.js");
  const raw = await passphraseKey(passphrase, salt, cost.memoryKiB, cost.passes);
  return aesKey(raw);
}

/** Imports a private key for deriving alone, once it has shown that it belongs to the public key. */
async function privateKeyOf(pkcs8: Bytes, publicKey: string): Promise<CryptoKey> {
  const point = needed(decode(publicKey));
  try {
    const shown = await crypto.subtle.importKey("pkcs8", pkcs8, ECDH, true, ["deriveBits"]);
    const { x, y } = await crypto.subtle.exportKey("jwk", shown);
    if (encode(join(new Uint8Array([4]), needed(decode(x)), needed(decode(y)))) !== encode(point))
      throw new VaultError("damaged");
    return await crypto.subtle.importKey("pkcs8", pkcs8, ECDH, false, ["deriveBits"]);
  } catch {
    throw new VaultError("damaged");
  }
}

/** Makes the firm's key of a version and wraps it to each public key, in their order. The raw key exists in this call alone. */
export async function makeFirmKey(
  tenant: string,
  version: number,
  publicKeys: string[],
): Promise<{ key: FirmKey; wrapped: Wrapped[] }> {
  const raw = random(32);
  try {
    const wrapped: Wrapped[] = [];
    for (const publicKey of publicKeys) wrapped.push(await wrap(raw, tenant, version, publicKey));
    return { key: await firmKeyOf(raw, tenant, version), wrapped };
  } finally {
    raw.fill(0);
  }
}

/** Opens a firm key that was wrapped to the pair. Throws `damaged`, also for the key of another firm or version. */
export async function unwrap(pair: KeyPair, tenant: string, version: number, w: Wrapped): Promise<FirmKey> {
  const raw = await unwrapRaw(pair, tenant, version, w);
  try {
    return await firmKeyOf(raw, tenant, version);
  } finally {
    raw.fill(0);
  }
}

/** Wraps to another member's public key what was wrapped to the pair. Throws `damaged`. */
export async function rewrap(
  pair: KeyPair,
  tenant: string,
  version: number,
  w: Wrapped,
  publicKey: string,
): Promise<Wrapped> {
  const raw = await unwrapRaw(pair, tenant, version, w);
  try {
    return await wrap(raw, tenant, version, publicKey);
  } finally {
    raw.fill(0);
  }
}

async function unwrapRaw(pair: KeyPair, tenant: string, version: number, w: Wrapped): Promise<Bytes> {
  const point = needed(decode(w.ephemeralKey));
  const key = await wrapKey(pair.privateKey, point, point, needed(decode(pair.publicKey)));
  const raw = await open(key, w.iv, w.ct, `${WRAP}:${tenant}:${version}`);
  if (raw?.length !== 32) throw new VaultError("damaged");
  return raw;
}

async function wrap(raw: Bytes, tenant: string, version: number, publicKey: string): Promise<Wrapped> {
  const member = needed(decode(publicKey));
  const fresh = await crypto.subtle.generateKey(ECDH, false, ["deriveBits"]);
  const ephemeral = new Uint8Array(await crypto.subtle.exportKey("raw", fresh.publicKey));
  const key = await wrapKey(fresh.privateKey, member, ephemeral, member);
  return { ephemeralKey: encode(ephemeral), ...(await seal(key, raw, `${WRAP}:${tenant}:${version}`)) };
}

/** The key that wraps: ECDH, then HKDF with both public keys in its info. */
async function wrapKey(privateKey: CryptoKey, peer: Bytes, ephemeral: Bytes, member: Bytes): Promise<CryptoKey> {
  let shared: Bytes;
  try {
    const point = await crypto.subtle.importKey("raw", peer, ECDH, false, []);
    shared = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: point }, privateKey, 256));
  } catch {
    throw new VaultError("damaged");
  }
  const derived = await hkdf(shared, join(utf8(WRAP), ephemeral, member));
  shared.fill(0);
  return aesKey(derived);
}

async function firmKeyOf(raw: Bytes, tenant: string, version: number): Promise<FirmKey> {
  const aes = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
  const mac = await hkdf(raw, utf8(CONFLICT));
  const conflict = await crypto.subtle.importKey("raw", mac, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  mac.fill(0);
  return { tenant, version, aes, conflict, fingerprint: await grouped(await hkdf(raw, utf8(PRINT))) };
}

/** HKDF-SHA-256 without salt, 32 bytes. */
async function hkdf(secret: Bytes, info: Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info }, key, 256),
  );
}

/** Imports bytes as an AES key and overwrites them. */
export async function aesKey(raw: Bytes): Promise<CryptoKey> {
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
  raw.fill(0);
  return key;
}

async function seal(key: CryptoKey, text: Bytes, context: string): Promise<Sealed> {
  const iv = random(12);
  const ct = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(context) }, key, text);
  return { iv: encode(iv), ct: encode(new Uint8Array(ct)) };
}

async function open(key: CryptoKey, iv: unknown, ct: unknown, context: string): Promise<Bytes | undefined> {
  const nonce = decode(iv);
  const sealed = decode(ct);
  if (nonce?.length !== 12 || !sealed) throw new VaultError("damaged");
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt({ name: "AES-GCM", iv: nonce, additionalData: utf8(context) }, key, sealed),
    );
  } catch {
    return undefined;
  }
}

/** Encrypts a value, as JSON, for the place that the context names: `{caseId}:{identityRef}` of a party, `{caseId}:labels` of a case. */
export function sealValue(key: FirmKey, value: Identity | Labels, context: string): Promise<Sealed> {
  return seal(key.aes, utf8(JSON.stringify(value)), context);
}

/** Who stands behind a party. Throws `damaged`, or `newer` for a form that this app does not know. */
export async function openIdentity(key: FirmKey, s: Sealed, context: string): Promise<Identity> {
  const o = await openValue(key, s, context);
  if (typeof o["name"] !== "string") throw new VaultError("damaged");
  const who: Identity = { v: 1, name: o["name"] };
  if (Array.isArray(o["aliases"])) who.aliases = o["aliases"].filter((a) => typeof a === "string");
  for (const field of ["email", "phone", "address", "notes"] as const) {
    const value = o[field];
    if (typeof value === "string") who[field] = value;
  }
  return who;
}

/** The sealed labels of a case. Throws as `openIdentity`. */
export async function openLabels(key: FirmKey, s: Sealed, context: string): Promise<Labels> {
  const o = await openValue(key, s, context);
  const labels: Labels = { v: 1, labels: texts(o["labels"]) };
  if (o["originals"] !== undefined) labels.originals = texts(o["originals"]);
  return labels;
}

async function openValue(key: FirmKey, s: Sealed, context: string): Promise<Record<string, unknown>> {
  const text = await open(key.aes, s.iv, s.ct, context);
  if (!text) throw new VaultError("damaged");
  const value = object(text);
  if (value["v"] !== 1) throw new VaultError(typeof value["v"] === "number" ? "newer" : "damaged");
  return value;
}

/** Seals under another key, byte for byte, what the old one sealed for the same place. Throws `damaged`. */
export async function reseal(next: FirmKey, old: FirmKey, s: Sealed, context: string): Promise<Sealed> {
  const text = await open(old.aes, s.iv, s.ct, context);
  if (!text) throw new VaultError("damaged");
  return seal(next.aes, text, context);
}

/** A new identityRef: 16 bytes of chance, so that it says nothing. */
export function newRef(): string {
  return encode(random(16));
}

/** The blind tokens of names: equal within the firm for equal names of a kind of party, and otherwise silent. */
export async function conflictTokens(key: FirmKey, kind: string, names: string[]): Promise<string[]> {
  const tokens: string[] = [];
  for (const name of new Set(names.map(normalised))) {
    if (!name) continue;
    tokens.push(encode(new Uint8Array(await crypto.subtle.sign("HMAC", key.conflict, utf8(`${kind}\0${name}`)))));
  }
  return tokens;
}

/** A name as conflict tokens compare it: NFKC, each code point in its simple lower case, letters, marks and digits alone, one blank between words. */
export function normalised(name: string): string {
  const lower = Array.from(name.normalize("NFKC"), (c) => (c === "\u0130" ? "i" : c.toLowerCase())).join("");
  return lower
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    .filter(Boolean)
    .join(" ");
}

function needed(bytes: Bytes | undefined): Bytes {
  if (!bytes) throw new VaultError("damaged");
  return bytes;
}

function object(json: Bytes): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
    if (isRecord(value)) return value;
  } catch {
    // told below
  }
  throw new VaultError("damaged");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function bounded(n: unknown, least: number, most: number): number | undefined {
  return typeof n === "number" && Number.isInteger(n) && n >= least && n <= most ? n : undefined;
}

function texts(value: unknown): Record<string, string> {
  const out: Record<string, string> = {};
  if (isRecord(value)) {
    for (const [k, v] of Object.entries(value)) if (typeof v === "string") out[k] = v;
  }
  return out;
}
