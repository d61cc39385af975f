// Command outside stands in the containers' network for what lies outside of Subrosa: the host of an agent's card, and
// a language model that takes its time, so that runs are long enough to be interrupted.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const pause = 1200 * time.Millisecond // before each reply of the model

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := serve(); err != nil {
		log.Error("stopped", "err", err)
		os.Exit(1)
	}
}

func serve() error {
	pair, err := certificate()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent.json", card)
	mux.HandleFunc("GET /certificate", func(w http.ResponseWriter, _ *http.Request) {
		_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	})
	mux.HandleFunc("POST /v1/chat/completions", complete)
	failed := make(chan error, 2)
	secure := &http.Server{
		Addr:              ":9446",
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}},
	}
	plain := &http.Server{Addr: ":8090", Handler: mux, ReadHeaderTimeout: 5 * time.Second}

	go func() { failed <- secure.ListenAndServeTLS("", "") }()
	go func() { failed <- plain.ListenAndServe() }()

	return <-failed
}

// certificate vouches for the addresses that this container has, and for nothing else.
func certificate() (tls.Certificate, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("find the addresses: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a key: %w", err)
	}
	now := time.Now() //nolint:forbidigo // a program of the tests
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "outside"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}

	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			template.IPAddresses = append(template.IPAddresses, n.IP)
		}
	}
	if len(template.IPAddresses) == 0 {
		return tls.Certificate{}, errors.New("this container has no address")
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)

	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func card(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"name":        "Outside agent",
		"description": "Works on cases by label, in the tests with containers.",
		"url":         "https://" + r.Host,
		"protocols":   []string{"a2a/1.0"},
	})
}

// complete searches once, then says what the passage says.
func complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		return
	}

	wait := time.NewTimer(pause)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any) {
		data, _ := json.Marshal(map[string]any{
			"id":      "c",
			"object":  "chat.completion.chunk",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
			"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
		})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	}
	if strings.Contains(string(body), `"role":"tool"`) {
		chunk(map[string]any{"content": "Either of them may terminate by “written notice of thirty days” [1]."}, nil)
		chunk(map[string]any{}, "stop")
	} else {
		chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": 0,
			"id":    "call_1",
			"type":  "function",
			"function": map[string]string{
				"name":      "search_passages",
				"arguments": `{"query":"terminate written notice"}`,
			},
		}}}, "tool_calls")
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
