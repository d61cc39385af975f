package cli

import "testing"

// A file is sent as the type that its ending names, whatever the case of its letters; a saved page is a message.
func TestTypesByEndings(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]string{
		"a.eml": "message/rfc822", "page.mht": "message/rfc822", "Page.MHTML": "message/rfc822",
		"lease.PDF": "application/pdf", "a.htm": "text/html", "a": "application/octet-stream",
	} {
		if got := MediaType(name); got != want {
			t.Errorf("%s is sent as %s, want %s", name, got, want)
		}
	}
}
