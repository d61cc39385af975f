// Package localinfo says how a local Subrosa is reached. It stands apart from the package that runs one, so that a
// client need not carry the services.
package localinfo

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Local tells a client how to reach a running local Subrosa.
type Local struct {
	BaseURL  string `json:"baseUrl"`
	CAFile   string `json:"caFile"`
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	Stores   string `json:"stores"`
}

// File is the name of the file that holds a Local, and Folder that of the folder it lies in.
const (
	File   = "local.json"
	Folder = ".local"
)

// Find looks for a local Subrosa in folder and those above it.
func Find(folder string) (Local, bool) {
	for {
		text, err := os.ReadFile(filepath.Join(folder, Folder, File))
		var found Local
		if err == nil && json.Unmarshal(text, &found) == nil && found.BaseURL != "" {
			return found, true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return Local{}, false
		}
		folder = above
	}
}
