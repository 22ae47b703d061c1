package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/loopcore/parse"
	"fixloop/server/internal/gitrepo"
)

// pageSize is how many failures one answer of parse_failures holds unless the
// caller says otherwise.
const pageSize = 50

// ParseFailures reads failures out of a run, a text or a file.
func (e *Engine) ParseFailures(ctx context.Context, c contract.Caller, in contract.ParseFailuresIn) (contract.ParseFailuresOut, error) {
	var out contract.ParseFailuresOut
	given := 0
	for _, s := range []string{in.Run, in.Text, in.Path} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return out, loopcore.Refuse(loopcore.CodeInvalidArgument, "pass exactly one of run, text and path", "%d of run, text and path are given", given)
	}
	reader, err := format("format", in.Format)
	if err != nil {
		return out, err
	}
	if in.Text != "" {
		// A text needs no repository; with one its frames are told apart better.
		pin := parse.Input{Format: reader}
		if s, err := e.at(ctx, c, in.Repo); err == nil {
			pin.Root, pin.Top = s.sources(), s.repo.Top()
		}
		exit(&pin, in.ExitCode)
		rep, err := readInput(strings.NewReader(in.Text), "text", pin)
		if err != nil {
			return out, err
		}
		return page(rep, int64(len(in.Text)), pin, in)
	}
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	if in.Path != "" {
		return s.parseFile(in)
	}
	return s.parseRun(in)
}

// format is the reader of that name, given as the argument arg; "" and auto
// recognise the output.
func format(arg, name string) (string, error) {
	known := []string{"auto"}
	for _, r := range parse.Readers {
		if r.Name == name {
			return name, nil
		}
		known = append(known, r.Name)
	}
	if name == "" || name == "auto" {
		return "", nil
	}
	slices.Sort(known)
	return "", loopcore.Refuse(loopcore.CodeInvalidArgument, "leave it out, or use one of "+strings.Join(known, ", "), "%s %q is unknown", arg, loopcore.CleanLine(name, 60))
}

func exit(in *parse.Input, code *int) {
	if code != nil {
		in.Exit, in.HasExit = *code, true
	}
}

// parseFile reads a log or a report inside the work tree or the state folder.
func (s *space) parseFile(in contract.ParseFailuresIn) (contract.ParseFailuresOut, error) {
	var out contract.ParseFailuresOut
	path, err := s.readable(in.Path)
	if err != nil {
		return out, err
	}
	info, err := os.Stat(path) // before it is opened: a pipe would not let go
	if err != nil {
		return out, notFound(in.Path, err)
	}
	if !info.Mode().IsRegular() {
		return out, loopcore.Refuse(loopcore.CodeNotFound, "name a log or a report file", "%s is not a regular file", in.Path)
	}
	f, err := os.Open(path)
	if err != nil {
		return out, notFound(in.Path, err)
	}
	defer f.Close()
	reader, err := format("format", in.Format)
	if err != nil {
		return out, err
	}
	pin := parse.Input{Root: s.sources(), Top: s.repo.Top(), Format: reader}
	exit(&pin, in.ExitCode)
	rep, err := readInput(f, filepath.Base(path), pin)
	if err != nil {
		return out, notFound(in.Path, err)
	}
	return page(rep, info.Size(), pin, in)
}

func notFound(path string, err error) error {
	return loopcore.Refuse(loopcore.CodeNotFound, "check the path and its permissions", "%s can not be read: %w", loopcore.CleanLine(path, 200), err)
}

// readable resolves a path in the work tree or in this tree's state folder.
func (s *space) readable(path string) (string, error) {
	if filepath.IsAbs(path) {
		real := path
		if r, err := filepath.EvalSymlinks(path); err == nil {
			real = r
		}
		if rel, err := filepath.Rel(filepath.Join(s.dir, "sessions"), real); err == nil && filepath.IsLocal(rel) {
			return real, nil
		}
	}
	rel, err := s.inside(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.repo.Top(), filepath.FromSlash(rel)), nil
}

