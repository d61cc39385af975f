package httpapi

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// given is a field of a merge patch: absent, cleared by null, or set. T is a plain value.
type given[T any] struct {
	present bool
	value   *T // nil when it was null
}

// UnmarshalJSON is called for fields that are there, null included.
func (g *given[T]) UnmarshalJSON(b []byte) error {
	g.present, g.value = true, nil
	if string(b) == "null" {
		return nil
	}
	g.value = new(T)

	return json.Unmarshal(b, g.value)
}

// required returns the new value, nil when it stays; a field that cannot be cleared is a fault when it was null.
func (g given[T]) required(path string, f *validate.List) *T {
	if g.present && g.value == nil {
		f.Add(path, "must not be null")
	}

	return g.value
}

// decodeMerge is httpx.Decode for a merge patch.
func decodeMerge(c *gin.Context, v any) error {
	body, err := mergePatch(c)
	if err != nil {
		return err
	}

	return strictjson.Decode(body, v)
}
