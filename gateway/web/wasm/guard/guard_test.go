//go:build !js

package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// finding is one as JavaScript sees it.
type finding struct {
	Kind      string `json:"kind"`
	Start     int    `json:"start"` // UTF-16 code units
	End       int    `json:"end"`
	StartByte int    `json:"startByte"`
	EndByte   int    `json:"endByte"`
}

type vector struct {
	Name     string           `json:"name"`
	Op       string           `json:"op"`
	Text     string           `json:"text,omitempty"`
	Door     string           `json:"door,omitempty"`
	Findings *[]finding       `json:"findings,omitempty"` // what the guard finds, when they are not given
	Map      *guard.LabelData `json:"map,omitempty"`
	Want     json.RawMessage  `json:"want,omitempty"`
}

type labelled struct {
	Text string          `json:"text"`
	Map  guard.LabelData `json:"map"`
}

func vectors(t *testing.T) []vector {
	t.Helper()
	content, err := os.ReadFile(testkit.Tree(t, "pkg", "guard", "testdata", "labelling.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	if err := json.Unmarshal(content, &list); err != nil || len(list) == 0 {
		t.Fatalf("%d vectors: %v", len(list), err)
	}

	return list
}

// compare judges what came out for a vector, whose form its op tells.
func compare(t *testing.T, v vector, got json.RawMessage) {
	t.Helper()
	form := func(raw json.RawMessage) string {
		var value any

		switch v.Op {
		case "check":
			value = &[]finding{}
		case "label":
			value = &labelled{}
		default:
			value = new(any)
		}
		if err := json.Unmarshal(raw, value); err != nil {
			return string(raw)
		}
		out, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}

		return string(out)
	}
	if got, want := form(got), form(v.Want); got != want {
		t.Errorf("%s = %s\nwant %s", v.Op, got, want)
	}
}

func marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return out
}

func TestVectorsNatively(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			data := guard.LabelData{}
			if v.Map != nil {
				data = *v.Map
			}
			m, err := guard.NewLabelMap(data)
			if err != nil {
				t.Fatal(err)
			}
			door := guard.FileText
			if v.Door == guard.Prompt.String() {
				door = guard.Prompt
			}

			found := guard.Guard{}.Check(t.Context(), door, v.Text)
			switch v.Op {
			case "check":
				list := []finding{}

				for _, f := range found {
					units := guard.UTF16(v.Text, []int{f.Start, f.End})
					list = append(list, finding{f.Kind, units[0], units[1], f.Start, f.End})
				}
				compare(t, v, marshal(t, list))
			case "label":
				if v.Findings != nil {
					found = nil
					for _, f := range *v.Findings {
						found = append(found, guard.Finding{Kind: f.Kind, Start: f.StartByte, End: f.EndByte})
					}
				}
				text, err := m.Label(v.Text, found)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, v, marshal(t, labelled{text, m.Data()}))
			case "unlabel":
				compare(t, v, marshal(t, m.Unlabel(v.Text)))
			default:
				t.Errorf("%q is no operation", v.Op)
			}
		})
	}
}

// wrong are calls that fail.
var wrong = []vector{
	{Name: "no such door", Op: "check", Door: "window", Want: json.RawMessage(`{"error":"invalid_parameter"}`)},
	{Name: "no text", Op: "unlabel", Map: &guard.LabelData{}, Want: json.RawMessage(`{"error":"invalid_parameter"}`)},
	{Name: "a map that is none", Op: "unlabel", Text: "x", Map: &guard.LabelData{Labels: []guard.LabelEntry{{Label: "Party"}}}, Want: json.RawMessage(`{"error":"bad_label_map"}`)},
}

// proposals are labels for what the guard finds, before anybody has agreed to them.
var proposals = []vector{
	{
		Name: "one person, two names", Op: "propose", Text: "Ms. Jane Roe and Mr Halvard Ostrowe met. Later Mr Ostrowe wrote to Ms. Jane  Roe.",
		Map:  &guard.LabelData{Labels: []guard.LabelEntry{{Label: "[Party 4]", Identities: []string{"Ms. Jane Roe"}}}},
		Want: json.RawMessage(`["[Party 4]","[Party 5]","[Party 5]","[Party 4]"]`),
	},
	{Name: "what was dismissed", Op: "propose", Text: "Write to a.b@example.net or c.d@example.net.", Map: &guard.LabelData{Labels: []guard.LabelEntry{}, NoIdentity: []string{"a.b@example.net"}}, Want: json.RawMessage(`["","[Email 1]"]`)},
	{Name: "a label of the text, and one that was meant", Op: "propose", Text: "[Email 7] is not a.b@example.net, says [PARTY 2].", Want: json.RawMessage(`["[Email 8]","[Party 2]"]`)},
}

func TestVectorsInWebAssembly(t *testing.T) {
	node, err := testkit.LookPath("node")
	if err != nil {
		t.Skip("node is not installed here, so the WebAssembly build was not run")
	}
	program, support := testkit.Program(t, "wasm/guard.wasm"), testkit.Program(t, "wasm/wasm_exec.js")
	all := append(append(vectors(t), wrong...), proposals...)
	run := exec.CommandContext(t.Context(), node, filepath.FromSlash("testdata/run.mjs"), support, program)
	run.Stdin = bytes.NewReader(marshal(t, all))
	var problems bytes.Buffer
	run.Stderr = &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, problems.String())
	}
	var got struct {
		Results                  []json.RawMessage
		Version                  string
		Halves                   struct{ Error string }
		LoadMs, FirstMs, CheckMs float64
	}
	if err := json.Unmarshal(out, &got); err != nil || len(got.Results) != len(all) {
		t.Fatalf("%d results: %v", len(got.Results), err)
	}

	for i, v := range all {
		t.Run(v.Name, func(t *testing.T) { compare(t, v, got.Results[i]) })
	}
	if got.Version != guard.Version() {
		t.Errorf("version = %q, want %q", got.Version, guard.Version())
	}
	if got.Halves.Error != "invalid_parameter" {
		t.Errorf("half a surrogate pair: %q, want it refused", got.Halves.Error)
	}
	t.Logf("loaded in %.0f ms; 100 KB checked in %.0f ms at first, %.0f ms warm", got.LoadMs, got.FirstMs, got.CheckMs)
}
