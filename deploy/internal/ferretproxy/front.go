// Package ferretproxy stands between MongoDB drivers and an embedded FerretDB v1, for development and tests. It adds
// what that server leaves out: updates that are atomic (one write at a time per database), a loud refusal of what the
// server would accept and get wrong, and reads and writes by _id that do not scan the collection. It knows the wire
// protocol and no more; the server is somebody else's.
package ferretproxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Backend is the server behind a Front.
type Backend interface {
	// Dial opens a connection to the server.
	Dial(ctx context.Context) (net.Conn, error)
	// Written is called after a write to a collection that the Front has not seen written before, so that the server's
	// files can be given what its queries by _id need. It is called again after the database's collections were
	// changed.
	Written(database, collection string)
	// Narrow fills the collection into of the database Aside, which exists and is empty, with copies of those documents
	// that may meet all conditions, in their order, and returns how many there are. It returns -1 and copies none when
	// there are more than most, or when to read the whole collection is sooner, as it is for one of few documents.
	Narrow(database, collection string, all []Condition, into string, most int) (int, error)
	// Clear empties the collection into of the database Aside.
	Clear(into string)
	// Reshaped is called after the collections or indexes of a database were changed, or all of it was dropped.
	Reshaped(database string)
}

// Front serves clients until Shutdown. All writes to the databases behind it must pass through one Front.
type Front struct {
	backend Backend
	log     *slog.Logger

	mu       sync.Mutex
	listener net.Listener
	clients  map[net.Conn]struct{}
	stores   map[string]*store
	slots    int             // collections of Aside that were named
	spare    []string        // of these, the ones that nobody uses
	made     map[string]bool // of these, the ones that are there
	closing  bool
	serving  sync.WaitGroup
}

// store is what a Front keeps of one database.
type store struct {
	// order is held for writing by one write at a time, and for reading by reads in two steps.
	order sync.RWMutex
	// known holds the fields of unique indexes by collection, for those that were written since the indexes last
	// changed. Guarded by order.
	known map[string][]string
}

// New returns a Front before backend. log hears of refusals and of clients that do not speak the protocol.
func New(backend Backend, log *slog.Logger) *Front {
	return &Front{
		backend: backend, log: log,
		clients: map[net.Conn]struct{}{}, stores: map[string]*store{}, made: map[string]bool{},
	}
}

// Serve accepts clients from listener, which it closes, until Shutdown; then it returns nil.
func (f *Front) Serve(listener net.Listener) error {
	defer func() { _ = listener.Close() }()
	f.mu.Lock()
	f.listener = listener
	closing := f.closing
	f.mu.Unlock()

	for !closing {
		client, err := listener.Accept()
		if err != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.closing {
				return nil
			}

			return fmt.Errorf("accept a client: %w", err)
		}
		closing = !f.enter(client)
	}

	return nil
}

// enter begins to serve client unless the Front is closing.
func (f *Front) enter(client net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Between Accept and here Shutdown may have begun; nobody would close this client.
	if f.closing {
		_ = client.Close()
		return false
	}
	f.clients[client] = struct{}{}
	f.serving.Go(func() {
		err := f.serve(client)
		_ = client.Close()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.clients, client)
		if errors.Is(err, errMalformed) {
			f.log.Warn("a client was dropped that does not speak the protocol", "err", err)
		}
	})

	return true
}

// Shutdown takes no more commands, waits until those under way are answered or ctx ends, and disconnects all clients.
func (f *Front) Shutdown(ctx context.Context) error {
	f.mu.Lock()
	f.closing = true
	if f.listener != nil {
		_ = f.listener.Close()
	}

	for client := range f.clients {
		// A deadline in the past ends the wait for the next command, but not a command that is under way.
		_ = client.SetReadDeadline(time.Unix(1, 0))
	}
	f.mu.Unlock()
	done := make(chan struct{})

	go func() { f.serving.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	for client := range f.clients {
		_ = client.Close()
	}
	f.mu.Unlock()

	return fmt.Errorf("wait for commands under way: %w", ctx.Err())
}

func (f *Front) store(database string) *store {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.stores[database]
	if s == nil {
		s = &store{known: map[string][]string{}}
		f.stores[database] = s
	}

	return s
}

// link is one client's way to the server.
type link struct {
	*Front
	server net.Conn
	in     *bufio.Reader
}

// serve passes a client's commands on, one after the other.
func (f *Front) serve(client net.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)

	server, err := f.backend.Dial(ctx)
	cancel()
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	defer func() { _ = server.Close() }()
	l := &link{Front: f, server: server, in: bufio.NewReader(server)}

	from := bufio.NewReader(client)
	for {
		raw, err := readMessage(from)
		if err != nil {
			return err
		}
		m, err := parseMessage(raw)
		if err != nil {
			return err
		}
		reply, err := l.handle(&m)
		if err != nil {
			return err
		}
		// A client that wants no answer would take it for that to its next command.
		if !m.answered() {
			continue
		}
		if _, err := client.Write(reply); err != nil {
			return err
		}
	}
}

// exchange sends one request to the server and reads its answer. The server answers every request, also those whose
// sender does not want to know.
func (l *link) exchange(raw []byte) ([]byte, error) {
	if _, err := l.server.Write(raw); err != nil {
		return nil, fmt.Errorf("pass a command on: %w", err)
	}
	reply, err := readMessage(l.in)
	if err != nil {
		return nil, fmt.Errorf("read the server's answer: %w", err)
	}

	return reply, nil
}

