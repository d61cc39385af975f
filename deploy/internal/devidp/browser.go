package devidp

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// Browser plays a person at a browser who lets an application in: it follows redirects, keeps cookies, signs in and
// decides. It is for tests and checks. One browser is one person's, and not for several goroutines at once.
type Browser struct {
	Person Person
	Refuse bool // the decision on the consent page
	// Without are the boxes that the person clears on the consent page, such as "agent:run".
	Without []string

	client *http.Client
}

// NewBrowser returns a browser without cookies.
func NewBrowser(transport http.RoundTripper, p Person) *Browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		// Cannot fail without options.
		panic(err)
	}

	return &Browser{Person: p, client: &http.Client{
		Transport:     transport,
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Page is what a browser has got for one address.
type Page struct {
	Address *url.URL
	Status  int
	Header  http.Header
	Body    string
}

// Onwards is where a page sends the browser, or nil.
func (p Page) Onwards() *url.URL {
	to, err := p.Address.Parse(p.Header.Get("Location"))
	if err != nil || p.Status < 300 || p.Status > 399 || p.Header.Get("Location") == "" {
		return nil
	}

	return to
}

var (
	anyForm   = regexp.MustCompile(`(?s)<form[^>]* action="([^"]+)"`)
	anyHidden = regexp.MustCompile(`type="(?:hidden|checkbox)" name="([^"]+)" value="([^"]*)"`)
)

// Form returns where a page's form leads and the fields that are filled in already. ok is false when there is none.
func (p Page) Form() (action *url.URL, fields url.Values, ok bool) {
	m := anyForm.FindStringSubmatch(p.Body)
	if m == nil {
		return nil, nil, false
	}
	action, err := p.Address.Parse(html.UnescapeString(m[1]))
	if err != nil {
		return nil, nil, false
	}

	fields = url.Values{}
	for _, h := range anyHidden.FindAllStringSubmatch(p.Body, -1) {
		fields.Set(html.UnescapeString(h[1]), html.UnescapeString(h[2]))
	}

	return action, fields, true
}

// Get fetches one address and follows nothing.
func (b *Browser) Get(ctx context.Context, address string) (Page, error) {
	return b.fetch(ctx, http.MethodGet, address, nil)
}

// Post sends a form and follows nothing.
func (b *Browser) Post(ctx context.Context, address string, form url.Values) (Page, error) {
	return b.fetch(ctx, http.MethodPost, address, form)
}

func (b *Browser) fetch(ctx context.Context, method, address string, form url.Values) (Page, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return Page{}, err
	}
	req.Header.Set("Accept", "text/html")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return Page{}, err
	}

	defer func() { _ = resp.Body.Close() }()
	// A page that is larger is none of ours.
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))

	return Page{req.URL, resp.StatusCode, resp.Header, string(body)}, err
}

// Dead is a page that leads nowhere.
type Dead struct{ Page }

// Error says what the page is.
func (d Dead) Error() string {
	return fmt.Sprintf("the sign-in ended on a page with status %d: %.300s", d.Status, d.Body)
}

// Question goes to address, signs in, and returns the page on which the person has to decide, or the redirect to an
// address that begins with until where nobody was asked.
func (b *Browser) Question(ctx context.Context, address, until string) (Page, error) {
	return b.walk(ctx, address, until, func(fields url.Values) bool { return fields.Has("csrf") })
}

// Open goes to address, signs in and decides, and returns the address that begins with until to which it is sent in the
// end. It does not fetch that.
func (b *Browser) Open(ctx context.Context, address, until string) (*url.URL, error) {
	last, err := b.walk(ctx, address, until, func(url.Values) bool { return false })
	if err != nil {
		return nil, err
	}

	return last.Onwards(), nil
}

// Decide answers the page of Question.
func (b *Browser) Decide(ctx context.Context, question Page) (Page, error) {
	action, fields, ok := question.Form()
	if !ok {
		return Page{}, Dead{question}
	}

	return b.Post(ctx, action.String(), b.filled(question, fields))
}

// filled adds what the person fills in of what the page asks for.
func (b *Browser) filled(p Page, fields url.Values) url.Values {
	decision := "allow"
	if b.Refuse {
		decision = "refuse"
	}

	for name, value := range map[string]string{
		"email":    b.Person.Email,
		"password": b.Person.Password,
		"decision": decision,
	} {
		if strings.Contains(p.Body, `name="`+name+`"`) {
			fields.Set(name, value)
		}
	}

	for _, name := range b.Without {
		fields.Del(name)
	}

	return fields
}

const mostSteps = 15

// walk goes on until a page sends to an address that begins with until, or shows a form that it is to stop at.
func (b *Browser) walk(ctx context.Context, address, until string, stop func(fields url.Values) bool) (Page, error) {
	p, err := b.Get(ctx, address)
	// A loop of redirects must end the test and not hang it.
	for range mostSteps {
		if err != nil {
			return Page{}, err
		}
		if to := p.Onwards(); to != nil {
			if strings.HasPrefix(to.String(), until) {
				return p, nil
			}
			p, err = b.Get(ctx, to.String())

			continue
		}

		action, fields, ok := p.Form()
		switch {
		case !ok:
			return Page{}, Dead{p}
		case stop(fields):
			return p, nil
		}
		p, err = b.Post(ctx, action.String(), b.filled(p, fields))
	}

	return Page{}, Dead{p}
}

// SignIn signs in at the service at base as its browser app has it done, and returns the address that the service sends
// the browser on to, which it does not fetch. returnTo is a path there.
func (b *Browser) SignIn(ctx context.Context, base, returnTo string) (*url.URL, error) {
	back, err := b.Open(ctx, base+"/auth/login?returnTo="+url.QueryEscape(returnTo), base+"/auth/callback")
	if err != nil {
		return nil, err
	}
	last, err := b.Get(ctx, back.String())
	if err != nil {
		return nil, err
	}
	to := last.Onwards()
	if to == nil {
		return nil, Dead{last}
	}

	return to, nil
}

// Script returns a client that sends what a script of a page at base would, with the browser's cookies and with what
// browsers say of where a request comes from.
func (b *Browser) Script(base string) *http.Client {
	own := *b.client
	own.Transport = script{b.client.Transport, base}

	return &own
}

// Cookies returns the cookies that the browser sends to base.
func (b *Browser) Cookies(base string) []*http.Cookie {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}

	return b.client.Jar.Cookies(u)
}

type script struct {
	next http.RoundTripper
	base string
}

// RoundTrip adds the headers that scripts cannot set.
func (s script) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Sec-Fetch-Mode", "cors")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		r.Header.Set("Origin", s.base)
	}

	return s.next.RoundTrip(r)
}
