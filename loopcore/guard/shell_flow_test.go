package guard

import (
	"strings"
	"testing"
)

// TestShellFlow asks of texts of commands which of them fail with their tool.
func TestShellFlow(t *testing.T) {
	for _, c := range []struct {
		text    string
		errexit bool
		fails   bool
	}{
		{"npm test", false, true},
		{"npm test\necho done", true, true},
		{"npm test\necho done", false, false},
		{"set -e\nnpm test\necho done", false, true},
		{"npm test || true", true, false},
		{"npm test || exit 1\necho done", false, true},
		{"npm test || { echo no; exit 1; }\necho done", false, true},
		{"npm test || { echo known failures; }", true, false},
		{"npm test &", true, false},
		{"npm test &\nwait $!", true, true},
		{"npm test | tee log", true, false},
		{"set -o pipefail\nnpm test | tee log", true, true},
		{"if npm test; then echo ok; else echo failed; fi", true, false},
		{"if npm test; then echo ok; else echo failed; exit 1; fi", true, true},
		{"if ! npm test; then\n  status=1\nfi\nexit $status", false, true},
		{"if ! npm test; then\n  status=1\nfi\nexit 0", false, false},
		{"code=0\nnpm test || code=$?\nexit $code", true, true},
		{"code=0\nnpm test || code=$?\necho done", true, false},
		{"npm test; test $? -le 1", false, false},
		{"npm test\n[ $? -eq 0 ] || exit 1", false, true},
		{"timeout 5 npm test || [ $? -eq 124 ]", true, false},
		{"for d in a b; do (cd $d && npm test) || exit 1; done", false, true},
		{"for d in a b; do (cd $d && npm test); done", false, false},
		{"for d in a b; do (cd $d && npm test); done", true, true},
		{"for d in a b; do npm test || continue; done", true, false},
		{"trap 'exit 0' EXIT\nnpm test", true, false},
		{"case $1 in\n  all) npm test ;;\n  *) echo usage ;;\nesac", true, true},
		{"cat <<EOF\nnpm test || true\nEOF\nnpm test", false, true},
		{"echo for the record; npm test", false, true},
		{"run() {\n  npm test\n}\nrun", true, true},
		{"! npm test", true, false},
		{"cd x && npm test && npm run lint", true, true},
		{"npm run build && npm test || echo broken", true, false},
		{"npm test || rc=1\nif [ -n \"$rcfile\" ]; then echo; fi\nexit 0", true, false},
		{"npm test || rc=1\nexit ${rc:-0}", true, true},
		{"npm test || rc=1\n(( rc == 0 ))", true, true},
		{"npm test || echo one || exit 1", true, true},
		{"npm test || { echo one; } || exit 1", true, false},
	} {
		failing, runs := followShell(c.text, c.errexit)
		if got := runs["npm test"] > 0 && failing["npm test"] == runs["npm test"]; got != c.fails {
			t.Errorf("%q (errexit %v): fails %v of %v, want %v", c.text, c.errexit, failing, runs, c.fails)
		}
	}
}

// Long scripts are read in one pass: this takes minutes where each command looks at all the others.
func TestLongShell(t *testing.T) {
	const n = 20000
	for _, text := range []string{
		"pytest " + strings.Repeat("|| x ", n),
		"pytest " + strings.Repeat("|| exit 1 ", n),
		strings.Repeat("pytest && ", n) + "x || y\n",
		strings.Repeat("pytest\nrc=$?\n", n),
		strings.Repeat("pytest || { rc=1; }\n", n),
	} {
		if _, runs := followShell(text, true); runs["pytest"] == 0 {
			t.Errorf("%.40q…: no run of pytest", text)
		}
	}
}

func FuzzShellFlow(f *testing.F) {
	f.Add("if a; then case $x in a) b;; esac; fi")
	f.Add("x() { ( y || { z; } ) | t & }\n<<A\n$(")
	f.Fuzz(func(t *testing.T, text string) {
		failing, runs := followShell(text, true)
		for k, n := range failing {
			if n > runs[k] {
				t.Errorf("%q fails more often than it runs", k)
			}
		}
	})
}
