package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// sanitizer reads what the compilers' sanitizers (address, thread, memory, leak,
// undefined behaviour) print of a program that they watch, whatever runs it.
var sanitizer = Reader{
	Name: "sanitizer",
	Kind: loopcore.KindTest,
	Spot: func(l *Log) bool { return l.HasAny("Sanitizer: ", ": runtime error: ") },
	Read: readSanitizer,
}

func readSanitizer(l *Log, c *Claims) loopcore.Report {
	const me = "sanitizer"
	var r loopcore.Report
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if strings.HasPrefix(line, "SUMMARY: ") && strings.Contains(line, "Sanitizer: ") || strings.HasSuffix(line, "Sanitizer:DEADLYSIGNAL") {
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := undefinedBehaviour(l, i); ok {
			end := i + 1
			f.Frames, end = sanitizerStack(l, end)
			r.Failures = append(roomy(r.Failures), f)
			c.Take(me, i, end)
			continue
		}
		what, ok := sanitizerHead(line)
		if !ok {
			continue
		}
		end := sanitizerEnd(l, i)
		found := sanitizerFailures(l, i, end, what)
		if r.Failures = append(r.Failures, found...); strings.Contains(line, "ERROR: ") && !strings.Contains(line, "LeakSanitizer") {
			r.Status = loopcore.StatusCrash
		}
		c.Take(me, i, end)
		i = end - 1
	}
	if len(r.Failures) == 0 {
		return loopcore.Report{}
	}
	if r.Status == "" {
		r.Status = loopcore.StatusFail
	}
	if l.HasAny("      Start ", "% tests passed, ") { // ctest counts programs: see within
		for k := range r.Failures {
			r.Failures[k].Optional = true
		}
		r.Status, r.Counted = "", true
	}
	return r
}

// diedOf gives the one test that a runner only saw die what the sanitizer that
// ended it has to say, and the place.
func diedOf(fs []loopcore.Failure) []loopcore.Failure {
	died, told, deaths, reports := 0, 0, 0, 0
	for k, f := range fs {
		switch {
		case f.Kind != loopcore.FailCrash || f.Optional:
		case f.Name != "" && f.Line == 0:
			died, deaths = k, deaths+1
		case f.Name == "" && strings.Contains(f.Message, "Sanitizer: "):
			told, reports = k, reports+1
		}
	}
	if deaths != 1 || reports != 1 {
		return fs
	}
	f, why := &fs[died], fs[told]
	f.File, f.Line, f.Column, f.Frames, f.Message, f.Detail = why.File, why.Line, why.Column, why.Frames, why.Message, why.Detail
	return slices.Delete(fs, told, told+1)
}

// undefinedBehaviour reads "a.c:3:40: runtime error: signed integer overflow: …".
func undefinedBehaviour(l *Log, i int) (loopcore.Failure, bool) {
	place, text, ok := strings.Cut(l.Lines[i], ": runtime error: ")
	if !ok {
		return loopcore.Failure{}, false
	}
	d, placed := scanDiagnostic(place + ": ")
	if !placed || !pathLike(d.file) {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailCrash)
	f.Message = "runtime error: " + text
	return f, true
}

// sanitizerHead reads "==12==ERROR: AddressSanitizer: heap-use-after-free on
// address 0x6020 at pc …" without the addresses, which differ from run to run.
func sanitizerHead(line string) (string, bool) {
	s := strings.TrimSpace(line)
	if pid, rest, ok := strings.Cut(strings.TrimPrefix(s, "=="), "=="); ok && strings.HasPrefix(s, "==") && strings.Trim(pid, "0123456789") == "" {
		s = rest
	}
	level, text, _ := strings.Cut(s, ": ")
	who, _, ok := strings.Cut(text, ": ")
	if !ok || level != "ERROR" && level != "WARNING" || !strings.HasSuffix(who, "Sanitizer") || strings.Contains(who, " ") {
		return "", false
	}
	what, _, _ := cutAny(text, " on address ", " on unknown address ", " (pid=", " (pc ", " at pc ")
	return what, true
}

// sanitizerEnd is the line after a report: its summary, and the memory map and
// the last words behind it.
func sanitizerEnd(l *Log, i int) int {
	end := len(l.Lines)
	for k := i + 1; k < len(l.Lines); k++ {
		line := l.Lines[k]
		if strings.HasSuffix(line, "==ABORTING") {
			return k + 1
		}
		if _, next := sanitizerHead(line); next || end < len(l.Lines) && k > end+60 {
			return min(end, k)
		}
		if strings.HasPrefix(line, "SUMMARY: ") && end == len(l.Lines) {
			end = k + 1
		}
	}
	return end
}

// sanitizerFailures makes one failure of a report, or one of each leak in it. The
// first stack tells where it happened; those below, where the memory came from.
func sanitizerFailures(l *Log, from, to int, what string) []loopcore.Failure {
	var out []loopcore.Failure
	for k := from + 1; k < to; k++ {
		frames, end := sanitizerStack(l, k)
		if end == k {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailCrash, Message: what, At: l.Number(from), Detail: detail(l, from, end)}
		leak, _, leaks := strings.Cut(strings.TrimSpace(l.Line(k-1)), " allocated from:")
		if leaks {
			f.Message, f.At, f.Detail = "LeakSanitizer: "+leak, l.Number(k-1), detail(l, k-1, end)
		}
		l.place(&f, frames)
		if !leaks || strings.HasPrefix(leak, "Direct") || len(out) == 0 {
			out = append(out, f)
		}
		if !leaks {
			break
		}
		k = end - 1
	}
	if len(out) == 0 {
		out = []loopcore.Failure{{Kind: loopcore.FailCrash, Message: what, At: l.Number(from), Detail: detail(l, from, to)}}
	}
	return out
}

// sanitizerStack reads the frames from line i on, without those of the sanitizer
// and the C library, and the line after them.
func sanitizerStack(l *Log, i int) ([]loopcore.Frame, int) {
	var out []loopcore.Frame
	for ; i < len(l.Lines); i++ {
		s := strings.TrimSpace(l.Lines[i])
		if !strings.HasPrefix(s, "#") || len(s) < 3 || s[1] < '0' || s[1] > '9' {
			break
		}
		s = strings.TrimLeft(s[1:], "0123456789 ")
		if addr, rest, ok := strings.Cut(s, " in "); ok && strings.HasPrefix(addr, "x") { // 0x…
			s = rest
		}
		if at := strings.LastIndex(s, " ("); at > 0 && strings.HasSuffix(s, ")") && strings.Contains(s[at:], "+0x") {
			s = s[:at] // the module
		}
		at := strings.LastIndexByte(s, ' ')
		p, ok := findPlace(s[at+1:])
		if at < 0 || !ok || strings.Contains(p.file, "libsanitizer/") || strings.Contains(p.file, "compiler-rt/") || strings.Contains(s, "__libc_start") {
			continue
		}
		out = append(out, loopcore.Frame{File: l.Path(p.file), Line: p.line, Func: s[:at]})
	}
	return out, i
}
