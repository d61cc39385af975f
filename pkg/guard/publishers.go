package guard

// Public licences and standards name the body that publishes them, which is no party: "version 2 of the License as
// published by the Free Software Foundation".

// publishers takes those bodies out of suspicion where a text speaks of a licence or a standard.
func (n *names) publishers() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised) || !publisherStarts.has(n.lowered(i)) {
			continue // most words
		}
		end := n.publisherEnd(i)
		if end == 0 || !n.publishes(i, end) {
			continue
		}
		if end+1 < len(n.words) && n.gap(end-1) == "," && n.lowered(end) == "inc" {
			end++
		}

		for k := i; k < end; k++ {
			n.words[k].shape = n.words[k].shape&^capitalised | quotedLaw
		}
	}
}

// publisherEnd returns the end of the longest name of a publisher that begins with word i, 0 for none.
func (n *names) publisherEnd(i int) (end int) {
	name := n.lowered(i)
	if publicationBodies.has(name) {
		end = i + 1
	}

	for k := i + 1; k < min(len(n.words), i+longestPublisher) && n.words[k].has(joined); k++ {
		name += "-" + n.lowered(k)
		if publicationBodies.has(name) {
			end = k + 1
		}
	}

	return end
}

// publishes reports whether a licence or a standard is spoken of near the words from first to end.
func (n *names) publishes(first, end int) bool {
	for k := max(0, first-publisherReach); k < min(len(n.words), end+publisherReach); k++ {
		if publications.has(n.lowered(k)) {
			return true
		}
	}

	return false
}

// longestPublisher is how many words such a name has at most, and publisherReach how far before and behind it what it
// publishes is spoken of, in words.
const (
	longestPublisher = 5
	publisherReach   = 40
)

var (
	publications = setOf(`license licenses licence licences licensed licensing gpl lgpl agpl copyleft copyright
		copyrighted standard standards
		specification specifications`)
	publisherStarts = setOf(`free creative apache mozilla python open linux eclipse netscape internet ietf sil perl
		document world unicode gnu software freebsd`)
	publicationBodies = setOf(`free-software-foundation creative-commons creative-commons-corporation
		apache-software-foundation mozilla-foundation mozilla-corporation python-software-foundation
		open-source-initiative open-software-foundation open-knowledge-foundation open-knowledge-foundation-ltd
		open-data-commons linux-foundation eclipse-foundation netscape netscape-communications-corporation
		internet-society internet-engineering-task-force ietf-trust sil-international perl-foundation
		document-foundation world-wide-web-consortium unicode-consortium unicode gnu-project
		software-freedom-conservancy software-freedom-law-center freebsd-foundation`)
)
