package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fixloop/loopcore"
	"fixloop/loopcore/config"
	"fixloop/loopcore/contract"
	"fixloop/loopcore/stack"
)

// asked is what detect_gate was asked with: enough to detect the same gate
// again when its token comes back, in this server or the next.
type asked struct {
	Explicit map[loopcore.Kind]string `json:"explicit"`
	Policy   string                   `json:"policy"`
	Dir      string                   `json:"dir"`
}

// found is a detected gate and what binds it.
type found struct {
	asked  asked
	gate   loopcore.Gate
	policy loopcore.Policy
	cfg    config.Config
	head   string
	branch string
	token  string
	before []loopcore.Finding // what was weakened since the last loop, see sinceLast
}

// DetectGate finds the gate. Nothing is executed.
func (e *Engine) DetectGate(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error) {
	var out contract.DetectGateOut
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return out, err
	}
	f, err := s.detect(ctx, asked{Explicit: explicit(in), Policy: in.Policy, Dir: s.relative(c, in.Repo)})
	if err != nil {
		return out, err
	}
	dirty, err := s.uncommittedFiles(ctx, f.cfg)
	if err != nil {
		return out, err
	}
	if len(f.gate.Steps) == 0 {
		f.token = "" // there is nothing that a person could say yes to
	} else if err := s.remember(f); err != nil {
		return out, err
	}
	f.before = s.sinceLast(ctx, f, e.cfg.Now())
	out = contract.DetectGateOut{
		Repo: s.repo.Top(), Head: f.head, Branch: f.branch, Clean: len(dirty) == 0, DirtyFiles: dirty,
		Steps: f.gate.Steps, Absent: f.gate.Absent, NeedsInput: f.gate.NeedsInput, Policy: f.policy,
		Confirmation: contract.Confirmation{Required: true, Token: f.token, Summary: f.summary()},
	}
	if cur, err := s.db.CurrentSession(); err == nil && cur.Open() {
		out.OpenSession = cur.ID
	}
	return out, nil
}

// GateInForce is the gate of the open session, which a person confirmed, with
// the commands they gave; where none is open, what DetectGate finds.
func (e *Engine) GateInForce(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error) {
	s, err := e.at(ctx, c, in.Repo)
	if err != nil {
		return contract.DetectGateOut{}, err
	}
	cur, err := s.db.CurrentSession()
	if err != nil || !cur.Open() {
		return e.DetectGate(ctx, c, in)
	}
	dirty, err := s.uncommittedFiles(ctx, keptOf(cur).Config)
	return contract.DetectGateOut{Repo: s.repo.Top(), Head: cur.Head, Branch: cur.Branch, Clean: len(dirty) == 0, DirtyFiles: dirty,
		Steps: cur.Gate.Steps, Absent: cur.Gate.Absent, NeedsInput: cur.Gate.NeedsInput, Policy: cur.Policy, OpenSession: cur.ID,
		Confirmation: contract.Confirmation{Token: cur.Confirmed}}, err
}

// Detected is DetectGate for the command line: it keeps nothing, and works in a
// folder that is no git repository, or has no commit, as well.
func (e *Engine) Detected(ctx context.Context, c contract.Caller, in contract.DetectGateIn) (contract.DetectGateOut, error) {
	out := contract.DetectGateOut{DirtyFiles: []string{}}
	repo, err := e.plainRepo(ctx, in.Repo)
	if err != nil {
		return out, err
	}
	s := &space{repo: repo}
	cfg, err := s.config()
	if err != nil {
		return out, err
	}
	name := in.Policy
	if name == "" {
		name = cfg.Policy
	}
	if out.Policy, err = loopcore.PolicyNamed(name, cfg.Presets); err != nil {
		return out, err
	}
	if out.Policy, err = out.Policy.With(cfg.Limits); err != nil {
		return out, err
	}
	if head, err := repo.Head(ctx); err == nil {
		out.Head, out.Branch = head.Commit, head.Branch
	}
	if !repo.Plain() {
		if out.DirtyFiles, err = s.uncommittedFiles(ctx, cfg); err != nil {
			return out, err
		}
		out.Clean = len(out.DirtyFiles) == 0
	}
	g := wanted(s.gate(cfg, asked{Explicit: explicit(in), Dir: s.relative(c, in.Repo)}), out.Policy)
	out.Repo, out.Steps, out.Absent, out.NeedsInput = repo.Top(), g.Steps, g.Absent, g.NeedsInput
	return out, nil
}

