// Package samples holds three de-identified documents to try the service with: a federal complaint, a commercial lease
// and an employment agreement. All people, firms, places and numbers in them are labels or invented; statutes and cases
// are real.
//
// The complaint is kept as it is. The lease (DOCX) and the agreement (PDF) are made from their sources by gen:
//
//	go run ./samples/gen -dir samples
package samples

import (
	"bytes"
	"embed"
	"io/fs"
)

// The names of the documents in Files.
const (
	Complaint           = "complaint.md"
	CommercialLease     = "commercial-lease.docx"
	EmploymentAgreement = "employment-agreement.pdf"
)

//go:embed complaint.md commercial-lease.docx employment-agreement.pdf
var files embed.FS

//go:embed partners.json
var partners []byte

// Partners returns a seed file for the directory of professionals: some sixty entries, none of whom exists. The
// development launcher loads it, and the accounts behind two of them are the people who can sign in there.
func Partners() []byte { return bytes.Clone(partners) }

// Files returns the documents.
func Files() fs.FS { return files }

// Names returns the names of the documents in the order of a demonstration.
func Names() []string { return []string{Complaint, CommercialLease, EmploymentAgreement} }
