package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Words that look like names and are none, by what stands beside them.

// products takes programs that everybody works with out of suspicion: "Microsoft Word". Their maker by itself
// stays a company.
func (n *names) products() {
	for _, maker := range n.large {
		i := maker + 1
		if i == len(n.words) {
			break
		}
		w, before := &n.words[i], &n.words[i-1]
		if !before.has(capitalised) || int(before.end-before.start) > longestMaker {
			continue // most words
		}

		// Makers of two words first, since the second one may be a surname.
		if i > 1 && n.words[i-2].has(capitalised) && makers.has(n.lowered(i-2)+"-"+n.lowered(i-1)) {
			n.words[i-2].is |= lexicon.Law // John Deere 6120M
			before.is |= lexicon.Law

			continue
		}

		switch maker := n.lowered(i - 1); {
		case makers.has(maker) && (before.is&(lexicon.Given|lexicon.Surname) == 0 || n.owned(i-1)) && n.model(i):
			w.is |= lexicon.Law
		case w.has(capitalised) && productMakers.has(maker) && productNames.has(n.lowered(i)):
			w.is |= lexicon.Law
		case maker != "bates" || !batesNouns.has(n.lowered(i)) && !w.has(allCapitals):
			continue
		}
		before.is |= lexicon.Law
	}
}

// species takes names of plants and of breeds out of suspicion: "Douglas firs", "Hereford cattle".
func (n *names) species() {
	for _, kind := range n.large {
		i := kind + 1
		if i == len(n.words) {
			break
		}
		w, before := &n.words[i], &n.words[i-1]
		if w.has(capitalised) || !before.has(capitalised) || !speciesNouns.has(n.lowered(i)) {
			continue // most words
		}
		if i > 1 && n.words[i-2].has(capitalised) && before.has(joined) || n.text[before.end:w.start] != " " {
			continue // the name of somebody who keeps sheep
		}
		before.is |= lexicon.Law
	}
}

// speciesNouns stand in the plural behind the names of breeds and kinds.
var speciesNouns = setOf(`firs pines spruces oaks maples cypresses cattle sheep heifers bulls hogs terriers spaniels
	retrievers shepherds hounds ponies pheasants tortoises whales porpoises thistles grasses`)

// owned reports whether word i stands behind a pronoun, an article or a year as things do: "a Ford Fusion", "mit
// ihrem Škoda Octavia".
func (n *names) owned(i int) bool {
	if i == 0 || n.words[i].start < 2 || n.text[n.words[i].start-1] != ' ' {
		return false
	}
	if digit(n.text[n.words[i].start-2]) {
		return true
	}

	return n.text[n.words[i-1].end:n.words[i].start] == " " && owners.has(n.lowered(i-1))
}

var owners = setOf(`a an his her their my our your its one another ein eine einem einen einer seinem seinen ihrem ihren
	seine ihre une un son sa`)

// caseFlags takes what clerks put above a docket out of suspicion: "CONVERTED, MEANSNO, DschDebt, CLOSED".
func (n *names) caseFlags() {
	judged := 0 // where the last line ends that was looked at

	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(allCapitals) || w.end-w.start < 4 || !flagWords.has(n.lowered(i)) {
			continue // most words
		}
		// Each line is looked at once, however many flags it has.
		if int(w.start) < judged {
			continue
		}
		start := strings.LastIndexByte(n.text[:w.start], '\n') + 1

		end := len(n.text)
		if at := strings.IndexByte(n.text[w.end:], '\n'); at >= 0 {
			end = int(w.end) + at
		}
		judged = end
		if line := strings.TrimSpace(n.text[start:end]); len(line) > longestFlags || strings.Count(line, ", ") < 1 ||
			strings.Count(line, " ") > strings.Count(line, ", ") {
			continue
		}

		for k := n.wordAt(start); k < len(n.words) && int(n.words[k].start) < end; k++ {
			n.words[k].shape = n.words[k].shape&^capitalised | quotedLaw
		}
	}
}

// longestFlags bounds the line of a docket's flags, in bytes.
const longestFlags = 160

// flagWords are flags of dockets.
var flagWords = setOf(`closed converted termed stayed lead member jury appeal reopened dismissed transferred remanded
	sealed habeas patent prose interpreter discharged deferred consolidated reinstated custody bondset`)

// formations takes layers of the ground out of suspicion where a text speaks of the ground: "Esperance Sand".
func (n *names) formations() {
	for _, i := range n.large[n.opens:] {
		w := &n.words[i]
		if w.end-w.start < 4 || !w.has(capitalised) || !n.words[i-1].has(capitalised) || !strata.has(n.lowered(i)) {
			continue // most words
		}

		for k := max(0, i-groundReach); k < min(len(n.words), i+groundReach); k++ {
			if k != i && grounds.has(n.lowered(k)) {
				n.words[i-1].is |= lexicon.Law
				n.words[i].is |= lexicon.Law

				break
			}
		}
	}
}

