package faults

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// What a wire can do to a write of MongoDB.
const (
	closes = "closed in mid-answer"
	loses  = "answer lost after the write"
	stale  = "10107 NotWritablePrimary"
	leaves = "11600 InterruptedAtShutdown"
	ends   = "91 ShutdownInProgress"
)

var mongoFaults = []string{closes, loses, stale, leaves, ends}

// refusals are the errors that a server answers without having done anything.
var refusals = map[string]struct {
	code int32
	name string
}{stale: {10107, "NotWritablePrimary"}, leaves: {11600, "InterruptedAtShutdown"}, ends: {91, "ShutdownInProgress"}}

// wire stands before a MongoDB and does something to a share of the writes that pass.
type wire struct {
	net.Listener
	target string

	mu    sync.Mutex
	fault string  // "" for none
	share float64 // of writes
	done  map[string]int
}

// newWire puts a wire before the server at uri and returns it with the address that leads through it.
func newWire(t *testing.T, uri string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: ln, target: u.Host, done: map[string]int{}}
	t.Cleanup(func() { _ = ln.Close() })

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go w.pass(conn)
		}
	}()
	u.Host = ln.Addr().String()

	return w, u.String()
}

// inject lets a fault befall a share of the writes from now on.
func (w *wire) inject(fault string, share float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault, w.share = fault, share
}

// befalls chooses what befalls a command.
func (w *wire) befalls(command string) string {
	switch command {
	case "insert", "update", "delete", "findAndModify":
	default:
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == "" || rand.Float64() >= w.share {
		return ""
	}
	w.done[w.fault]++

	return w.fault
}

// pass hands on one command after the other.
func (w *wire) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", w.target)
	if err != nil {
		return
	}

	defer func() { _ = server.Close() }()

	for {
		asked, err := message(client)
		if err != nil {
			return
		}
		fault := w.befalls(command(asked))
		if r, ok := refusals[fault]; ok {
			if _, err := client.Write(refusal(asked, r.code, r.name)); err != nil {
				return
			}

			continue
		}
		if _, err := server.Write(asked); err != nil {
			return
		}
		told, err := message(server)
		if err != nil {
			return
		}

		switch fault {
		case closes:
			_, _ = client.Write(told[:len(told)/2])
			return
		case loses:
			return
		}
		if _, err := client.Write(told); err != nil {
			return
		}
	}
}

const maxMessage = 48 << 20 // bytes, what the protocol allows

// message reads one message of the protocol.
func message(from io.Reader) ([]byte, error) {
	var head [16]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size < 16 || size > maxMessage {
		return nil, io.ErrUnexpectedEOF
	}
	all := make([]byte, size)
	copy(all, head[:])
	_, err := io.ReadFull(from, all[16:])

	return all, err
}

const (
	opMsg     = 2013
	bodyStart = 21 // header, flags and the kind of the first section, which drivers send first
)

// command is the name of a message's command, "" when it has none.
func command(m []byte) string {
	if len(m) <= bodyStart || binary.LittleEndian.Uint32(m[12:]) != opMsg || m[20] != 0 {
		return ""
	}
	first, err := bson.Raw(m[bodyStart:]).IndexErr(0)
	if err != nil {
		return ""
	}

	return first.Key()
}

// refusal answers a message with an error of the server.
func refusal(asked []byte, code int32, name string) []byte {
	body, err := bson.Marshal(bson.D{{Key: "ok", Value: 0.0}, {Key: "errmsg", Value: name}, {Key: "code", Value: code}, {Key: "codeName", Value: name}})
	if err != nil {
		return nil
	}
	m := make([]byte, bodyStart, bodyStart+len(body))
	m = append(m, body...)
	binary.LittleEndian.PutUint32(m, uint32(len(m)))
	copy(m[8:12], asked[4:8]) // the request that it answers
	binary.LittleEndian.PutUint32(m[12:], opMsg)

	return m
}
