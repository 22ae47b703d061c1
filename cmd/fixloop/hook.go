package main

import (
	"context"
	"encoding/json"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/stack"
	"fixloop/server/engine"
)

// hookInput is the part of what a client tells its hooks that matters here.
type hookInput struct {
	Cwd       string `json:"cwd"`
	ToolInput struct {
		FilePath     string `json:"file_path"`
		NotebookPath string `json:"notebook_path"`
	} `json:"tool_input"`
	StopHookActive bool `json:"stop_hook_active"`
}

const (
	hookTime  = 5 * time.Second // a hook that takes longer says nothing
	hookInMax = 32 << 20
	// An open session that nothing happened to for so long was forgotten, and
	// must not hold up other work in the same tree.
	forgotten = 12 * time.Hour
)

// hookEvents is the table of events.
var hookEvents = map[string]func(engine.Watch, hookInput) any{
	"pre-tool-use": preToolUse,
	"stop":         stopTurn,
}

func hookCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "hook EVENT",
		Short:     "Answer a hook of the client: pre-tool-use or stop",
		Long:      "Answer a hook of Claude Code, or of a client whose hooks are alike: JSON on stdin, JSON on stdout.\npre-tool-use refuses an edit of a test, a fixture, a snapshot or a setting of the gate while a session is open, and asks\nabout a new setting; stop keeps the agent from ending its turn while one is. No gate is run. Whatever goes wrong, it says nothing and exits 0.",
		Args:      args(cobra.ExactArgs(1)),
		ValidArgs: []string{"pre-tool-use", "stop"},
		RunE: func(cmd *cobra.Command, words []string) error {
			a.hook(cmd.Context(), words[0])
			return nil
		},
	}
}

// hook is silent where anything fails: a hook must never stand in the way of
// work that is not the loop's. The guard still judges the tree.
func (a *app) hook(ctx context.Context, event string) {
	defer func() { _ = recover() }()
	answer, ok := hookEvents[event]
	if !ok {
		return
	}
	data, err := io.ReadAll(io.LimitReader(a.in, hookInMax))
	var in hookInput
	if err != nil || json.Unmarshal(data, &in) != nil || in.StopHookActive {
		return
	}
	if in.Cwd == "" {
		in.Cwd = caller().Cwd
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	e := engine.New(engine.Config{Version: ourVersion()})
	defer e.Close()
	dir := in.Cwd
	if f := in.file(); f != "" {
		dir = filepath.Dir(f) // an agent may edit a work tree that it does not stand in
	}
	w, open, err := e.Watched(ctx, dir)
	if err != nil || !open || time.Since(w.Active) > forgotten {
		return
	}
	out := answer(w, in)
	if out == nil {
		return
	}
	text, err := json.Marshal(out)
	if err == nil {
		a.printf("%s\n", text)
	}
}

// file is the absolute path that an edit is about, "" if it is about none.
func (in hookInput) file() string {
	f := in.ToolInput.FilePath
	if f == "" {
		f = in.ToolInput.NotebookPath
	}
	if f != "" && !filepath.IsAbs(f) {
		f = filepath.Join(in.Cwd, f)
	}
	return f
}

// permission is Claude Code's answer to PreToolUse.
type permission struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"` // deny | ask
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

func preToolUse(w engine.Watch, in hookInput) any {
	f := in.file()
	if f == "" {
		return nil
	}
	rel, how := w.Protects(f)
	if how == engine.Free {
		return nil
	}
	var p permission
	p.Output.Event, p.Output.Decision = "PreToolUse", "deny"
	name := loopcore.CleanLine(rel, 300)
	p.Output.Reason = name + " is on the gate's side (a test, its data, or a setting), and frozen while fixloop session " + w.Session +
		" is open. Fix the code under test instead; new tests in new files are welcome. If the test itself is wrong, call evaluate_termination with agent_report status impossible or need_decision and say why: that is an honest way out. Only a person can waive the change (fixloop waive)."
	if how == engine.Unsettled || manifest(rel) {
		p.Output.Decision = "ask"
		p.Output.Reason = name + " says how the gate runs, and fixloop session " + w.Session + " is open. A new dependency is fine; what narrows the tests, the linter or the type checker will be found and undone."
	}
	return p
}

// manifest reports whether a file declares a project, and its dependencies with
// it: an honest fix may need to edit one, so a person is asked.
func manifest(rel string) bool {
	base := path.Base(rel)
	for _, s := range stack.Stacks {
		for _, m := range s.Markers {
			if ok, _ := path.Match(m, base); ok {
				return true
			}
		}
	}
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// block is Claude Code's answer to Stop that goes on with the turn.
type block struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

func stopTurn(w engine.Watch, _ hookInput) any {
	switch {
	case w.Running: // the client waits for the run itself
		return nil
	case w.Decided:
		return block{"block",
			"fixloop session " + w.Session + " is open and its last decision was CONTINUE: go on with it (edit, run_gate, evaluate_termination). To stop, call evaluate_termination with agent_report status need_decision, blocked or impossible, or with abort; the tree is kept."}
	}
	return block{"block",
		"fixloop session " + w.Session + " is open and its last run has no decision: call evaluate_termination. To stop, pass agent_report status need_decision, blocked or impossible, or abort; the tree is kept."}
}
