package guard

import (
	"fmt"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// offRules report what was switched off in ways that belong to no single tool:
// settings that became comments, lists of what is not tested that grew, warnings
// that tests ignore, a type checker's header that went, retries around a test.
func (d *diff) offRules() {
	for _, f := range d.files {
		if f.old == nil || f.new == nil || len(f.old.Data) > maxConfig || len(f.new.Data) > maxConfig {
			continue
		}
		if f.role == roleConfig {
			d.commentedOut(f)
			d.recipeFails(f)
		}
		d.guarded(f)
		d.docTests(f)
		if f.testSide() || f.hasTests() {
			d.codeInComments(f)
			d.offLists(f)
			d.listedUnder(f)
			d.unasked(f)
			d.ignoredWarnings(f)
			d.suiteExits(f)
			d.errexitGone(f)
		}
		if f.newU.lang == langJS && flowRE.MatchString(f.oldU.src[:min(len(f.oldU.src), 400)]) && !strings.Contains(f.newU.src, "@flow") && ext(f.new.Path) == ext(f.old.Path) {
			d.report("L05", loopcore.SevHuman, f.path(), 1, "the type checker no longer reads this file: @flow is gone")
		}
	}
	for _, p := range d.pairs {
		d.saidAbove(p)
		if !p.equal {
			d.retried(p)
			d.compiledUnder(p)
			d.fewerLooks(p)
		}
	}
}

// flowRE is the header by which Flow reads a file.
var flowRE = lazily(`(?m)^\s*(//|/?\*+)\s*@flow\b`)

// commentedOut reports live lines of settings that stand in a comment now.
func (d *diff) commentedOut(f *fileDiff) {
	live, dead := map[string]int{}, map[string]int{}
	note := func(text string, by int) {
		for _, l := range strings.Split(text, "\n") {
			bare := strings.TrimSpace(l)
			text := strings.TrimSpace(strings.TrimLeft(bare, "#/*-<!; \t"))
			if len(text) < 8 || !strings.ContainsAny(text, " :=(") {
				continue
			}
			if isComment(bare) {
				dead[text] += by
				continue
			}
			live[text] -= by
			if item, is := strings.CutPrefix(bare, "- "); is {
				if item = strings.TrimSpace(strings.TrimLeft(item, "- ")); item != text { // of a list, whose mark the comment may have kept
					live[item] -= by
				}
			}
		}
	}
	note(string(f.old.Data), -1)
	note(string(f.new.Data), 1)
	n, what, line, sev := 0, "", 0, loopcore.SevHuman
	for k, l := range strings.Split(string(f.new.Data), "\n") {
		bare := strings.TrimSpace(l)
		text := strings.TrimSpace(strings.TrimLeft(bare, "#/*-<!; \t"))
		if isComment(bare) && dead[text] > 0 && live[text] > 0 {
			if n++; n == 1 {
				what, line = text, k+1
			}
			if toolCalls(text) > 0 || strings.HasPrefix(text, "add_test") || strings.Contains(text, "discover_tests") {
				sev = loopcore.SevBlock
			}
		}
	}
	if n == 0 {
		return
	}
	rule := "C08"
	switch {
	case isCI(f.path()):
		rule = "C07"
	case hasAny(strings.ToLower(f.path()), "lint", "rubocop", "flake8", "ruff", "credo", "clang-tidy", "detekt", "pre-commit", "phpcs"):
		rule = "C03"
	}
	d.report(rule, sev, f.path(), line, fmt.Sprintf("%d lines became comments: %s", n, clip(what, 120)))
}

// recipeRE is a line of a recipe that fails by itself.
var recipeRE = lazily(`^@?(false|exit [1-9]\d*)$`)

// recipeFails reports recipes of make that no longer fail: C08.
func (d *diff) recipeFails(f *fileDiff) {
	if !strings.Contains(strings.ToLower(baseName(f.path())), "makefile") {
		return
	}
	if a, b := countMatches(recipeRE, string(f.old.Data)), countMatches(recipeRE, string(f.new.Data)); b < a {
		d.report("C08", loopcore.SevHuman, f.path(), 0, "a recipe no longer fails by itself")
	}
}

func isComment(l string) bool {
	return strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "#!") && !strings.HasPrefix(l, "#[") || strings.HasPrefix(l, "//") || strings.HasPrefix(l, "<!--") || strings.HasPrefix(l, ";")
}

// offNameRE is the name of a list of what is left out.
var offNameRE = lazily(`(?i)(disabled?|skip(ped|s)?|ignored?|excluded?|known_?(fail|issue|bug)|expected_?fail|quarantin|blacklist|denylist|flaky|xfail|` +
	`unsupported|allowed_?fail|broken)\w*$|^(disabled?|skip|ignored?|exclude|broken|flaky|xfail)`)

