// Package instant says which times are kept: what every store and the interface can give back unchanged.
package instant

import "time"

// Of cuts t to UTC and milliseconds. MongoDB keeps no more, and a hash or a comparison that covers a finer time would
// fail on what comes back.
func Of(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
