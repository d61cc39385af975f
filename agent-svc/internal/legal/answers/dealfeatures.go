package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// dealFeatures are what agreements and memos say of themselves. They are no points: the rubric weighs disputes.
type dealFeatures struct {
	amount  *casereading.Sum  // of the transaction; nil when no clause names one
	others  []casereading.Sum // that clauses call by a name of their own, the first few
	rivals  bool              // another sum is called as plainly that of the transaction
	parties []casereading.Label
	laws    []casereading.Place // sentences that choose a law
	dated   []casereading.Deadline
	running []casereading.Deadline // periods that run from an event
	duties  int
}

// transactionNames are words by which a clause calls the sum that a deal is about, the plainest first.
var transactionNames = [...]string{
	"purchase price", "merger consideration", "consideration", "loan", "principal", "commitment", "facility",
	"contract sum", "contract price", "license fee", "fee", "base rent", "rent", "salary", "base salary",
}

// dealOf reads what the files of a matter without a pleading say.
func dealOf(d *casereading.Dossier) dealFeatures {
	f := dealFeatures{parties: d.Parties()}
	f.amount = transaction(d)
	f.others, f.rivals = besides(d, f.amount), rivals(d, f.amount)

	for _, file := range d.Files {
		if file.Law.FileID != "" && !file.Law.Withheld {
			f.laws = append(f.laws, file.Law)
		}
		f.duties += len(file.Duties)
	}

	for _, x := range d.Deadlines {
		switch {
		case x.Moved:
		case x.HasDate:
			f.dated = append(f.dated, x)
		default:
			f.running = append(f.running, x)
		}
	}

	return f
}

// transaction returns the sum that the deal is about: the largest that a clause calls by the plainest of these names,
// else the largest payment; nil when no clause says. Caps, penalties and demands are none.
func transaction(d *casereading.Dossier) *casereading.Sum {
	var best *casereading.Sum
	least := len(transactionNames) + 1

	for i := range d.Sums {
		s := &d.Sums[i]
		switch s.Role {
		case facts.CapRole, facts.PenaltyRole, facts.DemandRole:
			continue
		}
		// "$100,000 of the Purchase Price" is a part, and often the only sum beside the name.
		if s.At.Withheld || partOf.MatchString(s.At.Quote) {
			continue
		}
		rank := nameRank(*s)
		if rank < least || rank == least && best != nil && s.Cents > best.Cents {
			best, least = s, rank
		}
	}

	return best
}

// partOf finds a sum that is a part of the one that a deal is about, "$100,000 of the Purchase Price".
var partOf = regexp.MustCompile(
	`(?i)\d (?:\w+ )?(?:of|from|out of) the (?:[a-z]+ )?(?:price|consideration|loan|principal|amount|sum)\b`,
)

// nameRank returns how plainly the name of a sum says that it is that of the deal; lower is plainer.
func nameRank(s casereading.Sum) int {
	// Lowered keeps the length, so places in one are places in the other.
	quote := facts.Lowered(s.At.Quote)

	for i, name := range transactionNames {
		stands := strings.Contains(quote, name)
		named := s.Name == name || i == 0 && stands
		if named && (!stands || pricedAt(s, quote, name)) {
			return i
		}
	}
	if s.Role == facts.PaymentRole {
		return len(transactionNames)
	}

	return len(transactionNames) + 1
}

// pricedAt reports whether a sum is the one of its sentence that a name belongs to: the sum that the name is given to
// in brackets, "$4 million (the “Purchase Price”)", else the first behind it.
func pricedAt(s casereading.Sum, quote, name string) bool {
	at := strings.Index(quote, name)
	var before, behind *facts.Amount

	for _, a := range facts.Amounts(s.At.Quote) {
		switch {
		case a.End <= at:
			before = &a
		case behind == nil:
			behind = &a
		}
	}
	// A defined name stands right behind its sum, in brackets.
	if before != nil && at-before.End < bracketReach && strings.Contains(s.At.Quote[before.End:at], "(") {
		return before.Cents == s.Cents
	}
	if behind == nil {
		return before != nil && before.Cents == s.Cents && !serves.MatchString(quote[before.End:at])
	}

	return behind.Cents == s.Cents
}