// offLists reports lists of that kind in the code of tests that grew: C01.
func (d *diff) offLists(f *fileDiff) {
	before, after := f.oldU.offLists(), f.newU.offLists()
	for _, name := range sortedKeys(counts(after)) {
		had, now := before[name], after[name]
		if news := minus(texts(now), texts(had)); len(now) > len(had) && (len(had) > 0 || f.newU.lang == langElixir) && len(news) > 0 {
			d.report("C01", loopcore.SevHuman, f.path(), now[0].line, fmt.Sprintf("%s grew by %s", name, clip(strings.Join(news, ", "), 120)))
		}
	}
}

func counts(m map[string][]row) map[string]int {
	out := map[string]int{}
	for k, v := range m {
		out[k] = len(v)
	}
	return out
}

func texts(rows []row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.text)
	}
	return out
}

// offLists are the elements of lists whose names say that they are left out.
func (u *unit) offLists() map[string][]row {
	out, deciding := map[string][]row{}, u.deciding()
	for i := range u.toks {
		call := u.text(i+1) == "(" && u.text(i+2) == "["
		if u.lang == langElixir && u.leftOutDoctests(i, out) {
			continue
		}
		if u.kind(i) != tkIdent || u.text(i+1) != "=" && u.text(i+1) != ":=" && u.text(i+1) != ":" && !call || !offNameRE.MatchString(u.text(i)) && !u.decides(i, deciding) {
			continue
		}
		for k := i + 2; k < min(i+8, len(u.toks)); k++ {
			if u.isOpen(k) && (u.text(k) == "[" || u.text(k) == "{" || u.text(k) == "(" && (u.lang == langPython || makersRE.MatchString(u.text(k-1)))) {
				for _, a := range u.args(k) {
					if a.to > a.from && (u.hasLiteral(a) || u.lang == langElixir) {
						out[u.text(i)] = append(out[u.text(i)], row{text: u.norm(a.from, a.to), line: u.line(a.from)})
					}
				}
				break
			}
		}
	}
	return out
}

// decides says whether cases go another way where the list that token i names
// holds them: if (zone !in strangeZones) …
func (u *unit) decides(i int, deciding map[string][]int) bool {
	name := u.text(i)
	return u.text(i+1) != ":" && len(name) >= 4 && slices.ContainsFunc(deciding[name], func(k int) bool { return k != i })
}

// deciding are the tokens, by name, that name what a condition asks whether it
// holds something.
func (u *unit) deciding() map[string][]int {
	out := map[string][]int{}
	for k := range u.toks {
		if u.kind(k) != tkIdent || u.text(k-1) != "in" && !holdsCallRE.MatchString(u.text(k-2)) && !(u.text(k+1) == "." && holdsCallRE.MatchString(u.text(k+2))) {
			continue
		}
		if o := u.up(k); u.text(u.stmtStart(k)) == "if" || o > 0 && u.text(o) == "(" && u.text(o-1) == "if" {
			out[u.text(k)] = append(out[u.text(k)], k)
		}
	}
	return out
}

// holdsCallRE asks a list whether it holds something.
var holdsCallRE = lazily(`^([cC]ontains(Key)?|includes?|has|in_array|InSlice|Contains)$`)

// leftOutDoctests adds the documentation tests that Elixir leaves out: doctest M,
// except: [f: 1], or an attribute that such a list comes from.
func (u *unit) leftOutDoctests(i int, out map[string][]row) bool {
	list := i + 1
	switch {
	case u.text(i) == "except" && u.text(i+1) == ":" && u.text(u.stmtStart(i)) == "doctest":
		list = i + 2
	case u.text(i-1) == "@" && strings.HasSuffix(u.text(i), "doctests"):
	default:
		return false
	}
	if !u.isOpen(list) || u.text(list) != "[" {
		return false
	}
	for _, a := range u.args(list) {
		out[u.text(i)] = append(out[u.text(i)], row{text: u.norm(a.from, a.to), line: u.line(a.from)})
	}
	return true
}

// warningsOffRE ignores warnings while tests run.
var warningsOffRE = lazily(`mark\.filterwarnings\(\s*r?["']ignore|\bwarnings\.(simplefilter|filterwarnings)\(\s*["']ignore`)

func (d *diff) ignoredWarnings(f *fileDiff) {
	if f.newU.lang != langPython {
		return
	}
	a, b := countMatches(warningsOffRE, callsJoined(f.oldU.src)), countMatches(warningsOffRE, callsJoined(f.newU.src))
	if b > a {
		d.report("C10", loopcore.SevHuman, f.path(), 0, "tests ignore more warnings")
	}
}

// callsJoined puts a call and its first argument on one line.
func callsJoined(s string) string { return openParenRE.ReplaceAllString(s, "(") }

var openParenRE = lazily(`\(\s+`)

// guardRE are conditions under which tests of a language are left out as a whole:
// the hidden lines of a documentation test, a library that cannot be loaded.
var guardRE = map[lang]*lazyRE{
	langRust: lazily(`^//[/!] # if .*\bcfg!\(.*\breturn\b`),
	langRuby: lazily(`^rescue LoadError|\b(if|unless)\b.*(\bRUBY_(ENGINE|VERSION|PLATFORM)\b|\b(jruby|truffleruby|rubinius|windows|mri)\?)`),
	langJava: lazily(`^@(Ignore|IgnoreIf|PendingFeature|Requires)\b`), // of Spock, where each is a block of its own
}

