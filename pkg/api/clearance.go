package api

// Clearance says which findings in the bytes of a file are no identities.
type Clearance struct {
	SHA256 string `json:"sha256"` // of the bytes, in lower-case hex
	Marks  []Mark `json:"marks"`
}

// Mark is a finding as a refusal gives it.
type Mark struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Start int    `json:"start"` // UTF-8 bytes of the part
	End   int    `json:"end"`
}
