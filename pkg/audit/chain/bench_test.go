package chain_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// BenchmarkAppend measures one appender of one tenant on the best store there is; on the embedded one it says little of a
// real MongoDB.
func BenchmarkAppend(b *testing.B) {
	c := newChain(stores.Mongo(b))
	for b.Loop() {
		if _, err := c.Append(b.Context(), "o:firm", event("case.update", "c")); err != nil {
			b.Fatal(err)
		}
	}
}