// ended is a run that proves something: one under way, cancelled or interrupted
// is refused, since nothing counted reads like nothing failed.
func (s *space) ended(id string) (evidence.Run, error) {
	r, err := s.db.Run(id)
	switch {
	case err != nil || r.Status == evidence.RunDone:
		return r, err
	case r.Status == evidence.RunRunning:
		return r, loopcore.Refuse(loopcore.CodeBusy, fmt.Sprintf("wait for it: run_gate with run: %q", id), "run %s is under way", id)
	}
	return r, loopcore.Refuse(loopcore.CodeNoRun, "call run_gate again", "run %s was %s: it proves nothing", id, r.Status)
}

// parseRun shows what a run of the gate recorded.
func (s *space) parseRun(in contract.ParseFailuresIn) (contract.ParseFailuresOut, error) {
	r, err := s.ended(in.Run)
	if err != nil {
		return contract.ParseFailuresOut{}, err
	}
	rep := loopcore.Report{Runner: r.Runner, Kind: loopcore.KindTest, Counts: r.Counts, Failures: r.Failures, Status: status(r), Tests: r.Tests, Counted: true}
	var size int64
	for _, st := range r.Steps {
		rep.Killed = append(rep.Killed, st.Killed...)
		size += st.LogBytes
		if st.Status != loopcore.StepPass && st.Status != loopcore.StepSkipped {
			rep.Kind = st.Kind
		}
	}
	return page(rep, size, parse.Input{Root: s.sources()}, in)
}

func status(r evidence.Run) loopcore.ReportStatus {
	switch r.Verdict {
	case loopcore.VerdictBuildError:
		return loopcore.StatusBuildError
	case loopcore.VerdictKilled:
		return loopcore.StatusKilled
	case loopcore.VerdictNoTests:
		return loopcore.StatusNoTests
	case loopcore.VerdictPass, loopcore.VerdictNeedsHuman:
		return loopcore.StatusPass
	}
	if len(r.Failures) == 0 {
		return loopcore.StatusPass
	}
	return loopcore.StatusFail
}

// page cuts a report into what one answer holds.
func page(rep loopcore.Report, size int64, pin parse.Input, in contract.ParseFailuresIn) (contract.ParseFailuresOut, error) {
	fs := slices.DeleteFunc(slices.Clone(rep.Failures), func(f loopcore.Failure) bool { return f.Optional })
	out := contract.ParseFailuresOut{Runner: rep.Runner, Kind: rep.Kind, Status: rep.Status, Counts: rep.Counts,
		Failures: []loopcore.Failure{}, FailuresTotal: len(fs), Fault: rep.Fault,
		Clusters: []loopcore.Cluster{}, SkippedModules: []string{}, Killed: []loopcore.Killed{}, Notes: []string{}, BytesIn: size, Confidence: "high"}
	if rep.Fallback {
		out.Confidence = "low"
	}
	if note := rep.UnreadNote(); note != "" {
		out.Notes = append(out.Notes, note)
	}
	out.Killed = append(out.Killed, rep.Killed...)
	from := 0
	if in.Cursor != "" {
		n, err := strconv.Atoi(in.Cursor)
		if err != nil || n < 0 || n > len(fs) {
			return out, loopcore.Refuse(loopcore.CodeInvalidArgument, "pass next_cursor of the answer before, with the same input", "cursor %q is not of this report", loopcore.CleanLine(in.Cursor, 40))
		}
		from = n
	}
	limit := in.Limit
	if limit == 0 {
		limit = pageSize
	}
	to := min(len(fs), from+limit)
	out.Failures = append(out.Failures, fs[from:to]...)
	if to < len(fs) {
		out.NextCursor = strconv.Itoa(to)
	}
	out.Clusters = append(out.Clusters, parse.Clusters(rep, pin.Root)...)
	if len(out.Clusters) > 5 && in.Limit != everything {
		for _, c := range out.Clusters[5:] {
			if m := c.Module; m != "" && !slices.Contains(out.SkippedModules, m) {
				out.SkippedModules = append(out.SkippedModules, m)
			}
		}
		out.Clusters = out.Clusters[:5]
	}
	return out, nil
}

// everything as a limit is for programs: all failures and clusters at once.
const everything = 1 << 30

// places are where verifiers leave their evidence, in a repository.
var places = []string{".fixloop/evidence.json", ".paqad/session/verification-evidence.json", "verification-evidence.json"}

