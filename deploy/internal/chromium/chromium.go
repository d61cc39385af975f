// Package chromium drives a real browser for tests, as a person uses it: by what stands on buttons, links and fields.
// Every tab listens for what a page must not do: complain on the console, or break its own policy.
package chromium

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a page may take for one step on a busy machine.
const patience = 40 * time.Second

// Browser is a running Chromium.
type Browser struct {
	ctx context.Context
}

// shared is the Chromium of all tests of this process that need nothing of their own: starting one costs more than most
// tests do in it. It ends with the last test that uses it.
var shared struct {
	sync.Mutex
	browser *Browser
	end     func()
	users   int
}

// Start returns a Chromium that lives at least as long as the test. Its tabs share nothing with those of other tests.
// Without one on PATH the test is skipped. instead names, by address (host:port), the address that is connected to in
// its place; the browser does not notice.
func Start(t testing.TB, instead map[string]string) *Browser {
	t.Helper()
	program := find(t)
	if len(instead) > 0 {
		b, end := launch(t, program, instead)
		t.Cleanup(end)

		return b
	}

	shared.Lock()
	defer shared.Unlock()
	if shared.users == 0 {
		shared.browser, shared.end = launch(t, program, nil)
	}
	shared.users++
	t.Cleanup(func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.users--; shared.users == 0 {
			shared.end()
		}
	})

	return shared.browser
}

// find returns the path of the machine's Chromium.
func find(t testing.TB) string {
	t.Helper()
	// go test sees that this variable is read, and runs the test again when the machine has another browser.
	_ = os.Getenv("TEST_TOOLS_SUM")

	// The first is Chromium without what draws windows: it needs two thirds of the processor time.
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Skip("no Chromium is on PATH (Debian: apt-get install chromium-headless-shell)")

	return ""
}

// launch starts a Chromium with a profile of its own. end stops it and removes the profile.
func launch(t testing.TB, program string, instead map[string]string) (b *Browser, end func()) {
	t.Helper()
	profile, err := os.MkdirTemp("", "subrosa-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(profile),
		chromedp.IgnoreCertErrors,
		chromedp.DisableGPU,
	)
	if len(instead) > 0 {
		var rules []string
		for from, to := range instead {
			rules = append(rules, "MAP "+from+" "+to)
		}
		options = append(options, chromedp.Flag("host-resolver-rules", strings.Join(rules, ",")))
	}
	if os.Geteuid() == 0 {
		// Chromium refuses its sandbox to root, as containers of CI are.
		options = append(options, chromedp.NoSandbox)
	}
	allocator, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endOne := chromedp.NewContext(allocator)
	end = func() {
		endOne()
		endAll()

		// Children of the browser write to its profile for a moment after its end.
		for range 100 {
			if os.RemoveAll(profile) == nil {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
	}
	if err := chromedp.Do(ctx); err != nil {
		end()
		t.Fatalf("start Chromium: %v", err)
	}

	return &Browser{ctx}, end
}

// Tab is one person's browser: it shares no cookie and no storage with another.
type Tab struct {
	T         testing.TB
	Downloads string // folder that files are saved to
	ctx       context.Context

	mu    sync.Mutex
	wrong []string
}

// Tab opens a tab with a profile of its own. When the test ends, it fails for everything that the pages complained of.
func (b *Browser) Tab(t testing.TB) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	tab := &Tab{T: t, ctx: ctx, Downloads: t.TempDir()}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}

	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == "warning" || m.Type == chromedp.ConsoleException ||
				strings.Contains(m.Text, "Content Security Policy") {
				tab.complain(fmt.Sprintf("%s: %s (%s)", m.Type, m.Text, m.URL))
			}
		}
	}()
	id := chromedp.FromContext(ctx).BrowserContextID
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:         browser.SetDownloadBehaviorBehaviorAllow,
		BrowserContextID: id,
		DownloadPath:     tab.Downloads,
	}); err != nil {
		t.Fatal(err)
	}
	tab.Size(1280, 900, false)
	t.Cleanup(func() {
		for _, complaint := range tab.Complaints() {
			t.Errorf("the page complained: %s", complaint)
		}
		end()
	})

	return tab
}

