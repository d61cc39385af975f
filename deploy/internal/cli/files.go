package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type fileCmd struct {
	Add    fileAddCmd    `cmd:"" help:"Add files without identities to a case."`
	List   fileListCmd   `cmd:"" help:"List the files of a case, or search their text."`
	Show   fileShowCmd   `cmd:"" help:"Show what is known of a file."`
	Get    fileGetCmd    `cmd:"" help:"Fetch the content of a file: its bytes, or the rendition that is kept of it."`
	Text   fileTextCmd   `cmd:"" help:"Print the text of a file, or the passage behind a source."`
	Redact fileRedactCmd `cmd:"" help:"Show the identities found in a file, and clear findings that are none."`
	Delete fileDeleteCmd `cmd:"" help:"Delete a file, with the original that was kept of it."`
}

type fileListCmd struct {
	Case       string `arg:"" help:"Id of the case."`
	Query      string `short:"q" help:"Words of their text; quotes for phrases." placeholder:"TEXT"`
	DocType    string `name:"doc-type" help:"Type of document, such as complaint." placeholder:"TYPE"`
	Status     string `help:"${enum}." enum:"active,superseded,deleted" default:"active"`
	Extraction string `help:"How the text came out: ${enum}." enum:",${extractions}" default:""`
	Privilege  string `help:"Privilege: ${enum}." enum:",${privileges}" default:""`
	From       string `help:"Dated on or after." placeholder:"DATE"`
	To         string `help:"Dated on or before." placeholder:"DATE"`
	Sort       string `help:"Order: ${enum}; relevance needs -q." enum:",-createdAt,createdAt,name,documentOn,relevance" default:""`
	paging     `embed:""`
}

// Run lists files.
func (cmd *fileListCmd) Run(sh *shell) error {
	q := url.Values{}
	for name, value := range map[string]string{
		"q":          cmd.Query,
		"docType":    cmd.DocType,
		"extraction": cmd.Extraction,
		"privilege":  cmd.Privilege,
		"from":       cmd.From,
		"to":         cmd.To,
		"sort":       cmd.Sort,
	} {
		params(q).text(name, value)
	}
	if cmd.Status != "active" {
		params(q).text("status", cmd.Status)
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}

	return listed(
		sh,
		c,
		cmd.paging,
		httpcall.Path("v1", "cases", cmd.Case, "files"),
		q,
		func(w io.Writer, files []api.File) {
			table(w, []string{"FILE", "TYPE", "PAGES", "TEXT", "SIZE", "NAME"}, func(row func(...any)) {
				for _, f := range files {
					row(f.FileID, f.DocType, f.Extraction.Pages, f.Extraction.Status, kept(f), f.Name)
				}
			})

			for _, f := range files {
				for _, hit := range f.Hits {
					fmt.Fprintf(
						w,
						"  %s, characters %d to %d: %q\n",
						f.Name,
						hit.CharStart,
						hit.CharEnd,
						short(hit.Quote),
					)
				}
			}
		},
	)
}

type fileShowCmd struct {
	Case string `arg:"" help:"Id of the case."`
	File string `arg:"" help:"Id of the file."`
}

// Run shows a file.
func (cmd *fileShowCmd) Run(sh *shell) error {
	return one(sh, get("v1", "cases", cmd.Case, "files", cmd.File), func(w io.Writer, f api.File) {
		sheet(w,
			"file", f.FileID,
			"name", f.Name,
			"type", f.DocType+" ("+f.DocTypeBasis+")",
			"description", f.Description,
			"dated", f.DocumentOn,
			"produced by", f.ProducedBy,
			"privilege", f.Privilege,
			"sent", fmt.Sprintf("%d bytes of %s", f.SizeBytes, f.MediaType),
			"sha256", f.SHA256,
			"kept", content(f),
			"left out", dropped(f.Dropped),
			"not read", unread(f.Unread),
			"text", fmt.Sprintf("%s, %d pages, %d characters", quality(f.Extraction), f.Extraction.Pages,
				f.Extraction.Chars),
			"identities", f.DeidCheck.Status,
			"for agents", readable(f),
			"labels", strings.Join(f.Findings.Labels, ", "),
			"original", original(f, sh.asAgent),
			"supersedes", f.SupersedesFileID,
			"made by phase", f.Source.PhaseID,
			"revision", fmt.Sprintf("%d, %s", f.Revision, f.Status),
			"added", local(f.CreatedAt)+" by "+f.UploadedBy.Kind+" "+f.UploadedBy.ID)
	})
}

// kept is how many bytes of a file are handed out.
func kept(f api.File) int64 {
	if f.Content == nil {
		return 0
	}

	return f.Content.SizeBytes
}

// content says what is handed out of a file.
func content(f api.File) string {
	switch c := f.Content; {
	case c == nil:
		return "nothing can be handed out at the moment"
	case c.Renderer == api.NotRendered:
		return "as it was sent"
	case c.DOCX != nil:
		return fmt.Sprintf(
			"%d bytes of %s by %s, and a Word file of %d",
			c.SizeBytes,
			c.MediaType,
			c.Renderer,
			c.DOCX.SizeBytes,
		)
	default:
		return fmt.Sprintf("%d bytes of %s by %s", c.SizeBytes, c.MediaType, c.Renderer)
	}
}

