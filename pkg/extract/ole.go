package extract

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
)

// oleType is the type of the containers in which Office programs put what they encrypt, and of old Office files.
const oleType = "application/x-ole-storage"

// The format of an OLE container (MS-CFB), as far as it matters here: directory entries of 128 bytes at multiples of
// 128 bytes, each with the name of a stream in UTF-16, the length of that name, and the type of the entry.
const (
	oleSignature  = 0xE11AB1A1E011CFD0
	oleEntry      = 128
	oleNameLength = 64
	oleEntryType  = 66
	oleStream     = 2
)

// EncryptedOffice reports whether a file is one of Word, Excel or PowerPoint that needs a password or a licence: an OLE
// container with the encrypted file in it as the stream EncryptedPackage (MS-OFFCRYPTO).
func EncryptedOffice(r io.ReaderAt, size int64) bool {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil || binary.LittleEndian.Uint64(head[:]) != oleSignature {
		return false
	}
	var want [oleNameLength]byte

	name := utf16.Encode([]rune("EncryptedPackage"))
	for i, unit := range name {
		binary.LittleEndian.PutUint16(want[2*i:], unit)
	}
	// The length counts the zero at the end of the name.
	length := uint16(2 * (len(name) + 1))
	page := make([]byte, 512*oleEntry)

	for at := int64(0); at < size; at += int64(len(page)) {
		n, _ := r.ReadAt(
			page[:min(int64(len(page)), size-at)],
			at,
		) // what cannot be read fails later, when it is needed

		for entry := page[:n]; len(entry) >= oleEntry; entry = entry[oleEntry:] {
			if [oleNameLength]byte(entry) == want && entry[oleEntryType] == oleStream &&
				binary.LittleEndian.Uint16(entry[oleNameLength:]) == length {
				return true
			}
		}
	}

	return false
}
