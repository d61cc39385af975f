package authn

// Departure is a word about a member: that their access has ended, or that they have it.
type Departure struct {
	Name    string // of the member, as MemberName gives it
	Gone    bool
	Version int // of the record that says so; of two words about a member the one with the higher version is true
}
