package guard

import (
	"strings"
)

// mark is a directive that takes a test out of the verdict.
type mark struct {
	class markClass
	text  string // as written, in one spelling
	cond  string // the condition under which it holds, "" for always
	line  int
	at    int // token
}

type markClass string

const (
	markSkip  markClass = "T03" // not run
	markCond  markClass = "T04" // run only under a condition
	markXfail markClass = "T05" // expected to fail
	markFocus markClass = "T06" // the others do not run
	markTodo  markClass = "T12" // no body
	markBuild markClass = "T10" // compiled only under a condition
	markTime  markClass = "A11" // longer limit or retry
	markGone  markClass = "T08" // taken out of what the runner collects
)

// markRule finds one kind of directive in the view of a piece of a file.
type markRule struct {
	class markClass
	re    *lazyRE
}

func rx(class markClass, s string) markRule { return markRule{class, lazily(s)} }

// headMarks are looked for in attributes and the declaration of tests and suites.
var headMarks = map[lang][]markRule{
	langGo: {
		rx(markSkip, `^[PX](It|Describe|Context|When|Specify|DescribeTable|Entry)\(|[(,]Pending\b`),
		rx(markFocus, `^F(It|Describe|Context|When|Specify|DescribeTable|Entry)\(|[(,]Focus\b`),
		rx(markTime, `\bFlakeAttempts\(`),
	},
	langPython: {
		rx(markSkip, `@(pytest\.)?mark\.skip\b[^\n]*|@(unittest\.)?skip\b[^\n]*|@\w+\.skip\b[^\n]*`),
		rx(markCond, `@(pytest\.)?mark\.skipif\b[^\n]*|@(unittest\.)?skip(If|Unless)\b[^\n]*|@skipif[^\n]*`),
		rx(markXfail, `@(pytest\.)?mark\.xfail\b[^\n]*|@(unittest\.)?expectedFailure\b`),
		rx(markTime, `@(pytest\.)?mark\.(flaky|timeout|repeat)\b[^\n]*|@flaky[^\n]*`),
	},
	langJS: {
		rx(markSkip, `^x(it|test|describe|context|specify|suite)\b|\.skip\b|\.fixme\b|(^|[{,])skip:(true|""|[^f])|(^|[{,])ignore:true|[{,]disabled:true`),
		rx(markCond, `\.(skipIf|runIf)\b(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|(^|[{,])ignore:[^tf,}][^,}]*`),
		rx(markXfail, `\.fails\b|\.failing\b|\.fail\b|[{,]todo:(true|"")|[{,]fails:true`),
		rx(markFocus, `^f(it|describe|context|test|specify)\b|\.only\b|(^|[{,])only:true`),
		rx(markTodo, `\.todo\b`),
		rx(markTime, `\{[^{}]*\b(retry|repeats):|\.retries\(`),
		rx(markSkip, `^Deno\.test\.ignore\b`),
	},
	langRust: {
		rx(markSkip, `#\[ignore\b[^\n]*`),
		rx(markBuild, `#\[cfg\([^\n]*\)\]`),
		rx(markCond, `#\[cfg_attr\([^\n]*ignore[^\n]*|#\[test_with::[^\n]*`),
		rx(markXfail, `#\[should_panic\]|#\[should_panic\(\)\]|#\[should_panic\([^\n]*`),
	},
	langJava: {
		rx(markSkip, `@(\w+\.)*(Disabled|Ignore|PendingFeature|Ignored)\b(\([^\n]*)?|@(\w+\.)*Test\([^\n]*enabled=false`),
		rx(markCond, `@(\w+\.)*(EnabledIf|EnabledOn|EnabledFor|EnabledIn|DisabledIf|DisabledOn|DisabledFor|DisabledIn|Requires|IgnoreIf)\w*[^\n]*`),
		rx(markXfail, `@(\w+\.)*Test\([^\n]*expected(Exceptions)?=[^\n]*|@(\w+\.)*(ExpectedToFail|NotYetImplemented)\b[^\n]*`),
		rx(markTime, `@(\w+\.)*(RetryingTest|Flaky|Retry|RerunFailingTest|Timeout)\b[^\n]*|retryAnalyzer=|timeOut=\d+|timeout=\d+`),
	},
	langKotlin: {
		rx(markSkip, `^x(test|it|describe|context|given|when|then|should|expect|feature|scenario)\(|@(\w+\.)*(Disabled|Ignore|Ignored)\b(\([^\n]*)?|\.config\([^\n]*enabled=false`),
		rx(markCond, `@(\w+\.)*(EnabledIf|EnabledOn|EnabledFor|DisabledIf|DisabledOn|DisabledFor)\w*[^\n]*|\.config\([^\n]*enabled(If|OrReasonIf)?=[^f][^\n]*`),
		rx(markFocus, `^f(test|it|describe|context|given|when|then|should|expect|feature|scenario)\(`),
		rx(markXfail, `@(\w+\.)*Test\([^\n]*expected=[^\n]*`),
		rx(markTime, `\.config\([^\n]*(timeout|retries)=[^\n]*|@(\w+\.)*(Flaky|Retry|RetryingTest|Timeout)\b[^\n]*`),
	},
	langRuby: {
		rx(markSkip, `^x(it|describe|context|specify|example|feature|scenario)\b|[ ,(]:skip\b|\bskip:(true|""|[^f\s])|[ ,(]:pending\b|^(pending|skip)\b`),
		rx(markCond, `\bskip:\([^\n]*|\bif:[^\n,]*|\bunless:[^\n,]*`),
		rx(markXfail, `\bpending:(true|"")`),
		rx(markFocus, `^f(it|describe|context|specify|example|feature|scenario)\b|[ ,(]:focus\b|\bfocus:true|^focus\b`),
		rx(markTime, `\bretry:\d+`),
	},
	langPHP: {
		rx(markSkip, `\)->skip\(|\)->todo\(|\)->pending\(|^todo\(`),
		rx(markCond, `#\[[^\n]*\bRequires\w*[^\n]*|\)->skipOn\w+\(|\)->onlyOn\w+\(`),
		rx(markXfail, `\)->fails\(|\)->throws\(`),
		rx(markFocus, `\)->only\(`),
		rx(markTime, `#\[[^\n]*\b(Large|Medium)\b`),
	},
	langC: {
		rx(markSkip, `^IGNORE_TEST\(|^CTEST_SKIP\(|\bdisabled\(\)|\*(doctest::)?skip\(|\.disabled=(true|1)`),
		rx(markCond, `\benable_if\b[^\n]*|\bprecondition\(`),
		rx(markXfail, `\bexpected_failures\b|\*(doctest::)?(may_fail|should_fail|expected_failures)\(`),
		rx(markTime, `\btimeout\(`),
	},
	langCSharp: {
		rx(markSkip, `\b(Skip|Ignore|IgnoreReason|IgnoreMessage)=(""|[^\s,)\]]+)|\bExplicit=true|[\[,](\w+\.)*(Ignore|Explicit)(Attribute)?\b(\([^\n]*?\))?`),
		rx(markCond, `\bSkip(When|Unless)=[^\s,)\]]+|[\[,](\w+\.)*(Platform|ConditionalFact|ConditionalTheory|SkipOnPlatform|ActiveIssue|`+
			`OSSkipCondition|SupportedOSPlatform|EnabledOn\w*)\b[^\n]*`),
		rx(markXfail, `[\[,](\w+\.)*ExpectedException\b[^\n]*`),
		rx(markTime, `[\[,](\w+\.)*(Retry|Timeout|MaxTime|CancelAfter)\(|\bTimeout=\d+|[\[,]RetryFact`),
	},
	langElixir: {
		rx(markSkip, `@(module|describe)?tag(:skip\b| skip:(""|true)[^\n]*|\(skip:[^\n]*|\(:skip)|@(module|describe)?tag :skip\b`),
		rx(markCond, `@(module|describe)?tag( |\()skip:[^\s"t][^\n]*`),
		rx(markXfail, `@(module|describe)?tag( |\()?:?(pending|xfail)\b[^\n]*`),
		rx(markFocus, `@(module|describe)?tag( |\()?:?focus\b[^\n]*`),
		rx(markTime, `@(module|describe)?tag( |\()?timeout:[^\n]*`),
	},
	langSwift: {
		rx(markSkip, `\.disabled\((""|\))|^x(it|describe|context)\(`),
		rx(markCond, `\.enabled\(if:[^\n]*|\.disabled\(if:[^\n]*|@available\([^\n]*`),
		rx(markFocus, `^f(it|describe|context)\(|\.focus(ed)?\b`),
		rx(markTime, `\.timeLimit\([^\n]*`),
	},
	langShell: {
		rx(markSkip, `^x(It|Example|Specify|Describe|Context|ExampleGroup)\b|^Todo\b`),
		rx(markFocus, `^f(It|Example|Specify|Describe|Context|ExampleGroup)\b`),
	},
}