// serves finds words by which a sum is there for what follows, and is not it: "the loan of $9,000,000 for the purchase
// price".
var serves = regexp.MustCompile(`\b(?:for|towards?|against|from|to (?:pay|fund|finance))\b`)

const bracketReach = 40 // bytes from a sum to the name that brackets give it

// rivals reports whether another sum is called as plainly that of the deal.
func rivals(d *casereading.Dossier, best *casereading.Sum) bool {
	return best != nil && slices.ContainsFunc(d.Sums, func(s casereading.Sum) bool {
		named := s.Role != facts.CapRole && s.Role != facts.PenaltyRole && s.Role != facts.DemandRole
		return named && !partOf.MatchString(s.At.Quote) && nameRank(s) == nameRank(*best) && s.Cents != best.Cents
	})
}

const mostOthers = 8

// besides returns the sums beside that of the deal that clauses call by a name or a role.
func besides(d *casereading.Dossier, best *casereading.Sum) []casereading.Sum {
	var list []casereading.Sum

	for _, s := range d.Sums {
		told := s.Name != "" || s.Role != facts.OtherRole
		deal := best != nil && s.Cents == best.Cents
		if !told || deal || s.At.Withheld {
			continue
		}
		known := slices.ContainsFunc(list, func(o casereading.Sum) bool {
			return o.Cents == s.Cents && sumName(o) == sumName(s)
		})
		if !known && len(list) < mostOthers {
			list = append(list, s)
		}
	}

	return list
}

// text writes the features with their sources, and what is missing.
func (f dealFeatures) text(n *layout.Notes, clean func(string) bool) string {
	var b strings.Builder
	b.WriteString("**What the papers say of the matter**, beside the rubric\n\n")
	row := func(name, value string, places ...casereading.Place) {
		marks := ""
		for _, p := range places[:min(len(places), mostTriggerPlaces)] {
			marks += n.Mark(p.Sources()...)
		}
		// A line that is held back keeps its name and its sources.
		if line := fmt.Sprintf("- %s: %s%s\n", name, value, marks); clean(line) {
			b.WriteString(line)
		} else {
			fmt.Fprintf(&b, "- %s: not shown, since it could be read as an identity%s\n", name, marks)
		}
	}

	if f.amount != nil {
		doubt := ""
		if nameRank(*f.amount) >= len(transactionNames) {
			doubt = ", the largest payment: no clause calls it the price"
		}
		if f.rivals {
			doubt += ", the largest of several that are called so: which is meant must be settled"
		}
		row("Amount of the transaction", layout.Money(f.amount.Amount)+" ("+sumName(*f.amount)+doubt+")", f.amount.At)
	}

	for _, s := range f.others {
		row("Another sum", layout.Money(s.Amount)+" ("+sumName(s)+")", s.At)
	}
	if len(f.parties) > 0 {
		var names []string
		var places []casereading.Place

		for _, l := range f.parties {
			names, places = append(names, l.String()), append(places, l.At)
		}
		row("Parties", strings.Join(names, ", "), places...)
	}

	for _, law := range f.laws {
		row("Law that governs", layout.Sentence(law), law)
	}
	if len(f.dated)+len(f.running) > 0 {
		dated, running := wording.Counted(len(f.dated), "limit"), wording.Counted(len(f.running), "period")
		row("Time limits", dated+" with a day and "+running+" counted from an event; ask: List the deadlines",
			placesOf(f.dated, f.running)...)
	}
	if f.duties > 0 {
		row("Duties", wording.Count(f.duties, "sentence orders or promises", "sentences order or promise")+" something")
	}
	if missing := f.missing(); len(missing) > 0 {
		b.WriteString("- Not found: " + strings.Join(missing, ", ") + "\n")
	}

	return b.String() + "\n"
}

// missing names the features that no paper has.
func (f dealFeatures) missing() []string {
	var list []string
	add := func(when bool, what string) {
		if when {
			list = append(list, what)
		}
	}
	add(f.amount == nil, "an amount of the transaction")
	add(len(f.parties) < 2, "two parties")
	add(len(f.laws) == 0, "a choice of law")
	add(len(f.dated)+len(f.running) == 0, "time limits")

	return list
}

func placesOf(lists ...[]casereading.Deadline) []casereading.Place {
	var places []casereading.Place
	for _, x := range slices.Concat(lists...) {
		places = append(places, x.At)
	}

	return places
}
