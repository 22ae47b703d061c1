package guard

import (
	"strings"
	"testing"

	"fixloop/loopcore"
)

func TestRulesPerPath(t *testing.T) {
	rules := func(sev loopcore.Severity) map[string]loopcore.Severity {
		return map[string]loopcore.Severity{"L01": sev}
	}
	for name, c := range map[string]struct {
		rules     map[string]loopcore.Severity
		overrides []loopcore.Override
		file      string
		want      loopcore.Severity // "" for no finding
	}{
		"no settings": {file: "legacy/b.go", want: loopcore.SevBlock},
		"everywhere":  {rules: rules(loopcore.SevOff), file: "legacy/b.go"},
		"off here":    {overrides: []loopcore.Override{{Files: []string{"legacy/**"}, Rules: rules(loopcore.SevOff)}}, file: "legacy/deep/b.go"},
		"not here": {overrides: []loopcore.Override{{Files: []string{"legacy/**"}, Rules: rules(loopcore.SevOff)}},
			file: "core/b.go", want: loopcore.SevBlock},
		"not by a part of a name": {overrides: []loopcore.Override{{Files: []string{"legacy"}, Rules: rules(loopcore.SevOff)}},
			file: "legacy/b.go", want: loopcore.SevBlock},
		"stricter here": {rules: rules(loopcore.SevWarn),
			overrides: []loopcore.Override{{Files: []string{"core/*"}, Rules: rules(loopcore.SevBlock)}}, file: "core/b.go", want: loopcore.SevBlock},
		"the last one counts": {overrides: []loopcore.Override{{Files: []string{"**"}, Rules: rules(loopcore.SevOff)},
			{Files: []string{"core/**"}, Rules: rules(loopcore.SevHuman)}}, file: "core/b.go", want: loopcore.SevHuman},
		"of those that name the rule": {overrides: []loopcore.Override{{Files: []string{"**"}, Rules: rules(loopcore.SevHuman)},
			{Files: []string{"core/**"}, Rules: map[string]loopcore.Severity{"L02": loopcore.SevOff}}}, file: "core/b.go", want: loopcore.SevHuman},
	} {
		in := Input{Changes: []Change{change(c.file, "package a\n\nfunc G() {}\n", "package a\n\nfunc G() {} //nolint\n")}, Rules: c.rules, Overrides: c.overrides}
		fs := Check(in)
		if c.want == "" && len(fs) > 0 || c.want != "" && (len(fs) != 1 || fs[0].Severity != c.want) {
			t.Errorf("%s: want %q, got%s", name, c.want, describe(fs))
		}
	}
}

// What was lost in the run is in no file, so that no override hides it.
func TestOverridesDoNotReachTheInventory(t *testing.T) {
	in := Input{BaselineRan: Ran{Tests: 5}, Ran: Ran{Tests: 1},
		Overrides: []loopcore.Override{{Files: []string{"**"}, Rules: map[string]loopcore.Severity{"D03": loopcore.SevOff}}}}
	if fs := Check(in); len(fs) != 1 || fs[0].Severity != loopcore.SevBlock {
		t.Errorf("got%s", describe(fs))
	}
}

// TestOurSettings: what the file may not do quietly, and each in its own words.
func TestOurSettings(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"guard: {rules: {L01: block}}", "guard: {rules: {L01: off}}", "a rule is softer, off instead of block: L01"},
		{"", "guard: {rules: {T00: warn}}", "a rule is softer, warn instead of human: T00"},
		{"guard: {overrides: [{files: a/**, rules: {L01: human}}]}", "guard: {overrides: [{files: a/**, rules: {L01: off}}]}",
			"a rule is softer in a/**, off instead of human: L01"},
		{"guard: {overrides: [{files: a/**, rules: {T00: block}}]}", "guard: {}", "a rule is softer in a/**, human instead of block: T00"},
		{"guard: {rules: {L01: human}}", "guard: {overrides: [{files: [a, b], rules: {L01: human}}]}", ""},
		{"guard: {rules: {L01: warn}}", "guard: {rules: {L01: block}}", ""},
		{"tests: frozen", "guard: {}", ""},
		{"tests: frozen", "tests: no-weaken", "existing tests are no longer frozen: tests"},
		{"tests: no-weaken", "", ""},
		{"guard: {protect: a/**}", "guard: {protect: [b/**]}", "files are no longer protected: a/**"},
		{"gate: {test: pytest}", "gate: {test: 'true'}", "a command of the gate is another, true: test"},
		{"gate: {test: pytest}", "gate: {test: [pytest]}", ""},
		{"guard: {rules: {L01: block}}", "guard: [", "the settings of the guard can not be read any more"},
	} {
		fs := Check(Input{Changes: []Change{change(oursFile, c.before, c.after)}})
		got := ""
		for _, f := range fs {
			if f.Rule == "C13" {
				got = strings.TrimPrefix(got+"; "+f.Change, "; ")
			}
		}
		if got != c.want {
			t.Errorf("%s → %s: got %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
