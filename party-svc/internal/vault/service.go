package vault

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Service does what browsers ask of their vaults. Who may ask is decided before.
type Service struct {
	Vaults   Vaults
	FirmKeys FirmKeys
	Wraps    Wraps
	Seals    Seals
	// Case asks case-svc as the caller of ctx; errs.ErrNotFound for a case that the caller cannot see.
	Case    func(ctx context.Context, caseID string) error
	Journal audit.Log
	Now     func() time.Time
}

// State is a member's vault with what the firm has wrapped for it.
type State struct {
	Vault       // the zero value for none
	Current int // the firm's version, 0 for none
	Keys    []Held
}

// Condition says whether a write may go on over what is there. there is false when nothing is.
type Condition func(there bool, s State) error

// Open returns the member's vault, or ErrNotFound before the first Save.
func (s *Service) Open(ctx context.Context, tenant, userID string) (State, error) {
	st, err := s.state(ctx, tenant, userID)
	if err == nil && st.Version == 0 {
		err = ErrNotFound
	}

	return st, err
}

func (s *Service) state(ctx context.Context, tenant, userID string) (State, error) {
	current, err := s.current(ctx, tenant)
	if err != nil {
		return State{}, err
	}
	st := State{Current: current.Version}
	if st.Vault, err = s.Vaults.Vault(ctx, tenant, userID); err != nil {
		if errors.Is(err, ErrNotFound) {
			return st, nil
		}

		return State{}, err
	}
	held, err := s.Wraps.HeldBy(ctx, tenant, []string{userID})
	// A key that was wrapped to an earlier public key is of no use to the member, and must not count as held.
	st.Keys = slices.DeleteFunc(held, func(h Held) bool { return h.PublicKey != st.PublicKey })

	return st, err
}

// Save puts a member's vault. With another public key than before, what was wrapped to the old one is gone.
func (s *Service) Save(
	ctx context.Context, by audit.Actor, v Vault, may Condition,
) (st State, created bool, err error) {
	// Too long a blob has a status of its own, 413, which the faults of fields have not.
	if longerThan(v.Blob, MaxBlob) {
		return State{}, false, ErrBlobSize
	}
	var f validate.List
	checkKey(&f, "publicKey", v.PublicKey)
	checkSize(&f, "blob", v.Blob, minBlob, MaxBlob)
	if err := f.Err(); err != nil {
		return State{}, false, err
	}
	old, err := s.state(ctx, v.Tenant, v.UserID)
	if err != nil {
		return State{}, false, err
	}
	if err := may(old.Version > 0, old); err != nil {
		return State{}, false, err
	}
	now := instant.Of(s.Now())
	created = old.Version == 0
	entry := audit.Entry{Tenant: v.Tenant, Actor: by, Action: "vault.save", ResourceType: "vault", ResourceID: v.UserID}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		v.UpdatedAt = now
		if created {
			v.Version, v.CreatedAt = 1, now
			return s.Vaults.InsertVault(ctx, v)
		}
		v.Version, v.CreatedAt = old.Version, old.CreatedAt
		if v, err = s.Vaults.ReplaceVault(ctx, v); err != nil || v.PublicKey == old.PublicKey {
			return err
		}

		// The vault goes first: whoever reads in between finds wraps that do not fit its public key, and ignores them.
		return s.Wraps.DropWraps(ctx, v.Tenant, Leaving{v.UserID, old.PublicKey})
	})
	if err != nil {
		return State{}, false, err
	}
	st, err = s.state(ctx, v.Tenant, v.UserID)

	return st, created, err
}

// Member is somebody of the firm who has a vault, with the versions of the firm's key that they hold.
type Member struct {
	UserID      string
	PublicKey   string
	KeyVersions []int
}

// Members lists up to limit members after the one named, in order of their ids.
func (s *Service) Members(ctx context.Context, tenant, after string, limit int) ([]Member, error) {
	if _, err := s.current(ctx, tenant); err != nil {
		return nil, err
	}
	vaults, err := s.Vaults.Vaults(ctx, tenant, after, limit)
	if err != nil || len(vaults) == 0 {
		return nil, err
	}

	all, names := make([]Member, len(vaults)), make([]string, len(vaults))
	for i, v := range vaults {
		all[i], names[i] = Member{UserID: v.UserID, PublicKey: v.PublicKey, KeyVersions: []int{}}, v.UserID
	}

	held, err := s.Wraps.HeldBy(ctx, tenant, names)
	for _, h := range held {
		// The store lists vaults in the order of their ids.
		i, there := slices.BinarySearch(names, h.UserID)
		if there && all[i].PublicKey == h.PublicKey {
			all[i].KeyVersions = append(all[i].KeyVersions, h.KeyVersion)
		}
	}

	return all, err
}

