package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/evidence"
	"fixloop/server/internal/gitrepo"
)

// kept is what the engine keeps with a session beside the record itself.
type kept struct {
	Config       config.Config  `json:"config"`   // as it was at the start: a later edit of the file changes nothing
	Products     []string       `json:"products"` // what the gate makes in the tree
	Suspects     []string       `json:"suspects"` // paths that one run changed; a second makes them products
	MovedTo      string         `json:"moved_to"` // the tree that the last run left, where it is not the one it tested
	Ran          map[string]int `json:"ran"`      // most tests that a step ever executed
	ErrorContext string         `json:"error_context"`

	AsideSum string `json:"aside_sum,omitempty"` // of the record of what lies beside the tree

	Before      []loopcore.Finding `json:"before,omitempty"`      // what was weakened since the last loop
	Uncommitted []loopcore.Finding `json:"uncommitted,omitempty"` // what the uncommitted work of dirty=keep weakens
}

func keptOf(s evidence.Session) kept {
	var k kept
	if len(s.Extra) > 0 {
		_ = json.Unmarshal(s.Extra, &k) // ours; a fault leaves the defaults
	}
	if k.Config.Order == "" {
		k.Config = config.Default()
	}
	return k
}

func (s *space) keep(id string, k kept) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return s.db.KeepExtra(id, data)
}

// session returns the one that was named, else the open one, else the last.
func (s *space) session(id string) (evidence.Session, error) {
	if id != "" {
		return s.db.Session(id)
	}
	return s.db.CurrentSession()
}

// opening refuses what stands against a new session, and asks a person once.
func (s *space) opening(ctx context.Context, c contract.Caller, in contract.RunGateIn, now time.Time) (found, error) {
	token := in.Confirm
	if token == "" && !c.CanAsk {
		return found{}, loopcore.Refuse(loopcore.CodeNotConfirmed, "call detect_gate, show its confirmation.summary to the user, and pass confirmation.token as confirm",
			"no session is open, and nobody has confirmed the gate")
	}
	var f found
	var err error
	if token != "" {
		f, err = s.confirmed(ctx, token)
	} else {
		f, err = s.detect(ctx, asked{Policy: in.Policy, Dir: "."})
	}
	if err != nil {
		return f, err
	}
	if in.Policy != "" && in.Policy != f.policy.Name {
		return f, loopcore.Refuse(loopcore.CodeNotConfirmed, fmt.Sprintf("call detect_gate with policy %q and pass its token", in.Policy),
			"the token was made for policy %q, not for %q", f.policy.Name, in.Policy)
	}
	if f.policy, err = f.policy.With(in.Limits); err != nil {
		return f, err
	}
	if len(f.gate.Steps) == 0 {
		return f, loopcore.Refuse(loopcore.CodeNoGate, "call detect_gate with test_command (and lint_command, typecheck_command, build_command where they exist)", "no command of a gate was found")
	}
	if err := s.clean(ctx, f.cfg, in.Dirty); err != nil {
		return f, err
	}
	f.before = s.sinceLast(ctx, f, now)
	if c.CanAsk && !c.Answer.Accepts(contract.AskGate, f.token) {
		if err := s.remember(f); err != nil { // the answer comes back as this token
			return f, err
		}
		return f, &contract.Ask{Kind: contract.AskGate, Question: f.summary(), Token: f.token, Code: string(loopcore.CodeNotConfirmed),
			Without: "a person has not confirmed the gate", Hint: "ask the user what the gate should be, then call detect_gate with explicit commands"}
	}
	return f, nil
}

// clean refuses uncommitted work unless it is to be kept as the start.
func (s *space) clean(ctx context.Context, cfg config.Config, dirty string) error {
	if err := s.ownEvidence(ctx, cfg); err != nil || dirty == "keep" {
		return err
	}
	files, err := s.uncommittedFiles(ctx, cfg)
	if err != nil || len(files) == 0 {
		return err
	}
	shown := files
	if len(shown) > 20 {
		shown = append(slices.Clone(shown[:20]), fmt.Sprintf("and %d more", len(files)-20))
	}
	for i, f := range shown {
		shown[i] = loopcore.CleanLine(f, 200)
	}
	return loopcore.Refuse(loopcore.CodeDirtyTree, "commit or stash them first, or ask the user whether to pass dirty=keep, which snapshots them and makes them what a rollback returns to",
		"%d uncommitted %s would be mixed with the loop's: %s", len(files), plural(len(files), "file", "files"), strings.Join(shown, ", "))
}

