package guard

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkCheckFiftyFiles(b *testing.B) {
	var in Input
	body := strings.Repeat("func F() int {\n\tx := \"a string\" // a comment\n\treturn len(x)\n}\n\n", 200)
	for i := range 50 {
		p := fmt.Sprintf("pkg%d/a.go", i)
		in.Changes = append(in.Changes, change(p, "package a\n\n"+body, "package a\n\n"+body+"// more\nvar X = 1\n"))
	}
	for b.Loop() {
		Check(in)
	}
}

func BenchmarkLex(b *testing.B) {
	src := strings.Repeat("def f(a, b):\n    x = \"a string\"  # a comment\n    return a + b * 12\n\n", 20000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		lex(src, langPython)
	}
}

func BenchmarkTenMegabytes(b *testing.B) {
	src := strings.Repeat("var a = [1, 2, 3, \"generated\"];\n", 320000)
	in := Input{Changes: []Change{change("dist/app.js", src, src+"var b = 2;\n")}}
	for b.Loop() {
		Check(in)
	}
}
