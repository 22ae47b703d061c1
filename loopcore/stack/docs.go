package stack

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// docFiles are instructions written for agents, nearest first. Their text is
// material: commands are taken from it, nothing in it is obeyed.
var docFiles = []string{"CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENT.md", "GEMINI.md", ".github/copilot-instructions.md",
	".cursorrules", ".windsurfrules"}

const maxImports = 5

// fromDocs offers explicit commands of the agents' instruction files.
func fromDocs(r *repo) []candidate {
	var out []candidate
	dirs := []string{r.base}
	if r.base != "." {
		dirs = append(dirs, ".")
	}
	seen := map[string]bool{}
	var lines []docLine
	for _, dir := range dirs {
		for _, f := range docFiles {
			lines = append(lines, r.docLines(path.Join(dir, f), dir, seen, 0)...)
		}
	}
	barred := map[string]bool{}
	var found []docCommand
	for _, l := range lines {
		cs, bars := readDocLine(l)
		found = append(found, cs...)
		for _, b := range bars {
			barred[b] = true
		}
	}
	for i, d := range found {
		if barred[d.text] {
			continue
		}
		out = append(out, r.docCandidates(d, i)...)
	}
	return out
}

// docLine is one line of an instruction file with what stands around it.
type docLine struct {
	file, dir string
	no        int
	text      string
	code      bool   // inside a fenced shell block
	heading   string // the headings above, lower case
	intro     string // the prose line before a block
}

var importRE = loopcore.Lazily(`(?:^|\s)@([A-Za-z0-9_./-]+\.md)\b`)
var fenceRE = loopcore.Lazily("^\\s*(```+|~~~+)\\s*([A-Za-z0-9_+-]*)")

func (r *repo) docLines(file, dir string, seen map[string]bool, depth int) []docLine {
	if seen[file] || depth > maxImports || !r.has(file) {
		return nil
	}
	seen[file] = true
	var out []docLine
	fence, shell := "", false
	heading, intro := "", ""
	for i, text := range strings.Split(r.text(file), "\n") {
		if m := fenceRE.FindStringSubmatch(text); m != nil {
			switch {
			case fence == "":
				fence = m[1][:3]
				lang := strings.ToLower(m[2])
				shell = lang == "" || lang == "sh" || lang == "bash" || lang == "console" || lang == "shell" || lang == "zsh" || lang == "shellsession" || lang == "terminal" || lang == "text"
			case strings.HasPrefix(strings.TrimSpace(text), fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			if shell {
				out = append(out, docLine{file: file, dir: dir, no: i + 1, text: text, code: true, heading: heading, intro: intro})
			}
			continue
		}
		if h, ok := strings.CutPrefix(text, "#"); ok {
			heading, intro = strings.ToLower(strings.TrimLeft(h, "# ")), ""
			continue
		}
		for _, m := range importRE.FindAllStringSubmatch(text, 4) {
			p := path.Join(path.Dir(file), m[1])
			if !strings.HasPrefix(p, "..") {
				out = append(out, r.docLines(p, dir, seen, depth+1)...)
			}
		}
		if strings.TrimSpace(text) != "" {
			intro = text
		}
		out = append(out, docLine{file: file, dir: dir, no: i + 1, text: text, heading: heading})
	}
	return out
}

// docCommand is a command with the words that say what it is.
type docCommand struct {
	line  docLine
	text  string
	said  loopcore.Kind // what the words around it say, "" = nothing
	block bool
}

var inlineCode = loopcore.Lazily("`([^`\n]+)`")
var negation = loopcore.Lazily(`(?i)\b(never|do not|don't|don’t|avoid|instead of|rather than|must not|should not|shouldn't|not allowed|forbidden|cannot|can't|` +
	`without running|no need)\b`)
var notCode = loopcore.Lazily("(?i)\\bnot\\s+`([^`]+)`|\\binstead of\\s+`([^`]+)`|\\brather than\\s+`([^`]+)`|\\bover\\s+`([^`]+)`")

// readDocLine takes the commands of one line, and the commands it bars.
func readDocLine(l docLine) (cmds []docCommand, barred []string) {
	if l.code {
		text := strings.TrimSpace(l.text)
		text = strings.TrimPrefix(strings.TrimPrefix(text, "$ "), "> ")
		cmd, comment := cutComment(text)
		if cmd == "" || strings.HasPrefix(cmd, "#") || negation.MatchString(comment) || negation.MatchString(l.intro) && strings.HasSuffix(strings.TrimSpace(l.intro), ":") {
			return nil, nil
		}
		said := saidKind(comment)
		if said == "" && comment == "" {
			said = saidKind(l.intro)
		}
		return []docCommand{{line: l, text: cmd, said: said, block: true}}, nil
	}
	for _, sentence := range sentences(l.text) {
		codes := inlineCode.FindAllStringSubmatchIndex(sentence, -1)
		neg := negation.MatchString(inlineCode.ReplaceAllString(sentence, "`x`"))
		for _, m := range notCode.FindAllStringSubmatch(sentence, -1) {
			barred = append(barred, first(m[1], m[2], m[3], m[4]))
		}
		prev := 0
		for _, c := range codes {
			code := strings.TrimSpace(sentence[c[2]:c[3]])
			before := sentence[prev:c[0]]
			prev = c[1]
			if neg {
				if i := negation.FindStringIndex(sentence); i != nil && i[0] < c[0] || i == nil {
					barred = append(barred, code)
					continue
				}
			}
			said := saidKind(before)
			if said == "" {
				after := sentence[c[1]:]
				if i := strings.IndexByte(after, '`'); i >= 0 {
					after = after[:i]
				}
				said = saidKind(after)
			}
			cmds = append(cmds, docCommand{line: l, text: strings.TrimPrefix(code, "$ "), said: said})
		}
	}
	return cmds, barred
}

// cutComment splits a shell line at its trailing comment.
func cutComment(s string) (cmd, comment string) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t'):
			return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:])
		}
	}
	return strings.TrimSpace(s), ""
}

