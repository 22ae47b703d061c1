package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// php reads what the interpreter itself says: php -l, a parse error, a fatal
// error that ended the run.
var php = Reader{
	Name: "php",
	Kind: loopcore.KindBuild,
	Spot: func(l *Log) bool { return l.HasAny("Parse error:", "Fatal error:", "No syntax errors detected in ") },
	Read: readPHP,
}

func readPHP(l *Log, c *Claims) loopcore.Report {
	const me = "php"
	var r loopcore.Report
	for i, line := range l.Lines {
		if !c.Free(me, i) {
			continue
		}
		if strings.HasPrefix(line, "No syntax errors detected in ") {
			if r.Status == "" {
				r.Status, r.Counted = loopcore.StatusPass, true
			}
			c.Take(me, i, i+1)
			continue
		}
		f, ok := phpError(l, i)
		if !ok {
			continue
		}
		end := i + 1
		for end < len(l.Lines) && (strings.HasPrefix(l.Lines[end], "#") || strings.HasPrefix(l.Lines[end], "Stack trace:") || strings.HasPrefix(l.Lines[end], "  thrown in ")) {
			end++
		}
		if slices.ContainsFunc(l.Lines[i:end], func(t string) bool { return strings.Contains(t, "FileLoader.php(") }) { // a file of tests that PHPUnit could not load
			f.Kind = loopcore.FailCompile
		}
		c.Take(me, i, end)
		r.Failures = append(r.Failures, f)
		if f.Kind == loopcore.FailCompile {
			r.Status = loopcore.StatusBuildError
		} else if r.Status != loopcore.StatusBuildError {
			r.Status = loopcore.StatusCrash
		}
	}
	r.Failures = phpOnce(r.Failures)
	return r
}

// phpError reads "PHP Parse error:  text in src/a.php on line 2" and
// "PHP Fatal error:  Uncaught ParseError: text in /x/a.php:8".
func phpError(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	if at := strings.Index(line, "PHP "); at >= 0 && strings.Trim(line[:at], ".FEWRSI") == "" { // a row of progress ends where PHP stopped
		line = line[at+len("PHP "):]
	}
	kind := loopcore.FailCrash
	text, ok := strings.CutPrefix(line, "Fatal error:")
	if !ok {
		if text, ok = strings.CutPrefix(line, "Parse error:"); !ok {
			return loopcore.Failure{}, false
		}
		kind = loopcore.FailCompile
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "Uncaught ") && strings.Contains(text, "ParseError") || strings.HasPrefix(text, "Cannot redeclare") || strings.Contains(text, "Failed opening required") {
		kind = loopcore.FailCompile
	}
	f := loopcore.Failure{Kind: kind, Message: strings.TrimPrefix(text, "PHP "), At: l.Number(i), Detail: detail(l, i, i+12)}
	at := strings.LastIndex(text, " in ")
	if at < 0 {
		return f, true
	}
	where := text[at+len(" in "):]
	if file, n, ok := strings.Cut(where, " on line "); ok {
		f.File, f.Line, f.Message = l.Path(file), atoi(n), text[:at]
	} else if fr, ok := phpFrame(where); ok {
		f.File, f.Line, f.Message = l.Path(fr.File), fr.Line, text[:at]
	}
	return f, true
}

// phpOnce drops the second print of an error: PHP writes to its log and to its
// output, and both may be the terminal.
func phpOnce(fs []loopcore.Failure) []loopcore.Failure {
	out := fs[:0:0]
	for _, f := range fs {
		if n := len(out); n == 0 || out[n-1].File != f.File || out[n-1].Line != f.Line || out[n-1].Message != f.Message {
			out = append(out, f)
		}
	}
	return out
}
