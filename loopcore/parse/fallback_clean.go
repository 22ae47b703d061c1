package parse

import (
	"path"
	"strings"
)

// clean takes from a name what is not part of it; it reports whether a name
// of a test remains.
func (m mark) clean() (mark, bool) {
	s := strings.TrimSpace(m.name)
	if _, pairs, outcome := readTotals(s); pairs > 1 && outcome && hasDigit(s[:1]) && hasAnyPrefix(strings.TrimLeft(s, "0123456789/ "), []string{"test", "assert"}) {
		return m, false // 1/3 tests passed
	}
	if strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "[fail]") { // [xUnit.net 00:00:00.35]
		if end := strings.Index(s, "] "); end > 0 && (strings.ContainsAny(s[:end], ".:") || len(s[:end]) < 10 && strings.Trim(s[1:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ! ") == "") {
			s = strings.TrimSpace(s[end+2:])
		}
	}
	if at := strings.Index(s, ": "); at > 0 && at < 24 && strings.Trim(s[:at], "0123456789:+-~ ") == "" { // 00:01 +0 -1:
		s = s[at+2:]
	}
	if short := withoutSpan(s); short != s {
		s = strings.TrimSuffix(short, " failed")
	}
	if open := strings.LastIndex(s, " ("); open > 0 && strings.HasSuffix(s, ")") { // name (2 of 5)
		if k, n, ok := strings.Cut(s[open+2:len(s)-1], " of "); ok && atoi(k) > 0 && atoi(n) >= atoi(k) {
			s = s[:open]
		}
	}
	if end := strings.Index(s, ") "); end > 2 && s[0] == '(' && strings.Trim(s[1:end], "0123456789/") == "" { // (2/4) name
		s = s[end+2:]
	}
	s = withoutTime(s)
	if rest, ok := strings.CutPrefix(s, "not ok "); ok { // behind another sign
		s = strings.TrimLeft(rest, "0123456789 ")
	}
	for _, p := range []string{"[fail]: ", "[fail] ", "[FAIL] ", "test ", "Test ", "- ", "* ", "** ", "TEST ", "Test: ", "test: ", "Scenario: ",
		"Testcase: ", "at setup of ", "at teardown of ", "collecting "} {
		s = strings.TrimPrefix(s, p)
	}
	for _, p := range []string{"[It] ", "[BeforeEach] ", "[AfterEach] ", "[BeforeSuite] "} {
		s = strings.Replace(s, p, "", 1)
	}
	if strings.HasPrefix(s, "{") && strings.IndexByte(s, '}') > 0 && strings.Trim(s[1:strings.IndexByte(s, '}')], "0123456789") == "" { // the worker
		s = strings.TrimSpace(s[strings.IndexByte(s, '}')+1:])
	}
	if at := strings.Index(s, " recorded an issue at "); at > 0 { // Swift Testing
		s = s[:at]
	}
	for _, t := range []string{" failed after ", " failed on line ", " -- Time elapsed: ", "  Time elapsed: "} {
		if at := strings.Index(s, t); at > 0 {
			s = s[:at]
		}
	}
	if at := strings.LastIndex(s, " in "); at > 0 && strings.IndexByte(s, '/') > at && plainFile(s[at+4:]) {
		s = s[:at]
	}
	if head, tail, ok := strings.Cut(s, " › "); ok && timeText(tail) {
		s = head
	}
	s = withoutTime(s)
	if at := lastBracket(s); at > 0 && timeText(strings.TrimLeft(s[at+2:len(s)-1], "< ")) {
		s = s[:at]
	}
	if digits := strings.TrimLeft(s, "0123456789"); digits != s && (strings.HasPrefix(digits, ") ") || strings.HasPrefix(digits, " - ") || strings.HasPrefix(digits, "/") && len(digits) < 200) {
		if _, rest, ok := strings.Cut(digits, " "); ok {
			s = strings.TrimSpace(strings.TrimPrefix(rest, "- "))
		}
	}
	if at := strings.Index(s, ` "`); at > 0 && strings.HasSuffix(s, `"`) && strings.Count(s, `"`) == 2 { // Cart "adds up"
		s = strings.TrimSpace(s[:at]) + " > " + strings.Trim(s[at:], ` "`)
	}
	for _, t := range []string{": CRASH!", " (Failed)", " (Timeout)", " (SEGFAULT)", " (Subprocess aborted)"} {
		if at := strings.Index(s, t); at > 0 {
			s = s[:at]
		}
	}
	if at := strings.Index(s, " ...."); at > 0 { // to its result
		s = s[:at]
	}
	s = strings.TrimRight(s, " .")
	m.name = s
	if m.style != quotedTest {
		m = m.split()
	}
	m.name = strings.TrimSpace(strings.TrimRight(unquoted(m.name), ": "))
	if m.name == "" || m.name == "at" || outcomeWords[strings.ToLower(m.name)] != 0 && shouted(m.name) || timeText(m.name) || len(m.name) > 300 || totalLike(m.name) {
		return m, false
	}
	return m, true
}

// withoutSpan takes the time away that a test took, as words: ` in 0.5 seconds.`
func withoutSpan(s string) string {
	for _, w := range []string{" finished in ", " in ", " after ", " took "} {
		if at := strings.LastIndex(s, w); at > 0 && timeText(strings.TrimRight(s[at+len(w):], ".")) {
			s = s[:at]
		}
	}
	return s
}

// unquoted takes the quotes away that a whole name stands in.
func unquoted(s string) string {
	if len(s) > 2 && s[0] == '[' && strings.IndexByte(s, ']') == len(s)-1 {
		s = s[1 : len(s)-1]
	}
	for _, q := range []string{"`", `"`} {
		if strings.Count(s, q)%2 == 1 || strings.Count(s, q) == 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			s = strings.Trim(s, q)
		}
	}
	return s
}

