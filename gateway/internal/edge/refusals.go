package edge

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// What the gateway decided on a call that leaves a trace.
const (
	decidedUnauthenticated = "unauthenticated" // no valid credential
	decidedRevoked         = "revoked"         // a credential that has ended
	decidedForbidden       = "forbidden"       // known, and may not do it
	decidedLimited         = "limited"         // beyond a rate or a count
	decidedGrant           = "grant_refused"   // an OAuth code or refresh token that is not valid
	decidedDisconnected    = "disconnected"    // ended while it was under way, with its agent or session
	decidedCut             = "cut_off"         // its reader took nothing for too long
)

// Sizes of the sample that is written under a flood, per window.
const (
	refusalWindow   = 10 * time.Second
	linesPerCaller  = 10  // of one caller with one decision and code
	linesPerWindow  = 500 // of all together
	recordEvery     = 10 * time.Minute
	recordsAtOnce   = 10_000 // callers whose last record is remembered
	recordsWaiting  = 256
	recordTime      = 5 * time.Second
	prefixBitsFour  = 24
	prefixBitsSix   = 48
	unknownAddress  = "unknown"
	refusalsMessage = "call refused"
)

// Recorder puts refusals of known callers on their tenant's audit chain.
type Recorder interface {
	RecordRefusal(ctx context.Context, r api.RefusedCall) error
}

// Refusals writes a log line for each call that was refused for lack of a right, cut off or disconnected, and has
// those of known callers put on record. Under a flood it writes a sample, and how many lines it left out. It is safe
// for concurrent use.
type Refusals struct {
	log      *slog.Logger
	decided  metric.Int64Counter
	now      func() time.Time
	recorder Recorder
	waiting  chan waitingRecord

	mu       sync.Mutex
	began    time.Time // of the window
	lines    int
	perKind  map[refusalKind]int
	dropped  map[refusalKind]int // by decision and code alone; the field who stays ""
	recorded map[refusalKind]time.Time
}

// refusalKind says which refusals are alike.
type refusalKind struct{ who, decision, code string }

type waitingRecord struct {
	requestID string
	refusal   api.RefusedCall
}

// NewRefusals returns an empty sample. Watch has to run for records and counts to be written.
func NewRefusals(recorder Recorder, now func() time.Time, tel *telemetry.Telemetry) *Refusals {
	decided, err := tel.Meters.Meter("github.com/subrosa-legal/subrosa/gateway/internal/edge").Int64Counter(
		"subrosa.refusals.decided", metric.WithDescription("refused, cut and disconnected calls by what was decided"),
	)
	if err != nil {
		panic(err) // the name cannot be wrong
	}

	return &Refusals{
		log:      tel.Log,
		decided:  decided,
		now:      now,
		recorder: recorder,
		waiting:  make(chan waitingRecord, recordsWaiting),
		perKind:  map[refusalKind]int{},
		dropped:  map[refusalKind]int{},
		recorded: map[refusalKind]time.Time{},
	}
}

const (
	revokedKey      = "subrosa.refusals.revoked"
	cutKey          = "subrosa.refusals.cut"
	statusKey       = "subrosa.refusals.status"
	disconnectedKey = "subrosa.refusals.disconnected"
)

// Answered is what became of a service's answer.
type Answered struct {
	Code   string // of a refusal; "" for none
	Status int    // that the refusal stands for, where the answer itself was sent with another; 0 elsewhere
	Cut    bool   // its reader took nothing for too long
}

// NoteAnswer notes what became of a service's answer.
func NoteAnswer(c *gin.Context, a Answered) {
	if a.Code != "" {
		httpx.Relay(c, a.Code)
	}
	if a.Status != 0 {
		c.Set(statusKey, a.Status)
	}
	if a.Cut {
		c.Set(cutKey, true)
	}
}

// refusedBy is the status of an answer, or the one that its refusal has elsewhere.
func refusedBy(c *gin.Context) int { return cmp.Or(c.GetInt(statusKey), c.Writer.Status()) }

// NoteDisconnected notes that a call was ended with the agent or the session of its caller.
func NoteDisconnected(c *gin.Context) { c.Set(disconnectedKey, true) }

// NoteUnauthenticated notes why a credential was not taken.
func NoteUnauthenticated(c *gin.Context, err error) {
	var revoked *access.Revoked
	if errors.As(err, &revoked) {
		c.Set(revokedKey, revoked.Caller)
	}
}

// Handle stands around all routes.
func (r *Refusals) Handle(c *gin.Context) {
	// Deferred, because a broken connection ends the handler by a panic.
	defer func() { r.note(c) }()
	c.Next()
}

func (r *Refusals) note(c *gin.Context) {
	decision := decisionOn(c)
	if decision == "" {
		return
	}
	r.decided.Add(c.Request.Context(), 1, metric.WithAttributes(attribute.String("decision", decision)))
	caller, known := whoCalled(c)
	kind := refusalKind{decision: decision, code: httpx.RefusalCode(c)}
	kind.who = AddressKey(c.ClientIP())
	if known {
		kind.who = CallerKey(caller)
	}

	if r.sampled(kind) {
		attrs := []any{
			"decision", decision, "code", kind.code, "status", c.Writer.Status(),
			"method", c.Request.Method, "route", cmp.Or(c.FullPath(), "none"),
		}
		if known {
			attrs = append(
				attrs,
				"caller",
				caller.Kind,
				"callerId",
				pseudonym(caller),
				"tenantId",
				digest(caller.Tenant),
			)
		} else {
			attrs = append(attrs, "address", addressPrefix(c.ClientIP()))
		}
		r.log.WarnContext(c.Request.Context(), refusalsMessage, attrs...)
	}
	if known && recordable(decision) && caller.Tenant != "" && r.recordNow(kind) {
		r.enqueue(c, caller, kind)
	}
}

