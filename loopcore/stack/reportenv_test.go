package stack

import (
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"fixloop/loopcore"
)

// requireRunner skips where a runner is missing, and fails in CI.
func requireRunner(t *testing.T, name string, probe ...string) {
	t.Helper()
	err := exec.Command(name, probe...).Run()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is needed: %v", name, err)
	}
	t.Skipf("%s is not here: %v", name, err)
}

func TestReportEnv(t *testing.T) {
	have := func(pairs ...string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			for i := 0; i+1 < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1], true
				}
			}
			return "", false
		}
	}
	cases := []struct {
		name, command, reads string
		env                  func(string) (string, bool)
		want, files          string
	}{
		{"go keeps its flags and is never made to print JSON", "go test ./...", "gotest", have("GOFLAGS", "-mod=vendor"), "GOFLAGS=-mod=vendor -v", ""},
		{"go that is verbose already", "go test ./...", "gotest", have("GOFLAGS", "-v"), "", ""},
		{"pytest appends", "make test", "pytest", have("PYTEST_ADDOPTS", "-x"), "PYTEST_ADDOPTS=-x --junitxml=/s/pytest.xml", "/s/pytest.xml"},
		{"pytest that writes a report of its own", "pytest --junitxml=out/r.xml", "pytest", nil, "", "d/out/r.xml"},
		{"tox passes the variable on", "tox -e py", "pytest", nil,
			"PYTEST_ADDOPTS=--junitxml=/s/pytest.xml; TOX_OVERRIDE=testenv.pass_env+=PYTEST_ADDOPTS; TOX_TESTENV_PASSENV=PYTEST_ADDOPTS CI",
			"/s/pytest.xml"},
		{"node keeps its options", "npm test", "node-test", have("NODE_OPTIONS", "--max-old-space-size=1"),
			"NODE_OPTIONS=--max-old-space-size=1 --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=/s/node-test.xml",
			"/s/node-test.xml"},
		{"a reporter in the command decides", "node --test --test-reporter=tap", "node-test", nil, "", ""},
		{"jest takes a hook", "npm test", "jest", nil, "FIXLOOP_REPORT_DIR=/s; NODE_OPTIONS=--require /s/hook.cjs", "/s/jest-*.json /s/vitest-*.json"},
		{"one hook for both", "npm test", "jest,vitest", nil, "FIXLOOP_REPORT_DIR=/s; NODE_OPTIONS=--require /s/hook.cjs", "/s/jest-*.json /s/vitest-*.json"},
		{"rspec names a format for people too", "bundle exec rspec", "rspec", nil, "SPEC_OPTS=--format progress --format json --out /s/rspec.json", "/s/rspec.json"},
		{"maven writes reports anyway", "mvn test", "maven-surefire", nil, "", "d/**/target/failsafe-reports/TEST-*.xml d/**/target/surefire-reports/TEST-*.xml"},
		{"gotestsum", "gotestsum ./...", "gotest", nil, "GOFLAGS=-v; GOTESTSUM_JUNITFILE=/s/gotestsum.xml", "/s/gotestsum.xml"},
		{"unittest has no variable", "python -m unittest", "unittest", nil, "", ""},
		{"a linter is left alone", "eslint .", "eslint", nil, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			set, files, _ := ReportEnv(loopcore.Step{Command: c.command, Dir: "d", ReadsResultsFrom: strings.Split(c.reads, ",")}, "/s/", c.env)
			var got []string
			for k, v := range set {
				got = append(got, k+"="+v)
			}
			sort.Strings(got)
			sort.Strings(files)
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("set %q\nwant %q", s, c.want)
			}
			if s := strings.Join(files, " "); s != c.files {
				t.Errorf("files %q\nwant %q", s, c.files)
			}
			for k, v := range set {
				if k == "GOFLAGS" && strings.Contains(v, "-json") {
					t.Error("GOFLAGS=-json makes go vet exit 0 with findings")
				}
			}
		})
	}
}

