package parse

import (
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// join makes failures of the blocks, named by the short summary, and of what
// only the summary or the progress lines tell.
func (p *pyRun) join() {
	seen := map[string]bool{}
	bad := p.bad()
	for _, e := range bad {
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Suite: e.file, Name: e.name, Message: e.message, At: p.l.Number(e.at)}
		if e.verdict == "ERROR" {
			f.Kind = loopcore.FailError
		}
		if b := p.blockFor(e); b != nil {
			b.used = true
			p.fill(&f, b)
		} else if t := p.lineFor(e); t != nil {
			t.used = true
			f.File, f.Line, f.Message, f.At = t.file, t.line, t.message, p.l.Number(t.at)
			f.Kind = pyKind(t.message)
		} else if e.message != "" {
			f.Kind = pyKind(strings.TrimSuffix(e.message, "..."))
		}
		if f.File == "" {
			f.File = e.file
		}
		if f.Message == "" {
			f.Message = strings.ToLower(e.verdict)
		}
		if e.name == "" && f.Kind == loopcore.FailError {
			p.r.Status = loopcore.StatusBuildError
		}
		seen[e.file+"\x00"+e.name] = true
		p.r.Failures = append(p.r.Failures, f)
	}
	p.leftBlocks()
	for _, t := range p.lines {
		if t.used || len(bad) > 0 { // where all that failed is listed, the rest is what tests printed
			continue
		}
		p.r.Failures = append(p.r.Failures, loopcore.Failure{Kind: pyKind(t.message), File: t.file, Line: t.line, Message: t.message, At: p.l.Number(t.at)})
	}
	p.fromProgress(seen)
}

// maxLinesAhead bounds the lines among which a listed failure's is looked for.
const maxLinesAhead = 64

// lineFor finds the line of --tb=line of a listed failure: both are in the order
// of the run, but for what tests print in between. The summary cuts messages.
func (p *pyRun) lineFor(e pyListed) *pyLine {
	if e.verdict == "ERROR" {
		return nil
	}
	for p.pastLine < len(p.lines) && p.lines[p.pastLine].used {
		p.pastLine++
	}
	begins, cut := strings.CutSuffix(strings.TrimSpace(e.message), "...")
	for i := p.pastLine; i < len(p.lines) && i < p.pastLine+maxLinesAhead; i++ {
		if t := &p.lines[i]; !t.used && (t.message == begins || (cut || begins == "") && strings.HasPrefix(t.message, begins)) {
			return t
		}
	}
	return nil
}

// bad is the entries of the summary that failed.
func (p *pyRun) bad() []pyListed {
	var out []pyListed
	for _, e := range p.listed {
		if e.verdict == "FAILED" || e.verdict == "ERROR" || strings.HasPrefix(e.verdict, "SUBFAIL") {
			out = append(out, e)
		}
	}
	return out
}

// blockFor finds the first unused block of a listed failure: same name, and
// the same section; of namesakes the one that mentions the file.
func (p *pyRun) blockFor(e pyListed) *pyBlock {
	want := pyTitleOf(e.name)
	var first *pyBlock
	for p.past < len(p.blocks) && p.blocks[p.past].used {
		p.past++
	}
	for i := p.past; i < len(p.blocks); i++ {
		b := &p.blocks[i]
		if b.used || b.err != (e.verdict == "ERROR") {
			continue
		}
		name := pyBlockName(b.title)
		same := name == want || e.name == "" && p.l.Path(name) == e.file || name == e.file && !b.err
		if !same && strings.HasPrefix(e.verdict, "SUBFAIL") {
			same = strings.HasPrefix(name, want)
		}
		if !same {
			continue
		}
		if first == nil {
			first = b
		}
		if p.mentions(b, e.file) {
			return b
		}
	}
	return first
}

// pyTitleOf is the title that a block has for a test's name: dots instead of
// colons, but not inside a parameter.
func pyTitleOf(name string) string {
	head, param, ok := strings.Cut(name, "[")
	head = strings.ReplaceAll(head, "::", ".")
	if ok {
		return head + "[" + param
	}
	return head
}

