package parse

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"fixloop/loopcore"
)

// sound checks what holds of every report, whatever was read.
func sound(t testing.TB, in Input, r loopcore.Report) {
	t.Helper()
	n := r.Counts
	if bad := n.Failed + n.Errors; bad > n.Total {
		t.Fatalf("%d failed or broken of %d", bad, n.Total)
	}
	for _, v := range []int{n.Passed, n.Failed, n.Errors, n.Skipped, n.Killed, n.Total} {
		if v < 0 {
			t.Fatalf("a count is negative: %+v", n)
		}
	}
	if r.Status == "" {
		t.Fatal("no status")
	}
	if in.HasExit && in.Exit != 0 {
		if r.Status == loopcore.StatusPass {
			t.Fatalf("exit %d is green", in.Exit)
		}
		if r.Status == loopcore.StatusFail && len(r.WithFault().Failures)+len(r.Killed) == 0 {
			t.Fatalf("exit %d with nothing to show for it", in.Exit)
		}
	}
	ids := map[string]bool{}
	for _, f := range r.Failures {
		switch {
		case f.ID == "" || ids[f.ID]:
			t.Fatalf("id %q is empty or used twice", f.ID)
		case strings.ContainsAny(f.Message+f.Name+f.Suite, "\n\r\x1b"):
			t.Fatalf("not one line of plain text: %q %q", f.Name, f.Message)
		case len(f.Message) > maxMessage || len(f.Detail) > maxDetail:
			t.Fatalf("message of %d, detail of %d bytes", len(f.Message), len(f.Detail))
		case f.Line < 0 || f.Column < 0 || f.Kind == "" || f.Fingerprint == "":
			t.Fatalf("incomplete: %+v", f)
		}
		ids[f.ID] = true
	}
	var clustered int
	for _, c := range Clusters(r, nil) {
		clustered += len(c.Failures)
	}
	if want := len(required(r.Failures)); clustered != want {
		t.Fatalf("%d of %d failures are in a cluster", clustered, want)
	}
}

// FuzzReaders feeds every reader with pieces of recorded runs.
func FuzzReaders(f *testing.F) {
	dirs, err := os.ReadDir(fixtureRoot)
	if err != nil {
		f.Fatal(err)
	}
	for _, d := range dirs {
		for _, fx := range loadFixtures(f, d.Name()) {
			if len(fx.in.Text) < 64<<10 {
				f.Add(fx.in.Text, fx.in.Exit)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, exit int) {
		in := Input{Text: text, Exit: exit, HasExit: true}
		start := time.Now()
		sound(t, in, Parse(in))
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("%d bytes took %s", len(text), took)
		}
		in.Files = []File{{Name: "report", Data: text}}
		in.Text = nil
		sound(t, in, Parse(in))
	})
}

// Cut anywhere, with other line ends or in other colours, a run is read soundly.
func TestMutilatedFixtures(t *testing.T) {
	dirs, err := os.ReadDir(fixtureRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		for _, fx := range loadFixtures(t, d.Name()) {
			text := fx.in.Text
			for _, part := range [][]byte{text[:len(text)/3], text[len(text)/3:], text[len(text)/4 : len(text)/2],
				bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), append([]byte("\xff\xfe\x80"), text...)} {
				in := fx.in
				in.Text = part
				sound(t, in, Parse(in))
			}
		}
	}
}