// plain is the request as it came, less the flags that the server would stumble over.
func plain(m *message) []byte {
	if m.flags == 0 || m.op != opMsg {
		return m.raw
	}

	return request(m.id, m.body, m.sequences...)
}

func (l *link) handle(m *message) ([]byte, error) {
	if m.op != opMsg {
		return l.exchange(m.raw)
	}
	c := commandOf(m)
	if what := refusal(m, c); what != "" {
		return l.refuse(m, c, what), nil
	}

	switch {
	// FerretDB would list all databases for it, and services ask every few seconds.
	case c.name == "ping":
		return answer(m.id, marshal(bson.D{{Key: "ok", Value: 1.0}})), nil
	case c.name == "bulkWrite":
		return l.bulk(m)
	case c.writes():
		return l.write(m, c)
	case c.name == "find":
		return l.find(m, c)
	}

	return l.read(m, c)
}

// read answers a query that is about more than an _id.
func (l *link) read(m *message, c command) ([]byte, error) {
	reply, ok, err := l.narrowed(m, c)
	if ok || err != nil {
		return reply, err
	}

	return l.exchange(plain(m))
}

func (l *link) refuse(m *message, c command, what string) []byte {
	l.log.Warn("refused what the development store would get wrong", "command", c.name, "what", what)
	return refuse(m.id, what)
}

// write does one write command while no other is done in its database.
func (l *link) write(m *message, c command) ([]byte, error) {
	s := l.store(c.database)
	s.order.Lock()
	defer s.order.Unlock()

	return l.writeUnder(s, m, c)
}

// writeUnder is write for a caller who has the order of the store.
func (l *link) writeUnder(s *store, m *message, c command) ([]byte, error) {
	fields, err := l.uniqueFields(s, c)
	if err != nil {
		return nil, err
	}
	if field := lacking(m, c, fields); field != "" {
		return l.refuse(m, c, "a unique index on a field that a document lacks ("+field+")"), nil
	}
	reply, err := l.writeLocked(m, c)
	// Services tell a full disk from a mistake of their own by its code.
	if err == nil && diskFull(reply) {
		reply = noRoom(m.id)
	}
	if reshaping[c.name] {
		clear(s.known)
		l.backend.Reshaped(c.database)
	}

	return reply, err
}

// uniqueFields returns the fields of c's collection that unique indexes cover. The first write after a change of the
// collections looks them up and tells the backend.
func (l *link) uniqueFields(s *store, c command) ([]string, error) {
	if reshaping[c.name] || c.collection == "" {
		return nil, nil
	}
	if fields, ok := s.known[c.collection]; ok {
		return fields, nil
	}
	body, err := l.listIndexes(c)
	if err != nil {
		return nil, err
	}
	fields := uniqueFields(body)
	if body.Lookup("cursor").Type == bson.TypeEmbeddedDocument {
		s.known[c.collection] = fields
		l.backend.Written(c.database, c.collection)
	}

	return fields, nil
}

func (l *link) writeLocked(m *message, c command) ([]byte, error) {
	if c.name == "createIndexes" {
		return l.createIndexes(m, c)
	}
	f, statement, ok := writeByID(m, c)
	if !ok {
		return l.exchange(plain(m))
	}

	switch v, err := l.ask(m.id, c, f); {
	case err != nil:
		return nil, err
	case v == missed:
		return nothingFound(m.id, c), nil
	case v == unsure:
		return l.exchange(plain(m))
	}
	payload := payloads[c.name]
	changed := sequence{name: payload, docs: []bson.Raw{with(statement, "q", f.alone())}}

	return l.exchange(request(m.id, without(m.body, payload), changed))
}

// ask looks the document up by its _id alone and judges it.
func (l *link) ask(id [4]byte, c command, f byID) (verdict, error) {
	reply, err := l.exchange(f.lookup(id, c))
	if err != nil {
		return unsure, err
	}
	body, err := answerBody(reply)
	if err != nil {
		return unsure, err
	}

	doc, ok := firstOf(body)
	switch {
	case !ok:
		return unsure, nil
	case doc == nil:
		return missed, nil
	}

	return f.judge(doc), nil
}

// find serves a filter of _id and plain equalities by the _id alone. The judgement and the answer must be of one
// version of the document: without a projection they are of the very same bytes, with one no write may come between two
// questions.
func (l *link) find(m *message, c command) ([]byte, error) {
	if several, ok := readAmong(m, c); ok {
		reply, ok, err := l.findAmong(m, c, several)
		if ok || err != nil {
			return reply, err
		}
	}
	f, ok := readByID(m, c)
	if !ok {
		return l.read(m, c)
	}
	alone := request(m.id, with(m.body, "filter", f.alone()))
	if m.body.Lookup("projection").Type != 0 {
		s := l.store(c.database)

		// No write may come between the judgement and the answer.
		s.order.RLock()
		defer s.order.RUnlock()

		switch v, err := l.ask(m.id, c, f); {
		case err != nil:
			return nil, err
		case v == missed:
			return nothingFound(m.id, c), nil
		case v == unsure:
			return l.exchange(plain(m))
		}

		return l.exchange(alone)
	}
	reply, err := l.exchange(alone)
	if err != nil {
		return nil, err
	}
	body, err := answerBody(reply)
	if err != nil {
		return nil, err
	}
	doc, ok := firstOf(body)
	if !ok || doc == nil {
		// An error, or no such _id: either way the answer is right as it is.
		return reply, nil
	}

	switch f.judge(doc) {
	case met:
		return reply, nil
	case missed:
		return nothingFound(m.id, c), nil
	}

	return l.exchange(plain(m))
}
