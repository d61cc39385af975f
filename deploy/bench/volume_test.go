package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// eachFile is how much text a file of BenchmarkVolume has, in bytes; 500 of them are 50 MB.
const eachFile = 100_000

// BenchmarkVolume asks the service about cases of 5, 50 and 500 files: how long the first event of a run takes, a search that has been asked
// before, and a chronology, which reads everything; and how much memory the service needs at its peak. Beside them stands a request that
// reads nothing. Loading the largest case takes some minutes.
func BenchmarkVolume(b *testing.B) {
	dir := b.TempDir()
	s := serve(b, dir, authority(b, dir))
	b.Run("me", func(b *testing.B) {
		for b.Loop() {
			exchange(b, s.client, http.MethodGet, s.base+"/v1/me", s.token, "", nil)
		}
	})

	for _, n := range []int{5, 50, 500} {
		files := s.newCase(b)

		caseID := strings.TrimSuffix(strings.TrimPrefix(files, s.base+"/v1/cases/"), "/files")
		for i := range n {
			exchange(b, s.client, http.MethodPost, files, s.token, "text/plain", matter(i))
		}

		for name, prompt := range map[string]string{"search": "When is the rent of the premises due?", "chronology": "Build a chronology"} {
			b.Run(fmt.Sprintf("%d files/%s", n, name), func(b *testing.B) {
				s.ask(b, caseID, prompt) // the index of the case is built when it is first asked
				s.peak(b)
				var first, last time.Duration

				for b.Loop() {
					f, l := s.ask(b, caseID, prompt)
					first, last = max(first, f), max(last, l)
				}
				b.ReportMetric(float64(first.Microseconds())/1000, "worst-first-event-ms")
				b.ReportMetric(float64(last.Microseconds())/1000, "worst-ms")
				b.ReportMetric(s.status(b, "VmHWM:")/1024, "peak-MiB")
			})
		}
	}
}

// matter is the text of a file, like no other.
func matter(n int) []byte {
	var text bytes.Buffer
	for i := 0; text.Len() < eachFile; i++ {
		fmt.Fprintf(&text, "%d. On March %d, %d [Party %d] wrote to [Party 2] that the rent of $%d for the premises is due on the first day of the month, as section %d of the lease says.\n\n"+
			"The roof of the building leaked again in the spring, and [Party 2] did not repair it although notice was given under 42 U.S.C. § 1983 and the lease.\n\n", i+1, i%28+1, 2000+(n+i)%25, n%40+1, 500+i, i%30)
	}

	return text.Bytes()[:eachFile]
}

// peak begins to measure the highest memory anew, where the system lets us.
func (s *site) peak(b *testing.B) {
	b.Helper()
	if err := s.forgetPeak(); err != nil {
		b.Logf("the peak of memory counts from the start: %v", err)
	}
}

// ask has a run answer a prompt, and returns how long its first and its last event took.
func (s *site) ask(b *testing.B, caseID, prompt string) (first, last time.Duration) {
	b.Helper()
	body, err := json.Marshal(api.AgentTask{
		SessionID: "bench", SeedPhase: api.SeedPhase{PhaseID: uuid.NewString()}, ContainerID: caseID, ContainerType: api.ContainerCase, RequestType: api.CaseReq, Prompt: prompt,
		Options: &api.TaskOptions{MaxSeconds: 600},
	})
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.base+"/v1/agent", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	began := time.Now()
	resp, err := s.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 2<<20)
	completed := false

	for lines.Scan() {
		if first == 0 && bytes.HasPrefix(lines.Bytes(), []byte("event: ")) {
			first = time.Since(began)
		}
		completed = completed || bytes.HasPrefix(lines.Bytes(), []byte("data: ")) && bytes.Contains(lines.Bytes(), []byte(`"status":"completed"`))
	}
	if err := lines.Err(); err != nil || !completed {
		b.Fatalf("the run did not complete: %d, %v", resp.StatusCode, err)
	}

	return first, time.Since(began)
}
