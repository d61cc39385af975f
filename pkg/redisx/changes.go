package redisx

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// noting notes commands that changed something, or may have (see errs.Changed).
type noting struct{}

// DialHook leaves dialing as it is.
func (noting) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook notes single commands.
func (noting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if !onlyReads(cmd) && mayHaveChanged(err) {
			errs.Changed(ctx)
		}

		return err
	}
}

// ProcessPipelineHook notes commands of a pipeline or transaction.
func (noting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			if !onlyReads(cmd) && mayHaveChanged(cmd.Err()) {
				errs.Changed(ctx)
				break
			}
		}

		return err
	}
}

// onlyReads reports whether a command changes no key. Scripts count as changes, and so does what is not known here.
func onlyReads(cmd redis.Cmder) bool {
	if housekeeping(cmd) {
		return true
	}

	switch cmd.Name() {
	case "get", "mget", "hget", "hmget", "hgetall", "exists", "type", "ttl", "pttl", "dbsize", "keys", "scan", "time",
		"smembers", "sismember", "scard", "sscan", "zrange", "zrangebyscore", "zscore", "zcard", "zcount",
		"xread", "xrange", "xrevrange", "xlen", "xinfo", "info", "config", "script", "multi", "exec", "watch", "unwatch",
		"publish", "spublish", "subscribe", "ssubscribe", "eval_ro", "evalsha_ro":
		return true
	}

	return false
}

// mayHaveChanged reports whether a writing command that ended with err may have been carried out: it was, or it was
// sent and its answer was lost. An answer that is an error, or that there was nothing, stands for no change.
func mayHaveChanged(err error) bool {
	if err == nil {
		return true
	}
	var answer redis.Error // redis.Nil is one
	if errors.As(err, &answer) {
		return false
	}
	var failed *net.OpError
	dialed := errors.As(err, &failed) && failed.Op == "dial"

	return !dialed && !errors.Is(err, redis.ErrPoolTimeout) && !errors.Is(err, redis.ErrPoolExhausted) &&
		!errors.Is(err, redis.ErrClosed)
}
