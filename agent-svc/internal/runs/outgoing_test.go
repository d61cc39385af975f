package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

const planted = "Ask Mr Quillon Zorbanek, quillon@zorbanek.example"

// traces are what must not be found of planted.
var traces = []string{"quillon", "zorbanek"}

// filled makes a value in which every list has one member, every pointer leads somewhere and no text says anything.
func filled(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("word")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled(v.Field(i))
			}
		}
	}
}

// texts returns the places of all texts within v, with their paths.
func texts(v reflect.Value, path string) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	add := func(inner reflect.Value, name string) {
		for p, t := range texts(inner, path+name) {
			all[p] = t
		}
	}

	switch v.Kind() {
	case reflect.String:
		all[path] = v
	case reflect.Pointer:
		add(v.Elem(), "")
	case reflect.Slice:
		add(v.Index(0), "[0]")
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				add(v.Field(i), "."+v.Type().Field(i).Name)
			}
		}
	}

	return all
}

// sayings are runs that say planted, each in one field of one event.
func sayings(t *testing.T) map[string]engine {
	t.Helper()
	answer := api.PhaseResponse{Kind: api.KindAnswer, Text: "Nothing of this must leave, though it is clean.\n"}
	report := func(say func(r legal.Report)) engine {
		return func(_ context.Context, _ legal.Task, r legal.Report) (api.PhaseResponse, error) {
			r.Working("Reading", 1, 1)
			say(r)
			r.Working("Nothing is said any more", 1, 1)

			return answer, nil
		}
	}
	all := map[string]engine{
		"plan":             report(func(r legal.Report) { r.Plan(planted, "search_passages") }),
		"step of a plan":   report(func(r legal.Report) { r.Plan("Plan: search", "search_passages", planted) }),
		"working":          report(func(r legal.Report) { r.Working(planted, 1, 1) }),
		"reasoning":        report(func(r legal.Report) { r.Reasoning(planted) }),
		"name of a tool":   report(func(r legal.Report) { r.Tool(planted, "Searching")("ok", "1 passage") }),
		"start of a tool":  report(func(r legal.Report) { r.Tool("search_passages", planted)("ok", "1 passage") }),
		"result of a tool": report(func(r legal.Report) { r.Tool("search_passages", "Searching")("ok", planted) }),
		"outcome of a tool": report(func(r legal.Report) {
			r.Tool("search_passages", "Searching", planted)(planted, "1 passage")
		}),
		"message of an error": func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{}, errs.New(errs.Invalid, "file_unreadable", planted)
		},
		"end of a long text": func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{Kind: api.KindAnswer, Text: strings.Repeat("The rent is due on the first day of each month.\n\n", 2000) + planted}, nil
		},
	}
	var model api.PhaseResponse
	filled(reflect.ValueOf(&model).Elem())
	places := texts(reflect.ValueOf(&model).Elem(), "response")
	if len(places) < 25 {
		t.Fatalf("an answer has only %d texts: %v", len(places), places)
	}

	for path := range places {
		all[path] = func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			var r api.PhaseResponse
			filled(reflect.ValueOf(&r).Elem())
			texts(reflect.ValueOf(&r).Elem(), "response")[path].SetString(planted)

			return r, nil
		}
	}

	return all
}

