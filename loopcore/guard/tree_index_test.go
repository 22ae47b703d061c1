package guard

import (
	"fmt"
	"strings"
	"testing"
)

// manyFiles is a tree of a hundred thousand paths, none of which is read.
type manyFiles []string

func (m manyFiles) Read(string) ([]byte, bool) { return nil, false }
func (m manyFiles) List() []string             { return m }

func BenchmarkFiftyOfHundredThousand(b *testing.B) {
	tree := make(manyFiles, 100_000)
	for i := range tree {
		tree[i] = fmt.Sprintf("pkg%d/sub/file%d_test.go", i%1000, i)
	}
	in := Input{Before: tree, After: tree}
	for i := range 50 {
		p := fmt.Sprintf("pkg%d/a.go", i)
		in.Changes = append(in.Changes, change(p, "package a\n\nfunc F(s string) int { return 0 }\n", "package a\n\nfunc F(s string) int {\n\tif s == \"abc def\" {\n\t\treturn 12345\n\t}\n\treturn 0\n}\n"))
	}
	for b.Loop() {
		Check(in)
	}
}

// BenchmarkLiteralsOfHundredThousand: fifty tests of a large tree of one
// language, in each a text that changed and a linter that was silenced.
func BenchmarkLiteralsOfHundredThousand(b *testing.B) {
	in := manyLiterals(make(manyFiles, 100_000))
	for b.Loop() {
		Check(in)
	}
}

func manyLiterals(tree manyFiles) Input {
	for i := range tree {
		tree[i] = fmt.Sprintf("pkg%d/sub/file%d.py", i%1000, i)
	}
	in := Input{Before: tree, After: tree}
	for i := range 50 {
		p := fmt.Sprintf("pkg%d/sub/test_file%d.py", i, i)
		test := "def test_a():\n    assert say(1) == \"no such item in the shop\"\n    assert say(2) == \"the shop is closed today\"\n"
		in.Changes = append(in.Changes, change(p, test, strings.NewReplacer("no such item", "there is no item", "closed today", "closed by now").Replace(test)),
			change(fmt.Sprintf("pkg%d/a.py", i), "def say(n):\n    return n\n", "def say(n):\n    return n + 1  # noqa: E501\n"))
	}
	return in
}

// countedTree counts how often it is listed.
type countedTree struct {
	manyFiles
	lists *int
}

func (c countedTree) List() []string { *c.lists++; return c.manyFiles }

func TestLiteralsDoNotListTheTree(t *testing.T) {
	in := manyLiterals(make(manyFiles, 1000))
	lists := 0
	in.Before = countedTree{in.Before.(manyFiles), &lists}
	Check(in)
	if lists == 0 || lists > 3 {
		t.Errorf("the baseline was listed %d times for %d changed files", lists, len(in.Changes))
	}
}
