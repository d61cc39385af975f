package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// Answer makes a call and returns the JSON that the service answered, byte for byte.
func (c *Client) Answer(ctx context.Context, r httpcall.Request) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, r)
}

// Do makes a call whose answer has no body that matters.
func (c *Client) Do(ctx context.Context, r httpcall.Request) error {
	r.Out = nil
	_, err := c.http.Do(ctx, r)

	return err
}

// Open makes a call and leaves the body of a successful answer to the caller, who closes it. The context bounds both.
func (c *Client) Open(ctx context.Context, r httpcall.Request) (*http.Response, error) {
	return c.http.Open(ctx, r)
}
