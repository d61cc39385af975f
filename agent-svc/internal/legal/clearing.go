package legal

import (
	"context"
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Clearing returns a gate for one run, which lets pass what gate does and the words that people have cleared in the
// files of its case. What a run writes from these files is judged likewise by those who keep it. The words are asked
// for once, when something is found first; where nobody can say then what is cleared, nothing is.
func Clearing(gate guard.Gate, sources Sources) guard.Gate {
	if sources == nil {
		return gate
	}
	var mu sync.Mutex
	var words guard.Lexicon

	return guard.Allowing{Gate: gate, Words: func(ctx context.Context) guard.Lexicon {
		mu.Lock()
		defer mu.Unlock()
		if words == nil {
			list, err := sources.Cleared(ctx)
			if err != nil {
				// When nobody can say what is cleared, nothing is. The gate then errs on the side of holding back.
				list = nil
			}
			words = guard.NewLexicon(list)
		}

		return words
	}}
}
