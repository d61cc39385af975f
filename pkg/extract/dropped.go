package extract

import (
	"cmp"
	"slices"
)

// Dropped counts what a file carries that no reader sees as text and that therefore goes into no part.
type Dropped struct {
	Kind  string // one of DroppedKinds
	Count int
}

// The kinds of what is dropped.
const (
	dropAddresses    = "linkTargets"      // addresses that do not lead to the web: files, mail, telephones
	dropAlternatives = "alternatives"     // second forms of what was read, such as fallbacks of drawings
	dropAuthors      = "authors"          // who wrote comments and made changes
	dropBookmarks    = "bookmarks"        // names of places, titles in the list of bookmarks
	dropCustomXML    = "customXml"        // data that programs keep beside the text
	dropFieldCodes   = "fieldCodes"       // instructions of fields, whose results are read
	dropFonts        = "fonts"            // fonts and their names
	dropFormDefaults = "formDefaults"     // what fields held before they were filled in
	dropFormNames    = "formNames"        // names and tags of fields and controls
	dropFormOptions  = "formOptions"      // choices that were not chosen
	dropHeaders      = "mailHeaders"      // of an e-mail, those that no reader sees
	dropIdentifiers  = "identifiers"      // identifiers of files, revisions and objects
	dropLayers       = "layers"           // names of layers, pages and colours
	dropMarkup       = "markup"           // comments, attributes and elements of a page that are for programs
	dropOther        = "otherParts"       // parts of an archive that no program shows
	dropPictures     = "pictures"         // pictures, their data and their metadata
	dropPieceInfo    = "pieceInfo"        // private data of the programs that wrote the file
	dropProperties   = "properties"       // document properties, the producer's name among them
	dropRevisions    = "earlierRevisions" // states of the file before it was saved again
	dropScripts      = "scripts"          // programs, which are never run
	dropSignatures   = "signatures"       // digital signatures and certificates
	dropStyles       = "styles"           // styles, themes, settings and their names
	dropTrailing     = "surplusBytes"     // bytes before, between and behind what the format reads
	dropUnknown      = "unknownEntries"   // entries and objects that the format does not know
	dropUnused       = "unusedObjects"    // objects of a PDF file that nothing draws or leads to
	dropXMP          = "xmp"              // metadata in XML
	dropZip          = "zipComments"      // comments and extra fields of an archive
)

// DroppedKinds returns every kind of what can be dropped, in alphabetical order.
func DroppedKinds() []string {
	kinds := []string{
		dropAddresses,
		dropAlternatives,
		dropAuthors,
		dropBookmarks,
		dropCustomXML,
		dropFieldCodes,
		dropFonts,
		dropFormDefaults,
		dropFormNames,
		dropFormOptions,
		dropHeaders,
		dropIdentifiers,
		dropLayers,
		dropMarkup,
		dropOther,
		dropPictures,
		dropPieceInfo,
		dropProperties,
		dropRevisions,
		dropScripts,
		dropSignatures,
		dropStyles,
		dropTrailing,
		dropUnknown,
		dropUnused,
		dropXMP,
		dropZip,
	}
	slices.Sort(kinds)

	return kinds
}

// drop counts things of a kind.
func (d *Document) drop(kind string, count int) {
	if count <= 0 {
		return
	}
	at, found := slices.BinarySearchFunc(
		d.Dropped,
		kind,
		func(x Dropped, kind string) int { return cmp.Compare(x.Kind, kind) },
	)
	if !found {
		d.Dropped = slices.Insert(d.Dropped, at, Dropped{Kind: kind})
	}
	d.Dropped[at].Count += count
}

// Unread is something of a file that a reader sees and that was not read.
type Unread struct {
	Page  int    // from 1; 0 when the file has no pages
	What  string // one of UnreadKinds
	At    int    // code point of the text behind which it stands
	Count int
}

// What can be unread.
const (
	UnreadNumber  = "number"  // a number that a program counts and that the file does not tell
	UnreadPage    = "page"    // a page that shows something and whose text could not be read
	UnreadPicture = "picture" // a picture among text
	UnreadText    = "text"    // words that a style sheet writes and that are not followed, or what is shown in a frame
)

// UnreadKinds returns what can be unread.
func UnreadKinds() []string { return []string{UnreadNumber, UnreadPage, UnreadPicture, UnreadText} }
