package httpx

import (
	"cmp"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// HeaderRefusal tells the gateway the code of an error answer, whatever form the body has. Services set it on answers
// to services; the gateway takes it away before the answer leaves.
const HeaderRefusal = "X-Refusal"

// HeaderRefusalStatus tells the gateway, beside HeaderRefusal, the status that a refusal has elsewhere. A protocol such
// as JSON-RPC answers by 200 whatever happened, and a refusal leaves its trace all the same.
const HeaderRefusalStatus = "X-Refusal-Status"

const (
	refusalKey = "github.com/subrosa-legal/subrosa/pkg/httpx.refusal"
	relayedKey = "github.com/subrosa-legal/subrosa/pkg/httpx.relayed"
	insideKey  = "github.com/subrosa-legal/subrosa/pkg/httpx.inside"
)

// refusals counts error answers by their code and route, and what the guard found by its kind. Codes, kinds and route
// templates are fixed words of ours, so there are few of each and none tells anything of a caller.
func refusals(tel *telemetry.Telemetry) gin.HandlerFunc {
	meter := tel.Meters.Meter("github.com/subrosa-legal/subrosa/pkg/httpx")
	counter := func(name, what string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithDescription(what))
		if err != nil {
			// The names are constants of ours.
			panic(err)
		}

		return c
	}
	refused := counter("subrosa.refusals", "error answers by code")
	found := counter("subrosa.guard.findings", "refused requests by the kind of identity found in them")

	return func(c *gin.Context) {
		if tel.Inside {
			c.Set(insideKey, true)
		}
		c.Next()
		countRefusal(c, refused, found)
	}
}

// countRefusal counts the refusal that answered c, if one did.
func countRefusal(c *gin.Context, refused, found metric.Int64Counter) {
	e, ok := refusalOf(c)
	if !ok {
		return
	}
	ctx := c.Request.Context()
	refused.Add(ctx, 1, metric.WithAttributes(
		attribute.String("code", e.Code), attribute.String("http.route", c.FullPath()),
	))

	// A request with forty names in it is one refused request for names.
	seen := map[string]bool{}
	for _, d := range e.Details {
		if d.Kind != "" && !seen[d.Kind] {
			seen[d.Kind] = true
			found.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", d.Kind)))
		}
	}
}

// Refuse has the answer to c counted as a refusal with e. Fail does so by itself; a handler whose protocol has errors
// of its own calls Refuse before it writes one.
func Refuse(c *gin.Context, e *errs.Error) {
	c.Set(refusalKey, e)
	// Outside the gateway the header would tell a stranger nothing new, but would become part of the interface.
	if c.GetBool(insideKey) && !c.Writer.Written() {
		c.Header(HeaderRefusal, e.Code)
	}
}

// RefuseWithin is Refuse for an answer whose own status tells nothing of the refusal: status is what it would be
// elsewhere.
func RefuseWithin(c *gin.Context, e *errs.Error, status int) {
	Refuse(c, e)
	if c.GetBool(insideKey) && !c.Writer.Written() {
		c.Header(HeaderRefusalStatus, strconv.Itoa(status))
	}
}

// Relay notes that the answer to c passes on a refusal that another service gave and counted.
func Relay(c *gin.Context, code string) { c.Set(relayedKey, code) }

// RefusalCode returns the code of the refusal that answered c, be it our own or one passed on, "" for none.
func RefusalCode(c *gin.Context) string {
	own := ""
	if e, ok := refusalOf(c); ok {
		own = e.Code
	}

	return cmp.Or(own, c.GetString(relayedKey))
}

func refusalOf(c *gin.Context) (*errs.Error, bool) {
	v, _ := c.Get(refusalKey)
	e, ok := v.(*errs.Error)

	return e, ok
}
