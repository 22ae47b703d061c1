package parse

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// weight orders the statuses: of several readers' the heaviest holds.
func weight(s loopcore.ReportStatus) int {
	switch s {
	case loopcore.StatusKilled:
		return 6
	case loopcore.StatusCrash:
		return 5
	case loopcore.StatusBuildError:
		return 4
	case loopcore.StatusFail:
		return 3
	case loopcore.StatusPass:
		return 2
	case loopcore.StatusNoTests:
		return 1
	}
	return 0
}

// merge makes one report of the readers' parts.
func merge(l *Log, parts []part) loopcore.Report {
	var out loopcore.Report
	var names []string
	explained := caused(parts)
	for _, p := range parts {
		r := p.report
		if p.reader.Wrapper && explained {
			continue
		}
		fill(&r)
		names = append(names, p.reader.Name)
		kind := p.reader.Kind
		if r.Kind != "" { // a document tells its kind by what is in it
			kind = r.Kind
		}
		if out.Kind == "" || kind == loopcore.KindTest {
			out.Kind = kind
		}
		if weight(r.Status) > weight(out.Status) {
			out.Status = r.Status
		}
		out.Counts = out.Counts.Add(r.Counts)
		out.Counted = out.Counted || r.Counted
		if out.Failures == nil { // one reader's report is taken as it is
			out.Failures = r.Failures
		} else {
			out.Failures = append(out.Failures, r.Failures...)
		}
		out.Killed = append(out.Killed, r.Killed...)
		if out.Tests == nil {
			out.Tests = r.Tests
		} else {
			out.Tests = append(out.Tests, r.Tests...)
		}
		out.Missing += r.Missing
		out.Fallback = out.Fallback || r.Fallback
	}
	out.Runner = strings.Join(names, ",")
	out.Failures = dedupe(out.Failures)
	if slices.Contains(names, sanitizer.Name) {
		if kept := diedOf(out.Failures); len(kept) < len(out.Failures) {
			out.Failures, out.Counts.Errors, out.Counts.Total = kept, out.Counts.Errors-1, out.Counts.Total-1
		}
	}
	if slices.Contains(names, ctest.Name) {
		within(l, out.Failures)
	}
	return out
}

// caused reports whether a reader that is no wrapper found a failure.
func caused(parts []part) bool {
	for _, p := range parts {
		if r := p.report; !p.reader.Wrapper && (counting(r.Failures) > 0 || r.Counted && r.Counts.Bad() > 0) {
			return true
		}
	}
	return false
}

// fill completes a reader's report: the status from its failures, and the
// counts where the runner gave none.
func fill(r *loopcore.Report) {
	bad := counting(r.Failures)
	if !r.Counted {
		count(r)
	}
	if r.Status == "" {
		switch {
		case bad > 0 || r.Counts.Bad() > 0:
			r.Status = loopcore.StatusFail
		case r.Counts.Passed > 0:
			r.Status = loopcore.StatusPass
		}
	}
	n := r.Counts
	r.Counts.Total = max(n.Total, n.Passed+n.Failed+n.Errors+n.Skipped+n.Killed)
}

// count derives failed and errors from the failures: a test with a name
// failed, everything else is an error.
func count(r *loopcore.Report) {
	failed, errors := 0, 0
	for _, f := range r.Failures {
		switch {
		case f.Optional:
		case f.Name != "" && f.Kind != loopcore.FailCompile:
			failed++
		default:
			errors++
		}
	}
	if failed+errors > r.Counts.Failed+r.Counts.Errors {
		r.Counts.Failed, r.Counts.Errors = failed, errors
	}
}

