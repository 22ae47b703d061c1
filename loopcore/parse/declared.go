package parse

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// maxDeclared bounds the failures whose declaration is looked for.
const maxDeclared = 200

// declared gives a failing test that has a file and no line (a time-out, a
// thrown string, a reporter that leaves out the stack) the line that declares
// it, where the sources are at hand and just one line does.
func declared(l *Log, fs []loopcore.Failure) {
	looked := 0
	for i := range fs {
		f := &fs[i]
		if l.In.Root == nil || looked == maxDeclared || f.Name == "" || f.Line > 0 || !sourceExts[path.Ext(f.File)] {
			continue
		}
		looked++
		f.Line = declaration(sourceText(l, f.File), f.Name)
	}
}

// declaration is the one line of src that declares the test of that name, as a
// function or by a string; 0 if there is none or more than one.
func declaration(src, title string) int {
	name, _, _ := strings.Cut(title, "[") // the parameters
	name = name[strings.LastIndexAny(name, ":.#")+1:]
	found, n := 0, 0
	for line := range strings.SplitSeq(src, "\n") {
		if n++; !defines(line, name) && !titled(line, title) {
			continue
		}
		if found > 0 {
			return 0
		}
		found = n
	}
	return found
}

// defining are the words before the name of a function.
var defining = map[string]bool{"func": true, "def": true, "fn": true, "function": true, "void": true, "fun": true, "sub": true}

// defines reports whether a line defines the function of that name.
func defines(line, name string) bool {
	before, after, ok := strings.Cut(line, " "+name)
	if !ok || name == "" || after != "" && !strings.ContainsAny(after[:1], "( \t{") {
		return false
	}
	words := strings.Fields(before)
	return len(words) > 0 && defining[words[len(words)-1]]
}

// titled reports whether a line hands the title to something as the first
// argument: it("adds up", … or test "adds up" do.
func titled(line, title string) bool {
	for _, q := range []string{`"`, `'`, "`"} {
		if at := strings.Index(line, q+title+q); at > 0 && (line[at-1] == '(' || line[at-1] == ' ') {
			return true
		}
	}
	return false
}
