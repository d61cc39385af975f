package testkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// stores are the two embedded stores of this process.
type stores struct {
	mongo, redis *server
}

func (s stores) mongoServer() *server { return s.mongo }
func (s stores) redisServer() *server { return s.redis }

func startEmbedded() (stores, error) {
	_, where, err := startStores()
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
	path, err := program(storesName)
	if err != nil {
		return nil, addresses{}, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, addresses{}, err
	}
	defer out.Close()
	cmd := exec.Command(path, append([]string{"-with-parent"}, flags...)...)
	cmd.Stdout = in
	if dir := os.Getenv("TEST_STORES_TMP"); dir != "" { // a folder in memory, which make test looks for
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	}
	p, err := run(cmd)
	in.Close()
	if err != nil {
		return nil, addresses{}, err
	}
	where, err := readAddresses(out)
	if err != nil {
		p.stop()
		return nil, addresses{}, fmt.Errorf("start %s: %w: %s", filepath.Base(path), err, p.said)
	}

	return p, where, nil
}

func readAddresses(out *os.File) (addresses, error) {
	var where addresses

	late := time.AfterFunc(startTime, func() { out.Close() })
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return where, fmt.Errorf("wait for its addresses: %w", err)
	}
	if err := json.Unmarshal(line, &where); err != nil {
		return where, fmt.Errorf("read its addresses: %w", err)
	}

	return where, nil
}
