package guard

import (
	"strings"
)

// shellFlow follows, through a text of shell commands, which tools can still
// fail it: what if, ||, a pipe, the background, a loop or a forgotten status do
// to the exit status of each.
type shellFlow struct {
	toks    []shellTok
	at      int
	text    string
	errexit bool
	pipe    bool            // pipefail
	failing map[string]int  // by tool: runs whose failure ends the text as failed
	runs    map[string]int  // by tool: all runs
	ending  fate            // of a failure that ends the text, or is looked at where it ends
	decides map[string]bool // variables that decide how the text ends
	depth   int
	dead    bool // what follows is never reached
}

// fate is what happens to the failure of a command.
type fate uint8

const (
	fails     fate = iota // it reaches the caller
	swallowed             // nobody sees it
)

// followShell reads a text; errexit says whether the first failing command ends it.
func followShell(text string, errexit bool) (failing, runs map[string]int) {
	s := &shellFlow{toks: shellTokens(text), text: text, errexit: errexit, failing: map[string]int{}, runs: map[string]int{}, decides: deciding(text)}
	if exitTrapRE.MatchString(text) {
		s.ending = swallowed
	}
	for s.at < len(s.toks) {
		s.list(s.ending, true)
		s.at++ // a word that closes nothing
	}
	return s.failing, s.runs
}

var (
	exitTrapRE = lazily(`\btrap\s+["']?(exit 0|true)["']?\s+.*(EXIT|ERR|0)\b`)
	// failingRE is a command that ends or marks the text as failed.
	failingRE = lazily(`^(exit|return)( ("?\$.*|[1-9]\d*|-1))?$|^false$|^kill\b|^(fail|die|abort|error|bail)\w*\b|^(exec )?travis_terminate [1-9]`)
	// notedRE keeps a status in a variable, or counts a failure.
	notedRE = lazily(`^(?:local |export )?(\w+)\+?=(?:.*\$\?.*|.*\$\(\(.*|1|[1-9]\d*|"?(?:fail\w*|no|false|bad)"?|false)$|^let "?(\w+)|^\(\( ?(\w+)`)
	// zeroTestRE asks whether the last command succeeded, and nothing milder.
	zeroTestRE = lazily(`\$\?"? (-eq|==|=) 0|\$\?"? (-ne|!=|-gt) 0|-z "?\$\?`)
)

// list reads commands up to a word that closes what is open; under is what
// becomes of a failure of the whole, last says that its last command decides.
func (s *shellFlow) list(under fate, last bool) {
	if s.depth++; s.depth > maxDepth {
		s.at = len(s.toks)
	}
	defer func() { s.depth-- }()
	for s.at < len(s.toks) {
		for s.at < len(s.toks) && s.separator(s.at) {
			s.at++
		}
		if s.at >= len(s.toks) || s.toks[s.at].ends() {
			return
		}
		end := s.statementEnd(s.at)
		f := under
		switch rest := s.after(end); {
		case end < len(s.toks) && s.toks[end].text == "&" && (!strings.Contains(s.text, "wait") || bareWaitRE.MatchString(s.text)):
			f = swallowed
		case s.errexit, rest == "" && last, rest == "$?":
		default:
			f = swallowed
		}
		s.chain(f)
	}
}

// after says what follows a command without errexit: nothing, a look at its
// status ("$?"), or other commands.
func (s *shellFlow) after(end int) string {
	i := end
	for i < len(s.toks) && (s.toks[i].op && (s.toks[i].text == ";" || s.toks[i].text == "\n")) {
		i++
	}
	if i >= len(s.toks) || s.toks[i].ends() {
		return ""
	}
	next := s.words(i, s.statementEnd(i))
	switch {
	case notedRE.MatchString(next) && strings.Contains(next, "$?"):
		if s.decides[notedName(next)] {
			return "$?"
		}
		return "lost"
	case strings.HasPrefix(next, "exit $?"), strings.HasPrefix(next, "return $?"),
		strings.Contains(next, "$?") && zeroTestRE.MatchString(next), strings.HasPrefix(next, "wait"):
		return "$?"
	}
	return "lost"
}

// deciding lists the variables that decide how a text ends.
func deciding(text string) map[string]bool {
	out := map[string]bool{}
	for _, l := range strings.Split(text, "\n") {
		if !decidesRE.MatchString(l) {
			continue
		}
		for _, m := range readNameRE.FindAllStringSubmatch(l, -1) {
			out[m[1]+m[2]] = true
		}
	}
	return out
}

var (
	decidesRE = lazily(`\b(exit|return|if|test)\b|\[|\(\(|&&|\|\|`)
	// readNameRE reads a variable, in an expression of numbers without a sign before it.
	readNameRE = lazily(`\$\{?(\w+)|\(\( ?(\w+)`)
)

