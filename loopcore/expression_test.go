package loopcore_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every expression that is compiled when it is first asked can be.
func TestEveryLazyExpressionCompiles(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Logf("%s does not parse: %v", path, err)
			return nil
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !lazyCall(call.Fun) {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok { // put together from others: its package's tests use it
				return true
			}
			seen++
			if _, err := regexp.Compile(constant.StringVal(constant.MakeFromLiteral(lit.Value, token.STRING, 0))); err != nil {
				t.Errorf("%s: %v", fset.Position(lit.Pos()), err)
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d expressions were seen: %v", seen, err)
	}
}

func lazyCall(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name == "lazily" || f.Name == "Lazily"
	case *ast.SelectorExpr:
		return f.Sel.Name == "Lazily"
	}
	return false
}
