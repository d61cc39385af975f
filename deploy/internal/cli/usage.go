package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// misuse is a mistake in the command line itself: nothing was sent, and the help of the command says how to write it.
type misuse struct{ text string }

// Error says what is wrong.
func (m *misuse) Error() string { return m.text }

// wrongUsage is the exit code for a mistake in the command line; what was refused or failed ends in 1.
const wrongUsage = 2

// mistake is what a person is told about a command line that cannot be understood, with where its help is.
// command is the one that was typed, nil if there is none.
func mistake(text string, command *kong.Node) string {
	return fmt.Sprintf("subrosa: %s\nSee subrosa %s--help.\n", text, path(command))
}

// unparsed is mistake for what kong does not take.
func unparsed(err error) string {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) {
		return mistake(err.Error(), nil)
	}

	return mistake(inPlainWords(wrong.Context, err.Error()), wrong.Context.Selected())
}

// path is a command with a space after it, "" for none. What nobody typed, the default of a group, is left out.
func path(command *kong.Node) string {
	if command == nil {
		return ""
	}
	if isDefault(command) {
		command = command.Parent
	}

	return command.Path() + " "
}

func isDefault(command *kong.Node) bool {
	return command.Parent != nil && command.Parent.DefaultCmd == command
}

// The forms of kong's messages that speak of its parser rather than of what the person typed.
var (
	noValue     = regexp.MustCompile(`^(--[\w-]+): (?:expected \S+ value but got|missing value, expecting)`)
	noNumber    = regexp.MustCompile(`^(\S+): expected a valid \d+ bit u?int but got (".*")$`)
	noPair      = regexp.MustCompile(`^(--[\w-]+): expected "<key>=<value>" but got (".*")$`)
	noSuchValue = regexp.MustCompile(`^(\S+) must be one of (\S+) but got (".*")$`)
	noTime      = regexp.MustCompile(`^(--\S+): parsing time (".*?") as `)
	noArgument  = regexp.MustCompile(`^expected "(<.*)"$`)
	argumentOf  = regexp.MustCompile(`<([\w-]+)>`)
	notThatKind = regexp.MustCompile(`(".*") exists but is (a|not a) directory$`)
	noCommand   = regexp.MustCompile(`^unexpected argument (\S+?)(, did you mean .*)?$`)
)

// inPlainWords turns a message of kong into one about what the person typed.
func inPlainWords(at *kong.Context, text string) string {
	// kong puts the command before what one of our own checks says; its help is named anyway.
	if selected := at.Selected(); selected != nil {
		text = strings.TrimPrefix(text, selected.Path()+": ")
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return m[1] + " needs a value: " + valued(at, m[1])
	}
	if m := noPair.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s must be written as %s, not %s", m[1], valued(at, m[1]), m[2])
	}
	if m := noNumber.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s must be a whole number, not %s", capitals(m[1]), m[2])
	}
	if m := noTime.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s must be an instant such as 2026-12-31T23:59:59Z, not %s", m[1], m[2])
	}
	if m := noSuchValue.FindStringSubmatch(text); m != nil {
		// The empty value stands for a flag that was not given, and nobody types it.
		values := strings.ReplaceAll(strings.TrimPrefix(m[2], `"",`), `","`, `", "`)
		return fmt.Sprintf("%s must be one of %s, not %s", capitals(m[1]), values, m[3])
	}
	if m := noArgument.FindStringSubmatch(text); m != nil {
		return "missing " + capitals(m[1])
	}
	if m := noCommand.FindStringSubmatch(text); m != nil {
		return noSuchCommand(at, m[1], m[2])
	}

	return text
}

// capitals writes arguments as the texts of help write what stands for a value: CASE for <case>.
func capitals(text string) string {
	return argumentOf.ReplaceAllStringFunc(text, func(name string) string {
		return strings.ToUpper(strings.Trim(name, "<>"))
	})
}

