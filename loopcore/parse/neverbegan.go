package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// misuse are the words by which programs say that they were started wrongly;
// what they do not know follows.
var misuse = []string{
	"unrecognized argument", "unrecognized option", "unrecognised option", "unknown option", "unknown argument", "unknown flag",
	"unknown command", "unexpected argument", "invalid option", "invalid flag", "bad flag", "unknown/bad flag", "no such option",
	"unrecognized option found", "flag provided but not defined",
}

// misconfigured are sentences by which one tool says that it can not begin.
var misconfigured = []string{
	"unrecognized cop or department",         // RuboCop
	"unrecognized cop ",                      // RuboCop before 1.0
	" coding standard is not installed",      // PHP_CodeSniffer
	"there was a problem loading formatter:", // ESLint
	"could not read \"",                      // many a tool, of its configuration
}

// unreadable are the words by which any tool says what is wrong with its
// configuration file.
var unreadable = []string{"can't ", "cannot ", "can not ", "could not ", "couldn't ", "failed to ", "unable to ", "no such ", "not found", "does not exist",
	"doesn't exist", "invalid ", "error in ", "error reading ", "error parsing ", "error loading ", "no config", "missing "}

// absent are the words by which a program says that what it was told to work on
// is not there, or not what it takes.
var absent = []string{"no such file or directory", "file not found", "directory not found", "is not a directory", "is not a main package", "does not exist"}

// fewLines is how much a program says, at most, that never began.
const fewLines = 8

// neverBegan reports whether all that a failed run tells is that it was started
// wrongly: with an option that is not there, a configuration that can not be read.
func neverBegan(l *Log, r *loopcore.Report) bool {
	if r.Status != loopcore.StatusFail || r.Counts.Passed+r.Counts.Skipped > 0 || counting(r.Failures) != 1 || len(r.Failures) != 1 {
		return false
	}
	f := &r.Failures[0]
	if f.Line > 0 || f.Message == "" || f.Rule != "" || f.Name != "" && f.Name != l.In.Step || r.Counted && r.Counts.Failed > 0 {
		return false
	}
	few := len(l.Lines) <= fewLines
	return slices.ContainsFunc(l.Lines, func(line string) bool {
		s := strings.TrimSpace(line)
		if few && lacks(s) {
			return true
		}
		return (few || strings.Contains(f.Message, s) || strings.Contains(s, f.Message)) && refusesToBegin(s)
	})
}

// lacks reports whether a line says that a file, folder or target which it names
// is not there: `stat ./x: directory not found`, `no test target named 'x'`.
func lacks(line string) bool {
	low := strings.ToLower(line)
	text, _ := complaint(low)
	if strings.HasPrefix(text, "no ") && slices.ContainsFunc([]string{" named `", " named '", " named \""}, func(w string) bool { return strings.Contains(text, w) }) {
		return true
	}
	return text != "" && strings.ContainsAny(line, "/'`\"") && slices.ContainsFunc(absent, func(w string) bool { return strings.Contains(low, w) })
}

// refusesToBegin reports whether a line is a program's refusal to begin, and not
// a test's word on one: `invalid option: --x`, `prog: error: unknown flag '-x'`,
// `Error: cannot read config file /x`.
func refusesToBegin(line string) bool {
	text, headed := complaint(strings.ToLower(line))
	for _, w := range misuse {
		if rest, ok := strings.CutPrefix(text, w); ok && onlyNames(strings.TrimPrefix(rest, "s")) {
			return true
		}
	}
	if slices.ContainsFunc(misconfigured, func(w string) bool { return strings.Contains(text, w) }) {
		return true
	}
	return headed && (strings.Contains(text, "config file") || strings.Contains(text, "configuration file")) &&
		slices.ContainsFunc(unreadable, func(w string) bool { return strings.Contains(text, w) })
}

// complaint is what a program says behind its name and `error:`, "" if it is a
// test that says it.
func complaint(line string) (text string, headed bool) {
	if at := strings.Index(line, ": error: "); at > 0 { // python -m pytest: error: …
		line = line[at+len(": "):]
	}
	for _, p := range []string{"npm error ", "npm err! ", "error ", "[error] ", "fatal "} {
		if rest, ok := strings.CutPrefix(line, p); ok {
			line, headed = rest, true
		}
	}
	for {
		head, rest, ok := strings.Cut(line, ": ")
		if !ok || strings.ContainsAny(head, " \t") || slices.Contains(misuse, head) {
			return line, headed
		}
		if strings.Contains(head, "assert") || strings.Contains(head, "fail") || strings.Contains(head, "expect") {
			return "", false
		}
		line, headed = rest, true
	}
}

// onlyNames reports whether a text only names what was not known: behind a colon,
// in quotes, with its dashes, or as the only word.
func onlyNames(s string) bool {
	s, colon := strings.CutPrefix(s, ":")
	s = strings.TrimSpace(s)
	return s != "" && (colon || strings.ContainsRune("-'\"`<[‘“«", []rune(s)[0]) || !strings.Contains(s, " "))
}
