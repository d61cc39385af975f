package legal

import (
	"context"
	"slices"
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Clearing returns a gate for one run, which lets pass what gate does and the words that people have cleared in the
// files of its case. It counts where an answer quotes these files, to the reader or to a language model. What a run
// writes elsewhere, into the timeline or a draft, is judged by those who keep it, so there gate alone decides. The
// words are asked for once, when something is found first; where nobody can say then what is cleared, nothing is.
func Clearing(gate guard.Gate, sources Sources) guard.Gate {
	if sources == nil {
		return gate
	}
	var mu sync.Mutex
	var words guard.Lexicon

	return clearing{gate, guard.Allowing{Gate: gate, Words: func(ctx context.Context) guard.Lexicon {
		mu.Lock()
		defer mu.Unlock()
		if words == nil {
			list, err := sources.Cleared(ctx)
			if err != nil {
				list = nil
			}
			words = guard.NewLexicon(list)
		}

		return words
	}}}
}

type clearing struct {
	gate    guard.Gate
	cleared guard.Gate
}

// quoting are the channels by which a run says what stands in files.
var quoting = []guard.Channel{guard.Event, guard.ModelIn, guard.ModelOut}

// Check judges by what is cleared where files are quoted.
func (c clearing) Check(ctx context.Context, channel guard.Channel, text string) []guard.Finding {
	if slices.Contains(quoting, channel) {
		return c.cleared.Check(ctx, channel, text)
	}

	return c.gate.Check(ctx, channel, text)
}
