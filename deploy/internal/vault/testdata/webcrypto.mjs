// Opens the vectors with WebCrypto alone, as a browser does. Standard input: {"vectors": …, "passphraseKey": base64url of the Argon2id key}.
// Prints what it found as JSON.
import { webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
const { subtle } = webcrypto
const { vectors: v, passphraseKey } = JSON.parse(readFileSync(0, 'utf8'))
const bytes = s => new Uint8Array(Buffer.from(s, 'base64url'))
const text = s => new TextEncoder().encode(s)
const concat = (...parts) => new Uint8Array(Buffer.concat(parts))
const open = async (raw, iv, ct, context) => {
  const key = await subtle.importKey('raw', raw, 'AES-GCM', false, ['decrypt'])
  return new Uint8Array(await subtle.decrypt({ name: 'AES-GCM', iv: bytes(iv), additionalData: text(context) }, key, bytes(ct)))
}
const derive = async (secret, info) => {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return new Uint8Array(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }, key, 256))
}
const ecdh = { name: 'ECDH', namedCurve: 'P-256' }

const blob = JSON.parse(Buffer.from(v.Blob, 'base64url'))
const pkcs8 = await open(bytes(passphraseKey), blob.iv, blob.ct, 'subrosa/vault/blob/v1:' + v.Public)
const mine = await subtle.importKey('pkcs8', pkcs8, ecdh, false, ['deriveBits'])
const ephemeral = await subtle.importKey('raw', bytes(v.Wrapped.EphemeralKey), ecdh, false, [])
const shared = new Uint8Array(await subtle.deriveBits({ name: 'ECDH', public: ephemeral }, mine, 256))
const wrapKey = await derive(shared, concat(text('subrosa/vault/wrap/v1'), bytes(v.Wrapped.EphemeralKey), bytes(v.Public)))
const firmKey = await open(wrapKey, v.Wrapped.IV, v.Wrapped.CT, `subrosa/vault/wrap/v1:${v.Tenant}:${v.Version}`)
const json = b => JSON.parse(new TextDecoder().decode(b))
const identity = json(await open(firmKey, v.SealedIdentity.IV, v.SealedIdentity.CT, `${v.CaseID}:${v.IdentityRef}`))
const labels = json(await open(firmKey, v.SealedLabels.IV, v.SealedLabels.CT, `${v.CaseID}:labels`))

const normalised = name => [...name.normalize('NFKC')].map(c => c === '\u0130' ? 'i' : c.toLowerCase()).join('').split(/[^\p{L}\p{Nd}\p{M}]+/u).filter(Boolean).join(' ')
const conflict = await subtle.importKey('raw', await derive(firmKey, text('subrosa/vault/conflict/v1')), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
const tokens = {}
for (const entry of Object.keys(v.Tokens)) {
  const at = entry.indexOf(' ')
  const mac = await subtle.sign('HMAC', conflict, text(entry.slice(0, at) + '\0' + normalised(entry.slice(at + 1))))
  tokens[entry] = [Buffer.from(mac).toString('base64url')]
}
const print = Buffer.from(await subtle.digest('SHA-256', bytes(v.Public))).toString('hex').slice(0, 32).match(/.{4}/g).join(' ')
console.log(JSON.stringify({ identity, labels, tokens, print }))
