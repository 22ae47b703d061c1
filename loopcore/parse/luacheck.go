package parse

import (
	"strings"

	"fixloop/loopcore"
)

// luacheck reads luacheck's default, plain, TAP and visual_studio output.
var luacheck = Reader{
	Name: "luacheck",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool {
		return l.HasAny(".lua:", ".lua(") || l.Has("Total: ") && l.Has(" warnings / ")
	},
	Read: readLuacheck,
}

func readLuacheck(l *Log, c *Claims) loopcore.Report {
	const me = "luacheck"
	var r loopcore.Report
	total, told := 0, false
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if n, ok := luacheckTotal(line); ok {
			total, told = total+n, true
			if r.Status == "" {
				r.Status = loopcore.StatusPass
			}
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := luacheckQuiet(l, i); ok {
			r.Failures = append(r.Failures, f)
			c.Take(me, i, i+1)
			continue
		}
		if rest, ok := strings.CutPrefix(line, "not ok "); ok {
			_, rest = number(rest)
			line = strings.TrimLeft(rest, " -")
		}
		// a runtime error of Lua has no column; luacheck always prints one
		d, ok := scanDiagnostic(line)
		if !ok || !strings.HasSuffix(d.file, ".lua") || d.col == 0 {
			continue
		}
		r.Failures = append(r.Failures, luacheckFailure(l, i, d))
		c.Take(me, i, i+1)
	}
	if len(r.Failures) > 0 {
		takePlan(l, c, me)
	}
	return diagnosticReport(r, total, told)
}

// luacheckQuiet reads "Checking a.lua   6 warnings" where -qq leaves it at that.
func luacheckQuiet(l *Log, i int) (loopcore.Failure, bool) {
	fields := strings.Fields(l.Lines[i])
	next := l.Line(i + 1)
	if len(fields) < 4 || fields[0] != "Checking" || !strings.HasPrefix(fields[3], "warning") && !strings.HasPrefix(fields[3], "error") || !strings.HasPrefix(next, "Checking ") && !strings.HasPrefix(l.Line(i+2), "Total: ") {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailLint, File: l.Path(fields[1]), Message: strings.Join(fields[2:], " "), At: l.Number(i)}, true
}

func luacheckFailure(l *Log, i int, d diagnostic) loopcore.Failure {
	f := d.failure(l, i, loopcore.FailLint)
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(f.Message, "("), ")"); ok && strings.HasPrefix(f.Message, "(") && codeLike(inner) {
		f.Rule, f.Message = inner, strings.TrimSpace(rest)
	} else if text, code := takeCode(f.Message); code != "" {
		f.Rule, f.Message = code, text
	}
	if f.Rule == "E011" || strings.HasPrefix(f.Message, "expected ") || strings.HasPrefix(f.Message, "unexpected ") || strings.HasPrefix(f.Message, "unfinished ") {
		f.Kind = loopcore.FailCompile
	}
	return f
}

// luacheckTotal reads "Total: 9 warnings / 0 errors in 1 file".
func luacheckTotal(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "Total: ")
	n, rest := number(rest)
	if !ok || !strings.HasPrefix(rest, " warning") {
		return 0, false
	}
	_, rest, ok = strings.Cut(rest, " / ")
	m, _ := number(rest)
	return n + m, ok
}
