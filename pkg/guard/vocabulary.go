package guard

// The words by which the rules tell names apart, in lower case. None of them is a name.
var (
	// honorifics stand before names and nothing else.
	honorifics = setOf(`mr mrs ms miss mx dr prof professor sir lady madam madame monsieur mme mlle herr herrn frau
		signor signora señor señora maître messrs sgt pc dc ds esq dott avv ing lic hr fr pan pani`)
	// titles are ordinary words that stand before names too.
	titles = setOf(`judge justice lord dame captain colonel lieutenant major corporal inspector constable sergeant
		reverend advocate ambassador mayor senator councillor counsellor councilman councilwoman congressman
		congresswoman representative commander superintendent detective baron baroness count countess prince princess
		sheikh imam rabbi bishop archbishop cardinal pope agent officer deputy sheriff attorney magistrate chancellor
		governor father sister brother uncle aunt grandma grandpa nurse coach pastor deacon chaplain trooper`)
	// personal words before a run make it a person.
	personal = setOf(`judge justice lord dame captain colonel lieutenant major corporal inspector constable officer
		sergeant father sister brother reverend advocate general president minister chancellor ambassador applicant
		applicants lawyer counsel wife husband son daughter mother named called client witness defendant plaintiff
		claimant surname name alias mayor senator prosecutor notary solicitor barrister attorney employee tenant
		landlord doctor neighbour neighbor colleague friend uncle aunt cousin nephew niece`)
	placePrepositions = setOf(`in at near around outside towards inside via across throughout`)
	placeNouns        = setOf(`town village city district province region municipality county area prison island river
		port suburb commune department municipalities villages communes oblast hamlet borough shale aquifer till
		sandstone moraine street parish valley canton governorate neighbourhood quarter`)
	companies = setOf(`ltd limited inc plc llc llp lp gmbh ag kg sa sarl sas spa srl bv nv oy ab as ltda sp corp
		corporation company co holding holdings bank group kft ooo oao zao doo aş şti incorporated kgaa ug se pty sdn
		bhd kk`)
	// institutions are what bodies are called by; a name before or behind them is theirs.
	institutions = setOf(`court courts tribunal commission committee council ministry government parliament assembly
		office department agency authority police prison hospital university school institute bar association union
		party church board service directorate prosecutor chamber section division branch registry treasury embassy
		consulate municipality prefecture province district county town village region city republic state army brigade
		regiment headquarters command station centre center clinic airport gazette act code law convention treaty
		protocol regulation directive decree case river lake mountain mountains island sea valley bridge park square
		bureau services authorities prosecution foundation museum federation detention remand facility camp barracks
		bill rules rule order ordinance statute charter list report operation agreement front movement organisation
		organization house hall newspaper magazine times journal land college`)
	// bodies are the institutions that only public bodies and places are: those of which a place is part of the name.
	bodies = setOf(`court courts tribunal commission council ministry government parliament assembly department agency
		authority police prison university directorate prosecutor chamber division registry treasury embassy consulate
		municipality prefecture province district county town village region city republic state army brigade regiment
		headquarters command station airport river lake mountain mountains island sea valley bridge park square hospital
		detention remand facility camp barracks prosecution gendarmerie convention`)
	// offices are public bodies where an article stands before their name, which has none before that of a person.
	offices = setOf(`office bureau services service board institute school section branch registry centre center`)
	// roles are nouns for people: a word in brackets or between commas behind one is a name.
	roles = setOf(`applicant applicants client clients man woman boy girl child children person individual wife husband
		spouse partner son daughter mother father brother sister uncle aunt cousin nephew niece grandfather grandmother
		friend neighbour neighbor employee employer manager director owner tenant landlord landlady seller buyer vendor
		purchaser borrower lender debtor creditor guarantor trustee beneficiary executor heir heiress donor testator
		witness expert victim accused suspect defendant plaintiff claimant respondent appellant petitioner complainant
		party parties lawyer attorney solicitor barrister advocate counsel representative agent judge prosecutor officer
		policeman soldier doctor physician nurse patient teacher student driver passenger shareholder member chairman
		chairwoman chair president secretary minister mayor politician journalist author editor colleague boss
		supervisor contractor worker guardian minor deceased widow widower fiancé fiancée girlfriend boyfriend
		stepfather stepmother twin name alias named called surname he she him her they who me i us contact user`)
	determiners = setOf(`the a an this that these those its their our such each every any some no all both`)
	// abbreviated are initials of things.
	abbreviated = setOf(`psy.d ed.d sc.d th.d eng.d pharm.d p.a.-c f.n.p.-b.c f.n.p a.p.r.n l.m.f.t loc.r f.e.d t.r.o
		m.s.j d.u.i d.w.i o.u.i u.c.c b.a.c f.r.c.p i.e.p e.p.o d.v.r.o c.n.m d.o n.t a.g l.p.n f.n d.p.m d.c.l r.p.t
		c.r.n.a l.c.s.w p.h.d d.v.m m.p.h u.s u.k e.u u.n u.s.a u.s.c c.f.r s.a q.b k.b q.c k.c a.c a.m p.m b.c a.d n.b
		d.c l.j c.j w.l.r n.y p.o h.m p.s s.c i.e e.g o.j v.a.t b.v n.v s.p.a s.r.l d.o.b f.o.b u.s.c.a f.r.d b.r l.l.c
		l.l.p l.p n.j n.c n.d s.d n.m r.i w.d e.d m.d s.d.n.y e.d.n.y n.d.ill c.a p.e p.r n.e s.e n.w s.w c.p.a l.s
		d.d.s r.n v.p j.d m.a b.a ph.d m.b.a r.s.c c.p.r`)
	// eponyms are rules of law, tests and measures that a case or a person gave the name to; each is two words joined
	// by "-", as the lookups in eponyms.go and namerun.go spell them.
	eponyms = setOf(`delta-v daubert-motion daubert-motions daubert-hearing daubert-challenge daubert-standard
		daubert-test daubert-factors daubert-analysis frye-hearing frye-test frye-standard frye-motion miranda-warning
		miranda-warnings miranda-rights miranda-waiver miranda-violation brady-material brady-violation brady-obligation
		brady-obligations brady-disclosure giglio-material terry-stop terry-stops terry-frisk markman-hearing
		batson-challenge batson-challenges franks-hearing bivens-claim bivens-action monell-claim monell-liability
		alford-plea erie-doctrine chevron-deference auer-deference skidmore-deference younger-abstention
		pullman-abstention burford-abstention garrity-warning garrity-immunity kastigar-hearing massiah-violation
		bruton-error faretta-hearing faretta-waiver faretta-inquiry strickland-test strickland-standard strickland-prong
		weingarten-rights weingarten-representative faragher-defense pickering-test pickering-balancing tinker-test
		tinker-standard lemon-test mathews-test mathews-balancing mathews-factors herfindahl-index gini-coefficient
		pareto-efficiency jencks-material jencks-act howey-test loudermill-hearing brandeis-brief anders-brief
		pitchess-motion apprendi-error feldman-doctrine pennington-doctrine mareva-injunction mareva-order norwich-order
		piller-order tomlin-order calderbank-offer calderbank-letter quistclose-trust gillick-competence
		gillick-competent bolam-test wednesbury-unreasonableness wednesbury-grounds coase-theorem lanham-act
		upjohn-warning upjohn-warnings mcdonald-coffee lloyd-register feres-doctrine volcker-rule stark-law
		parker-immunity totten-trust crummey-trust crummey-notice stowers-demand dillon-rule totten-doctrine
		kovel-agreement rooker-feldman noerr-pennington sarbanes-oxley dodd-frank robinson-patman hart-scott gramm-leach
		taft-hartley davis-bacon magnuson-moss glass-steagall hatch-waxman song-beverly norris-laguardia walsh-healey
		leahy-smith mccarran-ferguson celler-kefauver black-scholes hardy-weinberg kaldor-hicks burford-pullman
		rehnquist-court landrum-griffin miller-tydings foraker-act magnuson-stevens posse-comitatus ponzi-scheme
		caremark-claim caremark-theory elo-rating montessori-school montessori-method likert-scale gantt-chart
		hague-convention glasgow-scale pareto-principle bayes-theorem brandt-fees cumis-counsel huntley-hearing
		dunaway-hearing mapp-hearing wade-hearing sandoval-hearing marsden-motion romero-motion wheeler-motion
		franks-motion kyles-violation robert-rules roberts-rules lis-pendens cy-pres braden-scale bishop-score
		apgar-score norton-scale oswestry-index epworth-scale borg-scale karnofsky-scale orange-book green-book red-book
		purple-book yellow-book blue-book`)
	// numerals before the name of a building are its address: "One Harbor Plaza".
	numerals   = setOf(`one two three four five six seven eight nine ten`)
	landmarks  = setOf(`plaza center centre tower towers square place building wharf landing circle row`)
	nounBehind = setOf(`of or no nos number section clause dated is are shall will may list act order`)
	speaking   = setOf(`is was has had said says told signed bought sold owns owed owes lives lived works worked moved
		died married wants wanted asked claims claimed refused agreed filed sued paid left went came took gave got made
		met called wrote sent received started stopped joined fired hired sues owned drove hit fell resigned accepted
		rejected denied admitted alleges alleged testified stated inherited transferred needs needed thinks believes
		knows knew lied fled did does didn't doesn't hasn't wasn't isn't would wouldn't won't and who also`)
	meeting = setOf(`with met told asked dear hi hello married divorced sued named saw visited phoned emailed called
		thanks contacted`)
	families = setOf(`family families brothers sisters case estate household matter couple siblings twins file trial
		affair children marriage judgment decision dispute contract account claim action application appeal lease will
		trust divorce custody adoption probate deposition testimony affidavit statement interview letter demand invoice
		loan mortgage purchase offer closing settlement complaint lawsuit suit litigation arbitration eviction
		foreclosure bankruptcy wedding funeral house apartment farm matters files merger acquisition investigation
		retainer engagement`)
	// defined are ordinary words that are surnames too, and in legal text mostly defined terms or parts of
	// institutions' names.
	defined = setOf(`thanksgiving northern southern eastern western upper lower inner outer central national
		international regional local global general special supreme royal crown imperial federal democratic republican
		socialist liberal conservative labour labor greens christian social economic financial basic fundamental martial
		naval marine marines air ground home interior foreign welfare health education science art arts culture sports
		trade commerce industry energy water forest land lands estate property housing building construction transport
		railway post mail press media radio television film theatre library archive stock exchange market bank banks
		savings credit loan trust insurance pension money treasury revenue customs tax duty first second third fourth
		fifth sixth seventh eighth ninth tenth world state states nations union league house lords commons chamber
		chambers cabinet congress senate chief commander major captain sergeant private corporal lance marshal admiral
		warden dean rector provost vice deputy senior junior assistant associate bill grant will may case page line note
		price deed lease rent sale seller buyer vendor agent principal bond share capital part book volume chapter title
		day week month year spring summer autumn winter administration marks territory resistance sessions divinity
		reformation race set place is on in no so to as or an it he me my us new old great united free civil military
		public internet web bible god lord sir inland exchequer esquire reverend holder player freeman rock fields field
		sin truth wonder mass net democrat democrats communist nazi soviets jeans parks park incorporated limited
		company weeks love key angel gate king queen prince princess duke earl count baron pope bishop father mother
		sister brother queens kings board charter magistrate magistrates justice justices bench bar inn temple writ plea
		attic pantheon sand beach lodge mill lane court wall hall bridge castle tower fort port bay cape golf club
		church abbey catholic protestant jew muslim islam hindu mercury mars earth windows word excel subject re data
		privacy party turkey china chad jordan georgia guinea niger mali testament jersey premium director directors
		officer manager guarantor settlement release escrow closing notice force purchaser licensor licensee black white
		brown good faith fair hope peace young long short landlord tenant borrower lender employer employee contractor
		supplier customer client counsel witness prior carrier master main shipper notary bearer pledge`)
)
