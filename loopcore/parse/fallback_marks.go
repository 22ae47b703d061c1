package parse

import (
	"strings"
)

// mark is a line that names a test which failed, or one that only ends what was
// said of another test (it passed, was skipped, begins).
type mark struct {
	at, to  int    // the heading's lines; the error stands below to, or above at
	name    string // "" for one that only ends another
	style   string // the sign: marks of one style have their errors on one side
	message string // what the heading's own line says
	place   textPlace
	strong  bool // an unmistakable sign; a weak one needs an error with a place
	depth   int
	number  int  // of a numbered list, 0 = none
	list    int  // which numbered list
	inFails bool // it stands below a title such as Failures
}

// qtFail begins a failure of QtTest, whose message begins on the same line.
const qtFail = "FAIL!  : "

// quotedTest begins a name in quotes, which ends with them.
const quotedTest = "Failed test '"

// again is the style of a command that runs a test again: what stands around it
// is of other tests.
const again = "again"

// ends reports whether a mark names no failed test.
func (m mark) ends() bool { return m.name == "" }

// failSigns begin a line that names a failing test.
var failSigns = []string{"✗ ", "✘ ", "× ", "✖ ", "✕ ", "❌ ", "⨯ ", "☓ ", "🔴 ", "[✗] ", "[✘] ", "❎ ", "● ", "[FAIL] ", "✗\t"}

// failWords do too; those in brackets are unmistakable.
var failWords = []string{
	"FAIL in ", "ERROR in ", "--- FAIL: ", "[  FAILED  ] ", "[FAILED] ", "[ FAIL ] ", "[FAIL]: ", "(fail) ", "not ok ", "FAILED: ", "Failed: ", "FAIL: ",
	"FAILED - ", "FAIL - ", "FAILED ", "FAIL ", "Failure: ", "FAILURE: ", "fail: ",
	"=== FAIL: ", "UNEXPECTED SUCCESS: ", "F: ", "[fail]: ", "[fail] ", "[failed] ", "Failure in ", "Error in ", quotedTest, "ERROR: ",
	"Error: ", "error: ", "ERROR ", "[ERROR] ", "Failing test: ", "Suite error: ", "[FAILURE] ", "[PANICKED!] ", "[TIMEDOUT] ", "PANIC: ", "Failed ",
	"* FAILURE: ", "* DOCTEST FAILURE: ", "FAIL!  : ", "XPASS  : ", "Assertion in test ",
}

// failWord are those that stand in brackets before the name, in any case.
var failWord = map[string]bool{"fail": true, "failed": true, "failure": true, "panicked": true, "timedout": true}

// failTails end one.
var failTails = []string{
	" ... FAILED", " ... FAIL", " ... failed", " ... fail", " ... ERROR", " *** FAILED ***", " [FAIL]", " [FAILED]", " (FAILED)", " - FAILED",
	": FAILED", " => FAIL", " => FAILED", " ...FAILED", "...FAILED", "...FAIL", "...failed", " FAILED", " BROKEN", " ✗", " ✘", " ✖", " ✕", " ❌", " FAILED!",
	"... FAIL!", " <<< FAILURE!", " <<< ERROR!", " NOT OK", ": FAIL", " | FAIL |", " | FAIL", " [E]", " FAIL", " ERROR", " [ERROR]", ":FAIL", ": ERROR",
}

// passSigns begin a line about a test that did not fail, or that only begins.
var passSigns = []string{
	"✓ ", "✔ ", "√ ", "ok ", "PASS ", "PASS: ", "PASSED ", "PASSED: ", "SKIPPED: ", "[PASS]", "[PASS ]", "[ PASS", "(pass)", "(skip)", "(todo)", "[       OK ]",
	"[OK]", "[ OK ]", "[ RUN ", "[RUN ", "[  PASSED  ]", "[  SKIPPED", "[  DISABLED", "[SKIP", "=== RUN",
	"--- PASS", "--- SKIP", "- [skip]", "SKIP: ", "SKIP ", "SKIPPED ", "Passed ", "○ ", "XFAIL", "[RUN]", "⊘ ", "↓ ", "P [PENDING]",
	"S [SKIPPED]", "Skip (", "Pending: ", "Omission: ", "Notification: ", "? ", "﹣ ", "✅ ", "ℹ ", "▶ ", "[SKIPPED]", "[PASSED]",
	"UNTESTED: ", "UNSUPPORTED: ",
}

// passTails end one.
var passTails = []string{" ... ok", " ...ok", "...OK", "... OK", "...ok", " PASSED", " PASS", " Passed", " | PASS |", " | SKIP |",
	" SKIPPED", "...passed", " ... skipped", " ... ignored", "...SKIP", ": OK", " (SKIPPED)", " (PASSED)", " - PASSED", " SKIP", " [OK]",
	" [SKIPPED]", ": PASS", " ok", " ✓", " ✔", " √"}

