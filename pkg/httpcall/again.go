package httpcall

import "net/http"

// sendings is how often a call is sent at most that finds one connection after the other closed by the service.
const sendings = 4

// closedIdle is what the library says of a call for which it took a connection that the service had closed before. It
// has no value of its own for that. It repeats such a call by itself only where any may be repeated, although nothing
// of it can have arrived: the end of the connection was read before the call took it.
const closedIdle = "http: server closed idle connection"

// again makes the call, and makes it anew on another connection where the first was closed before it began. When a
// service is replaced, several idle connections end at once.
func again(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := next.RoundTrip(req)

	for n := 1; err != nil && err.Error() == closedIdle && n < sendings; n++ {
		if req.Body != nil && req.Body != http.NoBody {
			if req.GetBody == nil {
				return nil, err
			}

			// The first try may have read some of the body.
			body, gone := req.GetBody()
			if gone != nil {
				return nil, err
			}

			req = req.WithContext(req.Context())
			req.Body = body
		}

		resp, err = next.RoundTrip(req)
	}

	return resp, err
}
