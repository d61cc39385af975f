package extract

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// archive is an Office file: a ZIP archive of XML parts.
type archive struct {
	ctx   context.Context
	lim   Limits
	parts map[string]*zip.File
	names []string // in the order of the archive
	left  int64    // bytes that may still be unpacked
}

// Parts of the ZIP format.
const (
	endRecord      = 22 // bytes of the record at the end, without a comment
	entryRecord    = 46 // bytes of an entry of the directory, without names
	maxDirectory   = 4 << 20
	ratioFrom      = 1 << 20 // bytes; smaller entries may be packed as well as they like
	endSignature   = 0x06054b50
	entrySignature = 0x02014b50
	fileSignature  = 0x04034b50
)

// openArchive checks the directory of an archive before anything is unpacked. Nothing may stand before the first file or
// behind the end, so that the file cannot be something else too.
func openArchive(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (*archive, error) {
	if err := checkDirectory(r, size, lim.Entries); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: directory", errBroken)
	}
	a := &archive{ctx: ctx, lim: lim, parts: map[string]*zip.File{}, left: lim.Inflated}
	var declared uint64

	for _, f := range z.File {
		if err := a.admit(f); err != nil {
			return nil, err
		}
		if declared += f.UncompressedSize64; declared > uint64(lim.Inflated) {
			return nil, ErrBomb
		}
	}

	return a, nil
}

// checkDirectory walks the directory by hand, so that a false count or a huge directory costs nothing.
func checkDirectory(r io.ReaderAt, size int64, most int) error {
	var head [4]byte
	var end [endRecord]byte
	if size < endRecord {
		return fmt.Errorf("%w: too short", errBroken)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	if _, err := r.ReadAt(end[:], size-endRecord); err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	if binary.LittleEndian.Uint32(head[:]) != fileSignature {
		return ErrMismatch
	}
	if binary.LittleEndian.Uint32(end[:]) != endSignature {
		return fmt.Errorf("%w: no end of directory", errBroken)
	}
	length, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	if length > maxDirectory {
		return ErrBomb
	}
	if offset+length != size-endRecord {
		return fmt.Errorf("%w: directory out of place", errBroken)
	}
	directory := make([]byte, length)
	if _, err := r.ReadAt(directory, offset); err != nil {
		return fmt.Errorf("read archive: %w", err)
	}

	return countEntries(directory, most)
}

func countEntries(directory []byte, most int) error {
	for n := 0; len(directory) > 0; n++ {
		if n == most {
			return ErrBomb
		}
		if len(directory) < entryRecord || binary.LittleEndian.Uint32(directory) != entrySignature {
			return fmt.Errorf("%w: directory", errBroken)
		}

		variable := 0
		for _, at := range []int{28, 30, 32} { // name, extra, comment
			variable += int(binary.LittleEndian.Uint16(directory[at:]))
		}
		if len(directory) < entryRecord+variable {
			return fmt.Errorf("%w: directory", errBroken)
		}
		directory = directory[entryRecord+variable:]
	}

	return nil
}

// admit looks at one entry by its directory record alone.
func (a *archive) admit(f *zip.File) error {
	if strings.HasSuffix(f.Name, "/") {
		return nil
	}
	if !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`) || !f.Mode().IsRegular() {
		return ErrMismatch // no Office program writes ../x, /x or links
	}
	if f.Flags&1 != 0 {
		return fmt.Errorf("%w: packed under a password", errBroken)
	}
	key := strings.ToLower(f.Name)
	if a.parts[key] != nil {
		return fmt.Errorf("%w: the same part twice", errBroken)
	}
	if f.UncompressedSize64 > ratioFrom && f.UncompressedSize64/uint64(a.lim.Ratio) > f.CompressedSize64 {
		return ErrBomb
	}
	if err := admitType(key); err != nil {
		return err
	}
	a.parts[key] = f
	a.names = append(a.names, key)

	return nil
}

// admitType refuses programs, embedded documents and whatever else is neither XML nor a picture nor a font.
func admitType(key string) error {
	switch path.Ext(key) {
	case ".xml", ".rels", ".vml":
		return nil
	case ".png", ".jpg", ".jpeg", ".jfif", ".gif", ".bmp", ".tif", ".tiff", ".emf", ".wmf", ".emz", ".wmz", ".wdp", ".svg",
		".odttf", ".ttf", ".fntdata":
		return nil
	case ".bin":
		if strings.Contains(key, "/printersettings") {
			return nil
		}

		return ErrMacro
	case ".psmdcp":
		return nil // core properties as some programs write them; read as XML
	}

	return ErrMacro
}

// open unpacks a part. The caller reads it to its end or to an error.
func (a *archive) open(key string) (io.ReadCloser, bool, error) {
	f := a.parts[strings.ToLower(key)]
	if f == nil {
		return nil, false, nil
	}
	rc, err := f.Open()
	if err != nil {
		return nil, false, fmt.Errorf("%w: packed part", errBroken)
	}

	return struct {
		io.Reader
		io.Closer
	}{&metered{a: a, r: rc, most: a.most(int64(f.CompressedSize64))}, rc}, true, nil
}

// most returns how much a part of a packed size may unpack to: a quarter of what all may, and by the ratio.
func (a *archive) most(packed int64) int64 {
	return min(a.lim.Inflated/4, max(ratioFrom, packed*a.lim.Ratio))
}

// metered counts what is really unpacked, whatever the directory says, and looks at the context.
type metered struct {
	a    *archive
	r    io.Reader
	most int64 // bytes that this part may still unpack to
}

func (m *metered) Read(p []byte) (int, error) {
	if err := m.a.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.a.left -= int64(n)
	m.most -= int64(n)
	if m.a.left < 0 || m.most < 0 {
		return 0, ErrBomb
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("%w: packed part", errBroken)
	}

	return n, err
}
