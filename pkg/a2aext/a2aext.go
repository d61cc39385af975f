// Package a2aext holds the documents of our extensions to the agent-to-agent protocol and the cases that an
// implementation of them is held against, so that the gateway serves what the tests of the endpoint run.
package a2aext

import (
	"bytes"
	"embed"
	"path"
	"strings"
)

//go:embed files
var files embed.FS

// named is the service in the files as they are kept.
const named = "https://localhost:8443"

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json",
}

// File is one file, for the service at some address.
type File struct {
	Name      string // such as resumable-stream-v1, which is the page, or resumable-stream-v1.json
	MediaType string
	Body      []byte
}

// Files returns all files with base as the address of the service, which has no slash at its end.
func Files(base string) ([]File, error) {
	entries, err := files.ReadDir("files")
	if err != nil {
		return nil, err
	}
	all := make([]File, len(entries))

	for i, e := range entries {
		body, err := files.ReadFile(path.Join("files", e.Name()))
		if err != nil {
			return nil, err
		}
		all[i] = File{
			Name:      strings.TrimSuffix(e.Name(), ".html"),
			MediaType: mediaTypes[path.Ext(e.Name())],
			Body:      bytes.ReplaceAll(body, []byte(named), []byte(base)),
		}
	}

	return all, nil
}

// Cases returns the cases of an extension such as resumable-stream-v1, for the service at base.
func Cases(extension, base string) ([]byte, error) {
	body, err := files.ReadFile(path.Join("files", extension+".json"))
	return bytes.ReplaceAll(body, []byte(named), []byte(base)), err
}
