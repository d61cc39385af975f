package runs

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
	"pgregory.net/rapid"
)

func TestChunksAddUpAndSplitNothing(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom([]string{"[Party 1]", "[Witness 9999]", "[sic]", "[", "]", "\n\n", "\n", " ", ". ", "§", "é", "\U0001F600"}), rapid.StringMatching(`[a-z ]{1,300}`))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 200).Draw(t, "pieces"), "")
		var joined strings.Builder
		labels := 0

		for i, chunk := range chunks(text) {
			if chunk == "" || len(chunk) > maxChunk || !utf8.ValidString(chunk) {
				t.Fatalf("chunk %d has %d bytes, valid %v", i, len(chunk), utf8.ValidString(chunk))
			}

			for at := 0; at < len(chunk); {
				if _, width, ok := label.At(chunk, at); ok {
					labels++
					at += width

					continue
				}
				at++
			}
			joined.WriteString(chunk)
		}
		if joined.String() != text {
			t.Fatalf("the chunks add up to %d bytes, want %d", joined.Len(), len(text))
		}
		whole := 0

		for at := 0; at < len(text); {
			if _, width, ok := label.At(text, at); ok {
				whole++
				at += width

				continue
			}
			at++
		}
		if labels != whole {
			t.Fatalf("%d of %d labels came through whole", labels, whole)
		}
	})
}
