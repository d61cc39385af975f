package services

import (
	"context"

	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// call makes a call and returns what the service answered.
func call[T any](ctx context.Context, c *httpcall.Client, r httpcall.Request) (T, error) {
	var out T
	r.Out = &out
	_, err := c.Do(ctx, r)

	return out, err
}

// send makes a call whose answer has no body that matters.
func send(ctx context.Context, c *httpcall.Client, r httpcall.Request) error {
	_, err := c.Do(ctx, r)

	return err
}