// sentences splits prose, not inside code.
func sentences(s string) []string {
	var out []string
	start, code := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '`':
			code = !code
		case !code && (s[i] == '.' || s[i] == ';' || s[i] == '!') && i+1 < len(s) && s[i+1] == ' ':
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// saidWords are the words that say what a command is, the nearest one counts.
var saidWords = []struct {
	re   *loopcore.Expression
	kind loopcore.Kind
}{
	{loopcore.Lazily(`(?i)\btype[- ]?check(s|ing|er)?\b|\btypes\b|\bstatic types?\b`), kType},
	{loopcore.Lazily(`(?i)\blint(s|er|ers|ing)?\b|\bstyle\b|\bstatic (checks?|analysis)\b|\bcode quality\b`), kLint},
	{loopcore.Lazily(`(?i)\btests?\b|\btesting\b|\btest suite\b|\bunit tests?\b`), kTest},
	{loopcore.Lazily(`(?i)\bbuild(s|ing)?\b|\bcompil(e|es|ing)\b`), kBuild},
}

// saidKind returns the kind said last in the text, which stands nearest to the
// command after it.
func saidKind(s string) loopcore.Kind {
	best, at := loopcore.Kind(""), -1
	for _, w := range saidWords {
		for _, m := range w.re.FindAllStringIndex(s, -1) {
			if m[0] > at {
				best, at = w.kind, m[0]
			}
		}
	}
	return best
}

var oneTest = loopcore.Lazily(`::| -t | -k | -g | --grep| -run |\.(test|spec)\.|<[^>]+>|\[[a-z_ -]+\]|\{[a-z_-]+\}|\.\.\. |path/to|some_|my_test|example_test|` +
	`TestName|TestFoo|TestX|\bfoo\b|\bFILE\b|\$\{?[A-Za-z1-9]`)

// docCandidates turns a command found in prose into candidates, if it is one
// for the gate: whole suite, checking, ending, harmless.
func (r *repo) docCandidates(d docCommand, index int) []candidate {
	cmd := strings.TrimSpace(d.text)
	if d.said != "" && !strings.ContainsAny(cmd, " /.") && strings.HasPrefix(r.text(path.Join(d.line.dir, cmd)), "#!") {
		cmd = "./" + cmd // a program of the repository by its bare name
	}
	if cmd == "" || len(cmd) > 300 || oneTest.MatchString(cmd) || strings.HasSuffix(cmd, "...") && !strings.HasSuffix(cmd, "/...") || !looksLikeCommand(cmd) {
		return nil
	}
	n := r.natureOf(cmd, d.line.dir, nil)
	if n.danger != "" || n.mutates || !n.real || len(n.leaves) == 0 && len(n.tasks) == 0 {
		return nil
	}
	for _, t := range n.direct {
		if dangerousName(t.name) != "" || rewritesByName(t.name) && !n.mutates && d.said == "" {
			return nil
		}
	}
	kinds := n.kinds()
	kind := d.said
	conf := 0.9
	if len(n.direct) > 0 {
		if k, _ := kindOfName(n.direct[0].name); k != "" && len(kinds) > 0 && !kinds[k] {
			return nil // called one thing, does another: no plain word to go by
		}
		if beside(n.direct[0].name) {
			return nil
		}
	}
	switch {
	case kind != "" && (kinds[kind] || len(kinds) == 0):
	case len(kinds) == 1 && (kind == "" || !kinds[kind]):
		for k := range kinds {
			kind = k
		}
	case kind == "" && kinds[kTest]:
		kind = kTest
	case kind == "":
		kind = r.kindOfCall(n)
	}
	if kind == "" {
		return nil
	}
	rank := index
	if n.hasPartial(kind) && !kinds[kind] {
		return nil
	}
	if subsetCommand(n) || len(n.direct) > 0 && subsetRank(n.direct[0].name) {
		rank += 1000
	}
	if len(kinds) > 1 {
		rank += 500
	}
	if ofOneFolder(n, kind) {
		rank += 800
	}
	if len(kinds) == 0 && len(n.direct) == 0 {
		if d.said == "" || !r.callable(cmd, d.line.dir) {
			return nil
		}
	}
	return r.docCandidate(d, cmd, n, kind, conf, rank)
}

// docCandidate weighs a command that is one for the kind.
func (r *repo) docCandidate(d docCommand, cmd string, n *nature, kind loopcore.Kind, conf float64, rank int) []candidate {
	plain, warns := rank < 1000, []string{}
	if len(n.direct) > 0 {
		conf = 0.97
	} else if miss := r.missingTarget(cmd, d.line.dir); miss != "" {
		conf = 0.3
		rank += 5000
		warns = append(warns, miss)
	}
	c := candidate{kind: kind, command: cmd, dir: d.line.dir, nat: n, conf: conf, rank: rank, warnings: warns,
		src: loopcore.Source{Kind: "docs", File: d.line.file, Line: d.line.no}}
	if conf < 0.5 {
		c.tier = tierSubset
	}
	if k, _ := kindOfName(ciTaskName(n)); len(n.direct) == 0 && !d.block || len(n.direct) > 0 && k == "" {
		c.rank += 300
	}
	if strings.Contains(cmd, "&&") {
		c.rank += 400
	}
	if !plain || d.said == "" && !d.block && len(n.direct) == 0 {
		c.tier = max(c.tier, tierSubset)
	}
	for _, l := range n.leaves {
		if l.kind == kind && l.format {
			c.rank += 700
			c.format = true
		}
	}
	if n.watches && n.once != "" {
		if len(n.direct) > 0 && n.direct[0].runner == "node" {
			c.command = r.managerOf(d.line.dir).args(c.command, n.once)
		} else {
			c.command += " " + n.once
		}
	}
	return []candidate{c}
}

// ofOneFolder says whether a command names one folder below as all that it
// looks at: go test ./server/..., where a wider one may stand beside it.
func ofOneFolder(n *nature, k loopcore.Kind) bool {
	for _, l := range n.leaves {
		if l.kind != k || l.via != nil {
			continue
		}
		paths := 0
		for _, a := range l.args {
			if a = strings.Trim(strings.TrimPrefix(a, "./"), "/"); !strings.HasPrefix(a, "-") && strings.Contains(a, "/") {
				paths++
			}
		}
		if paths == 1 {
			return true
		}
	}
	return false
}

func subsetRank(name string) bool {
	_, rank := kindOfName(name)
	return rank >= rankSubset
}

// kindOfCall is the kind that the called task's name promises.
func (r *repo) kindOfCall(n *nature) loopcore.Kind {
	if len(n.direct) != 1 {
		return ""
	}
	k, _ := kindOfName(n.direct[0].name)
	return k
}

var commandRE = loopcore.Lazily(`^[A-Za-z0-9_./@+-]+( |$)`)

// looksLikeCommand keeps file names, flags and identifiers in backquotes out.
func looksLikeCommand(s string) bool {
	if !commandRE.MatchString(s) || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "@") || strings.HasPrefix(s, "/") {
		return false
	}
	w := strings.Fields(s)
	if strings.Contains(w[0], "/") && !strings.HasPrefix(w[0], "./") && len(w) == 1 {
		return false // a path, or the name of a repository
	}
	if len(w) == 1 {
		v := classify(w)
		return v.kind != "" && v.tool != "m" && v.tool != "tap" && v.tool != "standard" && v.tool != "build" && v.tool != "lab" || w[0] == "make" || w[0] == "tox" || w[0] == "nox" || w[0] == "rake" || strings.HasPrefix(w[0], "./")
	}
	return true
}

