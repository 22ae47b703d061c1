package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/contract"
)

// The evidence that a repository wants in the tree is fixloop's own work: it is
// no uncommitted work at the next loop, and nothing that an attempt wrote.
func TestEvidenceInsideTheTree(t *testing.T) {
	for name, ignore := range map[string]string{"untracked": "", "ignored": ".fixloop/\n", "file ignored": ".fixloop/evidence.json\n"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{
				"check.sh": "#!/bin/sh\nif grep -q good lib.py; then echo 'ok 1 - same'; else echo 'not ok 1 - same'; exit 1; fi\n",
				"lib.py":   "bad\n", ".fixloop.yaml": "evidence: .fixloop/evidence.json\n", ".gitignore": ignore,
			})
			for range 2 {
				b.begin(byShell, contract.RunGateIn{})
				r, e := b.attempt(map[string]string{"lib.py": "good\n"})
				if e.Outcome != loopcore.OutcomeSuccess {
					t.Fatalf("%s, findings %+v, %s", r.Verdict, r.Guard.Findings, e.StatusLine)
				}
				if b.read(".fixloop/evidence.json") == "" {
					t.Fatal("no evidence in the tree")
				}
				b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "mended")
				b.write(map[string]string{"lib.py": "bad\n"})
				b.git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "broken again")
			}
		})
	}

	for path, why := range map[string]string{".fixloop/evidence.json": "git tracks", ".git/config": "git's own", "secret": "none that fixloop wrote",
		"link/evidence.json": "link", "folder": "can be written", "check.sh/e.json": "can be written"} {
		b := newBench(t, map[string]string{"check.sh": "#!/bin/sh\nexit 1\n", ".fixloop.yaml": "evidence: " + path + "\n",
			".gitignore": "secret\nlink\n", "folder/x": "x\n", ".fixloop/evidence.json": "{\"schema_version\":\"1.0\",\"fixloop\":{}}\n"})
		b.write(map[string]string{"secret": "do not lose me\n"})
		if err := os.Symlink(t.TempDir(), filepath.Join(b.dir, "link")); err != nil {
			t.Fatal(err)
		}
		d, err := b.e.DetectGate(context.Background(), b.c, byShell)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: d.Confirmation.Token}, nil)
		b.refused(err, loopcore.CodeBadConfig, path, why)
		if b.read("secret") != "do not lose me\n" {
			t.Errorf("%s: a file was lost", path)
		}
	}
}

// A place for the evidence that became a way out of the tree in the middle of a
// loop gets nothing, and does not keep the loop from its end.
func TestEvidencePlaceThatLeadsOut(t *testing.T) {
	b := newBench(t, map[string]string{"check.sh": "#!/bin/sh\nif grep -q good lib.py; then echo 'ok 1 - same'; else echo 'not ok 1 - same'; exit 1; fi\n",
		"lib.py": "bad\n", ".fixloop.yaml": "evidence: local/e.json\n", ".gitignore": "local\n"})
	b.begin(byShell, contract.RunGateIn{})
	out := t.TempDir()
	if err := os.RemoveAll(filepath.Join(b.dir, "local")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(b.dir, "local")); err != nil {
		t.Skip(err)
	}
	if _, e := b.attempt(map[string]string{"lib.py": "good\n"}); !e.Terminal {
		e = b.decide(contract.EvaluateIn{Abort: true})
		if e.Outcome != loopcore.OutcomeBlocked {
			t.Errorf("the loop does not end: %s", e.StatusLine)
		}
	}
	if files, err := os.ReadDir(out); err != nil || len(files) > 0 {
		t.Errorf("outside of the tree there is %v, %v", files, err)
	}
}
