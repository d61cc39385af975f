package api

import (
	_ "embed"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var contract []byte

// Contract returns the OpenAPI 3.1 document of the whole interface as it is kept, in YAML. The caller must not change
// it.
func Contract() []byte { return contract }

// asJSON holds what is the same for every service of a process, since to read so much YAML takes its time.
var asJSON = sync.OnceValues(func() ([]byte, error) { return yaml.YAMLToJSON(contract) })

// ContractJSON returns the same document as JSON. The caller must not change it.
func ContractJSON() ([]byte, error) { return asJSON() }
