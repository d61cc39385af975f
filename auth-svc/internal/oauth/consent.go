package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"
	"slices"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// Begun is an authorization request whose person is to sign in now.
type Begun struct {
	ID       string // state of the sign-in
	Nonce    string
	Verifier string
}

// Reply is where a browser is to go at the client with the answer.
type Reply struct {
	To string // "" while there is none
	// Why is set when a person has to see a page before the browser leaves. Anybody can register a client: one that
	// nobody described elsewhere must not be able to turn an address of ours into one that leads wherever it likes.
	Why *Refusal
}

// refusal is the reply to a client that does not get what it asked for, before the person was asked.
func (s *Server) refusal(r Request, err error) Reply {
	reply := Reply{To: s.refused(r, err)}
	if r.Client.Document {
		return reply
	}
	if !errors.As(err, &reply.Why) {
		reply.Why = refuse("server_error", "Something went wrong on our side. Try again.")
	}

	return reply
}

// Authorize begins a request. browser is the secret of the cookie by which the browser is known again; from is the
// caller's address. It returns either the sign-in, or the reply that tells the client of an error; or an error that is
// for the person, because client or redirect address are not proved.
func (s *Server) Authorize(ctx context.Context, a Asks, browser, from string) (Begun, Reply, error) {
	c, err := s.client(ctx, a.ClientID(), from)
	if err != nil {
		return Begun{}, Reply{}, err
	}
	// Without a proved address the error is shown here: sent on, it would go wherever the request says (RFC 6749,
	// 4.1.2.1).
	if !c.Takes(a.Redirect()) {
		return Begun{}, Reply{}, ErrRedirect
	}
	c.Redirects = nil
	r := Request{
		Client:   c,
		Redirect: a.Redirect(),
		State:    a.values.Get("state"),
		Browser:  secret.Hash(browser),
		Nonce:    secret.New(),
		Verifier: secret.New(),
		Expires:  s.Now().UTC().Add(RequestLife),
		Stage:    Sent,
	}
	if err := a.check(&r, s.Resource()); err != nil {
		return Begun{}, s.refusal(r, err), nil
	}
	b := Begun{ID: secret.New(), Nonce: r.Nonce, Verifier: r.Verifier}
	if err := s.Requests.Begin(ctx, b.ID, r); err != nil {
		return Begun{}, Reply{}, err
	}

	return b, Reply{}, nil
}

// refused is the address that tells the client why.
func (s *Server) refused(r Request, err error) string {
	v := url.Values{"error": {"server_error"}}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		v = url.Values{"error": {refusal.Code}, "error_description": {refusal.Text}}
	}

	return s.answer(r, v)
}

func (s *Server) answer(r Request, v url.Values) string {
	// The issuer goes into every answer, so that a client of several servers sees which one answered (RFC 9207).
	v.Set("iss", s.Issuer)
	if r.State != "" {
		v.Set("state", r.State)
	}

	return back(r.Redirect, v)
}

// request returns a request in progress if the browser is the one that began it.
func (s *Server) request(ctx context.Context, id, browser string) (Request, error) {
	// An id of another length was never made here, so the store is not asked.
	if len(id) != secret.Len || browser == "" {
		return Request{}, ErrNoRequest
	}
	r, err := s.Requests.Get(ctx, id)
	if err != nil {
		return Request{}, err
	}
	// The comparison takes the same time wherever the two differ.
	if subtle.ConstantTimeCompare([]byte(secret.Hash(browser)), []byte(r.Browser)) != 1 || !s.Now().Before(r.Expires) {
		return Request{}, ErrNoRequest
	}

	return r, nil
}

// errSignedIn refuses a sign-in that was used.
var errSignedIn = errs.New(
	errs.Conflict,
	"already_signed_in",
	"This sign-in was already used. Go back to the application; if it is not connected, connect again.",
)

// AtProvider returns a request whose person is at the identity provider.
func (s *Server) AtProvider(ctx context.Context, id, browser string) (Begun, error) {
	r, err := s.request(ctx, id, browser)
	if err != nil {
		return Begun{}, err
	}
	if r.Stage != Sent {
		return Begun{}, errSignedIn
	}

	return Begun{ID: id, Nonce: r.Nonce, Verifier: r.Verifier}, nil
}

