package abuse

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const memoryLook = 200 * time.Millisecond

// memory is what is resident, in bytes.
type memory struct {
	service int64 // the process of all services
	stores  int64 // that of the embedded stores, which a real installation does not have
}

// watchMemory looks at the resident memory of service and stores until it is called, and returns the most.
func (s *stage) watchMemory() func() memory {
	ended, most := make(chan struct{}), make(chan memory)

	go func() {
		tick := time.NewTicker(memoryLook)
		defer tick.Stop()
		highest := memory{}

		for {
			now := resident(s.service.Process.Pid)
			highest.service = max(highest.service, now.service)
			highest.stores = max(highest.stores, now.stores)

			select {
			case <-tick.C:
			case <-ended:
				most <- highest
				return
			}
		}
	}()

	return func() memory { close(ended); return <-most }
}

// resident returns the resident memory of the service, which leads a group, and of the stores that it started.
func resident(group int) (sum memory) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return memory{}
	}

	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil {
			// The process has ended since the folder was listed.
			continue
		}
		// The name of the program, in brackets, may hold anything: fields are counted from the last bracket.
		_, rest, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')'):], []byte(") "))
		fields := strings.Fields(string(rest))
		// The stores lead a group of their own, and are told by their parent.
		leader := strconv.Itoa(group)
		if len(fields) < 22 || fields[1] != leader && fields[2] != leader {
			continue
		}
		pages, err := strconv.ParseInt(fields[21], 10, 64)
		if err != nil {
			continue
		}
		if bytes := pages * int64(os.Getpagesize()); filepath.Base(folder) == leader {
			sum.service += bytes
		} else {
			sum.stores += bytes
		}
	}

	return sum
}
