package cli

// examples show each command at work, in its --help.
var examples = map[string]string{ //nolint:gosec // the word token is the name of a command
	"login": "subrosa login --site https://subrosa.example --issuer https://id.example --client-id " +
		"subrosa-cli",
	"logout":            "subrosa logout --agent",
	"token":             `curl -H "Authorization: Bearer $(subrosa token)" https://localhost:8443/v1/me`,
	"me":                "subrosa me",
	"connect":           "subrosa connect --card-url https://agent.example/.well-known/agent.json",
	"a2a send":          "subrosa a2a send --case CASE What is the notice period?",
	"a2a stream":        "subrosa a2a stream --case CASE What is the notice period?",
	"a2a get":           "subrosa a2a get TASK",
	"a2a list":          "subrosa a2a list --state TASK_STATE_INPUT_REQUIRED",
	"a2a cancel":        "subrosa a2a cancel TASK",
	"a2a card":          "subrosa a2a card",
	"agent status":      "subrosa agent status",
	"agent serve":       "subrosa agent serve",
	"agent disconnect":  "subrosa agent disconnect",
	"grants list":       "subrosa grants list",
	"grants revoke":     "subrosa grants revoke GRANT",
	"member list":       "subrosa member list",
	"member offboard":   "subrosa member offboard cara",
	"member reinstate":  "subrosa member reinstate cara",
	"member key-expiry": "subrosa member key-expiry cara --at 2026-12-31T23:59:59Z",
	"case create": "subrosa case create --title 'Lease dispute, [Party 1] and [Party 2]' --jurisdiction US-CA " +
		"--practice HO-00-00-00-00",
	"case list": "subrosa case list --status intake,open --tier 3,4 --due-before 2026-12-31\n" +
		"subrosa case list --json --all --since 2026-11-01T00:00:00Z --sort updatedAt --deleted",
	"case show": "subrosa case show CASE --include parties,deadlines",
	"case update": "subrosa case update CASE --stage L200 --tag lease --tag urgent\n" +
		"subrosa --as user case update CASE --status closed --close-reason settled\n" +
		"subrosa case update CASE --set '{\"summary\":null}'",
	"case delete":       "subrosa case delete CASE",
	"case restore":      "subrosa case restore CASE",
	"case conflict":     "subrosa case conflict CASE clear --reason 'Checked against the register of the firm.'",
	"party add":         "subrosa party add CASE --role plaintiff --kind individual --side ours --client yes",
	"party list":        "subrosa party list CASE --side adverse",
	"party show":        "subrosa party show PARTY",
	"party update":      "subrosa party update PARTY --status dismissed --left-on 2026-11-20",
	"vault init":        "subrosa vault init",
	"vault status":      "subrosa vault status",
	"vault show":        "subrosa vault show CASE",
	"vault seal":        "subrosa vault seal PARTY\nsubrosa vault seal PARTY --from identity.json --replace",
	"vault give":        "subrosa vault give USER --fingerprint '1f0a 93c2 77de 0b41 5a6e c8d0 24b9 e3f7'",
	"vault fingerprint": "subrosa vault fingerprint",
	"vault reseal":      "subrosa vault reseal",
	"vault rotate":      "subrosa vault rotate --remove USER",
	"vault passphrase":  "subrosa vault passphrase",
	"vault backup":      "subrosa vault backup vault.json",
	"vault restore":     "subrosa vault restore vault.json --over",
	"guard":             "subrosa guard complaint.md\nsubrosa guard --door prompt --jsonl < prompts.jsonl",
	"redact": "subrosa redact statement.docx\nsubrosa redact letter.pdf --map statement.labels.age --also " +
		"'Old Mill'\nsubrosa redact --restore answer.md --map statement.labels.age",
	"file add": "subrosa file add CASE complaint.md exhibits/*.pdf\n" +
		"subrosa file add CASE lease.docx --keep-original\n" +
		"subrosa file add CASE lease-2.docx --doc-type draft_agreement --document-on 2026-03-04 --supersedes FILE",
	"file list": "subrosa file list CASE -q 'notice of termination'",
	"file show": "subrosa file show CASE FILE",
	"file get": "subrosa file get CASE FILE --out lease.md\nsubrosa file get CASE FILE --docx\n" +
		"subrosa file get CASE FILE --original",
	"file text": "subrosa file text CASE FILE --from 812 --to 961",
	"file redact": "subrosa file redact CASE statement.md\nsubrosa file redact CASE statement.md --clear\n" +
		"subrosa file redact CASE statement.deidentified.txt --clear --map statement.labels.age",
	"file delete": "subrosa file delete CASE FILE",
	"ask": "subrosa ask --case CASE --type eval\n" +
		"subrosa ask --case CASE 'What is the notice period for termination?'",
	"workspace": "subrosa workspace CASE",
	"timeline show": "subrosa timeline show --case CASE --kinds deadline,hearing\n" +
		"subrosa timeline show --case CASE --calendar --remind 7,1 --out deadlines.ics",
	"timeline add": "subrosa timeline add --case CASE --on 2026-02-03 '[Party 1] gave notice of termination'\n" +
		"subrosa timeline add --case CASE --kind deadline --due-on 2026-12-14 Answer to the complaint",
	"timeline confirm":  "subrosa timeline confirm ENTRY --case CASE",
	"timeline reject":   "subrosa timeline reject ENTRY --case CASE",
	"timeline undo":     "subrosa timeline undo ENTRY --case CASE",
	"timeline edit":     "subrosa timeline edit ENTRY --due-on 2026-04-01 --case CASE",
	"timeline deadline": "subrosa timeline deadline ENTRY confirmed --case CASE",
	"branch create": "subrosa branch create --case CASE --title 'As the landlord would argue' --purpose " +
		"opposing_view",
	"branch show":    "subrosa branch show BRANCH",
	"branch rename":  "subrosa branch rename BRANCH The reading of the landlord",
	"branch archive": "subrosa branch archive BRANCH",
	"phase list":     "subrosa phase list --case CASE --review pending",
	"phase show":     "subrosa phase show PHASE",
	"source":         "subrosa source PHASE 3 --around 800",
	"review walk":    "subrosa review\nsubrosa review --case CASE",
	"review list":    "subrosa review list",
	"review approve": "subrosa review approve PHASE --note 'Checked against the complaint.'",
	"review amend":   "subrosa review amend PHASE --text corrected.md",
	"review reject":  "subrosa review reject PHASE --note 'The date of service is another one.'",
	"review comment": "subrosa review comment PHASE See paragraph 4 as well.",
	"partner search": "subrosa partner search --case CASE --kind mediator",
	"partner invite": "subrosa partner invite CASE PARTNER --role second_opinion --message 'A second reading of the " +
		"lease would help.' --hours 72",
	"invite list":   "subrosa invite list CASE",
	"invite show":   "subrosa invite show INVITE",
	"invite decide": "subrosa invite decide INVITE accept --conflict-attested yes",
	"export":        "subrosa export CASE --out case.zip",
	"audit list":    "subrosa audit list case --resource CASE",
	"audit verify":  "subrosa audit verify",
	"settings show": "subrosa settings show",
	"settings set":  "subrosa settings set --opened-by owners --retention default=10 --tiers 20,40,60",
	"dev cert":      "subrosa dev cert --out certs",
	"keys new":      "subrosa keys new keys",
	"keys rotate":   "subrosa keys rotate keys",
	"completion": "source <(subrosa completion bash)\nsubrosa completion zsh > ~/.zfunc/_subrosa\n" +
		"subrosa completion fish > ~/.config/fish/completions/subrosa.fish",
	"version": "subrosa version",
}