// NotSignedIn ends a request whose person did not sign in, and returns the reply to the client. why is the provider's
// error: a failure of its own stays one for the client, everything else means that the user was not let in.
func (s *Server) NotSignedIn(ctx context.Context, id, browser, why string) (Reply, error) {
	r, err := s.request(ctx, id, browser)
	if err != nil {
		return Reply{}, err
	}
	if err := s.advance(ctx, id, Sent, Decided, r); err != nil {
		return Reply{}, err
	}

	switch why {
	case "temporarily_unavailable", "server_error":
		return s.refusal(r, refuse(why, "The identity provider could not sign the user in. Try again later.")), nil
	}

	return s.refusal(r, refuse("access_denied", "The user did not sign in.")), nil
}

func (s *Server) advance(ctx context.Context, id string, from, to Stage, r Request) error {
	r.Stage = to
	ok, err := s.Requests.Advance(ctx, id, from, r)
	if err == nil && !ok {
		err = ErrDecided
	}

	return err
}

// Question is what the person is asked.
type Question struct {
	ID       string
	CSRF     string
	Client   Client
	Redirect string
	Scopes   []string
}

// SignedIn takes up who signed in. It returns the question to be answered, or the address at the client that the
// browser is to go to, when this person has allowed the same before to a client whose document says where it lives.
func (s *Server) SignedIn(ctx context.Context, id, browser string, user access.Caller) (Question, string, error) {
	return s.person(ctx, id, browser, user, "user.signed_in")
}

// AlreadySignedIn is SignedIn for a person whom a session of the browser app knows, and whose sign-in is on record.
func (s *Server) AlreadySignedIn(
	ctx context.Context,
	id, browser string,
	user access.Caller,
) (Question, string, error) {
	return s.person(ctx, id, browser, user, "")
}

// person takes up who is asked. action goes on record, unless it is "".
func (s *Server) person(
	ctx context.Context,
	id, browser string,
	user access.Caller,
	action string,
) (Question, string, error) {
	r, err := s.request(ctx, id, browser)
	if err != nil {
		return Question{}, "", err
	}
	if err := s.admitted(ctx, user, action != ""); err != nil {
		return Question{}, "", err
	}
	r.User, r.CSRF = user, secret.New()
	// The stage moves on before anything is recorded: of two browsers with the same state only one gets here.
	if err := s.advance(ctx, id, Sent, Asked, r); err != nil {
		return Question{}, "", err
	}
	if action != "" {
		if err := s.happened(ctx, user, action, "user", user.UserID); err != nil {
			return Question{}, "", err
		}
	}
	known, err := s.remembered(ctx, r)
	if err != nil {
		return Question{}, "", err
	}
	if known {
		r.Stage = Asked
		to, err := s.decide(ctx, id, r, true)

		return Question{}, to, err
	}

	return Question{
		ID:       id,
		CSRF:     r.CSRF,
		Client:   r.Client,
		Redirect: r.Redirect,
		Scopes:   r.Scopes,
	}, "", nil
}

// admitted returns access.ErrSuspended for a person whose access the firm has ended. fresh says that the provider has
// just sent them; what a session says of their roles may be old.
func (s *Server) admitted(ctx context.Context, user access.Caller, fresh bool) error {
	if fresh {
		return s.Members.Seen(ctx, user)
	}
	ok, err := s.Members.Stands(ctx, user.Tenant, user.UserID)
	if err == nil && !ok {
		err = access.ErrSuspended
	}

	return err
}

// remembered reports whether the user has a live grant to the same document's client, at the same host, with all that
// is asked for. A program on the user's computer is always asked about: any other program there can pretend to be it.
func (s *Server) remembered(ctx context.Context, r Request) (bool, error) {
	if !r.Client.Document || IsLoopback(r.Redirect) {
		return false, nil
	}
	held, err := s.held(ctx, r.User.Tenant, r.User.UserID)

	return slices.ContainsFunc(held, func(g Grant) bool {
		same := g.ClientID == r.Client.ID && g.Document && g.RedirectHost == RedirectHost(r.Redirect)
		return same && covers(g.Scopes, r.Scopes)
	}), err
}

