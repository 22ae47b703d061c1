package guard

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPatternsCompile compiles every expression of the sources: what is
// compiled late must not fail late.
func TestPatternsCompile(t *testing.T) {
	makers := map[string]bool{"lazily": true, "rx": true, "dx": true, "dxb": true, "kx": true, "kh": true, "sx": true, "px": true}
	pkgs, err := parser.ParseDir(gotoken.NewFileSet(), ".", func(i fs.FileInfo) bool { return !strings.HasSuffix(i.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(pkgs["guard"], func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := call.Fun.(*ast.Ident)
		if !ok || !makers[name.Name] {
			return true
		}
		for _, arg := range call.Args {
			lit, ok := arg.(*ast.BasicLit)
			if !ok || lit.Kind != gotoken.STRING {
				continue
			}
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := regexp.Compile(s); err != nil {
				t.Error(err)
			}
			n++
		}
		return true
	})
	if n < 200 {
		t.Errorf("only %d expressions were found", n)
	}
}
