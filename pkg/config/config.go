// Package config reads the settings of a service from its environment and reports every mistake in them at once, so
// that an operator mends a deployment in one round and not variable by variable.
package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Secret is a setting that cannot be printed, logged or marshalled; only Reveal gives it out.
type Secret struct{ value string }

// NewSecret wraps value.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the secret itself. Never pass the result to a logger or an error.
func (s Secret) Reveal() string { return s.value }

// IsSet reports whether the secret has a value.
func (s Secret) IsSet() bool { return s.value != "" }

const hidden = "[secret]"

// String hides the value.
func (Secret) String() string { return hidden }

// GoString hides the value from %#v.
func (Secret) GoString() string { return hidden }

// MarshalText hides the value from encoders and from slog.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// UnmarshalText takes the value from the environment.
func (s *Secret) UnmarshalText(text []byte) error {
	s.value = string(text)
	return nil
}

// Setting describes one variable for --help and for the documentation.
type Setting struct {
	Name     string
	Default  string
	Required bool
	Secret   bool
	Help     string
}

// Checked is implemented by settings whose values depend on one another. Problems returns one sentence for each
// mistake, naming variables and never their values.
type Checked interface{ Problems() []string }

// maxSecretFile bounds a file named by a NAME_FILE variable.
const maxSecretFile = 64 << 10

// Parse fills a T, a struct with the tags env, envDefault, least (the smallest number or time) and help, from environ.
// A variable NAME may also be given as NAME_FILE, the path of a file that holds its value (one trailing newline is
// cut): the form in which secrets are mounted. Names that begin with own and are not settings of T are refused, since
// they are mostly misspelt, and so are others that are one slip away from a setting that is not given. The error lists
// every mistake, a line each, and never quotes a value.
func Parse[T any](environ map[string]string, own string) (T, error) {
	known := Describe[T]()
	values, problems := withFiles(environ, known)
	// A program that reads several services' settings has no prefix of its own.
	if own != "" {
		problems = append(problems, unknown(environ, known, own)...)
	}
	cfg, wrong := fill[T](values)
	problems = append(problems, wrong...)
	problems = append(problems, low(reflect.ValueOf(cfg))...)
	if c, ok := any(cfg).(Checked); ok {
		problems = append(problems, news(c.Problems(), problems)...)
	}
	if len(problems) > 0 {
		slices.Sort(problems)
		return cfg, errors.New("settings are not usable:\n  " + strings.Join(slices.Compact(problems), "\n  "))
	}

	return cfg, nil
}

// fill returns the T that values make. Those that cannot be read have their default in it, so that the rest can be
// judged still.
func fill[T any](values map[string]string) (cfg T, problems []string) {
	err := env.ParseWithOptions(&cfg, env.Options{Environment: values})
	if err == nil {
		return cfg, nil
	}

	problems = reword(reflect.TypeFor[T](), err)
	for _, name := range subjects(problems) {
		delete(values, name)
	}
	var rest T
	// Errors of the second reading have been told by the first.
	_ = env.ParseWithOptions(&rest, env.Options{Environment: values})

	return rest, problems
}

