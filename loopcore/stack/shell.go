package stack

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"fixloop/loopcore"
)

// command is one simple command of a shell text, as a shell would run it.
type command struct {
	words    []string          // program and arguments: quotes removed, known variables expanded
	text     string            // as written, on one line, without what masks its exit code
	dir      string            // relative to where the text starts
	env      map[string]string // assignments written before it
	line     int               // 1-based, in the text
	masked   bool              // its exit code was thrown away by what was written around it
	guarded  bool              // runs only under a condition
	fallback bool              // runs only when another command failed
	feeds    bool              // its output goes to another command (left side of a pipe)
	fed      bool              // reads another command's output
}

var exprRE = loopcore.Lazily(`\$\{\{.*?\}\}|\$\[\[.*?\]\]`)

// unresolved stands for an expression that only the CI could answer.
const unresolved = "__EXPR__"

// splitShell takes a shell text apart. Text that is no shell is split by lines.
// vars are the variables known at that place.
func splitShell(text string, vars map[string]string) []command {
	text = exprRE.ReplaceAllString(text, unresolved)
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(false)).Parse(strings.NewReader(text), "")
	w := &shellWalk{vars: map[string]string{}, dir: "."}
	for k, v := range vars {
		w.vars[k] = v
	}
	if err != nil {
		return w.lines(text)
	}
	w.waits = waits(f)
	for _, st := range f.Stmts {
		w.stmt(st, command{})
	}
	w.tail()
	return w.out
}

// waits says whether a text waits for what it started in the background.
func waits(f *syntax.File) (found bool) {
	syntax.Walk(f, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		found = found || ok && len(c.Args) > 0 && c.Args[0].Lit() == "wait"
		return !found
	})
	return found
}

type shellWalk struct {
	vars  map[string]string
	dir   string
	out   []command
	loose bool // under set +e
	waits bool // for what it started in the background
	depth int
}

// lines is the fallback for text with syntax that is not shell (templates):
// each line that parses on its own is taken.
func (w *shellWalk) lines(text string) []command {
	for i, l := range strings.Split(text, "\n") {
		f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(l), "")
		if err != nil {
			continue
		}
		n := len(w.out)
		for _, st := range f.Stmts {
			w.stmt(st, command{})
		}
		for j := n; j < len(w.out); j++ {
			w.out[j].line = i + 1
		}
	}
	return w.out
}

// tail marks what a final "exit 0" or "true" hides: `tests; exit 0`.
func (w *shellWalk) tail() {
	n := len(w.out)
	if n < 2 {
		return
	}
	last := w.out[n-1]
	if len(last.words) == 0 || last.guarded || !(last.words[0] == "true" || last.words[0] == ":" || last.words[0] == "exit" && (len(last.words) == 1 || last.words[1] == "0")) {
		return
	}
	w.out[n-2].masked = true
	w.out = w.out[:n-1]
}

func (w *shellWalk) stmt(st *syntax.Stmt, ctx command) {
	if st == nil || st.Cmd == nil || w.depth > 40 || len(w.out) > 3000 {
		return
	}
	if st.Background && !w.waits {
		return // a server that the commands after it need: nobody reads its exit code
	}
	w.depth++
	defer func() { w.depth-- }()
	if st.Negated {
		ctx.guarded = true
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(st, c, ctx)
	case *syntax.BinaryCmd:
		w.binary(c, ctx)
	case *syntax.Subshell:
		dir := w.dir
		w.stmts(c.Stmts, ctx)
		w.dir = dir
	case *syntax.Block:
		w.stmts(c.Stmts, ctx)
	case *syntax.IfClause:
		ctx.guarded = true
		for cl := c; cl != nil; cl = cl.Else {
			dir := w.dir
			w.stmts(cl.Cond, ctx)
			w.stmts(cl.Then, ctx)
			w.dir = dir
		}
	case *syntax.WhileClause:
		ctx.guarded = true
		w.stmts(c.Do, ctx)
	case *syntax.ForClause:
		ctx.guarded = true
		w.stmts(c.Do, ctx)
	case *syntax.CaseClause:
		ctx.guarded = true
		for _, it := range c.Items {
			w.stmts(it.Stmts, ctx)
		}
	case *syntax.FuncDecl:
		ctx.guarded = true
		w.stmt(c.Body, ctx)
	case *syntax.TimeClause:
		w.stmt(c.Stmt, ctx)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			if _, known := w.vars[assignName(a)]; !known || !ctx.guarded {
				w.assign(a)
			}
		}
	}
}