func TestNoIdentityLeavesARun(t *testing.T) {
	engines := sayings(t)
	rdb := stores.Redis(t)
	var said engine = func(ctx context.Context, task legal.Task, report legal.Report) (api.PhaseResponse, error) {
		return engines[task.Prompt](ctx, task, report)
	}

	w := newWorld(t, rdb, newLedger(), said, quick())
	for name := range engines {
		k, p := w.ledger.begin("o:oak")
		giveBack, err := w.Reserve("o:oak", "ann")
		if err != nil {
			t.Fatal(err)
		}
		job := runs.Job{Key: k, Phase: p, Sources: upstream.Nothing{}, Limit: time.Minute, Task: legal.Task{Prompt: name, Links: linkTo, Container: api.Container{ContainerType: api.ContainerCase, ContainerID: p.ContainerID}}}
		if err := w.Start(t.Context(), job, giveBack); err != nil {
			t.Fatal(err)
		}
		events := w.events(t, k)
		checkGrammar(t, events)

		var out strings.Builder
		for _, e := range events {
			out.Write(e.Data)
		}
		record, err := w.ledger.Phase(t.Context(), k.PhaseID)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}

		for place, text := range map[string]string{"the stream": out.String(), "the record": string(kept), "the evaluations": fmt.Sprintf("%+v", w.ledger.evaluations)} {
			for _, trace := range append(traces, "Nothing of this", "Nothing is said any more", "due on the first day") {
				if strings.Contains(strings.ToLower(text), strings.ToLower(trace)) {
					t.Errorf("%s: %q stands in %s", name, trace, place)
				}
			}
		}
		r := record.Response
		if record.Status != api.PhaseRefused || r == nil || r.Kind != api.KindRefusal || r.Refusal == nil || r.Refusal.DeepLink != linkTo("redact_file") {
			t.Errorf("%s: ended as %s with %s", name, record.Status, kept)
		}
	}
	var stored strings.Builder

	keys := rdb.Scan(t.Context(), 0, "*", 1000).Iterator()
	for keys.Next(t.Context()) {
		if rdb.Type(t.Context(), keys.Val()).Val() == "stream" {
			fmt.Fprint(&stored, rdb.XRange(t.Context(), keys.Val(), "-", "+").Val())
		}
	}
	if err := keys.Err(); err != nil || strings.Count(stored.String(), "phase_end") < len(engines) {
		t.Fatalf("Redis was not read: %d bytes, %v", stored.Len(), err)
	}

	for _, trace := range traces {
		if strings.Contains(strings.ToLower(stored.String()), trace) {
			t.Errorf("%q stands in Redis", trace)
		}
	}
}

// What the gate passes leaves as it is, whatever the field; else the test above would pass without anything being said.
func TestEveryFieldOfACleanAnswerLeaves(t *testing.T) {
	var r api.PhaseResponse
	filled(reflect.ValueOf(&r).Elem())
	w := newWorld(
		t,
		stores.Redis(t),
		newLedger(),
		engine(func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) { return r, nil }),
		quick(),
	)
	k, p := w.ledger.begin("o:oak")
	w.start(t, k, p, time.Minute)
	checkGrammar(t, w.events(t, k))
	record, err := w.ledger.Phase(t.Context(), k.PhaseID)
	if err != nil || record.Status != api.PhaseCompleted || !reflect.DeepEqual(*record.Response, r) {
		t.Errorf("%s %+v, %v", record.Status, record.Response, err)
	}
}

// The gate passes over the head of an event, since nobody can write in it. A field added to it is looked at by nothing:
// first say here why it can hold no text of anybody's, or have the gate look at it.
func TestTheHeadOfAnEventHasNoRoomForText(t *testing.T) {
	want := map[string]reflect.Type{
		"Type":    reflect.TypeFor[string](), // a word of the interface
		"Seq":     reflect.TypeFor[int](),
		"PhaseID": reflect.TypeFor[string](), // the caller's choice, but a UUID: api.AgentTask.Validate
		"TS":      reflect.TypeFor[api.Instant](),
	}
	got := map[string]reflect.Type{}

	head := reflect.TypeFor[api.EventHead]()
	for i := range head.NumField() {
		got[head.Field(i).Name] = head.Field(i).Type
	}
	if !maps.Equal(got, want) {
		t.Errorf("the head of an event has the fields %v, want %v", got, want)
	}
}

// The gate passes over a phase's id, which a task brings: one that is more than a UUID admits no task.
func TestNoPhaseIDHasWords(t *testing.T) {
	const good = "0197b0a0-0000-7000-8000-000000000001"

	for _, id := range []string{planted, "quillon", "0197b0a0-0000-7000-8000-quillonzorba", "", strings.ToUpper(good)} {
		task := api.AgentTask{
			SessionID:     "session",
			SeedPhase:     api.SeedPhase{PhaseID: id},
			ContainerID:   good,
			ContainerType: api.ContainerCase,
			RequestType:   api.EvalReq,
			Prompt:        "Evaluate the case.",
		}
		err := task.Validate()
		if details := errs.From(err).Details; len(details) != 1 || details[0].Path != "seedPhase.phaseId" {
			t.Errorf("a task with the phase id %q: %v", id, err)
		}
	}
}
