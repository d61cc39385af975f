package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// parties lists all parties that a query finds.
func (s *session) parties(q url.Values) ([]api.Party, error) {
	var all []api.Party

	cursor := ""
	for {
		for name, values := range (paging{Limit: 100, Cursor: cursor}).query() {
			q[name] = values
		}
		page, err := call[api.Page[api.Party]](s.sh, s.c, find(q, "v1", "parties"))
		if err != nil {
			return nil, err
		}
		all = append(all, page.v.Items...)
		if page.v.NextCursor == nil {
			return all, nil
		}
		cursor = *page.v.NextCursor
	}
}

// identity opens who stands behind a party.
func (s *session) identity(p api.Party) (who vault.Identity, err error) {
	f, held := s.keys[p.Sealed.KeyVersion]
	if !held {
		return who, fmt.Errorf("%s is sealed under firm key %d, which you do not hold", p.Label, p.Sealed.KeyVersion)
	}
	err = f.Open(vault.Sealed{IV: p.Sealed.IV, CT: p.Sealed.CT}, p.Sealed.AAD, &who)
	// The service could hand out the ciphertext of another party: what it is sealed for says whose it is.
	if err == nil && p.Sealed.AAD != place(p.CaseID, p.IdentityRef) {
		err = vault.ErrDamaged // it belongs to another party
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", p.Label, err)
	}

	return who, err
}

// place is what an identity is sealed for.
func place(caseID, ref string) string { return caseID + ":" + ref }

// tokens are the conflict tokens of an identity under a firm key.
func tokens(f vault.FirmKey, p api.Party, who vault.Identity) ([]string, error) {
	return f.ConflictTokens(p.Kind, append([]string{who.Name}, who.Aliases...)...)
}

// put saves what a browser keeps of a party.
func (s *session) put(p api.Party, ref string, version int, sealed vault.Sealed, tokens []string) (api.Party, error) {
	in, err := writable(p)
	if err != nil {
		return p, err
	}
	in["identityRef"], in["conflictTokens"] = ref, tokens
	in["sealed"] = api.Sealed{
		V:          1,
		Alg:        "A256GCM",
		KeyVersion: version,
		IV:         sealed.IV,
		CT:         sealed.CT,
		AAD:        place(p.CaseID, ref),
	}
	a, err := call[api.Party](s.sh, s.c, httpcall.Request{
		Method: http.MethodPut,
		Path:   httpcall.Path("v1", "parties", p.PartyID),
		In:     in,
		Header: match(p.Version),
	})

	return a.v, err
}

// labels reads and opens the sealed labels of a case; version 0 means that there are none.
func (s *session) labels(caseID string) (l vault.Labels, sealed api.SealedLabels, err error) {
	got, err := call[api.SealedLabels](s.sh, s.c, get("v1", "cases", caseID, "sealed-labels"))
	if err != nil || got.v.Version == 0 { // the answer was null
		return l, sealed, err
	}
	f, held := s.keys[got.v.KeyVersion]
	if !held {
		return l, got.v, fmt.Errorf("the labels of the case are sealed under firm key %d, which you do not hold",
			got.v.KeyVersion)
	}

	return l, got.v, f.Open(vault.Sealed{IV: got.v.IV, CT: got.v.CT}, caseID+":labels", &l)
}

type vaultShowCmd struct {
	Case string `arg:"" help:"Id of the case."`
}

// Run shows labels and who stands behind them. Nothing of it leaves this machine.
func (cmd *vaultShowCmd) Run(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}
	parties, err := s.parties(url.Values{"caseId": {cmd.Case}})
	if err != nil {
		return err
	}
	names, failed := map[string]vault.Identity{}, 0

	for _, p := range parties {
		if p.Sealed == nil {
			continue
		}
		who, err := s.identity(p)
		// The query named a case, but the service answered it: another case's names must not appear here.
		if err == nil && p.CaseID != cmd.Case {
			err = fmt.Errorf("%s: %w", p.Label, vault.ErrDamaged)
		}
		if err != nil {
			failed++
			fmt.Fprintln(sh.Err, err)

			continue
		}
		names[p.Label] = who
	}
	l, _, err := s.labels(cmd.Case)
	if err != nil {
		failed++
		fmt.Fprintln(sh.Err, err)
	}
	if err := cmd.print(sh, parties, names, l); err != nil {
		return err
	}
	if failed > 0 {
		return &reported{fmt.Sprintf("%d could not be opened", failed)}
	}

	return nil
}

