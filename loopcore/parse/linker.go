package parse

import (
	"strings"

	"fixloop/loopcore"
)

// linker reads the errors of ld, gold, lld, mold and Apple's ld.
var linker = Reader{
	Name: "ld",
	Kind: loopcore.KindBuild,
	Spot: func(l *Log) bool {
		return l.HasAny("undefined reference to ", "multiple definition of ", "ld returned ", "ld: ", "undefined symbol: ", "Undefined symbols for architecture", "linker command failed", "LNK2019", "LNK1120", "LNK2001")
	},
	Read: readLinker,
}

// linkerFaults are what a linker says of a symbol or a library.
var linkerFaults = []string{
	"undefined reference to ", "multiple definition of ", "undefined symbol: ", "duplicate symbol: ", "cannot find -l", "cannot find ",
	"library not found for ", "unresolved external symbol ", "duplicate symbol ",
	"DSO missing from command line", "relocation ", "cannot open ",
}

func readLinker(l *Log, c *Claims) loopcore.Report {
	const me = "ld"
	var r loopcore.Report
	last := -1
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		switch {
		case strings.Contains(line, "ld returned ") || strings.Contains(line, "linker command failed"):
			last = i
			c.Take(me, i, i+1)
		case strings.HasPrefix(line, "Undefined symbols for architecture"):
			r.Failures = append(r.Failures, appleSymbols(l, i)...)
			c.Take(me, i, i+1)
		default:
			if f, ok := linkerFault(l, i); ok {
				r.Failures = append(r.Failures, f)
				c.Take(me, i, i+1)
			}
		}
	}
	if len(r.Failures) == 0 && last >= 0 {
		r.Failures = append(r.Failures, loopcore.Failure{Kind: loopcore.FailCompile, Message: l.Lines[last], At: l.Number(last)})
	}
	return diagnosticReport(r, 0, false)
}

func linkerFault(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	at, found := -1, ""
	for _, w := range linkerFaults {
		if p := strings.Index(line, w); p >= 0 && (at < 0 || p < at) {
			at, found = p, w
		}
	}
	tool := strings.Contains(line, "ld: ") || strings.Contains(line, "ld.lld: ") || strings.Contains(line, "mold: ") || strings.Contains(line, " LNK")
	if at < 0 || strings.Contains(line, "warning: ") || !tool && found != "undefined reference to " && found != "multiple definition of " {
		return loopcore.Failure{}, false
	}
	f := loopcore.Failure{Kind: loopcore.FailCompile, Message: line[at:], At: l.Number(i)}
	where := strings.TrimPrefix(line[:at], "/usr/bin/ld: ")
	if p := strings.LastIndex(where, "ld: "); p >= 0 {
		where = where[p+len("ld: "):]
	}
	if d, ok := scanDiagnostic(where); ok {
		f.File, f.Line = l.Path(d.file), d.line
	} else if file, _, ok := strings.Cut(where, ":(."); ok && gccFile(file) {
		f.File = l.Path(file)
	} else if next, ok := strings.CutPrefix(l.Line(i+1), ">>> referenced by "); ok {
		place, _, _ := strings.Cut(next, " ")
		if d, ok := scanDiagnostic(place + ": "); ok {
			f.File, f.Line = l.Path(d.file), d.line
		}
	}
	return f, true
}

// appleSymbols reads the block of Apple's linker: each symbol, then who refers to it.
func appleSymbols(l *Log, i int) []loopcore.Failure {
	var out []loopcore.Failure
	for j := i + 1; j < len(l.Lines) && indent(l.Lines[j]) > 0; j++ {
		s := strings.TrimSpace(l.Lines[j])
		if symbol, ok := strings.CutSuffix(s, ", referenced from:"); ok {
			out = append(out, loopcore.Failure{Kind: loopcore.FailCompile,
				Message: "undefined symbol " + symbol + " " + strings.TrimSpace(l.Line(j+1)), At: l.Number(j)})
		}
	}
	return out
}
