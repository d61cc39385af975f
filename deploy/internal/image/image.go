// Package image makes a container image from a folder, on nothing else and without an engine: the same files give the
// same image, byte for byte, whenever and wherever it is made.
package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Spec is what an image says beside its files.
type Spec struct {
	Tag        string // name:version, under which an engine knows it
	Created    time.Time
	Arch       string // as Go names it
	User       string // uid:gid
	Entrypoint []string
	Labels     map[string]string
}

// Image is a made image.
type Image struct {
	ID         string // as engines name it
	Size       int64  // of its files, in bytes
	Compressed int64  // of its layer with gzip, in bytes: what a registry keeps and a node fetches
	Archive    []byte // for docker load
}

type config struct {
	Arch    string    `json:"architecture"`
	OS      string    `json:"os"`
	Created time.Time `json:"created"`
	Config  struct {
		User       string            `json:"User,omitempty"`
		Entrypoint []string          `json:"Entrypoint"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels,omitempty"`
	} `json:"config"`
	RootFS struct {
		Type  string   `json:"type"`
		Diffs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []history `json:"history"`
}

type history struct {
	Created time.Time `json:"created"`
	By      string    `json:"created_by"`
}

// Make makes an image of the files under root. They belong to nobody in particular (0:0) and can be read by all; a file
// that its owner may run, all may run, and a folder with every right (0777) keeps them.
func Make(root string, s Spec) (Image, error) {
	// Fractions and zones would make another image of the same files.
	s.Created = s.Created.UTC().Truncate(time.Second)
	layer, size, err := pack(root, s.Created)
	if err != nil {
		return Image{}, err
	}
	var c config
	c.Arch, c.OS, c.Created = s.Arch, "linux", s.Created
	c.Config.User, c.Config.Entrypoint, c.Config.WorkingDir, c.Config.Labels = s.User, s.Entrypoint, "/", s.Labels
	c.RootFS.Type, c.RootFS.Diffs = "layers", []string{"sha256:" + digest(layer)}
	c.History = []history{{s.Created, "subrosa-image"}}
	about, err := json.Marshal(c)
	if err != nil {
		return Image{}, fmt.Errorf("encode the image: %w", err)
	}
	name := digest(about)
	inside, err := json.Marshal([]any{
		map[string]any{"Config": name + ".json", "RepoTags": []string{s.Tag}, "Layers": []string{"layer.tar"}},
	})
	if err != nil {
		return Image{}, fmt.Errorf("encode the image: %w", err)
	}
	var archive bytes.Buffer

	w := tar.NewWriter(&archive)
	for _, f := range []struct {
		name string
		text []byte
	}{{"layer.tar", layer}, {name + ".json", about}, {"manifest.json", inside}} {
		if err := put(w, f.name, 0o644, s.Created, f.text); err != nil {
			return Image{}, err
		}
	}
	if err := w.Close(); err != nil {
		return Image{}, fmt.Errorf("pack the image: %w", err)
	}
	compressed, err := zipped(layer)

	return Image{ID: "sha256:" + name, Size: size, Compressed: compressed, Archive: archive.Bytes()}, err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// pack returns the files under folder as a layer, and how large they are. The walk is in order of names.
func pack(folder string, at time.Time) ([]byte, int64, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, 0, fmt.Errorf("pack %s: %w", folder, err)
	}
	defer func() { _ = root.Close() }()
	var layer bytes.Buffer
	w, size := tar.NewWriter(&layer), int64(0)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}

		switch {
		case entry.IsDir():
			return w.WriteHeader(&tar.Header{
				Typeflag: tar.TypeDir,
				Name:     name + "/",
				Mode:     folderMode(info),
				ModTime:  at,
				Format:   tar.FormatUSTAR,
			})
		// A link could lead out of the image, and its time would not be the one given.
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is neither file nor folder", name)
		}
		text, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		size += int64(len(text))

		return put(w, name, mode(info), at, text)
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, 0, fmt.Errorf("pack %s: %w", folder, err)
	}

	return layer.Bytes(), size, nil
}

// folderMode lets everybody write where everybody could. Engines give a memory-backed mount the rights of the folder
// that it is put on.
func folderMode(info fs.FileInfo) int64 {
	if info.Mode().Perm() == 0o777 {
		// With the sticky bit, as /tmp has it: whoever made a file is the only one to remove it.
		return 0o1777
	}

	return 0o755
}

func mode(info fs.FileInfo) int64 {
	if info.Mode()&0o100 != 0 {
		return 0o755
	}

	return 0o644
}

func put(w *tar.Writer, name string, mode int64, at time.Time, text []byte) error {
	if err := w.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg,
		Name:     name,
		Mode:     mode,
		Size:     int64(len(text)),
		ModTime:  at,
		Format:   tar.FormatUSTAR,
	}); err != nil {
		return err
	}
	_, err := w.Write(text)

	return err
}

func zipped(text []byte) (int64, error) {
	var n counted
	z := gzip.NewWriter(&n)
	if _, err := io.Copy(z, bytes.NewReader(text)); err != nil {
		return 0, fmt.Errorf("compress: %w", err)
	}
	err := z.Close()

	return int64(n), err
}

type counted int64

func (n *counted) Write(p []byte) (int, error) {
	*n += counted(len(p))
	return len(p), nil
}