const pageOfGrants = 100

// held returns the live grants of a user, the newest first.
func (s *Server) held(ctx context.Context, tenant, userID string) ([]Grant, error) {
	var all []Grant

	for before := ""; ; {
		list, err := s.Grants.OfUser(ctx, tenant, userID, s.Now(), before, pageOfGrants)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if len(list) < pageOfGrants {
			return all, nil
		}
		before = list[len(list)-1].ID
	}
}

// ErrForm refuses a form that is not the one that was shown.
var ErrForm = errs.New(
	errs.Invalid, "bad_form", "This form is not the one you were shown. Go back to the application and connect again.",
)

// ErrNothingChosen refuses a form that allows nothing. The question stays open.
var ErrNothingChosen = errs.New(
	errs.Invalid,
	"nothing_chosen",
	"You allowed the application but chose nothing that it may do. Go back and choose, or refuse.",
)

// Answer is what the person decided.
type Answer struct {
	Allow  bool
	Scopes []string // which of the scopes that were asked for the application gets
}

// Decide takes the person's answer from the form and returns the address at the client that the browser is to go to. Of
// several answers to one question the first counts; the others get ErrDecided.
func (s *Server) Decide(ctx context.Context, id, browser, csrf string, answer Answer) (string, error) {
	r, err := s.request(ctx, id, browser)
	if err != nil {
		return "", err
	}
	if r.Stage == Sent || subtle.ConstantTimeCompare([]byte(csrf), []byte(r.CSRF)) != 1 {
		return "", ErrForm
	}
	// The form can only take scopes away from those that were shown.
	if answer.Allow {
		if !covers(r.Scopes, answer.Scopes) {
			return "", ErrForm
		}
		if len(answer.Scopes) == 0 {
			return "", ErrNothingChosen
		}
		r.Scopes = answer.Scopes
	}

	return s.decide(ctx, id, r, answer.Allow)
}

func (s *Server) decide(ctx context.Context, id string, r Request, allow bool) (string, error) {
	if err := s.wanted(ctx, r.User, r.Client.ID, r.Expires.Add(-RequestLife)); err != nil {
		// The user ended the application after it had asked.
		if errors.Is(err, ErrInvalidGrant) {
			err = ErrNoRequest
		}

		return "", err
	}
	whole := r.Client
	if allow && !whole.Document {
		var err error
		if whole, err = s.registered(ctx, r.Client.ID); err != nil {
			// The client registered itself and nobody allowed it within its day.
			if errors.Is(err, ErrNoClient) {
				err = ErrUnknownClient
			}

			return "", err
		}
	}
	if err := s.advance(ctx, id, Asked, Decided, r); err != nil {
		return "", err
	}
	if !allow {
		if err := s.happened(ctx, r.User, "consent.refused", "client", r.Client.ID); err != nil {
			return "", err
		}

		return s.refused(r, refuse("access_denied", "The user did not allow it.")), nil
	}
	now := s.Now().UTC()
	if !r.Client.Document {
		if err := s.Clients.Keep(ctx, whole, now.Add(clientRest)); err != nil {
			return "", err
		}
	}
	// The consent is on record before there is a code: an application never holds one that the record does not explain.
	if err := s.happened(ctx, r.User, "consent.given", "client", r.Client.ID); err != nil {
		return "", err
	}
	code := secret.New()
	err := s.Codes.Issue(ctx, secret.Hash(code), Code{
		GrantID:   ids.New(),
		User:      r.User,
		Client:    r.Client,
		Redirect:  r.Redirect,
		Challenge: r.Challenge,
		Scopes:    r.Scopes,
		Expires:   now.Add(CodeLife),
	})
	if err != nil {
		return "", err
	}

	return s.answer(r, url.Values{"code": {code}}), nil
}

func (s *Server) happened(ctx context.Context, user access.Caller, action, kind, id string) error {
	return s.Audit.Record(ctx, audit.Entry{
		Tenant:       user.Tenant,
		Actor:        audit.Actor{Kind: audit.User, ID: user.UserID},
		Action:       action,
		ResourceType: kind,
		ResourceID:   id,
		Outcome:      audit.Done,
	})
}
