// Command flow plays the first hour of an agent with the client that openapi-generator writes in Go.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	subrosa "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	if err := play(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func play(ctx context.Context) error {
	ca, err := os.ReadFile(os.Getenv("SUBROSA_CA"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	cfg := subrosa.NewConfiguration()
	cfg.Servers = subrosa.ServerConfigurations{{URL: os.Getenv("SUBROSA_URL")}}
	cfg.HTTPClient = &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
		Timeout:   time.Minute,
	}
	client := subrosa.NewAPIClient(cfg)
	as := func(token string) context.Context { return context.WithValue(ctx, subrosa.ContextAccessToken, token) }
	user := as(os.Getenv("SUBROSA_USER_TOKEN"))

	token, _, err := client.AgentsAPI.CreateRegistrationToken(user).Execute()
	if err != nil {
		return fmt.Errorf("ask for a registration token: %w", err)
	}
	registration := subrosa.NewRegisterRequest(token.RegistrationToken, os.Getenv("SUBROSA_CARD"))
	agent, _, err := client.AgentsAPI.RegisterAgent(ctx).RegisterRequest(*registration).Execute()
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	bearer, _, err := client.AgentsAPI.ExchangeKey(ctx).
		ExchangeKeyRequest(*subrosa.NewExchangeKeyRequest(agent.SharedApiKey)).Execute()
	if err != nil {
		return fmt.Errorf("exchange the key: %w", err)
	}

	caller := as(bearer.BearerToken)
	draft := subrosa.NewCaseDraft()
	draft.SetTitle("Lease dispute between [Party 1] and [Party 2]")
	opened, _, err := client.CasesAPI.CreateCase(caller).CaseDraft(*draft).Execute()
	if err != nil {
		return fmt.Errorf("open a case: %w", err)
	}
	paper, err := os.Open(os.Getenv("SUBROSA_FILE"))
	if err != nil {
		return err
	}
	stored, _, err := client.FilesAPI.AddFiles(caller, opened.CaseId).File([]*os.File{paper}).Execute()
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	files, _, err := client.FilesAPI.ListFiles(caller, opened.CaseId).Execute()
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	page, _, err := client.CasesAPI.ListCases(caller).Execute()
	if err != nil {
		return fmt.Errorf("list the cases: %w", err)
	}

	listed := page.CaseList != nil && len(page.CaseList.Items) > 0
	same := files.Items[0].FileId == stored.Items[0].FileId
	fmt.Printf("files: %d, listed: %t, same: %t\n", len(files.Items), listed, same)
	if _, err := client.AgentsAPI.DisconnectAgent(user, agent.AgentId).Execute(); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}

	return nil
}
