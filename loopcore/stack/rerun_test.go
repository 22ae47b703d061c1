package stack

import (
	"testing"

	"fixloop/loopcore"
)

func TestRerun(t *testing.T) {
	fs := []loopcore.Failure{{Name: "TestB/sub one", File: "b_test.go"}, {Name: "TestA", File: "a_test.go"}}
	py := []loopcore.Failure{{Name: "test_x", File: "tests/test_a.py"}}
	for _, c := range []struct {
		command string
		fs      []loopcore.Failure
		want    string
	}{
		{"go test ./...", fs, `go test ./... -count=1 -run '^(TestA|TestB)$'`},
		{"pytest -q", py, `pytest -q tests/test_a.py::test_x`},
		{"python3 -m unittest -v", py, `python3 -m unittest -v -k test_x`},
		{"cargo test", []loopcore.Failure{{Name: "calc::adds"}}, `cargo test -- --exact calc::adds`},
		{"node --test", []loopcore.Failure{{Name: "it's (odd)"}}, `node --test --test-name-pattern 'it'\''s \(odd\)'`},
		{"go test ./... | tee log", fs, ""},
		{"make test", fs, ""},
		{"go test ./...", []loopcore.Failure{{Message: "no name"}}, ""},
		{"go test ./...", nil, ""},
		{"cargo test -- --nocapture", fs, ""},
	} {
		got, ok := Rerun(loopcore.Step{Command: c.command}, c.fs)
		if ok != (c.want != "") || ok && got.Command != c.want {
			t.Errorf("%s: %q, want %q", c.command, got.Command, c.want)
		}
	}
}
