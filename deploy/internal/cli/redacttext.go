package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/deploy/internal/labelfile"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

type redactCmd struct {
	File    string   `arg:"" help:"Text, Markdown, HTML, CSV, JSON, e-mail, PDF, DOCX or ODT on this machine." type:"existingfile"`
	Map     string   `help:"${mapFile}" placeholder:"FILE" type:"path"`
	Out     string   `short:"o" help:"File to write. Default: FILE with .deidentified.txt or .restored.txt." placeholder:"FILE" type:"path"`
	Also    []string `help:"Also label this name or number, which the guard does not see; repeatable." placeholder:"TEXT" sep:"none"`
	Force   bool     `help:"Write over a file that is there."`
	Yes     bool     `help:"Label everything that is found without asking."`
	Restore bool     `help:"Put the names back in FILE, a text with labels, such as an answer of the agent."`
}

// Run de-identifies a file, or puts names back. Nothing leaves this machine.
func (cmd *redactCmd) Run(sh *shell) error {
	if cmd.Restore {
		return cmd.restore(sh)
	}
	out := cmd.Out
	if out == "" {
		out = beside(cmd.File, ".deidentified.txt")
	}
	// Before the questions, so that no review is done in vain.
	if err := cmd.free(sh, out); err != nil {
		return err
	}
	doc, err := cmd.read(sh)
	if err != nil {
		return err
	}
	found, err := cmd.find(sh, doc.Text)
	if err != nil {
		return err
	}
	file := mapFile{path: cmd.mapPath(), sh: sh}
	m, err := file.open(len(found) > 0)
	if err != nil {
		return err
	}
	r := labelling{sh: sh, text: doc.Text, labels: m, silent: cmd.Yes, all: cmd.Yes}
	accepted, err := r.run(found)
	if err != nil {
		return err
	}
	text, err := m.Label(doc.Text, accepted)
	if err != nil {
		return err
	}
	// The map comes first: a text whose labels nobody can resolve is worse than a map with a label too many.
	if err := file.save(m); err != nil {
		return err
	}
	if err := wholeText(out, cmd.Force, text); err != nil {
		return err
	}
	fmt.Fprintf(sh.Err, "Wrote %s: %s labelled. It is text, whatever %s was.\n",
		sh.near(out), wording.Counted(len(accepted), "place"), filepath.Base(cmd.File))
	cmd.leftOut(sh, doc)

	return cmd.remains(sh, m, out, text)
}

// mapPath is where the map is.
func (cmd *redactCmd) mapPath() string {
	if cmd.Map != "" {
		return cmd.Map
	}

	return beside(cmd.File, ".labels.age")
}

// beside is the name of a file with other endings.
func beside(name, ending string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return strings.TrimSuffix(name, ".deidentified") + ending
}

// free refuses to begin work whose result could not be written.
func (cmd *redactCmd) free(sh *shell, out string) error {
	// Not only equal names: a link to the source would let it be written over.
	if sameFile(out, cmd.File) || sameFile(out, cmd.mapPath()) {
		return fmt.Errorf("%s would be written over; name another file with --out", sh.near(out))
	}
	// Lstat, because a link that leads nowhere is in the way too.
	if _, err := os.Lstat(out); err == nil && !cmd.Force {
		return fmt.Errorf("%s is there already; name another file with --out, or write over it with --force",
			sh.near(out))
	}

	return nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	two, err := os.Stat(b)

	return err == nil && os.SameFile(one, two)
}

// extracted returns what a file says, as the service would read it. A file that cannot be read is an error.
func extracted(sh *shell, name string) (extract.Document, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return extract.Document{}, err
	}

	// The service takes pictures on a person's word and reads none of them, so it refuses them for this reason too.
	kind, err := extract.Sniff(content, name).Accept(MediaType(name))
	if err == nil && strings.HasPrefix(kind, "image/") {
		return extract.Document{}, unreadable(name, extract.Document{Reason: extract.ReasonPicture})
	}

	ctx, cancel := context.WithTimeout(sh.ctx, longTime)
	defer cancel()
	doc, err := extract.Extract(ctx, bytes.NewReader(content), int64(len(content)), MediaType(name),
		extract.DefaultLimits())
	if err == nil && !doc.Status.Readable() {
		err = unreadable(name, doc)
	}

	return doc, err
}

