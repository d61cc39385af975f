package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type partyCmd struct {
	Add    partyAddCmd    `cmd:"" help:"Add a party to a case, by label."`
	List   partyListCmd   `cmd:"" help:"List parties."`
	Show   partyShowCmd   `cmd:"" help:"Show a party."`
	Update partyUpdateCmd `cmd:"" help:"Change a party; what is not named stays as it is."`
}

// partyFields are the fields of a party besides kind and role.
type partyFields struct {
	Side           string   `help:"Side: ${enum}." enum:",ours,adverse,neutral,unknown" default:""`
	Client         string   `help:"Whether it is the client: yes or no." enum:",yes,no" default:""`
	Representation string   `help:"Represented by: ${enum}." enum:",this_firm,other_counsel,self,unknown" default:""`
	EntityType     string   `name:"entity-type" help:"Form of an organization: ${enum}." enum:",${entityTypes}" default:""`
	AgeBand        string   `name:"age-band" help:"Age, coarsely: ${enum}." enum:",minor,18_29,30_44,45_64,65_plus" default:""`
	Residence      string   `help:"ISO 3166 code, such as US-CA." placeholder:"CODE"`
	Languages      []string `help:"Up to three languages, such as en." placeholder:"TAG"`
	Interpreter    string   `help:"Whether an interpreter is needed: yes or no." enum:",yes,no" default:""`
	Notes          string   `help:"Notes, by label." placeholder:"TEXT"`
	Set            string   `help:"Further fields as a JSON object, or @FILE that holds one." placeholder:"JSON"`
}

func (p *partyFields) into(f fields) error {
	f.text("side", p.Side)
	f.text("representation", p.Representation)
	f.text("notes", p.Notes)
	f.decided("isClient", p.Client)
	about, ok := f["attributes"].(fields)
	if !ok {
		about = fields{}
	}
	about.text("entityType", p.EntityType)
	about.text("ageBand", p.AgeBand)
	about.text("residence", p.Residence)
	about.texts("languages", p.Languages)
	about.decided("needsInterpreter", p.Interpreter)
	f.part("attributes", about)

	return f.merged(p.Set)
}

type partyAddCmd struct {
	Case        string `arg:"" help:"Id of the case."`
	Role        string `required:"" help:"Role, such as plaintiff, defendant, witness or employer." placeholder:"ROLE"`
	Kind        string `help:"Kind: ${enum}." enum:"${partyKinds}" default:"unknown"`
	Label       string `help:"Label, such as [Org 2]. Default: the next [Party n]." placeholder:"LABEL"`
	Key         string `name:"idempotency-key" help:"Makes the command safe to repeat for 24 hours." placeholder:"KEY"`
	partyFields `embed:""`
}

// Run adds a party.
func (cmd *partyAddCmd) Run(sh *shell) error {
	in := fields{"caseId": cmd.Case, "role": cmd.Role, "kind": cmd.Kind}
	in.text("label", cmd.Label)
	if err := cmd.into(in); err != nil {
		return err
	}

	return one(sh, httpcall.Request{Method: http.MethodPost, Path: "/v1/parties", In: in, Header: idempotent(cmd.Key)},
		func(w io.Writer, p api.Party) {
			fmt.Fprintf(w, "Added %s as party %s: %s, %s\n", p.Label, p.PartyID, p.Role, p.Side)
		})
}

type partyListCmd struct {
	Case   string `arg:"" optional:"" help:"Id of the case; without it the parties of every case that you may read."`
	Query  string `short:"q" help:"Words of label and notes." placeholder:"TEXT"`
	Role   string `help:"Role." placeholder:"ROLE"`
	Side   string `help:"Side: ${enum}." enum:",ours,adverse,neutral,unknown" default:""`
	Status string `help:"Status: ${enum}." enum:",active,dismissed,withdrawn,merged" default:""`
	Client string `help:"Clients only, or all others: yes or no." enum:",yes,no" default:""`
	paging `embed:""`
}

// Run lists parties.
func (cmd *partyListCmd) Run(sh *shell) error {
	q := url.Values{}
	for name, value := range map[string]string{
		"caseId": cmd.Case,
		"q":      cmd.Query,
		"role":   cmd.Role,
		"side":   cmd.Side,
		"status": cmd.Status,
	} {
		params(q).text(name, value)
	}
	params(q).decided("isClient", cmd.Client)
	c, err := sh.caller()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, "/v1/parties", q, partyRows)
}

func partyRows(w io.Writer, parties []api.Party) {
	table(w, []string{"PARTY", "LABEL", "KIND", "ROLE", "SIDE", "CLIENT", "STATUS"}, func(row func(...any)) {
		for _, p := range parties {
			client := ""
			if p.IsClient {
				client = "client"
			}
			row(p.PartyID, p.Label, p.Kind, p.Role, p.Side, client, p.Status)
		}
	})
}

