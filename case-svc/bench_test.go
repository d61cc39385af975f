package casesvc_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// The figures depend on the MongoDB that testkit finds and says; on the embedded one they tell about that store, which reads whole collections.

func BenchmarkCases(b *testing.B) {
	w := start(b, nil)
	ann := user("u:ann", "ann")
	var last api.Case
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			last = into[api.Case](b, w.json(ann, http.MethodPost, "/v1/cases", nil), 201)
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			w.get(ann, "/v1/cases/"+last.CaseID)
		}
	})
	bob := user("u:bob", "bob")
	for i := range 200 {
		w.newCase(bob, m{"title": fmt.Sprint("Matter number ", i)})
	}
	b.Run("list 25 of 200", func(b *testing.B) {
		for b.Loop() {
			w.get(bob, "/v1/cases")
		}
	})
}

func BenchmarkFiles(b *testing.B) {
	w := start(b, map[string]string{"CASE_MAX_FILES": "100000"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	page := strings.Repeat("The tenant shall pay the rent to [Party 1] on the first day of every month. ", 33) + "\n\n"
	n := 0
	b.Run("upload 10 pages", func(b *testing.B) {
		for b.Loop() {
			n++
			into[uploaded](b, w.upload(ann, c.CaseID, nil, textFile("a.txt", fmt.Sprint("Text ", n, "\n\n", strings.Repeat(page, 10)))), 201)
		}
	})
	searched := w.newCase(ann, nil)
	for i := range 10 {
		into[uploaded](b, w.upload(ann, searched.CaseID, nil, textFile("a.txt", fmt.Sprint("Text ", i, " of the landlord\n\n", strings.Repeat(page, 10)))), 201)
	}
	b.Run("search 100 pages", func(b *testing.B) {
		for b.Loop() {
			w.json(agent("u:ann", "ann"), http.MethodPost, "/internal/cases/"+searched.CaseID+"/search", api.SearchCase{Query: "rent of the landlord", Limit: 5})
		}
	})
}