// unreadable says why a file cannot be checked, in the words of the service.
func unreadable(name string, doc extract.Document) error {
	return fmt.Errorf("%s cannot be checked for identities. %s", filepath.Base(name), doc.Obstacle())
}

// read extracts the text of the file, and ends its last line.
func (cmd *redactCmd) read(sh *shell) (extract.Document, error) {
	doc, err := extracted(sh, cmd.File)
	if err != nil {
		return doc, err
	}
	if !strings.HasSuffix(doc.Text, "\n") {
		doc.Text += "\n" // a line of text ends
	}

	return doc, nil
}

// find returns what the guard finds, and what the person names besides.
func (cmd *redactCmd) find(sh *shell, text string) ([]guard.Finding, error) {
	var found []guard.Finding

	err := guard.Guard{}.CheckReader(sh.ctx, guard.FileText, strings.NewReader(text), func(f guard.Finding) error {
		found = append(found, f)
		return nil
	})
	for _, also := range cmd.Also {
		places := wordsIn(text, also)
		if len(places) == 0 && err == nil {
			err = fmt.Errorf("%q of --also does not stand in the text", also)
		}
		// Names that the person gave are labelled in every place, whatever the guard thinks of them.
		found = append(found, places...)
	}

	return apart(found), err
}

// leftOut says what of the file is not in its text: parts beside the body, what no reader sees, and what nobody read.
func (cmd *redactCmd) leftOut(sh *shell, doc extract.Document) {
	var beside, dropped []string

	for _, p := range doc.Parts {
		if p.Kind != extract.Body {
			beside = append(beside, p.Path)
		}
	}

	for _, d := range doc.Dropped {
		dropped = append(dropped, fmt.Sprintf("%s %d", d.Kind, d.Count))
	}

	unread := 0
	for _, u := range doc.Unread {
		unread += u.Count
	}

	if len(beside) > 0 {
		fmt.Fprintf(sh.Err, "Left out, since only the body is text: %s.\n", strings.Join(beside, ", "))
	}
	if len(dropped) > 0 {
		fmt.Fprintf(sh.Err, "Left out, since no reader sees it: %s.\n", strings.Join(dropped, ", "))
	}
	if unread > 0 {
		fmt.Fprintf(
			sh.Err, "Not read, pages and pictures, and so not in the text: %s.\n", wording.Counted(unread, "place"),
		)
	}
}

// remains looks through what was written once more and says how to go on.
func (cmd *redactCmd) remains(sh *shell, m *guard.LabelMap, out, text string) error {
	open, cleared := 0, 0
	err := guard.Guard{}.CheckReader(sh.ctx, guard.FileText, strings.NewReader(text), func(f guard.Finding) error {
		if m.Dismissed(text[f.Start:f.End]) {
			cleared++
			return nil
		}
		open++
		fmt.Fprintf(sh.Err, "Still there: %s (%s)%s\n", f.Kind, f.Why, sh.passage(text, f.Start, f.End))

		return nil
	})
	if err != nil {
		return err
	}
	if cleared > 0 {
		fmt.Fprintf(sh.Err, "The service may refuse the file for %s that you marked as no identity. "+
			"Add it and clear these, by name:\n  subrosa file redact CASE %s --clear --map %s\n",
			wording.Counted(cleared, "place"), word(sh.near(out)), word(sh.near(cmd.mapPath())))
	}
	if named := (guard.Guard{}).Check(sh.ctx, guard.FileName, filepath.Base(out)); len(named) > 0 {
		fmt.Fprintf(sh.Err, "The name of the file may identify somebody: %s. Add it under another, "+
			"such as --name 'Document 1.txt'.\n", filepath.Base(out))
	}

	doubts, marked, err := cmd.doubts(sh, m, text)
	switch {
	case err != nil:
		return err
	case open > 0:
		return &reported{fmt.Sprintf("%s left in %s", wording.Counted(open, "finding"), sh.near(out))}
	case doubts > 0:
		fmt.Fprintln(sh.Err, "Looked through once more: nothing is left that the guard is sure of.")
		fmt.Fprintln(sh.Err, "Label what is a name with --also.")
	case cleared+marked > 0:
		fmt.Fprintln(sh.Err, "Looked through once more, and more strictly: nothing is left but what you marked as "+
			"no identity.")
	default:
		fmt.Fprintln(sh.Err, "Looked through once more, and more strictly: nothing is left.")
	}

	return nil
}

