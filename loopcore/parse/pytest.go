package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

const pytestName = "pytest"

// pyTest reads pytest, with or without xdist, in every --tb style.
var pyTest = Reader{Name: pytestName, Kind: loopcore.KindTest, Spot: spotPytest, Read: readPytest}

func spotPytest(l *Log) bool {
	return l.HasAny(" test session starts ", "= FAILURES =", "= ERRORS =", " short test summary info ", "\nFAILED ", "INTERNALERROR> ", "= PASSES =", "no tests ran in ", "ImportError while loading conftest", "+ Timeout +", "Test session starts (platform: ") ||
		l.Has(" passed") && l.Has(" in ") || l.Has(" failed") && l.Has(" in ") || l.HasLine("ERROR: usage:") || l.HasLine("ERROR: file or directory not found") || l.Has("Fatal Python error: ") && l.Has("_pytest")
}

// pyRun is the state of reading pytest's output.
type pyRun struct {
	l         *Log
	c         *Claims
	r         loopcore.Report
	blocks    []pyBlock  // of the FAILURES and ERRORS sections
	past      int        // all blocks before are used
	pastLine  int        // and all lines of --tb=line before this one
	listed    []pyListed // of the short summary
	progress  []pyListed // of -v lines
	lines     []pyLine   // of --tb=line
	verdict   int        // the line of the next short summary or session, see printedEnd
	finished  bool       // the last line was seen
	started   bool       // anything of pytest was seen
	sugared   bool       // pytest-sugar prints
	usage     string     // a usage error
	usageAt   int        //
	crash     *loopcore.Failure
	running   string // the test that -v had begun last
	runningAt int
}

// pyBlock is one `____ name ____` block.
type pyBlock struct {
	title    string
	err      bool // of the ERRORS section
	from, to int  // its body
	used     bool
}

// pyListed is a line of the short summary or of -v.
type pyListed struct {
	verdict, file, name, message string
	at                           int
}

// pyLine is one line of --tb=line.
type pyLine struct {
	file    string
	line    int
	message string
	at      int
	used    bool
}

func readPytest(l *Log, c *Claims) loopcore.Report {
	p := &pyRun{l: l, c: c}
	p.scan()
	if !p.started {
		return loopcore.Report{}
	}
	p.join()
	p.settle()
	return p.r
}

// scan walks the lines, section by section.
func (p *pyRun) scan() {
	l := p.l
	for i := 0; i < len(l.Lines); i++ {
		if !p.c.Free(pytestName, i) {
			continue
		}
		line := l.Lines[i]
		section := pySection(line)
		switch {
		case section == "FAILURES" || section == "ERRORS" || section == "SUBFAILURES":
			i = p.section(i, section == "ERRORS")
		case section == "PASSES" || section == "XPASSES" || section == "XFAILURES":
			end := p.printedEnd(i + 1)
			p.c.Take(pytestName, i, end)
			i = end - 1
		case strings.HasPrefix(section, "warnings summary"):
			end := p.sectionEnd(i + 1)
			p.c.Take(pytestName, i, end)
			i = end - 1
		case section == "test session starts", section == "short test summary info":
			p.started = true
			p.c.Take(pytestName, i, i+1)
		case strings.Contains(line, " in ") && p.summary(line), section != "" && p.started:
			p.c.Take(pytestName, i, i+1)
		default:
			if n := p.line(i, line); n > 0 {
				p.c.Take(pytestName, i, i+n)
				i += n - 1
			}
		}
	}
}

// printedEnd finds where the sections that show what tests printed end: at the
// short summary, for a test may print any other line of pytest's.
func (p *pyRun) printedEnd(from int) int {
	p.verdict = max(p.verdict, from) // looked up once for all sections above it
	for ; p.verdict < len(p.l.Lines); p.verdict++ {
		switch pySection(p.l.Lines[p.verdict]) {
		case "short test summary info":
			return p.verdict
		case "test session starts":
			return p.sectionEnd(from)
		}
	}
	return p.sectionEnd(from)
}

// pySection is the title of a `==== title ====` line, "" if it is none.
func pySection(line string) string {
	if !strings.HasPrefix(line, "==") || !strings.HasSuffix(line, "==") {
		return ""
	}
	s := strings.Trim(line, "=")
	if len(s) < 3 || s[0] != ' ' || s[len(s)-1] != ' ' {
		return ""
	}
	return strings.TrimSpace(s)
}

// sectionEnd finds where the section that began before line i ends.
func (p *pyRun) sectionEnd(i int) int {
	for ; i < len(p.l.Lines); i++ {
		line := p.l.Lines[i]
		if s := pySection(line); s != "" {
			return i
		}
		if pyCounts(line) != nil {
			return i
		}
	}
	return i
}

