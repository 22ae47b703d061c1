package stack

import (
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// reporter makes one runner write a report without changing the command.
type reporter struct {
	reader string
	needs  []string // words of the command without which it is left alone
	unless []string // words of the command that already decide the reports, or break with ours
	set    func(p reportPlan)
}

// reportPlan collects what the reporters ask for.
type reportPlan struct {
	scratch string // absolute, forward slashes
	dir     string // the step's folder
	env     map[string]string
	old     func(string) string
	files   *[]string
	write   map[string]string
}

// add appends to a variable's value, never replacing what stood there.
func (p reportPlan) add(name, value string) {
	if cur, ok := p.env[name]; ok {
		p.env[name] = cur + " " + value
		return
	}
	p.env[name] = strings.TrimSpace(p.old(name) + " " + value)
}

func (p reportPlan) file(names ...string) {
	for _, n := range names {
		if !slices.Contains(*p.files, n) {
			*p.files = append(*p.files, n)
		}
	}
}

// reporters hold only what was measured to work; see the comments for what was
// measured to do harm. They are appended, never replace a value of the user's.
var reporters = []reporter{
	// -v names every test, so that one that vanished is seen. -json is never set:
	// with it go vet exits 0 on findings, and go list prints JSON into Makefiles.
	{"gotest", nil, nil, func(p reportPlan) {
		if !strings.Contains(" "+p.old("GOFLAGS")+" ", " -v ") {
			p.add("GOFLAGS", "-v")
		}
	}},
	// An option in the ini file loses to it, one on the command line wins.
	{"pytest", nil, []string{"--junitxml", "--junit-xml", "no:junitxml"}, func(p reportPlan) {
		p.add("PYTEST_ADDOPTS", "--junitxml="+quoteWord(p.scratch+"/pytest.xml"))
		p.file(p.scratch + "/pytest.xml")
	}},
	// tox passes on few variables: 3.x takes the list from a variable, 4.11 and
	// later an override; each ignores the other's.
	{"pytest", []string{"tox"}, nil, func(p reportPlan) {
		p.add("TOX_TESTENV_PASSENV", "PYTEST_ADDOPTS CI")
		p.env["TOX_OVERRIDE"] = strings.TrimPrefix(p.old("TOX_OVERRIDE")+";testenv.pass_env+=PYTEST_ADDOPTS", ";")
	}},
	// Without --test-reporter the runner takes two reporters: one for people, one for us.
	{"node-test", nil, []string{"--test-reporter"}, func(p reportPlan) {
		p.add("NODE_OPTIONS", "--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination="+quoteNode(p.scratch+"/node-test.xml"))
		p.file(p.scratch + "/node-test.xml")
	}},
	{"jest", nil, []string{"--json", "--outputFile", "--watch", "--watchAll"}, hookReporter},
	{"vitest", nil, []string{"--reporter", "--outputFile", "--watch"}, hookReporter},
	// A reporter of ours prints what spec prints and writes the JSON besides: the
	// JSON reporter alone would take the log from the people who read it.
	{"mocha", nil, []string{"--reporter", "-R"}, func(p reportPlan) {
		if strings.ContainsAny(p.scratch, " \t'\"") {
			return // MOCHA_OPTIONS splits at spaces and knows no quotes
		}
		p.write[p.scratch+"/mocha-reporter.cjs"] = mochaReporter
		p.add("MOCHA_OPTIONS", "--reporter "+p.scratch+"/mocha-reporter.cjs")
		p.env["FIXLOOP_REPORT_DIR"] = p.scratch
		p.file(p.scratch + "/mocha-*.json")
	}},
	// bun takes its options from there for the runner only: bun run x is not disturbed.
	{"bun-test", nil, []string{"--reporter", "--reporter-outfile"}, func(p reportPlan) {
		p.add("BUN_OPTIONS", "--reporter=junit --reporter-outfile="+p.scratch+"/bun.xml")
		p.file(p.scratch + "/bun.xml")
	}},
	// SPEC_OPTS replaces the formats of .rspec and the command line, so that one for people is named too.
	{"rspec", nil, []string{"--out", "-o"}, func(p reportPlan) {
		p.add("SPEC_OPTS", "--format progress --format json --out "+quoteWord(p.scratch+"/rspec.json"))
		p.file(p.scratch + "/rspec.json")
	}},
	{"minitest", []string{"rake"}, []string{"TESTOPTS"}, func(p reportPlan) { p.add("TESTOPTS", "-v") }},
	{"ctest", nil, nil, func(p reportPlan) { p.env["CTEST_OUTPUT_ON_FAILURE"] = "1" }},
	{"cargo-test", nil, []string{"--color"}, cargoPlain},
	{"nextest", nil, []string{"--color"}, cargoPlain},
	{"rustc", nil, []string{"--color"}, cargoPlain},
	{"clippy", nil, []string{"--color"}, cargoPlain},
	// Both build tools write their reports whatever is asked; older files are told by their time.
	{"maven-surefire", nil, nil, func(p reportPlan) {
		p.file(path.Join(p.dir, "**/target/surefire-reports/TEST-*.xml"), path.Join(p.dir, "**/target/failsafe-reports/TEST-*.xml"))
	}},
	{"gradle", nil, nil, func(p reportPlan) { p.file(path.Join(p.dir, "**/build/test-results/**/*.xml")) }},
}

func cargoPlain(p reportPlan) { p.env["CARGO_TERM_COLOR"] = "never" }

// hookReporter preloads a script into node that adds a JSON reporter to jest's
// and vitest's arguments: neither takes one from the environment.
func hookReporter(p reportPlan) {
	hook := p.scratch + "/hook.cjs"
	if _, done := p.write[hook]; !done {
		p.write[hook] = nodeHook
		p.add("NODE_OPTIONS", "--require "+quoteNode(hook))
	}
	p.env["FIXLOOP_REPORT_DIR"] = p.scratch
	p.file(p.scratch+"/jest-*.json", p.scratch+"/vitest-*.json")
}

// ReportEnv says how to make the runners of a step write structured reports
// without changing its command.
//
// scratch is an absolute folder of this run and step. env answers what the
// child's environment holds already; for GOFLAGS it should answer what
// `go env GOFLAGS` says, because a set variable hides the one that go env -w
// wrote. Values are appended to what env and the step's own Env hold.
//
// set are variables to set. files are doublestar globs of reports to read after
// the run, absolute, or relative to the repository: a file that is older than
// the run's start is not of this run. write are files to write before the run,
// by absolute path. A report that is missing afterwards is no failure: read the
// text.
func ReportEnv(step loopcore.Step, scratch string, env func(string) (string, bool)) (set map[string]string, files []string, write map[string]string) {
	set, files, write = map[string]string{}, []string{}, map[string]string{}
	old := func(name string) string {
		if v, ok := step.Env[name]; ok {
			return v
		}
		if env != nil {
			if v, ok := env(name); ok {
				return v
			}
		}
		return ""
	}
	p := reportPlan{scratch: strings.TrimSuffix(strings.ReplaceAll(scratch, "\\", "/"), "/"), dir: step.Dir, env: set, old: old, files: &files, write: write}
	words := strings.Fields(step.Command)
	for _, rep := range reporters {
		if !slices.Contains(step.ReadsResultsFrom, rep.reader) || mentions(words, rep.unless) {
			continue
		}
		if len(rep.needs) > 0 && !mentions(words, rep.needs) {
			continue
		}
		rep.set(p)
	}
	if hasAny(step.ReadsResultsFrom, "gotest") && mentions(words, []string{"gotestsum"}) && !mentions(words, []string{"--junitfile"}) && old("GOTESTSUM_JUNITFILE") == "" {
		set["GOTESTSUM_JUNITFILE"] = p.scratch + "/gotestsum.xml"
		p.file(p.scratch + "/gotestsum.xml")
	}
	p.file(namedReports(words, step.Dir)...)
	return set, files, write
}

func hasAny(xs []string, s string) bool { return slices.Contains(xs, s) }

// mentions says whether a word of the command is one of these, or is it with a value.
func mentions(words, any []string) bool {
	for _, w := range words {
		name, _, _ := strings.Cut(w, "=")
		if slices.Contains(any, name) || slices.Contains(any, path.Base(name)) {
			return true
		}
	}
	return false
}

// reportFlags name a report file on the command line.
var reportFlags = []string{"--junitxml", "--junit-xml", "--log-junit", "--output-junit", "--outputFile", "--junitfile", "--junit-path",
	"--reporter-outfile", "--jsonfile", "--out", "--output-file"}

// namedReports are reports that the command itself asks for.
func namedReports(words []string, dir string) []string {
	var out []string
	for i, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !slices.Contains(reportFlags, name) {
			continue
		}
		if !ok && i+1 < len(words) {
			value = words[i+1]
		}
		value = strings.Trim(value, `"'`)
		if value == "" || strings.ContainsAny(value, "$`*?[{") || strings.HasPrefix(value, "-") {
			continue
		}
		if !strings.HasPrefix(value, "/") {
			value = path.Join(dir, value)
		}
		out = append(out, value)
	}
	return out
}

// quoteWord quotes a path for runners that split a variable like a shell.
func quoteWord(s string) string {
	if !strings.ContainsAny(s, " \t'\"") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// quoteNode quotes a path for NODE_OPTIONS, which knows double quotes only.
func quoteNode(s string) string {
	if !strings.ContainsAny(s, " \t\"") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