func (w *shellWalk) stmts(sts []*syntax.Stmt, ctx command) {
	for _, st := range sts {
		w.stmt(st, ctx)
	}
}

func (w *shellWalk) binary(c *syntax.BinaryCmd, ctx command) {
	switch c.Op {
	case syntax.OrStmt:
		n := len(w.out)
		w.stmt(c.X, ctx)
		m := len(w.out)
		right := ctx
		right.fallback = true
		w.stmt(c.Y, right)
		if swallows(w.out[m:]) {
			for i := n; i < m; i++ {
				w.out[i].masked = true
			}
			w.out = w.out[:m]
		}
	case syntax.Pipe, syntax.PipeAll:
		w.pipe(c, ctx)
	default:
		w.stmt(c.X, ctx)
		w.stmt(c.Y, ctx)
	}
}

// pipe keeps both sides. A pipe into a printer (tee, cat, a formatter) loses
// the left side's exit code: the left side alone is the command.
func (w *shellWalk) pipe(c *syntax.BinaryCmd, ctx command) {
	n := len(w.out)
	left, right := ctx, ctx
	left.feeds, right.fed = true, true
	w.stmt(c.X, left)
	m := len(w.out)
	w.stmt(c.Y, right)
	if m == n || m >= len(w.out) || len(w.out[m].words) == 0 {
		return
	}
	if printers[path.Base(w.out[m].words[0])] {
		for i := n; i < m; i++ {
			w.out[i].feeds, w.out[i].masked = ctx.feeds, true
		}
		w.out = w.out[:m]
		return
	}
	if whole := oneLine(c); whole != "" {
		w.out[len(w.out)-1].text = whole
	}
}

// printers only pass on what they read, so that their exit code says nothing.
var printers = map[string]bool{"tee": true, "cat": true, "less": true, "more": true, "grep": true, "egrep": true, "sed": true, "awk": true, "head": true,
	"tail": true, "xcpretty": true, "xcbeautify": true, "tap-spec": true, "faucet": true, "tap-dot": true, "tap-diff": true, "tap-arc": true,
	"go-junit-report": true,
	"tap-difflet":     true, "tap-min": true, "tap-nyan": true, "tap-out": true, "tap-prettify": true, "tap-summary": true, "pino-pretty": true,
	"snazzy": true, "ts": true,
	"reviewdog": true, "cs2pr": true, "cargo2junit": true, "gotestfmt": true, "tparse": true, "colorize": true, "coveralls": true, "jq": true, "wc": true}

// swallows says whether the right side of || always succeeds.
func swallows(cs []command) bool {
	if len(cs) == 0 {
		return false
	}
	last := cs[len(cs)-1].words
	if len(last) == 0 {
		return false
	}
	switch last[0] {
	case "true", ":", "echo", "printf":
		return true
	case "exit":
		return len(last) > 1 && last[1] == "0"
	}
	return false
}

func (w *shellWalk) assign(a *syntax.Assign) (name, value string, ok bool) {
	if a == nil || a.Name == nil || a.Index != nil || a.Array != nil {
		return "", "", false
	}
	if a.Value != nil {
		value = w.word(a.Value)
	}
	w.vars[a.Name.Value] = value
	return a.Name.Value, value, true
}