// mentions reports whether a block's body names the file.
func (p *pyRun) mentions(b *pyBlock, file string) bool {
	for i := b.from; i < b.to; i++ {
		at := strings.Index(p.l.Lines[i], file)
		if at == 0 || at > 0 && strings.ContainsAny(p.l.Lines[i][at-1:at], "/\\\"' ") {
			return true
		}
	}
	return false
}

// pyBlockName takes away what stands before the name in a block's title.
func pyBlockName(title string) string {
	for _, p := range []string{"ERROR at setup of ", "ERROR at teardown of ", "ERROR at call of ", "ERROR collecting "} {
		if rest, ok := strings.CutPrefix(title, p); ok {
			return rest
		}
	}
	title = strings.TrimPrefix(title, "[doctest] ")
	return title
}

// leftBlocks reports the blocks that no summary line named.
func (p *pyRun) leftBlocks() {
	var progress map[string]int // the first line of each title
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.used {
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailAssertion, Name: pyBlockName(b.title)}
		if b.err {
			f.Kind = loopcore.FailError
		}
		if rest, ok := strings.CutPrefix(b.title, "ERROR collecting "); ok {
			f.Name, f.File = "", p.l.Path(rest)
			p.r.Status = loopcore.StatusBuildError
		} else {
			f.Name = pyDotted(f.Name)
		}
		p.fill(&f, b)
		for _, fr := range f.Frames {
			if f.Suite = ""; pyTestFile(fr.File) {
				f.Suite = fr.File
				break
			}
		}
		if progress == nil {
			progress = make(map[string]int, len(p.progress))
			for k := len(p.progress) - 1; k >= 0; k-- {
				progress[pyTitleOf(p.progress[k].name)] = k
			}
		}
		if k, ok := progress[pyTitleOf(f.Name)]; ok {
			f.Suite, f.Name = p.progress[k].file, p.progress[k].name
		}
		p.r.Failures = append(p.r.Failures, f)
	}
}

// pyDotted makes `TestA.test_b[1.5]` of a title pytest's `TestA::test_b[1.5]`.
func pyDotted(name string) string {
	head, param, ok := strings.Cut(name, "[")
	head = strings.ReplaceAll(head, ".", "::")
	if ok {
		return head + "[" + param
	}
	return head
}

func pyTestFile(file string) bool {
	base := file[strings.LastIndexByte(file, '/')+1:]
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || strings.HasPrefix(base, "tests")
}

// fill reads a block's body into a failure.
func (p *pyRun) fill(f *loopcore.Failure, b *pyBlock) {
	l := p.l
	to := b.to
	for i := b.from; i < b.to; i++ {
		if s := l.Lines[i]; strings.HasPrefix(s, "---") && (strings.Contains(s, " Captured ") || strings.Contains(s, " generated ") || strings.Contains(s, " live log ")) {
			to = i
			break
		}
	}
	f.At = l.Number(b.from - 1)
	f.Detail = detail(l, b.from, to)
	frames, msg := pyShort(l, b.from, to)
	if msg == "" || len(frames) == 0 {
		t := readPyTrace(l, b.from, to)
		if t.message != "" && msg == "" {
			msg = t.message
		}
		if len(frames) == 0 {
			frames = t.frames
		}
	}
	if msg == "" {
		msg = pyPlainMessage(l, b.from, to)
	}
	if msg != "" {
		f.Message = msg
	}
	l.place(f, frames)
	f.Kind = pyBlockKind(f, b)
	if id, ok := quotedID(f.Message, " crashed while running '"); ok {
		f.Kind = loopcore.FailCrash
		file, name, _ := strings.Cut(id, "::")
		f.Suite, f.Name = l.Path(file), name
		if p.crash != nil && (p.crash.Name == "" || p.crash.Name == name) {
			f.File, f.Line, f.Frames = p.crash.File, p.crash.Line, p.crash.Frames
			p.crash = nil
		}
	}
	if f.Name == "" {
		unloaded(f, f.Suite)
	}
}

