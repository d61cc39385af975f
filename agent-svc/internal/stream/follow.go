package stream

import "context"

// Follow tells each event of a run beyond after, in order, and reports whether the last one was told. It returns
// without it when ctx ends, the process drains, or the run's events are gone. It counts as a reader.
func (s *Server) Follow(ctx context.Context, k Key, after int, each func(Event)) (ended bool, err error) {
	s.Open.Add(1)
	defer s.Open.Add(-1)

	fd := s.Feeds.join(ctx, k)
	defer s.Feeds.leave(fd)

	settled := false

	for {
		v := fd.beyond(after)
		if !v.behind && len(v.frames) > 0 {
			for _, fr := range v.frames {
				each(fr.event())
				if after = fr.Seq; fr.Last {
					return true, nil
				}
			}

			continue
		}
		if v.newest > after || v.lost {
			before := after
			for {
				events, err := s.Feeds.log.After(ctx, k, after, pageSize)
				if err != nil {
					return false, err
				}

				for _, e := range events {
					each(e)
					if after = e.Seq; e.Last {
						return true, nil
					}
				}
				if len(events) < pageSize {
					break
				}
			}

			switch {
			// There may be more by now.
			case after > before:
				continue
			// The feed knew of events that are gone.
			case !v.lost:
				return false, nil
			case !s.Settle(ctx, k):
				fd.rest()
			// The run has ended, and its last events are gone.
			case settled:
				return false, nil
			// Its last events may have been written just now.
			default:
				settled = true
			}

			continue
		}
		if v.ended {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-s.Draining:
			return false, nil
		case <-v.changed:
		}
	}
}
