package guard

import (
	"bytes"
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// lineRules compare files of tests that are not read token by token, by the
// shapes that the test libraries of all languages share: languages without a
// lexer here, and files too big for one. A person decides what a line means, so
// most of what is found is for a person.
func (d *diff) lineRules() {
	for _, f := range d.files {
		if f.role == roleInstalled || f.role == roleDocs || f.role == roleConfig || f.role == roleSnapshot || !lineByLine(f) {
			continue
		}
		d.compareLines(f)
	}
}

// lineByLine says whether neither version of a file could be read as code with tests.
func lineByLine(f *fileDiff) bool {
	if f.old == nil || f.old.Data == nil {
		return false
	}
	p := f.old.Path
	unread := len(f.oldU.toks) == 0 && len(f.newU.toks) == 0 && f.oldU.lang.isCode() && len(f.old.Data) > 0
	if unread && (isTestFile(p) || f.role == roleTest) {
		return true
	}
	switch strings.ToLower(ext(p)) {
	case ".feature", ".robot", ".phpt", ".m", ".mm", ".rst", ".pyx":
	case ".sql":
		if !hasSeg(p, "t", "test", "tests") {
			return false
		}
	case ".py":
		return bytes.Contains(f.old.Data, []byte("\n>>> ")) || bytes.Contains(f.old.Data, []byte("    >>> ")) // doctests
	default:
		if !otherCode(p) {
			return false
		}
	}
	return len(f.oldU.tests) == 0 && len(f.newU.tests) == 0 || ext(p) == ".scala" || ext(p) == ".groovy"
}

var (
	// testLineRE begins a test, whatever the library.
	testLineRE = lazily(`^\s*(@\w+\s+)*((x|f|p)?(test|it|describe|specify|scenario|property|context|should|ignore|testset|prop|example)\b\s*[("'{#:]|` +
		`@testset\b|@Test\b|deftest\b|\(deftest\b|unittest\b|test_that\(|test\s+"|(It|Describe|Context)\s+['"]|Scenario( Outline)?:|` +
		`-\s*\(void\)\s*test|def\s+"|def\s+test|fn\s+test|let\s+test_|\w+_test\(\)\s*->|(public\s+)?(function|void|func|fun|sub)\s+test|` +
		`\[<(Fact|Theory|Test)|subtest\b|(multi )?sub test|--TEST--|>>> |[A-Z][\w ]*$)`)
	// checkLineRE holds an assertion, whatever the library.
	checkLineRE = lazily("(?i)(\\b(assert\\w*|expect\\w*|check\\w*|should\\w*|verify\\w*|refute\\w*|require\\w*|thrown|throws_ok|lives_ok|cmp_ok|is_deeply|isnt|like|unlike|pass|fail)\\b *[({\\[`'\"=<:]?|\\b(is|ok|are)\\s*\\(|\\((is|are)\\s|@test\\w*|XCTAssert\\w*|\\?assert\\w*|`should\\w*`|Should\\b|^\\s*(Then|And|But)\\b|===|^\\s*\\w[\\w.()\\[\\]\" ]* (==|!=|===) |^\\s*(\\d+|\\(?\\d+\\.\\._\\)?) \\* \\w|--EXPECT)")
	// skipLineRE takes a test out of the verdict, whatever the library.
	skipLineRE = lazily(`(?i)(\bskip\w*\b|\bignore\w*\b *[(:"']|@(Ignore|Disabled)\w*|@Requires\b|@PendingFeature|\bpending\w*\b|\btodo\b *[:{(]|@(wip|skip|ignore|manual|broken)\b|@test_(broken|skip)|\bxit\b|\bxdescribe\b|\bSkipZigTest\b|:skip\b|#_\(|\bcancel\(|robot:skip|-Skip\b|-Pending\b|\bplan skip_all|\$TODO\b|--SKIPIF--|--XFAIL--|doctest:\s*\+SKIP|version\s*\(none\)|\bvm\.skip\b)`)
	// sureSkipRE can mean nothing else.
	sureSkipRE = lazily(`--SKIPIF--|--XFAIL--|doctest:\s*\+SKIP|^@Ignore\b|error\.SkipZigTest|robot:skip|plan skip_all|\s-Skip\b`)
	// focusLineRE makes the others not run.
	focusLineRE = lazily(`(?i)(\bfit\b|\bfdescribe\b|\bsolo:\s*true|focus:\s*true|@IgnoreRest|\bonly:\s*true|:focus\b)`)
	// weakLineRE is a check that nearly everything passes.
	weakLineRE = lazily(`(?i)(true\b|not ?\(? ?(be)?_?-?(null|nil|empty|blank)|isNotNull|NullOrEmpty|not empty|anything|any\w*Exception|truthy|is_?not_?null|instanceof|isA<|type\(|Satisfy|> ?0\b|>= ?0\b|\bpass\(|Throwable\b|\bException\b|Ignore Error|qr/\.|%s|ELLIPSIS|_\))`)
)

// lineDelta is what a comparison of lines found in one file.
type lineDelta struct {
	gone, came map[string]int // lines in one spelling, how many went and came
	order      []string       // of gone, as they stood
	fresh      []string       // of came
}

// compareLines judges the lines that differ.
func (d *diff) compareLines(f *fileDiff) {
	p := f.old.Path
	if f.new == nil {
		if n := countLines(f.old.Data, testLineRE); n > 0 && (f.role == roleTest || isTestFile(p) || hasSeg(p, "t")) && len(f.oldU.tests) == 0 {
			d.report("T01", loopcore.SevBlock, p, 0, fmt.Sprintf("file of %d tests deleted", n))
		}
		return
	}
	if f.new.Data == nil {
		return
	}
	a, b := apart(f.old.Data, f.new.Data)
	if len(a)+len(b) > maxApart {
		d.compareCounts(f, a, b)
		return
	}
	delta := lineDiff(a, b)
	say := func(rule string, lines []string, what string) {
		if len(lines) == 0 {
			return
		}
		more := ""
		if len(lines) > 1 {
			more = fmt.Sprintf(" (and %d more)", len(lines)-1)
		}
		d.report(rule, loopcore.SevHuman, f.path(), lineOf(string(f.new.Data[:min(len(f.new.Data), maxUnit)]), lines[0]), what+": "+clip(lines[0], 120)+more)
	}
	var skips, focus []string
	for _, l := range delta.fresh {
		switch {
		case focusLineRE.MatchString(l):
			focus = append(focus, l)
		case skipLineRE.MatchString(l):
			skips = append(skips, l)
		}
	}
	lostSkips := 0
	for _, l := range delta.order {
		if skipLineRE.MatchString(l) {
			lostSkips++
		}
	}
	if len(skips) > lostSkips {
		for _, l := range skips {
			if sureSkipRE.MatchString(l) {
				d.report("T03", loopcore.SevBlock, f.path(), 0, "a test is skipped: "+clip(l, 120))
				skips = nil
				break
			}
		}
		say("T03", skips, "a test may be skipped")
	}
	say("T06", focus, "a test may be focused")
	d.lostLines(f, delta, say)
}

// maxApart is the size of differing text up to which single lines are judged.
const maxApart = 1 << 20

// apart cuts the lines off that two texts have in common at their ends.
func apart(a, b []byte) ([]byte, []byte) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	n = bytes.LastIndexByte(a[:n], '\n') + 1
	a, b = a[n:], b[n:]
	k := 0
	for k < len(a) && k < len(b) && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	if i := bytes.IndexByte(a[len(a)-k:], '\n'); i >= 0 {
		k -= i + 1
	} else {
		k = 0
	}
	return a[:len(a)-k], b[:len(b)-k]
}