// low names the numbers and times that are below the tag least of their fields, and the times below zero, which none
// can be.
func low(v reflect.Value) (problems []string) {
	for f := range fields(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if f.Anonymous {
			problems = append(problems, low(value)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
		least, bounded := f.Tag.Lookup("least")

		d, isTime := value.Interface().(time.Duration)
		switch {
		case bounded && below(value, least):
			problems = append(problems, name+" must be at least "+least)
		case isTime && d < 0 && !bounded:
			problems = append(problems, name+" must not be negative")
		}
	}

	return problems
}

// below reports whether value is less than least. It panics if least does not have the form of value's type.
func below(value reflect.Value, least string) bool {
	var floor int64
	var err error
	if value.Type() == reflect.TypeFor[time.Duration]() {
		var d time.Duration
		d, err = time.ParseDuration(least)
		floor = int64(d)
	} else {
		floor, err = strconv.ParseInt(least, 10, 64)
	}
	if err != nil {
		panic("config: the tag least: " + err.Error())
	}

	return value.Int() < floor
}

// news returns the sentences that name no setting of which something was said before: how such a one goes with others
// cannot be told.
func news(sentences, before []string) []string {
	known := subjects(before)

	return slices.DeleteFunc(sentences, func(s string) bool {
		return slices.ContainsFunc(known, func(name string) bool { return strings.Contains(s, name) })
	})
}

// subjects are the settings that problems begin with.
func subjects(problems []string) (names []string) {
	for _, p := range problems {
		if name, _, _ := strings.Cut(p, " "); name == strings.ToUpper(name) {
			names = append(names, name)
		}
	}

	return names
}

// Describe lists the settings of T in the order of its fields.
func Describe[T any]() []Setting { return describe(reflect.TypeFor[T]()) }

func describe(t reflect.Type) []Setting {
	var all []Setting

	for f := range fields(t) {
		if f.Anonymous {
			all = append(all, describe(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("env"), ",")
		if name == "" {
			continue
		}
		all = append(all, Setting{
			Name: name, Default: f.Tag.Get("envDefault"), Help: f.Tag.Get("help"),
			Required: strings.Contains(options, "required"), Secret: f.Type == reflect.TypeFor[Secret](),
		})
	}

	return all
}

func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func withFiles(environ map[string]string, known []Setting) (values map[string]string, problems []string) {
	values = make(map[string]string, len(known))
	for _, s := range known {
		// An empty variable is an unset one, as templates of deployments leave them.
		if v, ok := environ[s.Name]; ok && v != "" {
			values[s.Name] = v
		}
		path := environ[s.Name+"_FILE"]
		if path == "" {
			continue
		}
		if _, both := values[s.Name]; both {
			problems = append(problems, fmt.Sprintf("%s and %s_FILE are both set: keep one", s.Name, s.Name))
			continue
		}
		v, err := readSmall(path)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s_FILE names a file that cannot be read", s.Name))
			continue
		}
		values[s.Name] = v
	}

	return values, problems
}

func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	// A pipe or a device would hang the start, and a large file is a path that was mixed up.
	if !info.Mode().IsRegular() || info.Size() > maxSecretFile {
		return "", errors.New("not a small regular file")
	}
	b, err := os.ReadFile(path)

	// Editors end a file with a newline, and those of Windows with two characters. More than one belongs to the secret.
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), err
}

// unknown names the variables that are meant for this service and are no settings of it: those that begin with own, and
// those that one slip of the finger makes of a setting that is not given. Other names of a shared family, such as
// REDIS_PORT, are left alone: one environment may hold the settings of all services, and Kubernetes adds variables of
// its own. So is own followed by URL, by which the others find this service.
func unknown(environ map[string]string, known []Setting, own string) (problems []string) {
	// The others find this service by that name, so it may be in a shared environment.
	given := map[string]bool{own + "URL": true, own + "URL_FILE": true}

	for _, s := range known {
		here := environ[s.Name] != "" || environ[s.Name+"_FILE"] != ""
		given[s.Name], given[s.Name+"_FILE"] = here, here
	}

	settings := slices.Sorted(maps.Keys(given))
	for name := range environ {
		if _, ok := given[name]; ok {
			continue
		}

		meant := slices.IndexFunc(settings, func(s string) bool { return !given[s] && slip(name, s) })
		switch {
		case meant >= 0:
			problems = append(problems, name+" is not a setting: is "+settings[meant]+" meant?")
		case strings.HasPrefix(name, own):
			problems = append(problems, name+" is not a setting: check its spelling")
		}
	}

	return problems
}

// slip reports whether a letter left out, added, replaced or swapped with the next makes typed of name. The first
// letter must be right, by which CASE_URL is not BASE_URL.
func slip(typed, name string) bool {
	same := 0
	for same < min(len(typed), len(name)) && typed[same] == name[same] {
		same++
	}
	if same == 0 {
		return false
	}

	typed, name = typed[same:], name[same:]
	switch len(typed) - len(name) {
	case 1:
		return typed[1:] == name
	case -1:
		return typed == name[1:]
	case 0:
		return typed != "" && (typed[1:] == name[1:] || swapped(typed, name))
	}

	return false
}

// swapped says whether a and b, which are of one length, differ by the order of their first two letters alone.
func swapped(a, b string) bool {
	return len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// reword turns the library's errors, which quote bad values and name Go fields, into sentences about variables.
func reword(t reflect.Type, err error) (problems []string) {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return []string{"the settings cannot be read"}
	}

	// The library's texts quote the values, some of which are secrets.
	for _, e := range all.Errors {
		var bad env.ParseError
		var missing env.VarIsNotSetError

		var empty env.EmptyVarError
		switch {
		case errors.As(e, &missing):
			problems = append(problems, missing.Key+" is required")
		case errors.As(e, &empty):
			problems = append(problems, empty.Key+" must not be empty")
		case errors.As(e, &bad):
			name := variableOf(t, bad.Name)
			problems = append(problems, fmt.Sprintf("%s is not a valid %s", name, wording(bad.Type)))
		default:
			problems = append(problems, "a setting cannot be read")
		}
	}

	return problems
}

func variableOf(t reflect.Type, field string) string {
	for f := range fields(t) {
		if f.Anonymous {
			if name := variableOf(f.Type, field); name != "" {
				return name
			}
		} else if f.Name == field {
			name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
			return name
		}
	}

	return ""
}

func wording(t reflect.Type) string {
	switch {
	case t.String() == "time.Duration":
		return "duration (such as 30s or 10m)"
	case t.Kind() == reflect.Bool:
		return "boolean (true or false)"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "whole number"
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return "number"
	case t.String() == "url.URL" || t.String() == "*url.URL":
		return "address"
	}

	return "value"
}

// Environ turns the form of os.Environ into the map that Parse takes.
func Environ(pairs []string) map[string]string {
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		if k, v, ok := strings.Cut(p, "="); ok {
			m[k] = v
		}
	}

	return m
}
