package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
)

type fileAddCmd struct {
	Case        string   `arg:"" help:"Id of the case."`
	Files       []string `arg:"" help:"Text, Markdown, HTML, CSV, JSON, e-mail, PDF, DOCX or ODT without identities." type:"path"`
	Name        string   `help:"Name in the case, for one file. Default: its own." placeholder:"NAME"`
	DocType     string   `name:"doc-type" help:"Type of document, such as complaint. Default: the service decides." placeholder:"TYPE"`
	Description string   `help:"What it is, by label." placeholder:"TEXT"`
	DocumentOn  string   `name:"document-on" help:"Date of the document itself." placeholder:"DATE"`
	Privilege   string   `help:"Privilege: ${enum}." enum:",${privileges}" default:""`
	ProducedBy  string   `name:"produced-by" help:"Label of the party that produced it." placeholder:"LABEL"`
	Supersedes  string   `help:"File that this one replaces as its next version, for one file." placeholder:"FILE"`
	SealedFile  string   `name:"sealed-file" help:"File that holds its sealed original, for one file." placeholder:"FILE"`
	Keep        bool     `name:"keep-original" help:"${keepOriginal}"`
	Attest      bool     `help:"You checked a file without text, or a damaged or encrypted one, and answer for it. Agents never see it."`
}

// Validate refuses flags that do not go together.
func (cmd *fileAddCmd) Validate() error {
	if len(cmd.Files) > 1 && (cmd.Name != "" || cmd.Supersedes != "" || cmd.SealedFile != "") {
		return errors.New("--name, --supersedes and --sealed-file are about one file; add the files one by one")
	}
	if cmd.Keep && cmd.SealedFile != "" {
		return errors.New("--keep-original stores a sealed original, and --sealed-file names one: give one of them")
	}

	return nil
}

// Run adds files one after the other. One that is not taken does not keep out those after it.
func (cmd *fileAddCmd) Run(sh *shell) error {
	c, s, err := cmd.connect(sh)
	if err != nil {
		return err
	}
	bad := 0

	for _, name := range cmd.Files {
		if err := cmd.add(sh, c, s, name); err != nil {
			// An expired bearer is renewed by running the command again, which must see the error. After Ctrl-C no file
			// is added.
			if sh.expired(err) || sh.ctx.Err() != nil {
				return err
			}
			bad++
			fmt.Fprintf(sh.Err, "subrosa: %s: %s\n", filepath.Base(name), sh.explain(err))
		}
	}
	if bad > 0 {
		return &reported{fmt.Sprintf("%d of %d files were not added", bad, len(cmd.Files))}
	}

	return nil
}

// connect returns who adds the files, with the opened vault when originals are kept.
func (cmd *fileAddCmd) connect(sh *shell) (*client.Client, *session, error) {
	if !cmd.Keep {
		c, err := sh.caller()
		return c, nil, err
	}
	if sh.root.As == "agent" {
		if err := sh.open(); err != nil {
			return nil, nil, err
		}
		link := deeplink.Links(sh.site.BaseURL).To(deeplink.RedactFile, cmd.Case)

		return nil, nil, fmt.Errorf("only a person can keep an original with a case, since it names clients: "+
			"repeat the command with --as user, or do it in the browser\n  open %s", link)
	}
	s, err := sh.openVault()
	if err != nil {
		return nil, nil, err
	}

	return s.c, s, nil
}

func (cmd *fileAddCmd) add(sh *shell, c *client.Client, s *session, name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			// The caller prints the name already.
			err = path.Err
		}

		return err
	}
	// A copy: the sealed original of one file must not be named for the next one.
	one := *cmd
	keeps := cmd.Keep && rendition.Needed(MediaType(name))
	if cmd.Keep && !keeps {
		fmt.Fprintf(sh.Err, "%s is kept as it is, so no original is stored beside it.\n", filepath.Base(name))
	}
	if keeps {
		if one.SealedFile, err = s.keepOriginal(cmd.Case, name, cmd.sentAs(name), content); err != nil {
			return err
		}
	}
	r, err := one.request(name, content)
	if err != nil {
		return errors.Join(err, cmd.drop(s, one.SealedFile))
	}
	taken, err := added(sh, c, r, cmd.sentAs(name))

	switch {
	case one.SealedFile == cmd.SealedFile:
		return err
	case refused(err):
		return errors.Join(err, cmd.drop(s, one.SealedFile))
	// The file may be in the case by now, and this is its original then: deleting it could lose it for good.
	case err != nil:
		fmt.Fprintf(sh.Err, "Nobody knows whether %s was added. Its original is kept as file %s; "+
			"list the files first.\n",
			filepath.Base(name), one.SealedFile)

		return err
	}
	f := taken.Items[0]

	switch f.SealedFileID {
	case one.SealedFile:
		return nil
	case "":
		fmt.Fprintf(sh.Err, "%s is what the service hands out of file %s and not its original, "+
			"so it was not kept as that.\n",
			filepath.Base(name), f.FileID)
	default:
		fmt.Fprintf(sh.Err, "%s was there already, with its original, which was not kept twice.\n", filepath.Base(name))
	}

	return cmd.drop(s, one.SealedFile)
}

// drop deletes an original that add has kept, and that belongs to nothing now.
func (cmd *fileAddCmd) drop(s *session, id string) error {
	if id == cmd.SealedFile {
		return nil // it kept none
	}

	return s.dropOriginal(cmd.Case, id)
}

