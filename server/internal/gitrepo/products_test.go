package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProducts: what the gate makes is in no later tree, however it changes,
// and a restore leaves it alone.
func TestProducts(t *testing.T) {
	r := newFixture(t).repo
	ctx := t.Context()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(r.Top(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := r.Snapshot(ctx, SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	put("out/deep/log", "1")
	if tree, err := r.Tree(ctx); err != nil || tree == before.Tree {
		t.Fatalf("a new file is not seen: %v", err)
	}
	if err := r.Products(ctx, []string{"/out/"}); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"1", "22", "333"} {
		put("out/deep/log", text)
		put("out/more", text)
		tree, err := r.Tree(ctx)
		if err != nil || tree != before.Tree {
			t.Fatalf("round %d: tree %s, want %s (%v)", i, tree, before.Tree, err)
		}
		s, err := r.Snapshot(ctx, SnapshotOptions{})
		if err != nil || s.Tree != before.Tree {
			t.Fatalf("round %d: snapshot %s, want %s (%v)", i, s.Tree, before.Tree, err)
		}
	}
	if _, err := r.Restore(ctx, before.ID, RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(r.Top(), "out/deep/log")); string(data) != "333" {
		t.Errorf("a restore touched what the gate made: %q", data)
	}
}
