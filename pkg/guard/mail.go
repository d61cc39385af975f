package guard

import "strings"

// contacts finds what the shapes of mail addresses miss: addresses with the signs spelt out, handles, and the pages of
// people.
type contacts struct {
	text  string
	found []span
}

// signs are the bytes at which such an address is known.
var signs = stopsAt(func(c byte) bool { return strings.IndexByte("@:aA([{<wW", c) >= 0 })

func (c *contacts) scan() {
	for i := signs.after(c.text, 0); i < len(c.text); i = signs.after(c.text, i+1) {
		switch b := c.text[i]; {
		case b == '@':
			i = max(i, c.handle(i)-1)
		case b == ':' && strings.HasPrefix(c.text[i:], "://"):
			i = max(i, c.page(i)-1)
		case b|0x20 == 'a' && (i+1 == len(c.text) || c.text[i+1]|0x20 != 't'): // most words
		case strings.IndexByte("aA([{<", b) >= 0 && (i == 0 || !alphanumeric(c.text[i-1])):
			i = max(i, c.spelt(i)-1)
		case b|0x20 == 'w' && c.barePage(i):
			i = max(i, c.page(i)-1)
		}
	}
}

// barePage reports whether the address of a page without its protocol begins at byte i: "www.".
func (c *contacts) barePage(i int) bool {
	const start = "www."
	if i > 0 && wordByte(c.text[i-1]) {
		return false
	}

	return len(c.text) > i+len(start) && strings.EqualFold(c.text[i:i+len(start)], start)
}

// handle reads "@name" with nothing before the sign.
func (c *contacts) handle(i int) int {
	if i > 0 && (wordByte(c.text[i-1]) || strings.IndexByte("._-+", c.text[i-1]) >= 0) {
		return i
	}

	end := i + 1
	for end < len(c.text) && (alphanumeric(c.text[end]) || strings.IndexByte("_.-", c.text[end]) >= 0) {
		end++
	}

	for c.text[end-1] == '.' || c.text[end-1] == '-' {
		end-- // of the sentence
	}
	name := c.text[i+1 : end]
	// "@param" and "@media" are words of programs.
	if len(name) < 3 || known(name) != 0 && known(name)&ordinaryWord != 0 {
		return i
	}
	c.found = append(c.found, span{i, end, kindURL, ruleHandle})

	return end
}

// networks are sites whose pages are people's, whole or by the name before their last label.
var networks = setOf(`linkedin facebook fb.com twitter x.com instagram tiktok github threads.net t.me vk.com xing wa.me
	snapchat pinterest mastodon bsky.app`)

// onNetwork reports whether an address in lower case is that of a page on a network of people.
func onNetwork(address string) bool {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, path, _ := strings.Cut(address, "/")
	labels := strings.Split(host, ".")
	if path == "" || len(labels) < 2 {
		return false
	}
	name, top := labels[len(labels)-2], labels[len(labels)-1]

	return networks.has(name) || networks.has(name+"."+top)
}

// page reads the address of a page and notes it when it is a person's: on a network of people, with a name or mail
// address in it.
func (c *contacts) page(i int) int {
	end := i
	for end < len(c.text) && c.text[end] > ' ' && strings.IndexByte("\"<>)]", c.text[end]) < 0 {
		end++
	}
	s := strings.ToLower(c.text[i:end])
	// The pages below "/~name" are those of a user.
	if !strings.Contains(s, "/~") && strings.IndexByte(s, '@') <= 0 && !onNetwork(s) {
		return end
	}

	start := i
	for start > 0 && alphanumeric(c.text[start-1]) {
		start--
	}
	c.found = append(c.found, span{start, end, kindURL, ruleURL})

	return end
}

// spelt reads "jane at example dot com" and "jane [at] example.com" around the sign at byte i.
func (c *contacts) spelt(i int) int {
	width := signWidth(c.text[i:], "at")
	if width == 0 {
		return i
	}
	bare := width == 2

	start := i
	for start > 0 && c.text[start-1] == ' ' && i-start < 2 {
		start--
	}
	if bare && start == i {
		return i
	}

	name := start
	for name > 0 && start-name < longestMailbox && mailboxByte(c.text[name-1]) {
		name--
	}
	end, dots, spelt := c.host(i + width)
	// "at" is everywhere: without brackets it counts only if the dot is spelt out too.
	if name == start || dots == 0 || bare && !spelt {
		return i
	}
	c.found = append(c.found, span{name, end, kindEmail, ruleMail})

	return end
}

func mailboxByte(c byte) bool { return alphanumeric(c) || strings.IndexByte("._-+", c) >= 0 }

// host reads a host name whose dots may be spelt out, and returns its end and how many dots it has.
func (c *contacts) host(i int) (end, dots int, spelt bool) {
	for {
		at := i
		for at < len(c.text) && c.text[at] == ' ' && at-i < 2 {
			at++
		}

		part := at
		for part < len(c.text) && (alphanumeric(c.text[part]) || c.text[part] == '-') {
			part++
		}
		if part == at {
			return end, max(0, dots-1), spelt
		}
		end = part
		if part < len(c.text) && c.text[part] == '.' && part+1 < len(c.text) && alphanumeric(c.text[part+1]) {
			dots++
			i = part + 1

			continue
		}

		sign := part
		for sign < len(c.text) && c.text[sign] == ' ' && sign-part < 2 {
			sign++
		}
		width := 0
		if sign < len(c.text) {
			width = signWidth(c.text[sign:], "dot")
		}
		if width == 0 {
			return end, dots, spelt
		}
		spelt = true
		dots++
		i = sign + width
	}
}

// signWidth returns the width of a sign spelt out at the start of s, bare or in brackets, 0 where there is none.
func signWidth(s, sign string) int {
	if len(s) >= len(sign) && strings.EqualFold(s[:len(sign)], sign) {
		if len(s) == len(sign) || !wordByte(s[len(sign)]) {
			return len(sign)
		}
	}
	if len(s) < len(sign)+2 || strings.IndexByte("([{<", s[0]) < 0 {
		return 0
	}
	inner := strings.TrimLeft(s[1:min(len(s), len(sign)+4)], " ")
	if len(inner) < len(sign) || !strings.EqualFold(inner[:len(sign)], sign) {
		return 0
	}
	width := strings.IndexAny(s, ")]}>")
	if width < 0 || width > len(sign)+4 {
		return 0
	}

	return width + 1
}
