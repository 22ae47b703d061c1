package parse

import (
	"io/fs"
	"strings"

	"fixloop/loopcore"
)

// goroutine is one stack of a Go trace.
type goroutine struct {
	frames  []loopcore.Frame // deepest first, the creator last
	creator string           // the function that started it
}

// goTrace reads the goroutines from line i on; end is where they stop.
func goTrace(l *Log, i int) (gs []goroutine, end int) {
	var g *goroutine
	for ; i < len(l.Lines); i++ {
		line := strings.TrimRight(l.Lines[i], " ")
		switch {
		case strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, ":"):
			gs = append(gs, goroutine{})
			g = &gs[len(gs)-1]
		case goPackageEnd(line):
			return gs, i
		case g == nil || line == "":
		case strings.HasPrefix(line, "\t"):
		default:
			fn := line
			if rest, ok := strings.CutPrefix(line, "created by "); ok {
				fn, _, _ = strings.Cut(rest, " in goroutine")
				g.creator = fn
			} else if cut := strings.LastIndexByte(fn, '('); cut > 0 {
				fn = fn[:cut]
			}
			if file, no, _, ok := goFrame(l.Line(i + 1)); ok {
				g.frames = append(g.frames, loopcore.Frame{File: l.Path(file), Line: no, Func: fn})
				i++
			}
		}
	}
	return gs, i
}

// goFrame reads the `\t/path/file.go:12 +0x1d` below a function.
func goFrame(line string) (file string, no int, rest string, ok bool) {
	at := strings.LastIndex(line, ".go:")
	if at < 0 || indent(line) == 0 {
		return "", 0, "", false
	}
	no = atoi(line[at+4:])
	return strings.TrimSpace(line[:at+3]), no, line[at+4:], no > 0
}

