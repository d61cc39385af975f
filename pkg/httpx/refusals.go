package httpx

import (
	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const refusalKey = "github.com/subrosa-legal/subrosa/pkg/httpx.refusal"

// refusals counts error answers by their code and route, and what the guard found by its kind. Codes, kinds and route templates are fixed
// words of ours, so there are few of each and none tells anything of a caller.
func refusals(tel *telemetry.Telemetry) gin.HandlerFunc {
	meter := tel.Meters.Meter("github.com/subrosa-legal/subrosa/pkg/httpx")
	counter := func(name, what string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithDescription(what))
		if err != nil {
			panic(err) // the names cannot be wrong
		}

		return c
	}
	refused, found := counter("subrosa.refusals", "error answers by code"), counter("subrosa.guard.findings", "refused requests by the kind of identity found in them")

	return func(c *gin.Context) {
		c.Next()
		e, ok := refusalOf(c)
		if !ok {
			return
		}
		ctx := c.Request.Context()
		refused.Add(ctx, 1, metric.WithAttributes(attribute.String("code", e.Code), attribute.String("http.route", c.FullPath())))

		seen := map[string]bool{}
		for _, d := range e.Details {
			if d.Kind != "" && !seen[d.Kind] {
				seen[d.Kind] = true
				found.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", d.Kind)))
			}
		}
	}
}

func refusalOf(c *gin.Context) (*errs.Error, bool) {
	v, _ := c.Get(refusalKey)
	e, ok := v.(*errs.Error)

	return e, ok
}
