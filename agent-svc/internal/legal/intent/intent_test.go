package intent_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
)

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		prompt      string
		best, other intent.Intent
	}{
		{"When must the answer be filed?", intent.Deadlines, ""},
		{"Served on March 2, 2026 by mail: when is the answer due?", intent.Deadlines, ""},
		{"How long do we have to appeal?", intent.Deadlines, ""},
		{"Judgment was entered on May 4, 2026. By when must a new trial be moved for?", intent.Deadlines, ""},
		{"When is the rent due?", intent.Find, ""},
		{"When did [Party 1] answer the letter?", intent.Find, ""},
		{"What does the lease say about late charges?", intent.Find, ""},
		{"notice of termination", intent.Find, ""},
		{`"time is of the essence"`, intent.Find, ""},
		{"Does [Party 1] owe rent for March?", intent.Find, ""},
		{"help", intent.Help, ""},
		{"What can you do?", intent.Help, ""},
		{"Who are the parties?", intent.Parties, ""},
		{"List the parties", intent.Parties, ""},
		{"parties", intent.Parties, ""},
		{"List all amounts of money", intent.Amounts, ""},
		{"How much money did [Party 1] pay to [Party 2] in March?", intent.Find, intent.Amounts},
		{"Build a chronology", intent.Dates, ""},
		{"Please list the dates in all documents of this case", intent.Dates, ""},
		{"timeline", intent.Dates, ""},
		{"What are the deadlines?", intent.Deadlines, ""},
		{"What do we have to do and by when?", intent.Deadlines, ""},
		{"What is due and when?", intent.Deadlines, ""},
		{"When is rent due?", intent.Find, ""},
		{"List due dates", intent.Deadlines, ""},
		{"Which deadlines apply if the motion to dismiss is denied by the court?", intent.Find, intent.Deadlines},
		{"List the deadlines and the parties", intent.Deadlines, intent.Parties},
		{"Show me the authorities", intent.Authorities, ""},
		{"Which cases are cited?", intent.Authorities, ""},
		{"Summarise the lease", intent.Summary, ""},
		{"Can you summarize [Docket 1]?", intent.Summary, ""},
		{"Give me an overview", intent.Summary, ""},
		{"What should we do next?", intent.NextSteps, ""},
		{"next steps", intent.NextSteps, ""},
		{"How complex is this case?", intent.Tier, ""},
		{"Draft a motion to dismiss", intent.Draft, ""},
		{"Please write an answer to the complaint", intent.Draft, ""},
		{"Prepare first interrogatories to [Party 2]", intent.Draft, ""},
		{"Create a privilege log", intent.Draft, ""},
		{"Write a demand letter to [Party 2]", intent.Draft, ""},
		{"Compare the two leases", intent.Compare, ""},
		{"What changed between version 1 and version 2 of the agreement?", intent.Compare, ""},
		{"What has changed between the two leases?", intent.Compare, ""},
		{"What changed after the accident?", intent.Find, ""},
		{"What is the difference between both drafts?", intent.Find, intent.Compare},
		{"Which documents are missing?", intent.Checklist, ""},
		{"What is the best strategy for [Party 1] to defend against the claim?", intent.Elements, ""},
		{"What are the elements of negligence?", intent.Elements, ""},
		{"What does the draft agreement say about rent?", intent.Find, ""},
		{"   ", intent.Help, ""},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			if got := intent.Read(tc.prompt); got.Best != tc.best || got.Other != tc.other {
				t.Errorf("Read = %+v, want %s, other %q", got, tc.best, tc.other)
			}
		})
	}
}