// Give lays down a firm key that by wrapped to a member's public key. It returns ErrNoHolder unless by holds that
// version, ErrGiven when the member does, ErrOther for a key that is not the member's any more, and ErrNotFound when
// the member has no public key. Members may lay down what they wrapped for themselves, from a backup for instance: what
// is wrong harms nobody else.
func (s *Service) Give(
	ctx context.Context, tenant string, by audit.Actor, version int, w Wrap,
) (created bool, err error) {
	var f validate.List
	w.check(&f, "")
	if err := f.Err(); err != nil {
		return false, err
	}
	if err := s.givable(ctx, tenant, by, version, w); err != nil {
		return false, err
	}
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "vault.give", ResourceType: "vault", ResourceID: w.UserID}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		created, err = s.Wraps.Lay(ctx, Held{w, tenant, version})
		return err
	})

	return created, err
}

func (s *Service) givable(ctx context.Context, tenant string, by audit.Actor, version int, w Wrap) error {
	member, err := s.state(ctx, tenant, w.UserID)
	switch {
	case err != nil:
		return err
	// A version that the firm does not have yet could be laid down in advance by somebody who is not to have it.
	case member.Version == 0, version > member.Current:
		return ErrNotFound
	case member.PublicKey != w.PublicKey:
		return ErrOther
	// Who restores their own key from a backup holds nothing yet, so nothing is asked of them.
	case w.UserID == by.UserID:
		return nil
	}

	giver, err := s.state(ctx, tenant, by.UserID)
	switch {
	case err != nil:
		return err
	case !giver.holds(version):
		return ErrNoHolder
	case member.holds(version):
		return ErrGiven
	}

	return nil
}

func (st State) holds(version int) bool {
	return slices.ContainsFunc(st.Keys, func(h Held) bool { return h.KeyVersion == version })
}

// Rotation is the next version of the firm's key.
type Rotation struct {
	Version int
	Wraps   []Wrap
	Remove  []string
}

func (r Rotation) check(by string) error {
	var f validate.List
	checkVersion(&f, r.Version)
	if len(r.Wraps) > MaxMembers {
		f.Add("keys", "must be at most 500")
		return f.Err()
	}
	if len(r.Remove) > MaxMembers {
		f.Add("remove", "must be at most 500")
		return f.Err()
	}
	seen := map[string]bool{}

	for i, w := range r.Wraps {
		path := "keys[" + strconv.Itoa(i) + "]."
		w.check(&f, path)
		if seen[w.UserID] {
			f.Add(path+"userId", "must appear only once")
		}
		seen[w.UserID] = true
	}
	// Whoever rotates would lock the whole firm out of what is sealed from then on.
	if !seen[by] {
		f.Add("keys", "must include your own key: without it you could not open what is sealed next")
	}

	for i, who := range r.Remove {
		if seen[who] {
			f.Add("remove["+strconv.Itoa(i)+"]", "must not name a member who gets the new key")
		}
	}

	return f.Err()
}

// Rotate makes the first firm key, or the next. It returns ErrOther when another browser made that version first. Those
// in Remove lose their vaults and every firm key.
func (s *Service) Rotate(ctx context.Context, tenant string, by audit.Actor, r Rotation) error {
	if err := r.check(by.UserID); err != nil {
		return err
	}
	current, err := s.current(ctx, tenant)
	if err != nil {
		return err
	}
	// Two browsers that rotate at once name the same version, and the unique index lets one of them win.
	if r.Version != current.Version+1 {
		return ErrOther
	}
	next, err := s.planned(ctx, tenant, by, r)
	if err != nil {
		return err
	}
	entry := audit.Entry{
		Tenant: tenant, Actor: by, Action: "vault.rotate", ResourceType: "vault", ResourceID: strconv.Itoa(r.Version),
	}

	return audit.Do(ctx, s.Journal, entry, func() error {
		// The new key is stored with all that has to follow from it, so any later request can finish what this one
		// began.
		if err := s.FirmKeys.InsertFirmKey(ctx, next); err != nil {
			return err
		}

		return s.settle(ctx, next)
	})
}

// planned checks the public keys of those who get the new key, and finds those of members who leave.
func (s *Service) planned(ctx context.Context, tenant string, by audit.Actor, r Rotation) (FirmKey, error) {
	names := slices.Clone(r.Remove)
	for _, w := range r.Wraps {
		names = append(names, w.UserID)
	}
	keys, err := s.publicKeys(ctx, tenant, names)
	if err != nil {
		return FirmKey{}, err
	}
	k := FirmKey{Tenant: tenant, Version: r.Version, MadeBy: by.UserID, MadeAt: instant.Of(s.Now())}
	var f validate.List

	for i, w := range r.Wraps {
		switch keys[w.UserID] {
		case "":
			f.Add("keys["+strconv.Itoa(i)+"].userId", "must be a member who has a vault")
		case w.PublicKey:
			k.Wraps = append(k.Wraps, Held{w, tenant, r.Version})
		default:
			return FirmKey{}, ErrOther // the member has changed keys since
		}
	}

	for i, who := range r.Remove {
		if keys[who] == "" {
			f.Add("remove["+strconv.Itoa(i)+"]", "must be a member who has a vault")
		}
		k.Remove = append(k.Remove, Leaving{who, keys[who]})
	}
	if err := f.Err(); err != nil {
		return FirmKey{}, err
	}

	return k, s.dispensable(ctx, tenant, r.Remove)
}

