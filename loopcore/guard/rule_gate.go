package guard

import (
	"fmt"
	"path"
	"strings"

	"fixloop/loopcore"
)

// maxGatePrograms bounds the scripts that are followed from the gate's commands.
const maxGatePrograms = 40

var (
	// failSignRE is where a program says that a check failed.
	failSignRE = lazily(`\b(exit|return)\s+("?\$|[1-9])|\bset\s+-\w*e|\bpipefail\b|\bfalse\b|[.:]exit!?\(?\s*[1-9]|\bexitCode\s*=\s*[1-9]|\braise\b|` +
		`\bthrow\b|\bassert|\bpanic\(|\bdie\b|\babort\b|log\.Fatal`)
	// passSignRE is where a program ends or goes on as if nothing failed.
	passSignRE  = lazily(`\b(exit|return)\s+0\b|\bset\s+\+\w*e|\|\|\s*(true|:)(\s|;|$)|[.:]exit!?\(?\s*0\s*\)?|\bexitCode\s*=\s*0|\btrap\b`)
	checkNameRE = lazily(`(?i)test|check|verif|lint|spec|valid|gate|build|\bci\b|run[-_.]`)
)

// gateRules judges edits of the programs that the gate's own commands name,
// and of the scripts that those call: E01. Whoever writes the check decides
// what green means, so that in a loop any such edit is for a person, and one
// that fails less is a cheat.
func (d *diff) gateRules() {
	if len(d.in.Gate.Steps) == 0 {
		return
	}
	named := d.gatePrograms()
	for _, f := range d.files {
		if f.old == nil || !named[f.old.Path] {
			continue
		}
		what, sev := d.judgeProgram(f)
		if sev != "" {
			d.report("E01", sev, f.path(), 0, what)
		}
	}
}

// judgeProgram says how a program of the gate changed; severity "" is silence.
func (d *diff) judgeProgram(f *fileDiff) (string, loopcore.Severity) {
	if f.new == nil || f.new.Path != f.old.Path {
		return "the program that the gate calls is gone", loopcore.SevBlock
	}
	a, b := codeLines(data(f.old)), codeLines(data(f.new))
	if strings.Join(a, "\n") == strings.Join(b, "\n") {
		return "", ""
	}
	before, after := strings.Join(a, "\n"), strings.Join(b, "\n")
	shell := isScript(f.old)
	switch {
	case 2*len(minus(a, b)) > len(a) && 2*len(b) < len(a):
		return "the program that the gate calls lost most of its lines", loopcore.SevBlock
	case countMatches(failSignRE, after) < countMatches(failSignRE, before):
		return "the program that the gate calls fails less than it did", loopcore.SevBlock
	case countMatches(passSignRE, after) > countMatches(passSignRE, before):
		return "the program that the gate calls passes where it did not: " + clip(added(a, b, passSignRE), 80), loopcore.SevBlock
	case shell:
		for _, h := range compareCommands(a, b, oneProgram) {
			return fmt.Sprintf("the program that the gate calls does less: %s", h.why), h.sev
		}
	}
	if d.in.Mode != ModeFrozen || f.hasTests() || !shell && !checkNameRE.MatchString(baseName(f.path())) {
		return "", ""
	}
	return "the program that the gate calls was edited", loopcore.SevHuman
}

// added is the first new line that matches.
func added(a, b []string, re *lazyRE) string {
	for _, l := range minus(b, a) {
		if re.MatchString(l) {
			return l
		}
	}
	return ""
}

// codeLines are the lines of a program without blanks and full-line comments.
func codeLines(b []byte) []string {
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "//") && (!strings.HasPrefix(t, "#") || strings.HasPrefix(t, "#!")) {
			out = append(out, t)
		}
	}
	return out
}

// isScript says whether a file is a shell script, by name or by first line.
func isScript(f *File) bool {
	head := string(f.Data[:min(len(f.Data), 100)])
	return langOf(f.Path, head) == langShell
}

// gatePrograms follows the gate's commands through task files and shell scripts
// of the baseline to the programs that they name.
func (d *diff) gatePrograms() map[string]bool {
	t := trail{d: d, named: map[string]bool{}, read: map[string]bool{}}
	for _, st := range d.in.Gate.Steps {
		t.follow(st.Command, path.Clean("./"+st.Dir), false)
	}
	return t.named
}