// split takes the place and the message out of a heading: `test_x(Cart)
// [t.rb:9]`, `x # a.feature:6`, `a.py::test_x - AssertionError: no`,
// `('a.R:5'): adds`.
func (m mark) split() mark {
	if head, tail, ok := strings.Cut(m.name, " - "); ok && !strings.ContainsAny(head, " \t") && strings.ContainsAny(head, ":/") {
		m.name, m.message = head, tail
	}
	if at := strings.Index(m.name, "): "); at > 0 && strings.IndexByte(m.name[:at], '(') > 0 && m.name[strings.IndexByte(m.name, '(')-1] != ' ' { // test_x(Class): text
		m.name, m.message = m.name[:at+1], m.name[at+3:]
	}
	p, ok := findPlace(m.name)
	if !ok {
		p, ok = linePlace(m.name)
	}
	if !ok {
		return m
	}
	head, tail := m.name[:p.from], strings.TrimLeft(m.name[p.to:], ":)]'\" ,")
	switch head = strings.TrimRight(head, " ([#'\"-–=>@:"); {
	case strings.HasPrefix(tail, "# ") && strings.Count(head, " ") < 3 && head == strings.ToLower(head): // a command that runs it again
		m.style, m.name = again, strings.TrimPrefix(tail[2:], "Scenario: ")
	case strings.TrimLeft(head, "(['") == "" && tail != "" && methodLike(p.file): // Class.method:9 text
		m.name, m.message = p.file, strings.TrimLeft(tail, "» ")
		return m
	case strings.TrimLeft(head, "(['") == "" && (m.style == "ERROR " || m.style == "ERROR: " || m.style == "Error: "): // a diagnostic
		m.name = ""
		return m
	case strings.TrimLeft(head, "(['") == "" && tail != "": // the place first
		m.name = tail
	case head == "":
		return m // a place is all there is
	default:
		if at := strings.LastIndex(head, " at "); at > 0 && !strings.Contains(head[at+4:], " ") { // name at Test.<anonymous> (place)
			head = head[:at]
		}
		for _, w := range []string{" at", " in", " on", " failed"} {
			head = strings.TrimSuffix(head, w)
		}
		m.name = head
		if m.message == "" {
			m.message = strings.TrimSpace(tail)
		}
	}
	m.place = p
	return m
}

// methodLike reports whether what stands before a line's number is a class with
// its method, and no file: CartTest.adds.
func methodLike(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, `/\`) && !sourceExts[path.Ext(s)]
}
