package guard

import "github.com/subrosa-legal/subrosa/pkg/errs"

// ErrRefused is the answer to content or an operation that would move a real identity. Compare with errors.Is; build the
// answer with Refusal.
var ErrRefused = errs.New(errs.Forbidden, "identity_refused",
	"This could identify a client, so nothing of it was kept. Replace what the details point at by labels such as [Party 1]. Where it is no identity, an administrator can allow the word (allowedWords in the settings).")

// ErrUnverifiable is the answer to a file of which nobody can prove that it names no client.
var ErrUnverifiable = errs.New(errs.Forbidden, "identity_unverifiable",
	"The text of this file cannot be read, so it cannot be shown to be free of identities. Open the deep link to redact it in the browser, or send a file whose text can be read.")

// Located is a finding together with the field, part or parameter that holds it, such as "prompt" or "metadata.author".
type Located struct {
	Path string
	Finding
}

// At gives each finding the path of the text it was found in.
func At(path string, found []Finding) []Located {
	located := make([]Located, 0, len(found))
	for _, f := range found {
		located = append(located, Located{Path: path, Finding: f})
	}

	return located
}

// Refusal returns ErrRefused with one detail per finding, at most MaxFindings. Findings of the kinds field_name and operation
// carry no offsets, since the path says it all. The deep link may be empty.
func Refusal(deepLink string, found []Located) *errs.Error {
	details := make([]errs.Detail, 0, min(len(found), MaxFindings))
	for _, f := range found[:min(len(found), MaxFindings)] {
		d := errs.Detail{Path: f.Path, Kind: f.Kind}
		if f.Kind != KindFieldName && f.Kind != KindOperation {
			start, end := f.Start, f.End
			d.Start, d.End = &start, &end
		}
		details = append(details, d)
	}

	return ErrRefused.WithDetails(details...).WithDeepLink(deepLink)
}
