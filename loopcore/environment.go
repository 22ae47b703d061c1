package loopcore

import (
	"fmt"
	"strings"
)

// faults are the ways in which a machine, not the code, stops a gate. Each
// names what to install or do from the matched text.
var faults = []struct {
	re   *Expression
	what string // with %s for the first group
	dep  bool   // a missing package: counts only where the repository has none of that name
	weak bool   // a program may print it of its own: counts only as a failure's message
}{
	{Lazily(`(?m)(?:^(?:sh|dash|/bin/sh|[\w./-]+\.sh): (?:line )?\d+: ([\w./+-]+): not found|(?:^|: )([\w./+-]+): command not found)`),
		"install `%s` or put it on PATH", false, false},
	{Lazily(`(?m)^g?make(?:\[\d+\])?: ([\w./+-]+): (?:No such file or directory|Command not found)$`), "install `%s` or put it on PATH", false, false},
	{Lazily(`(?m)^(?:sh|bash|/bin/sh): (?:\d+: )?([^:\n]+): Permission denied`), "make `%s` executable", false, false},
	{Lazily(`(?m)No such file or directory: '([\w./+-]+)'$`), "install `%s` or put it on PATH", true, false},
	{Lazily(`spawn ([\w./+-]+) ENOENT`), "install `%s` or put it on PATH", false, false},
	{Lazily(`'([^'\n]+)' is not recognized as an internal or external command`), "install `%s` or put it on PATH", false, false},
	{Lazily(`(?:ModuleNotFoundError: )?No module named '?([\w.]+)'?`), "install the Python package `%s`", true, false},
	{Lazily(`(?:Cannot find (?:module|package)|Could not resolve|Failed to resolve import) ["']([^./"'][^"'\n]*)["']`),
		"install the package `%s` (run the package manager's install)", true, false},
	{Lazily(`(?:no required module provides package|cannot find module providing package) ([\w./-]+)`),
		"fetch the Go module of `%s` (go mod download)", true, false},
	{Lazily(`cannot load such file -- ([\w/-]+)`), "install the gem `%s` (bundle install)", true, false},
	{Lazily(`Could not find (?:gem '?)?([\w-]+)[^\n]*in (?:any of the sources|locally installed gems)`),
		"install the gem `%s` (bundle install)", false, false},
	{Lazily(`Failed opening required '[^'\n]*(vendor/autoload\.php)'`), "run composer install (%s is missing)", false, false},
	{Lazily(`Could not resolve dependencies for project ([\w.:-]+)`), "let Maven fetch the dependencies of %s once with network access", false, false},
	{Lazily(`(Detected (?:Maven|JDK) [^\n]{0,200}? is not in the allowed range [^\s]*[\])])`),
		"install the version that the build asks for (%s)", false, false},
	{Lazily(`((?:Your Ruby version is \S+, but your Gemfile specified|rustc \S+ is not supported by|go\.mod requires go >= )[^\n]{0,60})`),
		"install the version that the project asks for (%s)", false, false},
	{Lazily(`(?i)(no space left on device|disk quota exceeded|ENOSPC)`), "free disk space (%s)", false, false},
	{Lazily(`(?m)^\s*(?:fatal|error|go|npm (?:ERR!|error)|curl|warning: spurious network error)\b[^\n]*?((?i:could not resolve host|` +
		`getaddrinfo ENOTFOUND|lookup [\w.-]+[^\n]{0,40}: no such host|failed to connect to|network is unreachable)[^\n]{0,60})`),
		"give the gate network access, or fetch beforehand what it downloads (%s)", false, false},
	{Lazily(`(ECONNREFUSED[^\n]{0,60}|[Cc]onnection refused[^\n]{0,60})`), "start the service that the tests connect to (%s)", false, true},
}

// cannotRunRE is a wrapper's word that a command below it ended with 126 or 127.
var cannotRunRE = Lazily(`\b(?:Error|exit code|exit status|code) 12[67]\b`)

// Fault returns what to install or do when a failed step failed because of the
// machine: its command does not exist (exit 126, 127), or every failure it
// reported is of that kind. own reports whether the repository itself has a
// module of that name, which makes a missing import the code's fault.
// "" means the code is to blame.
func Fault(r StepResult, tail string, own func(module string) bool) string {
	if r.Exit == 0 && r.Exited || !r.Ran {
		return ""
	}
	if r.Exited && (r.Exit == 126 || r.Exit == 127) {
		if what := fault(tail, own, false); what != "" {
			return what
		}
		return fmt.Sprintf("the command `%s` can not be run here (exit %d): install it or put it on PATH", r.Step.Command, r.Exit)
	}
	if len(r.Report.Failures) == 0 || r.Report.Fallback {
		return fault(tail, own, false)
	}
	first := ""
	for _, f := range r.Report.Failures {
		if f.Optional {
			continue
		}
		what := fault(f.Message+"\n"+f.Detail, own, true)
		if what == "" && cannotRunRE.MatchString(f.Message) {
			what = fault(tail, own, false)
		}
		if what == "" {
			return ""
		}
		if first == "" {
			first = what
		}
	}
	return first
}

func fault(text string, own func(string) bool, message bool) string {
	for _, f := range faults {
		m := f.re.FindStringSubmatch(text)
		if m == nil || f.weak && !message {
			continue
		}
		what := firstOf(m[1:]...)
		if f.dep && own != nil && own(what) {
			continue
		}
		return strings.TrimSpace(fmt.Sprintf(f.what, what))
	}
	return ""
}
