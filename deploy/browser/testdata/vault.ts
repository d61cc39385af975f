// What the test of the vault's format does in the browser, with the app's own sources.
import { decode, encode, utf8 } from "../../../gateway/web/src/vault/bytes.js";
import * as format from "../../../gateway/web/src/vault/format.js";
import { openOriginal, sealOriginal } from "../../../gateway/web/src/vault/original.js";

interface Sealed {
  IV: string;
  CT: string;
}

interface Vectors {
  Passphrase: string;
  Public: string;
  Blob: string;
  Fingerprint: string;
  Tenant: string;
  Version: number;
  Wrapped: Sealed & { EphemeralKey: string };
  CaseID: string;
  IdentityRef: string;
  Identity: format.Identity;
  SealedIdentity: Sealed;
  Labels: format.Labels;
  SealedLabels: Sealed;
  Tokens: Record<string, string[]>;
}

const small = (s: Sealed): format.Sealed => ({ iv: s.IV, ct: s.CT });
const large = (s: format.Sealed): Sealed => ({ IV: s.iv, CT: s.ct });

async function tokens(key: format.FirmKey, names: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of names) {
    const at = name.indexOf(" ");
    found[name] = await format.conflictTokens(key, name.slice(0, at), [name.slice(at + 1)]);
  }
  return found;
}

async function reason(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "";
  } catch (error) {
    return error instanceof format.VaultError ? error.reason : String(error);
  }
}

async function firmKey(v: Vectors): Promise<{ pair: format.KeyPair; key: format.FirmKey; ms: number }> {
  const before = performance.now();
  const pair = await format.unlock(v.Public, v.Blob, v.Passphrase);
  const ms = performance.now() - before;
  return { pair, ms, key: await format.unwrap(pair, v.Tenant, v.Version, { ephemeralKey: v.Wrapped.EphemeralKey, ...small(v.Wrapped) }) };
}

async function openAll(v: Vectors): Promise<unknown> {
  const { pair, key, ms } = await firmKey(v);
  const wrapped = { ephemeralKey: v.Wrapped.EphemeralKey, ...small(v.Wrapped) };
  return {
    Identity: await format.openIdentity(key, small(v.SealedIdentity), `${v.CaseID}:${v.IdentityRef}`),
    Labels: await format.openLabels(key, small(v.SealedLabels), `${v.CaseID}:labels`),
    Tokens: await tokens(key, Object.keys(v.Tokens)),
    Fingerprint: await format.fingerprint(v.Public),
    FirmFingerprint: key.fingerprint,
    UnlockMs: ms,
    Extractable: [pair.privateKey, key.aes, key.conflict].map((k) => k.extractable),
    Reasons: {
      "another passphrase": await reason(format.unlock(v.Public, v.Blob, `${v.Passphrase}!`)),
      "no blob": await reason(format.unlock(v.Public, "eyJ2IjoxfQ", v.Passphrase)),
      "too costly a blob": await reason(format.unlock(v.Public, encode(utf8(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(decode(v.Blob))), passes: 21 }))), v.Passphrase)),
      "another firm": await reason(format.unwrap(pair, "o:other", v.Version, wrapped)),
      "another version": await reason(format.unwrap(pair, v.Tenant, v.Version + 1, wrapped)),
      "another place": await reason(format.openIdentity(key, small(v.SealedIdentity), `${v.CaseID}:labels`)),
      "short": await reason(format.makePair("  eleven char  ")),
    },
  };
}

/** Everything anew, under a passphrase that was changed once, for Go to open. */
async function makeAll(v: Vectors): Promise<unknown> {
  const { pair, blob } = await format.makePair("the first of two passphrases");
  const changed = await format.relock(pair.publicKey, blob, "the first of two passphrases", v.Passphrase);
  const made = await format.makeFirmKey(v.Tenant, v.Version, [pair.publicKey]);
  const first = made.wrapped[0] as format.Wrapped;
  const again = await format.rewrap(pair, v.Tenant, v.Version, first, pair.publicKey);
  const old = await format.makeFirmKey(v.Tenant, v.Version - 1, []);
  const place = `${v.CaseID}:${v.IdentityRef}`;
  const identity = await format.reseal(made.key, old.key, await format.sealValue(old.key, v.Identity, place), place);
  return {
    ...v,
    Public: pair.publicKey,
    Blob: changed,
    Fingerprint: await format.fingerprint(pair.publicKey),
    Wrapped: { EphemeralKey: again.ephemeralKey, ...large(again) },
    SealedIdentity: large(identity),
    SealedLabels: large(await format.sealValue(made.key, v.Labels, `${v.CaseID}:labels`)),
    Tokens: await tokens(made.key, Object.keys(v.Tokens)),
    FirmFingerprint: made.key.fingerprint,
  };
}

async function original({ CaseID: caseId, Sealed: theirs, Key: theirKey }: { CaseID: string; Sealed: string; Key: string }): Promise<unknown> {
  const given = { name: "Lease Ostrowe.pdf", mediaType: "application/pdf", content: utf8("%PDF of Halvard Ostrowe") };
  const { sealed, key } = await sealOriginal(caseId, given);
  const opened = await openOriginal(caseId, sealed, key);
  const ofGo = await openOriginal(caseId, decode(theirs) as Uint8Array<ArrayBuffer>, theirKey);
  const broken = sealed.slice();
  broken[broken.length - 1] = (broken[broken.length - 1] as number) ^ 1;
  return {
    Sealed: encode(sealed),
    Key: key,
    Opened: [opened, ofGo].map((o) => ({ Name: o.name, MediaType: o.mediaType, Content: encode(o.content) })),
    Reasons: { "another case": await reason(openOriginal(`${caseId}0`, sealed, key)), "one bit": await reason(openOriginal(caseId, broken, key)), "cut off": await reason(openOriginal(caseId, sealed.slice(0, 30), key)) },
  };
}

Object.assign(globalThis, { openAll, makeAll, original });