// Windows line ends and colours change nothing of what is read.
func TestLineEndsAndColours(t *testing.T) {
	dirs, err := os.ReadDir(fixtureRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		for _, fx := range loadFixtures(t, d.Name()) {
			want := inShort(Parse(fx.in))
			crlf := fx.in
			crlf.Text = bytes.ReplaceAll(bytes.ReplaceAll(fx.in.Text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
			if got := inShort(Parse(crlf)); got != want {
				t.Errorf("%s with CRLF reads otherwise:\n%s\nwant:\n%s", fx.path, got, want)
			}
			colour := fx.in
			colour.Text = bytes.ReplaceAll(fx.in.Text, []byte(" "), []byte(" \x1b[31m\x1b[0m"))
			if got := inShort(Parse(colour)); got != want {
				t.Errorf("%s in colour reads otherwise:\n%s\nwant:\n%s", fx.path, got, want)
			}
		}
	}
}

func TestExitCodeIsTheVerdict(t *testing.T) {
	passing := "ok  \texample.com/a\t0.1s\n"
	failing := "--- FAIL: TestA (0.00s)\n    a_test.go:3: got 1, want 2\nFAIL\nFAIL\texample.com/a\t0.1s\nFAIL\n"
	for _, tt := range []struct {
		name, text string
		exit       int
		want       loopcore.ReportStatus
		failures   int
	}{
		{"green", passing, 0, loopcore.StatusPass, 0},
		{"green words, red exit", passing, 1, loopcore.StatusFail, 1},
		{"red words, green exit", failing, 0, loopcore.StatusFail, 1},
		{"red", failing, 1, loopcore.StatusFail, 1},
		{"nothing said, red exit", "", 3, loopcore.StatusFail, 1},
		{"nothing said, green exit", "", 0, loopcore.StatusPass, 0},
		{"killed", passing, 137, loopcore.StatusKilled, 0},
		{"terminated", "", 143, loopcore.StatusKilled, 0},
		{"timed out", failing, 124, loopcore.StatusKilled, 1},
		{"segmentation fault", "", 139, loopcore.StatusCrash, 0},
		{"nothing to run", "ok  \texample.com/a\t0.1s [no tests to run]\n", 0, loopcore.StatusNoTests, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Parse(Input{Text: []byte(tt.text), Exit: tt.exit, HasExit: true, Step: "test"})
			if r.Status != tt.want || len(r.Failures) != tt.failures {
				t.Errorf("got %s with %d failures, want %s with %d\n%s", r.Status, len(r.Failures), tt.want, tt.failures, inShort(r))
			}
		})
	}
}

func TestMarkedAsKilled(t *testing.T) {
	r := Parse(Input{Text: []byte("suite one ok\n[KILLED] integration (exit=137, signal-shaped 128+9 = SIGKILL, 12ms)\n"), Exit: 3, HasExit: true})
	if r.Status != loopcore.StatusKilled || len(r.Killed) != 1 || r.Killed[0].Suite != "integration" || r.Killed[0].Reason != "marker" || r.Counts.Killed != 1 {
		t.Errorf("got\n%s", inShort(r))
	}
	if r = Parse(Input{Text: []byte("suite one ok\n[KILLED] integration\n"), Exit: 3, HasExit: true}); r.Status != loopcore.StatusFail {
		t.Errorf("a bare mark, which any suite may print, reads\n%s", inShort(r))
	}
	if r = Parse(Input{Text: []byte("[KILLED] is only a word\nok  \texample.com/a\t0.1s\n"), HasExit: true}); r.Status != loopcore.StatusPass {
		t.Errorf("a passing run that prints the mark reads\n%s", inShort(r))
	}
}

// What a test prints deceives nobody.
func TestLookAlikesInAPassingRun(t *testing.T) {
	for _, text := range []string{
		"=== RUN   TestA\n--- FAIL: TestGhost (0.00s)\n    ghost_test.go:1: no\nFAIL\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.1s\n",
		"\n  Cart\n  1) ghost:\n     AssertionError: no\n  1 failing\n    ✔ prints\n\n\n  1 passing (3ms)\n\n",
		"TAP version 13\n# not ok 1 - ghost\n# fail 1\nok 1 - real\n1..1\n# pass 1\n# fail 0\n",
		"FAIL: test_ghost (x.Ghost)\n.\n----------------------------------------------------------------------\nRan 1 test in 0.001s\n\nOK\n",
	} {
		if r := Parse(Input{Text: []byte(text), HasExit: true}); r.Status != loopcore.StatusPass || len(r.Failures) > 0 {
			t.Errorf("reads %s:\n%s", inShort(r), text)
		}
	}
}

func TestCleaning(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"colour", "\x1b[1;31mFAIL\x1b[0m x", "FAIL x"},
		{"256 colours", "\x1b[38;5;196mFAIL\x1b[39m", "FAIL"},
		{"hyperlink", "\x1b]8;;file:///a.go\x07a.go\x1b]8;;\x07:3", "a.go:3"},
		{"hyperlink ended by ST", "\x1b]8;;x\x1b\\a\x1b]8;;\x1b\\", "a"},
		{"progress", "10%\r50%\rdone", "10%\n50%\ndone"},
		{"windows", "a\r\nb\r\n", "a\nb"},
		{"erase and first column", "one\x1b[2K\x1b[1Gtwo", "one\ntwo"},
		{"cursor forward", "a\x1b[3Cb", "a   b"},
		{"backspace", "ab\bc", "ac"},
		{"charset", "\x1b(Bplain", "plain"},
		{"invalid", "a\xffb", "a\ufffdb"},
		{"unfinished", "a\x1b[3", "a"},
		{"byte order mark", "\xef\xbb\xbfa", "a"},
		{"utf-16", "\xff\xfea\x00\n\x00b\x00", "a\nb"},
		{"nul", "a\x00b", "ab"},
	} {
		if got := strings.Join(NewLog(Input{Text: []byte(tt.raw)}).Lines, "\n"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFingerprintFoldsWhatChanges(t *testing.T) {
	for _, pair := range [][2]string{
		{"took 13 ms", "took 2041 ms"}, {"at 0xc000123", "at 0x14001f0"}, {"/tmp/pytest-1/x failed", "/tmp/pytest-77/x failed"},
		{"id 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "id 11111111-2222-3333-4444-555555555555"}, {"on 2026-01-02T03:04:05Z", "on 2025-11-30T13:14:15Z"},
		{"commit 9fceb02d0ae598e9", "commit a3c1d5e7f9b1d3e5"}, {"got 1.5 of 10", "got 22.75 of 3"}, {"line  one", "line one"},
	} {
		a, b := loopcore.Failure{Name: "t", Message: pair[0]}, loopcore.Failure{Name: "t", Message: pair[1]}
		if loopcore.Fingerprint(a) != loopcore.Fingerprint(b) {
			t.Errorf("%q and %q differ: %q, %q", pair[0], pair[1], loopcore.Fold(pair[0]), loopcore.Fold(pair[1]))
		}
	}
	if loopcore.Fold("undefined: Sum") == loopcore.Fold("undefined: Total") {
		t.Error("different words are folded into one")
	}
}

func TestPathsBecomeRelative(t *testing.T) {
	root := fstest.MapFS{"src/cart.js": {}, "pkg/a/b.go": {}}
	l := NewLog(Input{Root: root})
	for raw, want := range map[string]string{
		"/home/me/shop/src/cart.js": "src/cart.js", `C:\work\shop\src\cart.js`: "src/cart.js", "./src/cart.js": "src/cart.js",
		"file:///srv/shop/src/cart.js": "src/cart.js", "/usr/lib/x.js": "/usr/lib/x.js", "pkg/a/b.go": "pkg/a/b.go",
	} {
		if got := l.Path(raw); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}

// A log far larger than the window keeps its memory and its failure.
func TestLargeOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 300 MB")
	}
	middle := "=== RUN   TestMiddle\n    m_test.go:7: got 1, want 2\n--- FAIL: TestMiddle (0.00s)\nFAIL\nFAIL\texample.com/m\t0.1s\n"
	r := multi{&endless{block: written(writeServerLog, 1000, 1), left: 150 << 20}, strings.NewReader("\n" + middle),
		&endless{block: written(writeServerLog, 1000, 1), left: 150 << 20}, strings.NewReader("\nFAIL\n")}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rep, err := ParseReader(&r, Input{Exit: 1, HasExit: true})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(rep.Failures) != 1 || rep.Failures[0].Name != "TestMiddle" || rep.Failures[0].Line != 7 {
		t.Fatalf("the failure in the middle was lost:\n%s", inShort(rep))
	}
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 64<<20 {
		t.Errorf("%d MiB are still held", grown>>20)
	}
	if at := rep.Failures[0].At; at < 1_000_000 {
		t.Errorf("the failure is said to stand on line %d", at)
	}
}

// multi reads one reader after the other.
type multi []interface{ Read([]byte) (int, error) }

func (m *multi) Read(p []byte) (int, error) {
	for len(*m) > 0 {
		n, err := (*m)[0].Read(p)
		if err != nil {
			*m = (*m)[1:]
			if n == 0 {
				continue
			}
		}
		return n, nil
	}
	return 0, io.EOF
}

// What a very large output left out for want of room is said, not hidden.
func TestUnreadIsSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 40 MB")
	}
	dense := written(writeGoTest, 400_000, 1)
	r, err := ParseReader(bytes.NewReader(dense), Input{Exit: 1, HasExit: true})
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(dense, []byte("\n")); r.Unread == 0 || r.Unread+3*len(r.Failures) < lines-100 {
		t.Errorf("%d of %d lines are said to be left out, %d failures were read", r.Unread, lines, len(r.Failures))
	}
	r, err = ParseReader(&multi{&endless{block: written(writeServerLog, 1000, 1), left: 30 << 20}}, Input{HasExit: true})
	if err != nil || r.Unread != 0 {
		t.Errorf("%d lines without a sign of failing are said to be left out: %v", r.Unread, err)
	}
}

