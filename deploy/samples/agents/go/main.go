// Command go is an agent of Subrosa: it opens a case, adds a document, has it evaluated, and reads the answer as it
// comes. It uses the standard library only.
package main

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const document = "# COMPLAINT\n\n[Party 1] demands judgment against [Party 2] for $80,000.00 for breach of contract.\n"

var (
	base, bearer = strings.TrimRight(os.Getenv("SUBROSA_URL"), "/"), ""
	client       = &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots(), MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}}
)

// roots are the certificates of SUBROSA_CA; without it nil, the system's.
func roots() *x509.CertPool {
	pem, err := os.ReadFile(os.Getenv("SUBROSA_CA"))
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(pem) {
		return nil
	}

	return pool
}

// send posts a body, with a new bearer when the old one has ended. An answer that is an error ends the program, unless
// trying again may help.
func send(path, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")

	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode < 400 {
		return resp, err
	}
	problem, _ := io.ReadAll(resp.Body) // error, message and perhaps deepLink

	_ = resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized && path != "/v1/auth/token":
		bearer = post("/v1/auth/token", `{"api_key":"`+os.Getenv("SUBROSA_API_KEY")+`"}`).Bearer
		return send(path, body, header...)
	case resp.StatusCode == http.StatusServiceUnavailable:
		return nil, fmt.Errorf("%s", problem)
	}
	log.Fatalf("%s: %s", path, problem)

	return nil, nil
}

// answer is what this agent looks at of answers and events; what it does not know it ignores.
type answer struct {
	Bearer                string `json:"bearer_token"`
	CaseID                string
	Items                 []struct{ FileID string }
	Type, Status, Message string
	Response              struct {
		Text       string
		Evaluation struct{ Tier any }
	}
}

func post(path, body string, header ...string) (a answer) {
	resp, err := send(path, body, header...)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		err = json.NewDecoder(resp.Body).Decode(&a)
	}
	if err != nil {
		log.Fatal(err)
	}

	return a
}

// read shows the events of a stream and returns the id of the last one, and whether it was the end.
func read(stream io.ReadCloser, last string) (string, bool) {
	defer func() { _ = stream.Close() }()
	id := ""

	for lines := bufio.NewReader(stream); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return last, false // a close without phase_end means: resume
		}

		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "id": // heartbeats have none
			id = value
		case "data":
			var e answer
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				log.Fatal(err)
			}
			if e.Type == "error" {
				log.Fatal(e.Message)
			}
			fmt.Println("event", e.Type, e.Status)
			if e.Type == "direct_response" {
				fmt.Printf("%s\ntier %v\n", e.Response.Text, e.Response.Evaluation.Tier)
			}
			if id != "" {
				last, id = id, ""
			}
			if e.Type == "phase_end" {
				return last, true
			}
		}
	}
}

func main() {
	made := post("/v1/cases", `{"jurisdiction":"US"}`).CaseID
	added := post("/v1/cases/"+made+"/files", document,
		"Content-Type", "text/markdown", "Content-Disposition", `attachment; filename="complaint.md"`)
	fmt.Println("case", made, "file", added.Items[0].FileID)
	id := fmt.Sprintf("%x", rand.Text()) // random digits for a UUID of version 4
	id = id[:8] + "-" + id[8:12] + "-4" + id[12:15] + "-8" + id[15:18] + "-" + id[18:30]
	task := fmt.Sprintf(`{"sessionId":"sample-go","seedPhase":{"phaseId":%q},"containerType":"case",`+
		`"containerId":%q,"requestType":"eval_req","prompt":"Evaluate this case."}`, id, made)

	last := ""
	for failures := range 8 { // the same POST, repeated with the last id, resumes
		resp, err := send("/v1/agent", task, "Accept", "text/event-stream", "Last-Event-ID", last)
		if err == nil {
			var ended bool
			if last, ended = read(resp.Body, last); ended {
				return
			}
		}
		fmt.Println("resuming after", last)
		time.Sleep(time.Duration(failures+1) * 200 * time.Millisecond)
	}
	log.Fatal("the stream could not be resumed")
}