func (w *shellWalk) call(st *syntax.Stmt, c *syntax.CallExpr, ctx command) {
	cmd := ctx
	cmd.line, cmd.dir = int(st.Pos().Line()), w.dir
	cmd.masked = cmd.masked || w.loose
	for _, a := range c.Assigns {
		saved, had := w.vars[assignName(a)]
		if had && ctx.guarded && len(c.Args) == 0 {
			continue // a condition may not hold: the value before it stands
		}
		name, value, ok := w.assign(a)
		if ok && len(c.Args) > 0 { // a prefix assignment lasts for this command only
			if cmd.env == nil {
				cmd.env = map[string]string{}
			}
			cmd.env[name] = value
			delete(w.vars, name)
			if had {
				w.vars[name] = saved
			}
		}
	}
	for _, a := range c.Args {
		if v := w.word(a); len(a.Parts) == 1 && isParam(a.Parts[0]) && !strings.HasPrefix(v, "$") {
			cmd.words = append(cmd.words, strings.Fields(v)...) // unquoted: the shell splits it
		} else {
			cmd.words = append(cmd.words, v)
		}
	}
	if len(cmd.words) == 0 {
		return
	}
	switch cmd.words[0] {
	case "cd", "pushd":
		w.chdir(cmd.words[1:])
		return
	case "popd":
		w.dir = "."
		return
	case "export":
		return
	case "set":
		for _, x := range cmd.words[1:] {
			if x == "+e" {
				w.loose = true
			} else if strings.HasPrefix(x, "-") && strings.Contains(x, "e") {
				w.loose = false
			}
		}
		return
	}
	cmd.text = w.printed(c)
	w.out = append(w.out, cmd)
}

func isParam(p syntax.WordPart) bool { _, ok := p.(*syntax.ParamExp); return ok }

func assignName(a *syntax.Assign) string {
	if a == nil || a.Name == nil {
		return ""
	}
	return a.Name.Value
}

func (w *shellWalk) chdir(args []string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		args = args[1:]
	}
	if len(args) != 1 || args[0] == "-" || strings.HasPrefix(args[0], "/") || strings.ContainsAny(args[0], "$`") {
		if len(args) == 1 && args[0] == "-" {
			w.dir = "."
		} else if len(args) == 1 && !strings.HasPrefix(args[0], "$(git rev-parse --show-toplevel") {
			w.dir = unresolved // somewhere we cannot name: what follows is not this repository's gate
		}
		return
	}
	w.dir = path.Join(w.dir, args[0])
}

// printed is the command on one line, with known variables put in where the
// whole word is one: `go test $FLAGS ./...` means nothing outside its CI.
func (w *shellWalk) printed(c *syntax.CallExpr) string {
	var parts []string
	for _, a := range c.Assigns {
		if t := oneLine(a); t != "" {
			parts = append(parts, t)
		}
	}
	for _, a := range c.Args {
		t := oneLine(a)
		if strings.Contains(t, "$") && !strings.Contains(t, "$(") && !strings.HasPrefix(t, "'") {
			v := w.word(a)
			if !strings.Contains(v, "$") {
				t = v
				if strings.HasPrefix(oneLine(a), `"`) && strings.ContainsAny(v, " *?") {
					t = `"` + v + `"`
				}
			}
		}
		if t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " ")
}

func oneLine(n syntax.Node) string {
	var b strings.Builder
	if a, ok := n.(*syntax.Assign); ok {
		n = &syntax.CallExpr{Assigns: []*syntax.Assign{a}}
	}
	if bc, ok := n.(*syntax.BinaryCmd); ok {
		n = &syntax.Stmt{Cmd: bc}
	}
	if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) != nil {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\n", " "))
}

// word is what the shell would pass on; what it cannot know stays as written.
func (w *shellWalk) word(word *syntax.Word) string {
	var b strings.Builder
	for _, p := range word.Parts {
		w.part(&b, p)
	}
	return b.String()
}

func (w *shellWalk) part(b *strings.Builder, p syntax.WordPart) {
	switch v := p.(type) {
	case *syntax.Lit:
		b.WriteString(strings.ReplaceAll(v.Value, "\\", ""))
	case *syntax.SglQuoted:
		b.WriteString(v.Value)
	case *syntax.DblQuoted:
		for _, q := range v.Parts {
			w.part(b, q)
		}
	case *syntax.ParamExp:
		if v.Param != nil && v.Repl == nil && v.Slice == nil {
			if s, ok := w.vars[v.Param.Value]; ok {
				b.WriteString(s)
				return
			}
			if v.Exp != nil && (v.Exp.Op == syntax.DefaultUnset || v.Exp.Op == syntax.DefaultUnsetOrNull) && v.Exp.Word != nil {
				b.WriteString(w.word(v.Exp.Word))
				return
			}
			b.WriteString("$" + v.Param.Value)
			return
		}
		b.WriteString("$?")
	default:
		b.WriteString(oneLine(&syntax.Word{Parts: []syntax.WordPart{p}}))
	}
}