// section reads a FAILURES or ERRORS section into blocks; it returns its last
// line.
func (p *pyRun) section(i int, isErr bool) int {
	p.started = true
	end := p.sectionEnd(i + 1)
	p.c.Take(pytestName, i, end)
	open := -1
	for k := i + 1; k < end; k++ {
		line := p.l.Lines[k]
		if title := pyTitle(line); title != "" {
			if open >= 0 {
				p.blocks[open].to = k
			}
			p.blocks = append(p.blocks, pyBlock{title: title, err: isErr, from: k + 1, to: end})
			open = len(p.blocks) - 1
			continue
		}
		if open < 0 {
			p.tbLine(k, line)
		}
	}
	return end - 1
}

// pyTitle is the name in a `____ name ____` line, "" if it is none.
func pyTitle(line string) string {
	if !strings.HasPrefix(line, "_") || !strings.HasSuffix(line, "_") || strings.HasPrefix(line, "_ _") {
		return ""
	}
	s := strings.Trim(line, "_")
	if len(s) < 3 || s[0] != ' ' || s[len(s)-1] != ' ' {
		return ""
	}
	// A name may itself begin or end with underscores: the rule and the name
	// are set apart by exactly one blank.
	return strings.TrimSpace(line[strings.IndexByte(line, ' ') : strings.LastIndexByte(line, ' ')+1])
}

// tbLine reads one line of --tb=line, outside any block.
func (p *pyRun) tbLine(k int, line string) {
	if strings.HasPrefix(line, "[XPASS(strict)]") {
		p.lines = append(p.lines, pyLine{message: line, at: k})
		return
	}
	file, no, msg, ok := pyPlace(line)
	if ok && !strings.HasPrefix(line, " ") {
		p.lines = append(p.lines, pyLine{p.l.Path(file), no, msg, k, false})
	}
}

// pyPlace reads `path:12: rest`; the path may hold a drive letter.
func pyPlace(line string) (file string, no int, rest string, ok bool) {
	from := 0
	if len(line) > 2 && line[1] == ':' && (line[2] == '\\' || line[2] == '/') {
		from = 2
	}
	at := strings.IndexByte(line[from:], ':')
	if at <= 0 {
		return "", 0, "", false
	}
	at += from
	no = atoi(line[at+1:])
	rest = strings.TrimLeft(line[at+1:], "0123456789")
	if no == 0 || !strings.HasPrefix(rest, ":") || strings.ContainsAny(line[:at], "\t\"'") {
		return "", 0, "", false
	}
	return line[:at], no, strings.TrimSpace(rest[1:]), true
}

// pyVerdicts are the words of -v lines and the short summary.
var pyVerdicts = []string{"PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS", "SUBFAIL", "SUBFAILED", "SUBPASS", "SUBPASSED", "SUBSKIP", "RERUN"}

// line reads a line outside the sections; it returns how many it consumed.
func (p *pyRun) line(i int, line string) int {
	switch {
	case strings.HasPrefix(line, "FAILED "), strings.HasPrefix(line, "ERROR "), strings.HasPrefix(line, "SUBFAIL"),
		strings.HasPrefix(line, "PASSED "), strings.HasPrefix(line, "XPASS "), strings.HasPrefix(line, "XFAIL "),
		strings.HasPrefix(line, "SKIPPED "):
		return p.listedLine(i, line)
	case strings.HasPrefix(line, "[gw") && strings.Contains(line, "::"):
		return p.xdistLine(i, line)
	case strings.Contains(line, "Fatal Python error: "):
		return p.fatal(i)
	case strings.HasPrefix(line, "INTERNALERROR> "):
		return p.internal(i)
	case strings.HasPrefix(line, "ImportError while loading conftest"):
		return p.conftest(i)
	case strings.HasPrefix(line, "ERROR: ") && !frameRule(p.l.Line(i-1)):
		if p.usage == "" {
			if _, why, ok := strings.Cut(p.l.Line(i+1), ": error: "); ok && strings.HasPrefix(line, "ERROR: usage:") {
				line = "ERROR: usage: " + why
			}
			p.usage, p.usageAt, p.started = strings.TrimPrefix(line, "ERROR: "), i,
				p.started || strings.Contains(line, "usage:") || strings.Contains(line, "not found: ")
		}
		return 1
	case strings.Contains(line, "++ Timeout ++") && p.crash == nil: // it may follow a row of progress
		return p.stackDump(i)
	case strings.HasPrefix(line, "Test session starts (platform: "):
		p.sugared = true
		return 1
	case p.sugared && (strings.HasPrefix(line, "――") || strings.HasPrefix(line, "Results (")):
		return p.sugar(i, line)
	case strings.Contains(line, "::") && !strings.HasPrefix(line, " "):
		return p.verboseLine(i, line)
	}
	return 0
}

