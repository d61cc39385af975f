package timeline

import (
	"context"
	"errors"
	"sort"
	"strconv"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// cited is a source with the path by which its sender knows it.
type cited struct {
	path   string
	source *Source
}

func citations(all []Entry, path func(int) string) []cited {
	var list []cited

	for i := range all {
		e := &all[i]
		for n := range e.Sources {
			list = append(list, cited{path(i) + "sources[" + strconv.Itoa(n) + "]", &e.Sources[n]})
		}
		if d := e.Deadline; d != nil && d.Computation != nil && d.Computation.TriggerSource != nil {
			list = append(list, cited{path(i) + "computation.triggerSource", d.Computation.TriggerSource})
		}
	}

	return list
}

// maxTexts bounds the files that the sources of one call may lie in: each of their texts is read whole.
const maxTexts = 50

// quoted refuses sources that do not say what they quote, and sets their pages. Texts are read one after the other,
// each once.
func (s *Service) quoted(
	ctx context.Context, box phases.Container, forAgents bool, all []Entry, path func(int) string,
) error {
	list := citations(all, path)
	type text struct {
		fileID  string
		version int
	}
	by := map[text][]cited{}
	var order []text

	for _, c := range list {
		key := text{c.source.FileID, c.source.TextVersion}
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], c)
	}
	var f validate.List

	switch {
	case len(list) == 0:
		return nil
	case box.Type != phases.CaseContainer:
		f.Add(list[0].path, "must not be given: only a case has files")
		return f.Err()
	case len(order) > maxTexts:
		f.Add(list[0].path, "must not lie in more than 50 files in one call")
		return f.Err()
	}

	for _, key := range order {
		_, t, err := s.Sources.Read(ctx, box.Tenant, box.ID, key.fileID, key.version, forAgents)
		if err != nil && !errors.Is(err, files.ErrNotFound) {
			return err
		}

		runes := []rune(t.Body)
		for _, c := range by[key] {
			if !passages.Says(runes, c.source.Start, c.source.End, c.source.Quote) {
				f.Add(c.path, "must quote what the text of this version of a file of the case says between the offsets")
				continue
			}
			c.source.Quote, c.source.Page = search.Fold(c.source.Quote), pageAt(t.PageStarts, c.source.Start)
		}
	}

	return f.Err()
}

// pageAt returns the page on which a code point stands, from 1; 0 when the text has no pages.
func pageAt(starts []int, at int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > at })
}
