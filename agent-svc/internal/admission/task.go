package admission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Fingerprint tells whether two admitted requests with one phaseId are the same request.
func Fingerprint(t api.AgentTask) (string, error) {
	canonical, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)

	return hex.EncodeToString(sum[:]), nil
}
