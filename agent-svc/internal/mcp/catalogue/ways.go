package catalogue

import (
	"encoding/json"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
)

// views names the views of legal_lookup that answer a reading operation, the first of them its own.
var views = map[string][]string{
	"listCases":      {"cases", "search"},
	"getCase":        {"case"},
	"getWorkspace":   {"workspace"},
	"getTimeline":    {"timeline"},
	"getBranch":      {"branch"},
	"listPhases":     {"phases", "phase", "tasks", "task"},
	"listFiles":      {"files", "search"},
	"getFile":        {"file"},
	"getFileContent": {"file"},
	"getFileText":    {"passage"},
	"listParties":    {"parties"},
	"getParty":       {"party"},
	"searchPartners": {"partners"},
	"listInvites":    {"invites"},
	"getInvite":      {"invite"},
	"getMe":          {"service"},
	"getSettings":    {"service"},
}

// act is how legal_agent does an operation.
type act struct {
	verb     string
	scope    string // "" for the one to write
	human    string // action of the deep link, for what only a person does
	argument bool   // verb is an argument of the tool itself, and schema is that of a call
	call     string
}

func (a act) schema() json.RawMessage { return json.RawMessage(a.call) }

// acts are the operations that legal_agent does, or would if the caller were a person.
var acts = map[string]act{
	"createCase":              {verb: "create_case"},
	"updateCase":              {verb: "update_case"},
	"deleteCase":              {verb: "delete_case", human: deeplink.CaseSettings},
	"addFiles":                {verb: "add_file"},
	"addEntry":                {verb: "add_timeline_entry"},
	"createBranch":            {verb: "create_branch", scope: access.ScopeRun},
	"updateBranch":            {verb: "update_branch"},
	"createParty":             {verb: "create_party"},
	"replaceParty":            {verb: "update_party"},
	"invitePartner":           {verb: "invite_partner"},
	"reviewPhase":             {verb: "review_phase", human: deeplink.Review},
	"createRegistrationToken": {verb: "connect_agent", human: connection},
	"disconnectAgent":         {verb: "disconnect_agent", human: connection},
	"runAgent": {
		verb:     "message",
		scope:    access.ScopeRun,
		argument: true,
		call: `{"type":"object","required":["message"],"properties":{` +
			`"message":{"type":"string","maxLength":` + strconv.Itoa(api.MaxPrompt) + `},` +
			`"requestType":{"type":"string","enum":["eval_req","case_req","support_req","sales_req"]},` +
			`"caseId":{"type":"string"},"containerId":{"type":"string"},"branchId":{"type":"string"},` +
			`"fileIds":{"type":"array","items":{"type":"string"}},` +
			`"idempotencyKey":{"type":"string"},"waitSeconds":{"type":"integer"}}}`,
	},
	"followRun": {
		verb:     "taskId",
		scope:    access.ScopeRun,
		argument: true,
		call: `{"type":"object","required":["taskId"],"properties":{` +
			`"taskId":{"type":"string"},"message":{"type":"string"},"waitSeconds":{"type":"integer"}}}`,
	},
	"cancelRun": {
		verb:     "cancel",
		scope:    access.ScopeRun,
		argument: true,
		call: `{"type":"object","required":["taskId","cancel"],"properties":{` +
			`"taskId":{"type":"string"},"cancel":{"const":true}}}`,
	},
}

// connection is the page about the user's external agent.
const connection = "agent"

// elsewhere names the pages of what neither tool does.
var elsewhere = map[string]string{
	"restoreCase":      deeplink.CaseSettings,
	"exportCase":       deeplink.Export,
	"decideConflict":   deeplink.ConflictCheck,
	"clearFindings":    deeplink.RedactFile,
	"deleteFile":       deeplink.Files,
	"getVault":         deeplink.Reveal,
	"saveVault":        deeplink.Reveal,
	"listVaultMembers": deeplink.Reveal,
	"giveVaultKey":     deeplink.Reveal,
	"rotateVaultKey":   deeplink.Reveal,
	"getSealedLabels":  deeplink.Reveal,
	"saveSealedLabels": deeplink.Reveal,
	"listMembers":      deeplink.Members,
	"offboardMember":   deeplink.Members,
	"reinstateMember":  deeplink.Members,
	"expireMemberKeys": deeplink.Members,
	"reviewEntry":      deeplink.Review,
	"decideInvite":     deeplink.ConfirmInvite,
	"updateSettings":   deeplink.Admin,
	"getMyAgent":       connection,
	"checkAgentHealth": connection,
}

// addFile is the schema of add_file: text, since no bytes go through the tools.
func addFile(d document) json.RawMessage {
	types := `["text/plain","text/markdown","text/html","text/csv","application/json","message/rfc822"]`

	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name","text"],"properties":{` +
		`"name":{"type":"string","minLength":1,"maxLength":255,` +
		`"description":"file name with its ending, such as complaint.md"},` +
		`"text":{"type":"string","minLength":1,"description":"the whole text, with labels in place of names"},` +
		`"mediaType":{"type":"string","enum":` + types + `,"default":"text/plain"},` +
		`"metadata":{"$ref":"#/components/schemas/FileMetadata"}}}`)
}

// byName are the query parameters of a view that legal_lookup has an argument of its own for, with its name.
var byName = map[string]string{
	"q":        "query",
	"cursor":   "cursor",
	"limit":    "limit",
	"caseId":   "caseId",
	"branchId": "branchId",
}

// OwnArgument returns the argument of legal_lookup that stands for a query parameter, "" when filters carry it.
func OwnArgument(parameter string) string { return byName[parameter] }

// set are the query parameters that legal_lookup sets itself.
var set = map[string]bool{"phaseId": true, "mine": true, "containerId": true, "view": true, "forCaseId": true}

// Fixed reports whether legal_lookup sets a query parameter itself, so that filters cannot.
func Fixed(parameter string) bool { return set[parameter] || byName[parameter] != "" }