// uncommittedFiles are the uncommitted files and folders, but for the evidence
// that fixloop itself writes into the tree.
func (s *space) uncommittedFiles(ctx context.Context, cfg config.Config) ([]string, error) {
	files, err := s.repo.Dirty(ctx)
	if cfg.Evidence == "" {
		return files, err
	}
	return slices.DeleteFunc(files, func(f string) bool {
		return f == cfg.Evidence || strings.HasSuffix(f, "/") && strings.HasPrefix(cfg.Evidence, f) && s.holdsOnly(f, cfg.Evidence)
	}), err
}

// holdsOnly reports whether a file is all that is below a folder of the tree.
func (s *space) holdsOnly(dir, file string) bool {
	only := true
	err := fs.WalkDir(os.DirFS(s.repo.Top()), strings.TrimSuffix(dir, "/"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && p != file {
			only = false
			return fs.SkipAll
		}
		return err
	})
	return err == nil && only
}

// ownEvidence refuses a place for the evidence that is not fixloop's to write:
// what git tracks (each run would change what is tested), git's own folder, what
// lies behind a link, and a file of somebody else's.
func (s *space) ownEvidence(ctx context.Context, cfg config.Config) error {
	if cfg.Evidence == "" {
		return nil
	}
	refuse := func(why string) error {
		return loopcore.Refuse(loopcore.CodeBadConfig, "name a file of its own for it, ignored by git, such as .fixloop/evidence.json", "evidence: %s %s", cfg.Evidence, why)
	}
	parts := strings.Split(cfg.Evidence, "/")
	for i, part := range parts {
		if strings.EqualFold(part, ".git") {
			return refuse("is in git's own folder")
		}
		at := filepath.Join(s.repo.Top(), filepath.FromSlash(strings.Join(parts[:i+1], "/")))
		st, err := os.Lstat(at)
		switch last := i == len(parts)-1; {
		case err != nil: // made when it is written
		case st.Mode()&fs.ModeSymlink != 0:
			return refuse("is a link, or behind one")
		case last && !st.Mode().IsRegular(), !last && !st.IsDir():
			return refuse("is not a file that can be written")
		case last && !writtenByUs(at):
			return refuse("is a file already, and none that fixloop wrote")
		}
	}
	tracked, err := s.repo.Tracked(ctx)
	if err == nil && tracked[cfg.Evidence] {
		return refuse("is a file that git tracks, and every run would change it")
	}
	return err
}

