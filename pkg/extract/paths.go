package extract

import "strings"

// fieldNames are the names of metadata that refusals named while it was judged. Clearances of that time still name
// them.
var fieldNames = func() map[string]bool {
	known := map[string]bool{}
	for name := range strings.FieldsSeq(`
		author title subject keywords creator producer trapped xmp company manager category comments description
		lastModifiedBy contentStatus contentType identifier template hyperlinkBase titlesOfParts custom links filename
		generator publisher copyright viewport robots referrer refresh content-type content-language
		content-security-policy x-ua-compatible theme-color format-detection application-name date revised
		sender reply-to return-path delivered-to received bcc message-id in-reply-to references mime-version
		content-transfer-encoding content-disposition content-id content-description content-location
		importance priority organization user-agent auto-submitted thread-topic thread-index dkim-signature
		authentication-results received-spf errors-to disposition-notification-to list-id list-unsubscribe
		resent-from resent-to resent-date x-mailer x-priority x-originating-ip`) {
		known[name] = true
	}

	return known
}()

// IsPath reports whether a part can have this path. Paths are words of this package, never of a file.
func IsPath(path string) bool {
	switch Kind(path) {
	case "text", "metadata", Comments, TrackedChanges, HiddenText, AltText, Numbering, Drawings, Links, Headers:
		return true
	}
	name, ok := strings.CutPrefix(path, "metadata.")

	return ok && fieldNames[name]
}