// LoadFailures reads a verifier's evidence file and checks every row.
func (e *Engine) LoadFailures(ctx context.Context, c contract.Caller, in contract.LoadFailuresIn) (contract.LoadFailuresOut, error) {
	var out contract.LoadFailuresOut
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	place, err := s.place(ctx, in.AcceptanceCriteriaPath, in.ChangedFiles, in.Session)
	if err != nil {
		return out, err
	}
	path, l, err := s.load(in.EvidencePath, place)
	if err != nil {
		return out, err
	}
	out = contract.LoadFailuresOut{SchemaVersion: l.SchemaVersion, OverallStatus: l.OverallStatus, EvidencePath: path, Rows: []contract.Row{},
		RowsTotal: len(l.Rows), Warnings: []string{}}
	out.Warnings = append(out.Warnings, l.Warnings...)
	from := 0
	if in.Cursor != "" {
		if from, err = strconv.Atoi(in.Cursor); err != nil || from < 0 || from > len(l.Rows) {
			return out, loopcore.Refuse(loopcore.CodeInvalidArgument, "pass next_cursor of the answer before", "cursor %q is not of this file", loopcore.CleanLine(in.Cursor, 40))
		}
	}
	to := min(len(l.Rows), from+pageSize)
	out.Rows = append(out.Rows, l.Rows[from:to]...)
	if to < len(l.Rows) {
		out.NextCursor = strconv.Itoa(to)
	}
	return out, nil
}

// load reads the evidence file that was named, else the first at a known place.
func (s *space) load(path string, p evidence.Place) (string, evidence.Loaded, error) {
	if path == "" {
		for _, known := range append([]string{s.evidencePath()}, places...) {
			if known == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(s.repo.Top(), known)); err == nil || filepath.IsAbs(known) && exists(known) {
				path = known
				break
			}
		}
		if path == "" {
			return "", evidence.Loaded{}, loopcore.Refuse(loopcore.CodeNotFound, "run the verifier, or pass evidence_path", "no evidence file at the known places: %s", strings.Join(places, ", "))
		}
	}
	abs, err := s.readable(path)
	if err != nil {
		return path, evidence.Loaded{}, err
	}
	data, err := os.ReadFile(abs)
	if err != nil {
		return path, evidence.Loaded{}, loopcore.Refuse(loopcore.CodeNotFound, "run the verifier, or pass another evidence_path", "the evidence file %s can not be read: %w", loopcore.CleanLine(path, 200), err)
	}
	l, err := evidence.Load(data, p)
	return path, l, err
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// evidencePath is where the configuration puts evidence into the tree.
func (s *space) evidencePath() string {
	cfg, err := s.config()
	if err != nil {
		return ""
	}
	return cfg.Evidence
}

// place is the repository as rows are checked against it.
func (s *space) place(ctx context.Context, criteria string, changed []string, session string) (evidence.Place, error) {
	p := evidence.Place{Root: s.repo.Top(), Changed: changed, Read: func(path string) ([]byte, bool) {
		rel, err := s.inside(path)
		if err != nil {
			return nil, false
		}
		data, err := os.ReadFile(filepath.Join(s.repo.Top(), filepath.FromSlash(rel)))
		return data, err == nil
	}}
	if p.Changed == nil {
		if ses, err := s.session(session); err == nil {
			if tree, err := s.repo.Tree(ctx); err == nil {
				p.Changed = s.changed(ctx, ses.Tree, tree)
			}
		}
	}
	if criteria == "" {
		return p, nil
	}
	rel, err := s.inside(criteria)
	if err != nil {
		return p, err
	}
	data, err := os.ReadFile(filepath.Join(s.repo.Top(), filepath.FromSlash(rel)))
	if err != nil {
		return p, notFound(criteria, err)
	}
	p.Known, err = evidence.ParseCriteria(data)
	return p, err
}

func (s *space) changed(ctx context.Context, from, to string) []string {
	list, err := s.repo.Changes(ctx, from, to)
	if err != nil {
		return nil
	}
	out := []string{}
	for _, c := range list {
		out = append(out, c.Path)
	}
	return out
}

