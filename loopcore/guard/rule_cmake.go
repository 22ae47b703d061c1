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

// cmakeTests reads what a build registers with CTest, by name.
func cmakeTests(text string) map[string]*cmakeTest {
	out := map[string]*cmakeTest{}
	var under []string
	for _, m := range cmakeCallRE.FindAllStringSubmatch(withoutHash(text), -1) {
		args := shellWords(strings.ReplaceAll(m[2], "\n", " "))
		switch call := strings.ToLower(m[1]); {
		case call == "if":
			under = append(under, strings.Join(args, " "))
		case call == "endif" && len(under) > 0:
			under = under[:len(under)-1]
		case len(args) == 0:
		case call == "add_test" && len(args) > 1:
			name, command := args[0], args[1:]
			if strings.EqualFold(name, "NAME") {
				name, command = args[1], args[2:]
			}
			out[name] = &cmakeTest{command: strings.TrimPrefix(strings.Join(command, " "), "COMMAND "), under: append([]string(nil), under...)}
		case strings.HasSuffix(call, "_discover_tests"):
			out[args[0]] = &cmakeTest{under: append([]string(nil), under...)}
		case call == "set_tests_properties":
			for i, w := range args {
				if t := out[args[0]]; w == "PASS_REGULAR_EXPRESSION" && t != nil && i+1 < len(args) {
					t.pass = args[i+1]
				}
			}
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
		a, b := before[name], after[name]
		if b == nil {
			if !strings.Contains(name, "$") && len(after) < len(before) {
				say("C01", d.goneSeverity(name), name, "no longer registered")
			}
			continue
		}
		if more := minus(b.under, a.under); len(more) > 0 {
			sev := loopcore.SevBlock
			if platformRE.MatchString(more[0]) {
				sev = loopcore.SevHuman
			}
			say("C01", sev, name, "only under a condition: "+more[0])
		}
		if a.pass != b.pass && a.pass != "" && anyTextRE.MatchString(b.pass) {
			say("C02", loopcore.SevBlock, name, "any output passes")
		}
		if a.command == "" || a.command == b.command {
			continue
		}
		for _, h := range compareFlags("ctest", strings.Fields(a.command), strings.Fields(b.command)) {
			say("C02", h.sev, name, h.why)
		}
	}
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
