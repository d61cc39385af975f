package mongox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// IsDuplicate reports whether err says that a document with the same _id or unique key exists already.
func IsDuplicate(err error) bool { return mongo.IsDuplicateKeyError(err) }

// Unavailable makes a driver's error fit to be wrapped, logged and returned.
//
// What means "MongoDB cannot serve at the moment" comes back as an error that is errs.ErrUnavailable: the network,
// timeouts, no server to choose, a server that is no primary or shuts down. The command may have been carried out all
// the same when only its answer was lost. Every other answer of a server keeps its identity for errors.Is, errors.As
// and IsDuplicate but shows only its code, because its text can quote documents. The rest comes back as it is: nil,
// mongo.ErrNoDocuments, a caller who cancelled.
func Unavailable(err error) error {
	var known *failure
	switch {
	// Wrapping twice would hide the codes of the first cause from IsDuplicate.
	case err == nil, errors.As(err, &known), errors.Is(err, errs.ErrUnavailable):
		return err
	case away(err):
		return &failure{kind: errs.ErrUnavailable, cause: err}
	}
	var server mongo.ServerError
	if errors.As(err, &server) {
		return &failure{cause: err}
	}

	return err
}

// failure stands in front of a driver's error and keeps its text from being shown.
type failure struct {
	kind  error // errs.ErrUnavailable or nil
	cause error
}

// Error names the kind of failure and the server's codes and quotes nothing else.
func (f *failure) Error() string {
	text := "MongoDB " + errorType(f.cause)
	// Codes name the failure for an operator. The server's text may quote the document that it refused.
	if codes := mongo.ErrorCodes(f.cause); len(codes) > 0 && codes[0] != 0 {
		text += fmt.Sprintf(" (code %d)", codes[0])
	}
	if f.kind != nil {
		text = "unavailable: " + text
	}

	return text
}

func (f *failure) Unwrap() []error {
	if f.kind == nil {
		return []error{f.cause}
	}

	return []error{f.kind, f.cause}
}

// awayCodes are those by which a server says that it, or the node we need, cannot serve now.
var awayCodes = []int{
	6,     // HostUnreachable
	7,     // HostNotFound
	24,    // LockTimeout
	50,    // MaxTimeMSExpired
	64,    // WriteConcernTimeout
	89,    // NetworkTimeout
	91,    // ShutdownInProgress
	100,   // UnsatisfiableWriteConcern
	133,   // FailedToSatisfyReadPreference
	112,   // WriteConflict
	134,   // ReadConcernMajorityNotAvailableYet
	189,   // PrimarySteppedDown
	202,   // NetworkInterfaceExceededTimeLimit
	262,   // ExceededTimeLimit
	462,   // IngressRequestRateLimitExceeded
	9001,  // SocketException
	10058, // LegacyNotPrimary
	10107, // NotWritablePrimary
	11600, // InterruptedAtShutdown
	11602, // InterruptedDueToReplStateChange
	13435, // NotPrimaryNoSecondaryOk
	13436, // NotPrimaryOrSecondary
	14031, // OutOfDiskSpace
	16500, // the request rate is too large, of services that speak MongoDB's protocol
}

// againLabels are those by which a server says that the same command may succeed in a moment.
var againLabels = []string{
	"RetryableWriteError",
	"TransientTransactionError",
	"RetryableError",
	"SystemOverloadedError",
}

func away(err error) bool {
	// A caller who left says nothing about the server.
	if errors.Is(err, context.Canceled) {
		return false
	}
	var server mongo.ServerError
	if errors.As(err, &server) && slices.ContainsFunc(againLabels, server.HasErrorLabel) {
		return true
	}

	return mongo.IsTimeout(err) || mongo.IsNetworkError(err) || disconnected(err) ||
		slices.ContainsFunc(mongo.ErrorCodes(err), func(code int) bool { return slices.Contains(awayCodes, code) })
}

// disconnected finds the failures of the driver itself that come before a command reaches a server.
func disconnected(err error) bool {
	var (
		selection topology.ServerSelectionError
		dial      topology.ConnectionError
		pool      topology.PoolError
		// The driver's error for a pool that an outage emptied has no exported type.
		cleared interface{ Retryable() bool }
	)

	if errors.Is(err, mongo.ErrClientDisconnected) || errors.Is(err, topology.ErrTopologyClosed) {
		return true
	}
	noServer := errors.As(err, &selection) || errors.As(err, &dial)

	return noServer || errors.As(err, &pool) || errors.As(err, &cleared)
}

// errorType names a failure without quoting it. The errors of command events are of the driver's inner types, which
// have no codes to look at.
func errorType(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case mongo.IsTimeout(err):
		return "timeout"
	case mongo.IsNetworkError(err), disconnected(err):
		return "network"
	case mongo.IsDuplicateKeyError(err):
		return "duplicate key"
	}

	return "command failed"
}
