package extract

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdf"
)

// Why a file that may be taken cannot be relied on. Document.Reason has one of these words, or is empty.
const (
	ReasonAttachment  = "attachment"   // it carries other files
	ReasonBroken      = "broken"       // its structure is damaged
	ReasonDynamicForm = "dynamic_form" // a program draws its pages
	ReasonEncrypted   = "encrypted"    // it needs a password or a licence
	ReasonGarbled     = "garbled"      // its letters stand for nothing that is known
	ReasonInvalidUTF8 = "invalid_utf8" // its bytes are no text
	ReasonNoText      = "no_text"      // it shows pictures of text
	ReasonPicture     = "picture"      // it is a picture; Extract does not read these
	ReasonFewLetters  = "few_letters"  // it can be read, and is figures and signs rather than words
	ReasonPartGarbled = "part_garbled" // it can be read, but for some letters that stand for nothing that is known
	ReasonReencoded   = "re_encoded"   // somebody saved a binary file as text
	ReasonTimeLimit   = "time_limit"   // it takes too long
	ReasonTooDeep     = "too_deep"     // its elements lie too deep within each other
)

// Obstacle says in sentences for people why the text of a document that is not Readable cannot be relied on, in which
// part or on which pages where that is known, and what to do about it. It quotes nothing of the file. It is "" for a
// document that is Readable.
func (d Document) Obstacle() string {
	if d.Status.Readable() {
		return ""
	}

	return Obstacle(d.Reason, d.place(), d.Method)
}

// Obstacle says for a reason what Document.Obstacle says. place is words such as "on page 3", and may be empty, and so
// may method, which is that of a Document.
func Obstacle(reason, place, method string) string {
	if place != "" {
		place = " " + place
	}

	switch reason {
	case ReasonAttachment:
		if method == "email" {
			return "The e-mail has attachments, which are not checked with it. " +
				"Save the message without them, and send each attachment as a file of its own."
		}

		return "The file carries other files inside it, which are not checked with it. " +
			"Remove the embedded files, and send each as a file of its own."
	case ReasonDynamicForm:
		return "A program draws the pages of this form each time it is opened, so its text is not stored in it. " +
			"Print the form to a PDF and send that."
	case ReasonEncrypted:
		return "The file is encrypted. Remove its password or protection in the program that made it, and send it again. " +
			"A PDF that opens without a password can be printed to a new one."
	case ReasonGarbled:
		return "Most letters of the file stand for no known characters, so it shows text that cannot be read" + place +
			". Print it to a new PDF, or recognise its text (OCR), and send the result."
	case ReasonInvalidUTF8:
		return "The file is not valid text in UTF-8. Save it in that encoding and send it again."
	case ReasonNoText:
		if place == "" {
			return "The file has hardly any text that can be read, as a scan has not. Recognise its text (OCR) and send the result."
		}

		return "The file shows pictures of text that cannot be read" + place +
			". Recognise the text (OCR) and send the result."
	case ReasonPicture:
		return "The file is a picture, and pictures are not read. Write down or recognise (OCR) what it says, and send that."
	case ReasonReencoded:
		return "The file was damaged when a program saved it as text. Send the file as it was before."
	case ReasonTimeLimit:
		return "The file cannot be read in the time that a check may take. Split it, or send its text alone."
	case ReasonTooDeep:
		return "The structure of the file is nested too deeply to be read" + place +
			". Save it anew in a simpler form, or send its text alone."
	}

	return "The file is damaged" + place + ". Open it in its program, save it anew, and send that."
}

// Weakness says in words for people why a text that can be read is of low quality, to follow "since"; "" for any other
// reason.
func Weakness(reason string) string {
	switch reason {
	case ReasonFewLetters:
		return "it has more figures and signs than words"
	case ReasonPartGarbled:
		return "some of its letters stand for no known characters"
	}

	return ""
}

// place names the pages that were not read, or the part at which reading ended; "" when nothing is known of that.
func (d Document) place() string {
	if d.where != "" || d.Reason != ReasonNoText {
		return d.where
	}
	var pages []int

	for _, u := range d.Unread {
		if u.What == UnreadPage {
			pages = append(pages, u.Page)
		}
	}

	switch {
	case len(pages) == 0:
		return ""
	case d.Pages == 1:
		return "on its only page"
	case len(pages) == d.Pages:
		return fmt.Sprintf("on all of its %d pages", d.Pages)
	}

	return fmt.Sprintf("on %s of its %d pages: %s", quantity(len(pages)), d.Pages, ranges(pages))
}

func quantity(n int) string {
	if n == 1 {
		return "one"
	}

	return strconv.Itoa(n)
}

// mostRanges is how many ranges of pages are named at most.
const mostRanges = 12

// ranges writes rising numbers as people do: "2 to 4, 7 and 12 more".
func ranges(rising []int) string {
	var told []string

	for at := 0; at < len(rising); {
		end := at
		for end+1 < len(rising) && rising[end+1] == rising[end]+1 {
			end++
		}
		if len(told) == mostRanges {
			return strings.Join(told, ", ") + fmt.Sprintf(" and %d more", len(rising)-at)
		}

		switch one := strconv.Itoa(rising[at]); {
		case end == at:
			told = append(told, one)
		case end == at+1:
			told = append(told, one, strconv.Itoa(rising[end]))
		default:
			told = append(told, one+" to "+strconv.Itoa(rising[end]))
		}
		at = end + 1
	}
	if last := len(told) - 1; last > 0 {
		return strings.Join(told[:last], ", ") + " and " + told[last]
	}

	return strings.Join(told, "")
}

// partFailure is an error with the part of a file at which reading ended.
type partFailure struct {
	part string
	err  error
}

func (e *partFailure) Error() string { return e.part + ": " + e.err.Error() }

func (e *partFailure) Unwrap() error { return e.err }

// inPart tells in which part of a file something failed, in words of ours.
func inPart(part string, err error) error {
	if err == nil {
		return nil
	}

	return &partFailure{part, err}
}

// whereOf says where reading ended; "" when the error does not tell.
func whereOf(err error) string {
	if p := (*partFailure)(nil); errors.As(err, &p) {
		return "in " + p.part
	}
	if p := (*pdf.PageError)(nil); errors.As(err, &p) {
		return fmt.Sprintf("on page %d", p.Page)
	}

	return ""
}

// wordPart names a part of a Word file by its kind.
func wordPart(kind string) string {
	switch kind {
	case "officeDocument":
		return "the text"
	case "comments", "footnotes", "endnotes", "styles", "numbering":
		return "the " + kind
	case "header", "footer":
		return "a " + kind
	case "diagramData":
		return "a diagram"
	}
	if strings.HasPrefix(kind, "chart") {
		return "a chart"
	}

	return "a part beside the text"
}