type partyShowCmd struct {
	Party string `arg:"" help:"Id of the party."`
}

// Run shows a party.
func (cmd *partyShowCmd) Run(sh *shell) error {
	return one(sh, get("v1", "parties", cmd.Party), func(w io.Writer, p api.Party) {
		sealed := ""
		if p.Sealed != nil {
			sealed = "in your browser only"
		}
		sheet(w,
			"party", p.PartyID,
			"case", p.CaseID,
			"label", p.Label,
			"kind", p.Kind,
			"role", p.Role,
			"side", p.Side,
			"client", yes(p.IsClient),
			"represented by", p.Representation,
			"entity", p.Attributes.EntityType,
			"age", p.Attributes.AgeBand,
			"residence", p.Attributes.Residence,
			"languages", strings.Join(p.Attributes.Languages, ", "),
			"identity", sealed,
			"notes", p.Notes,
			"status", p.Status,
			"merged into", p.MergedIntoPartyID,
			"joined", p.JoinedOn,
			"left", p.LeftOn,
			"version", p.Version,
			"changed", local(p.UpdatedAt))
	})
}

func yes(is bool) string {
	if is {
		return "yes"
	}

	return "no"
}

type partyUpdateCmd struct {
	Party       string `arg:"" help:"Id of the party."`
	Role        string `help:"Role." placeholder:"ROLE"`
	Kind        string `help:"Kind: ${enum}." enum:",${partyKinds}" default:""`
	Status      string `help:"Status: ${enum}; leaving is a status." enum:",active,dismissed,withdrawn,merged" default:""`
	MergedInto  string `name:"merged-into" help:"With --status merged: the party it was merged into." placeholder:"PARTY"`
	JoinedOn    string `name:"joined-on" help:"Since when it takes part." placeholder:"DATE"`
	LeftOn      string `name:"left-on" help:"Until when it took part." placeholder:"DATE"`
	partyFields `embed:""`
}

// Run reads a party, changes what was named and puts it back, unless somebody else was faster.
func (cmd *partyUpdateCmd) Run(sh *shell) error {
	named := fields{}
	if err := cmd.onto(named); err != nil {
		return err
	}
	if len(named) == 0 {
		return &misuse{"say what to change, for example: subrosa party update PARTY --side adverse"}
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}
	path := httpcall.Path("v1", "parties", cmd.Party)
	was, err := call[api.Party](sh, c, httpcall.Request{Method: http.MethodGet, Path: path})
	if err != nil {
		return err
	}
	in, err := writable(was.v)
	if err != nil {
		return err
	}
	// PUT replaces the whole party, so the fields as they are go along with the ones to change.
	before, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if err := cmd.onto(in); err != nil {
		return err
	}
	// encoding/json sorts the keys of a map, so equal texts mean that nothing was changed.
	if after, err := json.Marshal(in); err != nil || string(after) == string(before) {
		return errors.Join(err, errors.New("the party is like that already; nothing was changed"))
	}
	a, err := call[api.Party](
		sh,
		c,
		httpcall.Request{Method: http.MethodPut, Path: path, In: in, Header: match(was.v.Version)},
	)
	if err != nil {
		return err
	}

	return show(sh, a, func(w io.Writer, p api.Party) {
		fmt.Fprintf(w, "Changed %s, party %s: %s, %s, %s\n", p.Label, p.PartyID, p.Role, p.Side, p.Status)
	})
}

// onto puts what was named over a party.
func (cmd *partyUpdateCmd) onto(in fields) error {
	for name, value := range map[string]string{
		"role":              cmd.Role,
		"kind":              cmd.Kind,
		"status":            cmd.Status,
		"mergedIntoPartyId": cmd.MergedInto,
		"joinedOn":          cmd.JoinedOn,
		"leftOn":            cmd.LeftOn,
	} {
		in.text(name, value)
	}

	return cmd.into(in)
}

// writable is the part of a party that PUT replaces. The browser's own fields are left out: absent they keep what is
// stored.
func writable(p api.Party) (fields, error) {
	text, err := json.Marshal(p.Attributes)
	if err != nil {
		return nil, err
	}
	about := fields{}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, err
	}
	f := fields{
		"kind":           p.Kind,
		"role":           p.Role,
		"side":           p.Side,
		"isClient":       p.IsClient,
		"representation": p.Representation,
		"status":         p.Status,
	}
	f.text("notes", p.Notes)
	f.text("mergedIntoPartyId", p.MergedIntoPartyID)
	f.text("joinedOn", p.JoinedOn)
	f.text("leftOn", p.LeftOn)
	f.part("attributes", about)

	return f, nil
}