// bodyMarks are looked for in the bodies of tests, in hooks and at the top of test files.
var bodyMarks = map[lang][]markRule{
	langGo: {
		rx(markSkip, `\b(t|b|f|tb|s\.T\(\)|suite\.T\(\)|\w+\.T\(\))\.Skip(f|Now)?\([^\n]*|^Skip\([^\n]*`),
		rx(markCond, `^(\w+\.)?[sS]kip(If|On|Unless|When)\w*\([^\n]*`),
	},
	langPython: {
		rx(markSkip, `\bpytest\.skip\([^\n]*|\bself\.skipTest\([^\n]*|\braise (unittest\.)?SkipTest\b[^\n]*|\bpytestmark=[^\n]*\bskip\b[^\n]*|\b__test__=False`),
		rx(markCond, `\bimportorskip\([^\n]*|\bpytestmark=[^\n]*\bskipif\b[^\n]*|\bpytest\.mark\.skipif\([^\n]*|\bpytest\.param\([^\n]*skipif`),
		rx(markXfail, `\bpytest\.xfail\([^\n]*|\bpytestmark=[^\n]*\bxfail\b[^\n]*|,marks=[^\n]*xfail[^\n]*`),
		rx(markSkip, `,marks=[^\n]*\bskip\b[^\n]*|\bcollect_ignore(_glob)?\b[^\n]*`),
		rx(markTime, `\bpytestmark=[^\n]*\b(flaky|timeout)\b[^\n]*`),
		rx(markSkip, `\braise pytest\.skip\.Exception\([^\n]*`),
		rx(markCond, `^(self\.|\w+\.)?skip_(if|on|unless|when)\w*\([^\n]*|^assume\([^\n]*|=(functools\.)?partial\((pytest\.)?mark\.(xfail|skipif)\b[^\n]*`),
		rx(markGone, `^del \w+\.test\w*|\bdelattr\(\w+,""\)`),
	},
	langJS: {
		rx(markSkip, `\b(this|ctx|context|t|test|it|describe)\.skip\([^\n]*|\bpending\([^\n]*|\btest\.fixme\([^\n]*|\bassert\.timeout\b`),
		rx(markSkip, `^skip\((""|true)?\)`),
		rx(markCond, `\bfc\.pre\([^\n]*`),
		rx(markXfail, `\btest\.fail\([^\n]*|\b(t|ctx)\.todo\([^\n]*`),
		rx(markSkip, `\b(global|globalThis|window)\.(it|test|describe|specify)=[^=][^\n]*`),
		rx(markCond, `=[^=\n]*\?[^\n]*\b(it|test|describe|suite|context)\.skip\b[^\n]*`),
		rx(markTime, `\bthis\.(timeout|retries|slow)\([^\n]*|\b(jest|vi)\.(setTimeout|retryTimes)\([^\n]*|\bvi\.setConfig\([^\n]*|\btest\.(setTimeout|slow)\([^\n]*`),
	},
	langRust: {
		rx(markBuild, `^#!\[cfg\([^\n]*`),
		rx(markCond, `\bprop_assume!\([^\n]*|\bTestResult::discard\(\)`),
	},
	langJava: {
		rx(markCond, `\bassum(e|ption)\w*\([^\n]*|\bAssum(e|ptions)\.\w+\([^\n]*`),
		rx(markSkip, `\bthrow new (\w+\.)*(SkipException|TestAbortedException|AssumptionViolatedException)\b[^\n]*|\bTestAbortedException\(`),
	},
	langKotlin: {
		rx(markCond, `\bassum(e|ption|ing)\w*\([^\n]*|\bAssum(e|ptions)\.\w+\([^\n]*`),
		rx(markSkip, `\bthrow (\w+\.)*(TestAbortedException|SkipException|AssumptionViolatedException)\b[^\n]*|\bthrow io\.kotest\.engine\.[^\n]*`),
	},
	langRuby: {
		rx(markSkip, `^skip\b[^=\n:.]*$|^skip (if|unless) [^\n]*|^skip\b[ (]""[^\n]*|[;{] ?skip\b[^=:]*$`),
		rx(markXfail, `^pending\b[^=\n.{]*$|^pending[ (]""[^\n]*`),
		rx(markFocus, `^focus$`),
		rx(markSkip, `^(omit|pend)\b[ (][^=\n]*`),
		rx(markCond, `^(omit|pend|skip)_(if|on|unless|when)\w*\b[^\n]*`),
		rx(markGone, `\b(undef_method|remove_method)[ (]:test_\w+|^undef :?test_\w+`),
	},
	langPHP: {
		rx(markSkip, `->markTestSkipped\([^\n]*|(self|static)::markTestSkipped\([^\n]*`),
		rx(markCond, `^\$this->skip(If|On|Unless|When)\w*\([^\n]*`),
		rx(markXfail, `->markTestIncomplete\([^\n]*|(self|static)::markTestIncomplete\([^\n]*`),
	},
	langC: {
		rx(markSkip, `\bGTEST_SKIP(_)?\([^\n]*|(^|[;){}])SKIP\([^\n]*|\bTEST_IGNORE(_MESSAGE)?\([^\n]*|\bTEST_IGNORE_LINE|\bcr_skip(_test)?\([^\n]*|`+
			`^skip\(\)|^INSTANTIATE_\w+\(DISABLED_\w+|\bcl_skip\(|\bQSKIP\(|\bCHECK_NOFAIL\(|\bBOOST_TEST_SKIP`),
		rx(markXfail, `\bQEXPECT_FAIL\(`),
	},
	langCSharp: {
		rx(markSkip, `\bAssert\.(Skip|Ignore)\b[^\n]*|\bSkip\.(If|IfNot)\([^\n]*|throw new (\w+\.)*(SkipException|IgnoreException)\b[^\n]*`),
		rx(markCond, `\bAssert\.Skip(When|Unless)\([^\n]*|\bAssume\.That\([^\n]*`),
		rx(markXfail, `\bAssert\.Inconclusive\([^\n]*|throw new (\w+\.)*InconclusiveException\b[^\n]*`),
	},
	langElixir: {
		rx(markSkip, `@tag\(:skip\)|@moduletag( |\()?(:skip\b|skip:)[^\n]*|\bExUnit\.configure\([^\n]*exclude:[^\n]*`),
	},
	langSwift: {
		rx(markSkip, `\bthrow XCTSkip\b[^\n]*|\bthrow Skip\b`),
		rx(markCond, `\bXCTSkip(If|Unless)\([^\n]*|\btry #require\(ProcessInfo[^\n]*`),
		rx(markXfail, `\bXCTExpectFailure\b[^\n]*|\bwithKnownIssue\b[^\n]*`),
		rx(markTime, `\bexecutionTimeAllowance=[^\n]*`),
	},
	langShell: {
		rx(markSkip, `^skip\b[^\n]*|[;&|] ?skip\b[^\n]*|^startSkipping\b|^Skip\b[^\n]*|\bthen skip\b[^\n]*`),
		rx(markXfail, `^Pending\b[^\n]*`),
	},
}

