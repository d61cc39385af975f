package guard

var (
	// legalForms close the name of a company and hardly anything else.
	legalForms = setOf(`ltd limited inc incorporated llc plc llp gmbh kgaa sarl srl oyj pty bhd corp`)
	// formWords say what kind of company is meant, and are no name of one.
	formWords = setOf(`the a an any such each this that single member series foreign domestic professional
		manager managed multi parent holding new existing shell private public unlimited limited liability
		company subsidiary our their his her its my your is are was form forms set up of for by from with and or
		to versus v vs as into one two`)
	// trades close the names of shops and firms that are made of ordinary words.
	trades = setOf(`foods lines freight logistics shipping motors realty properties ventures studio studios stable
		stables farm farms dairy bakery bakers brewery winery vineyards hospice restaurant cafe café bistro diner grill
		pizzeria hotel motel salon barbers pharmacy dental orthodontics partners associates advisors consulting
		technologies robotics biosciences analytics laboratories pharmaceuticals therapeutics semiconductors plumbing
		roofing masonry landscaping carpentry electric towing trucking movers airlines airways cruises optics ceramics
		textiles mills mining quarry lumber timber produce seafood cooperative cosmetics jewelers jewellers florist
		florists nursery kennels aquatics records pictures publishing exporters importers suppliers builders contractors
		outfitters caterers distributors manufacturers wholesalers retailers architects engineers surveyors accountants
		appraisers auctioneers adjusters mediations mediators arbitrators investigations foundation clinic church
		academy ministries club hoa mutuelle assurances conseils`)
	// publicTrades are those of them that public bodies have in their names too.
	publicTrades = setOf(`academy foundation clinic church hospice ministries club records`)
	// companyLabels stand before a colon and a company's name.
	companyLabels = setOf(`company firm corporation business entity employer`)
	// linkWords join the words of a name: Bank of the West, Salt and Light.
	linkWords = setOf(`of and the for de du des del della di la le und y et e`)
	// closedWords are words of grammar, which no name of a company ends or begins with. In capitals they stand
	// between names.
	closedWords = setOf(`a an any each such this that these those by from with or to versus v vs as into on at in
		if when whereas between among is are was were be been being has have had shall will may must not no its
		his her their our your my it he she they we you who which witness hereof whereof herein hereby hereto
		thereof therein because but so than then there here also only upon under against per via plaintiff
		plaintiffs defendant defendants appellant appellee re cc attn`)
	// landforms begin the names of places that companies are called by: Isle of Capri, Port of Call.
	landforms = setOf(`isle island islands bay port cape lake lakes valley mount harbor harbour house heart spirit gates
		gate garden gardens pride king queen prince lord lady star city town village land lands field fields
		rock tree hill hills song sound art taste flavor flavors joy voice pillar pillars sons children`)
	// ofHeads are organisations whose name goes on with "of".
	ofHeads = setOf(`construction enterprises sisters office offices industries services products group
		partners bank university church institute house trust hospital college society association friends sons
		daughters knights order company brotherhood federation union league board fund foundation center centre
		school museum committee plan`)
	// partyWords are what contracts and pleadings call their parties.
	partyWords = setOf(`company corporation parent purchaser acquiror acquirer target issuer obligor licensor
		licensee lessor lessee grantor grantee assignor assignee indemnitor indemnitee mortgagor mortgagee
		pledgor pledgee servicer depositor depositary underwriter underwriters administrator administrators
		manager managers subcontractor subcontractors consultant executive employee employer contractor owner
		supplier customer vendor distributor franchisor franchisee publisher sponsor subsidiary subsidiaries
		affiliate affiliates holder investor investors stockholder stockholders shareholders member members bank
		banks lenders agents merger seller sellers buyer buyers plaintiffs defendants petitioners respondents
		appellants appellees debtors creditors guarantors parties client clients insurer insured carrier shipper
		consignee principal promoter producer developer builder architect engineer operator optionee participant
		participants landlord tenant borrower borrowers surviving trustee trustees committee partnership
		holdings intervenor intervenors amicus amici cross third counter relator garnishee bailor bailee drawer
		payee payor mover movant claimants employer's`)
	ordinalEndings = setOf(`st nd rd th`)
	publicBanks    = setOf(`central world federal reserve development european asian african issuing fronting
		lending reference depositary agent participating swingline swing lc l/c data blood food`)
	// centralBanks are countries whose central bank is called by "Bank of" and their name.
	centralBanks = setOf(`england japan canada italy greece spain france portugal mexico korea israel russia
		thailand finland lithuania ireland estonia latvia albania ghana uganda tanzania zambia jamaica
		settlements`)
	// bankWords stand in the names of many banks, two of them in a name of its own.
	bankWords = setOf(`first second national community savings trust farmers merchants citizens peoples people's
		commercial american united valley security state union city county southern northern western eastern
		mutual home loan`)
	// purposes say what a plan or fund is for.
	purposes = setOf(`retirement savings pension benefit benefits welfare health employee employees stock option
		ownership incentive bonus compensation deferred insurance investment growth income bond equity hedge
		mutual money market capital venture opportunity opportunities credit real estate master supplemental
		executive severance profit sharing medical disability disaster relief scholarship charitable family
		irrevocable revocable living land residual partners index value global fund plan trust`)
	// knownShort are abbreviations that are no organisation: ERISA plan, US fund.
	knownShort = setOf(`erisa us uk eu usa irs ira llc new old qualified bona fide defined state federal local
		national international initial original existing standard annual long short term self health vested
		common preferred non-qualified nonqualified qdro hmo ppo`)
	// workerWords are in the names of unions.
	workerWords = setOf(`workers drivers teamsters carpenters electricians machinists steelworkers teachers
		employees firefighters plumbers painters longshoremen pilots nurses miners operators engineers trades
		laborers bricklayers seamen actors musicians clerks ironworkers pipefitters stagehands attendants
		farmworkers autoworkers truck brotherhood letter`)
)