// original says whether the original of a file is kept, "" where what is handed out is what was sent.
func original(f api.File, asAgent bool) string {
	rendered := f.Content != nil && f.Content.Renderer != api.NotRendered

	switch {
	case f.SealedFileID != "":
		return fmt.Sprintf("kept, encrypted, as file %s; subrosa file get %s %s --original opens it", f.SealedFileID,
			f.CaseID, f.FileID)
	case !rendered:
		return ""
	// Agents do not learn which files have an original: it names clients.
	case asAgent:
		return "agents are not told; repeat the command with --as user"
	}

	return "not kept"
}

// dropped counts by kind what was not kept.
func dropped(all []api.DroppedCarriers) string {
	var told []string
	for _, d := range all {
		told = append(told, fmt.Sprintf("%s %d", d.Kind, d.Count))
	}

	return strings.Join(told, ", ")
}

// unread names pages and pictures that nobody read.
func unread(u api.UnreadPlaces) string {
	var told []string

	listed := 0

	for _, p := range u.Places {
		place := p.What
		if p.Page > 0 {
			place = fmt.Sprintf("%s on page %d", p.What, p.Page)
			if p.What == "page" {
				place = fmt.Sprintf("page %d", p.Page)
			}
		}
		if p.Count > 1 {
			place += fmt.Sprintf(" (%d)", p.Count)
		}
		listed += p.Count
		told = append(told, place)
	}
	// The service names the first places alone; the rest is in the count.
	if more := u.Count - listed; more > 0 {
		told = append(told, fmt.Sprintf("%d more", more))
	}

	return strings.Join(told, ", ")
}

func readable(f api.File) string {
	if f.AgentReadable {
		return "readable"
	}

	return "not readable"
}

type fileGetCmd struct {
	Case string `arg:"" help:"Id of the case."`
	File string `arg:"" help:"Id of the file."`
	Out  string `short:"o" help:"File to write; - for standard output. Default: its name in the case." placeholder:"FILE"`
	Word bool   `name:"docx" xor:"form" help:"The Word file that is kept with the rendition of a DOCX or ODT."`
	Orig bool   `name:"original" xor:"form" help:"The original that was kept encrypted, opened on this machine."`
}

// Run fetches a file.
func (cmd *fileGetCmd) Run(sh *shell) error {
	if cmd.Orig {
		return cmd.getOriginal(sh)
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}
	r := get("v1", "cases", cmd.Case, "files", cmd.File, "content")
	if cmd.Word {
		r.Query = url.Values{"form": {"docx"}}
	}
	out := cmd.Out
	if out == "" {
		f, err := call[api.File](sh, c, get("v1", "cases", cmd.Case, "files", cmd.File))
		if err != nil {
			return err
		}
		name := f.v.Name
		if c := f.v.Content; cmd.Word {
			name = api.WordName(name)
		} else if c != nil {
			name = api.ContentName(name, c.Renderer)
		}
		if out, err = free(name, cmd.File); err != nil {
			return err
		}
	}

	return fetch(sh, c, r, out)
}

// free returns the last part of a name as the name of a new file in this folder, or otherwise when it has none.
func free(name, otherwise string) (string, error) {
	// Somebody else gave the file its name: parts such as ../ must not lead out of this folder, on Windows neither.
	out := filepath.Base(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if out == "." || out == ".." || out == string(filepath.Separator) {
		out = otherwise
	}
	// A download never replaces a file that the person did not name.
	if _, err := os.Stat(out); err == nil {
		return "", fmt.Errorf("%s is there already; name another file with --out", out)
	}

	return out, nil
}

// fetch writes the body of an answer to a file, whole or not at all, or to standard output.
func fetch(sh *shell, c *client.Client, r httpcall.Request, out string) error {
	ctx, cancel := context.WithTimeout(sh.ctx, longTime)
	defer cancel()
	resp, err := c.Open(ctx, r)
	if err != nil {
		return err
	}

	defer func() { _ = resp.Body.Close() }()
	if out == "-" {
		_, err := io.Copy(sh.Out, resp.Body)
		return err
	}
	var size int64
	err = replace(out, func(w io.Writer) (err error) {
		size, err = io.Copy(w, resp.Body)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(sh.Err, "Wrote %s, %d bytes\n", out, size)

	return nil
}

type fileTextCmd struct {
	Case string `arg:"" help:"Id of the case."`
	File string `arg:"" help:"Id of the file."`
	From int    `help:"First character." default:"0"`
	To   int    `help:"Character after the last; 0 means the end." default:"0"`
}

// Validate refuses places before the beginning of a text.
func (cmd *fileTextCmd) Validate() error {
	if cmd.From < 0 || cmd.To < 0 {
		return errors.New("--from and --to count characters from 0")
	}

	return nil
}

// Run prints text of a file.
func (cmd *fileTextCmd) Run(sh *shell) error {
	q := url.Values{"from": {strconv.Itoa(cmd.From)}}
	if cmd.To > 0 {
		q.Set("to", strconv.Itoa(cmd.To))
	}

	return one(sh, find(q, "v1", "cases", cmd.Case, "files", cmd.File, "text"), func(w io.Writer, t api.FileText) {
		fmt.Fprintln(w, strings.TrimRight(t.Text, "\n"))
	})
}

type fileDeleteCmd struct {
	Case      string `arg:"" help:"Id of the case."`
	File      string `arg:"" help:"Id of the file."`
	IfVersion int    `name:"if-version" help:"Only if the file still has this version." placeholder:"N"`
}

// Run deletes a file.
func (cmd *fileDeleteCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	r := httpcall.Request{
		Method: http.MethodDelete,
		Path:   httpcall.Path("v1", "cases", cmd.Case, "files", cmd.File),
		Header: match(cmd.IfVersion),
	}

	return do(sh, c, r, "Deleted file "+cmd.File)
}
