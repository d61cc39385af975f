package cli

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

type caseCmd struct {
	Create caseCreateCmd `cmd:"" help:"Create a case."`
	List   caseListCmd   `cmd:"" help:"List cases, the latest changed first."`
	Show   caseShowCmd   `cmd:"" help:"Show a case."`
	Delete caseDeleteCmd `cmd:"" help:"Delete a case; a person can restore it for 30 days."`
}

type caseCreateCmd struct {
	Title        string   `help:"Title, with labels such as [Party 1] instead of names. Without one the evaluation names the case."`
	Kind         string   `help:"litigation, arbitration, administrative, transaction, advisory, appeal or other." placeholder:"KIND"`
	Jurisdiction string   `help:"ISO 3166 code, such as US or US-CA." placeholder:"CODE"`
	Forum        string   `help:"federal, state, tribal, agency, arbitration, foreign or none." placeholder:"SYSTEM"`
	Stakes       []string `help:"What is at stake: money, housing, employment, …" placeholder:"STAKE"`
}

// Run creates a case.
func (cmd *caseCreateCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	in := client.NewCase{Title: cmd.Title, MatterKind: cmd.Kind, Jurisdiction: cmd.Jurisdiction, Stakes: cmd.Stakes}
	if cmd.Forum != "" {
		in.Forum = &api.Forum{System: cmd.Forum}
	}
	made, err := c.CreateCase(sh.ctx, in)
	if err != nil {
		return err
	}
	return sh.print(made, func(w io.Writer) { fmt.Fprintf(w, "Created case %s: %s (%s)\n", made.CaseID, made.Title, made.Status) })
}

type caseListCmd struct {
	Limit int  `help:"Cases on a page, 1 to 100." default:"25"`
	All   bool `help:"Follow all pages."`
}

// Run lists cases.
func (cmd *caseListCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	page, err := c.Cases(sh.ctx, "", cmd.Limit)
	for err == nil && cmd.All && page.NextCursor != nil {
		var next api.Page[api.CaseRow]
		next, err = c.Cases(sh.ctx, *page.NextCursor, cmd.Limit)
		page.Items, page.NextCursor = append(page.Items, next.Items...), next.NextCursor
	}
	if err != nil {
		return err
	}
	return sh.print(page, func(w io.Writer) {
		table(w, []string{"CASE", "STATUS", "TIER", "FILES", "UPDATED", "TITLE"}, func(row func(...any)) {
			for _, k := range page.Items {
				tier := "-"
				if k.Tier != nil {
					tier = fmt.Sprint(*k.Tier)
				}
				row(k.CaseID, k.Status, tier, k.Counts.Files, k.UpdatedAt.Local().Format("2006-01-02 15:04"), k.Title)
			}
		})
		if page.NextCursor != nil {
			fmt.Fprintln(w, "There are more: --all")
		}
	})
}

func table(w io.Writer, head []string, rows func(row func(...any))) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, strings.Join(head, "\t"))
	rows(func(cells ...any) {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = fmt.Sprint(c)
		}
		fmt.Fprintln(tab, strings.Join(texts, "\t"))
	})
	_ = tab.Flush()
}

type caseShowCmd struct {
	Case string `arg:"" help:"Id of the case."`
}

// Run shows a case.
func (cmd *caseShowCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	k, err := c.Case(sh.ctx, cmd.Case)
	if err != nil {
		return err
	}
	return sh.print(k, func(w io.Writer) {
		fmt.Fprintf(w, "case          %s\ntitle         %s\nstatus        %s (%s)\n", k.CaseID, k.Title, k.Status, k.MatterKind)
		if k.Jurisdiction != "" {
			fmt.Fprintln(w, "jurisdiction ", k.Jurisdiction)
		}
		if e := k.Complexity; e != nil {
			fmt.Fprintf(w, "complexity    %s, %g points (%g to %g), confidence %s\n", e.TierName, e.Score, e.Range[0], e.Range[1], e.Confidence)
		}
		fmt.Fprintf(w, "responsible   %s\nfiles         %d\nphases        %d, %d waiting for review\nchanged       %s\n",
			k.Supervision.ResponsibleUserID, k.Counts.Files, k.Counts.Phases, k.Counts.PendingReviews, k.UpdatedAt.Local().Format("2006-01-02 15:04"))
	})
}

type caseDeleteCmd struct {
	Case string `arg:"" help:"Id of the case."`
}

// Run deletes a case.
func (cmd *caseDeleteCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	if err := c.DeleteCase(sh.ctx, cmd.Case); err != nil {
		return err
	}
	fmt.Fprintln(sh.Out, "Deleted case", cmd.Case)
	return nil
}

type fileCmd struct {
	Add  fileAddCmd  `cmd:"" help:"Add files to a case: text, Markdown, PDF or DOCX without identities."`
	List fileListCmd `cmd:"" help:"List the files of a case."`
	Text fileTextCmd `cmd:"" help:"Print the text of a file, or the passage behind a source."`
}

type fileAddCmd struct {
	Case  string   `arg:"" help:"Id of the case."`
	Files []string `arg:"" help:"Files to add." type:"existingfile"`
}

// Run adds files, one after the other.
func (cmd *fileAddCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	for _, name := range cmd.Files {
		added, err := addFile(sh, c, cmd.Case, name)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		note := ""
		if added.Duplicate {
			note = " (was there already)"
		}
		if err := sh.print(added, func(w io.Writer) {
			fmt.Fprintf(w, "Added %s as %s: %s, %d pages, text %s, %d labels%s\n",
				added.Name, added.FileID, added.MediaType, added.Extraction.Pages, added.Extraction.Status, len(added.Findings.Labels), note)
		}); err != nil {
			return err
		}
	}
	return nil
}

func addFile(sh *shell, c *client.Client, caseID, name string) (api.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return api.File{}, err
	}
	defer func() { _ = f.Close() }()
	return c.Upload(sh.ctx, caseID, filepath.Base(name), MediaType(name), f)
}

// MediaType names the type of a file by its ending; the service looks for itself.
func MediaType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".txt":
		return "text/plain"
	case ".docx":
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	}
	if t := mime.TypeByExtension(filepath.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

type fileListCmd struct {
	Case string `arg:"" help:"Id of the case."`
}

// Run lists the files of a case.
func (cmd *fileListCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	var all []api.File
	for cursor := ""; ; {
		page, err := c.Files(sh.ctx, cmd.Case, cursor, 100)
		if err != nil {
			return err
		}
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	return sh.print(all, func(w io.Writer) {
		table(w, []string{"FILE", "TYPE", "PAGES", "TEXT", "SIZE", "NAME"}, func(row func(...any)) {
			for _, f := range all {
				row(f.FileID, f.DocType, f.Extraction.Pages, f.Extraction.Status, f.SizeBytes, f.Name)
			}
		})
	})
}

type fileTextCmd struct {
	Case string `arg:"" help:"Id of the case."`
	File string `arg:"" help:"Id of the file."`
	From int    `help:"First character." default:"0"`
	To   int    `help:"Character after the last; 0 means the end." default:"0"`
}

// Run prints text of a file.
func (cmd *fileTextCmd) Run(sh *shell) error {
	if cmd.From < 0 || cmd.To < 0 {
		return errors.New("--from and --to count characters from 0")
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}
	text, err := c.FileText(sh.ctx, cmd.Case, cmd.File, cmd.From, cmd.To)
	if err != nil {
		return err
	}
	return sh.print(text, func(w io.Writer) { fmt.Fprintln(w, strings.TrimRight(text.Text, "\n")) })
}
