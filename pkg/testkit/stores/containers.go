package stores

import (
	"fmt"
	"os/exec"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// imageTime bounds the wait for an image and its start. The program gives up a little earlier and says why.
const imageTime = 150 * time.Second

func mongoContainer() (*server, string, error) { return inContainer("mongodb") }

func redisContainer() (*server, string, error) {
	s, absent, err := inContainer("redis")
	if s != nil {
		s.dbs = ownDatabases(s.url)
	}

	return s, absent, err
}

// inContainer has subrosa-containers start a store, which ends with this process. The client of the container engine is
// in that program, so that tests are linked without it.
func inContainer(store string) (*server, string, error) {
	var said struct {
		URL    string `json:"url"`
		Absent string `json:"absent"`
	}

	path, err := testkit.FindProgram("subrosa-containers")
	if err != nil {
		return nil, err.Error(), nil
	}

	p, err := announce(exec.Command(path, store, fmt.Sprint(databaseCount)), imageTime, &said)
	switch {
	// A missing engine is a reason to look elsewhere, and no failure of the tests.
	case err != nil:
		return nil, "no container: " + err.Error(), nil
	case said.Absent != "":
		p.stop()
		return nil, said.Absent, nil
	}

	return &server{url: said.URL}, "", nil
}
