package parse

import (
	"strings"

	"fixloop/loopcore"
)

// rustc reads rustc, cargo build/check and clippy, in the full and the short
// format.
var rustc = Reader{
	Name: "rustc",
	Kind: loopcore.KindBuild,
	Spot: func(l *Log) bool {
		return (l.HasAny("error[E", "could not compile `", ": error: ", "could not parse ", " --> ") || l.HasLine("error: ")) && l.HasAny(".rs", "Cargo.toml", "could not compile `", "cargo", "crates.io")
	},
	Read: readRustc,
}

func readRustc(l *Log, c *Claims) loopcore.Report {
	const me = "rustc"
	var r loopcore.Report
	total, told := 0, false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) || line == "" {
			continue
		}
		if n, ok := cargoTotal(line); ok {
			total, told = max(total, n), true // each target repeats the library's
			c.Take(me, i, i+1)
			continue
		}
		f, end, ok := rustDiagnostic(l, i)
		if !ok {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
		i = end - 1
	}
	r.Failures = errorsOnly(r.Failures)
	r = diagnosticReport(r, 0, false)
	if told && total > r.Counts.Errors && !l.Has(`{"reason":"compiler-`) {
		r.Counts, r.Counted = loopcore.Counts{Errors: total}, true
	}
	return r
}

// rustDiagnostic reads the diagnostic that begins on line i, and where it ends.
func rustDiagnostic(l *Log, i int) (loopcore.Failure, int, bool) {
	line := l.Lines[i]
	if d, ok := scanDiagnostic(line); ok && strings.HasSuffix(d.file, ".rs") && indent(line) == 0 {
		return rustShort(l, i, d)
	}
	sev, text := scanSeverity(line)
	if indent(line) > 0 || text == "" || sev != "error" && sev != "warning" {
		return loopcore.Failure{}, 0, false
	}
	text, code := rustCode(text)
	f := loopcore.Failure{Kind: loopcore.FailCompile, Message: text, Rule: code, At: l.Number(i), Optional: sev == "warning"}
	end := rustBlock(l, i+1, &f)
	if f.File == "" {
		return cargoError(l, i, f, end)
	}
	if f.Kind == loopcore.FailCompile && f.Optional {
		f.Kind = loopcore.FailLint
	}
	return f, end, true
}

// rustShort reads "src/lib.rs:3:5: error[E0308]: mismatched types: …".
func rustShort(l *Log, i int, d diagnostic) (loopcore.Failure, int, bool) {
	if d.severity != "error" && d.severity != "warning" {
		return loopcore.Failure{}, 0, false
	}
	f := d.failure(l, i, loopcore.FailCompile)
	f.Message, f.Rule = rustCode(d.text)
	f.Optional = d.severity == "warning"
	if f.Optional || f.Rule == "" && (strings.Contains(l.In.Command, "clippy") || !rustSyntax(f.Message)) {
		f.Kind = loopcore.FailLint
	}
	return f, i + 1, true
}

// rustCode splits "[E0308]: text".
func rustCode(s string) (text, code string) {
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(s, "["), "]"); ok && strings.HasPrefix(s, "[") && ruleLike(inner) {
		return strings.TrimLeft(rest, ": "), inner
	}
	return s, ""
}

// rustSyntax tells errors without a code that stop a compilation from lints,
// which have none either: by the compiler's own words for them.
func rustSyntax(msg string) bool {
	for _, w := range []string{
		"expected ", "unexpected ", "unknown ", "cannot ", "can't ", "couldn't ", "could not ", "unterminated ", "mismatched ",
		"this file contains", "missing ", "invalid ",
		"unresolved ", "macro ", "no rules expected", "linking ", "environment variable", "found ", "unclosed ", "incorrect ", "failed to ",
		"aborting ", "lifetime may", "malformed ", "format argument",
	} {
		if strings.HasPrefix(msg, w) {
			return true
		}
	}
	return false
}

// rustBlock reads the lines under a diagnostic's text: the first arrow is its
// place, the notes tell a lint from an error.
func rustBlock(l *Log, i int, f *loopcore.Failure) int {
	for n := 0; i < len(l.Lines) && n < 400; i, n = i+1, n+1 {
		s := l.Lines[i]
		if s == "" {
			return i
		}
		t := strings.TrimLeft(s, " ")
		if d, ok := arrowPosition(t); ok && f.File == "" && strings.HasPrefix(t, "--> ") {
			f.File, f.Line, f.Column = l.Path(d.file), d.line, d.col
		}
		if lint, ok := rustLint(t); ok {
			f.Kind = loopcore.FailLint
			if f.Rule == "" {
				f.Rule = lint
			}
		}
		if sev, _ := scanSeverity(s); indent(s) == 0 && (sev == "error" || sev == "warning") {
			return i
		}
	}
	return i
}

// rustLint reads the note that names the lint behind a diagnostic.
func rustLint(s string) (string, bool) {
	s = strings.TrimLeft(s, "= ")
	for _, before := range []string{"note: `-D ", "note: `#[deny(", "note: `#[warn(", "note: `-W ", "note: `#[forbid(",
		"note: requested on the command line with `-D ", "note: requested on the command line with `-W ", "note: `-F "} {
		if rest, ok := strings.CutPrefix(s, before); ok {
			lint, _, _ := cutAny(rest, "`", ")")
			return strings.ReplaceAll(lint, "-", "_"), true
		}
	}
	return "", strings.Contains(s, "rust-lang.github.io/rust-clippy/")
}

// cargoError reads an error without a place: cargo's own, and the summaries
// that are none.
func cargoError(l *Log, i int, f loopcore.Failure, end int) (loopcore.Failure, int, bool) {
	for _, w := range []string{"could not compile ", "aborting due to ", "build failed", "test failed", "doctest failed", "process didn't exit", "recipe ", "Recipe ", "command `"} {
		if strings.HasPrefix(f.Message, w) {
			return f, 0, false
		}
	}
	if f.Optional || !l.HasAny("Cargo.toml", "cargo", "rustc ", "Compiling ", "rustup", "crate", ".rs`") {
		return f, 0, false
	}
	f.Detail = detail(l, i, end+6)
	for j := i + 1; j < min(end+8, len(l.Lines)); j++ {
		if d, ok := arrowPosition(l.Lines[j]); ok {
			f.File, f.Line, f.Column = l.Path(d.file), d.line, d.col
			break
		}
	}
	return f, end, true
}

// cargoTotal reads "error: could not compile `x` (lib) due to 3 previous errors".
func cargoTotal(line string) (int, bool) {
	if !strings.HasPrefix(line, "error: could not compile `") {
		return 0, false
	}
	_, rest, ok := strings.Cut(line, " due to ")
	if !ok {
		return 0, strings.Contains(line, "could not compile")
	}
	if strings.HasPrefix(rest, "previous error") {
		return 1, true
	}
	n, _ := number(rest)
	return n, true
}
