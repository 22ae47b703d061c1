package parse

import (
	"strings"

	"fixloop/loopcore"
)

// tsc reads the TypeScript compiler, pretty and plain, and its wrappers
// (vue-tsc, tsgo, tsc -b).
var tsc = Reader{
	Name: "tsc",
	Kind: loopcore.KindTypecheck,
	Spot: func(l *Log) bool { return l.HasAny("error TS", "warning TS", "error  TS") },
	Read: readTSC,
}

func readTSC(l *Log, c *Claims) loopcore.Report {
	const me = "tsc"
	var r loopcore.Report
	total, told := 0, false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if n, ok := tscTotal(line); ok {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		if !strings.Contains(line, " TS") && !strings.HasPrefix(line, "error TS") {
			continue
		}
		f, ok := tscDiagnostic(l, i)
		if !ok {
			continue
		}
		end := i + 1
		for end < len(l.Lines) && indent(l.Lines[end]) >= 2 && !strings.Contains(l.Lines[end], "~") && strings.TrimSpace(l.Lines[end]) != "" {
			f.Message += " " + strings.TrimSpace(l.Lines[end])
			end++
		}
		r.Failures = append(roomy(r.Failures), f)
		c.Take(me, i, continuation(l, end))
		i = end - 1
	}
	r = diagnosticReport(r, total, told)
	if r.Status == loopcore.StatusBuildError && tscTyped(r.Failures) {
		r.Status = loopcore.StatusFail
	}
	return r
}

func tscDiagnostic(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	d, ok := scanDiagnostic(line)
	if !ok {
		d = diagnostic{}
		d.severity, d.text = scanSeverity(line)
	}
	text, code := takeCode(d.text)
	if (d.severity != "error" && d.severity != "warning") || !strings.HasPrefix(code, "TS") {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailType)
	f.Message, f.Rule = text, code
	f.Optional = d.severity == "warning"
	switch n := atoi(code[2:]); {
	case n >= 1000 && n < 2000: // the parser's
		f.Kind = loopcore.FailCompile
	case (n >= 5000 && n < 7000 || n >= 18000 && n < 18010) && (f.File == "" || strings.HasSuffix(f.File, ".json")): // options and inputs
		f.Kind = loopcore.FailError
	}
	return f, true
}

// tscTyped reports whether any of the diagnostics has a place in a file.
func tscTyped(fs []loopcore.Failure) bool {
	for _, f := range fs {
		if f.File != "" {
			return true
		}
	}
	return false
}

// tscTotal reads "Found 7 errors in 2 files." and "Found 1 error in a.ts:1".
func tscTotal(line string) (int, bool) {
	at := strings.Index(line, "Found ")
	if at < 0 || at > 0 && line[0] != '[' && !strings.Contains(line[:at], " - ") {
		return 0, false
	}
	n, rest := number(line[at+len("Found "):])
	return n, strings.HasPrefix(rest, " error") && !strings.Contains(rest, "checked")
}
