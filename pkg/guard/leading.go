package guard

// leadingCases are decisions that lawyers name without a citation, by the words right before and behind the "v.", and
// the few of them that one name stands for. Names that many people bear are not among the latter: they are judged like
// any other.
var (
	leadingCases = setOf(`marbury-madison mcculloch-maryland gibbons-ogden roe-wade brown-board plessy-ferguson
		miranda-arizona gideon-wainwright mapp-ohio terry-ohio obergefell-hodges lawrence-texas loving-virginia
		griswold-connecticut casey-planned parenthood-casey dobbs-jackson bostock-clayton heller-district
		columbia-heller kelo-city twombly-bell twombly-iqbal ashcroft-iqbal corp-twombly atlantic-twombly
		daubert-merrell frye-united carmichael-kumho erie-tompkins co-tompkins railroad-tompkins shoe-washington
		pennoyer-neff burnham-superior daimler-bauman hanson-denckla celotex-catrett corp-catrett inc-green
		douglas-green griggs-duke meritor-vinson oncale-sundowner faragher-city ellerth-burlington hopkins-waterhouse
		waterhouse-hopkins ledbetter-goodyear mathews-eldridge goldberg-kelly chevron-natural chevron-nrdc
		bright-raimondo skidmore-swift lochner-new korematsu-united youngstown-sawyer nixon-fitzgerald buckley-valeo
		tinker-des brandenburg-ohio schenck-united sullivan-new times-sullivan hustler-falwell cohen-california
		johnson-texas texas-johnson garcetti-ceballos pickering-board monell-department batson-kentucky brady-maryland
		giglio-united strickland-washington apprendi-new blakely-washington crawford-washington katz-united jones-united
		carpenter-united riley-california palsgraf-long macpherson-buick hawkins-mcgee lucy-zehmer hamer-sidway
		sherwood-walker jacob-kent pierson-post hadley-baxendale carlill-carbolic donoghue-stevenson rylands-fletcher
		caparo-dickman hedley-heller salomon-salomon dickman-caparo entores-miles fisher-bell balfour-balfour
		williams-roffey foakes-beer bolton-stone bolam-friern anns-merton ridge-baldwin entick-carrington
		liversidge-anderson pepper-hart privy-council smith-hughes raffles-wichelhaus taylor-caldwell krell-henry
		hochster-delatour lumley-wagner keech-sandford foss-harbottle prest-petrodel adams-cape ivey-genting
		barton-armstrong patel-mirza mabo-queensland sony-universal feist-rural campbell-acuff diamond-chakrabarty
		alice-cls ebay-mercexchange festo-shoketsu markman-westview graham-john ksr-teleflex sec-howey reves-ernst
		basic-levinson escott-barchris upjohn-united smith-gorkom revlon-macandrews unocal-mesa wal-mart epic-lewis
		concepcion-at brulotte-thys edwards-arthur armendariz-foundation dynamex-superior`)
	leadingNames = setOf(`daubert frye twombly iqbal palsgraf howey garcetti monell obergefell bivens batson celotex
		reves kumho faragher ellerth loudermill apprendi bostock donoghue carlill wednesbury baxendale caparo factortame
		quistclose mareva marbury mcdonnell-douglas anton-piller mary-carter hedley-byrne rooker-feldman armendariz
		dynamex solange-i solange-ii schrems kelo wickard korematsu skidmore massiah jarkesy loper-bright`)
)

// leading reports whether the case whose "v." is word k is one that goes without a citation.
func (n *names) leading(k int) bool {
	return k > 0 && k+1 < len(n.words) && leadingCases.has(n.lowered(k-1)+"-"+n.lowered(k+1))
}

// namedCase reports whether a run of one or two words stands for a decision.
func (n *names) namedCase(from, to int) bool {
	switch to - from {
	case 1:
		return leadingNames.has(n.lowered(from))
	case 2:
		return leadingNames.has(n.lowered(from) + "-" + n.lowered(from+1))
	}

	return false
}
