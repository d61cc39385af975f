package complexity

import (
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Features is what is known of a case. The zero value knows nothing.
type Features struct {
	Parties      Count // distinct labels or records
	Claims       Count // counts, causes of action, or contract issues raised
	Amount       Amount
	Pages        Count
	Authority    Count // distinct cases and statutes cited
	Forum        Marks
	Days         Count // to the nearest open deadline; below zero when it is past
	Type         Marks
	Stakes       Marks
	Coordination Marks
}

// Evidence says what a value rests on.
type Evidence struct {
	Basis   string // Given, Extracted or Computed
	Sources []api.SourceRef
}

// Count is a number, or unknown.
type Count struct {
	Known bool
	N     int
	Evidence
}

// Amount is a sum in US dollars, or unknown.
type Amount struct {
	Known bool
	Cents int64
	Evidence
}

// Marks is a set of things that a case has, or unknown. A known empty set says that there are none.
type Marks struct {
	Known bool
	Have  []Mark
}

// Mark is one thing that a case has. Detail may say which one, in words of ours.
type Mark struct {
	Kind   string
	Detail string
	Evidence
}

// Kinds of mark of the forum.
const (
	Federal     = "federal"
	State       = "state"
	Agency      = "agency"
	Tribal      = "tribal"
	Arbitration = "arbitration"
	Multiple    = "multiple" // more than one jurisdiction
	Foreign     = "foreign"  // foreign law or party
	NoForum     = "none"
)

// Kinds of mark of the type.
const (
	ClassOrMass = "class" // class action, multidistrict litigation or mass tort
	Provisional = "provisional"
	Injunction  = "injunction"
	Appeal      = "appeal"
	Expert      = "expert"
)

// Kinds of mark of the stakes: those of the case's own field.
const (
	Money       = "money"
	Reputation  = "reputation"
	Employment  = "employment"
	Housing     = "housing"
	Benefits    = "benefits"
	CivilRights = "civil_rights"
	Custody     = "custody"
	Immigration = "immigration"
	Liberty     = "liberty"
	Safety      = "safety"
)

// Kinds of mark of coordination.
const (
	Related     = "related"
	Witnesses   = "witnesses" // ten or more
	Criminal    = "criminal"  // a parallel criminal matter
	Translation = "translation"
)

func (m Marks) has(kind string) bool {
	return m.Known && slices.ContainsFunc(m.Have, func(x Mark) bool { return x.Kind == kind })
}

func (f Features) urgent() bool { return f.Days.Known && f.Days.N <= urgentDays }
