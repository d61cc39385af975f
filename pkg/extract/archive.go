package extract

import (
	"archive/zip"
	"bytes"
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

	surplus surplus
	flat    []byte // the one part of a file that is no archive; see flatFile
}

// surplus counts what an archive holds beside its parts.
type surplus struct {
	comments int // comments and extra fields
	bytes    int // 1 when bytes stand between the parts or behind the end
}

// Parts of the ZIP format.
const (
	endRecord      = 22 // bytes of the record at the end, without a comment
	entryRecord    = 46 // bytes of an entry of the directory, without names
	fileRecord     = 30 // bytes before a part, without names
	descriptor     = 24 // bytes behind a part at the most, if it has the flag of one
	moreExtra      = 36 // bytes of extra fields that a part may have before it more than in the directory
	descriptorFlag = 8
	maxComment     = 1<<16 - 1
	maxDirectory   = 4 << 20
	ratioFrom      = 1 << 20 // bytes; smaller entries may be packed as well as they like
	endSignature   = 0x06054b50
	entrySignature = 0x02014b50
	fileSignature  = 0x04034b50
)

// openArchive checks the directory of an archive before anything is unpacked. Nothing may stand before the first
// file, so that the file cannot be something else too.
func openArchive(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (*archive, error) {
	beside, err := checkDirectory(r, size, lim.Entries)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: directory", errBroken)
	}
	a := &archive{ctx: ctx, lim: lim, parts: map[string]*zip.File{}, left: lim.Inflated, surplus: beside}
	var declared uint64

	for _, f := range z.File {
		if err := a.admit(f); err != nil {
			return nil, err
		}
		// The declared sizes are the sender's word. They refuse a bomb early; metered counts what really comes.
		if declared += f.UncompressedSize64; declared > uint64(lim.Inflated) {
			return nil, ErrBomb
		}
	}

	return a, nil
}

// flatFile returns what stands in for an archive where a file is one part that is not packed.
func flatFile(ctx context.Context, data []byte, name string, lim Limits) *archive {
	return &archive{ctx: ctx, lim: lim, names: []string{name}, left: lim.Inflated, flat: data}
}

// checkDirectory walks the directory by hand, so that a false count or a huge directory costs nothing.
func checkDirectory(r io.ReaderAt, size int64, most int) (surplus, error) {
	var head [4]byte
	if size < endRecord {
		return surplus{}, fmt.Errorf("%w: too short", errBroken)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return surplus{}, fmt.Errorf("read archive: %w", err)
	}
	// What begins otherwise could be a program or a picture to somebody else, with an archive behind it.
	if binary.LittleEndian.Uint32(head[:]) != fileSignature {
		return surplus{}, ErrMismatch
	}
	tail := make([]byte, min(size, endRecord+maxComment))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil {
		return surplus{}, fmt.Errorf("read archive: %w", err)
	}
	at := endOfDirectory(tail)
	if at < 0 {
		return surplus{}, fmt.Errorf("%w: no end of directory", errBroken)
	}
	end := tail[at:]
	length, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	if length > maxDirectory {
		return surplus{}, ErrBomb
	}
	// A directory elsewhere would let another reader find other parts.
	if offset+length != size-int64(len(end)) {
		return surplus{}, fmt.Errorf("%w: directory out of place", errBroken)
	}
	directory := make([]byte, length)
	if _, err := r.ReadAt(directory, offset); err != nil {
		return surplus{}, fmt.Errorf("read archive: %w", err)
	}
	beside, err := countEntries(directory, offset, most)
	if comment := int(binary.LittleEndian.Uint16(end[20:])); comment > 0 {
		beside.comments++
	} else if len(end) > endRecord {
		beside.bytes = 1
	}

	return beside, err
}

// endOfDirectory returns where the last record of an archive begins whose comment fits, or -1.
func endOfDirectory(tail []byte) int {
	for at := len(tail) - endRecord; at >= 0; at-- {
		if binary.LittleEndian.Uint32(tail[at:]) != endSignature {
			continue
		}
		if at+endRecord+int(binary.LittleEndian.Uint16(tail[at+20:])) > len(tail) {
			// Other readers have it so, too.
			return -1
		}

		return at
	}

	return -1
}

