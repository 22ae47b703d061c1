package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/evidence"
)

// The test binary plays another server process when this names what to do.
const playEnv = "FIXLOOP_STORE_TEST_PLAY"

func TestMain(m *testing.M) {
	if what := os.Getenv(playEnv); what != "" {
		if err := play(what, os.Getenv(playEnv+"_PATH"), os.Getenv(playEnv+"_SESSION")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// play writes to the database at path as another process and prints what it
// saved, after it was told that it is saved.
func play(what, path, session string) error {
	d, err := Open(path, ticking())
	if err != nil {
		return err
	}
	switch what {
	case "runs": // until killed
		for {
			r, err := d.StartRun(evidence.Run{Session: session, Scope: "full"})
			if err != nil {
				return err
			}
			if err := d.FinishRun(sampleRun(r.ID, 40)); err != nil {
				return err
			}
			fmt.Println(r.ID)
		}
	case "checkpoints":
		for i := range 40 {
			if err := d.SaveCheckpoint(evidence.Checkpoint{ID: fmt.Sprintf("%d-%d", os.Getpid(), i), Session: session, Kind: "discarded"}); err != nil {
				return err
			}
		}
	case "open":
		s, err := d.OpenSession(sampleSession())
		if loopcore.CodeOf(err) == loopcore.CodeSessionOpen {
			return d.Close()
		}
		if err != nil {
			return err
		}
		fmt.Println(s.ID)
	}
	return d.Close()
}

func player(ctx context.Context, what, path, session string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), playEnv+"="+what, playEnv+"_PATH="+path, playEnv+"_SESSION="+session)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestKilledWhileWritingLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	d, err := Open(path, ticking())
	must(t, err)
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	must(t, d.Close())
	saved := []string{}
	for round := range 3 {
		cmd := player(t.Context(), "runs", path, s.ID)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for i := 0; i < 3+5*round && lines.Scan(); i++ {
			saved = append(saved, lines.Text())
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() { // what it could still say
			saved = append(saved, lines.Text())
		}
		_ = cmd.Wait()

		d, err := Open(path, ticking())
		must(t, err)
		must(t, d.Check())
		_, err = d.MarkInterruptedRuns()
		must(t, err)
		for _, id := range saved {
			r, err := d.Run(id)
			must(t, err)
			if r.Status != evidence.RunDone || len(r.Failures) != 40 || len(r.Tests) != 2 {
				t.Fatalf("run %s was saved, but is %s with %d failures", id, r.Status, len(r.Failures))
			}
		}
		chain, err := d.Chain(s.ID)
		must(t, err)
		if i, why := evidence.Verify(chain); i != -1 {
			t.Fatal(why)
		}
		must(t, d.Close())
	}
	if len(saved) < 15 {
		t.Fatalf("only %d runs were saved", len(saved))
	}
}

func TestSeveralProcessesWriteOneChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	d := mustOpen(t, path)
	s, err := d.OpenSession(sampleSession())
	must(t, err)
	var all []*exec.Cmd
	for range 3 {
		cmd := player(t.Context(), "checkpoints", path, s.ID)
		must(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		must(t, cmd.Wait())
	}
	v, err := d.Dossier(s.ID)
	must(t, err)
	if len(v.Checkpoints) != 120 || len(v.Chain) != 121 {
		t.Errorf("%d checkpoints, %d records", len(v.Checkpoints), len(v.Chain))
	}
	if i, why := evidence.Verify(v.Chain); i != -1 {
		t.Error(why)
	}
}

func TestSeveralProcessesOpenOneSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db") // not there yet: they race for the schema too
	outs := make([]bytes.Buffer, 4)
	var all []*exec.Cmd
	for i := range outs {
		cmd := player(t.Context(), "open", path, "")
		cmd.Stdout = &outs[i]
		must(t, cmd.Start())
		all = append(all, cmd)
	}
	opened := 0
	for i, cmd := range all {
		must(t, cmd.Wait())
		opened += strings.Count(outs[i].String(), "\n")
	}
	if opened != 1 {
		t.Errorf("%d sessions were opened", opened)
	}
}

// saved makes a database with a session in it and returns its file.
func saved(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	d, err := Open(path, ticking())
	must(t, err)
	played(t, d, 200)
	must(t, d.Close())
	return path
}

func overwrite(t *testing.T, path string, at int64, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(data, at)
	must(t, errors.Join(err, f.Close()))
}

func TestDamageIsRefusedAndNothingIsTouched(t *testing.T) {
	junk := bytes.Repeat([]byte{0xa5}, 4096)
	for name, damage := range map[string]func(path string){
		"not a database": func(path string) { must(t, os.WriteFile(path, []byte("hello, this is no database"), 0o600)) },
		"header":         func(path string) { overwrite(t, path, 0, junk[:64]) },
		"schema page":    func(path string) { overwrite(t, path, 100, junk[:3000]) },
		"cut short":      func(path string) { must(t, os.Truncate(path, 4096)) },
		"inner pages": func(path string) {
			info, err := os.Stat(path)
			must(t, err)
			for at := int64(4096); at < info.Size(); at += 4096 {
				overwrite(t, path, at, junk)
			}
		},
	} {
		path := saved(t)
		damage(path)
		before, err := os.ReadFile(path)
		must(t, err)
		d, err := Open(path, ticking())
		if err == nil { // the first pages are whole: it shows on use
			_, errSession := d.CurrentSession()
			err = errors.Join(d.Check(), errSession)
			for _, one := range []error{d.Check(), errSession} {
				if one != nil {
					wantCode(t, one, loopcore.CodeDamaged)
				}
			}
			if _, err := d.Dossier("x"); err == nil {
				t.Errorf("%s: a dossier came out", name)
			}
			must(t, d.Close())
		}
		if loopcore.CodeOf(err) != loopcore.CodeDamaged {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s: the damaged file was changed", name)
		}
		aside, err := SetAside(path)
		must(t, err)
		if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, before) {
			t.Errorf("%s: not kept: %v", name, err)
		}
		played(t, mustOpen(t, path), 1)
	}
}

