package config

import (
	"cmp"
	"net/url"
	"strings"
)

// Public is where people find the service, for the settings of every service that gives out links.
type Public struct {
	BaseURL    string `env:"BASE_URL,required" help:"public address of the service"`
	BrowserApp string `env:"BROWSER_APP_URL" help:"address of the browser app for deep links; BASE_URL by default"`
}

// Problems implements Checked.
func (p Public) Problems() []string {
	var all []string
	for name, address := range map[string]string{"BASE_URL": p.BaseURL, "BROWSER_APP_URL": p.BrowserApp} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "") {
			all = append(all, name+" must be an absolute address without a query")
		}
	}
	return all
}

// Browser is the base of deep links.
func (p Public) Browser() string { return strings.TrimRight(cmp.Or(p.BrowserApp, p.BaseURL), "/") }
