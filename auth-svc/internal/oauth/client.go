package oauth

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of what a client says of itself.
const (
	MaxRedirects  = 10
	maxRedirect   = 2048 // bytes
	maxAllOfThem  = 4096 // bytes of all redirect addresses of a client together
	maxClientName = 100  // characters
	maxClientID   = 256  // bytes: it is the id of an actor in records of other services
)

// Grant types that a client may use.
const (
	CodeGrant    = "authorization_code"
	RefreshGrant = "refresh_token"
)

// Client is an application that may ask users for grants, where it is public: it has no secret. One with keys can prove
// itself, for the grants that firms give.
type Client struct {
	ID         string
	Name       string // as it calls itself; never empty
	Redirects  []string
	Refresh    bool      // it may use refresh tokens
	Document   bool      // described by the document at the address that is its id; else it registered itself
	Registered time.Time // zero for a document
	Keys       string    // its public keys, as a JSON Web Key Set; "" for a client that has none at hand
	KeysAt     string    // https address of its public keys, where it has none at hand; "" for none
}

// Described is what a client says of itself in its registration or its document. A nil list was not given.
type Described struct {
	Name      string
	Redirects []string
	Grants    []string
	Responses []string
	Keys      string // see Client
	KeysAt    string // likewise
}

// registeredPrefix begins the ids of clients that registered themselves, so that they never look like an address.
const registeredPrefix = "dcr_"

var registeredForm = regexp.MustCompile(`^dcr_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// newClient returns the client of that id, or a Refusal with the code that registration gives.
func newClient(id string, d Described, document bool, now time.Time) (Client, error) {
	if len(d.Redirects) == 0 || len(d.Redirects) > MaxRedirects {
		return Client{}, refuse("invalid_redirect_uri", "redirect_uris must have 1 to 10 addresses.")
	}

	all := 0
	for _, r := range d.Redirects {
		all += len(r)
		if !ValidRedirect(r) {
			return Client{}, refuse(
				"invalid_redirect_uri",
				"Each of redirect_uris must be an https address with a host name, or http on localhost, "+
					"127.0.0.1 or [::1], without user name and fragment.",
			)
		}
	}
	if all > maxAllOfThem {
		return Client{}, refuse("invalid_redirect_uri", "redirect_uris must have at most 4096 bytes together.")
	}
	if d.Grants != nil && !slices.Contains(d.Grants, CodeGrant) {
		return Client{}, refuse("invalid_client_metadata", "grant_types must have authorization_code.")
	}
	if d.Responses != nil && !slices.Contains(d.Responses, "code") {
		return Client{}, refuse("invalid_client_metadata", "response_types must have code.")
	}
	name := strings.TrimSpace(d.Name)
	if !plainName(name) {
		return Client{}, refuse(
			"invalid_client_metadata",
			"client_name must be at most 100 characters, without control characters and marks of direction.",
		)
	}
	c := Client{
		ID:        id,
		Name:      name,
		Redirects: d.Redirects,
		Document:  document,
		Keys:      d.Keys,
		KeysAt:    d.KeysAt,
		Refresh:   d.Grants == nil || slices.Contains(d.Grants, RefreshGrant),
	}
	if name == "" {
		c.Name = RedirectHost(d.Redirects[0])
	}
	if !document {
		c.Registered = now.UTC().Truncate(time.Second)
	}

	return c, nil
}

// NewDocumentClient returns the client that the document at address describes.
func NewDocumentClient(address string, d Described) (Client, error) {
	return newClient(address, d, true, time.Time{})
}

// plainName accepts what shows as the text that it is. Characters of the category "format" reorder text, join it or
// hide in it.
func plainName(s string) bool {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxClientName {
		return false
	}

	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
	})
}

// IsRegistered reports whether id has the form of a client that registered itself.
func IsRegistered(id string) bool { return registeredForm.MatchString(id) }

// IsDocument reports whether id has the form of the address of a client's document: https, a path, nothing that would
// make two spellings of one address. Whether it may be fetched is another question.
func IsDocument(id string) bool {
	if len(id) > maxClientID || !printable(id) {
		return false
	}
	// Neither a fragment nor a user belongs there, and a backslash is a slash to some readers.
	if !strings.HasPrefix(id, "https://") || strings.ContainsAny(id, `#@\`) {
		return false
	}
	u, err := url.Parse(id)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	if u.Path == "" || u.Path == "/" {
		return false
	}

	// The path is decoded here, so that %2e counts as a dot.
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}

	return true
}

// printable accepts ASCII without spaces and control characters.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}

	return s != ""
}
