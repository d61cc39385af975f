package api

// Vault is what a member's browser keeps at the service: ciphertext and public keys alone. Bytes are base64url without
// padding.
type Vault struct {
	PublicKey  string       `json:"publicKey"` // an uncompressed point of P-256
	Blob       string       `json:"blob"`      // the private key, under a passphrase that never leaves the browser
	Version    int          `json:"version"`
	UpdatedAt  Instant      `json:"updatedAt"`
	KeyVersion int          `json:"keyVersion"` // the firm's key at present; 0 for none
	Keys       []WrappedKey `json:"keys"`       // what is wrapped to PublicKey
}

// PutVault makes or replaces the caller's vault.
type PutVault struct {
	PublicKey string `json:"publicKey"`
	Blob      string `json:"blob"`
}

// WrappedKey is a version of the firm's key, wrapped to a member's public key.
type WrappedKey struct {
	KeyVersion   int    `json:"keyVersion"`
	EphemeralKey string `json:"ephemeralKey"`
	IV           string `json:"iv"`
	CT           string `json:"ct"`
}

// WrapKey gives a member a version of the firm's key.
type WrapKey struct {
	PublicKey    string `json:"publicKey"` // that it is wrapped to, which must be the member's
	EphemeralKey string `json:"ephemeralKey"`
	IV           string `json:"iv"`
	CT           string `json:"ct"`
}

// VaultMember is somebody of the firm who has a vault.
type VaultMember struct {
	UserID      string `json:"userId"`
	PublicKey   string `json:"publicKey"`
	KeyVersions []int  `json:"keyVersions"`
}

// RotateKey makes the firm's first key, or the next.
type RotateKey struct {
	KeyVersion int         `json:"keyVersion"`
	Keys       []MemberKey `json:"keys"`
	Remove     []string    `json:"remove"` // userIds of those who lose vault and keys
}

// MemberKey is the new key wrapped for one member.
type MemberKey struct {
	UserID       string `json:"userId"`
	PublicKey    string `json:"publicKey"` // that it is wrapped to, which must be the member's
	EphemeralKey string `json:"ephemeralKey"`
	IV           string `json:"iv"`
	CT           string `json:"ct"`
}

// SealedLabels are the real values of the labels of a case that are no party's, encrypted under the firm's key.
type SealedLabels struct {
	KeyVersion int     `json:"keyVersion"`
	IV         string  `json:"iv"`
	CT         string  `json:"ct"`
	Version    int     `json:"version"`
	UpdatedAt  Instant `json:"updatedAt"`
}

// PutSealedLabels replaces them.
type PutSealedLabels struct {
	KeyVersion int    `json:"keyVersion"`
	IV         string `json:"iv"`
	CT         string `json:"ct"`
}