// groundReach is how many words before and behind the name of a layer the ground is spoken of.
const groundReach = 25

var (
	strata = setOf(`sand clay shale sandstone limestone gravel silt loam till formation aquifer granite basalt marl
		chalk`)
	grounds = setOf(`soil soils boring borings bedrock geotechnical groundwater stratum strata subsurface sediment
		sediments sandstone shale aquifer outcrop drilling borehole boreholes well wells geology geologic`)
)

// model reports whether a capitalised word or a number stands behind the maker before word i, as models do.
func (n *names) model(i int) bool {
	rest, ok := strings.CutPrefix(n.text[n.words[i-1].end:], " ")
	if !ok || rest == "" {
		return false
	}

	return digit(rest[0]) || n.goesOn(i)
}

const longestMaker = len("microsoft")

var (
	// batesNouns stand behind the name of the numbers that pages of a production are stamped with.
	batesNouns = setOf(`no nos number numbers numbered stamp stamps stamped label labels labeled range ranges prefix`)

	productMakers = setOf(`microsoft google adobe apple mozilla`)
	productNames  = setOf(`word excel outlook powerpoint teams office windows edge access docs drive sheets maps
		scholar calendar forms chrome meet acrobat reader pdf sign safari pages numbers firefox translate earth`)
)

// tools are programs, formats and public licences that everybody's papers name, and that are called by no word of a
// dictionary and that nobody is called by.
var tools = setOf(`chevrolet toyota nissan hyundai mitsubishi volkswagen porsche volvo peugeot renault citroen citroën
	maserati subaru mazda isuzu lexus cadillac buick chrysler opel škoda silverado corolla camry bailii casetext justia
	courtlistener findlaw lawinsider dropbox onedrive gmail whatsapp icloud sharepoint salesforce paypal venmo linkedin
	facebook instagram tiktok docusign fedex youtube airbnb uber lyft ebay craigslist zillow xerox bloomberg equifax
	experian transunion twitter google microsoft adobe skype quickbooks powerpoint photoshop outlook bluetooth wi-fi
	netflix spotify lexmark turnitin wordpress nasdaq nyse finra rsmo aktg gmbhg bafin nos encs encl enc shorthold
	copyleft uplink downlink backhaul leasehold delta-v bcc cc encls quoad esto separatim psy vgl aufl rn xetra nyscef
	bverfge bghz testament hg nr rechtsanwalt rechtsanwältin avvocato abogado malware ransomware phishing spyware
	firmware metadata microwave broadband timeshare snapchat pinterest reddit tinder expedia tripadvisor doordash
	grubhub affero android apache bluebook debian firefox github gitlab iphone ipad java javascript latex citrix
	netscaler kubernetes lexis lexisnexis linux macos mongodb mozilla mysql nextgen opentelemetry pacer pdf postgres
	postgresql python comp imanage ob pt pts dx rx hx tx fx sx pmh né née nés nées rm ansible cmake css csv cuda
	elasticsearch ffmpeg flac gif golang gzip heic html http https ical json jpeg kotlin markdown midi mkv mov mpeg
	mysqldump nginx npm numpy openapi openssl oracledb otf parquet php png powershell protobuf pytorch qcow redhat zelle
	rtf sdk sftp sqlite ssh svg sql syslog tcp toml ttf typescript udp vcf vim vmdk wasi wasm wav webm webp webassembly
	xlsx xslt yaml zlib pres treas mgr asst svp evp avp redis texinfo ubuntu unicode unix usenet westlaw wikipedia
	wordperfect xml zoom`)

// demonyms are peoples and nationalities that the lexicon lacks.
var demonyms = setOf(`bahamian bahraini barbadian belizean bhutanese burundian emirati gambian guatemalan guyanese
	haitian hazara hmong honduran laotian malian mauritanian nicaraguan omani panamanian paraguayan pashtun qatari
	rohingya salvadoran senegalese singaporean surinamese taiwanese tigrayan trinidadian uruguayan venezuelan yazidi
	chadian comorian djiboutian gabonese grenadian kittitian malawian mozambican namibian nigerien palauan sammarinese
	seychellois tuvaluan vanuatuan bajan chechen dagestani rakhine uighur garifuna mixtec siberian zapotec quechua
	aymara mayan lakota choctaw ojibwe sioux scandinavia fennoscandia mesopotamia polynesia melanesia micronesia maghreb
	levant caucasus transcaucasia indochina patagonia anatolia macaronesia lapland sahel horn-of-africa levantine
	maghrebi`)

// enumerators marks the words behind the number of a provision or the letter of an item as the beginning of a
// heading: "Article 15 Right of access", "(B) Prohibition".
func (n *names) enumerators() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised) || w.has(opening) || w.start < 4 {
			continue
		}
		if n.itemBefore(int(w.start)) || n.provisionBefore(int(w.start)) {
			w.shape |= opening
		}
	}
}