// countEntries walks the entries of the directory that begins at an offset, and counts what stands beside them.
func countEntries(directory []byte, offset int64, most int) (surplus, error) {
	var beside surplus
	// How many bytes the parts take with their headers and descriptors, at the most.
	var used int64

	for n := 0; len(directory) > 0; n++ {
		if n == most {
			return beside, ErrBomb
		}
		if len(directory) < entryRecord || binary.LittleEndian.Uint32(directory) != entrySignature {
			return beside, fmt.Errorf("%w: directory", errBroken)
		}
		name, extra := int(binary.LittleEndian.Uint16(directory[28:])), int(binary.LittleEndian.Uint16(directory[30:]))
		comment := int(binary.LittleEndian.Uint16(directory[32:]))
		if len(directory) < entryRecord+name+extra+comment {
			return beside, fmt.Errorf("%w: directory", errBroken)
		}
		if comment > 0 || !usualExtra(directory[entryRecord+name:entryRecord+name+extra]) {
			beside.comments++
		}
		used += fileRecord + int64(name) + int64(extra) + moreExtra + int64(binary.LittleEndian.Uint32(directory[20:]))
		if binary.LittleEndian.Uint16(directory[8:])&descriptorFlag != 0 {
			used += descriptor
		}
		directory = directory[entryRecord+name+extra+comment:]
	}
	if offset > used {
		beside.bytes = 1
	}

	return beside, nil
}

// usualExtra reports whether the extra fields of an entry are ones that hold times, owners and sizes.
func usualExtra(extra []byte) bool {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		most, known := extraSizes[id]
		if !known || size > most || size > len(extra)-4 {
			return false
		}
		extra = extra[4+size:]
	}

	return len(extra) == 0
}

// extraSizes are the sizes that the usual extra fields have at the most.
var extraSizes = map[uint16]int{0x0001: 28, 0x000a: 36, 0x5455: 13, 0x5855: 12, 0x7855: 4, 0x7875: 11, 0xcafe: 0}

// admit looks at one entry by its directory record alone.
func (a *archive) admit(f *zip.File) error {
	if strings.HasSuffix(f.Name, "/") {
		return nil
	}
	if !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`) || !f.Mode().IsRegular() {
		// No Office program writes ../x, /x or links.
		return ErrMismatch
	}
	if f.Flags&1 != 0 {
		return fmt.Errorf("%w: packed under a password", errBroken)
	}
	key := strings.ToLower(f.Name)
	// Of two parts of one name some readers take the first, and others the last.
	if a.parts[key] != nil {
		return fmt.Errorf("%w: the same part twice", errBroken)
	}
	if f.UncompressedSize64 > ratioFrom && f.UncompressedSize64/uint64(a.lim.Ratio) > f.CompressedSize64 {
		return ErrBomb
	}
	a.parts[key] = f
	a.names = append(a.names, key)

	return nil
}

// admitType refuses programs and embedded documents by where they lie and what they are called. What they are by their
// first bytes is seen when they are read; see inert.
func admitType(key string) error {
	ext := path.Ext(key)
	if strings.Contains(key, "/embeddings/") || strings.Contains(key, "/activex/") || carriers[ext] {
		return ErrMacro
	}
	if ext == ".bin" && !strings.Contains(key, "/printersettings") {
		return ErrMacro
	}

	return nil
}

// carriers are the endings of programs, and of files that hold others or macros.
var carriers = func() map[string]bool {
	known := map[string]bool{}
	for ext := range strings.FieldsSeq(`
		exe dll com scr ocx sys msi msp lnk bat cmd ps1 psm1 vb vbs vbe js jse mjs wsf wsh hta sct
		py pl rb sh jar class swf chm
		doc docx docm dot dotx dotm xls xlsx xlsm xlsb xlt xltx xltm xla xlam
		ppt pptx pptm pps ppsx ppsm pot potx potm vsd vsdx
		odt ods odp odg rtf wpd pages one pub mdb accdb pdf xps eml msg mht mhtml ole
		zip rar 7z gz tgz bz2 xz tar cab iso img`) {
		known["."+ext] = true
	}

	return known
}()

// signatures are the first bytes of programs, and of files that hold others.
var signatures = []string{
	"MZ", "PK\x03\x04", "PK\x05\x06", "\xd0\xcf\x11\xe0", "\x7fELF",
	"\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "#!", "%PDF", "{\\rtf",
	"Rar!", "7z\xbc\xaf", "\x1f\x8b", "BZh", "\xfd7zXZ", "MSCF",
}

// inert refuses a part of no known type that is a program or another document by its first bytes, and reads it to its
// end: it must unpack.
func (a *archive) inert(key string) error {
	r, ok, err := a.open(key)
	if err != nil || !ok {
		return err
	}
	defer r.Close() //nolint:errcheck // the part has been read, or is given up
	head := make([]byte, 8)
	n, err := io.ReadFull(r, head)
	// A part may be shorter than the longest signature.
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}

	for _, s := range signatures {
		if strings.HasPrefix(string(head[:n]), s) {
			return ErrMacro
		}
	}
	// Its checksum is tested at its end.
	_, err = io.Copy(io.Discard, r)

	return err
}

// open unpacks a part. The caller reads it to its end or to an error.
func (a *archive) open(key string) (io.ReadCloser, bool, error) {
	if a.flat != nil && key == a.names[0] {
		return io.NopCloser(&metered{a: a, r: bytes.NewReader(a.flat), most: int64(len(a.flat))}), true, nil
	}
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