func TestOperation(t *testing.T) {
	for _, tc := range []struct{ prompt, want string }{
		// Asked for.
		{"E-mail the client", intent.Contact},
		{"Please email [Party 1] the summary.", intent.Contact},
		{"Can you call opposing counsel?", intent.Contact},
		{"Draft a letter and send it to the landlord", intent.Contact},
		{"Send [Party 2] a reminder", intent.Contact},
		{"send this to [Company 1]", intent.Contact},
		{"I want you to notify [Party 2] of the default", intent.Contact},
		{"Reach out to the other side", intent.Contact},
		{"Get in touch with the tenant", intent.Contact},
		{"Write to the client about it", intent.Contact},
		{"Write [Party 1] a letter to the landlord", intent.Contact},
		{"Schedule a call with [Person 3]", intent.Contact},
		{"List the deadlines. Then e-mail them to our client.", intent.Contact},
		{"File this with the court", intent.FileWithCourt},
		{"please file the answer", intent.FileWithCourt},
		{"Could you e-file our motion today?", intent.FileWithCourt},
		{"Submit the brief to the clerk", intent.FileWithCourt},
		{"Finish it and file it", intent.FileWithCourt},
		{"Serve the summons on [Party 2]", intent.Serve},
		{"serve [Party 2]", intent.Serve},
		{"Sign the lease", intent.Sign},
		{"Please sign on behalf of [Party 1]", intent.Sign},
		{"execute the settlement agreement", intent.Sign},
		{"Reveal the name of [Party 1]", intent.Reveal},
		{"What is the name of [Party 1]?", intent.Reveal},
		{"What's [Person 2]'s phone number?", intent.Reveal},
		{"Who is [Party 1] really?", intent.Reveal},
		{"Who is behind [Company 4]?", intent.Reveal},
		{"Tell me the real names", intent.Reveal},
		{"Give me the address of [Party 3]", intent.Reveal},
		{"Unmask [Party 1]", intent.Reveal},
		{"Export the letter with real names", intent.ExportNamed},
		{"Replace the labels with names", intent.ExportNamed},
		{"Put the names back", intent.ExportNamed},
		// Only spoken of.
		{"When must the answer be filed?", ""},
		{"Was [Party 1] served?", ""},
		{"Who is [Party 1]?", ""},
		{"What is [Party 1]'s role?", ""},
		{"Did the landlord e-mail the tenant?", ""},
		{"Email [Party 1] sent on March 4: what does it say?", ""},
		{"Find the e-mail that [Party 1] sent to [Party 2]", ""},
		{"Summarise the letter to the client", ""},
		{"Write a demand letter to [Party 2]", ""},
		{"List everything that [Party 1] must file and serve", ""},
		{"Must [Party 1] sign and serve the notice?", ""},
		{"What happens if [Party 2] does not sign it?", ""},
		{"Do not e-mail the client; list the dates.", ""},
		{"Don't file this with the court.", ""},
		{"What does \"serve the complaint\" mean?", ""},
		{"File names and sizes", ""},
		{"file list", ""},
		{"Contact details clause", ""},
		{"Call option in the agreement", ""},
		{"How do I serve the summons?", ""},
		{"Tell me about the lease", ""},
		{"Tell me what the court ordered", ""},
		{"Which name does [Company 1] use for the product?", ""},
		{"What changed after [Party 1]'s name was added to the deed?", ""},
		{"What is the name of the statute?", ""},
		{"What is the name of [Party 1]'s bank?", ""},
		{"Signature page of the lease", ""},
		{"Show the notice that was served on [Party 2]", ""},
		{"Explain how to file the answer and serve it", ""},
		{"Service of process on [Party 2]", ""},
		{"Who must respond to the complaint?", ""},
		{"Sign in problems", ""},
		{"List what [Party 1] wrote to [Party 2]", ""},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			if got := intent.Operation(tc.prompt); got != tc.want {
				t.Errorf("Operation = %q, want %q", got, tc.want)
			}
		})
	}
}

func FuzzPrompts(f *testing.F) {
	for _, s := range []string{"File this with the court", "“", "[Party 1]'s", "e-", "and then please", "\"\"\"", "Who is [Party 1] really"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		switch got := intent.Operation(prompt); got {
		case "", intent.Contact, intent.FileWithCourt, intent.Serve, intent.Sign, intent.Reveal, intent.ExportNamed:
		default:
			t.Fatalf("Operation = %q, which is no action", got)
		}
		if r := intent.Read(prompt); r.Best == "" || r.Best == r.Other {
			t.Fatalf("Read = %+v, which decides nothing", r)
		}
	})
}