// trail is the way from the gate's commands to its programs.
type trail struct {
	d     *diff
	named map[string]bool
	read  map[string]bool // files and targets that were looked at
}

// follow looks at the programs that a text of commands calls. Inside of a
// script, what is called may be the code under test: there only a name that
// speaks of checking counts.
func (t *trail) follow(text, dir string, inside bool) {
	words := shellWords(text)
	for i, w := range words {
		w = strings.TrimLeft(w, "@-(+")
		if w == "" || path.IsAbs(w) || !called(words, i) {
			continue
		}
		for _, p := range []string{path.Join(dir, w), path.Clean(w)} {
			if t.read[p] || len(t.named) >= maxGatePrograms || strings.HasPrefix(p, "..") {
				continue
			}
			f := t.d.before(p, w)
			if f == nil || inside && !checkNameRE.MatchString(baseName(p)) {
				continue
			}
			t.read[p], t.named[p] = true, true
			if isScript(f) {
				t.follow(string(f.Data), dir, true)
			}
		}
	}
	t.tasks(words, dir)
}

// tasks goes into the targets of make, just and the node package managers that
// a command calls, and what those depend on.
func (t *trail) tasks(words []string, dir string) {
	for i, w := range words {
		for _, name := range taskFiles[baseName(w)] {
			p := path.Join(dir, name)
			f := t.d.before(p, name)
			if f == nil {
				continue
			}
			all := commandsIn(p, f.Data)
			for _, target := range sortedKeys(all) {
				if wantsTarget(words[i+1:], target) {
					t.target(all, p, target, dir)
				}
			}
		}
	}
}

func (t *trail) target(all commandSet, file, target, dir string) {
	key := file + "\x00" + target
	if t.read[key] {
		return
	}
	t.read[key] = true
	t.follow(strings.Join(all[target], "\n"), dir, false)
	for _, dep := range all["deps:"+target] {
		t.target(all, file, dep, dir)
	}
}

// taskFiles are the files that a task runner reads.
var taskFiles = map[string][]string{
	"make": {"Makefile", "makefile", "GNUmakefile"}, "gmake": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile", ".justfile"},
	"npm": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"},
}

// wantsTarget says whether the arguments of a task runner name the target, or
// none at all; pretest and posttest go with test.
func wantsTarget(args []string, target string) bool {
	if strings.HasPrefix(target, "deps:") || strings.HasPrefix(target, "var ") {
		return false
	}
	base := strings.TrimPrefix(strings.TrimPrefix(target, "pre"), "post")
	return contains(args, target) || contains(args, base) || len(args) == 0
}

// called says whether word i is the program of its command: the first word
// after assignments and wrappers, or the file that an interpreter is given.
func called(words []string, i int) bool {
	start := i
	for start > 0 && !isOperator(words[start-1]) {
		start--
	}
	for start < i && (strings.Contains(words[start], "=") || wrapperRE.MatchString(words[start])) {
		start++
	}
	if start == i {
		return true
	}
	if !interpreterRE.MatchString(strings.TrimLeft(baseName(words[start]), "@-")) {
		return false
	}
	for _, w := range words[start+1 : i] {
		if !strings.HasPrefix(w, "-") || w == "-m" || w == "-c" || w == "-e" {
			return false
		}
	}
	return true
}

func isOperator(w string) bool {
	switch w {
	case ";", "&&", "||", "|", "&", "then", "do", "else", "if", "!", "{", "while", "until":
		return true
	}
	return false
}

var (
	interpreterRE = lazily(`^(sh|bash|dash|zsh|ksh|python[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript)$`)
	wrapperRE     = lazily(`^(@?env|exec|time|timeout|nice|command|\d+[smh]?|-[nk]?\d*)$`)
)

// before is a file of the baseline, nil when there is none. Only a word that
// looks like a path is looked up.
func (d *diff) before(p, word string) *File {
	if c := d.byPath[p]; c != nil {
		return c.Old
	}
	if d.in.Before == nil || strings.ContainsAny(word, "*?$<>=\"'`{}") || !strings.ContainsAny(word, "./") && word != "Makefile" && word != "makefile" && word != "justfile" && word != "Justfile" {
		return nil
	}
	b, ok := d.in.Before.Read(p)
	if !ok {
		return nil
	}
	return &File{Path: p, Mode: ModeFile, Data: b, Size: int64(len(b))}
}