// dedupe drops a second report of the same failure (runners print failures
// twice), keeping the first and adding what only the later one knows. It works
// in place.
func dedupe(fs []loopcore.Failure) []loopcore.Failure {
	if len(fs) < 2 {
		return fs
	}
	var h maphash.Hash
	seen := make(map[uint64]int32, len(fs)) // where in out, by a hash of what is compared
	out := fs[:0]
	for i := range fs {
		f := &fs[i]
		if f.Kind == loopcore.FailLint && f.Column == 0 && f.Rule != "" {
			out = append(out, *f) // two findings of one rule on one line
			continue
		}
		at, known := int32(0), false
		key := hashOf(&h, f)
		for at, known = seen[key]; known && !repeats(&out[at], f); at, known = seen[key] {
			key++ // another one has that hash
		}
		if known {
			out[at].Optional = out[at].Optional && f.Optional
			continue
		}
		seen[key] = int32(len(out))
		out = append(out, *f)
	}
	return out
}

// hashOf is a hash of what tells two failures apart.
func hashOf(h *maphash.Hash, f *loopcore.Failure) uint64 {
	h.Reset()
	for _, s := range []string{f.Suite, f.Name, f.File, f.Message} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	var place [16]byte
	binary.LittleEndian.PutUint64(place[:8], uint64(f.Line))
	binary.LittleEndian.PutUint64(place[8:], uint64(f.Column))
	h.Write(place[:])
	return h.Sum64()
}

func repeats(a, b *loopcore.Failure) bool {
	return a.Line == b.Line && a.Column == b.Column && a.Name == b.Name && a.Suite == b.Suite && a.File == b.File && a.Message == b.Message
}

// judge settles the status against the exit code, which is the verdict: a
// non-zero exit is never a pass, and a signal is what ended the run.
func judge(l *Log, r *loopcore.Report) {
	if !l.In.HasExit {
		switch {
		case r.Status != "":
		case len(r.Failures) > 0:
			r.Status = loopcore.StatusFail
		case r.Runner == "": // the output may as well have gone elsewhere
			r.Status = loopcore.StatusUnknown
		default:
			r.Status = loopcore.StatusPass
		}
		return
	}
	exit := l.In.Exit
	switch {
	case killedExit(exit):
		r.Status = loopcore.StatusKilled
		if len(r.Killed) == 0 {
			r.Killed = append(r.Killed, loopcore.Killed{Step: l.In.Step, Suite: l.In.Step, Signal: signalName(exit), Reason: killReason(exit)})
		}
	case crashExit(exit) && r.Status != loopcore.StatusKilled:
		r.Status = loopcore.StatusCrash
	case exit == 0 && r.Status == "":
		r.Status = loopcore.StatusPass
	case exit != 0 && (r.Status == "" || r.Status == loopcore.StatusPass):
		r.Status = loopcore.StatusFail
		if counting(r.Failures) == 0 && !strict(l, r) {
			r.Failures = append(r.Failures, unexplained(l))
			if r.Counts.Bad() == 0 { // else the runner counted it
				r.Counts.Errors = 1
			}
		}
	case exit != 0 && r.Status == loopcore.StatusFail && len(r.Failures)+len(r.Killed) == 0:
		r.Failures = append(r.Failures, unexplained(l)) // counted by the runner, named by nobody
	}
	if neverBegan(l, r) {
		r.Status = loopcore.StatusBuildError
	}
}

// strict counts warnings where nothing else can have failed the run: a linter
// was told to let none pass (--max-warnings 0, --strict), or a compiler.
func strict(l *Log, r *loopcore.Report) bool {
	if len(r.Failures) == 0 || r.Kind == loopcore.KindTest || r.Kind != loopcore.KindLint && l.HasAny("rror:", "rror ", "ERROR") {
		return false
	}
	harden(r.Failures)
	r.Counts.Errors = len(r.Failures)
	return true
}

// harden makes failures of warnings.
func harden(fs []loopcore.Failure) {
	for i := range fs {
		fs[i].Optional = false
	}
}

