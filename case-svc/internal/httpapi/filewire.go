package httpapi

import (
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// fileOf is the file on the wire.
func fileOf(f files.File) api.File {
	return api.File{
		FileID: f.ID, CaseID: f.CaseID, Version: int(f.Version), Name: f.Name, DocType: f.DocType, DocTypeBasis: f.DocTypeBasis, Description: f.Description,
		MediaType: f.MediaType, SizeBytes: f.SizeBytes, SHA256: f.SHA256, DocumentOn: f.DocumentOn, Privilege: f.Privilege,
		Source: api.FileSource{Origin: "upload"}, Extraction: api.Extraction(f.Extraction),
		DeidCheck:     api.DeidCheck{Status: f.DeidCheck.Status, DetectorVersion: f.DeidCheck.DetectorVersion, At: api.At(f.DeidCheck.At)},
		AgentReadable: f.AgentReadable, Findings: api.FileFindings{Labels: filled(f.Labels)}, Revision: f.Revision, Status: f.Status,
		UploadedBy: api.Actor(f.UploadedBy), CreatedAt: api.At(f.CreatedAt),
	}
}
