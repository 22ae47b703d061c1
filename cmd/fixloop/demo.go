package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// sample is the project that the demo repairs. The files end in .txt so that
// the go tool does not take them for a package of this module.
//
//go:embed sample/*.txt
var sample embed.FS

func demoCmd(a *app) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch a whole loop on a small sample project, over real stdio",
		Long:  "Play a coding agent against fixloop on an embedded Go project with three bugs: an honest fix, a cheat that is undone, a change that breaks more and is rolled back, and success.",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, tool := range []string{"git", "go"} {
				if _, err := exec.LookPath(tool); err != nil {
					return loopcore.Refuse(loopcore.CodeNotFound, "install it and try again", "the demo needs %s on PATH", tool)
				}
			}
			dir, err := os.MkdirTemp("", "fixloop-demo-")
			if err != nil {
				return err
			}
			if !keep {
				defer os.RemoveAll(dir)
			}
			d := &demo{app: a, p: a.paint(), dir: filepath.Join(dir, "till"), state: filepath.Join(dir, "state")}
			ctx, cancel := context.WithTimeout(cmd.Context(), 10*time.Minute)
			defer cancel()
			if err := d.play(ctx); err != nil {
				return err
			}
			if keep {
				a.printf("\nKept in %s\n", dir)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the sample project and its state")
	return c
}

// demo is one showing.
type demo struct {
	*app
	p          paint
	dir, state string
	agent      *agent
}

// attempt is one thing that the scripted agent does.
type attempt struct {
	says string              // what it is about to do
	edit func(d *demo) error // the edit
	done func(d *demo, r contract.RunGateOut, e contract.EvaluateOut) error
}

func (d *demo) play(ctx context.Context) error {
	if err := d.layOut(); err != nil {
		return err
	}
	var err error
	if d.agent, err = dial(ctx, d.dir, d.state); err != nil {
		return err
	}
	defer d.agent.close()
	d.title("A Go project with three bugs, and an agent that should fix them")
	var gate contract.DetectGateOut
	if err := d.agent.call(ctx, "detect_gate", nil, &gate); err != nil {
		return err
	}
	d.say("detect_gate", "the gate is %d commands: %s", len(gate.Steps), commands(gate.Steps))
	run, err := d.run(ctx, map[string]any{"confirm": gate.Confirmation.Token})
	if err != nil {
		return err
	}
	d.failing(run)
	for _, t := range script {
		d.title(t.says)
		if err := t.edit(d); err != nil {
			return err
		}
		if run, err = d.run(ctx, nil); err != nil {
			return err
		}
		d.failing(run)
		for _, f := range run.Guard.Findings {
			d.say("guard", "%s %s %s: %s", d.p.red(string(f.Severity)), f.Rule, place(f.File, f.Line), f.Change)
		}
		var e contract.EvaluateOut
		if err := d.agent.call(ctx, "evaluate_termination", map[string]any{"agent_report": map[string]any{"status": "fixed", "root_cause": t.says}}, &e); err != nil {
			return err
		}
		d.decided(e)
		if err := t.done(d, run, e); err != nil {
			return err
		}
	}
	return d.curtain()
}

// layOut writes the sample and commits it.
func (d *demo) layOut() error {
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "till.go", "till_test.go"} {
		data, err := sample.ReadFile("sample/" + name + ".txt")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(d.dir, name), data, 0o644); err != nil {
			return err
		}
	}
	for _, words := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "A till with bugs"}} {
		if err := d.git(words...); err != nil {
			return err
		}
	}
	return nil
}

// replace edits a file of the sample.
func (d *demo) replace(name string, pairs ...string) error {
	path := filepath.Join(d.dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(data)
	for i := 0; i+1 < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			return fmt.Errorf("the sample's %s has no %q", name, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		d.lines(d.p.red("-"), pairs[i])
		d.lines(d.p.green("+"), pairs[i+1])
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func (d *demo) holds(name, text string) bool {
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	return err == nil && strings.Contains(string(data), text)
}

// lines prints the lines of an edit behind their mark.
func (d *demo) lines(mark, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		d.printf("    %s %s\n", mark, strings.ReplaceAll(line, "\t", "    "))
	}
}

func commands(steps []loopcore.Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Command)
	}
	return strings.Join(out, ", ")
}