// everyFixture reads each fixture of each reader, readers side by side.
func everyFixture(t *testing.T, read func(*testing.T, fixture)) {
	dirs, err := os.ReadDir(fixtureRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		t.Run(d.Name(), func(t *testing.T) {
			t.Parallel()
			for _, fx := range loadFixtures(t, d.Name()) {
				read(t, fx)
			}
		})
	}
}

// A run that was cut at any line, or in the middle of one, is read soundly by
// its own reader.
func TestCutAnywhere(t *testing.T) {
	everyFixture(t, func(t *testing.T, fx fixture) {
		lines := bytes.SplitAfter(fx.in.Text, []byte("\n"))
		reader := filepath.Base(filepath.Dir(fx.path))
		step, at := len(lines)/60+1, 0
		for i, line := range lines {
			if i%step == 0 {
				for _, cut := range []int{at, at + len(line)/3, at + 2*len(line)/3, at + max(len(line)-2, 0)} {
					in := Input{Text: fx.in.Text[:cut], Exit: fx.in.Exit, HasExit: true, Format: reader}
					sound(t, in, Parse(in))
				}
				in := Input{Text: fx.in.Text[at:], Exit: fx.in.Exit, HasExit: true, Format: reader}
				sound(t, in, Parse(in))
			}
			at += len(line)
		}
	})
}