// startSigns begin a line about a test that begins.
var startSigns = []string{"[ RUN ", "[RUN ", "[RUN]", "=== RUN", "=== PAUSE", "=== CONT", "TEST(", "START "}

// passes reports whether a line tells of a test that did not fail.
func passes(line string) bool {
	s := strings.TrimSpace(line)
	if len(s) < 3 || len(s) > 400 || strings.IndexByte(passFirst, s[0]) < 0 && strings.IndexByte(passLast, s[len(s)-1]) < 0 {
		return false
	}
	if hasAnyPrefix(s, passSigns) {
		return true
	}
	if excused(s) {
		return true
	}
	short := withoutTime(withoutShare(s))
	for _, t := range passTails {
		if strings.HasSuffix(short, t) {
			return true
		}
	}
	return false
}

// What a line may begin with that passSigns know, and end with that passTails
// know or that may follow those.
const (
	passFirst = "\xe2\xefoP[(=-SXU?"
	passLast  = "kKSDEPd|)]s%\x93\x94\x9a"
)

// withoutShare takes `[ 40%]` away from a line's end.
func withoutShare(s string) string {
	if strings.HasSuffix(s, "%]") {
		if at := strings.LastIndex(s, "["); at > 0 {
			return strings.TrimRight(s[:at], " ")
		}
	}
	return s
}

// excused reports whether a line says of a test that it is known to fail, or was
// not to run.
func excused(s string) bool {
	at := strings.LastIndex(s, " # ")
	return at > 0 && hasAnyPrefix(strings.ToUpper(s[at+3:]), []string{"TODO", "SKIP"}) || strings.Contains(s, " (Disabled)")
}

// failMark reads a line that names a failing test.
func failMark(line string) (mark, bool) {
	if !mayFail(line) {
		return mark{}, false
	}
	s := strings.TrimLeft(strings.TrimSpace(line), "#>│|█ ")
	if rest := strings.TrimLeft(s, "="); len(s)-len(rest) >= 3 && strings.HasPrefix(rest, " ") && !strings.HasPrefix(s, "=== ") {
		s = rest[1:] // ==== name FAILED
	}
	s = strings.TrimRight(s, " │")
	if len(s) < 4 || len(s) > 400 || excused(s) {
		return mark{}, false
	}
	m := mark{depth: indent(line)}
	for _, p := range failSigns {
		if rest, ok := strings.CutPrefix(s, p); ok {
			if signsDiagnostic(rest) {
				return mark{}, false
			}
			m.name, m.strong, m.style = rest, p != "● ", p
			return m.clean()
		}
	}
	if word, rest, ok := strings.Cut(s[1:], "] "); ok && s[0] == '[' && (failWord[strings.ToLower(strings.Trim(word, " !"))] || strings.TrimSpace(word) == "ERROR" && word[0] == ' ') {
		m.name, m.strong, m.style = rest, true, "[fail]"
		return m.clean()
	}
	if m, ok := m.failedIn(s); ok {
		return m, true
	}
	for _, p := range failWords {
		rest, ok := strings.CutPrefix(s, p)
		if !ok {
			continue
		}
		if p == "Failed " && !strings.Contains(strings.Fields(rest + " .")[0], ".") {
			continue // a sentence
		}
		if (p == "Error in " || p == "Failure in ") && (strings.ContainsAny(rest, "`") || strings.Contains(strings.Fields(rest + " .")[0], "(")) {
			continue
		}
		switch p {
		case quotedTest:
			rest, _, _ = strings.Cut(rest, "'")
		case "FAIL in ", "ERROR in ": // (name) (place)
			name, after, ok := strings.Cut(rest, ") (")
			name, opened := strings.CutPrefix(name, "(")
			if !ok || !opened {
				continue
			}
			rest, m.strong = name, true
			if p, ok := findPlace(after); ok && p.from == 0 {
				m.place = p
			}
		case qtFail, "XPASS  : ": // Class::method(row) text
			if end := strings.Index(rest, ") "); end > 0 {
				rest, m.message = rest[:end+1], rest[end+2:]
			}
		}
		m.name, m.style = rest, p
		m.strong = m.strong || p[0] == '*' || p[0] == '[' && p != "[ERROR] " || p[0] == '(' || p[0] == '-' || p[0] == 'n' || strings.HasSuffix(p, "  : ") || p == quotedTest || p == "Suite error: "
		return m.clean()
	}
	return m.tailed(s)
}