func notedName(cmd string) string {
	m := notedRE.FindStringSubmatch(cmd)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// pipeline reads commands joined by |; only the last decides without pipefail.
func (s *shellFlow) pipeline(under fate) {
	negated := s.at < len(s.toks) && s.toks[s.at].text == "!"
	if negated {
		s.at++
		under = swallowed
	}
	for {
		f := under
		if s.pipesOn() && !s.pipe {
			f = swallowed
		}
		s.command(f)
		if s.at >= len(s.toks) || s.toks[s.at].text != "|" {
			return
		}
		s.at++
	}
}

// pipesOn says whether the command at hand feeds another one.
func (s *shellFlow) pipesOn() bool {
	pipe := false
	s.operators(func(_ int, op string) bool {
		pipe = op == "|"
		return false
	})
	return pipe
}

// operators visits those from here on that stand outside of blocks, until visit
// returns false.
func (s *shellFlow) operators(visit func(i int, op string) bool) {
	depth := 0
	for i := s.at; i < len(s.toks); i++ {
		switch t := s.toks[i]; {
		case opensWord(t):
			depth++
		case depth > 0 && closesBlock(t):
			depth--
		case depth == 0 && t.op && !visit(i, t.text):
			return
		}
	}
}

// command reads one command, simple or compound.
func (s *shellFlow) command(under fate) {
	if s.at >= len(s.toks) {
		return
	}
	switch t := s.toks[s.at].text; t {
	case "if":
		s.branch(under)
	case "while", "until":
		s.at++
		s.list(swallowed, true)
		s.body(under)
	case "for", "select":
		for s.at < len(s.toks) && s.toks[s.at].text != "do" {
			s.at++
		}
		s.body(under)
	case "case":
		s.cases(under)
	case "{", "(":
		end := map[string]string{"{": "}", "(": ")"}[t]
		s.at++
		s.list(under, true)
		s.skip(end)
	default:
		s.simple(under)
	}
}

// body reads do … done; only the last turn's status would reach the caller by itself.
func (s *shellFlow) body(under fate) {
	s.skip("do")
	s.list(under, false)
	s.skip("done")
}

// skip passes a word when it stands here.
func (s *shellFlow) skip(w string) {
	for s.at < len(s.toks) && s.separator(s.at) {
		s.at++
	}
	if s.at < len(s.toks) && s.toks[s.at].text == w {
		s.at++
	}
}

// branch reads if … fi. A tool in its condition fails the text when the branch
// for its failure does.
func (s *shellFlow) branch(under fate) {
	end := s.blockEnd(s.at)
	inner := s.words(s.at, end)
	cond, rest, _ := strings.Cut(inner, " then ")
	onFail := ""
	if strings.HasPrefix(cond, "if ! ") {
		onFail, _, _ = strings.Cut(rest, " else ")
	} else if _, other, ok := strings.Cut(rest, " else "); ok {
		onFail = other
	} else if _, other, ok := strings.Cut(rest, " elif "); ok {
		onFail = other
	}
	f := swallowed
	if s.marksFailure(strings.ReplaceAll(onFail, " then ", " ; ")) {
		f = s.ending
	}
	s.at++
	negated := s.at < len(s.toks) && s.toks[s.at].text == "!"
	if negated {
		s.at++
	}
	saved := s.errexit
	s.errexit = false
	s.list(f, true)
	s.errexit = saved
	for s.at < len(s.toks) && s.at < end {
		switch s.toks[s.at].text {
		case "then", "else":
			s.at++
			s.list(under, true)
		case "elif":
			s.at++
			s.list(swallowed, true)
		default:
			s.at++
		}
	}
	s.at = end + 1
}

// cases reads case … esac.
func (s *shellFlow) cases(under fate) {
	end := s.blockEnd(s.at)
	for s.at < end && s.toks[s.at].text != "in" {
		s.at++
	}
	for s.at < end {
		s.at++
		if s.at < end && s.toks[s.at-1].text == "*)" {
			s.list(under, true)
		}
	}
	s.at = end + 1
}

// simple reads a command without structure, and counts the tools in it.
func (s *shellFlow) simple(under fate) {
	from := s.at
	for s.at < len(s.toks) && !s.toks[s.at].op {
		s.at++
	}
	cmd := s.words(from, s.at)
	if s.at == from {
		s.at++
		return
	}
	if s.at+1 < len(s.toks) && s.toks[s.at].text == "(" && s.toks[s.at+1].text == ")" { // a function
		s.at += 2
		for s.at < len(s.toks) && s.toks[s.at].text == "\n" {
			s.at++
		}
		s.command(fails)
		return
	}
	if set, ok := strings.CutPrefix(cmd, "set "); ok {
		s.options(set)
	}
	if s.dead = s.dead || s.depth == 1 && cmd == "exit 0"; s.dead || assignsRE.MatchString(cmd) {
		under = swallowed // nothing after it is reached; the status is that of the assignment
	}
	if m := subShellRE.FindStringSubmatch(cmd); m != nil && under == fails {
		f, r := followShell(m[2], strings.Contains(m[1], "e"))
		for t, n := range r {
			s.runs[t] += n
			s.failing[t] += f[t]
		}
		return
	}
	if name := programOf(cmd); name != "" {
		s.runs[name]++
		if under == fails {
			s.failing[name]++
		}
	}
	for tool, n := range toolRuns(shellWords(cmd)) {
		s.runs[tool] += n
		if under == fails {
			s.failing[tool] += n
		}
	}
}

var (
	// assignsRE takes the output of a command in a declaration, whose status hides that of the command.
	assignsRE = lazily(`^(export|local|declare|typeset|readonly) .*=["']?\$\(|^coproc\b`)
	// subShellRE hands a text to another shell.
	subShellRE = lazily(`^(?:\w+=\S+ )*(?:/bin/)?(?:ba|da|z|k)?sh -(\w*)c ["'](.*)["']$`)
	// bareWaitRE waits for all, and succeeds whatever they did.
	bareWaitRE = lazily(`(?m)\bwait[ \t]*($|;|&&)`)
)

// listed stands for the programs that a loop goes through.
const listed = own + "what is listed"

// listedRE runs a program whose name a variable holds.
var listedRE = lazily(`^(?:(?:ba|da|z|k)?sh |python3? |node |ruby |\./)?"?\$\{?\w+\}?"?$|^\./\$`)

// programOf names the project's own program that a command runs, when it is one
// that checks; the mark before the name tells it from a tool.
func programOf(cmd string) string {
	if listedRE.MatchString(cmd) {
		return listed
	}
	words := strings.Fields(cmd)
	if len(words) == 0 || !strings.ContainsAny(words[0], "/.") || toolCalls(cmd) > 0 || !checkNameRE.MatchString(words[0]) || strings.ContainsAny(words[0], "=$") || words[0] == "." {
		return ""
	}
	return own + words[0]
}

// own marks a program of the project.
const own = "own "

// options follows set -e, set +e and pipefail.
func (s *shellFlow) options(set string) {
	for _, w := range strings.Fields(set) {
		switch {
		case w == "errexit":
			s.errexit = !strings.Contains(set, "+o errexit")
		case w == "pipefail":
			s.pipe = !strings.Contains(set, "+o pipefail")
		case strings.HasPrefix(w, "-") && strings.Contains(w, "e"):
			s.errexit = true
		case strings.HasPrefix(w, "+") && strings.Contains(w, "e"):
			s.errexit = false
		}
	}
}

func (s *shellFlow) separator(i int) bool {
	t := s.toks[i]
	return t.op && (t.text == ";" || t.text == "\n" || t.text == "&")
}

// parts and closes blocks: what ends a list of commands.
func (t shellTok) ends() bool {
	switch t.text {
	case "then", "else", "elif", "fi", "do", "done", "esac", "}", ")", ";;":
		return t.op
	}
	return false
}

func opensWord(t shellTok) bool {
	switch t.text {
	case "if", "while", "until", "for", "case", "select", "{", "(":
		return t.op
	}
	return false
}

func closesBlock(t shellTok) bool {
	switch t.text {
	case "fi", "done", "esac", "}", ")":
		return t.op
	}
	return false
}

// statementEnd is where the statement at i ends: at an operator outside of all blocks.
func (s *shellFlow) statementEnd(i int) int {
	depth := 0
	for ; i < len(s.toks); i++ {
		switch t := s.toks[i]; {
		case opensWord(t):
			depth++
		case closesBlock(t):
			if depth == 0 {
				return i
			}
			depth--
		case depth == 0 && t.op && (t.text == ";" || t.text == "\n" || t.text == "&" || t.text == ";;"):
			return i
		}
	}
	return i
}

// blockEnd is the word that closes the block which opens at i.
func (s *shellFlow) blockEnd(i int) int {
	depth := 0
	for ; i < len(s.toks); i++ {
		if opensWord(s.toks[i]) {
			depth++
		} else if closesBlock(s.toks[i]) {
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(s.toks)
}

func (s *shellFlow) words(from, to int) string {
	var out []string
	for i := from; i < to && i < len(s.toks); i++ {
		t := s.toks[i].text
		if t == "\n" {
			t = ";"
		}
		out = append(out, t)
	}
	return strings.Join(out, " ")
}
