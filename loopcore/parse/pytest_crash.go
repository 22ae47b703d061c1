package parse

import (
	"strings"

	"fixloop/loopcore"
)

// fatal reads the interpreter's own crash report.
func (p *pyRun) fatal(i int) int {
	line := p.l.Lines[i]
	f := loopcore.Failure{Kind: loopcore.FailCrash, At: p.l.Number(i), Message: line[strings.Index(line, "Fatal Python error: "):]}
	end, current := i+1, false
	var frames []loopcore.Frame
	for ; end < len(p.l.Lines); end++ {
		s := strings.TrimSpace(p.l.Lines[end])
		if strings.HasPrefix(s, "Current thread ") {
			current = true
			continue
		}
		if fr, ok := pyFrame(p.l, s); ok {
			if current {
				frames = append(frames, fr)
			}
			continue
		}
		if s != "" && !strings.HasPrefix(s, "Thread 0x") && !strings.HasPrefix(s, "Extension modules") && !strings.HasPrefix(s, "...") && !strings.HasPrefix(s, "Python runtime state") {
			break
		}
	}
	p.l.place(&f, frames)
	p.nameByFrames(&f)
	if at := strings.Index(line, " Fatal Python error"); at > 0 && strings.Contains(line[:at], "::") {
		file, name, _ := strings.Cut(line[:at], "::")
		f.Suite, f.Name = p.l.Path(file), strings.TrimSpace(name)
	}
	p.started, p.crash = true, &f
	return end - i
}

// nameByFrames names a crash after the test function on its stack.
func (p *pyRun) nameByFrames(f *loopcore.Failure) {
	for _, fr := range f.Frames {
		if strings.HasPrefix(fr.Func, "test") && !p.l.Foreign(fr.File) {
			f.Name, f.Suite = fr.Func, p.l.Path(fr.File)
			return
		}
	}
}

// stackDump reads what pytest-timeout prints of the threads. Its thread method
// does so before it ends the process; its signal method, run by the main thread
// itself, only fails the test, and shows the other threads alone.
func (p *pyRun) stackDump(i int) int {
	from, end := -1, i+1
	for end < len(p.l.Lines) && !strings.HasPrefix(p.l.Lines[end], "+++") {
		if strings.Contains(p.l.Lines[end], " Stack of MainThread ") { // where tests run; plugins have threads too
			from = end
		}
		end++
	}
	if from < 0 {
		return min(end+1, len(p.l.Lines)) - i
	}
	t := readPyTrace(p.l, from, end)
	f := loopcore.Failure{Kind: loopcore.FailTimeout, At: p.l.Number(i), Message: "Timeout: the run was ended while the test ran"}
	p.l.place(&f, t.frames)
	p.nameByFrames(&f)
	p.started, p.crash = true, &f
	return end - i
}

// internal reads pytest's own failure.
func (p *pyRun) internal(i int) int {
	end := i
	msg := ""
	for end < len(p.l.Lines) && strings.HasPrefix(p.l.Lines[end], "INTERNALERROR>") {
		if s := strings.TrimSpace(strings.TrimPrefix(p.l.Lines[end], "INTERNALERROR>")); s != "" {
			msg = s
		}
		end++
	}
	p.started = true
	p.crash = &loopcore.Failure{Kind: loopcore.FailCrash, At: p.l.Number(i), Message: "INTERNALERROR: " + msg, Detail: detail(p.l, i, end)}
	return end - i
}

// conftest reads an error in a conftest.py, after which nothing runs.
func (p *pyRun) conftest(i int) int {
	end := i + 1
	for end < len(p.l.Lines) && strings.TrimSpace(p.l.Lines[end]) != "" {
		end++
	}
	f := loopcore.Failure{Kind: loopcore.FailError, At: p.l.Number(i), Detail: detail(p.l, i, end)}
	frames, msg := pyShort(p.l, i, end)
	if f.Message = msg; msg == "" {
		t := readPyTrace(p.l, i, end)
		frames, f.Message = t.frames, t.message
	}
	p.l.place(&f, frames)
	if id, ok := quotedID(p.l.Lines[i], " '"); ok && f.File == "" {
		f.File = p.l.Path(id)
	}
	p.started = true
	p.r.Failures = append(p.r.Failures, f)
	p.r.Status = loopcore.StatusBuildError
	return end - i
}