// signsDiagnostic reports whether what stands behind a sign of failing is a
// diagnostic and no test: it has a severity in brackets, a number, or begins with
// a line and a column.
func signsDiagnostic(text string) bool {
	if sev, rest := scanSeverity(text); sev != "" && rest != "" && text[0] == '[' || strings.HasPrefix(text, "#") && atoi(text[1:]) > 0 {
		return true
	}
	line, rest := number(strings.TrimLeft(text, " "))
	if line == 0 || len(rest) < 2 || rest[0] != ':' || rest[1] < '0' || rest[1] > '9' {
		return false
	}
	_, ok := row(text)
	return ok
}

// failedIn reads `FAILURE in test.x: text` and `Failure in: suite:1:x`: one word
// without blanks as the name, or all that is behind a colon.
func (m mark) failedIn(s string) (mark, bool) {
	word, rest, ok := strings.Cut(s, " in")
	if !ok || !failWord[strings.ToLower(word)] && !strings.EqualFold(word, "error") || rest == "" {
		return m, false
	}
	name, labelled := strings.CutPrefix(rest, ":")
	m.style, m.strong, m.name = "Failure in ", true, strings.TrimSpace(name)
	if !labelled {
		var said bool
		m.name, m.message, said = strings.Cut(m.name, ": ")
		if !said || rest[0] != ' ' || strings.ContainsAny(m.name, " ()/`") || m.name == "" {
			return m, false
		}
	}
	return m.clean()
}

// tailed reads a mark whose sign is the line's end.
func (m mark) tailed(s string) (mark, bool) {
	if hasAnyPrefix(s, passSigns) {
		return mark{}, false // its name ends so
	}
	short := withoutSpan(withoutTime(withoutShare(s)))
	if at := lastBracket(short); at > 0 && (timeText(short[at+2:len(short)-1]) || strings.HasSuffix(short[:at], "FAILED")) {
		short = short[:at]
	}
	for _, t := range failTails {
		if head, ok := strings.CutSuffix(short, t); ok {
			if t[1] == '.' && len(head) > 8 && strings.EqualFold(head[:8], "running ") {
				head = head[8:]
			}
			m.name, m.strong, m.style = strings.TrimRight(head, " .\t"), t != " ERROR" && t != " FAIL" && t != " FAILED" && t[0] != ':', t
			return m.clean()
		}
	}
	for _, t := range []string{" ✘ ", " ✗ ", " [X] "} { // a tree with the message behind the sign
		if at := strings.Index(s, t); at > treeBranch(s) && treeBranch(s) > 0 {
			m.name, m.message, m.strong, m.style = s[treeBranch(s):at], s[at+len(t):], true, t
			return m.clean()
		}
	}
	if name, result, ok := resultColumn(s, failColumns); ok {
		m.name, m.message, m.strong, m.style = name, result, true, "column"
		return m.clean()
	}
	for _, t := range []string{"***Failed", "***Exception", "***Timeout", "***Not Run", " (FAILED - ", " [ERROR: ", " [FAILED - ", "...FAIL (",
		" FAILED [", " FAILED ("} {
		if at := strings.LastIndex(s, t); at > 0 {
			m.name, m.strong, m.style = s[:at], true, t
			if t[0] == '*' {
				m.message = s[at:]
			}
			return m.clean()
		}
	}
	if at := strings.Index(short, "' failed"); at >= len("Test Case '") && strings.HasPrefix(short, "Test Case '") { // XCTest
		m.name, m.strong, m.style = strings.Trim(short[len("Test Case '"):at], "-[]"), true, "Test Case"
		return m.clean()
	}
	return mark{}, false
}

// lastBracket is where the blank and bracket stand whose other bracket ends s; -1
// if none does.
func lastBracket(s string) int {
	if !strings.HasSuffix(s, "]") {
		return -1
	}
	return strings.LastIndex(s, " [")
}

// failColumns are the results that a table of tests has for one that failed.
var failColumns = map[string]bool{"FAIL": true, "FAILED": true, "ERROR": true, "TIMEOUT": true, "UNEXPECTEDPASS": true, "CRASH": true, "CRASHED": true}

// passColumns are those for one that did not fail.
var passColumns = map[string]bool{"PASS": true, "PASSED": true, "SKIP": true, "SKIPPED": true}

// resultColumn reads a line of a table: a name, its result in a column, and what
// else there is: `3/9 crashes  FAIL  0.01s  killed by signal 11`.
func resultColumn(s string, results map[string]bool) (name, result string, ok bool) {
	at := strings.Index(s, "  ")
	if at < 2 {
		return "", "", false
	}
	rest := strings.TrimLeft(s[at:], " ")
	last := strings.LastIndexByte(s[:at], ' ') + 1
	word, _, _ := strings.Cut(rest, " ")
	switch {
	case results[s[last:at]] && last > 1 && rest != "" && rest[0] >= '0' && rest[0] <= '9': // the column is as wide as its longest name
		return s[:last], s[last:], true
	case results[word] && (strings.HasPrefix(rest[len(word):], "  ") || withoutTime(rest) == word):
		return s[:at], rest, true
	}
	return "", "", false
}