func (cmd *vaultShowCmd) print(sh *shell, parties []api.Party, names map[string]vault.Identity, l vault.Labels) error {
	if sh.root.JSON {
		if l.Labels == nil {
			l.Labels = map[string]string{}
		}
		raw, err := json.Marshal(map[string]any{"parties": names, "labels": l.Labels})
		if err != nil {
			return err
		}

		return printRaw(sh.Out, raw)
	}
	table(sh.Out, []string{"LABEL", "ROLE", "NAME", "ALSO", "CONTACT"}, func(row func(...any)) {
		for _, p := range parties {
			who := names[p.Label]
			row(p.Label, p.Role, who.Name, strings.Join(who.Aliases, "; "),
				strings.Join(slices.DeleteFunc([]string{who.Email, who.Phone, who.Address}, func(s string) bool {
					return s == ""
				}), "; "))
		}

		for _, label := range slices.Sorted(maps.Keys(l.Labels)) {
			row(label, "", l.Labels[label], "", "")
		}
	})

	return nil
}

type vaultSealCmd struct {
	Party   string `arg:"" help:"Id of the party."`
	Replace bool   `help:"Replace the identity that is sealed there."`
	From    string `help:"${sealFrom}" placeholder:"FILE"`
}

// Run seals an identity behind a label.
func (cmd *vaultSealCmd) Run(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}
	f, err := s.current()
	if err != nil {
		return err
	}
	p, err := call[api.Party](sh, s.c, get("v1", "parties", cmd.Party))
	if err != nil {
		return err
	}
	if p.v.Sealed != nil && !cmd.Replace {
		return fmt.Errorf("an identity is sealed behind %s already: see it with subrosa vault show %s, "+
			"and put another in its place, with all that belongs to it, by --replace", p.v.Label, p.v.CaseID)
	}
	who, err := cmd.identity(sh, p.v.Label)
	if err != nil {
		return err
	}
	ref := p.v.IdentityRef
	if ref == "" {
		// The reference is random: a counter or a hash of the name would tell which parties are the same.
		ref = vault.NewRef()
	}
	sealed, err := f.Seal(who, place(p.v.CaseID, ref))
	if err != nil {
		return err
	}
	blind, err := tokens(f, p.v, who)
	if err != nil {
		return err
	}
	if _, err := s.put(p.v, ref, f.Version, sealed, blind); err != nil {
		return err
	}
	_, err = fmt.Fprintf(sh.Out, "Sealed who stands behind %s. The service keeps ciphertext alone.\n", p.v.Label)

	return err
}

const maxIdentity = 16 << 10

func (cmd *vaultSealCmd) identity(sh *shell, label string) (vault.Identity, error) {
	who := vault.Identity{V: 1}
	if cmd.From == "" {
		if sh.Secret == nil {
			return who, errors.New("there is no terminal to ask at: name a file with --from, or - for what is piped in")
		}
		// Not echoed, so that nobody reads it over a shoulder or in a recording.
		name, err := sh.Secret("Name behind " + label + ", not shown as you type: ")
		if err != nil {
			return who, fmt.Errorf("read name: %w", err)
		}
		who.Name = strings.TrimSpace(name)
	} else {
		in := sh.In
		if cmd.From != "-" {
			f, err := os.Open(cmd.From)
			if err != nil {
				return who, err
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		d := json.NewDecoder(io.LimitReader(in, maxIdentity))
		// A misspelt field would be left out of the identity without a word.
		d.DisallowUnknownFields()
		if err := d.Decode(&who); err != nil {
			return who, errors.New(`the identity is not a JSON object such as {"name":"…","aliases":["…"],"email":"…"}`)
		}
		who.V = 1
	}
	if vault.Normalised(who.Name) == "" {
		return who, errors.New("an identity needs a name")
	}

	return who, nil
}