func TestDamagedPayloadIsDamage(t *testing.T) {
	for _, statement := range []string{"UPDATE failures SET body = '{'", "UPDATE runs SET tests = x'00'", "UPDATE runs SET started = 'yesterday'",
		"UPDATE runs SET tests = x'1f8b'"} {
		d := fresh(t)
		s, r := played(t, d, 1)
		_, err := d.sql.Exec(statement)
		must(t, err)
		_, err = d.Run(r.ID)
		wantCode(t, err, loopcore.CodeDamaged)
		_, err = d.Dossier(s.ID)
		wantCode(t, err, loopcore.CodeDamaged)
	}
}

func TestForeignAndNewerDatabasesAreLeftAlone(t *testing.T) {
	path := saved(t)
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = raw.Exec("PRAGMA user_version = 99")
	must(t, errors.Join(err, raw.Close()))
	_, err = Open(path, ticking())
	wantCode(t, err, loopcore.CodeDamaged)
	if !strings.Contains(err.Error(), "newer") || !strings.Contains(err.Error(), "99") {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	raw, err = sql.Open("sqlite", other)
	must(t, err)
	_, err = raw.Exec("CREATE TABLE mine (x)")
	must(t, errors.Join(err, raw.Close()))
	_, err = Open(other, ticking())
	wantCode(t, err, loopcore.CodeDamaged)
}

func TestWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(filepath.Join(file, "state.db"), ticking())
	wantCode(t, err, loopcore.CodeDisk)
	dir := filepath.Join(t.TempDir(), "state.db")
	must(t, os.Mkdir(dir, 0o700))
	_, err = Open(dir, ticking())
	wantCode(t, err, loopcore.CodeDisk)
	if os.Geteuid() == 0 {
		t.Log("root may write anywhere: a read-only folder is not tried")
		return
	}
	locked := t.TempDir()
	must(t, os.Chmod(locked, 0o500))
	_, err = Open(filepath.Join(locked, "state.db"), ticking())
	wantCode(t, err, loopcore.CodeDisk)
}

func TestAFullDiskLosesNothing(t *testing.T) {
	d := fresh(t)
	s, _ := played(t, d, 1)
	r, err := d.StartRun(evidence.Run{Session: s.ID, Scope: "full"})
	must(t, err)
	var pages int
	must(t, d.sql.QueryRow("PRAGMA page_count").Scan(&pages))
	_, err = d.sql.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+4))
	must(t, err)
	wantCode(t, d.FinishRun(sampleRun(r.ID, 1000)), loopcore.CodeDisk)
	_, err = d.Dossier(s.ID) // still answering
	must(t, err)
	_, err = d.sql.Exec("PRAGMA max_page_count = 1073741823")
	must(t, err)
	must(t, d.FinishRun(sampleRun(r.ID, 1000)))
	v, err := d.Dossier(s.ID)
	must(t, err)
	if i, why := evidence.Verify(v.Chain); i != -1 || len(v.Last().Failures) != 1000 {
		t.Errorf("%s, %d failures", why, len(v.Last().Failures))
	}
}

