package cli

import (
	"cmp"
	"reflect"
	"regexp"
	"strings"
)

// unnamed is a pattern of the commands that args do not name, as kong.IgnoreFields takes it. To read the tags of a
// hundred commands takes longer than most commands do, and none of them matters once args begin with the name of
// another. Where args begin with a flag or with no command at all, nothing is left out: what kong says of a mistake
// may name any command.
func unnamed(args []string) string {
	var left []string
	group := reflect.TypeFor[commands]()

	for _, word := range args {
		named, others := choose(group, word)
		if named == nil {
			break
		}
		left = append(left, others...)
		group = named
	}

	// Without a field the pattern is of an empty name, which none has.
	return "^(" + strings.Join(left, "|") + ")$"
}

// choose finds the command of a group that is called word; others are the fields of the rest. named is nil where the
// group has no such command.
func choose(group reflect.Type, word string) (named reflect.Type, others []string) {
	for i := range group.NumField() {
		field := group.Field(i)
		if _, command := field.Tag.Lookup("cmd"); !command {
			continue
		}
		if cmp.Or(field.Tag.Get("name"), strings.ToLower(field.Name)) == word {
			named = field.Type
			continue
		}
		others = append(others, regexp.QuoteMeta(group.Name()+"."+field.Name))
	}

	return named, others
}