// gate asks the detection.
func (s *space) gate(cfg config.Config, a asked) loopcore.Gate {
	return stack.Detect(stack.Input{
		FS: os.DirFS(s.repo.Top()), Dir: a.Dir, Explicit: a.Explicit, Config: configured(cfg),
		Look: func(name string) bool { _, err := exec.LookPath(name); return err == nil },
	})
}

func explicit(in contract.DetectGateIn) map[loopcore.Kind]string {
	m := map[loopcore.Kind]string{}
	for k, v := range map[loopcore.Kind]string{loopcore.KindTest: in.TestCommand, loopcore.KindLint: in.LintCommand,
		loopcore.KindTypecheck: in.TypecheckCommand, loopcore.KindBuild: in.BuildCommand} {
		if strings.TrimSpace(v) != "" {
			m[k] = v
		}
	}
	return m
}

// relative is the folder asked about, relative to the top.
func (s *space) relative(c contract.Caller, dir string) string {
	if dir == "" {
		return "."
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Cwd, dir)
	}
	rel, err := s.inside(dir)
	if err != nil {
		return "."
	}
	return rel
}

// detect finds gate and policy, and binds them to HEAD in a token.
func (s *space) detect(ctx context.Context, a asked) (found, error) {
	f := found{asked: a}
	head, err := s.repo.Head(ctx)
	if err != nil {
		return f, err
	}
	if _, gone := os.Lstat(filepath.Join(s.repo.Top(), ".git")); gone != nil {
		return f, loopcore.Refuse(loopcore.CodeNotARepository, "bring it back first; the snapshots are safe elsewhere: `fixloop checkpoints` lists them",
			"the .git of %s is gone", s.repo.Top())
	}
	if head.Unborn || head.Commit == "" {
		return f, loopcore.Refuse(loopcore.CodeNoHead, "commit once, so that there is something to compare with", "%s has no commit yet", s.repo.Top())
	}
	f.head, f.branch = head.Commit, head.Branch
	if f.cfg, err = s.config(); err != nil {
		return f, err
	}
	name := a.Policy
	if name == "" {
		name = f.cfg.Policy
	}
	if f.policy, err = loopcore.PolicyNamed(name, f.cfg.Presets); err != nil {
		return f, err
	}
	if f.policy, err = f.policy.With(f.cfg.Limits); err != nil {
		return f, err
	}
	f.gate = wanted(s.gate(f.cfg, a), f.policy)
	if err := legible(f.gate); err != nil {
		return f, err
	}
	f.token = f.bind()
	return f, nil
}

// legible refuses a command that a person could not read as it will run.
func legible(g loopcore.Gate) error {
	for _, st := range g.Steps {
		for _, text := range []string{st.Command, st.Dir} {
			if r := loopcore.FirstHidden(text); r >= 0 {
				return loopcore.Refuse(loopcore.CodeInvalidArgument, "remove the character, or pass the command explicitly",
					"step %s (from %s) holds the character %U, which nobody sees: what is confirmed must be what runs", st.Name, cmp.Or(st.Source.File, st.Source.Kind), r)
			}
		}
	}
	return nil
}

// configured hands the gate section on to the detection.
func configured(c config.Config) *stack.ConfigGate {
	g := &stack.ConfigGate{File: config.File, Steps: map[loopcore.Kind][]loopcore.Step{}, Absent: map[loopcore.Kind]string{}}
	for _, s := range c.Steps {
		g.Steps[s.Kind] = append(g.Steps[s.Kind], s)
	}
	for _, k := range c.Off {
		g.Absent[k] = config.File + " says it does not exist"
	}
	return g
}

