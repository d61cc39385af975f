/** Bytes and how the vault writes them: base64url without padding (RFC 4648, section 5). */

/** Bytes on a buffer of their own, as WebCrypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const ALPHABET = /^[A-Za-z0-9_-]*$/;

/** Bytes in base64url without padding. */
export function encode(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The bytes of a text in base64url; undefined when it is none, or not written the one way in which `encode` writes. */
export function decode(text: unknown): Bytes | undefined {
  if (typeof text !== "string" || !ALPHABET.test(text) || text.length % 4 === 1) return undefined;
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return encode(bytes) === text ? bytes : undefined;
}

/** A text in UTF-8. */
export function utf8(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

/** Several runs of bytes as one. */
export function join(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    whole.set(p, at);
    at += p.length;
  }
  return whole;
}

/** Bytes of chance from the system's generator. */
export function random(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** The digest of bytes in hexadecimal (SHA-256, FIPS 180-4). */
export async function sha256Hex(bytes: Bytes): Promise<string> {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
}
