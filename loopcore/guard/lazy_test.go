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

// makers are the functions that hand a text on to lazily.
var makers = map[string]bool{"lazily": true, "rx": true, "dx": true, "dxb": true, "dxm": true, "kx": true, "kh": true, "sx": true, "px": true}

func sources(t *testing.T) *ast.Package {
	t.Helper()
	pkgs, err := parser.ParseDir(gotoken.NewFileSet(), ".", func(i fs.FileInfo) bool { return !strings.HasSuffix(i.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pkgs["guard"]
}

// constant is the text of a literal or of several that are joined.
func constant(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil && x.Kind == gotoken.STRING
	case *ast.BinaryExpr:
		a, okA := constant(x.X)
		b, okB := constant(x.Y)
		return a + b, okA && okB
	}
	return "", false
}

// TestPatternsCompile compiles every expression of the sources: what is
// compiled late must not fail late.
func TestPatternsCompile(t *testing.T) {
	n := 0
	ast.Inspect(sources(t), func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := call.Fun.(*ast.Ident)
		if !ok || !makers[name.Name] {
			return true
		}
		for _, arg := range call.Args {
			s, ok := constant(arg)
			if !ok {
				continue
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

// TestPatternsAreKept: an expression in a function is compiled at every call.
// Only one that holds a name of the change must be.
func TestPatternsAreKept(t *testing.T) {
	for _, f := range sources(t).Files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || makers[fn.Name.Name] {
				continue
			}
			ast.Inspect(fn, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				name, ok := call.Fun.(*ast.Ident)
				if !ok || name.Name != "lazily" {
					return true
				}
				quoted := false
				ast.Inspect(call.Args[0], func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					quoted = quoted || ok && sel.Sel.Name == "QuoteMeta"
					return true
				})
				if !quoted {
					t.Errorf("%s compiles an expression at every call: put it into a variable of the package", fn.Name.Name)
				}
				return true
			})
		}
	}
}