// guarded reports documentation tests and files of tests that got such a condition: T04.
func (d *diff) guarded(f *fileDiff) {
	re := guardRE[f.newU.lang]
	if re == nil || f.newU.lang == langRuby && !f.testSide() || f.newU.lang == langJava && ext(f.path()) != ".groovy" {
		return
	}
	before, after := linesLike(f.oldU.src, re), linesLike(f.newU.src, re)
	if len(after) < len(before) || f.newU.lang != langRuby && len(after) == len(before) {
		return
	}
	had := strings.Split(f.oldU.src, "\n")
	for k := range had {
		had[k] = strings.TrimSpace(had[k])
	}
	for _, l := range minus(after, had) {
		if line := lineOf(f.newU.src, l); !d.inFresh(f.newU, line) {
			d.report("T04", loopcore.SevHuman, f.path(), line, "tests are left out where they can not run: "+clip(l, 100))
			return
		}
	}
}

// linesLike are the lines of a text that match, without blanks around.
func linesLike(s string, re *lazyRE) []string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimSpace(l); re.MatchString(l) {
			out = append(out, l)
		}
	}
	return out
}

// errexitGone reports a shell program of tests that goes on behind a failing check: A08.
func (d *diff) errexitGone(f *fileDiff) {
	if f.newU.lang == langShell && errexitRE.MatchString(f.oldU.src) && !errexitRE.MatchString(f.newU.src) {
		d.report("A08", loopcore.SevBlock, f.path(), 1, "a failing check no longer ends the test: set -e is gone")
	}
}

// lineLike is the first line of a text that an expression matches, "" without any.
func lineLike(s string, re *lazyRE) string { return first(linesLike(s, re)) }

// suiteExits reports a group of tests that is left before its tests are declared: T04.
func (d *diff) suiteExits(f *fileDiff) {
	a, _ := f.oldU.suiteExits()
	if b, line := f.newU.suiteExits(); b > a {
		d.report("T04", loopcore.SevHuman, f.path(), line, "a group of tests is left before its tests are declared")
	}
}

func (u *unit) suiteExits() (n, line int) {
	word := map[lang]string{langRuby: "next", langJS: "return"}[u.lang]
	if word == "" {
		return 0, 0
	}
	for i := range u.toks {
		if u.kind(i) != tkIdent || u.text(i) != word || u.text(i-1) == "." {
			continue
		}
		t := u.testAt(i)
		if t == nil || !t.suite || i < t.body || u.funcAt(i) != nil && u.funcAt(i).open > t.body || u.inHook(i, t) {
			continue
		}
		if n++; line == 0 {
			line = u.line(i)
		}
	}
	return n, line
}

// inHook says whether token i stands in a block of its own below the suite: a
// hook, a helper, a loop.
func (u *unit) inHook(i int, t *test) bool {
	for o := u.up(i); o >= t.body; o = u.up(o) {
		switch w := u.text(u.stmtStart(o)); w {
		case "if", "unless", "else", "elsif", "case", "}":
			continue
		}
		return true
	}
	return false
}

// retryRE is a block that is run again when it fails.
var retryRE = lazily(`\b(retries|retry|with_retry|with_retries|retry_on_failure|retryable|rerun)(\(\d*\))? ?(do\b|\{)|` +
	`\b(retry|withRetry|retries|with_retries)\((\d|async|\(\)|function|lambda|func)`)

// retried reports a test, part of which is now tried again: A11.
func (d *diff) retried(p testPair) {
	a, b := p.old.unit.norm(p.old.body, p.old.to), p.new.unit.norm(p.new.body, p.new.to)
	if n := len(retryRE.FindAllString(b, -1)); n > len(retryRE.FindAllString(a, -1)) {
		d.report("A11", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q is tried again when it fails", p.new.path))
	}
}

// lookRE is a query of a rendered page that fails where it finds nothing.
var lookRE = lazily(`\b(findBy|findAllBy|getBy|getAllBy)(Text|Role|TestId|LabelText|AltText|Title|DisplayValue|PlaceholderText)\(`)

// fewerLooks reports a test that looks for less in what was rendered: A01.
func (d *diff) fewerLooks(p testPair) {
	if p.new.unit.lang != langJS {
		return
	}
	looks := func(t *test) (n int) {
		for _, l := range statements(t) {
			if !strings.Contains(l, "expect(") && lookRE.MatchString(l) && (strings.HasPrefix(l, "await ") || strings.HasPrefix(l, "screen")) {
				n++
			}
		}
		return n
	}
	if a, b := looks(p.old), looks(p.new); b < a && len(p.new.checks) <= len(p.old.checks) {
		d.report("A01", loopcore.SevHuman, p.new.unit.path, p.new.unit.line(p.new.at), fmt.Sprintf("test %q looks for less in what was rendered", p.new.path))
	}
}
