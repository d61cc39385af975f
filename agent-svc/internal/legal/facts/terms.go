package facts

// Topics of the terms. Each is a feature of the rubric and what of it the words speak for, or a sign by which something
// else is found.
const (
	ClassTopic       = "type.class"
	ProvisionalTopic = "type.provisional"
	InjunctionTopic  = "type.injunction"
	ExpertTopic      = "type.expert"

	StakesPrefix = "stakes." // followed by the stake, as the case's field has it

	RelatedTopic     = "coordination.related"
	CriminalTopic    = "coordination.criminal"
	TranslationTopic = "coordination.translation"
	WitnessTopic     = "coordination.witnesses"

	MultipleTopic = "forum.multiple"
	ForeignTopic  = "forum.foreign"

	LawTopic      = "governing law"
	IssueTopic    = "issue"
	deadlineTopic = "deadline"
	hearingTopic  = "hearing"
	dutyTopic     = "duty"
)

// phrases of one topic and detail.
type phrases struct {
	topic, detail string
	list          []string
}

// Terms returns the set phrases by which topics are told. They are chosen so that their mere mention says something:
// "custody of documents" or "a class of shares" is none. A phrase without a topic hides the longer use of one that has
// one.
func Terms() []Term {
	var all []Term

	for _, p := range [][]phrases{typeTerms(), stakesTerms(), coordinationTerms(), forumTerms(), signTerms()} {
		for _, group := range p {
			for _, phrase := range group.list {
				all = append(all, Term{Topic: group.topic, Detail: group.detail, Phrase: phrase})
			}
		}
	}

	return all
}

func typeTerms() []phrases {
	return []phrases{
		{ClassTopic, "class action", []string{
			"class action", "putative class", "proposed class", "class certification", "all others similarly situated",
			"class representative", "class representatives", "members of the class",
		}},
		{ClassTopic, "multidistrict litigation", []string{
			"multidistrict litigation", "multi district litigation", "mdl no",
		}},
		{ClassTopic, "mass tort", []string{"mass tort", "mass torts", "mass action"}},
		{"", "", []string{
			"class action waiver", "class action waivers", "waives class action", "waive class action", "class actions",
		}},
		{ProvisionalTopic, "antitrust", []string{
			"sherman act", "clayton act", "antitrust laws", "antitrust injury", "antitrust violation",
			"antitrust claim", "monopolization", "price fixing",
		}},
		{ProvisionalTopic, "construction defect", []string{
			"construction defect", "construction defects", "defective construction",
		}},
		{ProvisionalTopic, "securities", []string{
			"securities fraud", "securities exchange act", "securities act of 1933", "rule 10b 5",
		}},
		{ProvisionalTopic, "environment", []string{
			"cercla", "toxic tort", "clean water act", "clean air act", "superfund site", "environmental contamination",
		}},
		{ProvisionalTopic, "patent", []string{
			"patent infringement", "infringement of the patent", "claim construction", "asserted patent",
			"asserted patents", "patents in suit", "patent in suit",
		}},
		{InjunctionTopic, "", []string{
			"temporary restraining order", "preliminary injunction", "permanent injunction",
			"preliminary and permanent injunction", "injunctive relief", "preliminary injunctive relief",
		}},
		{ExpertTopic, "", []string{
			"expert witness", "expert witnesses", "expert report", "expert reports", "expert testimony",
			"expert opinion", "expert opinions", "expert disclosure", "expert disclosures", "custody evaluator",
			"custody evaluation", "life care planner", "forensic accountant", "retained expert", "retained experts",
		}},
	}
}

func stakesTerms() []phrases {
	return []phrases{
		{StakesPrefix + "housing", "", []string{
			"unlawful detainer", "notice to quit", "notice to vacate", "eviction", "eviction action", "summary process",
			"writ of possession", "residential lease", "residential tenancy", "warranty of habitability",
			"dwelling unit", "public housing", "housing voucher",
		}},
		{StakesPrefix + "employment", "", []string{
			"wrongful termination", "wrongful discharge", "retaliatory discharge", "constructive discharge",
			"title vii", "fair labor standards act", "unpaid wages", "unpaid overtime", "covenant not to compete",
			"non compete", "noncompete", "non competition", "noncompetition", "employment agreement",
			"employment contract", "employment discrimination", "hostile work environment",
			"age discrimination in employment act", "family and medical leave act", "terminated her employment",
			"terminated his employment", "termination of employment",
		}},
		{StakesPrefix + "benefits", "", []string{
			"social security disability", "disability benefits", "supplemental security income",
			"unemployment benefits", "unemployment insurance benefits", "food stamps", "medicaid", "public benefits",
			"veterans benefits",
		}},
		{StakesPrefix + "custody", "", []string{
			"child custody", "legal custody", "physical custody", "custody of the child", "custody of the children",
			"custody of the minor", "custody of the minor child", "custody of the minor children", "joint custody",
			"parenting time", "parenting plan", "visitation schedule", "best interests of the child",
			"best interest of the child", "best interests of the children",
		}},
		{StakesPrefix + "civil_rights", "", []string{
			"civil rights act", "civil rights", "excessive force", "equal protection clause", "deprivation of rights",
		}},
		{StakesPrefix + "immigration", "", []string{
			"asylum", "removal proceedings", "withholding of removal", "immigration judge", "immigration court",
			"deportation", "adjustment of status", "convention against torture",
		}},
		{StakesPrefix + "liberty", "", []string{
			"habeas corpus", "term of imprisonment", "pretrial detention", "pre trial detention", "civil commitment",
			"revocation of probation", "revocation of parole",
		}},
		{StakesPrefix + "safety", "", []string{
			"domestic violence", "domestic abuse", "order of protection", "stalking", "civil protection order",
			"domestic violence restraining order",
		}},
		{StakesPrefix + "reputation", "", []string{"defamation", "defamatory", "libel", "slander"}},
		{StakesPrefix + "money", "", []string{
			"compensatory damages", "money damages", "monetary damages", "actual damages", "unpaid rent",
			"unpaid balance", "breach of contract", "past due",
		}},
	}
}

