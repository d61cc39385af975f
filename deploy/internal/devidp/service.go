package devidp

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

// Settings are those of the provider as a process of its own. The key that signs its tokens is made at the start, so
// that its tokens end with it.
type Settings struct {
	Addr         string `env:"IDP_ADDR" envDefault:":9444" help:"listen address (HTTPS)"`
	InternalAddr string `env:"IDP_INTERNAL_ADDR" envDefault:":9445" help:"listen address of health"`
	CertFile     string `env:"IDP_TLS_CERT_FILE,required" help:"certificate chain in PEM"`
	KeyFile      string `env:"IDP_TLS_KEY_FILE,required" help:"private key in PEM"`
	BaseURL      string `env:"BASE_URL,required" help:"public address of the service whose people sign in here"`
	Issuer       string `env:"OIDC_ISSUER,required" help:"address of this provider, https"`
	Environment  string `env:"ENVIRONMENT,required" help:"must be development: everybody knows the passwords"`
}

// Problems implements config.Checked.
func (s Settings) Problems() []string {
	if s.Environment != "development" {
		return []string{"ENVIRONMENT must be development: everybody knows the passwords of this provider's people"}
	}

	return nil
}

// Entry describes the provider to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name:     "subrosa-idp",
		Summary:  "an identity provider for development",
		New:      start,
		Settings: config.Describe[Settings](),
	}
}

type service struct{ *httpx.Server }

func start(_ context.Context, env launch.Env) (launch.Service, error) {
	s, err := config.Parse[Settings](env.Environ, "IDP_")
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, errors.New("IDP_TLS_CERT_FILE and IDP_TLS_KEY_FILE are no pair that can be read")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the signing key: %w", err)
	}
	handler, err := Handler(Config{
		Issuer:   s.Issuer,
		Audience: s.BaseURL + "/v1",
		Base:     s.BaseURL,
		Key:      key,
		People:   People(),
	})
	if err != nil {
		return nil, err
	}
	server, err := httpx.Listen(httpx.ServerConfig{
		Addr:         s.Addr,
		InternalAddr: s.InternalAddr,
		Handler:      handler,
		Log:          env.Telemetry.Log,
		TLS:          &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}},
	})
	if err != nil {
		return nil, fmt.Errorf("IDP_ADDR or IDP_INTERNAL_ADDR: %w", err)
	}

	return &service{server}, nil
}

// Run serves until ctx ends.
func (s *service) Run(ctx context.Context) error { return s.Serve(ctx) }
