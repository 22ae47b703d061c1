package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fixloop/server"
)

var update = flag.Bool("update", false, "rewrite what the server says in testdata/wire")

// TestWire plays the transcripts of testdata/wire. A file tells one story; its
// section "wire" has one message a line:
//
//	-> MESSAGE   the client sends this, JSON or not
//	<- MESSAGE   the server says this; neighbours may come in any order
//	<~ PART      the server says something that holds this part
//	eof          the client closes its end; the server then ends without error
//
// With -update the "<-" lines are rewritten; their number stays.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("../testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(b)
			if len(a.Files) != 1 || a.Files[0].Name != "wire" {
				t.Fatal("a transcript has one section, wire")
			}
			got := play(t, strings.Split(strings.TrimRight(string(a.Files[0].Data), "\n"), "\n"))
			if *update {
				a.Files[0].Data = []byte(strings.Join(got, "\n") + "\n")
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play runs a transcript and returns it with what the server said.
func play(t *testing.T, script []string) []string {
	c := start(t, sample(), func(cfg *server.Config) { cfg.AskTimeout = time.Minute })
	for i := 0; i < len(script); i++ {
		line := script[i]
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "->":
			c.send("%s", text)
		case "<-":
			n := i
			for n < len(script) && strings.HasPrefix(script[n], "<- ") {
				n++
			}
			c.said(script[i:n])
			i = n - 1
		case "<~":
			if got := c.next(); !holds(decoded(t, []byte(text)), decoded(t, got)) {
				t.Errorf("line %d: want a part %s\nin %s", i+1, text, got)
			}
		case "eof":
			c.in.Close()
			if err := c.end(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case "", "#":
		default:
			t.Fatalf("line %d: %q", i+1, line)
		}
	}
	return script
}

// said compares the next messages with want, in any order, and puts them there.
func (c *client) said(want []string) {
	c.t.Helper()
	var got []string
	for range want {
		var b bytes.Buffer
		if err := json.Compact(&b, c.next()); err != nil {
			c.t.Fatal(err)
		}
		got = append(got, "<- "+b.String())
	}
	if !*update {
		expected := slices.Clone(want)
		slices.Sort(expected)
		slices.Sort(got)
		for i := range got {
			if diff := cmp.Diff(decoded(c.t, []byte(expected[i][3:])), decoded(c.t, []byte(got[i][3:]))); diff != "" {
				c.t.Errorf("want (-) and got (+) differ:\n%s", diff)
			}
		}
	}
	slices.Sort(got)
	copy(want, got)
}

func decoded(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// holds reports whether got has everything that part has.
func holds(part, got any) bool {
	switch p := part.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for k := range p {
			ok = ok && holds(p[k], g[k])
		}
		return ok
	case []any:
		g, ok := got.([]any)
		if !ok || len(p) > len(g) {
			return false
		}
		for i := range p {
			if !holds(p[i], g[i]) {
				return false
			}
		}
		return true
	}
	return part == got
}