// unreadFile says which file or folder that err speaks of cannot be had. That is no mistake of usage, whether kong
// looks for it or the command does.
func unreadFile(err error) (text string, is bool) {
	if err == nil {
		return "", false
	}

	var path *os.PathError
	if errors.As(err, &path) && (path.Op == "open" || path.Op == "stat" || path.Op == "read") {
		return fmt.Sprintf("cannot read %s: %v", path.Path, path.Err), true
	}
	if m := notThatKind.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Sprintf("%s is %s folder", m[1], m[2]), true
	}

	return "", false
}

// valued shows how a flag is written with its value.
func valued(at *kong.Context, name string) string {
	for _, flag := range at.Flags() {
		if "--"+flag.Name == name {
			return name + " " + flag.FormatPlaceHolder()
		}
	}

	return name + " VALUE"
}

// noSuchCommand says that a word stands where none can, or no such command; near is what kong takes it for.
func noSuchCommand(at *kong.Context, word, near string) string {
	selected := at.Selected()
	if near == "" {
		near = perhaps(at, word)
	}
	if selected == nil || len(selected.Children) > 0 || isDefault(selected) && near != "" {
		return "unknown command " + word + near
	}

	return "unexpected argument " + word + near
}

// mostNear is how many commands a message names at most as what may have been meant. Where there are more, it names
// the groups that they stand in.
const mostNear = 3

// perhaps names the commands that a word may have been meant for. kong looks among the commands that can follow; a
// group with a default takes any word for an argument of that, and a person may leave the group out.
func perhaps(at *kong.Context, word string) string {
	var near []string

	selected := at.Selected()
	switch {
	case selected == nil:
		for _, leaf := range at.Model.Leaves(true) {
			if leaf.Name == word {
				near = append(near, leaf.Path())
			}
		}
	case isDefault(selected):
		for _, sibling := range selected.Parent.Children {
			if alike(sibling.Name, word) {
				near = append(near, sibling.Path())
			}
		}
	}
	if len(near) == 0 {
		return ""
	}
	if len(near) > mostNear {
		groups := make([]string, 0, len(near))
		for _, path := range near {
			groups = append(groups, strings.TrimSuffix(path, " "+word))
		}

		return fmt.Sprintf(", say of what: %s, as in subrosa %s", strings.Join(groups, ", "), near[0])
	}

	return ", did you mean " + strings.Join(near, " or ") + "?"
}

// mostTyped is how many letters of a word may be wrong, missing or too many: as many as kong allows.
const mostTyped = 2

// alike reports whether typed may be a slip of name.
func alike(name, typed string) bool {
	if typed != "" && strings.HasPrefix(name, typed) {
		return true
	}

	// Each row counts, for the letters of name so far, the changes that make the first letters of typed out of them.
	row := make([]int, len(typed)+1)
	for i := range row {
		row[i] = i
	}

	for i := range len(name) {
		before := row[0]
		row[0] = i + 1

		for j := range len(typed) {
			change := before
			if name[i] != typed[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}

	return row[len(typed)] <= mostTyped
}

// checkAddress says what is wrong with the address of a Subrosa, nil if nothing is.
func checkAddress(typed string) error {
	u, err := url.Parse(typed)
	if err != nil {
		return &misuse{fmt.Sprintf("%q is not an address of a Subrosa; write it as https://subrosa.example", typed)}
	}

	switch {
	case u.Scheme == "" || u.Host == "" && u.Opaque != "":
		return &misuse{fmt.Sprintf("the address %q does not begin with https://; write it as https://subrosa.example",
			typed)}
	case !slices.Contains([]string{"https", "http"}, u.Scheme):
		return &misuse{fmt.Sprintf("the address %q begins with %s://; a Subrosa is reached by https://", typed,
			u.Scheme)}
	case u.Hostname() == "":
		return &misuse{fmt.Sprintf("the address %q names no host; write it as https://subrosa.example", typed)}
	case u.User != nil:
		return &misuse{"the address of a Subrosa holds no name and no password; sign in with subrosa login"}
	case u.RawQuery != "" || u.Fragment != "":
		return &misuse{fmt.Sprintf("the address %q has more than a host and a path: leave out what follows ? or #",
			typed)}
	}

	return nil
}
