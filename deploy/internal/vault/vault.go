// Package vault opens and makes the ciphertexts of the vault exactly as the browser app does (docs/vault.md), so that
// identities are never bound to one program. Keys and identities stay in the memory of the process that opened them.
package vault

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// MinPassphrase is how many characters a new passphrase has at least. Whoever gets a blob can try passphrases without
// end.
const MinPassphrase = 12

// The failures.
var (
	ErrPassphrase = errors.New("the passphrase does not open the vault")
	ErrShort      = fmt.Errorf("a passphrase has at least %d characters; whoever gets the ciphertext can try as many "+
		"as they like", MinPassphrase)
	ErrDamaged = errors.New("this is not of the vault's format, or not sealed with this key")
	ErrNewer   = errors.New("this was sealed by a later version of the program; use that one, " +
		"so that nothing of it is lost")
)

// Cost is what a try of a passphrase costs, by Argon2id (RFC 9106).
type Cost struct {
	MemoryKiB uint32 `json:"memoryKiB"`
	Passes    uint32 `json:"passes"`
}

// The usual cost, and the most that is paid for opening a blob, which somebody else may have made.
var (
	usual = Cost{MemoryKiB: 64 << 10, Passes: 3}
	most  = Cost{MemoryKiB: 1 << 20, Passes: 20}
)

// Domains of the formats keep a ciphertext of one kind from being taken for another.
const (
	blobDomain     = "subrosa/vault/blob/v1"
	wrapDomain     = "subrosa/vault/wrap/v1"
	conflictDomain = "subrosa/vault/conflict/v1"
	printDomain    = "subrosa/vault/fingerprint/v1"
)

const (
	keySize  = 32
	saltSize = 16
)

var encoding = base64.RawURLEncoding.Strict()

// KeyPair is a member's own: firm keys are wrapped to its public half.
type KeyPair struct{ private *ecdh.PrivateKey }

// NewKeyPair makes a key pair.
func NewKeyPair() (KeyPair, error) {
	k, err := ecdh.P256().GenerateKey(rand.Reader)
	return KeyPair{k}, err
}

// Public is the public key as the service keeps it: an uncompressed point of P-256 in base64url.
func (k KeyPair) Public() string { return encoding.EncodeToString(k.private.PublicKey().Bytes()) }

// Fingerprint is what two people compare before one wraps the firm's key to a public key: eight groups of four
// hexadecimal digits of its SHA-256.
func Fingerprint(public string) (string, error) {
	point, err := encoding.DecodeString(public)
	if err != nil {
		return "", ErrDamaged
	}

	return grouped(point), nil
}

func grouped(of []byte) string {
	sum := sha256.Sum256(of)
	digits := hex.EncodeToString(sum[:16])

	groups := make([]string, 0, 8)
	for i := 0; i < len(digits); i += 4 {
		groups = append(groups, digits[i:i+4])
	}

	return strings.Join(groups, " ")
}

// blob is a private key under a passphrase.
type blob struct {
	V    int    `json:"v"`
	KDF  string `json:"kdf"`
	Salt string `json:"salt"`
	Cost
	IV string `json:"iv"`
	CT string `json:"ct"`
}

// CheckPassphrase returns ErrShort for what is too short to keep anybody out. Blanks around it do not count.
func CheckPassphrase(passphrase string) error {
	if len([]rune(strings.TrimSpace(passphrase))) < MinPassphrase {
		return ErrShort
	}

	return nil
}

// Lock seals the private key under a passphrase and returns the blob for the service. The zero Cost means the usual
// one.
func (k KeyPair) Lock(passphrase string, cost Cost) (string, error) {
	if err := CheckPassphrase(passphrase); err != nil {
		return "", err
	}
	if cost = cmp.Or(cost, usual); !cost.bearable() {
		return "", fmt.Errorf("a blob of %d KiB and %d passes would open nowhere", cost.MemoryKiB, cost.Passes)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return "", fmt.Errorf("encode the private key: %w", err)
	}
	salt := random(saltSize)
	iv, ct, err := seal(passphraseKey(passphrase, salt, cost), private, blobDomain+":"+k.Public())
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(blob{
		V:    1,
		KDF:  "argon2id",
		Salt: encoding.EncodeToString(salt),
		Cost: cost,
		IV:   iv,
		CT:   ct,
	})

	return encoding.EncodeToString(text), err
}