// doubts looks through a text more strictly than any door does, shows the words that only that finds, each once, and
// returns how many there are, and at how many places stands what somebody marked as no identity.
func (cmd *redactCmd) doubts(sh *shell, m *guard.LabelMap, text string) (count, marked int, err error) {
	seen := map[string]bool{}
	err = guard.Guard{}.CheckReader(sh.ctx, guard.FileText, strings.NewReader(text), func(f guard.Finding) error {
		// The first look has told these already.
		seen[text[f.Start:f.End]] = true
		return nil
	})
	if err != nil {
		return 0, 0, err
	}

	err = guard.Guard{}.CheckReader(sh.ctx, guard.Reread, strings.NewReader(text), func(f guard.Finding) error {
		doubtful := text[f.Start:f.End]
		if m.Dismissed(doubtful) {
			marked++
			return nil
		}
		if seen[doubtful] {
			return nil
		}
		seen[doubtful] = true
		count++
		fmt.Fprintf(sh.Err, "Not sure: %s (%s)%s\n", f.Kind, f.Why, sh.passage(text, f.Start, f.End))

		return nil
	})

	return count, marked, err
}

// near is a path as a person would type it here.
func (sh *shell) near(path string) string {
	if short, err := filepath.Rel(sh.Folder, path); err == nil && filepath.IsLocal(short) {
		return short
	}

	return path
}

// word quotes a name for a shell where it must be.
func word(name string) string {
	if strings.ContainsAny(name, " \t\"'`$&|;<>()*?#!\\~[]{}") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}

	return name
}

// restore puts names back.
func (cmd *redactCmd) restore(sh *shell) error {
	if cmd.Map == "" {
		return &misuse{"name the map of the case with --map"}
	}
	out := cmd.Out
	if out == "" {
		out = beside(cmd.File, ".restored.txt")
	}
	if out != "-" {
		if err := cmd.free(sh, out); err != nil {
			return err
		}
	}
	content, err := os.ReadFile(cmd.File)
	if err != nil {
		return err
	}
	// A DOCX or PDF would be searched byte by byte, find no label and come out unchanged, as if it had none.
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return fmt.Errorf("%s is not text", filepath.Base(cmd.File))
	}
	file := mapFile{path: cmd.Map, sh: sh}
	if _, err := os.Stat(cmd.Map); err != nil {
		return err
	}
	m, err := file.open(false)
	if err != nil {
		return err
	}
	text := m.Unlabel(string(content))
	if out == "-" {
		_, err := io.WriteString(sh.Out, text)
		return err
	}
	if err := wholeText(out, cmd.Force, text); err != nil {
		return err
	}
	var unknown []string

	labels := label.All(string(content))
	for _, l := range labels {
		if len(m.Identities(l)) == 0 {
			unknown = append(unknown, l.String())
		}
	}
	fmt.Fprintf(sh.Err, "Wrote %s: %d of %d labels have names in the map. Keep it off the service.\n",
		sh.near(out), len(labels)-len(unknown), len(labels))
	if len(unknown) > 0 {
		fmt.Fprintf(sh.Err, "Without a name: %s\n", strings.Join(unknown, ", "))
	}

	return nil
}

