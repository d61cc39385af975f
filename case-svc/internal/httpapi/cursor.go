package httpapi

// list names a list for its cursors: what all pages of it have in common.
type list struct {
	Route  string
	Tenant string
	Scope  string // the case, of a list of files
	Query  any    // filter and order
}