// view is a piece of a file as rules see it: logical lines, strings blanked.
type view struct {
	text string
	off  []int32 // offset of each token of [from, …)
	from int
}

// view builds the view of the tokens [from, to).
func (u *unit) view(from, to int) view {
	var b strings.Builder
	v := view{from: from, off: make([]int32, 0, max(to-from, 0))}
	word := false
	for i := from; i < to && i < len(u.toks); i++ {
		if i > from && u.first(i) && !u.continues(i) && !u.inParens(i, from) {
			b.WriteByte('\n')
			word = false
		}
		w := u.kind(i) == tkIdent || u.kind(i) == tkNumber || u.kind(i) == tkString
		gap := i > from && u.toks[i].start > u.toks[i-1].end && (u.lang == langRuby || u.lang == langElixir || u.lang == langShell)
		if word && w || gap && word && (w || u.text(i) == ":") {
			b.WriteByte(' ')
		}
		v.off = append(v.off, int32(b.Len()))
		switch {
		case u.kind(i) == tkString:
			b.WriteString(`""`)
		default:
			b.WriteString(u.text(i))
		}
		word = w && u.kind(i) != tkString
	}
	v.text = b.String()
	return v
}

// inParens says whether token i stands inside a parenthesis or bracket that opened at or after from.
func (u *unit) inParens(i, from int) bool {
	o := u.up(i)
	return o >= from && (u.text(o) == "(" || u.text(o) == "[")
}

