package rendition

// Origin returns the part that bytes from to to of the rendition come from, and the bytes of the part: where they
// come from several, those of the first. It reports false when all of them are marks of the rendition.
func (r Rendition) Origin(from, to int) (path string, start, end int, ok bool) {
	for _, p := range r.pieces {
		last := p.at + p.to - p.from
		if last <= from || p.at >= to || ok && p.path != path {
			continue
		}
		if !ok {
			path, start, ok = p.path, p.from+max(0, from-p.at), true
		}
		end = p.from + min(to, last) - p.at
	}

	return path, start, end, ok
}
