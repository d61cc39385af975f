package cli

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type grantsCmd struct {
	List   grantsListCmd   `cmd:"" help:"List the applications that you let work in your name."`
	Revoke grantsRevokeCmd `cmd:"" help:"Disconnect an application; its tokens end at once."`
}

type grantsListCmd struct {
	paging `embed:""`
}

// Run lists grants.
func (cmd *grantsListCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, "/v1/grants", url.Values{}, func(w io.Writer, grants []api.AppGrant) {
		table(w, []string{"GRANT", "SINCE", "USED", "UNTIL", "LED BACK TO", "MAY", "CALLS ITSELF"},
			func(row func(...any)) {
				for _, g := range grants {
					row(g.GrantID, local(g.CreatedAt), local(g.LastUsedAt), local(g.ExpiresAt), g.RedirectHost,
						strings.Join(g.Scopes, ","), g.ClientName)
				}
			})
	})
}

type grantsRevokeCmd struct {
	Grant string `arg:"" help:"Id of the grant."`
}

// Run ends a grant.
func (cmd *grantsRevokeCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}

	return do(
		sh,
		c,
		httpcall.Request{Method: http.MethodDelete, Path: httpcall.Path("v1", "grants", cmd.Grant)},
		"Disconnected the application of grant "+cmd.Grant,
	)
}
