package cli

import "testing"

// Two commands at once that each compare a colleague's key keep both.
func TestPinsKeepWhatAnotherCommandSaw(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	open := func(firm string) *pins {
		p, err := openPins(folder, "https://subrosa.example", firm)
		if err != nil {
			t.Fatal(err)
		}

		return p
	}
	one, other := open("oak"), open("oak")
	elm := open("elm")
	saw := func(p *pins, member string) {
		if err := p.keep(t.Context(), func(p *pins) { p.Members[member] = "key of " + member }); err != nil {
			t.Fatal(err)
		}
	}
	saw(one, "ann")
	saw(other, "ben")
	saw(elm, "cara")

	if got := open("oak").Members; len(got) != 2 || got["ann"] == "" || got["ben"] == "" {
		t.Errorf("of oak was seen %v", got)
	}
	if got := open("elm").Members; len(got) != 1 || got["cara"] == "" {
		t.Errorf("of elm was seen %v", got)
	}
}
