package runs

import (
	"errors"
	"reflect"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// errBlocked means that something the run was about to say could identify somebody; nothing of it has left.
var errBlocked = errors.New("the run would have said what could be an identity")

// identifies reports whether anything that an event or an answer says could identify somebody. It looks at every text
// in v whatever its field is called, so that none can be forgotten, but for the head of an event. What the tenant of
// the run allows passes.
func (a *attempt) identifies(v any) bool {
	return anyText(reflect.ValueOf(v), guard.Event, func(door guard.Channel, text string) bool {
		return len(a.gate.Check(a.caller, door, text)) > 0
	})
}

// anyText reports whether found says so of a text within v, at any depth.
func anyText(v reflect.Value, door guard.Channel, found func(guard.Channel, string) bool) bool {
	switch v.Kind() {
	case reflect.String:
		return v.Len() > 0 && found(door, v.String())
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && anyText(v.Elem(), door, found)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if anyText(v.Index(i), door, found) {
				return true
			}
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			if anyText(key, door, found) || anyText(value, door, found) {
				return true
			}
		}
	case reflect.Struct:
		// Every event repeats its head, in which nobody can write: the type is a word of ours, the number and the time
		// are made here, and the phase's id is the caller's choice, but a UUID: api.AgentTask.Validate takes no other.
		if v.Type() == reflect.TypeFor[api.EventHead]() {
			return false
		}

		for i := range v.NumField() {
			// Fields that are not exported are not encoded, so they never leave.
			if f := v.Type().Field(i); f.IsExported() && anyText(v.Field(i), doorOf(f, door), found) {
				return true
			}
		}
	}

	return false
}

// doorOf is the door of a field: the addresses of deep links are made of ids, whose digits are no numbers of anybody,
// and language models are named by letters and digits in any mixture.
func doorOf(f reflect.StructField, around guard.Channel) guard.Channel {
	if f.Name == "DeepLink" || f.Type == reflect.TypeFor[*api.EngineModel]() {
		return guard.ChosenID
	}

	return around
}

// refusal is the answer in place of one that was held back.
func (a *attempt) refusal() api.PhaseResponse {
	const reason = "What was found held what could be a real identity, so nothing of it was sent."

	return whole(api.PhaseResponse{
		Kind:    api.KindRefusal,
		Refusal: &api.Refusal{Reason: reason, DeepLink: a.job.Task.Links(deeplink.RedactFile)},
		Text: reason + " Check the files of the case for identities and replace them by labels such as [Party 1]; " +
			"the deep link of this answer leads to the place.\n",
	})
}