// decisionOn says what was decided on a call, "" for one that leaves no trace.
func decisionOn(c *gin.Context) string {
	_, revoked := c.Get(revokedKey)

	switch status := refusedBy(c); {
	// What the gateway did itself comes first: the status of such a call is whatever had been sent.
	case c.GetBool(disconnectedKey):
		return decidedDisconnected
	case c.GetBool(cutKey):
		return decidedCut
	case revoked:
		return decidedRevoked
	case status == http.StatusUnauthorized:
		return decidedUnauthenticated
	case status == http.StatusForbidden:
		return decidedForbidden
	case status == http.StatusTooManyRequests:
		return decidedLimited
	// RFC 6749 wants 400 here, but a guessed code looks just like this.
	case status == http.StatusBadRequest && httpx.RefusalCode(c) == "invalid_grant":
		return decidedGrant
	}

	return ""
}

// whoCalled returns the caller of a request, or the one for whom its revoked credential was issued.
func whoCalled(c *gin.Context) (access.Caller, bool) {
	if v, ok := c.Get(revokedKey); ok {
		caller, _ := v.(access.Caller)
		return caller, true
	}
	caller, ok := access.Present(c.Request.Context())

	return caller, ok && caller.Kind != access.Public
}

// recordable reports whether the gateway puts a decision on record. What a service refuses it records itself.
func recordable(decision string) bool {
	return decision == decidedRevoked || decision == decidedLimited
}

// pseudonym names a caller in logs: an agent or an application by its id, a person by a digest, so that logs name no
// people and an operator who looks for one can still find the lines.
func pseudonym(c access.Caller) string {
	switch c.Kind {
	case access.Agent:
		return c.AgentID
	case access.OAuth:
		return c.ClientID
	}

	return digest(c.UserID)
}

// addressPrefix names the network that a request came from in logs: the /24 of an IPv4 address, or the /48 of an IPv6
// address.
func addressPrefix(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return unknownAddress
	}
	addr, bits := addr.Unmap().WithZone(""), prefixBitsSix
	if addr.Is4() {
		bits = prefixBitsFour
	}

	return netip.PrefixFrom(addr, bits).Masked().String()
}

// sampled reports whether a refusal gets a line of its own, and counts it where it does not.
func (r *Refusals) sampled(kind refusalKind) bool {
	r.mu.Lock()
	left := r.turnOver()
	ok := r.lines < linesPerWindow && r.perKind[kind] < linesPerCaller
	if ok {
		r.lines++
		r.perKind[kind]++
	} else {
		r.dropped[refusalKind{decision: kind.decision, code: kind.code}]++
	}
	r.mu.Unlock()
	// Told after the lock is released: writing a log line may take long.
	r.tell(left)

	return ok
}

// turnOver begins a new window where the last is over, and returns what that one left out. The lock is held.
func (r *Refusals) turnOver() map[refusalKind]int {
	now := r.now()
	if age := now.Sub(r.began); age >= 0 && age < refusalWindow {
		return nil
	}
	left := r.dropped
	r.began, r.lines = now, 0
	r.perKind, r.dropped = map[refusalKind]int{}, map[refusalKind]int{}

	return left
}

func (r *Refusals) tell(left map[refusalKind]int) {
	for kind, n := range left {
		r.log.Warn(
			"refused calls without lines of their own",
			"decision",
			kind.decision,
			"code",
			kind.code,
			"dropped",
			n,
		)
	}
}

// recordNow reports whether a refusal goes on record: the first of its kind, and then one in ten minutes.
func (r *Refusals) recordNow(kind refusalKind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if last, ok := r.recorded[kind]; ok && now.Sub(last) < recordEvery {
		return false
	}
	// Forgetting costs a record too many at most; growing without bound could cost the process.
	if len(r.recorded) >= recordsAtOnce {
		clear(r.recorded)
	}
	r.recorded[kind] = now

	return true
}

func (r *Refusals) enqueue(c *gin.Context, caller access.Caller, kind refusalKind) {
	record := waitingRecord{httpx.RequestID(c.Request.Context()), api.RefusedCall{
		Tenant:   caller.Tenant,
		Kind:     string(caller.Kind),
		ID:       caller.ID(),
		UserID:   caller.UserID,
		Decision: kind.decision,
		Code:     cmp.Or(kind.code, kind.decision), // an answer in another protocol's form may tell none
		Route:    c.Request.Method + " " + c.FullPath(),
	}}

	// A full queue must not hold up the answer to the caller.
	select {
	case r.waiting <- record:
	default:
		r.log.Warn("a refusal could not be put on record: too many wait", "decision", kind.decision)
	}
}

// Watch writes records, and counts of lines that were left out, until ctx ends.
func (r *Refusals) Watch(ctx context.Context) {
	tick := time.NewTicker(refusalWindow)
	defer tick.Stop()

	for {
		select {
		case <-ctx.Done():
			r.flush()
			return
		case <-tick.C:
			r.mu.Lock()
			left := r.turnOver()
			r.mu.Unlock()
			r.tell(left)
		case record := <-r.waiting:
			r.record(ctx, record)
		}
	}
}

// flush tells what was left out, at the end.
func (r *Refusals) flush() {
	r.mu.Lock()
	left := r.dropped
	r.dropped = map[refusalKind]int{}
	r.mu.Unlock()
	r.tell(left)
}

func (r *Refusals) record(ctx context.Context, record waitingRecord) {
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	ctx = telemetry.WithRequestID(ctx, record.requestID)
	if err := r.recorder.RecordRefusal(ctx, record.refusal); err != nil {
		r.log.WarnContext(ctx, "a refusal could not be put on record", "decision", record.refusal.Decision, "err", err)
	}
}
