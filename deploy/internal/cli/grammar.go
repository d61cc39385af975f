package cli

import (
	"cmp"
	"reflect"
	"regexp"
	"strings"
)

// otherCommands returns a pattern, for kong.IgnoreFields, that matches every command except those that args name.
// Reading the tags of a hundred commands takes longer than most commands do, and no tag matters once args begin with
// the name of another command. If args begin with a flag or with no command, the pattern matches nothing: what kong
// says of a mistake may name any command.
func otherCommands(args []string) string {
	var ignored []string
	group := reflect.TypeFor[commands]()

	for _, word := range args {
		named, others := command(group, word)
		if named == nil {
			break
		}
		ignored = append(ignored, others...)
		group = named
	}

	// Without a field the pattern is of an empty name, which none has.
	return "^(" + strings.Join(ignored, "|") + ")$"
}

// command finds the command called word in a group, nil if there is none. others are patterns of the group's other
// commands.
func command(group reflect.Type, word string) (named reflect.Type, others []string) {
	for i := range group.NumField() {
		field := group.Field(i)
		if _, isCommand := field.Tag.Lookup("cmd"); !isCommand {
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