// writtenByUs reports whether a file is evidence as fixloop writes it.
func writtenByUs(path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var f struct {
		Schema  string          `json:"schema_version"`
		Fixloop json.RawMessage `json:"fixloop"`
	}
	return json.Unmarshal(data, &f) == nil && f.Schema != "" && len(f.Fixloop) > 0
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// open snapshots the tree as baseline and records the session.
func (s *space) open(ctx context.Context, c contract.Caller, f found, in contract.RunGateIn) (evidence.Session, error) {
	products := slices.Clone(caches)
	if f.cfg.Evidence != "" {
		products = append(products, "/"+escape(f.cfg.Evidence))
	}
	if err := s.repo.Products(ctx, products); err != nil {
		return evidence.Session{}, err
	}
	snap, err := s.repo.Snapshot(ctx, gitrepo.SnapshotOptions{Label: "baseline"})
	if err != nil {
		return evidence.Session{}, err
	}
	k := kept{Config: f.cfg, Products: products, ErrorContext: in.ErrorContext, Before: f.before}
	if in.Dirty == "keep" {
		k.Uncommitted = s.uncommitted(ctx, f)
	}
	data, err := json.Marshal(k)
	if err != nil {
		return evidence.Session{}, err
	}
	ses, err := s.db.OpenSession(evidence.Session{
		Repo: s.repo.Top(), Head: f.head, Branch: f.branch, Gate: f.gate, Policy: f.policy, Baseline: snap.ID, Tree: snap.Tree,
		Dirty: in.Dirty == "keep", Client: strings.TrimSpace(c.Client + " " + c.ClientVersion), Confirmed: f.token, Extra: data,
	})
	if err != nil {
		return ses, err
	}
	return ses, s.db.SaveCheckpoint(evidence.Checkpoint{ID: snap.ID, Session: ses.ID, Tree: snap.Tree, Kind: "baseline", RootCause: "the start"})
}

// history is the session as the decision table sees it, from finished runs.
func (s *space) history(ses evidence.Session) (loopcore.History, []evidence.Run, error) {
	var h loopcore.History
	all, err := s.db.Runs(ses.ID)
	if err != nil {
		return h, nil, err
	}
	waived, err := s.db.Waivers(ses.ID)
	if err != nil {
		return h, nil, err
	}
	var runs []evidence.Run
	for _, r := range all {
		if r.Status != evidence.RunDone {
			continue
		}
		if r, err = s.db.Run(r.ID); err != nil {
			return h, nil, err
		}
		runs = append(runs, r)
		h.Runs = append(h.Runs, facts(r, waived))
	}
	decisions, err := s.db.Decisions(ses.ID)
	if err != nil {
		return h, nil, err
	}
	changed := map[string][]string{}
	for _, r := range runs {
		changed[r.ID] = r.Changed
	}
	for _, d := range decisions {
		cause := ""
		if d.Report != nil {
			cause = d.Report.RootCause
		}
		h.Decided = append(h.Decided, loopcore.Decided{Run: d.Run, Iteration: d.Iteration, Outcome: d.Outcome, Row: d.Rule.Row,
			Accepted: d.Accepted, Escalated: d.Advice.EscalateModel, RootCause: cause, Files: changed[d.Run]})
	}
	costs, err := s.db.Iterations(ses.ID)
	if err != nil {
		return h, nil, err
	}
	for _, it := range costs {
		h.CostUSD += it.CostUSD
	}
	return h, runs, nil
}

// facts turns a finished run into what the table knows of it.
func facts(r evidence.Run, waived []loopcore.Waiver) loopcore.RunFacts {
	f := loopcore.RunFacts{ID: r.ID, Iteration: r.Iteration, Scope: r.Scope, Tree: r.Tree, TreeChanged: r.Moved, Verdict: r.Verdict,
		Failures: r.Failures, Counts: r.Counts, Tests: r.Tests, Findings: standing(r.Findings, waived), Clusters: r.Clusters}
	f.Waived = unwarned(r.Findings) - unwarned(f.Findings)
	f.Original, f.OriginalDue = r.Original.Line(), r.Original != nil && r.Original.Result == contract.OriginalDue
	for _, st := range r.Steps {
		f.Steps = append(f.Steps, loopcore.StepFacts{Name: st.Name, Kind: st.Kind, Status: st.Status})
		f.Killed = append(f.Killed, st.Killed...)
		if st.Status == loopcore.StepBroken {
			f.Missing = st.Note
		}
	}
	for _, ref := range r.Flaky {
		for _, x := range r.Failures {
			if x.ID == ref.ID {
				f.Flaky = append(f.Flaky, x.Fingerprint)
			}
		}
	}
	if was := f.Verdict; was == loopcore.VerdictViolation || was == loopcore.VerdictNeedsHuman {
		f.Verdict = without(r, f.Findings)
	}
	return f
}

// unwarned counts the findings that stand in the way.
func unwarned(fs []loopcore.Finding) int {
	n := 0
	for _, f := range fs {
		if f.Severity != loopcore.SevWarn {
			n++
		}
	}
	return n
}

// standing are the findings that nobody waived; a waiver is void when the
// change is another one.
func standing(all []loopcore.Finding, waived []loopcore.Waiver) []loopcore.Finding {
	ok := map[string]bool{}
	for _, w := range waived {
		ok[w.Finding+" "+w.Digest] = true
	}
	var out []loopcore.Finding
	for _, f := range all {
		if !ok[f.ID+" "+f.Digest] {
			out = append(out, f)
		}
	}
	return out
}

// without is the verdict of a run once some of its findings are waived.
func without(r evidence.Run, left []loopcore.Finding) loopcore.Verdict {
	if len(left) == len(r.Findings) {
		return r.Verdict
	}
	sev := map[loopcore.Severity]bool{}
	for _, f := range left {
		sev[f.Severity] = true
	}
	green := true
	for _, st := range r.Steps {
		green = green && st.Status == loopcore.StepPass
	}
	switch {
	case sev[loopcore.SevBlock]:
		return loopcore.VerdictViolation
	case !green:
		return loopcore.VerdictFail
	case sev[loopcore.SevHuman]:
		return loopcore.VerdictNeedsHuman
	}
	return loopcore.VerdictPass
}