// itemBefore reports whether "(b) " ends at byte at.
func (n *names) itemBefore(at int) bool {
	if n.text[at-1] != ' ' || n.text[at-2] != ')' {
		return false
	}
	item := n.text[max(0, at-len("(xviii) ")) : at-2]
	open := strings.LastIndexByte(item, '(')

	return open >= 0 && open+1 < len(item) && strings.IndexByte(item[open:], ' ') < 0
}

// provisionBefore reports whether the number of a provision and a blank end at byte at: "Article 15 ".
func (n *names) provisionBefore(at int) bool {
	if at < 2 || n.text[at-1] != ' ' || !digit(n.text[at-2]) {
		return false // most words
	}

	start := at - 1
	for start > 0 && (alphanumeric(n.text[start-1]) || n.text[start-1] == '.') && at-start < 8 {
		start--
	}
	if start < 2 || n.text[start-1] != ' ' {
		return false
	}
	before := n.text[max(0, start-12) : start-1]
	before = before[strings.LastIndexByte(before, ' ')+1:]

	return provisions.has(strings.ToLower(before)) || strings.HasSuffix(before, "§")
}

var provisions = setOf(`article art section sec clause rule chapter part schedule exhibit appendix annex item
	paragraph regulation title`)

// foreignLaw are words of law in other languages that are surnames too.
var foreignLaw = setOf(`ley leyes código codigo decreto orden sentencia tribunal juzgado audiencia loi lois code
	décret arrêt cour cass gesetz verordnung legge codice corte instancia instance`)

// literature takes the authors of papers out of suspicion: "Perry et al., BMJ 2011", "Hunt et al. (1968)".
func (n *names) literature() {
	for i := 2; i < len(n.words); i++ {
		if n.words[i].end-n.words[i].start != 2 || n.lowered(i) != "al" || n.lowered(i-1) != "et" ||
			!published(n.text[n.words[i].end:]) {
			continue
		}

		for first := i - 2; first >= max(0, i-6); first-- {
			w := &n.words[first]
			if !w.has(capitalised) || signals.has(n.lowered(first)) || strings.ContainsAny(n.gap(first), ".;:") {
				break
			}
			w.shape = w.shape&^capitalised | quotedLaw
		}
	}
}

// published reports whether rest begins with the journal and the year of a paper, or with its year.
func published(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), longestJournal)], "., ")
	for at := 0; at+4 <= len(rest); at++ {
		switch c := rest[at]; {
		case digit(c):
			year := c <= '2' && strings.Trim(rest[at:at+4], tenDigits) == ""
			return year && (at == 0 || strings.IndexByte(" (", rest[at-1]) >= 0)
		case !alphanumeric(c) && strings.IndexByte(" .&(", c) < 0:
			return false
		}
	}

	return false
}

// longestJournal bounds the name of a journal with the year, in bytes.
const longestJournal = 48

// drug reports whether a word in lower case ends as the international names of medicines do (World Health
// Organization, stems of INN).
func drug(s string) bool {
	if medicines.has(s) {
		return true
	}
	// Short words end so by chance: "April" as well as quinapril.
	if len(s) < 8 {
		return false
	}

	for _, stem := range drugStems {
		if strings.HasSuffix(s, stem) {
			return true
		}
	}

	return false
}

var drugStems = []string{
	"buprofen", "toprofen", "biprofen", "noprofen", "proxen", "prazole", "triptyline", "barbital", "dipine", "tadine",
	"bapentin", "setron", "asone", "mycin", "micin", "cillin", "april", "opril", "sartan", "statin", "olol", "azole",
	"azepam", "zolam", "oxetine", "triptan", "navir", "caine", "oxacin", "cycline", "codone", "morphone", "fentanil",
	"parin", "gliptin", "formin", "afil", "tidine", "azine", "zumab", "tinib",
}

// medicines are brands that nobody is called by.
var medicines = setOf(`lipitor eliquis xarelto humira ozempic wegovy mounjaro zepbound trulicity januvia jardiance
	farxiga metformin lantus humalog novolog synthroid crestor zocor plavix coumadin nexium prilosec prevacid pepcid
	zantac zyrtec claritin benadryl allegra flonase advair symbicort spiriva ventolin xanax valium ativan klonopin
	ambien lunesta prozac zoloft paxil lexapro celexa cymbalta effexor wellbutrin zyprexa seroquel risperdal abilify
	lamictal depakote neurontin lyrica tegretol topamax keppra oxycontin percocet vicodin norco ultram suboxone narcan
	fentora actiq adderall vyvanse ritalin concerta strattera viagra cialis levitra propecia botox keytruda opdivo
	herceptin avastin rituxan revlimid enbrel remicade stelara cosentyx otezla dupixent tylenol advil motrin aleve
	celebrex vioxx roundup augmentin zithromax cipro levaquin bactrim keflex tamiflu paxlovid valtrex fosamax boniva
	prolia premarin mirena paragard depo-provera yaz lasix norvasc diovan cozaar toprol lopressor tenormin`)
