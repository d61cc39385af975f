package cli

import (
	"strings"
	"sync"

	"github.com/alecthomas/kong"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// fillIn puts flagValues and explanations into the tags that name them. kong could do so itself, but it would look
// through every one of them again for every flag, which takes longer than most commands.
func fillIn(parser *kong.Kong) error {
	texts := tagTexts()

	return kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if value, ok := node.(*kong.Value); ok {
			value.Enum, value.Help = texts.Replace(value.Enum), texts.Replace(value.Help)
		}

		return next(nil)
	})
}

// tagTexts replaces each ${name} of flagValues and explanations. kong refuses a name that is in neither.
var tagTexts = sync.OnceValue(func() *strings.Replacer {
	var pairs []string

	for _, texts := range []map[string]string{flagValues(), explanations()} {
		for name, text := range texts {
			pairs = append(pairs, "${"+name+"}", text)
		}
	}

	return strings.NewReplacer(pairs...)
})

// flagValues has the values of flags that are too many to stand in the tag of a field, and those that several flags
// take. A tag names them as ${name}. The service checks what it gets: this list only lets a person see what there is,
// and a typing error before anything is sent.
func flagValues() map[string]string {
	return map[string]string{
		"a2aStates":     strings.Join(api.A2AStates(), ","),
		"aiPolicies":    "no_model,local_model_only,model_allowed",
		"caseOrders":    "-updatedAt,updatedAt,createdAt,-createdAt,title,nextDeadline,-tier",
		"channels":      "prompt,fileText,fileName,title,query,partyRecord,reread",
		"closeReasons":  "settled,judgment,dismissed,withdrawn,advice_given,referred,declined,transaction_completed,other",
		"codeSets":      "litigation,counseling,project,bankruptcy,other",
		"entityTypes":   "corporation,llc,partnership,nonprofit,agency,sole_proprietor,other",
		"entryKinds":    "fact,filing,hearing,deadline,communication,payment,agreement,authority",
		"extractions":   "ok,low_quality,needs_ocr,damaged,encrypted,unsupported",
		"forums":        "federal,state,tribal,agency,arbitration,foreign,none",
		"inviteRoles":   "co_counsel,referral,second_opinion,expert,mediator,translator,other",
		"matterKinds":   "litigation,arbitration,administrative,transaction,advisory,appeal,other",
		"ownEntryKinds": "file_added,phase,review,status_change,invite",
		"partnerKinds": "lawyer,law_firm,notary,mediator,arbitrator,expert_witness,paralegal,translator,investigator," +
			"court_reporter,agent_service",
		"partyKinds":    "individual,organization,government,estate,trust,class,minor,unknown",
		"phaseStatuses": "queued,running,completed,refused,failed,cancelled,interrupted",
		"privileges":    "none,attorney_client,work_product,settlement,mediation",
		"professions":   "lawyer,paralegal_under_lawyer,notary,mediator,accredited_rep,other",
		"requestTypes":  "eval,case,support,sales,admin",
		"reviewStates":  "not_required,pending,approved,amended,rejected",
		"sides":         "claimant,respondent,both,neutral,non_adversarial",
		"stakes": "money,housing,employment,benefits,custody,civil_rights,immigration,liberty,safety," +
			"reputation",
	}
}

// explanations are the helps of flags that take more than the line of a tag.
func explanations() map[string]string {
	return map[string]string{
		"aboutAuto":   "auto is the agent once one is connected from here, and the user before and for what only a person may do.",
		"aboutReread": "reread also shows what may be left in a text with labels.",
		"cardURL": "Address of your own agent's card. Without it this machine runs the sample agent, " +
			"which only a local Subrosa reaches.",
		"guarded": "Files to look through: text, Markdown, HTML, CSV, JSON, e-mail, PDF, DOCX or ODT. " +
			"Default: standard input, as text.",
		"jsonLines": `Read lines {"id","text"} and print lines {"id","spans":[{"start","end","type"}]}, for scoring. ` +
			"Offsets count bytes of UTF-8.",
		"keepOriginal": "Store each original with the case too, encrypted under your vault, even if the file is there " +
			"already. Of DOCX, ODT, PDF, HTML and e-mail the service keeps only a rendition, so this is the only way " +
			"to get the original back. Agents cannot use this.",
		"mapFile": "Encrypted map of the case's labels; it is read if it is there, and extended. " +
			"Default: beside FILE, with .labels.age.",
		"removeOriginals": "Agree that the originals counted by settings show are deleted 30 days after they were " +
			"set aside, except in cases under legal hold.",
		"sealFrom": "Read the identity from a JSON file, or from standard input with -: name and, if you like, " +
			"aliases, email, phone, address, notes. Without it you are asked. Never put a name into an argument: " +
			"others can see it.",
		"toldPrint": "The member's fingerprint, as they told you by another channel. " +
			"Without it you are shown theirs and asked.",
	}
}