// whole writes a file, readable by its owner alone, whole or not at all. Without force it never touches one that is
// there.
func whole(path string, force bool, write func(io.Writer) error) error {
	if !force {
		// O_EXCL claims the name in one step: between a look and a write somebody else could make the file.
		claim, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := claim.Close(); err != nil {
			return err
		}
	}
	err := replace(path, write)
	if err != nil && !force {
		// The empty file that claimed the name goes again.
		err = errors.Join(err, os.Remove(path))
	}

	return err
}

func wholeText(path string, force bool, text string) error {
	return whole(path, force, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// mapFile is the map of a case on disk.
type mapFile struct {
	path       string
	sh         *shell
	was        []byte // nil when there was none
	passphrase string
}

// open reads the map, or makes an empty one. The passphrase of a new one is asked for only if it will be needed.
func (f *mapFile) open(needed bool) (*guard.LabelMap, error) {
	content, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if needed {
			if f.passphrase, err = f.sh.passphrase(true); err != nil {
				return nil, err
			}
		}

		return guard.NewLabelMap(guard.LabelData{})
	case err != nil:
		return nil, err
	}
	if f.passphrase, err = f.sh.passphrase(false); err != nil {
		return nil, err
	}
	f.was = content
	m, err := labelfile.Read(bytes.NewReader(content), f.passphrase)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.sh.near(f.path), err)
	}

	return m, nil
}

// save writes the map back, unless there is nothing to write.
func (f *mapFile) save(m *guard.LabelMap) error {
	if f.passphrase == "" {
		return nil
	}
	// Another command may have added labels meanwhile; writing over them would leave labels without names.
	if now, err := os.ReadFile(f.path); f.was != nil && (err != nil || !bytes.Equal(now, f.was)) {
		return fmt.Errorf("%s was changed meanwhile; nothing was written, run the command again", f.sh.near(f.path))
	}
	err := whole(f.path, f.was != nil, func(w io.Writer) error {
		return labelfile.Write(w, m, f.passphrase, f.sh.Effort)
	})
	if err == nil {
		fmt.Fprintf(f.sh.Err, "Wrote %s, the encrypted map. Keep it on this machine, and its passphrase "+
			"elsewhere.\n", f.sh.near(f.path))
	}

	return err
}

const passphraseVariable = "SUBROSA_MAP_PASSPHRASE" //nolint:gosec // the name of the variable

// passphrase is that of the map.
func (sh *shell) passphrase(fresh bool) (string, error) {
	prompt := "Passphrase of the map: "
	if fresh {
		prompt = "Passphrase for the new map, which nobody can reset: "
	}
	if !fresh {
		return sh.passphraseOf(passphraseVariable, prompt, nil)
	}

	return sh.passphraseOf(passphraseVariable, prompt, func(given string) error {
		if len(given) < labelfile.MinPassphrase {
			return labelfile.ErrShort
		}

		return nil
	})
}

// passphraseOf is what the variable of the environment holds, or what is asked for. A new one is asked for twice, and
// fresh says whether it will do; nil is for one that was chosen before.
func (sh *shell) passphraseOf(variable, prompt string, fresh func(string) error) (string, error) {
	// A variable that is set but empty counts: a script must never hang at a question.
	given, set := os.LookupEnv(variable)
	switch {
	case !set && sh.Secret == nil:
		return "", fmt.Errorf("a passphrase is needed: run this at a terminal, or set %s", variable)
	case !set:
		var err error
		if given, err = sh.Secret(prompt); err != nil {
			return "", fmt.Errorf("read passphrase: %w", err)
		}
	}
	if fresh == nil {
		return given, nil
	}
	// What comes from the environment was not typed, so asking again would find no typing error.
	if err := fresh(given); err != nil || set {
		return given, err
	}
	again, err := sh.Secret("Once more: ")
	if err != nil {
		return "", fmt.Errorf("read passphrase: %w", err)
	}
	if again != given {
		return "", errors.New("the two passphrases differ; nothing was written")
	}

	return given, nil
}
