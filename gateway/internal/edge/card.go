package edge

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Card is the service's agent card, encoded once.
type Card struct {
	body []byte
	etag string
}

// NewCard writes the card of the service at base.
func NewCard(base string) (*Card, error) {
	body, err := json.Marshal(api.NewAgentCard(base))
	if err != nil {
		return nil, err
	}

	return &Card{body: body, etag: etagOf(body)}, nil
}

// Serve answers with the card, or 304 to whoever has it.
func (k *Card) Serve(c *gin.Context) error {
	c.Header("ETag", k.etag)
	c.Header("Cache-Control", "public, max-age=3600")
	if matches(c.GetHeader("If-None-Match"), k.etag) {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()

		return nil
	}
	c.Data(http.StatusOK, "application/json", k.body)

	return nil
}

// matches compares entity tags weakly, as RFC 9110 asks for If-None-Match.
func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
			return true
		}
	}

	return false
}