// countedWords are what tests, assertions and skips are made of, with the sign
// of a change that asks for less.
var countedWords = []struct {
	rule  string
	word  string
	fewer bool
}{{"A01", "assert", true}, {"A01", "expect", true}, {"A01", "Assert", true}, {"T02", "test", true}, {"T02", "Test", true},
	{"T02", "it(", true}, {"T03", "skip", false}, {"T03", "Disabled", false}, {"T03", "gnore", false}}

// compareCounts compares files of tests that differ in too much to look at each line.
func (d *diff) compareCounts(f *fileDiff, a, b []byte) {
	told := map[string]bool{}
	a, b = a[:min(len(a), 4*maxApart)], b[:min(len(b), 4*maxApart)]
	for _, w := range countedWords {
		x, y := bytes.Count(a, []byte(w.word)), bytes.Count(b, []byte(w.word))
		if told[w.rule] || w.fewer && y >= x || !w.fewer && y <= x {
			continue
		}
		told[w.rule] = true
		d.report(w.rule, loopcore.SevHuman, f.path(), 0, fmt.Sprintf("%q stood %d times in what changed and stands %d times now", w.word, x, y))
	}
}

// inlineRowRE is a row of a table of tests in F#.
var inlineRowRE = lazily(`^\[<InlineData|^\[<TestCase`)

