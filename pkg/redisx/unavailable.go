package redisx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Unavailable turns a failure that means "Redis cannot serve at the moment" into an error that is errs.ErrUnavailable
// and still wraps err: the network, timeouts, a closed or exhausted pool, a server that is loading, full, read-only,
// failing over, or that refuses our password. The command may have been carried out all the same when only its answer
// was lost. Everything else comes back as it is: nil, redis.Nil, a caller who cancelled, and mistakes of ours such as a
// wrong type.
func Unavailable(err error) error {
	if !away(err) {
		return err
	}

	return unavailable("command", err)
}

func unavailable(doing string, err error) error {
	return fmt.Errorf("redis %s: %w: %w", doing, errs.ErrUnavailable, err)
}

func away(err error) bool {
	switch {
	case err == nil, errors.Is(err, redis.Nil), errors.Is(err, errs.ErrUnavailable):
		return false
	// A deadline that has passed is a slow server, while a cancelled call is a caller who left.
	case errors.Is(err, context.DeadlineExceeded):
		return true
	case errors.Is(err, context.Canceled):
		return false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, redis.ErrClosed), errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
		return true
	}
	var network net.Error
	if errors.As(err, &network) {
		return true
	}

	return refusing(err)
}

// refusals are the first words of answers by which a Redis server says that it cannot serve now.
var refusals = [...]string{
	"LOADING ", "READONLY ", "MASTERDOWN ", "CLUSTERDOWN ", "TRYAGAIN ", "NOREPLICAS ", "OOM ", "MISCONF ", "BUSY ",
	"EXECABORT ", // one of a transaction's commands was refused, for a reason above that the client does not pass on
	"NOAUTH ", "WRONGPASS ", "MOVED ", "ASK ", "ERR max number of clients reached",
}

func refusing(err error) bool {
	var server redis.Error
	if !errors.As(err, &server) {
		// The cluster client reports a cluster without reachable nodes, or without an owner of a slot, as plain text.
		text := err.Error()
		return strings.HasPrefix(text, "redis: cluster has no nodes") || strings.HasPrefix(text, "redis: no nodes")
	}

	for _, word := range refusals {
		if strings.HasPrefix(server.Error(), word) {
			return true
		}
	}

	return false
}
