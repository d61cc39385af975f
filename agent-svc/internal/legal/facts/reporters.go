package facts

// edition is one series of a reporter: the years it covers and how many volumes it has. A last year or volume of 0
// means that it still grows.
type edition struct {
	name        string // as cited, without blanks
	first, last int    // years
	volumes     int
}

// editionAt returns the edition whose name begins at byte i of text, and where the name ends. Blanks within a name do
// not matter; of several names the longest counts.
func editionAt(text string, i int) (e edition, end int, ok bool) {
	// All names but these states have a stop behind their first word, which rules out most capitals.
	switch word := text[i:wordAt(text, i)]; {
	case word == "Ohio", word == "Idaho", word == "Iowa", word == "Utah":
	case i+len(word) < len(text) && text[i+len(word)] == '.': // as in all other names
	default:
		return edition{}, 0, false
	}

	for _, candidate := range editions[text[i]] {
		stop, found := spaced(text, i, candidate.name)
		// Of "F." and "F.2d" the longer one is meant.
		if found && stop > end && (stop == len(text) || !isWord(text[stop])) {
			e, end, ok = candidate, stop, true
		}
	}

	return e, end, ok
}

// spaced reports where name ends if it stands at byte i, with one or two blanks between any of its letters or without.
func spaced(text string, i int, name string) (end int, ok bool) {
	at := i

	for n := range len(name) {
		if n > 0 {
			at = behindGap(text, at)
		}
		if at >= len(text) || text[at] != name[n] {
			return 0, false
		}
		at++
	}

	return at, true
}

// behindGap passes over the one or two blanks that may stand within an abbreviation, the second one for a line break.
func behindGap(text string, at int) int {
	for end := min(at+2, len(text)); at < end && (text[at] == ' ' || text[at] == '\n'); {
		at++
	}

	return at
}