// Saved waits for the one file that the page saves under a name that matches pattern, and returns its path.
func (b *Tab) Saved(pattern string) string {
	b.T.Helper()
	ended := time.After(patience)

	for {
		path, err := b.saved(pattern)
		if err == nil {
			return path
		}
		select {
		case <-ended:
			b.T.Fatalf("the page saved nothing as %s: %v", pattern, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// saved looks for a file that has been written. While the browser writes, an empty file holds the name, and another one
// beside it has the content so far.
func (b *Tab) saved(pattern string) (string, error) {
	all, err := filepath.Glob(filepath.Join(b.Downloads, pattern))
	if err != nil {
		return "", err
	}
	if len(all) != 1 || strings.HasSuffix(all[0], ".crdownload") {
		return "", fmt.Errorf("saved files: %q", all)
	}
	about, err := os.Stat(all[0])
	if err == nil && about.Size() == 0 {
		err = fmt.Errorf("%s is not written yet", all[0])
	}

	return all[0], err
}

func (b *Tab) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, text)
}

// Complaints returns what pages complained of since the last call, on the console or because their policy was broken.
func (b *Tab) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.wrong
	b.wrong = nil

	return all
}

// Provoked waits for a complaint that holds a text, and drops it. A browser reports every answer of 400 and above on
// the console, also the refusal that a test provokes on purpose. The report may come later than what the page shows,
// so a test must wait for it.
func (b *Tab) Provoked(text string) {
	b.T.Helper()

	ended := time.After(patience)

	for !b.drop(text) {
		select {
		case <-ended:
			b.T.Fatalf("the page did not complain of %s", text)
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// drop drops the first complaint that holds a text, and tells whether there was one.
func (b *Tab) drop(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.IndexFunc(b.wrong, func(s string) bool { return strings.Contains(s, text) })
	if at < 0 {
		return false
	}
	b.wrong = slices.Delete(b.wrong, at, at+1)

	return true
}

// Visit goes to an address.
func (b *Tab) Visit(address string) {
	b.T.Helper()
	if err := b.do(chromedp.Navigate(address)); err != nil {
		b.T.Fatalf("visit %s: %v", address, err)
	}
}

func (b *Tab) do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()

	return chromedp.Do(ctx, steps...)
}

// Eval returns the value of an expression in the page; promises are awaited.
func Eval[T any](b *Tab, expression string) T {
	b.T.Helper()

	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("in the page: %.200s: %v\n%s", expression, err, b.Text())
	}

	return got
}

// Text is what the page shows.
func (b *Tab) Text() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body?.innerText ?? ""`))
	if err != nil {
		return "(the page cannot be read: " + err.Error() + ")"
	}

	return text
}

// Address is where the tab is.
func (b *Tab) Address() string {
	b.T.Helper()
	return Eval[string](b, "location.href")
}

// Until waits until an expression holds in the page.
func (b *Tab) Until(what, expression string) {
	b.T.Helper()
	until[bool](b, what, "!!("+expression+")")
}

// until waits until an expression has a value that is neither false nor empty, and returns it.
func until[T comparable](b *Tab, what, expression string) T {
	b.T.Helper()

	var none T

	ended := time.After(patience)
	for {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		got, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
		cancel()
		// An error is no failure here: while the page changes there may be nothing to ask.
		if err == nil && got != none {
			return got
		}
		select {
		case <-ended:
			b.T.Fatalf("%s did not come (%v); the page shows:\n%s\n%s", what, err, b.Text(),
				strings.Join(b.Complaints(), "\n"))
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// Shows waits until the page shows a text.
func (b *Tab) Shows(text string) {
	b.T.Helper()
	b.Until(fmt.Sprintf("%q", text), "document.body.innerText.includes("+quote(text)+")")
}

// finders are functions of the page that find what a person names. What is hidden, disabled or behind an open dialog is
// not found.
const finders = `
(() => {
  const reachable = (e) => !document.querySelector("dialog[open]:modal") || e.closest("dialog[open]");
  const seen = (e) => e.checkVisibility() && !e.disabled && reachable(e);
  const find = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const isCalled = (e, name) =>
    [e.innerText, e.getAttribute("aria-label"), e.value].some((t) => t && t.trim() === name);
  const begins = (e, name) => (e.innerText ?? "").trim().startsWith(name);
  globalThis.pressable = (name) => {
    const all = find("button, a[href], summary, input[type=submit], [role=button], [role=tab]");
    return all.find((e) => isCalled(e, name)) ?? all.find((e) => begins(e, name));
  };
  globalThis.field = (name) => {
    const labels = [...document.querySelectorAll("label")].filter((l) => begins(l, name));
    const of = labels.map((l) => l.control ?? l.querySelector("input, select, textarea")).filter((e) => e && seen(e));
    return of[0] ?? find("input, select, textarea").find((e) => e.getAttribute("aria-label")?.startsWith(name));
  };
})();`

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		// Cannot fail: a string can always be written as JSON.
		panic(err)
	}

	return string(quoted)
}

// Press clicks the button or link that says name. It is found and clicked in one step: a page may draw itself anew.
func (b *Tab) Press(name string) {
	b.T.Helper()
	find := "(" + finders[1:len(finders)-1] + ", pressable(" + quote(name) + "))"
	b.Until("the button or link "+name, "(() => { const e = "+find+`;
		if (!e) return false;
		e.scrollIntoView({block: "center"}); e.click(); return true })()`)
}

// Fill types a text into the field whose label begins with name, in the place of what stood there, or chooses an option
// of it, or ticks it ("on", "").
func (b *Tab) Fill(name, text string) {
	b.T.Helper()
	find := "(" + finders[1:len(finders)-1] + ", field(" + quote(name) + "))"
	left := until[string](b, "the field "+name, "(() => { const e = "+find+", v = "+quote(text)+`;
		if (!e) return "";
		const set = (value) => {
			e.value = value;
			e.dispatchEvent(new Event("input", {bubbles: true}));
			e.dispatchEvent(new Event("change", {bubbles: true}));
			return "nothing";
		};
		e.scrollIntoView({block: "center"}); e.focus();
		if (e.type === "checkbox" || e.type === "radio") { if (e.checked !== (v !== "")) e.click(); return "nothing"; }
		if (e.tagName === "SELECT") {
			const o = [...e.options].find((o) => o.value === v || o.label === v);
			if (!o) throw new Error("no option " + v);
			return set(o.value);
		}
		if (e.type === "date" || e.type === "time") return set(v);
		e.select?.(); return "to type" })()`)
	if left != "to type" {
		return
	}

	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if text == "" {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(kb.Delete)); err != nil {
			b.T.Fatalf("fill %s: %v", name, err)
		}

		return
	}
	// Text is inserted whole and not typed: keys would depend on the layout of a keyboard.
	if _, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		b.T.Fatalf("fill %s: %v", name, err)
	}
	Eval[bool](b, "(document.activeElement.dispatchEvent(new Event('change', {bubbles: true})), true)")
}

// Key presses keys, as kb names them. It waits until the page has been painted: a browser drops keys that come before.
func (b *Tab) Key(keys string) {
	b.T.Helper()
	b.Until("the first picture of the page", `performance.getEntriesByType("paint").length`)
	if err := b.do(chromedp.KeyEvent(keys)); err != nil {
		b.T.Fatalf("key: %v", err)
	}
}

// Choose gives files to the page's file field.
func (b *Tab) Choose(selector string, paths ...string) {
	b.T.Helper()
	b.Until("the field "+selector, "document.querySelector("+quote(selector)+")")
	if err := b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths)); err != nil {
		b.T.Fatalf("choose files: %v", err)
	}
}

// Size makes the page as wide and high as given, in CSS pixels, in the light or the dark.
func (b *Tab) Size(width, height int64, dark bool) {
	b.T.Helper()
	if err := b.do(chromedp.EmulateViewport(width, height)); err != nil {
		b.T.Fatal(err)
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}

	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	// Motion is reduced, so that no test waits for an animation.
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: features,
	}); err != nil {
		b.T.Fatal(err)
	}
}

// Screenshot is a picture of the whole page, as PNG.
func (b *Tab) Screenshot() []byte {
	b.T.Helper()

	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.T.Fatal(err)
	}

	return picture
}

//go:embed axe.min.js
var axe string

// Accessible fails the test for everything that axe finds against WCAG 2.2 A and AA in the page as it is.
func (b *Tab) Accessible(what string) {
	b.T.Helper()
	if !Eval[bool](b, "!!globalThis.axe") {
		Eval[bool](b, "((() => {"+axe+"})(), true)")
	}

	found := Eval[[]string](b, `axe.run(document, {
			runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
			resultTypes: ["violations"],
		}).then((r) => r.violations.map((v) => {
			const nodes = v.nodes.slice(0, 3).map((n) => {
				const why = n.any.concat(n.all).map((c) => c.message).join("; ")
				return n.html.slice(0, 160) + " " + why.slice(0, 200)
			})
			return v.impact + " " + v.id + ": " + v.help + ": " + nodes.join(" | ")
		}))`)
	for _, violation := range found {
		b.T.Errorf("%s: %s", what, violation)
	}
}

// Fits fails the test when the page is wider than its window.
func (b *Tab) Fits(what string) {
	b.T.Helper()
	if wide := Eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
		widest := Eval[string](
			b,
			`[...document.querySelectorAll("main *")]
				.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll"))
				.map((e) => e.outerHTML.slice(0, 120))[0] ?? ""`,
		)
		b.T.Errorf("%s: the page is %d px wider than its window: %s", what, wide, widest)
	}
}
