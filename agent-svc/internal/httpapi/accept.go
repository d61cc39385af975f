package httpapi

import "strings"

// accepts reports whether an Accept header takes an event stream; a missing one takes everything.
func accepts(header string) bool {
	if header == "" {
		return true
	}

	for part := range strings.SplitSeq(header, ",") {
		media, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "text/event-stream", "text/*", "*/*":
			if !refusedByWeight(parameters) {
				return true
			}
		}
	}

	return false
}

// refusedByWeight reports whether the parameters of a media type hold q=0, which refuses it (RFC 9110, 12.4.2).
func refusedByWeight(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		if weight, ok := strings.CutPrefix(strings.ReplaceAll(p, " ", ""), "q="); ok {
			return strings.Trim(weight, "0.") == ""
		}
	}

	return false
}
