package httpapi

import (
	"cmp"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// fileOf is the file on the wire. Only people learn that there is an encrypted original.
func fileOf(f files.File, caller access.Caller) api.File {
	if caller.Kind != access.User {
		f.SealedID = ""
	}

	out := api.File{
		FileID:       f.ID,
		CaseID:       f.CaseID,
		Version:      int(f.Version),
		Name:         f.Name,
		DocType:      f.DocType,
		DocTypeBasis: f.DocTypeBasis,
		Description:  f.Description,
		MediaType:    f.MediaType,
		SizeBytes:    f.SizeBytes,
		SHA256:       f.SHA256,
		DocumentOn:   f.DocumentOn,
		Privilege:    f.Privilege,
		Source:       api.FileSource{Origin: f.Origin(), PhaseID: f.PhaseID},
		Extraction:   api.Extraction(f.Extraction),
		DeidCheck: api.DeidCheck{
			Status:           f.DeidCheck.Status,
			DetectorVersion:  f.DeidCheck.DetectorVersion,
			At:               api.At(f.DeidCheck.At),
			AttestedByUserID: f.DeidCheck.AttestedBy,
		},
		AgentReadable:    f.AgentReadable,
		Findings:         api.FileFindings{Labels: filled(f.Labels)},
		Revision:         f.Revision,
		Status:           f.Status,
		UploadedBy:       api.Actor(f.UploadedBy),
		CreatedAt:        api.At(f.CreatedAt),
		ProducedBy:       f.ProducedBy,
		SealedFileID:     f.SealedID,
		SupersedesFileID: f.SupersedesID,
		Dropped: filled(
			each(f.Dropped, func(d files.Dropped) api.DroppedCarriers { return api.DroppedCarriers(d) }),
		),
		Unread: api.UnreadPlaces{Count: f.Unread.Count, Places: filled(each(f.Unread.Places, unreadPlace))},
	}
	if f.Servable() {
		out.Content = contentOf(f.Content)
	}

	return out
}

func contentOf(c files.Content) *api.FileContent {
	out := &api.FileContent{FileForm: api.FileForm(c.Form), Renderer: rendererOf(c)}
	if c.Word != (files.Form{}) {
		word := api.FileForm(c.Word)
		out.DOCX = &word
	}

	return out
}

// rendererOf names what wrote the content of a file.
func rendererOf(c files.Content) string { return cmp.Or(c.Renderer, api.NotRendered) }

func unreadPlace(p files.UnreadPlace) api.UnreadPlace { return api.UnreadPlace(p) }
