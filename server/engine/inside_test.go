package engine

import (
	"context"
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

	b := newBench(t, map[string]string{"check.sh": "#!/bin/sh\nexit 1\n", ".fixloop.yaml": "evidence: .fixloop/evidence.json\n", ".fixloop/evidence.json": "{}\n"})
	d, err := b.e.DetectGate(context.Background(), b.c, byShell)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.e.RunGate(context.Background(), b.c, contract.RunGateIn{Confirm: d.Confirmation.Token}, nil)
	b.refused(err, loopcore.CodeBadConfig, ".fixloop/evidence.json", "git tracks")
}
