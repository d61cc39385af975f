package lookuptool

import (
	"strconv"
	"strings"
)

// place is where a list goes on: a page of the service, and how many of its items the caller has. The service's own
// cursor is sealed by it, so this one needs no seal.
type place struct {
	cursor string // of the service, "" for its first page
	size   int    // records of a page, 0 for as many as the call asks for
	skip   int    // items of the page that went out before
}

// String writes a place as a cursor.
func (p place) String() string {
	return strconv.Itoa(p.size) + "." + strconv.Itoa(p.skip) + "." + p.cursor
}

const mostSkipped = 100_000

// placeOf reads a cursor; an empty one is the beginning.
func placeOf(cursor string) (p place, ok bool) {
	if cursor == "" {
		return place{}, true
	}
	size, rest, _ := strings.Cut(cursor, ".")
	skip, rest, ok := strings.Cut(rest, ".")
	if !ok {
		return place{}, false
	}
	var err, err2 error
	p.size, err = strconv.Atoi(size)
	p.skip, err2 = strconv.Atoi(skip)
	p.cursor = rest
	if err != nil || err2 != nil {
		return p, false
	}

	// Whoever makes a cursor up must not make us count further than any page goes.
	return p, upTo(p.size, mostItems) && upTo(p.skip, mostSkipped)
}

// upTo says whether n is a count of at most most.
func upTo(n, most int) bool { return n >= 0 && n <= most }