func (s *Service) publicKeys(ctx context.Context, tenant string, userIDs []string) (map[string]string, error) {
	vaults, err := s.Vaults.VaultsOf(ctx, tenant, userIDs)

	keys := map[string]string{}
	for _, v := range vaults {
		keys[v.UserID] = v.PublicKey
	}

	return keys, err
}

// dispensable returns ErrLast when one who leaves is the last to hold a version under which something is sealed.
func (s *Service) dispensable(ctx context.Context, tenant string, leaving []string) error {
	if len(leaving) == 0 {
		return nil
	}
	theirs, err := s.Wraps.HeldBy(ctx, tenant, leaving)
	if err != nil {
		return err
	}

	seen := map[int]bool{}
	for _, h := range theirs {
		if seen[h.KeyVersion] {
			continue
		}
		// What is sealed under a version that nobody holds is lost for good: no other copy of the key exists.
		seen[h.KeyVersion] = true
		used, err := s.Seals.Uses(ctx, tenant, h.KeyVersion)
		if err != nil {
			return err
		}
		if !used {
			continue
		}
		stay, err := s.holdersBeside(ctx, tenant, h.KeyVersion, leaving)
		if err != nil {
			return err
		}
		if stay == 0 {
			return ErrLast
		}
	}

	return nil
}

// holdersBeside counts those who can open a version and do not leave.
func (s *Service) holdersBeside(ctx context.Context, tenant string, version int, leaving []string) (int, error) {
	held, err := s.Wraps.HoldersOf(ctx, tenant, version)
	if err != nil {
		return 0, err
	}
	held = slices.DeleteFunc(held, func(h Held) bool { return slices.Contains(leaving, h.UserID) })

	names := make([]string, len(held))
	for i, h := range held {
		names[i] = h.UserID
	}
	// A wrap to a public key that its member has replaced opens nothing, so it counts for nobody.
	keys, err := s.publicKeys(ctx, tenant, names)

	return len(slices.DeleteFunc(held, func(h Held) bool { return keys[h.UserID] != h.PublicKey })), err
}

// current returns the firm's newest key, the zero value when it has none. What a process did not live to finish is
// finished first.
func (s *Service) current(ctx context.Context, tenant string) (FirmKey, error) {
	k, err := s.FirmKeys.Newest(ctx, tenant)
	switch {
	case errors.Is(err, ErrNotFound):
		return FirmKey{}, nil
	case err != nil, k.Settled:
		return k, err
	}

	return k, s.settle(ctx, k)
}

// settle does what follows from a new firm key. It may be done again, and by several at once.
func (s *Service) settle(ctx context.Context, k FirmKey) error {
	for _, who := range k.Remove {
		if err := s.Vaults.RemoveVault(ctx, k.Tenant, who); err != nil {
			return err
		}
		if err := s.Wraps.DropWraps(ctx, k.Tenant, who); err != nil {
			return err
		}
	}

	// LayFirst leaves a wrap that is there already alone: another process may have settled, and its member changed keys
	// since.
	for _, h := range k.Wraps {
		if err := s.Wraps.LayFirst(ctx, h); err != nil {
			return err
		}
	}
	// The version before is kept for a while: browsers still have to open what is sealed under it, and seal it anew.
	if err := s.FirmKeys.ExamineAt(ctx, k.Tenant, k.Version-1, k.MadeAt.Add(KeptUnused)); err != nil {
		return err
	}
	k.Settled, k.Wraps, k.Remove = true, nil, nil

	return s.FirmKeys.Settle(ctx, k)
}

// Sealed returns the sealed labels of a case, and whether it has any. ErrNotFound means that there is no such case.
func (s *Service) Sealed(ctx context.Context, tenant, caseID string) (_ Labels, found bool, err error) {
	if err := s.Case(ctx, caseID); err != nil {
		return Labels{}, false, err
	}
	l, err := s.Seals.Labels(ctx, tenant, caseID)
	if errors.Is(err, ErrNotFound) {
		return Labels{}, false, nil
	}

	return l, err == nil, err
}

