package e2e_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

// overhear asks, among the settings of a world, that the queries of its services are held against the shard keys. Those
// worlds ask for it that call everything, and those in which much ends: to listen costs time.
const overhear = "TEST_OVERHEAR"

// How often a query that asks every shard is made: see docs/operations.md.
const (
	sweep  = "by the sweep of the service, never for a caller"
	often  = "by each gateway, every 30 s"
	person = "when a person looks at it"
	ending = "when a person looks at it, and when an agent or a member ends"
	rarely = "when the owner of a case looks at it"
)

// scattered are the queries that do not name the shard key of their collection: on a cluster they ask every shard. All
// of them read. They are named by service, collection and the fields that they ask for.
var scattered = map[string]string{
	"AUTH.ended by at":                                often,
	"AUTH.grants by state":                            sweep,
	"AUTH.grants by state, removableAt":               sweep,
	"AUTH.grants by tenant, userId, state, expiresAt": ending,
	"AUTH.keys by tenant, agentId":                    ending,
	"AUTH.keys by tenant, userId":                     ending,
	"AUTH.members by state":                           sweep,
	"AUTH.members by untold":                          sweep,
	"AUTH.oauth_clients by neededTo":                  sweep,
	"AUTH.retired_keys by endedAt":                    sweep,
	"AUTH.vouchers by nothing":                        sweep,

	"CASE.cases by purgeAt, retention.legalHold":                                    sweep,
	"CASE.entries by status, dueOn":                                                 sweep,
	"CASE.files by deidCheck.status, deidCheck.detectorVersion, status":             sweep,
	"CASE.files by mediaType, _id":                                                  sweep,
	"CASE.files by mediaType, phaseId, deidCheck.status, original, triedBy, status": sweep,
	"CASE.files by original.placed, original.at":                                    sweep,
	"CASE.files by original.placed, original.at, triedBy, status":                   sweep,
	"CASE.files by status, deletedAt":                                               sweep,
	"CASE.grants by caseTenant, caseId":                                             rarely,
	"CASE.intents by expiresAt":                                                     sweep,
	"CASE.phases by open, since":                                                    sweep,
	"CASE.phases by status, since":                                                  sweep,
	"CASE.previews by expiresAt":                                                    sweep,
	"CASE.settings by archives":                                                     sweep,
	"CASE.tasks by containerId, statusAt":                                           sweep,
	"CASE.tasks by state, statusAt":                                                 sweep,
	"CASE.uploads by decided, createdAt":                                            sweep,

	"PARTY.addresses by userId":    person,
	"PARTY.firm_keys by examineAt": sweep,
	"PARTY.intents by expiresAt":   sweep,
	"PARTY.invites by dueAt":       sweep,
	"PARTY.notices by dueAt":       sweep,

	"REGISTRY.connections by active, at": sweep,
	"REGISTRY.disconnections by at":      sweep,
}

// known reports whether a query that asks every shard is one of those that are named. All that is asked of the audit
// trail is: its events are spread by their number.
func known(name, query string) bool {
	_, asked, _ := strings.Cut(query, ".")
	return name == "find" && (scattered[query] != "" || strings.HasPrefix(asked, "audit by tenant, seq"))
}

var shardCommand = regexp.MustCompile(`(?m)^sh\.shardCollection\("db\.([^"]+)", \{"(tenant|_id|files_id)": 1`)

// shardKeys returns the first field of the shard key of each collection of each service, by the setting that names the
// service's database.
var shardKeys = sync.OnceValues(func() (map[string]map[string]string, error) {
	all := map[string]map[string]string{}

	for setting, entry := range map[string]launch.Entry{
		"AUTH_DATABASE": authsvc.Entry(), "REGISTRY_DATABASE": registrysvc.Entry(),
		"CASE_DATABASE": casesvc.Entry(), "PARTY_DATABASE": partysvc.Entry(),
	} {
		script, err := entry.Shards("db")
		if err != nil {
			return nil, err
		}

		all[setting] = map[string]string{}
		for _, line := range shardCommand.FindAllStringSubmatch(script, -1) {
			all[setting][line[1]] = line[2]
		}
	}

	return all, nil
})

// auditor holds the queries of a world's services against the shard keys of their collections.
type auditor struct {
	databases map[string]string // to the setting that names it

	mu  sync.Mutex
	odd map[string]bool // queries without a shard key
	all int             // queries of services
}

func (a *auditor) note(query string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.odd[query] = true
}

// overheard returns the address of a MongoDB by way of an auditor, which fails the test at its end for each query that
// carries neither the shard key of its collection nor is a known exception.
func overheard(t *testing.T, uri string, environ map[string]string) string {
	t.Helper()
	a := &auditor{databases: map[string]string{}, odd: map[string]bool{}}

	for setting, name := range environ {
		if strings.HasSuffix(setting, "_DATABASE") {
			a.databases[name] = setting
		}
	}
	keys, err := shardKeys()
	if err != nil {
		t.Fatal(err)
	}

	link := stores.Overhear(t, uri, func(c stores.Command) { a.hear(c, keys) })
	t.Cleanup(func() {
		a.mu.Lock()
		defer a.mu.Unlock()

		for _, query := range slices.Sorted(maps.Keys(a.odd)) {
			t.Errorf("a query asks every shard: %s", query)
		}
		if a.all == 0 {
			t.Error("no query of a service was heard")
		}
	})

	return link.URL()
}

func (a *auditor) hear(c stores.Command, keys map[string]map[string]string) {
	setting := a.databases[c.Database]
	if setting == "" {
		return // not one of a service's
	}

	a.mu.Lock()
	a.all += len(c.Filters)
	a.mu.Unlock()

	for _, filter := range c.Filters {
		key := keys[setting][c.Collection]
		service := strings.TrimSuffix(setting, "_DATABASE")
		query := fmt.Sprintf("%s.%s by %s", service, c.Collection, fields(filter))

		if key == "" || !carries(filter, key) && !known(c.Name, query) {
			a.note(c.Name + " " + query)
		}
	}
}

// carries reports whether a filter says which values the field may have.
func carries(filter bson.Raw, field string) bool {
	value, err := filter.LookupErr(field)
	if err != nil {
		return false
	}
	condition, ok := value.DocumentOK()
	if !ok {
		return true
	}

	for _, bound := range []string{"$eq", "$in", "$gt", "$gte"} {
		if _, err := condition.LookupErr(bound); err == nil {
			return field != "tenant" || bound == "$eq" || bound == "$in" // a range of tenants is no tenant
		}
	}

	return false
}

// fields names the fields of a filter, in their order.
func fields(filter bson.Raw) string {
	elements, _ := filter.Elements()

	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = e.Key()
	}
	if len(names) == 0 {
		return "nothing"
	}

	return strings.Join(names, ", ")
}
