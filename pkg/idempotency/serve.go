package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Request is what one actor asks of one route.
type Request struct {
	Tenant string
	Actor  audit.Actor
	Route  string        // its method and path; two routes may share a key
	Asked  any           // what tells two requests of the route apart, in any form that JSON has
	Lease  time.Duration // longer than the request can take
	// Stands returns the error that a repetition gets in place of the stored answer, because what the first request
	// made is gone; nil while it is there. A Request without it stands for ever.
	Stands func(ctx context.Context, first Answer) error
}

func (r Request) name(key string) string {
	return Name(r.Actor.Kind, r.Actor.ID, r.Actor.UserID, r.Route, key)
}

// Mark is what the repetitions of a request have in common. It is empty for a request that comes without an
// Idempotency-Key.
type Mark struct {
	Name        string // of its intent: the same whatever was asked
	Fingerprint string // of what was asked
}

// Serve answers with what work returns, once for all requests of the Idempotency-Key of c, or just so when it has none.
func (d *Service) Serve(c *gin.Context, r Request, work func(Mark) (Answer, error)) error {
	key, err := Header(c.Request.Header.Values("Idempotency-Key"))
	if err != nil {
		return err
	}
	if key == "" {
		answer, err := work(Mark{})
		if err != nil {
			return err
		}
		answer.write(c, false)

		return nil
	}
	asked, err := json.Marshal(r.Asked)
	if err != nil {
		return err
	}
	m := Mark{r.name(key), Fingerprint(asked)}
	first := func() (Answer, error) { return work(m) }
	answer, replayed, err := d.Once(c.Request.Context(), r.Tenant, m.Name, m.Fingerprint, r.Lease, first)
	if err != nil {
		return err
	}
	// A repetition must not hand out the address of a thing that was deleted since.
	if replayed && r.Stands != nil {
		if err := r.Stands(c.Request.Context(), answer); err != nil {
			return err
		}
	}
	answer.write(c, replayed)

	return nil
}

// Begun reports whether the Idempotency-Key of c was used on the route of r before. If so, Serve may have an answer,
// whatever has become since of what the request is about.
func (d *Service) Begun(c *gin.Context, r Request) (bool, error) {
	key, err := Header(c.Request.Header.Values("Idempotency-Key"))
	if err != nil || key == "" {
		return false, err
	}
	found, err := d.Store.Get(c.Request.Context(), r.Tenant, r.name(key))
	if errors.Is(err, errs.ErrNotFound) {
		return false, nil
	}

	return err == nil && d.Now().Before(found.ExpiresAt), err
}

func (a Answer) write(c *gin.Context, replayed bool) {
	for name, value := range map[string]string{"Location": a.Location, "ETag": a.ETag} {
		if value != "" {
			c.Header(name, value)
		}
	}
	if replayed {
		c.Header("Idempotency-Replayed", "true")
	}
	c.Data(a.Status, "application/json", a.Body)
}