// editions are the editions whose name begins with a letter. The table is of general knowledge; years are those of the
// decisions.
var editions = map[byte][]edition{
	'U': {
		{"U.S.", 1790, 0, 0}, {"U.S.App.D.C.", 1941, 0, 0}, {"Utah", 1855, 1953, 123}, {"Utah2d", 1953, 1974, 30},
	},
	'S': {
		{"S.Ct.", 1882, 0, 0},
		{"S.E.", 1887, 1939, 200},
		{"S.E.2d", 1939, 0, 999},
		{"S.W.", 1886, 1928, 300},
		{"S.W.2d", 1928, 1999, 999},
		{"S.W.3d", 1999, 0, 0},
		{"So.", 1887, 1941, 200},
		{"So.2d", 1941, 2008, 999},
		{"So.3d", 2008, 0, 0},
		{"S.C.", 1783, 0, 0},
		{"S.D.", 1890, 1976, 90},
	},
	'L': {{"L.Ed.", 1790, 1956, 100}, {"L.Ed.2d", 1956, 0, 0}},
	'F': {
		{"F.", 1880, 1924, 300},
		{"F.2d", 1924, 1993, 999},
		{"F.3d", 1993, 2021, 999},
		{"F.4th", 2021, 0, 0},
		{"F.Supp.", 1932, 1998, 999},
		{"F.Supp.2d", 1998, 2014, 999},
		{"F.Supp.3d", 2014, 0, 0},
		{"F.App'x", 2001, 2021, 861},
		{"F.App’x", 2001, 2021, 861},
		{"Fed.Appx.", 2001, 2021, 861},
		{"F.R.D.", 1940, 0, 0},
		{"Fed.Cl.", 1992, 0, 0},
		{"F.Cas.", 1789, 1880, 30},
		{"Fla.", 1846, 1948, 160},
	},
	'B': {{"B.R.", 1979, 0, 0}},
	'D': {{"Del.", 1832, 1966, 60}},
	'H': {{"Haw.", 1847, 0, 0}, {"Haw.App.", 1980, 1994, 10}},
	'K': {{"Kan.", 1862, 0, 0}, {"Kan.App.2d", 1977, 0, 0}, {"Ky.", 1879, 1951, 320}},
	'R': {{"R.I.", 1828, 1980, 130}},
	'T': {
		{"T.C.", 1942, 0, 0}, {"Tenn.", 1791, 1972, 230}, {"Tex.Crim.", 1892, 1962, 180}, {"Tex.", 1846, 1962, 163},
	},
	'A': {
		{"A.", 1885, 1938, 200},
		{"A.2d", 1938, 2010, 999},
		{"A.3d", 2010, 0, 0},
		{"A.D.", 1896, 1955, 286},
		{"A.D.2d", 1955, 2004, 309},
		{"A.D.3d", 2003, 0, 0},
		{"App.Div.", 1896, 1955, 290},
		{"App.Div.2d", 1955, 2004, 309},
		{"Ariz.", 1866, 0, 0},
		{"Ariz.App.", 1965, 1977, 30},
		{"Ark.", 1837, 2009, 380},
		{"Ark.App.", 1981, 2009, 110},
		{"Ala.", 1840, 1976, 300},
	},
	'N': {
		{"N.E.", 1885, 1936, 200},
		{"N.E.2d", 1936, 2014, 999},
		{"N.E.3d", 2014, 0, 0},
		{"N.W.", 1879, 1942, 300},
		{"N.W.2d", 1942, 2024, 999},
		{"N.W.3d", 2023, 0, 0},
		{"N.Y.", 1847, 1956, 309},
		{"N.Y.2d", 1956, 2003, 100},
		{"N.Y.3d", 2003, 0, 0},
		{"N.Y.S.", 1888, 1937, 300},
		{"N.Y.S.2d", 1937, 2014, 999},
		{"N.Y.S.3d", 2014, 0, 0},
		{"N.J.", 1948, 0, 0},
		{"N.J.Super.", 1948, 0, 0},
		{"N.C.", 1778, 0, 0},
		{"N.C.App.", 1968, 0, 0},
		{"N.D.", 1890, 1953, 80},
		{"N.H.", 1816, 0, 0},
		{"N.M.", 1852, 2012, 160},
		{"Neb.", 1871, 0, 0},
		{"Neb.App.", 1991, 0, 0},
		{"Nev.", 1865, 0, 0},
	},
	'P': {
		{"P.", 1883, 1931, 300},
		{"P.2d", 1931, 2000, 999},
		{"P.3d", 2000, 0, 0},
		{"Pa.", 1845, 0, 0},
		{"Pa.Super.", 1895, 1997, 460},
		{"Pa.Commw.", 1970, 1995, 170},
	},
	'C': {
		{"Cal.", 1850, 1934, 220},
		{"Cal.2d", 1934, 1969, 71},
		{"Cal.3d", 1969, 1991, 54},
		{"Cal.4th", 1991, 2016, 63},
		{"Cal.5th", 2016, 0, 0},
		{"Cal.App.", 1905, 1934, 140},
		{"Cal.App.2d", 1934, 1969, 276},
		{"Cal.App.3d", 1969, 1991, 235},
		{"Cal.App.4th", 1991, 2016, 248},
		{"Cal.App.5th", 2016, 0, 0},
		{"Cal.Rptr.", 1959, 1991, 286},
		{"Cal.Rptr.2d", 1991, 2003, 135},
		{"Cal.Rptr.3d", 2003, 0, 0},
		{"Conn.", 1814, 0, 0},
		{"Colo.", 1864, 1980, 200},
		{"Cl.Ct.", 1982, 1992, 26},
		{"Conn.App.", 1983, 0, 0},
		{"Conn.Supp.", 1935, 0, 0},
		{"Colo.App.", 1970, 1980, 50},
		{"Ct.Cl.", 1863, 1982, 231},
		{"C.C.P.A.", 1929, 1982, 70},
		{"Ct.Int'lTrade", 1980, 0, 0},
		{"Ct.Int’lTrade", 1980, 0, 0},
	},
	'I': {
		{"Ill.", 1819, 1954, 415},
		{"Ill.2d", 1954, 2011, 242},
		{"Ill.App.", 1877, 1954, 351},
		{"Ill.App.2d", 1954, 1972, 133},
		{"Ill.App.3d", 1972, 2011, 999},
		{"Idaho", 1866, 0, 0},
		{"Ind.", 1848, 1981, 275},
		{"Ind.App.", 1890, 1979, 185},
		{"Iowa", 1855, 1968, 261},
		{"I.&N.Dec.", 1940, 0, 0},
	},
	'O': {
		{"OhioSt.", 1852, 1964, 177},
		{"OhioSt.2d", 1964, 1982, 70},
		{"OhioSt.3d", 1982, 0, 0},
		{"OhioApp.", 1913, 1965, 120},
		{"OhioApp.2d", 1965, 1982, 70},
		{"OhioApp.3d", 1982, 0, 0},
		{"Okla.", 1890, 1953, 210},
		{"Or.", 1853, 0, 0},
		{"Or.App.", 1969, 0, 0},
	},
	'M': {
		{"Mass.", 1804, 0, 0},
		{"Mass.App.Ct.", 1972, 0, 0},
		{"Mich.", 1847, 0, 0},
		{"Mich.App.", 1965, 0, 0},
		{"Minn.", 1851, 1977, 312},
		{"Md.", 1851, 0, 0},
		{"Misc.", 1892, 1955, 208},
		{"Misc.2d", 1955, 2004, 194},
		{"Misc.3d", 2003, 0, 0},
		{"M.J.", 1975, 0, 0},
		{"Md.App.", 1967, 0, 0},
		{"Me.", 1820, 1965, 165},
		{"Minn.App.", 1983, 0, 0},
		{"Miss.", 1818, 1966, 260},
		{"Mo.", 1821, 1956, 370},
		{"Mo.App.", 1876, 1952, 245},
		{"Mont.", 1868, 0, 0},
	},
	'W': {
		{"Wash.", 1889, 1939, 200},
		{"Wash.2d", 1939, 0, 0},
		{"Wn.2d", 1939, 0, 0},
		{"Wash.App.", 1969, 2017, 200},
		{"Wn.App.", 1969, 2017, 200},
		{"Wash.App.2d", 2017, 0, 0},
		{"Wn.App.2d", 2017, 0, 0},
		{"W.Va.", 1863, 0, 0},
		{"Wis.", 1853, 1957, 275},
		{"Wis.2d", 1957, 0, 0},
		{"Wyo.", 1870, 1959, 80},
	},
	'G': {{"Ga.", 1846, 0, 0}, {"Ga.App.", 1907, 0, 0}},
	'V': {{"Va.", 1779, 0, 0}, {"Vet.App.", 1989, 0, 0}, {"Va.App.", 1985, 0, 0}, {"Vt.", 1826, 0, 0}},
}
