package passages

import (
	"container/list"
	"sync"
)

// cache holds the indexes of the cases that were asked for last, up to so many bytes.
type cache struct {
	most int

	mu    sync.Mutex
	held  int
	order *list.List // of entry, the latest first
	names map[string]*list.Element
}

type entry struct {
	name string
	built
}

func newCache(most int) *cache {
	return &cache{most: most, order: list.New(), names: map[string]*list.Element{}}
}

// get returns the index of that name and stamp.
func (c *cache) get(name, stamp string) (built, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.names[name]
	if !ok {
		return built{}, false
	}
	found, _ := e.Value.(entry)
	if found.stamp != stamp {
		return built{}, false
	}
	c.order.MoveToFront(e)

	return found.built, true
}

// put keeps b in place of what was there under the name, and drops what was not asked for longest.
func (c *cache) put(name string, b built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.names[name]; ok {
		c.drop(old)
	}
	if b.index.Size() > c.most {
		return
	}
	c.names[name] = c.order.PushFront(entry{name, b})

	c.held += b.index.Size()
	for c.held > c.most {
		c.drop(c.order.Back())
	}
}

// remove drops the index of that name, if there is one.
func (c *cache) remove(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.names[name]; ok {
		c.drop(e)
	}
}

func (c *cache) drop(e *list.Element) {
	gone, _ := c.order.Remove(e).(entry)
	delete(c.names, gone.name)
	c.held -= gone.index.Size()
}