// unloaded places the failure of a file that could not be loaded in that file,
// at the line that led to the error; where the error is deeper the message says.
func unloaded(f *loopcore.Failure, file string) {
	if file == "" || f.File == file || sameBase(file, f.File) {
		return
	}
	if f.File != "" && f.Line > 0 {
		f.Message = oneLine(f.Message) + " (at " + f.File + ":" + strconv.Itoa(f.Line) + ")"
	}
	f.File, f.Line, f.Column = file, 0, 0
	for _, fr := range f.Frames {
		if fr.File == file {
			f.Line = fr.Line
			return
		}
	}
}

// pyBlockKind is the kind by what was raised; a fixture's failure is an error.
func pyBlockKind(f *loopcore.Failure, b *pyBlock) loopcore.FailureKind {
	k := pyKind(f.Message)
	if strings.HasPrefix(f.Message, "[XPASS(strict)]") || strings.HasPrefix(b.title, "[doctest]") && (strings.HasPrefix(f.Message, "Expected:") || !pyException(f.Message)) {
		return loopcore.FailAssertion
	}
	if b.err && k == loopcore.FailAssertion {
		return loopcore.FailError
	}
	return k
}

// quotedID is the text after a marker up to the next quote.
func quotedID(s, marker string) (string, bool) {
	at := strings.Index(s, marker)
	if at < 0 {
		return "", false
	}
	id, _, ok := strings.Cut(s[at+len(marker):], "'")
	return id, ok
}

// pyShort reads pytest's own styles: places `path:12: ` and messages `E  …`.
func pyShort(l *Log, from, to int) (frames []loopcore.Frame, msg string) {
	var stack []loopcore.Frame
	for i := from; i < to; i++ {
		line := l.Lines[i]
		switch {
		case strings.HasPrefix(line, "The above exception was the direct cause"), strings.HasPrefix(line, "During handling of the above exception"):
			stack, msg = nil, ""
		case strings.HasPrefix(line, "E   "):
			if i > from && strings.HasPrefix(l.Lines[i-1], "E   ") && msg != "" {
				continue
			}
			m, fr, ok := pyELines(l, i, to)
			msg = m
			if ok {
				stack = append(stack, fr)
			}
		case line != "" && line[0] != ' ' && line[0] != '>' && line[0] != '-':
			if file, no, rest, ok := pyPlace(line); ok && (rest == "" || strings.HasPrefix(rest, "in ") || pyException(rest) || strings.HasPrefix(rest, "Failed")) {
				fn := strings.TrimPrefix(rest, "in ")
				if fn == rest {
					fn = ""
				}
				stack = append(stack, loopcore.Frame{File: l.Path(file), Line: no, Func: fn})
			}
		}
	}
	return reversed(stack), msg
}

// pyELines reads a group of `E` lines: the message, and the place that a
// syntax error names.
func pyELines(l *Log, i, to int) (string, loopcore.Frame, bool) {
	var parts []string
	var fr loopcore.Frame
	place := false
	last := ""
	for ; i < to && strings.HasPrefix(l.Lines[i], "E "); i++ {
		t := strings.TrimSpace(l.Lines[i][1:])
		if f, ok := pyFrame(l, t); ok {
			fr, place = f, true
			continue
		}
		if t == "" {
			continue
		}
		last = t
		if strings.HasPrefix(t, "+  where") || strings.HasPrefix(t, "where ") || strings.HasPrefix(t, "+    where") || strings.HasPrefix(t, "+      where") {
			continue
		}
		if diffLine(t) {
			if len(parts) > 0 {
				break
			}
			continue
		}
		if len(parts) < 4 {
			parts = append(parts, t)
		}
	}
	if place && pyException(last) {
		return last, fr, true
	}
	return strings.Join(parts, " "), fr, place
}