// goPackageEnd reports whether a line ends the output of a test binary.
func goPackageEnd(line string) bool {
	for _, p := range []string{"FAIL\t", "ok  \t", "exit status ", "=== ", "DONE ", "signal: ", "--- "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return line == "FAIL" || line == "::endgroup::"
}

// goOwn is the deepest frame that is neither the library's nor generated.
func goOwn(l *Log, frames []loopcore.Frame) (loopcore.Frame, bool) {
	for _, f := range frames {
		if strings.HasPrefix(f.File, "_test") || l.Foreign(f.File) || goStdFunc(f.Func) {
			continue
		}
		return f, true
	}
	return loopcore.Frame{}, false
}

// goStdFunc reports whether a function is of Go's own library, by its import
// path: the first element has no dot there, and its files lie below src.
func goStdFunc(fn string) bool {
	for _, p := range []string{"runtime.", "testing.", "panic(", "time.", "sync.", "os.", "net/", "reflect.", "internal/", "runtime/", "syscall."} {
		if strings.HasPrefix(fn, p) {
			return true
		}
	}
	return fn == "panic"
}

// panics reads a panic, a fatal error, a signal or a time-out with its trace.
func (g *goRun) panics(l *Log, i int) int {
	line := l.Lines[i]
	gs, end := goTrace(l, i+1)
	if len(gs) == 0 {
		return 0
	}
	g.seen = true
	if at := strings.Index(line, "panic: test timed out after "); at >= 0 {
		g.timedOut(l, i, line[at:], gs)
		g.current = nil
		return end - i
	}
	f := loopcore.Failure{Kind: loopcore.FailPanic, At: l.Number(i), Message: goPanicMessage(l, i), Frames: gs[0].frames, Detail: detail(l, i, min(end, i+30))}
	if strings.HasPrefix(line, "SIG") {
		f.Kind = loopcore.FailCrash
	}
	for _, one := range gs {
		if fr, ok := goOwn(l, one.frames); ok {
			f.File, f.Line, f.Frames = fr.File, fr.Line, one.frames
			break
		}
	}
	f.Name, f.Suite = g.panicked(gs), g.section
	g.failures = append(g.failures, f)
	g.current = nil
	return end - i
}

// goPanicMessage is what was thrown, without the note that it was recovered,
// and with the lines that a multi-line value has.
func goPanicMessage(l *Log, i int) string {
	msg := l.Lines[i]
	for k := i + 1; k < i+8 && strings.HasPrefix(l.Line(k), "\t"); k++ {
		msg += " " + strings.TrimSpace(l.Lines[k])
	}
	if at := strings.Index(msg, " [recovered"); at > 0 {
		msg = msg[:at]
	}
	return msg
}

// panicked names the test that panicked: the one whose failure was just
// announced, the one that was running, or the one that the stack names.
func (g *goRun) panicked(gs []goroutine) string {
	var last *goCase
	for _, t := range g.cases[g.first:] {
		if g.open[t.name] != t && (g.current == nil || t.pkg != g.current.pkg || !g.current.holds(t.name)) {
			continue
		}
		if t.status == goFailed && (last == nil || strings.HasPrefix(t.name, last.name+"/") || !t.parent) {
			last = t
		}
	}
	if g.current != nil && (g.current.status == goRunning || last == nil) {
		last = g.current
	}
	if last != nil {
		root, _, _ := strings.Cut(last.name, "/")
		if n := goTestIn(gs[0]); n != "" && n != root && last.status == goFailed { // that one had failed and ended
			return n
		}
		return last.name
	}
	for _, one := range gs {
		if n := goTestIn(one); n != "" {
			return n
		}
	}
	return ""
}

// holds reports whether a name is the test's own or that of a test in it.
func (t *goCase) holds(name string) bool {
	return name == t.name || strings.HasPrefix(name, t.name+"/")
}

// goTestIn is the test function in a stack.
func goTestIn(one goroutine) string {
	for _, f := range one.frames {
		base := f.Func[strings.LastIndexByte(f.Func, '/')+1:]
		for _, part := range strings.Split(base, ".")[1:] {
			if goTestFunc(part) {
				return part
			}
		}
	}
	return ""
}

// timedOut makes one failure per test that was running (the leaves only).
func (g *goRun) timedOut(l *Log, i int, msg string, gs []goroutine) {
	var names []string
	for k := i + 1; k < len(l.Lines) && strings.HasPrefix(l.Lines[k], "\t"); k++ {
		name, _, _ := strings.Cut(strings.TrimSpace(l.Lines[k]), " ")
		if goTestFunc(name) {
			names = append(names, name)
		}
	}
	made := false
	for _, n := range names {
		leaf := true
		for _, m := range names {
			leaf = leaf && !strings.HasPrefix(m, n+"/")
		}
		if !leaf {
			continue
		}
		made = true
		g.failures = append(g.failures, g.stuck(l, i, n, msg, gs))
	}
	if !made {
		name := ""
		for _, one := range gs {
			if n := goTestIn(one); n != "" && name == "" {
				name = n
			}
		}
		g.failures = append(g.failures, g.stuck(l, i, name, msg, gs))
	}
}

// stuck is the failure of one test that did not end, placed where its
// goroutine waits: the deepest of those that its function started.
func (g *goRun) stuck(l *Log, i int, name, msg string, gs []goroutine) loopcore.Failure {
	f := loopcore.Failure{Kind: loopcore.FailTimeout, Suite: g.section, Name: name, Message: msg, At: l.Number(i)}
	root, _, sub := strings.Cut(name, "/")
	for _, one := range gs {
		if goTestIn(one) != root {
			continue
		}
		fr, ok := goOwn(l, one.frames)
		if !ok {
			continue
		}
		f.File, f.Line, f.Frames = fr.File, fr.Line, one.frames
		if !sub || strings.Contains(fr.Func, ".func") {
			break
		}
	}
	return f
}

// race reads a race report: the place of the first access that is our own.
func (g *goRun) race(l *Log, i int) int {
	end := i + 1
	var frames []loopcore.Frame
	for end < len(l.Lines) && !strings.HasPrefix(l.Lines[end], "=====") {
		if file, no, _, ok := goFrame(l.Lines[end]); ok {
			frames = append(frames, loopcore.Frame{File: l.Path(file), Line: no, Func: strings.TrimSuffix(strings.TrimSpace(l.Line(end-1)), "()")})
		}
		if goPackageEnd(l.Lines[end]) {
			break
		}
		end++
	}
	f := loopcore.Failure{Kind: loopcore.FailError, At: l.Number(i),
		Message: "race detected during execution of test: " + strings.TrimSpace(l.Line(i+1)), Frames: frames, Detail: detail(l, i, min(end, i+40))}
	if fr, ok := goOwn(l, frames); ok {
		f.File, f.Line = fr.File, fr.Line
		f.Message += " in " + fr.Func[strings.LastIndexByte(fr.Func, '/')+1:]
	}
	for _, fr := range frames {
		if n := goTestIn(goroutine{frames: []loopcore.Frame{fr}}); n != "" && f.Name == "" {
			f.Name = n
		}
	}
	if g.current != nil && g.current.status == goRunning {
		f.Name = g.current.name
	}
	g.seen = true
	g.failures = append(g.failures, f)
	if end < len(l.Lines) && strings.HasPrefix(l.Lines[end], "=====") {
		end++
	}
	return end - i
}

// goTests is the test functions that the sources declare.
func goTests(l *Log) map[string]bool {
	names := map[string]bool{}
	_ = fs.WalkDir(l.In.Root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && skipDirs[d.Name()]:
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, "_test.go"):
			return nil
		}
		for _, line := range strings.Split(sourceText(l, p), "\n") {
			if rest, ok := strings.CutPrefix(line, "func "); ok {
				if name, _, ok := strings.Cut(rest, "("); ok && goTestFunc(name) {
					names[name] = true
				}
			}
		}
		return nil
	})
	return names
}
