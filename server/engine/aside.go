package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/guard"
	"fixloop/server/internal/gitrepo"
)

// aside is what the gate runs and no snapshot holds, as the baseline left it:
// ignored files by digest, built output by stamp, programs and settings outside
// of the work tree.
type aside struct {
	Stamps  map[string]gitrepo.Stamp `json:"stamps"`  // of what is compared by content
	Digests map[string]string        `json:"digests"` // of the same
	Built   map[string]gitrepo.Stamp `json:"built"`   // compiled output, as the last run left it
	Tools   map[string]string        `json:"tools"`   // see surroundings
	Env     string                   `json:"env"`     // what Tools was looked up in
	Touched []string                 `json:"touched"` // tracked files that the baseline run itself wrote or chmodded
}

// maxAsideBytes bounds what is read to know ignored files by their content;
// what is beyond it is known by its stamp.
const maxAsideBytes = 512 << 20

// asideFile is where a session keeps it, beside its runs.
func (s *space) asideFile(session string) string { return s.sessionFile(session, "aside.json") }

// loadAside returns nil where nothing was recorded: before the baseline ended,
// and where the record is not the one that was written; then edited is true.
func (s *space) loadAside(session string, k kept) (a *aside, edited bool, err error) {
	if k.AsideSum == "" {
		return nil, false, nil
	}
	data, err := os.ReadFile(s.asideFile(session))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	if err != nil || sumOf(data) != k.AsideSum {
		return nil, true, nil
	}
	a = &aside{}
	return a, false, json.Unmarshal(data, a)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// recordEdited is the difference that stands for a record that can not be used.
var recordEdited = guard.Aside{Path: "aside.json", Kind: guard.AsideRecord}

func (s *space) saveAside(session string, k *kept, a *aside) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	path := s.asideFile(session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return disk(err, path)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return disk(err, path)
	}
	k.AsideSum = sumOf(data)
	return nil
}

// recordAside takes it all down when the baseline run has ended: what the gate
// installs and makes is there then, and no attempt has begun.
func (s *space) recordAside(ctx context.Context, l *live) error {
	all, err := s.repo.Aside(ctx, guard.SkipAside)
	if err != nil {
		return err
	}
	a := &aside{Stamps: map[string]gitrepo.Stamp{}, Built: map[string]gitrepo.Stamp{}, Tools: s.surroundings(l.ses.Gate), Env: environment(), Touched: l.swapped}
	for p, st := range all {
		if guard.WatchAside(p, st.Size) {
			a.Stamps[p] = st
		}
		if compiled(p, st) || st.Written > time.Now().UnixNano() {
			a.Built[p] = st
		}
	}
	a.Digests = s.repo.Digests(ctx, slices.Sorted(maps.Keys(a.Stamps)), maxAsideBytes)
	return s.saveAside(l.ses.ID, &l.kept, a)
}

// lookAside compares with the baseline. Before a run it also renews the times
// of the sources where somebody else built since the last one.
func (s *space) lookAside(ctx context.Context, l *live, before bool) error {
	a, edited, err := s.loadAside(l.ses.ID, l.kept)
	if edited {
		l.aside = append(l.aside, recordEdited)
	}
	if err != nil || a == nil {
		return err
	}
	var tools []guard.Aside
	var all map[string]gitrepo.Stamp
	err = together(
		func() error { tools = s.compareTools(a, l.ses.Gate); return nil },
		func() (err error) { all, err = s.repo.Aside(ctx, guard.SkipAside); return err },
	)
	if err != nil {
		return err
	}
	differs := s.compareAside(ctx, a, all)
	adopted := false
	if !before {
		differs, adopted = s.adopt(ctx, a, all, differs, l.aside)
	}
	l.aside = append(append(l.aside, differs...), tools...)
	built := map[string]gitrepo.Stamp{}
	ahead := time.Now().Add(time.Minute).UnixNano()
	foreign, future := false, []string{}
	for p, st := range all {
		if before && st.Written > ahead && a.Built[p] != st {
			future = append(future, p)
		}
		if compiled(p, st) || st.Written > ahead { // small programs may be scripts, and are compared besides
			built[p] = st
			foreign = foreign || a.Built[p] != st
		}
	}
	slices.Sort(future)
	for _, p := range future[:min(len(future), maxFuture)] {
		l.aside = append(l.aside, guard.Aside{Path: p, Kind: guard.AsideFuture})
	}
	if before {
		if foreign {
			s.renew(ctx, l)
		}
		return nil
	}
	if maps.Equal(a.Built, built) && !adopted {
		return nil
	}
	a.Built = built
	return s.saveAside(l.ses.ID, &l.kept, a)
}

// adopt takes over what the run itself wrote for its builder: files of a generator
// that were as recorded when it began. It returns the other differences.
func (s *space) adopt(ctx context.Context, a *aside, now map[string]gitrepo.Stamp, differs, first []guard.Aside) (rest []guard.Aside, adopted bool) {
	var paths []string
	for _, d := range differs {
		known := slices.ContainsFunc(first, func(f guard.Aside) bool { return f.Path == d.Path })
		if known || d.Kind == guard.AsideDeleted || !guard.Generated(d.Path) {
			rest = append(rest, d)
			continue
		}
		paths = append(paths, d.Path)
		a.Stamps[d.Path] = now[d.Path]
	}
	maps.Copy(a.Digests, s.repo.Digests(ctx, paths, maxAsideBytes))
	return rest, len(paths) > 0
}

