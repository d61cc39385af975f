package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type memberCmd struct {
	List      memberListCmd      `cmd:"" help:"List everybody of your organization who has signed in."`
	Offboard  memberOffboardCmd  `cmd:"" help:"End a member's access to this organization, at once."`
	Reinstate memberReinstateCmd `cmd:"" help:"Lift the suspension of a member; for owners."`
	KeyExpiry memberExpiryCmd    `cmd:"" name:"key-expiry" help:"Say when the API key of a member's agent expires."`
}

type memberListCmd struct {
	paging `embed:""`
}

// Run lists members.
func (cmd *memberListCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, "/v1/members", url.Values{}, func(w io.Writer, members []api.Member) {
		table(w, []string{"MEMBER", "ROLES", "STATUS", "SIGNED IN", "KEY USED", "KEY EXPIRES"}, func(row func(...any)) {
			for _, m := range members {
				status := m.Status
				if m.Reason != "" {
					status += " (" + m.Reason + ")"
				}
				row(m.UserID, strings.Join(m.Roles, ","), status, local(m.LastSeenAt), keyUse(m),
					localOf(m.KeyExpiresAt))
			}
		})
	})
}

// keyUse says when a member's agent last used its key.
func keyUse(m api.Member) string {
	switch {
	case !m.HasKey:
		return "no key"
	case m.KeyLastUsedAt == nil:
		return "never"
	}

	return local(*m.KeyLastUsedAt)
}

type memberOffboardCmd struct {
	Member string `arg:"" help:"The member, as subrosa member list names them."`
}

// Run ends a member's access.
func (cmd *memberOffboardCmd) Run(sh *shell) error {
	path := httpcall.Path("v1", "members", cmd.Member, "offboard")

	return person(
		sh,
		httpcall.Request{Method: http.MethodPost, Path: path},
		func(w io.Writer, left api.OffboardedMember) {
			_, _ = fmt.Fprintf(w, "%s has no access any more.\n", left.UserID)
			// Their copies of the keys stay good for what they have already: only a new key shuts them out of what
			// follows.
			if left.RotateFirmKey {
				_, _ = fmt.Fprintln(
					w,
					"They could open the identities of your clients. Replace the organization's key now: "+
						"subrosa vault rotate --remove "+left.UserID,
				)
			}
		},
	)
}

type memberReinstateCmd struct {
	Member string `arg:"" help:"The member, as subrosa member list names them."`
}

// Run lifts a suspension.
func (cmd *memberReinstateCmd) Run(sh *shell) error {
	path := httpcall.Path("v1", "members", cmd.Member, "reinstate")

	return person(sh, httpcall.Request{Method: http.MethodPost, Path: path}, func(w io.Writer, m api.Member) {
		_, _ = fmt.Fprintf(w, "%s can sign in again. Agents and applications have to be connected anew.\n", m.UserID)
	})
}

type memberExpiryCmd struct {
	Member string     `arg:"" help:"The member, as subrosa member list names them."`
	At     *time.Time `help:"When keys made before then expire, such as 2026-12-31T23:59:59Z." xor:"when" required:""`
	Never  bool       `help:"Take the expiry back."                                           xor:"when" required:""`
}

// Run sets when a key expires.
func (cmd *memberExpiryCmd) Run(sh *shell) error {
	var in api.KeyExpiry
	if cmd.At != nil {
		in.ExpiresAt = new(api.At(*cmd.At))
	}
	path := httpcall.Path("v1", "members", cmd.Member, "key-expiry")
	r := httpcall.Request{Method: http.MethodPut, Path: path, In: in}

	return person(sh, r, func(w io.Writer, m api.Member) {
		if m.KeyExpiresAt == nil {
			_, _ = fmt.Fprintf(w, "The key of %s's agent has no expiry.\n", m.UserID)
			return
		}

		_, _ = fmt.Fprintf(w, "The key of %s's agent expires: %s\n", m.UserID, localOf(m.KeyExpiresAt))
	})
}