// blame takes what befell the whole run out of the failures, where it is all
// that can be said: a configuration that is not there, a pool of workers that
// died. In a gate it stays one failure, so that a red step never lists none.
func blame(l *Log, r *loopcore.Report) {
	if l.In.Step != "" || counting(r.Failures) != 1 {
		return
	}
	i := slices.IndexFunc(r.Failures, func(f loopcore.Failure) bool { return !f.Optional })
	if f := r.Failures[i]; f.Name == "" && f.File == "" && f.Line == 0 && f.Rule == "" && oneLine(f.Message) != "" {
		r.Fault = oneLine(f.Message)
		r.Failures = slices.Delete(r.Failures, i, i+1)
	}
}

// markedKilled takes up the lines by which a runner says that it ended a suite
// from outside, in their full shape, where the run did not pass and no reader
// knows the line as a test's own words.
func markedKilled(l *Log, c *Claims, r *loopcore.Report) {
	if !l.In.HasExit || l.In.Exit == 0 || !l.HasLine(strings.TrimSpace(loopcore.KilledMark)) {
		return
	}
	for i, line := range l.Lines {
		if k, ok := loopcore.ParseKilled(line); ok && c.owner[i] == "" {
			r.Killed = append(r.Killed, k)
			r.Status = loopcore.StatusKilled
		}
	}
}

// killedExit tells the exit codes of a process ended from outside: 128 + HUP,
// INT, KILL, TERM, XCPU; 124 is timeout(1), negative ones a signal's number.
func killedExit(code int) bool {
	switch code {
	case 124, 129, 130, 137, 143, 152, -1, -2, -9, -15:
		return true
	}
	return false
}

// crashExit tells the exit codes of a process that died by its own doing: 128
// + ILL, TRAP, ABRT, BUS, FPE, SEGV, and Windows' exception statuses.
func crashExit(code int) bool {
	switch code {
	case 132, 133, 134, 135, 136, 139, -4, -5, -6, -7, -8, -11:
		return true
	}
	return uint32(code)&0xf0000000 == 0xc0000000
}

func signalName(code int) string {
	n := code
	if n > 128 {
		n -= 128
	}
	switch max(n, -n) {
	case 1:
		return "SIGHUP"
	case 2:
		return "SIGINT"
	case 9:
		return "SIGKILL"
	case 15:
		return "SIGTERM"
	case 24:
		return "SIGXCPU"
	}
	return ""
}

func killReason(code int) string {
	if code == 124 {
		return "timeout"
	}
	return "signal"
}

// required is the failures that count.
func required(fs []loopcore.Failure) []loopcore.Failure {
	n := counting(fs)
	if n == 0 {
		return nil
	}
	out := make([]loopcore.Failure, 0, n)
	for _, f := range fs {
		if !f.Optional {
			out = append(out, f)
		}
	}
	return out
}

// counting is how many of the failures count.
func counting(fs []loopcore.Failure) int {
	n := 0
	for i := range fs {
		if !fs[i].Optional {
			n++
		}
	}
	return n
}

// finish makes the report's failures comparable: step, fingerprint, id.
func finish(l *Log, r *loopcore.Report) {
	r.Unread = l.unread
	r.Counts.Killed = max(r.Counts.Killed, len(r.Killed))
	n := r.Counts
	r.Counts.Total = max(n.Total, n.Passed+n.Failed+n.Errors+n.Skipped+n.Killed)
	r.Fallback = r.Fallback || r.Runner == "" // nobody knew the runner
	relative(l, r)
	settle(l, r)
	siblings(l, r.Failures)
	declared(l, r.Failures)
	blame(l, r)
	ids := make(map[string]int, len(r.Failures))
	for i := range r.Failures {
		f := &r.Failures[i]
		f.Step = l.In.Step
		f.Message = oneLine(f.Message)
		f.Name = oneLine(f.Name)
		f.Suite = oneLine(f.Suite)
		f.Fingerprint = loopcore.Fingerprint(*f)
		f.ID = uniqueID(f.Fingerprint, ids)
	}
	for i := range r.Killed {
		r.Killed[i].Step = l.In.Step
	}
}
