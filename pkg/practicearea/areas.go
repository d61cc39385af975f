// Package practicearea knows the areas of law by which cases and professionals are found: the top codes of LIST with
// their slugs, and the keys by which a code and all of its parents are looked up.
package practicearea

import (
	"regexp"
	"slices"
	"strings"
)

// Area is a top code of LIST, the vocabulary of areas of law as people meet them.
type Area struct{ Code, Slug, Label string }

var all = []Area{
	{"HO", "housing", "Housing"},
	{"FA", "family", "Family and safety"},
	{"MO", "money", "Money, debt and consumer"},
	{"BE", "benefits", "Public benefits"},
	{"BU", "business", "Small business and intellectual property"},
	{"CO", "courts", "Courts"},
	{"CR", "crime", "Crime"},
	{"DI", "disaster", "Disaster relief"},
	{"ED", "education", "Education"},
	{"EN", "environment", "Environmental justice"},
	{"ES", "estates", "Estates, wills and guardianship"},
	{"GO", "government", "Government services"},
	{"HE", "health", "Health"},
	{"IM", "immigration", "Immigration"},
	{"JU", "juvenile", "Juvenile"},
	{"NA", "native", "Native American and tribal"},
	{"RI", "rights", "Rights"},
	{"TO", "torts", "Torts and personal injury"},
	{"TR", "traffic", "Traffic"},
	{"VE", "veterans", "Veterans and military"},
	{"WO", "work", "Work"},
}

// finer are the labels that we have for codes below the top.
var finer = map[string]string{"HO-02-00-00-00": "Eviction"}

var (
	listCode   = regexp.MustCompile(`^[A-Z]{2}(-[0-9]{2}){4}$`)
	listPrefix = regexp.MustCompile(`^[A-Z]{2}(-[0-9]{2}){0,4}$`)
	saliCode   = regexp.MustCompile(`^(https?://[a-z0-9.-]{1,100}/)?[A-Za-z0-9_-]{1,100}$`)
	nsmiCode   = regexp.MustCompile(`^[0-9]{7}$`)
)

// All returns the top codes of LIST.
func All() []Area { return slices.Clone(all) }

func top(code string) (Area, bool) {
	i := slices.IndexFunc(all, func(a Area) bool { return strings.HasPrefix(code, a.Code) })
	if i < 0 {
		return Area{}, false
	}

	return all[i], true
}

// Valid reports whether code is one of scheme: LIST, SALI or NSMI.
func Valid(scheme, code string) bool {
	switch scheme {
	case "LIST":
		_, known := top(code)
		return known && listCode.MatchString(code)
	case "SALI":
		return saliCode.MatchString(code)
	case "NSMI":
		return nsmiCode.MatchString(code)
	}

	return false
}

// Names returns what our vocabulary calls a LIST code, the broadest name first; none for what it does not know.
func Names(scheme, code string) []string {
	a, known := top(code)
	if scheme != "LIST" || !known {
		return nil
	}
	names := []string{a.Label}
	if label, ok := finer[code]; ok {
		names = append(names, label)
	}

	return names
}

// Label returns the finest of Names, or "".
func Label(scheme, code string) string {
	names := Names(scheme, code)
	if len(names) == 0 {
		return ""
	}

	return names[len(names)-1]
}

// Key turns what a list is filtered by (a LIST code, a prefix of one, or a slug such as housing) into a key of Keys; ok
// is false for anything else.
func Key(filter string) (key string, ok bool) {
	if i := slices.IndexFunc(all, func(a Area) bool { return a.Slug == filter }); i >= 0 {
		return all[i].Code, true
	}
	if _, known := top(filter); !known || !listPrefix.MatchString(filter) {
		return "", false
	}

	return trim(filter), true
}

// trim drops the levels of a LIST code that say nothing, so that a parent is a prefix of its children.
func trim(code string) string {
	for strings.HasSuffix(code, "-00") {
		code = strings.TrimSuffix(code, "-00")
	}

	return code
}

// Keys returns the keys by which a code is found, the broadest first: each level of a LIST code, and other codes whole.
func Keys(scheme, code string) []string {
	if scheme != "LIST" {
		return []string{scheme + " " + code}
	}
	code = trim(code)

	var keys []string
	for i := 2; i <= len(code); i += 3 {
		keys = append(keys, code[:i])
	}

	return keys
}