// wanted leaves out the kinds that the policy does not run, and says so.
func wanted(g loopcore.Gate, p loopcore.Policy) loopcore.Gate {
	dropped := map[loopcore.Kind]bool{}
	g.Steps = slices.DeleteFunc(g.Steps, func(s loopcore.Step) bool {
		if !p.Wants(s.Kind) {
			dropped[s.Kind] = true
			return true
		}
		return false
	})
	for _, k := range loopcore.Kinds {
		if dropped[k] {
			g.Absent = append(g.Absent, loopcore.Absent{Name: string(k), Why: fmt.Sprintf("the policy %s does not run it", p.Name)})
		}
	}
	slices.SortStableFunc(g.Steps, func(a, b loopcore.Step) int {
		return slices.Index(loopcore.Kinds, a.Kind) - slices.Index(loopcore.Kinds, b.Kind)
	})
	return g
}

// bind is the token: a digest of the exact steps, HEAD, the policy, and the
// settings, which say what is protected, judged and committed.
func (f found) bind() string {
	type line struct {
		Name, Kind, Command, Dir string
		Env                      map[string]string
	}
	var lines []line
	for _, s := range f.gate.Steps {
		lines = append(lines, line{s.Name, string(s.Kind), s.Command, s.Dir, s.Env})
	}
	data, _ := json.Marshal([]any{lines, f.head, f.policy, f.cfg, f.writes()})
	sum := sha256.Sum256(data)
	return "gate-" + hex.EncodeToString(sum[:8])
}

// summary is what a person confirms.
func (f found) summary() string {
	if len(f.gate.Steps) == 0 {
		return "fixloop found no command of a gate: instructions, scripts, CI, manifests and test files name none. Which command runs the tests?"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "fixloop will run these commands, again and again, until all exit 0 in one run:\n")
	for _, s := range f.gate.Steps {
		where := ""
		if s.Dir != "." && s.Dir != "" {
			where = " in " + s.Dir
		}
		fmt.Fprintf(&b, "  %-10s %s%s   (%s)\n", s.Name, loopcore.CleanLine(s.Command, 300), where, source(s.Source))
		for _, w := range s.Warnings {
			fmt.Fprintf(&b, "             note: %s\n", loopcore.CleanLine(w, 300))
		}
	}
	fmt.Fprintf(&b, "Policy %s: at most %d iterations. %s; work is snapshotted outside the repository, %s.", f.policy.Name, f.policy.MaxIterations, f.freezes(), f.writes())
	b.WriteString(warning(f.before))
	return b.String()
}

// freezes says which edits of tests the guard takes.
func (f found) freezes() string {
	if f.cfg.Tests == "no-weaken" {
		return "Tests may be edited, but not weakened"
	}
	return "Tests are frozen"
}

// writes says what the loop does to the user's own repository, for the person
// who confirms it.
func (f found) writes() string {
	if f.cfg.Checkpoints != "branch" {
		return "and nothing is committed"
	}
	on := "HEAD, which is detached"
	if f.branch != "" {
		on = "branch " + loopcore.CleanLine(f.branch, 100)
	}
	return "and each accepted checkpoint is committed on " + on + " with your git and hooks (checkpoints: branch)"
}

func source(s loopcore.Source) string {
	switch {
	case s.File == "":
		return s.Kind
	case s.Line == 0:
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// remember keeps what the token was made from, so that it can be made again.
func (s *space) remember(f found) error {
	dir := filepath.Join(s.dir, "confirm")
	data, err := json.Marshal(f.asked)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, f.token), data, 0o600)
	}
	if err != nil {
		return disk(err, dir)
	}
	return nil
}

// confirmed detects again what the token was made from and refuses one that
// does not fit what is there now.
func (s *space) confirmed(ctx context.Context, token string) (found, error) {
	stale := loopcore.Refuse(loopcore.CodeNotConfirmed, "call detect_gate, show its confirmation.summary to the user, and pass confirmation.token as confirm",
		"the confirmation token %q is unknown, or HEAD, the commands, the policy or the settings changed since", loopcore.CleanLine(token, 60))
	if token == "" || token != filepath.Base(token) {
		return found{}, stale
	}
	data, err := os.ReadFile(filepath.Join(s.dir, "confirm", token))
	if err != nil {
		return found{}, stale
	}
	var a asked
	if json.Unmarshal(data, &a) != nil {
		return found{}, stale
	}
	f, err := s.detect(ctx, a)
	if err != nil {
		return f, err
	}
	if f.token != token {
		return f, stale
	}
	return f, nil
}