// maxFuture is how many files dated ahead are named: they have one cause.
const maxFuture = 3

// compareAside finds which ignored files that the gate may run differ. One
// whose stamp is the old one was not touched; of others the content decides.
func (s *space) compareAside(ctx context.Context, a *aside, now map[string]gitrepo.Stamp) []guard.Aside {
	var out []guard.Aside
	var read []string
	for p, st := range now {
		if !guard.WatchAside(p, st.Size) {
			continue
		}
		was, ok := a.Stamps[p]
		switch {
		case !ok:
			out = append(out, guard.Aside{Path: p, Kind: guard.AsideAdded, Data: s.small(p)})
		case was != st:
			read = append(read, p)
		}
	}
	digests := s.repo.Digests(ctx, read, maxAsideBytes)
	for _, p := range read {
		if digests[p] == "" || digests[p] != a.Digests[p] {
			out = append(out, guard.Aside{Path: p, Kind: guard.AsideChanged, Data: s.small(p)})
		}
	}
	for p := range a.Stamps {
		if _, ok := now[p]; !ok && !s.known(p) {
			out = append(out, guard.Aside{Path: p, Kind: guard.AsideDeleted})
		}
	}
	return out
}

// known reports whether a file is still there: no longer ignored, it is in the
// tree, where the guard sees it.
func (s *space) known(p string) bool {
	_, err := os.Lstat(filepath.Join(s.repo.Top(), filepath.FromSlash(p)))
	return err == nil
}

// small reads a file that is small enough to be settings or a script.
func (s *space) small(p string) []byte {
	path := filepath.Join(s.repo.Top(), filepath.FromSlash(p))
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 64<<10 {
		return nil
	}
	data, _ := os.ReadFile(path) // gone meanwhile: judged by its path
	return data
}

func (s *space) compareTools(a *aside, g loopcore.Gate) []guard.Aside {
	if a.Env != environment() {
		return []guard.Aside{{Path: "PATH", Kind: guard.AsideEnv}}
	}
	var out []guard.Aside
	now := s.surroundings(g)
	differs := func(name string) {
		if p, ok := strings.CutPrefix(name, programKey); ok {
			name = p + " on the PATH"
		}
		out = append(out, guard.Aside{Path: filepath.ToSlash(name), Kind: guard.AsideTool})
	}
	for path, was := range a.Tools {
		if now[path] != was {
			differs(path)
		}
	}
	for path := range now {
		if _, ok := a.Tools[path]; !ok && !strings.HasPrefix(path, programKey) {
			differs(path) // a program that was missing was not what the gate ran
		}
	}
	return out
}

// compiled says whether an ignored file is what a compiler wrote.
func compiled(p string, st gitrepo.Stamp) bool {
	switch filepath.Ext(p) {
	case ".o", ".a", ".so", ".obj", ".lib", ".dll", ".dylib", ".rlib", ".rmeta", ".class", ".jar", ".exe", ".swiftmodule", ".kotlin_module":
		return true
	case "":
		return st.Mode&0o111 != 0
	}
	return false
}

// watched are the tracked files whose times a run is held against.
func (s *space) watched(ctx context.Context, snapshot string) map[string]gitrepo.Stamp {
	all, err := s.repo.Files(ctx, snapshot)
	if err != nil {
		return nil
	}
	var paths []string
	for _, f := range all {
		if len(paths) < maxWatched && guard.GateSide(f.Path, true) {
			paths = append(paths, f.Path)
		}
	}
	return s.repo.Stamps(paths)
}

const maxWatched = 50_000

// swaps names the watched files that were written during the run though their
// content is the same.
func (s *space) swaps(was map[string]gitrepo.Stamp) []string {
	var out []string
	for p, st := range s.repo.Stamps(slices.Sorted(maps.Keys(was))) {
		if st.Changed != was[p].Changed {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// swappedAside makes differences of the swaps. What the baseline run wrote too
// is the gate's own way (a generator, a chmod), unless it is a test.
func (s *space) swappedAside(l *live) error {
	if l.run.Moved {
		return nil // that run can not be the final one as it is
	}
	a, _, err := s.loadAside(l.ses.ID, l.kept)
	if err != nil || a == nil {
		return err
	}
	for _, p := range l.swapped {
		if slices.Contains(a.Touched, p) && !guard.TestSide(p) {
			continue
		}
		l.aside = append(l.aside, guard.Aside{Path: p, Kind: guard.AsideSwapped})
	}
	return nil
}

// beside brings together what lies beside the tested tree, each once.
func beside(l *live) []guard.Aside {
	out := slices.Clone(l.aside)
	slices.SortFunc(out, func(x, y guard.Aside) int {
		return strings.Compare(x.Path+"\x00"+string(x.Kind), y.Path+"\x00"+string(y.Kind))
	})
	return slices.CompactFunc(out, func(x, y guard.Aside) bool { return x.Path == y.Path && x.Kind == y.Kind })
}

// present is what differs beside the tree now, without a run.
func (s *space) present(ctx context.Context, ses evidence.Session) ([]guard.Aside, error) {
	a, edited, err := s.loadAside(ses.ID, keptOf(ses))
	if edited {
		return []guard.Aside{recordEdited}, nil
	}
	if err != nil || a == nil {
		return nil, err
	}
	all, err := s.repo.Aside(ctx, guard.SkipAside)
	if err != nil {
		return nil, err
	}
	l := &live{aside: s.compareAside(ctx, a, all)} // tools are those of the server, not of whoever verifies
	return beside(l), nil
}