// token returns the token at a byte offset of the view.
func (v view) token(at int) int {
	lo, hi := 0, len(v.off)
	for lo < hi {
		m := (lo + hi) / 2
		if int(v.off[m]) <= at {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return v.from + max(lo-1, 0)
}

// scan applies rules to the tokens [from, to).
func (u *unit) scan(rules []markRule, from, to int) []mark {
	if from >= to || len(rules) == 0 {
		return nil
	}
	v := u.view(from, to)
	var out []mark
	for _, line := range lines(v.text) {
		for _, r := range rules {
			for _, m := range r.re.FindAllStringIndex(line.text, -1) {
				at := v.token(line.at + m[0])
				out = append(out, mark{class: r.class, text: strings.TrimLeft(line.text[m[0]:m[1]], "{,"), line: u.line(at), at: at})
			}
		}
	}
	return out
}

type textLine struct {
	text string
	at   int
}

func lines(s string) []textLine {
	var out []textLine
	at := 0
	for {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return append(out, textLine{s[at:], at})
		}
		out = append(out, textLine{s[at : at+i], at})
		at += i + 1
	}
}

// findMarks gives every test its marks, and the unit those that stand outside of tests.
func (u *unit) findMarks() []mark {
	for _, t := range u.tests {
		t.marks = append(u.scan(headMarks[u.lang], t.head, t.at), u.scan(headMarks[u.lang], t.at, t.body)...)
		if u.lang == langPHP && t.to > t.body {
			t.marks = append(t.marks, u.tail(t)...)
		}
		t.marks = append(t.marks, u.nameMarks(t)...)
		t.marks = append(t.marks, u.trailing(t)...)
		if t.nobody && u.lang == langJS && !hasClass(t.marks, markTodo) {
			t.marks = append(t.marks, mark{class: markTodo, text: "no body", line: u.line(t.at), at: t.at})
		}
		if t.nobody && u.lang == langRuby {
			t.marks = append(t.marks, mark{class: markTodo, text: "no body", line: u.line(t.at), at: t.at})
		}
	}
	var free []mark
	for _, m := range u.scan(bodyMarks[u.lang], 0, len(u.toks)) {
		if m.class == markSkip || m.class == markXfail {
			if c := u.condition(m.at); c != "" {
				m.cond = c
				if m.class == markSkip {
					m.class = markCond
				}
			}
		}
		if t := u.testAt(m.at); t != nil {
			if m.at >= t.body || u.lang == langPython && m.at >= t.head {
				t.marks = append(t.marks, m)
			}
			continue
		}
		free = append(free, m)
	}
	return append(free, u.topMarks()...)
}

// trailing reads what Ruby writes after a test's end: it "…" do … end if x.
func (u *unit) trailing(t *test) []mark {
	if u.lang != langRuby {
		return nil
	}
	last := min(t.to, len(u.toks)-1)
	for k := last; k > t.body && u.line(k) >= u.line(last)-1; k-- {
		if w := u.text(k); (w == "if" || w == "unless") && u.text(k-1) == "end" && u.line(k) == u.line(k-1) {
			e := k
			for e < len(u.toks) && u.line(e) == u.line(k) {
				e++
			}
			return []mark{{class: markCond, text: "only", cond: u.norm(k, e), line: u.line(k), at: k}}
		}
	}
	return nil
}

func hasClass(ms []mark, c markClass) bool {
	for _, m := range ms {
		if m.class == c {
			return true
		}
	}
	return false
}

// tail reads what Pest writes after the test's call: it("…", …)->skip().
func (u *unit) tail(t *test) []mark {
	i := t.at + 1
	for i < t.to && u.text(i) != "(" {
		i++
	}
	return u.scan(headMarks[langPHP], u.close(i), t.to)
}

// nameMarks reads the marks that frameworks take from a test's name.
func (u *unit) nameMarks(t *test) []mark {
	at := func(c markClass, s string) []mark { return []mark{{class: c, text: s, line: u.line(t.at), at: t.at}} }
	switch u.lang {
	case langKotlin:
		if strings.HasPrefix(t.raw, "!") {
			return at(markSkip, "!")
		}
		if strings.HasPrefix(t.raw, "f:") {
			return at(markFocus, "f:")
		}
	case langC:
		for _, part := range strings.Split(t.raw, ",") {
			if strings.HasPrefix(part, "DISABLED_") {
				return at(markSkip, "DISABLED_")
			}
		}
		tags := u.text(t.at+4) + u.text(t.at+3)
		if u.text(t.at) == "TEST_CASE" || u.text(t.at) == "SCENARIO" || strings.HasPrefix(u.text(t.at), "T") {
			for _, tag := range [...]string{"[!mayfail]", "[!shouldfail]"} {
				if strings.Contains(tags, tag) {
					return at(markXfail, tag)
				}
			}
			if strings.Contains(tags, "[.") || strings.Contains(tags, "[!benchmark]") || strings.Contains(tags, "[hide]") {
				return at(markSkip, "[.]")
			}
		}
	}
	return nil
}

// topMarks reads file-wide marks that are attributes of nothing: #![cfg(…)], //go:build, # bats test_tags.
func (u *unit) topMarks() []mark {
	var out []mark
	for _, c := range u.comments {
		text := u.src[c.start:c.end]
		switch {
		case u.lang == langGo && (strings.HasPrefix(text, "//go:build ") || strings.HasPrefix(text, "// +build ")) && c.col == 0:
			_, cond, _ := strings.Cut(strings.TrimPrefix(text, "// "), "build ")
			out = append(out, mark{class: markBuild, text: "build " + cond, cond: cond, line: int(c.line), at: -1})
		case u.lang == langShell && strings.Contains(text, "bats test_tags=") && strings.Contains(text, "bats:focus"):
			out = append(out, mark{class: markFocus, text: "bats:focus", line: int(c.line), at: -1})
		case u.lang == langPHP && strings.Contains(text, "@requires "):
			m := mark{class: markCond, text: "@requires" + strings.Join(strings.Fields(after(text, "@requires")), " "), line: int(c.line), at: -1}
			if t := u.testAfter(c); t != nil {
				t.marks = append(t.marks, m)
				continue
			}
			out = append(out, m)
		case u.lang == langPython && strings.Contains(text, "doctest: +SKIP"):
			out = append(out, mark{class: markSkip, text: "doctest +SKIP", line: int(c.line), at: -1})
		}
	}
	return out
}

// testAfter returns the test whose declaration follows a comment.
func (u *unit) testAfter(c token) *test {
	for _, t := range u.tests {
		if h := t.head; h < len(u.toks) && u.toks[h].start >= c.end {
			if h == 0 || u.toks[h-1].start < c.start {
				return t
			}
			return nil
		}
	}
	return nil
}

func after(s, sep string) string {
	_, r, _ := strings.Cut(s, sep)
	if i := strings.IndexAny(r, "*\n"); i >= 0 {
		r = r[:i]
	}
	return r
}

// testAt returns the innermost test around token i.
func (u *unit) testAt(i int) *test {
	var best *test
	for _, t := range u.tests {
		if t.head <= i && i < t.to && (best == nil || t.to-t.head <= best.to-best.head) {
			best = t
		}
	}
	return best
}

// condition returns the text of the innermost if around token i, up to its test or function.
func (u *unit) condition(i int) string {
	limit := -1
	if t := u.testAt(i); t != nil {
		limit = t.body
	}
	if s := u.stmtStart(i); u.text(s) == "if" && s < i { // one line: if (x) skip()
		return u.norm(s+1, i)
	}
	for k := i + 1; k < len(u.toks) && u.line(k) == u.line(i) && u.lang == langRuby; k++ { // skip "…" if x
		if t := u.text(k); t == "if" || t == "unless" {
			return u.norm(k, u.stmtEnd(k))
		}
	}
	if u.lang == langShell {
		for k := i - 1; k >= 0 && u.line(k) == u.line(i); k-- {
			if t := u.text(k); t == "||" || t == "&&" {
				return u.norm(u.stmtStart(k), k)
			}
		}
	}
	for o := u.up(i); o >= 0 && o >= limit; o = u.up(o) {
		s := u.stmtStart(o)
		for k := s - 1; u.lang == langGo && u.text(s-1) == ";" && k >= 0 && u.line(k) == u.line(s); k-- {
			if u.text(k) == "if" { // if x, ok := f(); !ok {
				s = k
				break
			}
		}
		if w := u.text(s); w == "if" || w == "unless" || w == "else" || w == "elif" || w == "}" {
			return u.norm(s+1, o)
		}
		if u.lang == langShell && u.text(o) == "if" {
			return "if"
		}
		if u.lang == langC || u.lang == langSwift {
			continue
		}
	}
	return ""
}
