package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// pageTime bounds all that a test does in its page: keys are derived and large documents filled there.
const pageTime = 2 * time.Minute

// bundled is a script of testdata with the modules of the app that it imports.
func bundled(t *testing.T, script string, format api.Format, defined map[string]string) []byte {
	t.Helper()
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"testdata/" + script},
		Bundle:      true,
		Format:      format,
		Target:      api.ES2022,
		LogLevel:    api.LogLevelSilent,
		Define:      defined,
		NodePaths:   []string{testkit.Tree(t, "gateway", "web", "npm")},
	})
	if len(built.Errors) > 0 {
		t.Fatal(built.Errors[0].Text)
	}

	return built.OutputFiles[0].Contents
}

// open shows the page of a site in a Chromium of its own, which ends with the test. Without one on PATH the test is
// skipped.
func open(t *testing.T, site http.HandlerFunc) context.Context {
	t.Helper()
	program, err := testkit.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not on PATH, so nothing was run in a browser")
	}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	browser, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	tab, leave := chromedp.NewContext(browser)
	t.Cleanup(leave)
	limited, end := context.WithTimeout(tab, pageTime)
	t.Cleanup(end)
	if err := chromedp.Do(limited, chromedp.Navigate(server.URL)); err != nil {
		t.Fatal(err)
	}

	return limited
}