// lostLines reports tests, rows and assertions that went, or that others took the place of.
func (d *diff) lostLines(f *fileDiff, delta lineDelta, say func(rule string, lines []string, what string)) {
	var tests, rows, checks, changed, weaker, hidden []string
	newTests := 0
	for _, l := range delta.fresh {
		if testLineRE.MatchString(l) {
			newTests++
		}
	}
	commented := map[string]bool{}
	for _, l := range delta.fresh {
		if bare := strings.TrimLeft(l, "/#-*;%<!([{_ \t"); bare != l {
			commented[squeeze(bare)] = true
		}
	}
	used := map[string]int{}
	for _, l := range delta.order {
		switch {
		case commented[squeeze(l)] && (testLineRE.MatchString(l) || checkLineRE.MatchString(l)):
			hidden = append(hidden, l)
		case checkLineRE.MatchString(l):
			now := likest(l, delta.fresh, used)
			switch {
			case now == "":
				checks = append(checks, l)
			case literalRE.ReplaceAllString(l, "0") == literalRE.ReplaceAllString(now, "0"):
				changed = append(changed, now)
			case !testLineRE.MatchString(l) || weakLineRE.MatchString(now) && !weakLineRE.MatchString(l):
				weaker = append(weaker, now)
			}
		case testLineRE.MatchString(l):
			tests = append(tests, l)
		case strings.Count(l, "|") >= 2 || inlineRowRE.MatchString(l):
			rows = append(rows, l)
		}
	}
	say("T07", hidden, "a test may have become a comment")
	if len(tests) > newTests {
		say("T02", tests, "a test went")
	}
	say("T11", rows, "a row of cases went")
	say("A01", checks, "an assertion went")
	say("A04", weaker, "an assertion may have become weaker")
	say("A06", changed, "an expected value changed")
}

// likest returns the fresh line that a lost one most likely became, "" when there is none.
func likest(l string, fresh []string, used map[string]int) string {
	if len(fresh) > 2000 {
		return ""
	}
	best, score := "", 0.45
	for _, n := range fresh {
		if used[n] > 0 {
			continue
		}
		if s := likeText(l, n); s > score {
			best, score = n, s
		}
	}
	if best != "" {
		used[best]++
	}
	return best
}

// lineHints are parts of all that the expressions above look for.
var lineHints = [...]string{"test", "Test", "TEST", "it", "It", "assert", "expect", "should", "Should", "check", "is", "ok", "skip", "Skip",
	"gnore", "isabled", "ending", "|", "==", "Then", "And", "Scenario", "def", "like", "EXPECT", "fail", "pass", ">>>", "require", "verify",
	"thrown", "throw", "*", "TODO", "SKIP", "XFAIL", "[<", "cancel", "solo", "focus", "only"}

// maxLines bounds the lines of one side that are looked at.
const maxLines = 3000

// lineDiff compares two texts as bags of lines.
func lineDiff(a, b []byte) lineDelta {
	delta := lineDelta{gone: map[string]int{}, came: map[string]int{}}
	count := make(map[string]int, 1024)
	eachLine(b, func(l []byte) { count[string(l)]++ })
	eachLine(a, func(l []byte) {
		if n := count[string(l)]; n > 0 {
			count[string(l)] = n - 1
			return
		}
		if len(delta.order) < maxLines && telling(l) {
			delta.gone[string(l)]++
			delta.order = append(delta.order, strings.Join(strings.Fields(string(l)), " "))
		}
	})
	eachLine(b, func(l []byte) {
		if n := count[string(l)]; n > 0 && len(delta.fresh) < maxLines && telling(l) {
			count[string(l)] = n - 1
			delta.came[string(l)]++
			delta.fresh = append(delta.fresh, strings.Join(strings.Fields(string(l)), " "))
		}
	})
	return delta
}

func telling(l []byte) bool {
	for _, h := range lineHints {
		if bytes.Contains(l, []byte(h)) {
			return true
		}
	}
	return false
}

// eachLine calls see with every line that is not blank, trimmed.
func eachLine(b []byte, see func([]byte)) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		l := b
		if i < 0 {
			b = nil
		} else {
			l, b = b[:i], b[i+1:]
		}
		if l = bytes.TrimSpace(l); len(l) > 0 && len(l) < 2000 {
			see(l)
		}
	}
}

func countLines(b []byte, re *lazyRE) int {
	n := 0
	eachLine(b, func(l []byte) {
		if telling(l) && re.MatchString(string(l)) {
			n++
		}
	})
	return n
}
