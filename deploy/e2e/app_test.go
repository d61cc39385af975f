package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// app opens a browser of its own at an address of the service and signs a person in there.
func (w *world) app(b *chromium.Browser, p devidp.Person, path string) *chromium.Tab {
	w.t.Helper()
	tab := b.Tab(w.t)
	tab.Visit(w.Facts.BaseURL + path)
	w.signIn(tab, p)

	return tab
}

// signIn takes a tab from the app's question for a sign-in through the provider's form and back.
func (w *world) signIn(tab *chromium.Tab, p devidp.Person) {
	w.t.Helper()
	tab.Press("Sign in")
	tab.Fill("E-mail", p.Email)
	tab.Fill("Password", p.Password)
	tab.Press("Sign in")
	tab.Until("the app", `location.origin === `+fmt.Sprintf("%q", w.Facts.BaseURL)+` && document.querySelector("subrosa-app nav")`)
}

func TestThePersonSignsInAndOut(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	b := chromium.Start(t, nil)
	first := w.app(b, ada, "/app/audit?chain=auth")
	if at := first.Address(); at != w.Facts.BaseURL+"/app/audit?chain=auth" {
		t.Errorf("the sign-in led to %s", at)
	}
	first.Shows("What happened")
	if stored := chromium.Eval[string](first, `document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)`); stored != "{}{}" {
		t.Errorf("a script can read %s", stored)
	}
	second := w.app(b, ada, "/")
	third := w.app(b, ben, "/")
	idle := w.app(b, ada, "/app/agent")
	second.Press(ada.Name)
	second.Press("Sign out everywhere")
	second.Shows("Sign in")
	// The session ended elsewhere. Who goes on to work is refused, which the browser logs.
	first.Press("Agent")
	first.Shows("The names themselves are encrypted")
	first.Provoked("401")
	// A page that is seen again asks who is signed in. The browser logs nothing.
	idle.Shows("Make a registration token")
	chromium.Eval[bool](idle, `document.dispatchEvent(new Event("visibilitychange"))`)
	idle.Shows("The names themselves are encrypted")
	third.Press("Agent")
	third.Shows("Make a registration token")
}

func TestTheKeyboardAloneSignsIn(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	tab := chromium.Start(t, nil).Tab(t)
	tab.Visit(w.Facts.BaseURL + "/app/agent")
	tab.Shows("The names themselves are encrypted")
	reach := func(name string) {
		t.Helper()

		for range 60 {
			tab.Key(kb.Tab)
			if strings.TrimSpace(chromium.Eval[string](tab, `document.activeElement.innerText ?? ""`)) == name {
				return
			}
		}
		t.Fatalf("%s is not reached by the keyboard", name)
	}
	reach("Sign in")
	tab.Key(kb.Enter)
	tab.Until("the provider's form", `document.querySelector("input[name=email]") === document.activeElement`)
	tab.Key(ada.Email)
	tab.Until("the e-mail address", fmt.Sprintf(`document.activeElement.value === %q`, ada.Email))
	tab.Key(kb.Tab + ada.Password + kb.Enter)
	tab.Shows("Make a registration token")
	reach("Skip to the page")
	reach("Make a registration token")
	tab.Key(kb.Enter)
	tab.Shows("Registration token")
}

func TestAPersonConnectsAnAgentInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	tab := w.app(chromium.Start(t, nil), ada, "/app/agent")
	tab.Press("Make a registration token")
	tab.Shows("more. Whoever has it")
	token := chromium.Eval[string](tab, `document.querySelector("#token").textContent.trim()`)
	if command := chromium.Eval[string](tab, `document.querySelector("#command").textContent`); !strings.Contains(command, token) || !strings.Contains(command, w.Facts.BaseURL+"/v1/agents/register") {
		t.Errorf("the command is %s", command)
	}
	host := w.cardHost()
	registered := into[api.RegisteredAgent](t, w.register(token, host.url), http.StatusCreated)
	tab.Shows(registered.AgentID) // without a word of ours: the page looks for it
	tab.Shows("Its card can be fetched and is valid.")
	if strings.Contains(tab.Text(), token) {
		t.Error("the token is shown although it is spent")
	}
	tab.Accessible("the agent's page")
	tab.Press("Disconnect")
	tab.Press("Disconnect")
	tab.Shows("Make a registration token")
	w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+registered.SharedAPIKey+`"}`).refused(t, "its key", http.StatusUnauthorized, "invalid_key", "unauthenticated", "invalid_api_key")
}

func TestAPersonEndsAnApplicationInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	granted := w.letIn(ada, "cases:read cases:write")
	tab := w.app(chromium.Start(t, nil), ada, "/i/grants")
	tab.Shows("May read your cases and change your cases.")
	tab.Accessible("applications")
	chromium.Eval[bool](tab, `([...document.querySelectorAll("main button.danger")][0].click(), true)`)
	tab.Press("End it")
	tab.Shows("No application is connected.")
	if w.alive(granted.access) {
		t.Error("the application goes on")
	}
}

// An owner ends a member's access on the page of members, thinks better of it once before, and gives it back.
func TestAnOwnerEndsAMembersAccessInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(cara)
	tab := w.app(chromium.Start(t, nil), otto, "/i/members")
	tab.Shows("End the access of cara")
	tab.Accessible("members")
	tab.Press("End the access of cara")
	tab.Shows("End the access of cara?")
	tab.Accessible("the question")
	tab.Press("Leave it as it is")
	w.takes("the agent of a member whose access nobody ended", agent.bearer)

	tab.Press("End the access of cara")
	tab.Press("End the access")
	tab.Shows("Give cara access again")
	tab.Shows("ended by the organization")
	w.refuses("the agent of a member without access", agent.bearer)
	w.send(http.MethodGet, "/v1/cases", w.token(cara), "").
		refused(t, "a member without access", http.StatusForbidden, "access_ended")

	tab.Press("Give cara access again")
	tab.Shows("End the access of cara")
	testkit.UntilTrue(t, outWithin, "cara can sign in", func() bool {
		look := func() int { return w.send(http.MethodGet, "/v1/cases", w.token(cara), "").status }
		first, second := look(), look() // one of each replica

		return first == http.StatusOK && second == http.StatusOK
	})
	tab.Press("End the access of otto") // the last owner
	tab.Press("End the access")
	tab.Shows("This is the last owner of the organization.")

	for _, complaint := range tab.Complaints() {
		if !strings.Contains(complaint, "409") { // the browser tells of each answer that is a refusal
			t.Error(complaint)
		}
	}
}

func TestTheAppChecksTheAuditTrail(t *testing.T) {
	t.Parallel()

	w := start(t, unlimited())
	for range 3 {
		w.newCase(w.token(ada))
	}
	tab := w.app(chromium.Start(t, nil), ada, "/app/audit")
	tab.Shows("case.create")
	tab.Press("Check all chains here")
	tab.Shows("Ends with")
	tab.Until("all four chains", `document.querySelectorAll("ul[aria-label='Result of the check'] .badge.good").length === 4`)
	// An event is changed behind the service's back, keeping its hash.
	chain := w.database("CASE_DATABASE").Collection("audit")
	var events []bson.M
	found, err := chain.Find(t.Context(), bson.M{})
	if err != nil {
		t.Fatal(err)
	}
	if err := found.All(t.Context(), &events); err != nil || len(events) < 3 {
		t.Fatalf("%d events: %v", len(events), err)
	}
	if _, err := chain.UpdateOne(t.Context(), bson.M{"_id": events[1]["_id"]}, bson.M{"$set": bson.M{"outcome": "refused"}}); err != nil {
		t.Fatal(err)
	}
	tab.Press("Check all chains here")
	tab.Shows("What event 2 says does not fit its hash.")
}