// ProposeFixSkeleton writes the document of fix proposals, or checks a filled one.
func (e *Engine) ProposeFixSkeleton(ctx context.Context, c contract.Caller, in contract.ProposeIn) (contract.ProposeOut, error) {
	out := contract.ProposeOut{Proposals: []contract.Proposal{}, Problems: []string{}, Warnings: []string{}}
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	place, err := s.place(ctx, in.AcceptanceCriteriaPath, in.ChangedFiles, in.Session)
	if err != nil {
		return out, err
	}
	if in.Filled != "" {
		x := evidence.Expect{Place: place}
		if in.Run != "" || in.EvidencePath != "" {
			l, _, err := s.rows(in, place)
			if err != nil {
				return out, err
			}
			x.Rows = l.Rows
		}
		out.Markdown = in.Filled
		out.Problems = append(out.Problems, evidence.CheckFilled(in.Filled, x)...)
		return out, nil
	}
	l, groups, err := s.rows(in, place)
	if err != nil {
		return out, err
	}
	if in.Run == "" && in.EvidencePath == "" {
		if err := s.lastGreen(ctx, in.Session); err != nil {
			return out, err
		}
	}
	return evidence.Skeleton(l, groups, place), nil
}

// lastGreen refuses where the session's success was of another tree: that
// nothing failed does not speak of this one.
func (s *space) lastGreen(ctx context.Context, session string) error {
	ses, err := s.session(session)
	if err != nil || ses.Open() {
		return nil
	}
	all, err := s.db.Decisions(ses.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	return s.stillGreen(ctx, ses, all[len(all)-1])
}

// rows are the failures to propose fixes for: a run's, else a verifier's, else
// the last run's. Groups are the run's clusters.
func (s *space) rows(in contract.ProposeIn, p evidence.Place) (evidence.Loaded, [][]int, error) {
	if in.Run == "" && in.EvidencePath != "" {
		_, l, err := s.load(in.EvidencePath, p)
		return l, nil, err
	}
	var r evidence.Run
	var err error
	if in.Run != "" {
		r, err = s.ended(in.Run)
	} else {
		var ses evidence.Session
		if ses, err = s.session(in.Session); err == nil {
			r, err = s.db.LastRun(ses.ID)
		}
		if err != nil {
			if _, l, lerr := s.load("", p); lerr == nil {
				return l, nil, nil
			}
		}
	}
	if err != nil {
		return evidence.Loaded{}, nil, err
	}
	l := evidence.Red(r, p)
	return l, groups(r, l), nil
}

// groups are the row numbers of each cluster of a run.
func groups(r evidence.Run, l evidence.Loaded) [][]int {
	var out [][]int
	for _, c := range r.Clusters {
		var g []int
		for _, id := range c.Failures {
			if row := l.IDs[id]; row > 0 && row <= len(l.Rows) {
				g = append(g, row)
			}
		}
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

// Log returns a piece of a step's log.
func (e *Engine) Log(ctx context.Context, c contract.Caller, run, step string, from, n int64) (contract.LogPart, error) {
	var part contract.LogPart
	s, err := e.at(ctx, c, "")
	if err != nil {
		return part, err
	}
	r, err := s.db.Run(run)
	if err != nil {
		return part, err
	}
	for _, st := range r.Steps {
		if st.Name != step {
			continue
		}
		f, err := os.Open(st.Log)
		if err != nil {
			return part, notFound(st.Log, err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return part, notFound(st.Log, err)
		}
		if part.Size = info.Size(); from < 0 {
			from = max(0, part.Size+from)
		}
		var b bytes.Buffer
		if _, err := io.CopyN(&b, io.NewSectionReader(f, from, n), n); err != nil && err != io.EOF {
			return part, notFound(st.Log, err)
		}
		part.From, part.Data = from, b.Bytes()
		return part, nil
	}
	return part, loopcore.Refuse(loopcore.CodeNotFound, "use a name from steps[]", "run %s has no step %q", run, loopcore.CleanLine(step, 60))
}

// change is one path that differs between two snapshots.
type change = gitrepo.Change

// sessionFile is a file in a session's folder.
func (s *space) sessionFile(session, name string) string {
	return filepath.Join(s.dir, "sessions", session, name)
}