func coordinationTerms() []phrases {
	return []phrases{
		{RelatedTopic, "", []string{
			"notice of related case", "notice of related cases", "related action", "related actions", "related case",
			"related cases", "companion case", "companion action", "consolidated action", "consolidated with",
			"coordinated proceeding", "coordinated proceedings", "parallel action", "related proceeding",
			"related litigation",
		}},
		{"", "", []string{
			"no related action", "no related actions", "no related case", "no related cases", "no related proceeding",
			"not related",
		}},
		{CriminalTopic, "", []string{
			"criminal proceeding", "criminal proceedings", "criminal charge", "criminal charges", "criminal case",
			"criminal prosecution", "indicted", "grand jury", "criminal investigation", "criminal complaint",
			"criminal trial",
		}},
		{TranslationTopic, "", []string{
			"interpreter", "certified translation", "sworn translation", "translated from", "certified translator",
			"translation of the",
		}},
		{WitnessTopic, "", []string{"witnesses"}},
	}
}

func forumTerms() []phrases {
	all := []phrases{
		{MultipleTopic, "", []string{
			"multistate", "multi state", "nationwide class", "multiple jurisdictions", "more than one jurisdiction",
			"laws of several states", "laws of multiple states", "multidistrict litigation",
		}},
		{ForeignTopic, "", []string{
			"hague convention", "hague evidence convention", "hague service convention",
			"foreign sovereign immunities act", "laws of england", "laws of england and wales", "country of origin",
			"country of nationality",
		}},
	}

	var law []string
	for _, country := range []string{
		"argentina", "australia", "austria", "belgium", "brazil", "canada", "chile", "china", "colombia", "denmark",
		"egypt", "finland", "france", "germany", "hong kong", "india", "ireland", "israel", "italy", "japan", "korea",
		"luxembourg", "mexico", "norway", "peru", "poland", "portugal", "russia", "scotland", "singapore", "spain",
		"sweden", "switzerland", "taiwan", "turkey", "ukraine",
	} {
		law = append(law, "laws of "+country, "law of "+country, "citizen of "+country, "national of "+country)
	}

	for _, country := range []string{
		"netherlands", "united kingdom", "philippines", "united arab emirates", "dominican republic",
		"people's republic of china", "cayman islands",
	} {
		law = append(law, "laws of the "+country, "citizen of the "+country, "national of the "+country)
	}

	return append(all, phrases{ForeignTopic, "", law})
}

// signTerms are the words by which deadlines, governing law and issues are found.
func signTerms() []phrases {
	return []phrases{
		{deadlineTopic, "", []string{
			"no later than", "not later than", "on or before", "due on", "due by", "due no later than",
			"due and payable on", "filed by", "served by", "respond by", "answer by", "received by", "vacate by",
			"pay by", "deadline is", "deadline of", "deadline for", "expires on", "within",
		}},
		{hearingTopic, "", []string{
			"hearing on", "hearing date", "hearing is set for", "hearing is scheduled for", "hearing set for",
			"trial is set for", "trial is scheduled for", "trial date is", "appear on", "appear before the court on",
		}},
		{dutyTopic, "", []string{
			"shall", "must", "agrees to", "agree to", "undertakes to", "covenants to", "is required to",
			"are required to",
		}},
		{LawTopic, "", []string{
			"governed by", "governed in all respects by", "construed in accordance with", "construed under",
			"interpreted in accordance with", "governing law",
		}},
		{IssueTopic, "", []string{
			"has breached section", "have breached section", "breached section", "has violated section",
			"have violated section", "violated section", "in breach of section", "in default under section",
			"in default of section", "in violation of section", "failed to comply with section",
		}},
	}
}
