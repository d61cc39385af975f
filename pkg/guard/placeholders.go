package guard

// placeholders takes the names of many whom nobody knows yet out of suspicion: "John Does 1-10", "Jane and John Does".
// One Jane Doe stays a person, since people are called so.
func (n *names) placeholders() {
	for i := 1; i < len(n.words); i++ {
		w := &n.words[i]
		if w.end-w.start != 4 || !w.has(capitalised) || n.lowered(i) != "does" {
			continue
		}

		for k := i - 1; k >= max(0, i-3) && placeholderWords.has(n.lowered(k)); k-- {
			if n.text[n.words[k].end:n.words[k+1].start] != " " {
				break
			}
			if n.words[k].has(capitalised) {
				n.words[k].shape = n.words[k].shape&^capitalised | quotedLaw
				w.shape = w.shape&^capitalised | quotedLaw
			}
		}
	}
}

var placeholderWords = setOf(`john jane and or`)