// Seal puts the sealed labels of a case, in a closed case too, since a new firm key asks for it. expected are the
// versions that it may be put over, nil means any; fresh that it is put over nothing.
func (s *Service) Seal(
	ctx context.Context, by audit.Actor, l Labels, expected []int64, fresh bool,
) (_ Labels, created bool, err error) {
	if longerThan(l.CT, MaxLabels) {
		return Labels{}, false, ErrLabelSize
	}
	var f validate.List
	checkVersion(&f, l.KeyVersion)
	checkSize(&f, "iv", l.IV, ivSize, ivSize)
	checkSize(&f, "ct", l.CT, tagSize, MaxLabels)
	if err := f.Err(); err != nil {
		return Labels{}, false, err
	}
	if err := s.Case(ctx, l.CaseID); err != nil {
		return Labels{}, false, err
	}
	old, err := s.Seals.Labels(ctx, l.Tenant, l.CaseID)
	if created = errors.Is(err, ErrNotFound); err != nil && !created {
		return Labels{}, false, err
	}
	// Two browsers that add labels at once must not overwrite each other: the loser reads and merges.
	if expected != nil && !slices.Contains(expected, old.Version) || fresh && !created {
		return Labels{}, false, errs.ErrVersion
	}
	// Storing the same again is let through, so that a request whose answer was lost can be repeated after a rotation.
	if old.KeyVersion != l.KeyVersion || old.IV != l.IV || old.CT != l.CT {
		if err := s.Fresh(ctx, l.Tenant, l.KeyVersion); err != nil {
			return Labels{}, false, err
		}
	}
	l.UpdatedAt = instant.Of(s.Now())
	entry := audit.Entry{
		Tenant: l.Tenant, Actor: by, Action: "sealed_labels.save", ResourceType: "case", ResourceID: l.CaseID,
	}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		if created {
			l.Version = 1
			return s.Seals.InsertLabels(ctx, l)
		}
		l.Version = old.Version
		l, err = s.Seals.ReplaceLabels(ctx, l)

		return err
	})

	return l, created, err
}

// Fresh returns ErrOutdated when the firm has another key than version: what were sealed under it could outlive it. A
// firm that has none here keeps its key elsewhere.
func (s *Service) Fresh(ctx context.Context, tenant string, version int) error {
	current, err := s.current(ctx, tenant)
	if err == nil && current.Version > 0 && current.Version != version {
		err = ErrOutdated
	}

	return err
}

const examineAgain = 24 * time.Hour

// Sweep removes firm keys that were replaced long ago and under which nothing is sealed any more.
func (s *Service) Sweep(ctx context.Context, limit int) error {
	due, err := s.FirmKeys.Due(ctx, instant.Of(s.Now()), limit)

	var all error
	for _, k := range due {
		all = errors.Join(all, s.examine(ctx, k))
	}

	return errors.Join(err, all)
}

func (s *Service) examine(ctx context.Context, k FirmKey) error {
	used, err := s.Seals.Uses(ctx, k.Tenant, k.Version)
	if err != nil {
		return err
	}
	// It cannot be removed while anything is sealed under it. The firm may have closed cases that no browser has opened
	// since.
	if used {
		return s.FirmKeys.ExamineAt(ctx, k.Tenant, k.Version, instant.Of(s.Now()).Add(examineAgain))
	}
	entry := audit.Entry{
		Tenant: k.Tenant, Actor: audit.Actor{Kind: audit.Service, ID: "party-svc"},
		Action: "vault.forget", ResourceType: "vault", ResourceID: strconv.Itoa(k.Version),
	}

	return audit.Do(ctx, s.Journal, entry, func() error {
		// The wraps go first: a version without wraps is examined again, wraps without a version would never be.
		if err := s.Wraps.DropVersion(ctx, k.Tenant, k.Version); err != nil {
			return err
		}

		return s.FirmKeys.RemoveFirmKey(ctx, k.Tenant, k.Version)
	})
}

// Holders lists the members who hold the firm's newest key under a public key that is theirs now, in order of their
// ids.
func (s *Service) Holders(ctx context.Context, tenant string) ([]string, error) {
	current, err := s.current(ctx, tenant)
	if err != nil || current.Version == 0 {
		return nil, err
	}
	wraps, err := s.Wraps.HoldersOf(ctx, tenant, current.Version)
	if err != nil || len(wraps) == 0 {
		return nil, err
	}

	names := make([]string, len(wraps))
	for i, w := range wraps {
		names[i] = w.UserID
	}

	vaults, err := s.Vaults.VaultsOf(ctx, tenant, names)
	if err != nil {
		return nil, err
	}

	var holders []string

	for _, w := range wraps {
		theirs := func(v Vault) bool { return v.UserID == w.UserID && v.PublicKey == w.PublicKey }
		if slices.ContainsFunc(vaults, theirs) {
			holders = append(holders, w.UserID)
		}
	}
	slices.Sort(holders)

	return slices.Compact(holders), nil
}