// listedLine reads `FAILED tests/x.py::test_a - message`.
func (p *pyRun) listedLine(i int, line string) int {
	verdict, rest, _ := strings.Cut(line, " ")
	if strings.HasPrefix(rest, "[") {
		return 0
	}
	id, msg := rest, ""
	if at := pyDash(rest); at >= 0 {
		id, msg = rest[:at], rest[at+3:]
	}
	if !strings.Contains(id, "::") && (verdict != "ERROR" || strings.ContainsAny(id, " \t") && !strings.HasSuffix(id, ".py")) {
		return 0
	}
	file, name, _ := strings.Cut(id, "::")
	if file != "" && strings.ContainsAny(file, "<>|\"") {
		return 0
	}
	p.started = true
	p.listed = append(p.listed, pyListed{verdict, p.l.Path(file), name, msg, i})
	return 1
}

// pyDash finds the ` - ` between a test's id and its message: the first one
// outside the brackets of a parameter.
func pyDash(s string) int {
	from := 0
	if open := strings.IndexByte(s, '['); open >= 0 && open < strings.Index(s+" - ", " - ") {
		if end := strings.Index(s, "] - "); end >= 0 {
			from = end
		} else if strings.HasSuffix(s, "]") {
			return -1
		}
	}
	if at := strings.Index(s[from:], " - "); at >= 0 {
		return from + at
	}
	return -1
}

// xdistLine reads `[gw0] [ 10%] PASSED tests/x.py::test_a`.
func (p *pyRun) xdistLine(i int, line string) int {
	for _, v := range pyVerdicts {
		if at := strings.Index(line, " "+v+" "); at > 0 {
			file, name, _ := strings.Cut(strings.TrimSpace(line[at+len(v)+2:]), "::")
			p.started = true
			p.progress = append(p.progress, pyListed{v, p.l.Path(file), name, "", i})
			return 1
		}
	}
	return 0
}

// verboseLine reads `tests/x.py::test_a PASSED [ 10%]`.
func (p *pyRun) verboseLine(i int, line string) int {
	file, rest, _ := strings.Cut(line, "::")
	if strings.ContainsAny(file, " \t'\"(") || !strings.Contains(file, ".") {
		return 0
	}
	at, verdict := lastVerdict(rest)
	if at < 0 {
		if p.started && !p.finished {
			name, _, _ := strings.Cut(rest, " ")
			p.running, p.runningAt = p.l.Path(file)+"::"+name, i
		}
		return 0
	}
	p.started = true
	p.running = ""
	p.progress = append(roomy(p.progress), pyListed{verdict, p.l.Path(file), strings.TrimSpace(rest[:at]), "", i})
	return 1
}

// lastVerdict is the last verdict among the words of s, and the blank before it;
// -1 if there is none. The reason in brackets may hold a verdict's word too.
func lastVerdict(s string) (at int, verdict string) {
	at = -1
	for k := strings.IndexByte(s, ' '); k >= 0; {
		rest := s[k+1:]
		end := strings.IndexByte(rest, ' ')
		word := rest
		if end >= 0 {
			word = rest[:end]
		}
		if len(word) > 3 && slices.Contains(pyVerdicts, word) {
			if at, verdict = k, word; strings.HasPrefix(rest[len(word):], " (") {
				return at, verdict
			}
		}
		if end < 0 {
			break
		}
		k += 1 + end
	}
	return at, verdict
}

// summary reads the last line: `=== 1 failed, 2 passed in 0.1s ===`.
func (p *pyRun) summary(line string) bool {
	n := pyCounts(line)
	if n == nil {
		return false
	}
	p.started, p.finished = true, true
	p.r.Counts, p.r.Counted = p.r.Counts.Add(*n), true
	return true
}

// pyCounts reads the totals of a last line; nil if it is none.
func pyCounts(line string) *loopcore.Counts {
	s := strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "="))
	at := strings.LastIndex(s, " in ")
	if at < 0 || len(s) > 300 || !strings.HasPrefix(strings.TrimLeft(s[at+4:], "0123456789"), ".") { // in 0.12s
		return nil
	}
	body := s[:at]
	if body == "no tests ran" {
		return &loopcore.Counts{}
	}
	var n loopcore.Counts
	for _, part := range strings.Split(body, ", ") {
		num, word, ok := strings.Cut(part, " ")
		v := atoi(num)
		if !ok || strings.Trim(num, "0123456789") != "" {
			return nil
		}
		switch word {
		case "passed":
			n.Passed += v
		case "failed":
			n.Failed += v
		case "error", "errors":
			n.Errors += v
		case "skipped", "xfailed":
			n.Skipped += v
		case "xpassed", "deselected", "warning", "warnings", "rerun", "subtests passed", "subtests skipped", "subtests failed":
		default:
			return nil
		}
	}
	return &n
}
