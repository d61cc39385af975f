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
type noting struct {
	once bool // the client tries each command once
}

// noteChanges has rdb note what it changes. A Cluster's client tries a command at one node after another, so each of
// its nodes notes its own tries: the error of the last one says nothing of those before it.
func noteChanges(rdb redis.UniversalClient) {
	cluster, is := rdb.(*redis.ClusterClient)
	if !is {
		rdb.AddHook(noting{})
		return
	}

	// A hook of the cluster itself would see one command where several nodes were tried.
	cluster.OnNewNode(func(node *redis.Client) { node.AddHook(noting{once: true}) })
}

// DialHook leaves dialing as it is.
func (noting) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook notes single commands.
func (n noting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !errs.CountsChanges(ctx) || onlyReads(cmd) {
			return next(ctx, cmd)
		}

		seen := n.watch(cmd)
		err := next(ctx, seen)
		if mayHaveChanged(seen, err) {
			errs.Changed(ctx)
		}

		return err
	}
}

// watched is a command of which is known whether it was written to a connection. The client repeats a command whose
// answer was lost, and returns the error of the last try alone: that this one found no connection says nothing of those
// before it.
type watched struct {
	redis.Cmder

	written int // times
}

// Args are asked for when a connection is there to write them to.
func (w *watched) Args() []any {
	w.written++
	return w.Cmder.Args()
}

// watch returns cmd, watched where it may be tried more than once. A node of a Cluster tries it once, and its arguments
// are also asked for to find the next node.
func (n noting) watch(cmd redis.Cmder) redis.Cmder {
	if n.once {
		return cmd
	}

	return &watched{Cmder: cmd}
}

// timesWritten is how often cmd was written to a connection, as far as it is known.
func timesWritten(cmd redis.Cmder) int {
	if seen, is := cmd.(*watched); is {
		return seen.written
	}

	return 0
}

// ProcessPipelineHook notes commands of a pipeline or transaction. They need no watch: the client leaves them the error
// of the first try that had a connection.
func (n noting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if !errs.CountsChanges(ctx) {
			return next(ctx, cmds)
		}

		err := next(ctx, cmds)
		// The client tells the commands of a transaction of the failure only after this hook.
		if n.once && unsent(err) {
			return err
		}

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

	// A command that is missing here costs an exact answer to the caller and nothing else. One that is here by mistake
	// would let a caller believe that nothing was changed.
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
// sent, in the last try or one before it, and its answer was lost. An answer that is an error, or that there was
// nothing, stands for no change, unless it may be that to a repetition of a command that was done.
func mayHaveChanged(cmd redis.Cmder, err error) bool {
	if err == nil {
		return true
	}
	times := timesWritten(cmd)
	// redis.Nil is an answer too.
	var answer redis.Error
	if errors.As(err, &answer) {
		// The answer is that to the last try: "READONLY" after one that was done says nothing of the one before.
		if times > 1 {
			return true
		}

		// After NOSCRIPT the client sends the text of the script, so nothing has run yet.
		return answersItself(cmd) && !redis.HasErrorPrefix(err, "NOSCRIPT")
	}

	return times > 0 || !unsent(err)
}

// unsent reports whether err says of a try that it had no connection to send anything over.
func unsent(err error) bool {
	var failed *net.OpError
	// Failures to read or write have the same type. They come after the command may have left.
	if errors.As(err, &failed) && failed.Op == "dial" {
		return true
	}

	return errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted) ||
		errors.Is(err, redis.ErrClosed)
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