func TestAHeldDatabaseIsBusyNotBroken(t *testing.T) {
	path := saved(t)
	a, b := mustOpen(t, path), mustOpen(t, path)
	_, err := b.sql.Exec("PRAGMA busy_timeout = 50")
	must(t, err)
	tx, err := a.sql.Begin() // immediate: holds the write lock
	must(t, err)
	defer tx.Rollback()
	s, err := b.CurrentSession() // readers are not held up
	must(t, err)
	wantCode(t, b.KeepExtra(s.ID, nil), loopcore.CodeBusy)
}

func TestTrimFreesTheDiskAndKeepsTheEvidence(t *testing.T) {
	d := fresh(t)
	var sessions []string
	for range 3 {
		s, _ := played(t, d, 500)
		for range 2 {
			r, err := d.StartRun(evidence.Run{Session: s.ID, Scope: "full"})
			must(t, err)
			must(t, d.FinishRun(sampleRun(r.ID, 500)))
		}
		must(t, d.EndSession(s.ID, loopcore.OutcomeSuccess, "DONE"))
		sessions = append(sessions, s.ID)
	}
	size := func() int64 {
		_, err := d.sql.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		must(t, err)
		info, err := os.Stat(d.Path())
		must(t, err)
		return info.Size()
	}
	before := size()
	n, err := d.Trim(1)
	must(t, err)
	if after := size(); n != 4 || after > before*7/10 {
		t.Errorf("%d runs trimmed, %d bytes before, %d after", n, before, after)
	}
	if n, err := d.Trim(1); n != 0 || err != nil {
		t.Errorf("again: %d %v", n, err)
	}
	for i, id := range sessions {
		v, err := d.Dossier(id)
		must(t, err)
		data, err := evidence.JSON(v)
		must(t, err)
		got, err := evidence.VerifyFile(data)
		if err != nil || len(got.Problems) > 0 || len(v.Last().Failures) != 500 {
			t.Errorf("session %d: %v %q", i, err, got.Problems)
		}
		all, err := d.Failures(v.Runs[0].ID, 0, -1)
		must(t, err)
		if kept := len(all) > 0; kept != (i == 2) {
			t.Errorf("session %d: first run has %d failures", i, len(all))
		}
	}
	must(t, d.Check())
}

var update = flag.Bool("update", false, "write the saved database of this schema anew")

// TestASavedDatabaseOfSchema1 opens a database as the first schema left it.
// Never write that file anew once a second schema exists: add another.
func TestASavedDatabaseOfSchema1(t *testing.T) {
	golden := filepath.Join("..", "..", "..", "testdata", "store", "schema-1.db.gz")
	path := filepath.Join(t.TempDir(), "state.db")
	if *update {
		d, err := Open(path, ticking())
		must(t, err)
		played(t, d, 2)
		_, err = d.sql.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		must(t, errors.Join(err, d.Close()))
		data, err := os.ReadFile(path)
		must(t, err)
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err = z.Write(data)
		must(t, errors.Join(err, z.Close(), os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, b.Bytes(), 0o644)))
	}
	f, err := os.Open(golden)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	data, err := io.ReadAll(z)
	must(t, err)
	must(t, os.WriteFile(path, data, 0o600))
	d := mustOpen(t, path)
	must(t, d.Check())
	s, err := d.CurrentSession()
	must(t, err)
	v, err := d.Dossier(s.ID)
	must(t, err)
	if n := len(v.Last().Failures); n != 2 || v.Last().Findings[0].Rule != "T03" || len(v.Iterations) != 1 {
		t.Errorf("%+v", v)
	}
	if i, why := evidence.Verify(v.Chain); i != -1 {
		t.Error(why)
	}
	must(t, d.EndSession(s.ID, loopcore.OutcomeSuccess, "DONE"))
	if _, err := d.OpenSession(sampleSession()); err != nil {
		t.Error(err)
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "state.db")
	d, err := Open(path, ticking())
	must(b, err)
	must(b, d.Close())
	for b.Loop() {
		d, err := Open(path, ticking())
		must(b, err)
		must(b, d.Close())
	}
}

func benchmarkRuns(b *testing.B, failures int) {
	d := fresh(b)
	s, err := d.OpenSession(sampleSession())
	must(b, err)
	run := sampleRun("", failures)
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			r, err := d.StartRun(evidence.Run{Session: s.ID, Scope: "full"})
			must(b, err)
			run.ID = r.ID
			must(b, d.FinishRun(run))
		}
	})
	b.Run("last", func(b *testing.B) {
		for b.Loop() {
			_, err := d.LastRun(s.ID)
			must(b, err)
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			_, err := d.Failures(run.ID, failures/2, 20)
			must(b, err)
		}
	})
}

func BenchmarkRunOf10(b *testing.B)    { benchmarkRuns(b, 10) }
func BenchmarkRunOf10000(b *testing.B) { benchmarkRuns(b, 10000) }
