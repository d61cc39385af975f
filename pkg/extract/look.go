package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// look is what a tag says about the looks of what is in its element.
type look struct {
	unseen bool   // no reader sees it
	white  bool   // its letters have the colour of paper
	ground bool   // there is a coloured ground
	list   string // how a list counts; empty when it does not say
}

// lookOf reads a tag. What a style sheet makes of it is not known here.
func lookOf(t html.Token) look {
	var l look

	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Noembed, atom.Noframes, atom.Object, atom.Iframe, atom.Datalist:
		l.unseen = true
	case atom.Template:
		l.unseen = !shadow(t)
	}

	for _, a := range t.Attr {
		value := a.Val
		if a.Key == "style" {
			value = plainSheet(value)
		}
		value = strings.ToLower(strings.Join(strings.Fields(value), ""))

		switch a.Key {
		case "hidden":
			l.unseen = true
		case "bgcolor", "background":
			l.ground = l.ground || !paper(value)
		case "color":
			l.white = l.white || paper(value)
		case "style":
			for declaration := range strings.SplitSeq(value, ";") {
				name, said, _ := strings.Cut(declaration, ":")
				l.style(name, strings.TrimSuffix(said, "!important"))
			}
		}
	}

	return l
}

// style reads one declaration of a style, without blanks and in small letters.
func (l *look) style(name, value string) {
	switch name {
	case "display":
		l.unseen = l.unseen || value == "none"
	case "visibility":
		l.unseen = l.unseen || value == "hidden" || value == "collapse"
	case "opacity":
		n, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
		l.unseen = l.unseen || err == nil && n == 0
	case "font-size":
		l.unseen = l.unseen || illegible(value)
	case "font":
		size, _, _ := strings.Cut(value, "/")
		l.unseen = l.unseen || strings.HasPrefix(size, "0") || strings.HasPrefix(size, "1px") || strings.HasPrefix(size, "1pt")
	case "mso-hide":
		l.unseen = l.unseen || value == "all"
	case "text-indent":
		l.unseen = l.unseen || strings.HasPrefix(value, "-")
	case "background", "background-color", "background-image":
		l.ground = l.ground || !paper(value) && value != "none"
	case "color":
		l.white = paper(value)
	case "list-style", "list-style-type":
		l.list = value
	}
}

// paper reports whether a colour cannot be told from white paper.
func paper(colour string) bool {
	switch colour {
	case "white", "#fff", "#ffffff", "#ffff", "#ffffffff", "rgb(255,255,255)", "rgba(255,255,255,1)",
		"transparent", "rgba(0,0,0,0)", "#0000", "#00000000":
		return true
	}

	return false
}

// illegible reports whether a size of letters is one that nobody reads: at most one point or pixel, or a tenth of the
// usual.
func illegible(size string) bool {
	for unit, least := range map[string]float64{"px": 1, "pt": 1, "em": 0.1, "%": 10, "": 0} {
		if unit == "em" {
			size = strings.Replace(size, "rem", "em", 1)
		}
		number, ok := strings.CutSuffix(size, unit)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil {
			return n <= least
		}
	}

	return false
}

// onTheWeb reports whether an address leads to a page of the web.
func onTheWeb(address string) bool {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(address), "://")

	return ok && rest != "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// unescapeAddress shows what percent signs hide in an address.
func unescapeAddress(address string) string {
	var out strings.Builder

	for i := 0; i < len(address); i++ {
		if address[i] == '%' && i+2 < len(address) {
			if hi, lo := unhex(address[i+1]), unhex(address[i+2]); hi >= 0 && lo >= 0 {
				out.WriteByte(byte(hi<<4 | lo))
				i += 2

				continue
			}
		}
		out.WriteByte(address[i])
	}

	return strings.ToValidUTF8(out.String(), "\ufffd")
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}

	return -1
}
