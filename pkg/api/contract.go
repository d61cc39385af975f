package api

import _ "embed"

//go:embed openapi.yaml
var contract []byte

// Contract returns the OpenAPI 3.1 document of the whole interface as it is kept, in YAML. The caller must not change it.
func Contract() []byte { return contract }
