package server_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floor says what one package may import besides what its kind allows. This
// table is policy: change it because the house changes, not to make a build
// pass.
type floor struct {
	pure bool     // std without the outside world, see impure
	may  []string // our packages and libraries; "std/..." for a part of std that pure leaves out
}

// impure is the part of the standard library that the core does without, so
// that every decision can be tested as a table.
var impure = []string{"os", "os/exec", "os/signal", "net", "net/http", "database/sql", "log", "log/slog", "context", "math/rand", "math/rand/v2", "syscall"}

var floors = map[string]floor{
	"fixloop/loopcore": {pure: true},
	// contract is the one exception of the core: Caller carries functions that
	// take a context, because what they ask for lives across the wire.
	"fixloop/loopcore/contract": {pure: true, may: []string{"std/context", "fixloop/loopcore"}},
	"fixloop/loopcore/parse":    {pure: true, may: []string{"fixloop/loopcore", "github.com/tidwall/gjson"}},
	"fixloop/loopcore/guard": {pure: true, may: []string{"fixloop/loopcore", "github.com/alecthomas/chroma", "github.com/bmatcuk/doublestar",
		"github.com/goccy/go-yaml", "github.com/pelletier/go-toml", "mvdan.cc/sh"}},
	"fixloop/loopcore/stack": {pure: true, may: []string{"fixloop/loopcore", "github.com/bmatcuk/doublestar", "github.com/goccy/go-yaml",
		"github.com/pelletier/go-toml", "mvdan.cc/sh"}},
	"fixloop/loopcore/evidence": {pure: true, may: []string{"fixloop/loopcore", "fixloop/loopcore/contract"}},
	"fixloop/loopcore/config":   {pure: true, may: []string{"fixloop/loopcore", "github.com/bmatcuk/doublestar", "github.com/goccy/go-yaml"}},

	"fixloop/schemas": {pure: true},
	"fixloop/tools": {pure: true, may: []string{"std/context", "fixloop/loopcore", "fixloop/loopcore/contract", "fixloop/schemas",
		"github.com/mark3labs/mcp-go"}},
	"fixloop/tools/enginetest": {pure: true, may: []string{"std/context", "fixloop/loopcore", "fixloop/loopcore/contract"}},

	"fixloop/server/internal/gitrepo": {may: []string{"fixloop/loopcore", "github.com/go-git/go-git", "github.com/go-git/go-billy"}},
	"fixloop/server/internal/proc":    {may: []string{"fixloop/loopcore", "golang.org/x/sys"}},
	"fixloop/server/internal/store":   {may: []string{"fixloop/loopcore/...", "modernc.org/sqlite"}},
	"fixloop/server/engine":           {may: []string{"fixloop/loopcore/...", "fixloop/server/internal/...", "github.com/bmatcuk/doublestar"}},
	"fixloop/server": {may: []string{"fixloop/loopcore", "fixloop/loopcore/contract", "fixloop/tools", "fixloop/server/engine",
		"github.com/mark3labs/mcp-go", "golang.org/x/sys"}},
	"fixloop/cmd/fixloop": {may: []string{"fixloop/loopcore/...", "fixloop/server", "fixloop/server/engine", "fixloop/tools", "fixloop/schemas",
		"github.com/spf13/cobra", "github.com/lmittmann/tint", "github.com/mark3labs/mcp-go", "github.com/mattn/go-isatty", "golang.org/x/sys"}},
}

// TestImports holds every package against its floor. Test files are exempt.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "fixloop/...").Output()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("go list: %v", err)
		}
		t.Skipf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		f, ok := floors[p.ImportPath]
		if !ok && strings.HasPrefix(p.ImportPath, "fixloop/cmd/fixloop/") {
			f, ok = floors["fixloop/cmd/fixloop"], true
		}
		if !ok && len(p.Imports) > 0 {
			t.Errorf("%s has no floor: a new package is a decision, give it a line in this table", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if why := f.refuses(imp); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, why)
			}
		}
	}
}

