package config

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
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
	if u := absolute(p.BaseURL); u == nil || u.Scheme != "https" {
		all = append(all, "BASE_URL must be https://host[:port] without a query, since the gateway answers nothing else")
	}
	if u := absolute(p.BrowserApp); p.BrowserApp != "" && (u == nil || u.Scheme != "https" && u.Scheme != "http") {
		all = append(all, "BROWSER_APP_URL must be an absolute address without a query")
	}

	return all
}

// Issuer tells what is wrong with OIDC_ISSUER, the address of the provider at which people sign in.
func Issuer(address string) []string {
	if address == "" {
		return nil
	}
	u := absolute(address)
	if u != nil && (u.Scheme == "https" || u.Scheme == "http" && thisMachine(u.Hostname())) {
		return nil
	}

	return []string{
		"OIDC_ISSUER must be https://host[:port] and a path at most, as the provider names itself; " +
			"http is for this machine alone",
	}
}

func thisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// absolute returns the address if it has a host and neither query nor fragment, or nil.
func absolute(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil
	}

	return u
}

// Browser is the base of deep links.
func (p Public) Browser() string { return strings.TrimRight(cmp.Or(p.BrowserApp, p.BaseURL), "/") }

// Asked are the scopes that applications at the MCP endpoint are told to ask for at first, for the gateway, whose
// challenge names them, and auth-svc, whose metadata does. Both take the same setting. The person chooses among them,
// and an application can ask for others later.
type Asked struct {
	MCPScopes []string `env:"MCP_SCOPES" envDefault:"cases:read,cases:write,agent:run" help:"comma list of the scopes that applications request when they connect; the person chooses among them, and an application can request the others later"`
}

// Problems tells which of the scopes are not known.
func (a Asked) Problems(known []string) []string {
	var all []string
	if len(a.MCPScopes) == 0 {
		all = append(all, "MCP_SCOPES must name a scope")
	}

	for i, scope := range a.MCPScopes {
		if !slices.Contains(known, scope) || slices.Contains(a.MCPScopes[:i], scope) {
			all = append(all, "MCP_SCOPES must be a list of "+strings.Join(known, ", ")+", each once at most")
			break
		}
	}

	return all
}
