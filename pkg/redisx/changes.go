package redisx

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

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
		if !onlyReads(cmd) && mayHaveChanged(cmd, err) {
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
			if !onlyReads(cmd) && mayHaveChanged(cmd, cmd.Err()) {
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
// sent and its answer was lost. An answer that is an error, or that there was nothing, stands for no change, unless it
// may be that to a repetition of a command that was done.
func mayHaveChanged(cmd redis.Cmder, err error) bool {
	if err == nil {
		return true
	}
	var answer redis.Error // redis.Nil is one
	if errors.As(err, &answer) {
		return answersItself(cmd) && !redis.HasErrorPrefix(err, "NOSCRIPT") // the text of the script is sent next
	}
	var failed *net.OpError
	dialed := errors.As(err, &failed) && failed.Op == "dial"

	return !dialed && !errors.Is(err, redis.ErrPoolTimeout) && !errors.Is(err, redis.ErrPoolExhausted) &&
		!errors.Is(err, redis.ErrClosed)
}

// answersItself reports whether a command that was done may be answered by an error, or by nothing, when it is sent
// again: the client repeats a command whose answer was lost. Such are commands with a condition, and those that take
// something away. Scripts are such, too, and may fail half way.
func answersItself(cmd redis.Cmder) bool {
	name := cmd.Name()

	switch {
	case name == "eval" || name == "evalsha" || name == "fcall":
		return true
	case strings.HasPrefix(name, "rename") || name == "xgroup" || name == "getdel":
		return true
	case strings.Contains(name, "pop") || strings.HasSuffix(name, "move"):
		return true
	}

	return conditional(cmd)
}

// conditional reports whether a command has a word that makes it depend on what is there.
func conditional(cmd redis.Cmder) bool {
	return slices.ContainsFunc(cmd.Args(), func(arg any) bool {
		word, _ := arg.(string)
		return slices.Contains([]string{"nx", "xx", "gt", "lt"}, strings.ToLower(word))
	})
}
