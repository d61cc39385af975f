package procedure_test

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
)

// explained reports whether a difference is the one of the table in testdata/lexdays/README.md: a period before an
// event that would end on a day on which a President closed the executive departments. The peer takes two such days
// for holidays and knows no others.
func explained(direction string, ends procedure.Span) bool {
	if direction != "before" {
		return false
	}

	for d := ends.Safe; !d.After(ends.Latest); d = d.AddDate(0, 0, 1) {
		if procedure.Closed(d) {
			return true
		}
	}

	return false
}

// TestDifferential compares Rule 6 as it is computed here with vectors of a peer, lexdays 0.2.0, which makes no part
// of any program: random triggers for each count of days of the federal table, by electronic service and by mail, and
// for periods before an event. See testdata/lexdays/README.md.
func TestDifferential(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/lexdays/vectors.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	differ := 0

	for rows := csv.NewReader(z); ; {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n, on := number(t, row[0]), day(t, row[3])
		counted[row[0]+" "+row[1]+" "+row[2]]++
		r, o := own(n, days, forward), procedure.Options{Service: electronic, Calendar: procedure.Federal("")}
		r.ServiceDays, r.Counting = 3, "Fed. R. Civ. P. 6"
		if row[1] == "before" {
			r.Direction = backward
		}
		if row[2] == "mail" {
			o.Service = mail
		}

		got, ends, err := procedure.Readings(procedure.Trigger{On: on}, r, o)
		if err != nil {
			t.Fatal(err)
		}
		safe, working, holiday := on.AddDate(
			0,
			0,
			number(t, row[4]),
		), on.AddDate(
			0,
			0,
			number(t, row[5]),
		), on.AddDate(
			0,
			0,
			number(t, row[6]),
		)
		latest := working
		if holiday.After(latest) {
			latest = holiday
		}
		if ends.Safe.Equal(safe) && ends.Latest.Equal(latest) && got.DueOn.Equal(holiday) {
			continue
		}
		key := row[0] + " " + row[1] + " " + row[2] + " " + row[3]
		if !explained(row[1], ends) && differ < 20 {
			t.Errorf(
				"%s: %s to %s, by the observed day %s; the peer has %s, %s and %s",
				key,
				ends.Safe.Format(time.DateOnly),
				ends.Latest.Format(time.DateOnly),
				got.DueOn.Format(
					time.DateOnly,
				),
				safe.Format(time.DateOnly),
				working.Format(time.DateOnly),
				holiday.Format(time.DateOnly),
			)
		}
		differ++
	}
	if differ > 200 {
		t.Errorf("%d differences, which is more than the table explains", differ)
	}

	for _, r := range procedure.FederalRules() {
		if r.Unit == days && r.Counting != "" && counted[strconv.Itoa(r.Count)+" after electronic"] < 10_000 {
			t.Errorf("rule %s of %d days is not compared: %v", r.ID, r.Count, counted)
		}
	}
	t.Logf("%d differ of %v", differ, counted)
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}

	return n
}