// treeBranch is how much of a line draws the branch of a tree.
func treeBranch(s string) int {
	rest := strings.TrimLeft(s, "│├└╷─ ")
	if rest == s {
		rest = strings.TrimLeft(s, "|+'- ")
		if len(s)-len(rest) < 3 {
			return 0
		}
	}
	return len(s) - len(rest)
}

// mayFail says cheaply whether a line can hold one of the signs above.
func mayFail(s string) bool {
	for i := range len(s) {
		switch signBytes[s[i]] {
		case 2:
			return true
		case 4:
			if strings.HasPrefix(s[i+1:], "**") || strings.HasPrefix(s[i+1:], "MEOUT") || strings.HasPrefix(s[i+1:], "XPECTEDPASS") {
				return true
			}
		case 1:
			if strings.HasPrefix(s[i+1:], "IL") || strings.HasPrefix(s[i+1:], "il") {
				return true
			}
		case 3:
			if strings.HasPrefix(s[i+1:], "ROR") || strings.HasPrefix(s[i+1:], "ror") {
				return true
			}
		}
	}
	return strings.Contains(s, "not ok ") || strings.Contains(s, "[E]") || strings.Contains(s, "NOT OK") || strings.Contains(s, "F: ")
}

// signBytes are the bytes that a sign can be told by: 2 = the first of one that
// is no letter, 1 = the second of fail, 3 = the second of error, 4 = one inside of
// ***, TIMEOUT and UNEXPECTEDPASS.
var signBytes = [256]byte{0xe2: 2, 0xf0: 2, 0xc3: 2, 'A': 1, 'a': 1, 'R': 3, 'r': 3, '*': 4, 'I': 4, 'E': 4}

// anyMayFail says the same of the whole log, so that a log without any sign is
// not read line by line.
func anyMayFail(l *Log) bool {
	return l.HasAny("AIL", "ail", "\xe2", "\xf0", "\xc3", "ERROR", "Error", "not ok ", "[E]", "NOT OK", "F: ", "TIMEOUT", "***")
}

// linePlace reads `line: 12 t.cpp`.
func linePlace(s string) (textPlace, bool) {
	at := strings.Index(s, "line: ")
	if at < 0 {
		return textPlace{}, false
	}
	no, rest := number(s[at+6:])
	file := strings.TrimSpace(rest)
	return textPlace{file: file, line: no, from: at, to: len(s)}, no > 0 && plainFile(file)
}

// totalBegins are the first words, by their first byte, of what speaks of a whole
// run.
var totalBegins = byFirst([]string{
	"please ", "(failures=", "(errors=", "test suite", "suite '", "test failed", "tests completed", "tests:", "test run", "tests run",
	"build", "task ", "command ", "process ", "with exit", "exit code", "in 0", "with result", "to ", "> ", "asserting ", "run with ",
	"script ", "run suite", "running ", "there ", "there were ", "execution of ", "the following ", "see ", "suite failed", "could not ",
	"cannot ", "failed ", "no tests", "lifecycle script", "in 1 ", "in 2 ", "in 3 ", "failures:", "errors:", "failures (", "errors (", "failures in",
	"errors in", "cases: ", "reason: ", "some errors ", "some tests ",
})

// totalLike reports whether a text speaks of the whole run, not of a test.
func totalLike(s string) bool {
	low := strings.ToLower(s)
	if low == "failures" || low == "errors" || strings.Contains(low, " errors and ") || strings.Contains(low, " error and ") {
		return true
	}
	if strings.Contains(low, "tests failed") || strings.HasPrefix(low, "found ") && strings.Contains(low, " problem") {
		return true
	}
	if _, pairs, outcome := readTotals(s); pairs == 1 && outcome && strings.Count(s, " ") == 1 { // fail 2
		return true
	}
	for _, w := range totalBegins[low[0]] {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	if n, pairs, _ := readTotals(s); pairs > 1 && len(strings.Fields(s)) <= 4*pairs+2 || pairs > 0 && (n.Passed+n.Failed+n.Errors+n.Skipped+n.Total > 0 || pairs > 1) &&
		len(strings.Fields(s)) <= 4*pairs+2 && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(low[:1], "0123456789(|[:!,.") {
		return true
	}
	return strings.Trim(s, "0123456789.,:;/()[]!-=* |") == "" || s[0] == '|'
}
