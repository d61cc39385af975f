// Package completion writes scripts with which a shell completes the commands and flags of a grammar. They are whole in
// themselves: a shell that has read one never runs the program to complete it.
package completion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those for which there is a script.
var shells = map[string]func(name string, all []command) string{"bash": bash, "zsh": zsh, "fish": fish}

// Script returns the script of a shell, bash, zsh or fish, for a program.
func Script(shell string, app *kong.Application) (string, error) {
	write, ok := shells[shell]
	if !ok {
		return "", fmt.Errorf("there is no completion for %q; there is for bash, zsh and fish", shell)
	}

	return write(app.Name, commands(app.Node, "", nil)), nil
}

// command is one command, or a group of commands, with what can follow it.
type command struct {
	path  string // such as "case create"; of the program itself ""
	below []word
	flags []flag
	args  []string // values of arguments that have fixed ones
}

type word struct{ name, help string }

type flag struct {
	names  []string // with their dashes
	help   string
	value  bool
	values []string
}

// commands lists node and all below it.
func commands(node *kong.Node, path string, above []flag) []command {
	// Cloned, because the commands beside this one append to the same list.
	at := command{path: path, flags: slices.Clone(above)}

	for _, f := range node.Flags {
		// What the help does not show is not offered either.
		if f.Hidden {
			continue
		}
		one := flag{
			names:  []string{"--" + f.Name},
			help:   line(f.Help),
			value:  !f.IsBool() && !f.IsCounter(),
			values: choices(f.Value),
		}
		if f.Short != 0 {
			one.names = append(one.names, "-"+string(f.Short))
		}
		at.flags = append(at.flags, one)
	}

	for _, p := range node.Positional {
		at.args = append(at.args, choices(p)...)
	}
	var below []command

	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		at.below = append(at.below, word{child.Name, line(child.Help)})
		below = append(below, commands(child, strings.TrimSpace(path+" "+child.Name), at.flags)...)
	}

	return append([]command{at}, below...)
}

// choices are the values of an enum, without the empty one.
func choices(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}

	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

// line is the first sentence of a help, in one line.
func line(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.Join(strings.Fields(strings.TrimSuffix(first, ".")), " ")
}

func (c command) names(which func(flag) bool) []string {
	var all []string

	for _, f := range c.flags {
		if which(f) {
			all = append(all, f.names...)
		}
	}

	return all
}

func everyFlag(flag) bool    { return true }
func takesValue(f flag) bool { return f.value }

func (c command) words() []string {
	all := make([]string, len(c.below))
	for i, w := range c.below {
		all[i] = w.name
	}

	return append(all, c.args...)
}

// tables are two functions that bash and zsh both understand: what can follow a command, and what values a flag takes.
func tables(name string, all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: what can follow the command in $1\n_%s_at() {\n  case \"$1\" in\n", name, name)

	for _, c := range all {
		fmt.Fprintf(&b, "  %q) subs=%q; takes=%q; flags=%q ;;\n", c.path, strings.Join(c.words(), " "),
			strings.Join(c.names(takesValue), " "), strings.Join(c.names(everyFlag), " "))
	}
	fmt.Fprintf(&b, "  *) subs=\"\"; takes=\"\"; flags=\"\" ;;\n  esac\n}\n\n"+
		"# the values of the flag in $2 of the command in $1\n_%s_values() {\n  case \"$1|$2\" in\n", name)

	for _, c := range all {
		for _, f := range c.flags {
			if len(f.values) > 0 {
				fmt.Fprintf(&b, "  %q) values=%q ;;\n", c.path+"|"+f.names[0], strings.Join(f.values, " "))
			}
		}
	}
	b.WriteString("  *) values=\"\" ;;\n  esac\n}\n\n")

	return b.String()
}

func bash(name string, all []command) string {
	return "# bash completion of " + name + "; source it, or put it into the folder of your bash completions\n\n" +
		tables(name, all) + strings.ReplaceAll(`_NAME() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at="" subs takes flags values word i
  _NAME_at ""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ " $takes " == *" $word "* ]]; then
      ((i++))
    elif [[ $word != -* && " $subs " == *" $word "* ]]; then
      at="${at:+$at }$word"
      _NAME_at "$at"
    fi
  done
  COMPREPLY=()
  if [[ " $takes " == *" $prev "* ]]; then
    _NAME_values "$at" "$prev"
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$subs" -- "$cur"))
  fi
}
complete -o default -F _NAME NAME
`, "NAME", name)
}

func zsh(name string, all []command) string {
	return "#compdef " + name + "\n# zsh completion of " + name + "; put it as _" + name +
		" into a folder of your $fpath\n\n" + tables(name, all) + strings.ReplaceAll(`_NAME() {
  local cur="${words[CURRENT]}" prev="${words[CURRENT-1]}" at="" subs takes flags values word i
  _NAME_at ""
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [[ " $takes " == *" $word "* ]]; then
      ((i++))
    elif [[ $word != -* && " $subs " == *" $word "* ]]; then
      at="${at:+$at }$word"
      _NAME_at "$at"
    fi
  done
  if [[ " $takes " == *" $prev "* ]]; then
    _NAME_values "$at" "$prev"
    if [[ -n $values ]]; then compadd -- ${=values}; else _files; fi
  elif [[ $cur == -* ]]; then
    compadd -- ${=flags}
  elif [[ -n $subs ]]; then
    compadd -- ${=subs}
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _NAME ]]; then _NAME "$@"; else compdef _NAME NAME; fi
`, "NAME", name)
}

// quoted is a text in single quotes of fish.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

func fish(name string, all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion of %s; put it as %s.fish into ~/.config/fish/completions\n\nfunction __%s_at\n"+
		"    set -l at ''\n    set -l skip no\n    for word in (commandline -opc)[2..-1]\n"+
		"        if test $skip = yes\n            set skip no\n            continue\n        end\n"+
		"        switch \"$at|$word\"\n", name, name, name)
	var takes, steps []string

	for _, c := range all {
		for _, n := range c.names(takesValue) {
			takes = append(takes, quoted(c.path+"|"+n))
		}

		for _, w := range c.below {
			steps = append(steps, quoted(c.path+"|"+w.name))
		}
	}
	fmt.Fprintf(&b, "            case %s\n                set skip yes\n            case %s\n"+
		"                set at (string trim -- \"$at $word\")\n        end\n    end\n"+
		"    test \"$at\" = \"$argv[1]\"\nend\n\ncomplete -c %s -e\n",
		strings.Join(takes, " "), strings.Join(steps, " "), name)

	for _, c := range all {
		here := fmt.Sprintf("complete -c %s -n %s", name, quoted("__"+name+"_at "+quoted(c.path)))
		for _, w := range c.below {
			fmt.Fprintf(&b, "%s -f -a %s -d %s\n", here, quoted(w.name), quoted(w.help))
		}

		for _, a := range c.args {
			fmt.Fprintf(&b, "%s -f -a %s\n", here, quoted(a))
		}

		for _, f := range c.flags {
			b.WriteString(here + fishFlag(f) + "\n")
		}
	}

	return b.String()
}

func fishFlag(f flag) string {
	text := ""

	for _, n := range f.names {
		if long, ok := strings.CutPrefix(n, "--"); ok {
			text += " -l " + long
		} else {
			text += " -s " + n[1:]
		}
	}

	switch {
	case len(f.values) > 0:
		text += " -x -a " + quoted(strings.Join(f.values, " "))
	case f.value:
		text += " -r"
	}

	return text + " -d " + quoted(f.help)
}