// TestStepEnvIsKept: what the step itself sets is appended to, before the
// process's environment.
func TestStepEnvIsKept(t *testing.T) {
	set, _, _ := ReportEnv(loopcore.Step{Command: "make test", Env: map[string]string{"GOFLAGS": "-tags=x"},
		ReadsResultsFrom: []string{"gotest"}}, "/s", func(string) (string, bool) { return "-mod=mod", true })
	if set["GOFLAGS"] != "-tags=x -v" {
		t.Errorf("GOFLAGS %q", set["GOFLAGS"])
	}
}

// runStep runs a command as the engine would, in a folder of its own.
func runStep(t *testing.T, reader, command string, files map[string]string) (out string, code int, scratch string) {
	t.Helper()
	dir := t.TempDir()
	scratch = filepath.Join(t.TempDir(), "a b")
	for _, d := range []string{scratch} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	set, _, write := ReportEnv(loopcore.Step{Command: command, Dir: ".", ReadsResultsFrom: []string{reader}}, scratch, os.LookupEnv)
	for p, text := range write {
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = dir, os.Environ()
	for k, v := range set {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	b, _ := cmd.CombinedOutput()
	return string(b), cmd.ProcessState.ExitCode(), scratch
}

// TestReportsAreWritten runs the real runners: the exit code stays, the output
// for people stays, and the report is there. The folder's name has a space.
func TestReportsAreWritten(t *testing.T) {
	t.Run("pytest", func(t *testing.T) {
		requireRunner(t, "python3", "-m", "pytest", "--version")
		out, code, s := runStep(t, "pytest", "python3 -m pytest -q", map[string]string{"test_a.py": "def test_a():\n    assert 1 == 2\n"})
		b, _ := os.ReadFile(filepath.Join(s, "pytest.xml"))
		if code != 1 || !strings.Contains(out, "1 failed") || !strings.Contains(string(b), `name="test_a"`) {
			t.Errorf("exit %d, report %q\n%s", code, b, out)
		}
	})
	t.Run("node", func(t *testing.T) {
		requireRunner(t, "node", "--test-reporter=spec", "-e", "0")
		out, code, s := runStep(t, "node-test", "node --test", map[string]string{"a.test.js": "require('node:test').test('two', () => { throw new Error('no') })\n"})
		b, _ := os.ReadFile(filepath.Join(s, "node-test.xml"))
		if code != 1 || !strings.Contains(out, "two") || !strings.Contains(string(b), `name="two"`) {
			t.Errorf("exit %d, report %q\n%s", code, b, out)
		}
	})
	t.Run("go", func(t *testing.T) {
		requireRunner(t, "go", "version")
		out, code, _ := runStep(t, "gotest", "go vet ./... && go build ./... && go test ./...", map[string]string{"go.mod": "module a\n\ngo 1.22\n",
			"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"})
		if code != 0 || !strings.Contains(out, "--- PASS: TestA") {
			t.Errorf("exit %d\n%s", code, out)
		}
	})
	// jest and vitest stand in as scripts that print their arguments: the hook
	// looks at the program's name, adds its own, and leaves others alone.
	for _, c := range []struct{ program, args, want string }{
		{"node_modules/jest/bin/jest.js", "", "--json --outputFile="},
		{"node_modules/jest/bin/jest.js", "--watch", ""},
		{"node_modules/jest/bin/jest.js", "--json", ""},
		{"node_modules/vitest/vitest.mjs", "run", "--reporter=default --reporter=json --outputFile.json="},
		{"node_modules/vitest/vitest.mjs", "run --reporter=dot", ""},
		{"scripts/jester.js", "", ""},
	} {
		t.Run("hook "+c.program+" "+c.args, func(t *testing.T) {
			requireRunner(t, "node", "--version")
			out, code, _ := runStep(t, "jest", "node "+c.program+" "+c.args, map[string]string{c.program: "console.log('ARGS ' + process.argv.slice(2).join(' '))\n"})
			if code != 0 || c.want == "" && strings.Contains(out, "outputFile") || !strings.Contains(out, c.want) {
				t.Errorf("exit %d, want %q in\n%s", code, c.want, out)
			}
		})
	}
	t.Run("mocha reporter is valid", func(t *testing.T) {
		requireRunner(t, "node", "--version")
		f := filepath.Join(t.TempDir(), "r.cjs")
		if err := os.WriteFile(f, []byte(mochaReporter), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("node", "--check", f).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