// callable says whether an unknown program of a command is in the repository.
func (r *repo) callable(cmd, dir string) bool {
	w := unwrapPlain(strings.Fields(cmd))
	if len(w) == 0 || setupPrograms[programName(w[0])] {
		return false
	}
	for _, x := range w[:min(len(w), 3)] {
		if strings.Contains(x, "/") || strings.Contains(x, ".") {
			if r.has(path.Join(dir, x)) {
				return true
			}
		}
	}
	return r.in.Look != nil && r.in.Look(w[0])
}

// missingTarget says which target, script or task of a call does not exist.
func (r *repo) missingTarget(cmd, dir string) string {
	w := unwrapPlain(strings.Fields(cmd))
	if len(w) < 2 {
		return ""
	}
	runner, name := "", ""
	switch programName(w[0]) {
	case "make", "just", "task", "rake", "composer":
		runner, name = programName(w[0]), w[1]
		if runner == "composer" && (name == "validate" || name == "install" || name == "audit") {
			return ""
		}
	case "npm", "pnpm", "yarn", "bun":
		runner, name = "node", w[1]
		if (name == "run" || name == "run-script") && len(w) > 2 {
			name = w[2]
		} else if name != "test" && w[0] != "yarn" && w[0] != "pnpm" {
			return ""
		}
		if w[1] == "exec" || w[1] == "dlx" || w[1] == "workspaces" || w[1] == "workspace" || strings.HasPrefix(w[1], "-") || w[0] == "bun" && w[1] == "test" {
			return ""
		}
		if w[1] != "run" && w[1] != "test" && programs[w[1]].kind != "" {
			return ""
		}
	default:
		return ""
	}
	if strings.HasPrefix(name, "-") || r.nearest(runner, dir).find(name) != nil {
		return ""
	}
	return name + " is not declared for " + runner + " here"
}
