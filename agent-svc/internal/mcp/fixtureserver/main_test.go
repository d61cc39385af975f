package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTheFixturesAnswer(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "localhost"} {
		if err := serve(t.Context(), addr, io.Discard); !errors.Is(err, errNotLoopback) {
			t.Errorf("serve at %s = %v", addr, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()

	done := make(chan error, 1)
	go func() { done <- serve(ctx, "127.0.0.1:0", write) }()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}

	address := strings.TrimSpace(line)
	for _, era := range []string{"2026-07-28", "2025-11-25"} {
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: era})
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.ListTools(ctx, nil)
		if err != nil || len(list.Tools) < 25 {
			t.Errorf("%s: %d tools, %v", era, len(list.Tools), err)
		}
		r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "test_simple_text"})
		if err != nil || len(r.Content) != 1 {
			t.Errorf("%s: %+v, %v", era, r, err)
		}
		_ = s.Close()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example"
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("another host's name: %v, %v", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("serve: %v", err)
	}
}
