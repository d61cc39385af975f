package e2e_test

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// What a test may know of the inside: keys, stores and services, to forge, to look for and to break.

func (w *world) keyFile(name string) []byte {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, ".local", "keys", name))
	if err != nil {
		w.t.Fatal(err)
	}

	return text
}

// ring returns the key that signs agent bearers.
func (w *world) ring() authn.SigningKey {
	w.t.Helper()
	ring, err := authn.ParseRing(w.keyFile(secretgen.RingFile))
	if err != nil {
		w.t.Fatal(err)
	}
	key, err := ring.Current(time.Now())
	if err != nil {
		w.t.Fatal(err)
	}

	return key
}

// providerKey returns the key by which the development provider signs.
func (w *world) providerKey() *ecdsa.PrivateKey {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, ".local", "tls", "provider-key.pem"))
	if err != nil {
		w.t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		w.t.Fatal(err)
	}

	return parsed.(*ecdsa.PrivateKey)
}

// internal signs an internal token as the service issuer.
func (w *world) internal(issuer string, caller access.Caller) string {
	w.t.Helper()
	signer, err := authn.NewSigner(issuer, string(w.keyFile(secretgen.InternalKeyFile(issuer))), time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	token, err := signer.Token(caller)
	if err != nil {
		w.t.Fatal(err)
	}

	return token
}

// inside calls a service straight, past the gateway, and returns the status.
func (w *world) inside(service, path, token string) int {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://"+w.Services[service].Addr()+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		w.t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)

	return resp.StatusCode
}

// rdb opens the world's Redis.
func (w *world) rdb() redis.UniversalClient {
	w.t.Helper()
	rdb, err := redisx.Open(w.t.Context(), redisx.Config{URL: w.redis, Timeout: 5 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = rdb.Close() })

	return rdb
}

// database opens one of the world's databases, named by its setting.
func (w *world) database(setting string) *mongo.Database {
	w.t.Helper()
	db, err := mongox.Open(w.t.Context(), mongox.Config{
		URI: w.mongo, Database: w.EnvironOf("gateway")[setting], Timeout: testkit.Patience, AppName: "e2e",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = db.Close(w.t.Context()) })

	return db.Database()
}

// documents returns every document of a collection as it is stored.
func (w *world) documents(db *mongo.Database, collection string) []bson.Raw {
	w.t.Helper()
	cursor, err := db.Collection(collection).Find(w.t.Context(), bson.D{})
	if err != nil {
		w.t.Fatal(err)
	}
	var all []bson.Raw
	if err := cursor.All(w.t.Context(), &all); err != nil {
		w.t.Fatal(err)
	}

	return all
}

// actions lists what a database's audit chains say was done to a resource.
func (w *world) actions(setting, resourceID string) []string {
	w.t.Helper()
	var all []string

	for _, doc := range w.documents(w.database(setting), "audit") {
		if !strings.Contains(doc.String(), resourceID) {
			continue
		}
		if action, ok := doc.Lookup("action").StringValueOK(); ok {
			all = append(all, action)
		}
	}

	return all
}

// pause lets time pass for a client that was told to come back later, or until the test ends.
func pause(t *testing.T, d time.Duration) {
	t.Helper()

	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
