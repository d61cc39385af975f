package guard

import (
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrRefused is the answer to content or an operation that would move a real identity. Compare with errors.Is; build
// the answer with Refusal.
var ErrRefused = errs.New(errs.Forbidden, "identity_refused",
	"This could identify a client, so nothing of it was kept. Replace the passages listed in details with labels such "+
		"as [Party 1]. If a word identifies nobody, an administrator can allow it (allowedWords in the settings).")

// ErrUnverifiable is the answer to a file whose text cannot be read, so that nobody can prove that it names no client.
var ErrUnverifiable = errs.New(errs.Forbidden, "identity_unverifiable",
	"The text of this file cannot be read, so nobody can show that it names no client. Open the deep link to redact "+
		"it in the browser, or send a file whose text can be read.")

// Located is a finding with the field, part or parameter that holds it, such as "prompt" or "metadata.author".
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

// otherTongue goes before the sentence of ErrRefused where nobody can tell names from words.
const otherTongue = "A text is in a language that this service does not know: it reads English, German, French and " +
	"Spanish. Send a translation, or review the text in the browser and clear the words that name nobody. "

// otherID is the sentence of ErrRefused where nothing but ids that the sender chose is refused.
const otherID = "An id that you chose could identify a client, so nothing of this request was kept. Choose an id that " +
	"names nobody, such as a UUID."

// Refusal returns ErrRefused with one detail per finding, at most MaxFindings, and one for all words at a path in a
// language that the guard does not know; see Told. Findings of the kinds field_name and operation carry no offsets,
// since the path says it all. The deep link may be empty.
func Refusal(deepLink string, found []Located) *errs.Error {
	refused, told := ErrRefused, told(found)
	details := make([]errs.Detail, 0, min(len(told), MaxFindings))
	if len(found) > 0 && !slices.ContainsFunc(found, func(l Located) bool { return !l.Chosen }) {
		refused = ErrRefused.WithMessage(otherID)
	}

	for _, f := range told[:min(len(told), MaxFindings)] {
		d := errs.Detail{Path: f.Path, Kind: f.Kind}
		if f.Kind != KindFieldName && f.Kind != KindOperation {
			// Each detail gets its own pair, since the pointers outlive the loop.
			start, end := f.Start, f.End
			d.Start, d.End = &start, &end
		}
		if f.Kind == KindLanguage {
			refused = ErrRefused.WithMessage(otherTongue + ErrRefused.Message)
		}
		details = append(details, d)
	}

	return refused.WithDetails(details...).WithDeepLink(deepLink)
}

// told is Told for the findings of each path. The findings of one path stand together.
func told(found []Located) (all []Located) {
	for len(found) > 0 {
		var here []Finding
		path, n := found[0].Path, 0

		for ; n < len(found) && found[n].Path == path; n++ {
			here = append(here, found[n].Finding)
		}
		all, found = append(all, At(path, Told(here))...), found[n:]
	}

	return all
}