// refused reports whether the service has certainly not taken what was sent. After a timeout, a broken connection or a
// failure of the service nobody knows.
func refused(err error) bool {
	var e *errs.Error
	// Unclassified errors, of the network for one, come out as false: nothing is deleted on a guess.
	return errors.As(err, &e) && e.Kind != errs.Internal && e.Kind != errs.Unavailable
}

// added sends an upload of a file by its name, tells what the case has now, and returns it.
func added(sh *shell, c *client.Client, r httpcall.Request, sent string) (api.FileItems, error) {
	ctx, cancel := context.WithTimeout(sh.ctx, longTime)
	defer cancel()
	a, err := callUnder[api.FileItems](ctx, c, r)
	if err != nil {
		return api.FileItems{}, err
	}

	return a.v, show(sh, a, func(w io.Writer, v api.FileItems) {
		for _, f := range v.Items {
			what := fmt.Sprintf("%s, %d pages, text %s, %d labels", f.MediaType, f.Extraction.Pages,
				quality(f.Extraction), len(f.Findings.Labels))
			if f.Duplicate {
				fmt.Fprintf(w, "%s was there already, so nothing was added: it is %s (%s), %s\n",
					sent, f.Name, f.FileID, what)
			} else {
				fmt.Fprintf(w, "Added %s as %s: %s\n", f.Name, f.FileID, what)
			}
			if f.SealedFileID != "" {
				fmt.Fprintf(w, "Its original is kept, encrypted, as file %s\n", f.SealedFileID)
			}
			if n := f.Unread.Count; n > 0 {
				fmt.Fprintf(w, "Not read, and so not kept: %s\n", unread(f.Unread))
			}
			if len(f.Dropped) > 0 && !f.Duplicate {
				fmt.Fprintf(w, "Left out, since no reader sees it: %s\n", dropped(f.Dropped))
			}
		}
		if v.Notice != "" {
			fmt.Fprintln(w, v.Notice)
		}
	})
}

// quality says how the text of a file came out, and why where it is not well.
func quality(e api.Extraction) string {
	if why := extract.Weakness(e.Reason); why != "" {
		return e.Status + ", since " + why
	}

	return e.Status
}

// request is a raw upload, or with metadata a form.
func (cmd *fileAddCmd) request(name string, content []byte) (httpcall.Request, error) {
	meta := fields{}
	for field, value := range map[string]string{
		"name":             cmd.Name,
		"docType":          cmd.DocType,
		"description":      cmd.Description,
		"documentOn":       cmd.DocumentOn,
		"privilege":        cmd.Privilege,
		"producedBy":       cmd.ProducedBy,
		"supersedesFileId": cmd.Supersedes,
		"sealedFileId":     cmd.SealedFile,
	} {
		meta.text(field, value)
	}
	if cmd.Attest {
		meta["attestation"] = true
	}
	// A form costs a boundary and a second part; most uploads need neither.
	if len(meta) == 0 {
		return raw(cmd.Case, name, content), nil
	}
	text, err := json.Marshal([]fields{meta})
	if err != nil {
		return httpcall.Request{}, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	head := textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="metadata"`},
		"Content-Type":        {"application/json"},
	}
	file := fileHead(cmd.sentAs(name), MediaType(name))
	if err := errors.Join(part(form, head, text), part(form, file, content), form.Close()); err != nil {
		return httpcall.Request{}, err
	}
	header := http.Header{"Content-Type": {form.FormDataContentType()}}

	return httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("v1", "cases", cmd.Case, "files"),
		Header: header,
		Body:   &body,
	}, nil
}

// raw is the upload of one file by itself.
func raw(caseID, name string, content []byte) httpcall.Request {
	header := http.Header{
		"Content-Type":        {MediaType(name)},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": filepath.Base(name)})},
	}

	return httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("v1", "cases", caseID, "files"),
		Header: header,
		Body:   bytes.NewReader(content),
	}
}

// sentAs is the only name of a file that leaves this machine: the one that it was given for the case, else its own.
func (cmd *fileAddCmd) sentAs(path string) string { return cmp.Or(cmd.Name, filepath.Base(path)) }

func fileHead(name, mediaType string) textproto.MIMEHeader {
	disposition := mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": name})
	return textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {mediaType}}
}

func part(form *multipart.Writer, head textproto.MIMEHeader, content []byte) error {
	w, err := form.CreatePart(head)
	if err == nil {
		_, err = w.Write(content)
	}

	return err
}

// MediaType names the type of a file by its ending; the service looks for itself.
func MediaType(name string) string {
	ending := strings.ToLower(filepath.Ext(name))
	// The tables of operating systems differ, so the types that matter stand here.
	known := map[string]string{
		".md":       "text/markdown",
		".markdown": "text/markdown",
		".txt":      "text/plain",
		".html":     "text/html",
		".htm":      "text/html",
		".csv":      "text/csv",
		".json":     "application/json",
		".eml":      "message/rfc822",
		".mht":      "message/rfc822",
		// A saved web page is a message with parts.
		".mhtml":  "message/rfc822",
		".pdf":    "application/pdf",
		".docx":   "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		".odt":    extract.ODT,
		".ott":    extract.ODT,
		".fodt":   extract.ODT,
		".sealed": extract.Sealed,
		".png":    "image/png",
		".jpg":    "image/jpeg",
		".jpeg":   "image/jpeg",
		".tif":    "image/tiff",
		".tiff":   "image/tiff",
	}
	if t := known[ending]; t != "" {
		return t
	}
	if t := mime.TypeByExtension(ending); t != "" {
		return t
	}

	return "application/octet-stream"
}
