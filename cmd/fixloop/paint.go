package main

import (
	"fmt"

	"fixloop/loopcore"
)

// paint colours words on a terminal, and leaves them alone elsewhere.
type paint bool

func (a *app) paint() paint { return paint(terminal(a.out)) }

func (p paint) in(code int, s string) string {
	if !p {
		return s
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, s)
}

func (p paint) red(s string) string    { return p.in(31, s) }
func (p paint) green(s string) string  { return p.in(32, s) }
func (p paint) yellow(s string) string { return p.in(33, s) }
func (p paint) bold(s string) string   { return p.in(1, s) }
func (p paint) dim(s string) string    { return p.in(2, s) }

func (p paint) status(s loopcore.StepStatus) string {
	text := fmt.Sprintf("%-8s", s)
	switch s {
	case loopcore.StepPass:
		return p.green(text)
	case loopcore.StepSkipped, loopcore.StepAbsent:
		return p.dim(text)
	case loopcore.StepKilled, loopcore.StepTimeout, loopcore.StepBroken:
		return p.yellow(text)
	}
	return p.red(text)
}

// failures prints failures grouped by their cause; file:line stands first, so
// that a terminal makes it a link.
func (a *app) failures(fs []loopcore.Failure, clusters []loopcore.Cluster) {
	p := a.paint()
	by := map[string]loopcore.Failure{}
	for _, f := range fs {
		by[f.ID] = f
	}
	shown := map[string]bool{}
	line := func(f loopcore.Failure) {
		place := f.File
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		if f.Column > 0 {
			place += fmt.Sprintf(":%d", f.Column)
		}
		name := f.Name
		if f.Suite != "" && name != "" {
			name = f.Suite + " > " + name
		}
		if f.Rule != "" {
			name += p.dim(" [" + f.Rule + "]")
		}
		a.printf("  %s  %s\n", p.bold(place), name)
		a.printf("      %s\n", f.Message)
		shown[f.ID] = true
	}
	for _, c := range clusters {
		if len(c.Failures) < 2 {
			continue
		}
		a.printf("%s %s\n", p.red(fmt.Sprintf("%d failures:", len(c.Failures))), c.Cause)
		for _, id := range c.Failures {
			if f, ok := by[id]; ok && !shown[id] {
				line(f)
			}
		}
	}
	rest := 0
	for _, f := range fs {
		if !shown[f.ID] {
			if rest == 0 && len(shown) > 0 {
				a.printf("%s\n", p.red("others:"))
			}
			rest++
			line(f)
		}
	}
}
