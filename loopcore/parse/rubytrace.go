package parse

import (
	"strings"

	"fixloop/loopcore"
)

// rubyFrame reads "./spec/a_spec.rb:7:in `block'", with or without "# " or
// "from " before it, in Ruby 3.4's quotes too.
func rubyFrame(s string) (loopcore.Frame, bool) {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "# "), "from "), "at ")
	at := strings.Index(s, ".rb:")
	if at < 0 {
		if at = strings.Index(s, "akefile:"); at < 0 {
			return loopcore.Frame{}, false
		}
		at += len("akefile")
	} else {
		at += len(".rb")
	}
	line, rest := number(s[at+1:])
	if line == 0 || strings.ContainsAny(s[:at], " \"") && !strings.HasPrefix(s, "/") {
		return loopcore.Frame{}, false
	}
	f := loopcore.Frame{File: s[:at], Line: line}
	if in, ok := strings.CutPrefix(rest, ":in "); ok {
		f.Func = strings.Trim(in, "`'")
	} else if rest != "" && !strings.HasPrefix(rest, ":") {
		return f, false
	}
	return f, true
}

// place picks the frame to show: the first in the repository, else none.
func place(l *Log, frames []loopcore.Frame) (file string, line int) {
	for _, f := range frames {
		if !l.Foreign(f.File) {
			return l.Path(f.File), f.Line
		}
	}
	return "", 0
}

// rubyException splits "ArgumentError: text": a constant's name, then the text.
func rubyException(s string) (name, text string, ok bool) {
	name, text, found := strings.Cut(s, ":")
	if !found || name == "" || name[0] < 'A' || name[0] > 'Z' || text != "" && text[0] != ' ' {
		return "", s, false
	}
	for _, r := range strings.ReplaceAll(name, "::", "") {
		if (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' {
			return "", s, false
		}
	}
	return name, strings.TrimSpace(text), true
}

// ruby reads what the interpreter itself says before or instead of a runner:
// an uncaught exception, a syntax error, a file that cannot be loaded.
var ruby = Reader{
	Name: "ruby",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool {
		return l.HasAny("Error)", "(SyntaxError)", "rake aborted!", ": syntax error, ", ": [BUG] ") && l.HasAny(".rb:", "akefile:")
	},
	Read: readRuby,
}

func readRuby(l *Log, c *Claims) loopcore.Report {
	const me = "ruby"
	var r loopcore.Report
	for i, line := range l.Lines {
		if !c.Free(me, i) || len(r.Failures) > 0 && strings.HasPrefix(line, "\tfrom ") {
			continue
		}
		if _, what, ok := strings.Cut(line, ": [BUG] "); ok {
			c.Take(me, i, len(l.Lines))
			return loopcore.Report{Status: loopcore.StatusCrash, Failures: append(r.Failures, rubyBug(l, i, what))}
		}
		f, ok := rubyUncaught(l, i)
		if !ok {
			f, ok = rubySyntax(l, i)
		}
		if !ok {
			continue
		}
		end := i + 1
		for end < len(l.Lines) && (indent(l.Lines[end]) > 0 || strings.Trim(l.Lines[end], "^~| ") == "") && l.Lines[end] != "" {
			if fr, ok := rubyFrame(l.Lines[end]); ok && strings.Contains(l.Lines[end], "from ") {
				f.Frames = append(f.Frames, fr)
			}
			end++
		}
		if f.File == "" || l.Foreign(f.File) {
			if file, at := place(l, f.Frames); file != "" {
				f.File, f.Line = file, at
			}
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
		if len(r.Failures) > 50 {
			break
		}
	}
	if len(r.Failures) > 0 {
		r.Status = loopcore.StatusBuildError
	}
	return r
}

// rubyBug reads how the interpreter itself died: "a.rb:7: [BUG] Segmentation
// fault at 0x3d1f" behind a row of progress, and its frames below,
// "c:0023 p:0024 s:0124 e:000123 METHOD a.rb:9".
func rubyBug(l *Log, i int, what string) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailCrash, Message: "[BUG] " + what, At: l.Number(i), Detail: detail(l, i, i+30)}
	for k := i + 1; k < len(l.Lines) && !strings.HasPrefix(l.Lines[k], "-- Ruby level backtrace"); k++ {
		if _, frame, ok := cutAny(l.Lines[k], " METHOD ", " BLOCK "); ok {
			frame, _, _ = strings.Cut(frame, " [FINISH]")
			if fr, ok := rubyFrame(frame); ok {
				f.Frames = append(f.Frames, fr)
			}
		}
	}
	f.File, f.Line = place(l, f.Frames)
	return f
}