// Unlock opens the blob that belongs to a public key. It returns ErrPassphrase, or ErrDamaged for what is no blob.
func Unlock(public, sealed, passphrase string) (KeyPair, error) {
	text, err := encoding.DecodeString(sealed)
	var b blob
	if err != nil || json.Unmarshal(text, &b) != nil || b.V != 1 || b.KDF != "argon2id" {
		return KeyPair{}, ErrDamaged
	}
	salt, err := encoding.DecodeString(b.Salt)
	// Before the key is derived: the cost comes from the service, and could ask for all memory.
	if err != nil || len(salt) != saltSize || !b.Cost.bearable() {
		return KeyPair{}, ErrDamaged
	}
	private, err := open(passphraseKey(passphrase, salt, b.Cost), b.IV, b.CT, blobDomain+":"+public)
	if err != nil {
		return KeyPair{}, ErrPassphrase
	}
	parsed, err := x509.ParsePKCS8PrivateKey(private)
	if err != nil {
		return KeyPair{}, ErrDamaged
	}
	// Encodings differ in the algorithm they name; the curve decides.
	type curve interface {
		ECDH() (*ecdh.PrivateKey, error)
	}
	key, ok := parsed.(*ecdh.PrivateKey)
	if c, other := parsed.(curve); !ok && other {
		if key, err = c.ECDH(); err != nil {
			return KeyPair{}, ErrDamaged
		}
	}
	// The blob could hold the key of somebody else: it must be the one that belongs to the public key.
	if key == nil || key.Curve() != ecdh.P256() || (KeyPair{key}).Public() != public {
		return KeyPair{}, ErrDamaged
	}

	return KeyPair{key}, nil
}

// bearable says whether a key can be derived at this cost: a blob that somebody else made must not take all memory.
func (c Cost) bearable() bool {
	memory := c.MemoryKiB >= 8 && c.MemoryKiB <= most.MemoryKiB

	return memory && c.Passes >= 1 && c.Passes <= most.Passes
}

func passphraseKey(passphrase string, salt []byte, c Cost) []byte {
	// NFKC, because keyboards of different systems write the same character in different bytes.
	return argon2.IDKey([]byte(norm.NFKC.String(passphrase)), salt, c.Passes, c.MemoryKiB, 1, keySize)
}

// Wrapped is a firm key wrapped to a member, as the service keeps it.
type Wrapped struct{ EphemeralKey, IV, CT string }

// FirmKey is one version of the key under which a firm's identities are sealed.
type FirmKey struct {
	Tenant  string
	Version int
	secret  []byte
}

// NewFirmKey makes the key of a version.
func NewFirmKey(tenant string, version int) FirmKey { return FirmKey{tenant, version, random(keySize)} }

// wrapContext binds a wrapped key to the firm and the version it is of.
func wrapContext(tenant string, version int) string {
	return wrapDomain + ":" + tenant + ":" + strconv.Itoa(version)
}

// wrapKey derives the key that wraps, from what two key pairs share: ECDH, then HKDF-SHA-256 with both public keys in
// its info.
func wrapKey(private *ecdh.PrivateKey, peer *ecdh.PublicKey, ephemeral, member []byte) ([]byte, error) {
	shared, err := private.ECDH(peer)
	if err != nil {
		return nil, ErrDamaged
	}

	return hkdf.Key(sha256.New, shared, nil, wrapDomain+string(ephemeral)+string(member), keySize)
}

// Fingerprint is what members compare to know that they hold the same key: it says nothing of the key itself.
func (f FirmKey) Fingerprint() (string, error) {
	of, err := hkdf.Key(sha256.New, f.secret, nil, printDomain, keySize)
	return grouped(of), err
}

// Wrap wraps the key to a member's public key.
func (f FirmKey) Wrap(public string) (Wrapped, error) {
	point, err := encoding.DecodeString(public)
	if err != nil {
		return Wrapped{}, ErrDamaged
	}
	member, err := ecdh.P256().NewPublicKey(point)
	if err != nil {
		return Wrapped{}, ErrDamaged
	}
	ephemeral, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return Wrapped{}, err
	}
	key, err := wrapKey(ephemeral, member, ephemeral.PublicKey().Bytes(), point)
	if err != nil {
		return Wrapped{}, err
	}
	iv, ct, err := seal(key, f.secret, wrapContext(f.Tenant, f.Version))

	return Wrapped{encoding.EncodeToString(ephemeral.PublicKey().Bytes()), iv, ct}, err
}