// pyPlainMessage is the first line of a block without any traceback.
func pyPlainMessage(l *Log, from, to int) string {
	for i := from; i < to; i++ {
		s := strings.TrimSpace(l.Lines[i])
		if s == "" || strings.HasPrefix(s, "[gw") || frameRule(s) {
			continue
		}
		if strings.HasPrefix(s, "Expected:") && i+3 < to {
			end := i
			for end < min(i+6, to) && strings.TrimSpace(l.Lines[end]) != "" {
				end++
			}
			return oneLine(strings.Join(l.Lines[i:end], " "))
		}
		if file, _, _, ok := pyPlace(s); ok && file != "" || doctestLine(s) {
			continue
		}
		return s
	}
	return ""
}

// doctestLine reports whether this is a numbered line of a docstring: "012 >>> f()".
func doctestLine(s string) bool {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return digits >= 3 && (digits == len(s) || s[digits] == ' ')
}

// fromProgress adds what only the -v lines name (a run that was killed), and
// makes the inventory.
func (p *pyRun) fromProgress(seen map[string]bool) {
	for _, f := range p.r.Failures {
		seen[f.Suite+"\x00"+f.Name] = true
	}
	for _, e := range p.progress {
		t := loopcore.TestCase{Suite: e.file, Name: e.name, File: e.file, Status: loopcore.TestPassed}
		switch e.verdict {
		case "FAILED", "ERROR":
			t.Status = loopcore.TestFailed
			if !p.finished && !seen[e.file+"\x00"+e.name] {
				seen[e.file+"\x00"+e.name] = true
				p.r.Failures = append(p.r.Failures, loopcore.Failure{Kind: loopcore.FailAssertion, Suite: e.file, Name: e.name, File: e.file,
					Message: strings.ToLower(e.verdict), At: p.l.Number(e.at)})
			}
		case "SKIPPED", "XFAIL":
			t.Status = loopcore.TestSkipped
		case "RERUN", "SUBPASS", "SUBFAIL", "SUBSKIP", "SUBPASSED", "SUBFAILED":
			continue
		}
		p.r.Tests = append(roomy(p.r.Tests), t)
	}
	if !p.finished {
		for _, t := range p.r.Tests {
			switch t.Status {
			case loopcore.TestPassed:
				p.r.Counts.Passed++
			case loopcore.TestSkipped:
				p.r.Counts.Skipped++
			}
		}
	}
}

// settle finds the status: what crashed, what was never collected.
func (p *pyRun) settle() {
	if p.crash != nil {
		p.r.Failures = append(p.r.Failures, *p.crash)
		p.r.Status = loopcore.StatusCrash
		if p.crash.Kind == loopcore.FailTimeout {
			p.r.Status = loopcore.StatusKilled
			p.r.Killed = append(p.r.Killed, loopcore.Killed{Suite: pytestName, Reason: "timeout"})
		}
	}
	bad := counting(p.r.Failures)
	switch {
	case p.r.Status != "" && p.r.Status != loopcore.StatusBuildError:
	case p.r.Status == loopcore.StatusBuildError && p.r.Counts.Failed > 0:
		p.r.Status = loopcore.StatusFail
	case bad > 0:
	case p.usage != "" && p.r.Counts.Passed == 0:
		p.r.Status = loopcore.StatusBuildError
		p.r.Failures = append(p.r.Failures, loopcore.Failure{Kind: loopcore.FailError, Message: p.usage, At: p.l.Number(p.usageAt)})
	case p.finished && p.r.Counts == (loopcore.Counts{}):
		p.r.Status = loopcore.StatusNoTests
	case !p.finished && p.l.In.HasExit && p.l.In.Exit != 0 && p.running != "":
		p.r.Status = loopcore.StatusCrash
		file, name, _ := strings.Cut(p.running, "::")
		p.r.Failures = append(p.r.Failures, loopcore.Failure{Kind: loopcore.FailCrash, Suite: file, Name: name, File: file,
			Message: "the run ended while the test ran", At: p.l.Number(p.runningAt)})
	}
}