// rubySyntax reads "lib/a.rb:1: syntax error, unexpected integer literal".
func rubySyntax(l *Log, i int) (loopcore.Failure, bool) {
	d, ok := scanDiagnostic(strings.TrimPrefix(l.Lines[i], "ruby: "))
	if !ok || !strings.HasSuffix(d.file, ".rb") || indent(l.Lines[i]) > 0 || d.severity != "syntax error" && !strings.HasPrefix(d.text, "syntax error") {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailCompile)
	_, f.Message, _ = strings.Cut(l.Lines[i], ": ")
	return f, true
}

// rubyUncaught reads "path:85:in `require': /x/a_test.rb:6: syntax error, … (SyntaxError)".
func rubyUncaught(l *Log, i int) (loopcore.Failure, bool) {
	line := l.Lines[i]
	var f loopcore.Failure
	if indent(line) > 0 || strings.HasPrefix(line, "# ") {
		return f, false
	}
	open := strings.LastIndex(line, " (")
	class := ""
	if open > 0 && strings.HasSuffix(line, ")") {
		class = line[open+2 : len(line)-1]
	}
	if class == "" || !strings.HasSuffix(class, "Error") && !strings.HasSuffix(class, "Exception") || !strings.Contains(line, ":") {
		return f, false
	}
	if _, _, ok := rubyException(class + ":"); !ok {
		return f, false
	}
	frame, ok := rubyFrame(line)
	text := line[:open]
	if strings.HasPrefix(line, "<internal:") {
		_, text, _ = strings.Cut(text, ">:")
		ok = true
		frame = loopcore.Frame{File: "<internal:>"}
	}
	if strings.HasPrefix(line, "-e:") {
		ok, frame = true, loopcore.Frame{File: "<internal:-e>"}
	}
	if !ok {
		return f, false
	}
	if _, after, found := cutAny(text, "': ", "`: "); found {
		text = after
	} else if _, after, found := strings.Cut(text, ": "); found {
		text = after
	}
	f = loopcore.Failure{Kind: loopcore.FailError, File: l.Path(frame.File), Line: frame.Line, Message: class + ": " + text, At: l.Number(i)}
	if inner, found := rubyFrame(text); found && class == "SyntaxError" {
		f.File, f.Line = l.Path(inner.File), inner.Line
		if _, rest, ok := strings.Cut(text, ": "); ok {
			f.Message = class + ": " + rest
		}
	}
	if strings.HasPrefix(frame.File, "<internal") && f.File == l.Path(frame.File) {
		f.File, f.Line = "", 0
	}
	f.Frames = []loopcore.Frame{frame}
	if class == "SyntaxError" {
		f.Kind = loopcore.FailCompile
	}
	return f, true
}

// rake reads an aborted rake task; the tests that a task ran have their reader.
var rake = Reader{
	Name:    "rake",
	Kind:    loopcore.KindBuild,
	Wrapper: true,
	Spot:    func(l *Log) bool { return l.Has("rake aborted!") },
	Read:    readRake,
}

func readRake(l *Log, c *Claims) loopcore.Report {
	const me = "rake"
	var r loopcore.Report
	for i, line := range l.Lines {
		if line != "rake aborted!" || !c.Free(me, i) {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailError, Message: l.Line(i + 1), At: l.Number(i)}
		end := i + 2
		for ; end < len(l.Lines) && end < i+60; end++ {
			if tasks, ok := strings.CutPrefix(l.Lines[end], "Tasks: TOP => "); ok {
				f.Suite = tasks
				break
			}
			if fr, ok := rubyFrame(l.Lines[end]); ok {
				f.Frames = append(f.Frames, fr)
			}
		}
		if f.File, f.Line = place(l, f.Frames); f.File == "" {
			if fr, ok := rubyFrame(strings.TrimPrefix(f.Message, "SyntaxError: ")); ok { // the Rakefile itself
				f.File, f.Line = l.Path(fr.File), fr.Line
			}
		}
		r.Failures = append(r.Failures, f)
		r.Status = loopcore.StatusBuildError
		c.Take(me, i, end+1)
	}
	return r
}