// Unwrap opens what was wrapped to the key pair. It returns ErrDamaged for what was not, and for another firm's or
// another version's key.
func (k KeyPair) Unwrap(tenant string, version int, w Wrapped) (FirmKey, error) {
	point, err := encoding.DecodeString(w.EphemeralKey)
	if err != nil {
		return FirmKey{}, ErrDamaged
	}
	ephemeral, err := ecdh.P256().NewPublicKey(point)
	if err != nil {
		return FirmKey{}, ErrDamaged
	}
	key, err := wrapKey(k.private, ephemeral, point, k.private.PublicKey().Bytes())
	if err != nil {
		return FirmKey{}, err
	}
	secret, err := open(key, w.IV, w.CT, wrapContext(tenant, version))
	if err != nil || len(secret) != keySize {
		return FirmKey{}, ErrDamaged
	}

	return FirmKey{tenant, version, secret}, nil
}

// Sealed is a text under the firm's key, as the service keeps it.
type Sealed struct{ IV, CT string }

// Seal encrypts v, as JSON, for the place that context names: {caseId}:{identityRef} of a party, {caseId}:labels of a
// case's labels.
func (f FirmKey) Seal(v any, context string) (Sealed, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return Sealed{}, err
	}

	return f.seal(text, context)
}

func (f FirmKey) seal(text []byte, context string) (Sealed, error) {
	iv, ct, err := seal(f.secret, text, context)
	return Sealed{iv, ct}, err
}

// Open decrypts into v what was sealed for the place that context names. It returns ErrDamaged, or ErrNewer for a form
// that it does not know.
func (f FirmKey) Open(s Sealed, context string, v any) error {
	text, err := open(f.secret, s.IV, s.CT, context)
	if err != nil {
		return ErrDamaged
	}
	var form struct {
		V int `json:"v"`
	}
	if json.Unmarshal(text, &form) != nil || json.Unmarshal(text, v) != nil {
		return ErrDamaged
	}
	if form.V != 1 {
		return ErrNewer
	}

	return nil
}

// Reseal seals under f, byte for byte, what old sealed for the same place.
func (f FirmKey) Reseal(old FirmKey, s Sealed, context string) (Sealed, error) {
	text, err := open(old.secret, s.IV, s.CT, context)
	if err != nil {
		return Sealed{}, ErrDamaged
	}

	return f.seal(text, context)
}

// Identity is who stands behind a party's label.
type Identity struct {
	V       int      `json:"v"` // 1
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Email   string   `json:"email,omitempty"`
	Phone   string   `json:"phone,omitempty"`
	Address string   `json:"address,omitempty"`
	Notes   string   `json:"notes,omitempty"`
}

// Labels are the real values of those labels of a case that are no party's, and the keys of sealed originals by the id
// of the file.
type Labels struct {
	V         int               `json:"v"` // 1
	Labels    map[string]string `json:"labels"`
	Originals map[string]string `json:"originals,omitempty"`
}

// NewRef makes the identityRef of a party: chance, so that it says nothing.
func NewRef() string { return encoding.EncodeToString(random(saltSize)) }

// ConflictTokens are the blind tokens of a name and its aliases: equal within the firm for equal names of a kind, and
// otherwise silent.
func (f FirmKey) ConflictTokens(kind string, names ...string) ([]string, error) {
	key, err := hkdf.Key(sha256.New, f.secret, nil, conflictDomain, keySize)
	if err != nil {
		return nil, err
	}
	var tokens []string
	seen := map[string]bool{}

	for _, name := range names {
		plain := Normalised(name)
		if plain == "" || seen[plain] {
			continue
		}
		seen[plain] = true
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(kind + "\x00" + plain))
		tokens = append(tokens, encoding.EncodeToString(mac.Sum(nil)))
	}

	return tokens, nil
}

// Normalised is a name as conflict tokens compare it: compatibility-composed, in lower case, letters and digits alone,
// one blank between words.
func Normalised(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

func seal(key, text []byte, context string) (iv, ct string, err error) {
	gcm, err := gcmOf(key)
	if err != nil {
		return "", "", err
	}
	nonce := random(gcm.NonceSize())

	return encoding.EncodeToString(nonce), encoding.EncodeToString(gcm.Seal(nil, nonce, text, []byte(context))), nil
}

func open(key []byte, iv, ct, context string) ([]byte, error) {
	gcm, err := gcmOf(key)
	if err != nil {
		return nil, err
	}
	nonce, err := encoding.DecodeString(iv)
	if err != nil || len(nonce) != gcm.NonceSize() {
		return nil, ErrDamaged
	}
	sealed, err := encoding.DecodeString(ct)
	if err != nil {
		return nil, ErrDamaged
	}

	return gcm.Open(nil, nonce, sealed, []byte(context))
}

func gcmOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}

	return cipher.NewGCM(block)
}

func random(n int) []byte {
	b := make([]byte, n)
	// Never fails: crypto/rand ends the program instead.
	_, _ = rand.Read(b)

	return b
}