// refuses says why a package of this floor may not import imp, "" if it may.
func (f floor) refuses(imp string) string {
	if !strings.Contains(strings.Split(imp, "/")[0], ".") && !strings.HasPrefix(imp, "fixloop/") && imp != "fixloop" { // std
		if f.pure && slices.Contains(impure, imp) && !slices.Contains(f.may, "std/"+imp) {
			return "this floor does no I/O and reads no clock"
		}
		if imp == "text/template" || imp == "html/template" {
			return "with templates the linker keeps every method there is, a sixth of the binary"
		}
		return ""
	}
	for _, may := range f.may {
		if dir, all := strings.CutSuffix(may, "/..."); imp == may || all && (imp == dir || strings.HasPrefix(imp, dir+"/")) {
			return ""
		}
		if !strings.HasPrefix(may, "fixloop/") && strings.HasPrefix(imp, may+"/") {
			return ""
		}
	}
	return "not on this floor's list"
}

// calls that have one home each.
var homes = []struct {
	pkg, name string
	where     []string // folders from the top; "" for nowhere
	why       string
}{
	{"fmt", "Print", []string{"cmd"}, "stdout belongs to the protocol"},
	{"fmt", "Printf", []string{"cmd"}, "stdout belongs to the protocol"},
	{"fmt", "Println", []string{"cmd"}, "stdout belongs to the protocol"},
	{"os", "Exit", []string{"cmd"}, "only main ends the process"},
	{"exec", "Command", []string{"server/internal/proc", "server/internal/gitrepo", "cmd"}, "processes are started where they can be ended"},
	{"exec", "CommandContext", []string{"server/internal/proc", "server/internal/gitrepo", "cmd"}, "processes are started where they can be ended"},
	{"time", "Now", []string{"server", "cmd"}, "the clock is read outside the core"},
	{"time", "Since", []string{"server", "cmd"}, "the clock is read outside the core"},
}

// TestHouseRules scans the sources for calls outside their home, for init
// functions and for package-level state.
func TestHouseRules(t *testing.T) {
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "sample" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Logf("%s does not parse: %v", path, err)
			return nil
		}
		checkFile(t, fset, f, filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, fset *token.FileSet, f *ast.File, path string) {
	at := func(n ast.Node) string {
		p := fset.Position(n.Pos())
		return path + ":" + strconv.Itoa(p.Line)
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				t.Errorf("%s: an init function hides what runs at start", at(d))
			}
		case *ast.GenDecl:
			checkVars(t, d, at)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			checkCall(t, call, path, at)
		}
		return true
	})
}

// checkVars allows tables, sentinels, compiled patterns and embedded files: a
// variable without a value is there to be changed.
func checkVars(t *testing.T, d *ast.GenDecl, at func(ast.Node) string) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		v := s.(*ast.ValueSpec)
		if len(v.Values) > 0 && !empty(v.Values[0]) || d.Doc != nil && strings.Contains(d.Doc.Text()+directives(d.Doc), "go:embed") || v.Doc != nil && strings.Contains(directives(v.Doc), "go:embed") {
			continue
		}
		if v.Names[0].Name == "version" && strings.HasPrefix(at(v), "cmd/") {
			continue // set by the linker
		}
		t.Errorf("%s: package-level variable %s has no value, or an empty one: state belongs in a value that is passed", at(v), v.Names[0].Name)
	}
}

// empty reports whether e is a container with nothing in it yet.
func empty(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CompositeLit:
		_, isStruct := x.Type.(*ast.Ident)
		return len(x.Elts) == 0 && !isStruct
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.Ident)
		return ok && f.Name == "make"
	}
	return false
}

func directives(g *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text)
	}
	return b.String()
}

func checkCall(t *testing.T, call *ast.CallExpr, path string, at func(ast.Node) string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return
	}
	for _, h := range homes {
		if pkg.Name == h.pkg && sel.Sel.Name == h.name && !slices.ContainsFunc(h.where, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) {
			t.Errorf("%s: %s.%s outside %s: %s", at(call), h.pkg, h.name, strings.Join(h.where, ", "), h.why)
		}
	}
}
