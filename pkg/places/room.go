package places

import (
	"errors"
	"sync"
)

// ErrCrowded means that a room is spent, and that the caller holds the largest part of it.
var ErrCrowded = errors.New("the room is spent, and the caller holds most of it")

// Room is a number of bytes that a process keeps for what is still on its way to it, shared by callers. It is safe for
// concurrent use.
type Room struct {
	mu      sync.Mutex
	free    int64
	holders map[string]*holder
	spare   map[*Share]struct{} // see Share.Spare
}

// holder is a caller with something in the room. The room's mu guards it.
type holder struct {
	bytes  int64
	all    int                 // shares
	coming map[*Share]struct{} // those of what has not come whole
}

// Share is what one thing on its way holds of a room. The room's mu guards its fields.
type Share struct {
	room *Room
	who  string
	stop func() // ends the read that is under way

	bytes   int64
	crowded bool // refused, because another caller needs the room
	left    bool
	drop    func() // of a spare share: lets go of what it holds
}

// NewRoom returns a room of so many bytes.
func NewRoom(bytes int64) *Room {
	return &Room{free: bytes, holders: map[string]*holder{}, spare: map[*Share]struct{}{}}
}

// Enter begins a share of who, without a byte in it. stop has to end the read that is under way: it is called, at most
// once, when somebody else needs the room. The caller calls Leave.
func (m *Room) Enter(who string, stop func()) *Share {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.holders[who]
	if h == nil {
		h = &holder{coming: map[*Share]struct{}{}}
		m.holders[who] = h
	}
	s := &Share{room: m, who: who, stop: stop}
	h.all++
	h.coming[s] = struct{}{}

	return s
}

// Take takes room for n more bytes. When none is left, the caller who holds most is refused: this one, by ErrCrowded,
// or the one whose largest thing is still on its way, which is stopped and whose next Take returns ErrCrowded.
func (s *Share) Take(n int64) error {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()

	own := m.holders[s.who]
	m.dropSpares(n)

	for m.free < n && !s.crowded {
		most := m.most()
		if most == nil || most == own || most.bytes <= own.bytes+n {
			return ErrCrowded
		}
		m.refuse(most)
	}
	if s.crowded {
		return ErrCrowded
	}
	m.free, own.bytes, s.bytes = m.free-n, own.bytes+n, s.bytes+n

	return nil
}

// Return gives n bytes of s back, which holds as many.
func (s *Share) Return(n int64) {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.left || s.crowded {
		return
	}
	m.free += n
	m.holders[s.who].bytes -= n
	s.bytes -= n
}

// Settle says that all has come: from now on nobody takes the room of s.
func (s *Share) Settle() {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.holders[s.who]; h != nil {
		delete(h.coming, s)
	}
}

// Spare says that what has come is needed only for the case that something must be done again. Whoever needs room takes
// it from now on: drop is called then, at most once, and must not call s.
func (s *Share) Spare(drop func()) {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()
	if !s.left && !s.crowded {
		s.drop = drop
		m.spare[s] = struct{}{}
	}
}

// Reclaim takes back what Spare said, and reports whether nobody has taken the room meanwhile.
func (s *Share) Reclaim() bool {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.spare, s)

	return !s.left && !s.crowded
}

// Stop ends the read that is under way. It does nothing once all has come: the connection may be somebody else's then.
func (s *Share) Stop() {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.holders[s.who]; h != nil {
		if _, coming := h.coming[s]; coming {
			s.stop()
		}
	}
}

// Crowded reports whether s was refused because another caller needed its room.
func (s *Share) Crowded() bool {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()

	return s.crowded
}

// Leave gives the room back. A second call does nothing.
func (s *Share) Leave() {
	m := s.room
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.left {
		return
	}
	s.left = true
	delete(m.spare, s)
	m.giveBack(s)

	h := m.holders[s.who]
	if h.all--; h.all == 0 {
		delete(m.holders, s.who)
	}
}

// dropSpares takes the room of spare shares until n bytes are free, or none is left.
func (m *Room) dropSpares(n int64) {
	for s := range m.spare {
		if m.free >= n {
			return
		}
		delete(m.spare, s)
		s.crowded = true
		m.giveBack(s)
		s.drop()
	}
}

// most returns the holder of most among those of whom something is still on its way.
func (m *Room) most() *holder {
	var most *holder
	for _, h := range m.holders {
		if len(h.coming) > 0 && (most == nil || h.bytes > most.bytes) {
			most = h
		}
	}

	return most
}

// refuse ends the largest thing of a holder that is still on its way.
func (m *Room) refuse(h *holder) {
	var largest *Share
	for s := range h.coming {
		if largest == nil || s.bytes > largest.bytes {
			largest = s
		}
	}
	largest.crowded = true
	m.giveBack(largest)
	largest.stop()
}

func (m *Room) giveBack(s *Share) {
	h := m.holders[s.who]
	m.free, h.bytes, s.bytes = m.free+s.bytes, h.bytes-s.bytes, 0
	delete(h.coming, s)
}
