package stores

import (
	"os"
	"os/exec"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// stores are the two embedded stores of this process.
type stores struct {
	mongo, redis *server
}

func (s stores) mongoServer() *server { return s.mongo }
func (s stores) redisServer() *server { return s.redis }

func startEmbedded(flags ...string) (stores, error) {
	_, where, err := startStores(flags...)
	if err != nil {
		return stores{}, err
	}
	redis := ownRedis(where.Redis)
	redis.kind = embedded

	return stores{mongo: &server{kind: embedded, url: where.Mongo}, redis: redis}, nil
}

// addresses is the line that subrosa-stores prints when it is ready.
type addresses struct {
	Redis string `json:"redis"`
	Mongo string `json:"mongo"`
}

// startStores starts subrosa-stores and waits until it is ready.
func startStores(flags ...string) (*process, addresses, error) {
	path, err := testkit.FindProgram("subrosa-stores")
	if err != nil {
		return nil, addresses{}, err
	}
	cmd := exec.Command(path, append([]string{"-with-parent"}, flags...)...)
	// make test looks for a folder in memory: the embedded stores write much and keep nothing.
	if dir := os.Getenv("TEST_STORES_TMP"); dir != "" {
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	}
	var where addresses
	p, err := announce(cmd, startTime, &where)
	if err != nil {
		return nil, addresses{}, err
	}

	return p, where, nil
}
