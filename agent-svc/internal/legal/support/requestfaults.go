package support

// fault is an entry about an error code.
func fault(code, title, cause, remedy, words string) Entry {
	return Entry{Code: code, Title: title, Cause: cause, Remedy: remedy, Words: words, Fault: true}
}

// requestFaults are the errors that a request brings on itself.
func requestFaults() []Entry {
	return []Entry{
		fault("malformed_json", "The body is not JSON", "The body could not be read as one JSON value.", "Send a single JSON object in UTF-8, with nothing behind it.", "parse syntax body"),
		fault("invalid_parameter", "A query parameter is wrong", "A parameter of the address is unknown or has a value that is not taken.", "Check its spelling and its form; the message names it.", "query string"),
		fault("invalid_cursor", "A cursor is not accepted", "The cursor is older than 24 hours, was changed, or belongs to another filter or sort order.", "Begin the list anew without a cursor and keep filter and sort as they are while you page.", "paging page next list"),
		fault("validation_failed", "Fields do not fit", "One or more fields break a rule of the interface.", "Read details: each entry names the path of a field and what it must be.", "invalid field value"),
		fault("unknown_field", "A field is not known", "The body holds a field that this endpoint does not have.", "Take it out. Only the documented fields are accepted, so that a slip of spelling is never lost silently.", "extra field"),
		fault("unknown_label", "A label is not of the right form", "A field that takes a label holds something else.", "Send a label such as [Party 1]: a kind from the list, one blank, and a number from 1 to 9999.", "label bracket"),
		fault("request_type_mismatch", "Request type and container do not go together", "The requestType is not allowed in this containerType.", "Use eval_req and case_req in a case, support_req in support or a case, sales_req in sales.", "containerType requestType"),
		fault("idempotency_key_reused", "An Idempotency-Key was used for something else", "The same key came before with another body.", "Make a new key for a new request; repeat a key only with the same body.", "idempotency retry"),
		fault("empty_file", "A file is empty", "The upload has no bytes.", "Upload a file that holds text.", "upload zero bytes"),
		fault("phase_not_on_timeline", "A phase belongs to another timeline", "The phase that a branch should fork from is not on its timeline.", "Take a phase of the same case, as GET /v1/phases lists it.", "fork branch"),
		fault("depth_exceeded", "Branches are nested too deep", "A branch may not fork from a branch of a branch without end.", "Fork from a branch nearer to the root.", "fork nested"),
		fault("merge_cycle", "A merge would run in a circle", "The branches already descend from each other.", "Merge into the ancestor instead.", "merge branch"),
		fault("scope_not_in_case", "The scope of an invite lies outside the case", "A branch or file named in the scope is not of this case.", "Name only branches and files of the case.", "invite partner scope"),
		fault("licence_mismatch", "The partner's licence does not fit", "The partner has no licence for the jurisdiction of the case.", "Choose a partner whose licences cover it.", "invite partner jurisdiction license"),
		fault("card_url_invalid", "The address of the agent card is not accepted", "The address is not https, holds user data, or leads to a private network.", "Serve the card over https at a public address and send that address.", "register agent card url loopback localhost private"),
		fault("card_unreachable", "The agent card could not be fetched", "The address did not answer in five seconds with a card of at most 64 KiB, or sent more than three redirects.", "See that the card answers from the public internet with a valid certificate, then register again; the token is still good.", "register timeout certificate"),
		fault("card_invalid", "The agent card lacks something", "The card is not JSON or misses a required field.", "Give it name, description, url and protocols with a2a/1.0, or a genuine A2A 1.0 card. The token is not used up by this.", "register fields protocols"),
		fault("unauthenticated", "No valid credential came with the request", "The bearer token is missing, expired, revoked or of another service.", "Exchange the API key again at POST /v1/auth/token and send the new token as Authorization: Bearer.", "401 unauthorized expired token bearer sign in login"),
		fault("registration_token_invalid", "The registration token is not accepted", "It is older than 600 seconds, was used before, or was never issued.", "Ask the user for a new one; it can be used once within ten minutes.", "register expired token 401"),
		fault("invalid_api_key", "The API key is not accepted", "No connected agent has this key. Keys end when the user disconnects the agent.", "Check that the whole key was stored; if it is lost, disconnect and register again, since a key is shown only once.", "401 wrong key lost key shared_api_key"),
		fault("forbidden", "This caller may not do that", "The caller can see the thing but has no right to this step.", "Let a person with the right role do it, or ask the administrator for the role.", "403 permission rights role"),
		fault("scope_missing", "The token lacks a scope", "The bearer or grant does not carry the scope that this route needs.", "Ask for a grant with the scope that the message names.", "403 oauth scope permission"),
		fault("identity_refused", "Something could be a real identity", "A text, field name or operation holds or needs a real identity, which this service never takes. Nothing of the request was stored.",
			"Replace the place that details shows by a label such as [Party 1] and send it again, or follow the deep link and do it in the browser.", "refused upload name email phone personal data pii redact why was my upload refused"),
		fault("identity_unverifiable", "A file cannot be shown to be free of identities", "Scans, images, damaged and encrypted files have no text that could be checked.", "Upload a text version. A signed-in user can also attest for the file; agents then cannot read it.", "scan image ocr encrypted upload refused"),
		fault("access_ended", "Access to the organization was ended",
			"Somebody of the organization has offboarded this member.",
			"An owner can lift the suspension.", "403 offboarded suspended member sign in"),
		fault("human_required", "Only a person may do this", "Approving, confirming, closing, deleting and the like are kept for a signed-in user.", "Send the user to the deep link of the answer.", "403 approve review confirm delete agent not allowed"),
		fault("ai_policy_forbids", "The case does not allow a language model", "The request demanded a model, and the case's policy forbids one.", "Leave options.mode out, or set it to deterministic.", "model policy"),
		fault("not_found", "There is nothing here that this caller can see", "It does not exist, was deleted for good, or belongs to somebody else; the answer is the same for all three.", "Check the id and with whose credential you call.", "404 missing case file"),
		fault("method_not_allowed", "The path does not take this method", "The path exists, the method does not.", "Use a method from the Allow header.", "405"),
		fault("not_acceptable", "Only an event stream is to be had here", "The Accept header excludes text/event-stream.", "Send Accept: text/event-stream, or no Accept header.", "406 accept sse stream header"),
		fault("body_too_large", "The body is too large", "JSON bodies are taken up to 1 MiB.", "Send less; long material belongs in files.", "413 size limit"),
		fault("headers_too_large", "The headers are too large", "The address and headers of a request are taken up to 32 KiB together.", "Send less in them; a token or cookie that was added twice is the usual cause.", "431 header cookie size limit"),
		fault("prompt_too_long", "The prompt is too long", "A prompt has at most 32,000 characters.", "Put long material into a file of the case and refer to it.", "413 size limit prompt"),
		fault("file_too_large", "A file is too large", "Files are taken up to 25 MiB, unpacked or not.", "Split the file or leave out pictures.", "413 upload size limit"),
		fault("too_many_pages", "A file has too many pages", "Files are taken up to 2,000 pages.", "Split the file.", "413 upload limit pages"),
		fault("case_quota_exceeded", "The case is full", "A case takes 500 files and 2 GiB.", "Delete what is not needed, or open another case.", "413 quota limit files"),
		fault("unsupported_media_type", "This type of content is not taken", "The type of the body or file is not on the list.", "Send application/json to JSON routes; upload text, Markdown, PDF, DOCX or ODT.", "415 content-type upload format"),
		fault("media_type_mismatch", "The bytes are not of the declared type", "The type found in the bytes differs from the declared one or from the file's ending.", "Send the file with its right type.", "415 upload content-type"),
		fault("macro_refused", "The document holds macros", "Macros, embedded objects and remote templates are refused.", "Save the document as a plain DOCX without them.", "415 word macro upload"),
		fault("rate_limited", "Too many requests", "The caller used up its rate for the moment.", "Wait for the time in Retry-After; the RateLimit header shows what is left.", "429 slow down limit too many requests throttle"),
		fault("too_many_downloads", "Too many downloads at once", "A caller may have two downloads open at a time.",
			"Read one to its end, or close it, before you open another.", "429 concurrent downloads limit"),
		fault("too_many_uploads", "Too many uploads at once", "A caller may have two uploads open at a time.",
			"Wait until one ends, then send the next.", "429 concurrent uploads files limit"),
		fault("too_many_streams", "Too many streams at once", "A caller may have eight streams open at a time.", "Close one, or wait until one ends.", "429 concurrent streams limit"),
	}
}
