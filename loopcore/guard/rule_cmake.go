package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// cmakeTest is one registration of a test with CTest.
type cmakeTest struct {
	command string   // what runs, "" for a program whose tests are discovered
	under   []string // the conditions around
	pass    string   // PASS_REGULAR_EXPRESSION
}

// cmakeCallRE is a call of CMake, with what stands in its brackets on its lines.
var cmakeCallRE = lazily(`(?is)\b(\w+)\s*\(((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*)\)`)

// cmakeTests reads what a build registers with CTest: by name, for a name may
// be registered under several conditions.
func cmakeTests(text string) map[string][]*cmakeTest {
	out := map[string][]*cmakeTest{}
	var under conditions
	for _, m := range cmakeCallRE.FindAllStringSubmatch(withoutHash(text), -1) {
		args := shellWords(strings.ReplaceAll(m[2], "\n", " "))
		call := strings.ToLower(m[1])
		under.follow(call, strings.Join(args, " "))
		switch {
		case len(args) == 0:
		case call == "add_test" && len(args) > 1:
			name, command := args[0], args[1:]
			if strings.EqualFold(name, "NAME") {
				name, command = args[1], args[2:]
			}
			out[name] = append(out[name], &cmakeTest{command: strings.TrimPrefix(strings.Join(command, " "), "COMMAND "), under: under.all()})
		case strings.HasSuffix(call, "_discover_tests"):
			out[args[0]] = append(out[args[0]], &cmakeTest{under: under.all()})
		case call == "set_tests_properties":
			for i, w := range args {
				if w != "PASS_REGULAR_EXPRESSION" || i+1 == len(args) {
					continue
				}
				for _, t := range out[args[0]] {
					t.pass = args[i+1]
				}
			}
		}
	}
	return out
}

// conditions are the blocks of if around a call, each with what holds in the branch at hand.
type conditions [][]string

// follow reads a call that opens, turns or closes a block of if.
func (c *conditions) follow(call, cond string) {
	last := len(*c) - 1
	switch {
	case call == "if":
		*c = append(*c, []string{cond})
	case last < 0:
	case call == "endif":
		*c = (*c)[:last]
	case call == "else" || call == "elseif":
		branch := append([]string(nil), (*c)[last]...)
		branch[len(branch)-1] = negated(branch[len(branch)-1])
		if call == "elseif" {
			branch = append(branch, cond)
		}
		(*c)[last] = branch
	}
}

func (c conditions) all() []string {
	var out []string
	for _, branch := range c {
		out = append(out, branch...)
	}
	return out
}

// negated is the opposite of a condition.
func negated(cond string) string {
	rest, not := strings.CutPrefix(cond, "NOT ")
	switch {
	case not && strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") && len(rest) > 1:
		return rest[1 : len(rest)-1]
	case not && !strings.Contains(rest, " "):
		return rest
	case strings.Contains(cond, " "):
		return "NOT (" + cond + ")"
	}
	return "NOT " + cond
}

// maxCases bounds the conditions that are told apart for one test.
const maxCases = 10

// always says whether one of some lists of conditions holds in every case.
func always(lists [][]string, depth int) bool {
	if len(lists) == 0 || depth > maxCases {
		return false
	}
	for _, l := range lists {
		if len(l) == 0 {
			return true
		}
	}
	yes := lists[0][0]
	no := negated(yes)
	return always(given(lists, yes, no), depth+1) && always(given(lists, no, yes), depth+1)
}

// given are the lists that can still hold where yes does and no does not, without yes.
func given(lists [][]string, yes, no string) [][]string {
	var out [][]string
	for _, l := range lists {
		if !contains(l, no) {
			out = append(out, minus(l, []string{yes}))
		}
	}
	return out
}

// withoutHash is a text without comments of #.
func withoutHash(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "#") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

var (
	// platformRE is a condition about the machine.
	platformRE = lazily(`\b(WIN32|APPLE|UNIX|MSVC|MINGW|LINUX|ANDROID|CMAKE_SYSTEM_NAME|CMAKE_\w*COMPILER\w*)\b`)
	// anyTextRE is a pattern that every output holds.
	anyTextRE = lazily(`^(\.[*+]?|\^|\$|\(\.\*\)|)$`)
)

// testChoiceRE picks some of the tests of a program.
var testChoiceRE = lazily(`--?(test-(case|suite)(-exclude)?|tce?|tse?|gtest_filter|run_test|filter|exclude\w*)=|(^| )"?~?\[\w|(^| )~\w`)

// cmakeRules compares the tests that a build registers: C01, C02.
func (d *diff) cmakeRules(f *fileDiff) {
	if b := baseName(f.path()); f.old == nil || f.new == nil || b != "CMakeLists.txt" && ext(b) != ".cmake" {
		return
	}
	before, after := cmakeTests(string(f.old.Data)), cmakeTests(string(f.new.Data))
	say := func(rule string, sev loopcore.Severity, name, what string) {
		d.report(rule, sev, f.path(), keyLine(string(f.new.Data), name, nil), fmt.Sprintf("test %s: %s", name, what))
	}
	for _, name := range sortedKeys(before) {
		news := after[name]
		if len(news) == 0 {
			if !strings.Contains(name, "$") && len(after) < len(before) {
				say("C01", d.goneSeverity(name), name, "no longer registered")
			}
			continue
		}
		for _, a := range before[name] {
			stand, more := a.standing(news)
			if len(more) > 0 {
				sev := loopcore.SevBlock
				if platformRE.MatchString(more[0]) {
					sev = loopcore.SevHuman
				}
				say("C01", sev, name, "only under a condition: "+more[0])
			}
			for _, b := range stand {
				if a.pass != b.pass && a.pass != "" && anyTextRE.MatchString(b.pass) {
					say("C02", loopcore.SevBlock, name, "any output passes")
				}
				if a.command == "" || a.command == b.command {
					continue
				}
				if w := minus(strings.Fields(b.command), strings.Fields(a.command)); testChoiceRE.MatchString(strings.Join(w, " ")) && !testChoiceRE.MatchString(a.command) {
					say("C01", loopcore.SevBlock, name, "only some of the tests run: "+strings.Join(w, " "))
				}
				for _, h := range compareFlags("ctest", strings.Fields(a.command), strings.Fields(b.command)) {
					say("C02", h.sev, name, h.why)
				}
			}
		}
	}
}

// standing are the registrations that stand in the place of an old one: the
// nearest that holds wherever it did, else all together. More is what must hold
// besides, where they leave a case out.
func (a *cmakeTest) standing(news []*cmakeTest) (stand []*cmakeTest, more []string) {
	var extras [][]string
	for _, b := range news {
		extra := minus(b.under, a.under)
		if len(extra) == 0 && (len(stand) == 0 || a.command == b.command) {
			stand = []*cmakeTest{b}
		}
		extras = append(extras, extra)
	}
	if len(stand) > 0 {
		return stand, nil
	}
	if !always(extras, 0) {
		more = extras[0]
	}
	return news, more
}

// goneSeverity is human where the sources of a test went with it.
func (d *diff) goneSeverity(name string) loopcore.Severity {
	for _, f := range d.files {
		if f.new == nil && f.role == roleTest && !d.inLoop() || f.new != nil && f.old == nil && f.role == roleConfig && strings.Contains(string(f.new.Data), name) {
			return loopcore.SevHuman
		}
	}
	return loopcore.SevBlock
}
