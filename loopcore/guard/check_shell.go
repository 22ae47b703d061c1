package guard

import "strings"

// shellCheck reads the checks of shell tests: [ … ], test, bats-assert, shunit2, shellspec.
func (u *unit) shellCheck(i int) (check, bool) {
	t := u.text(i)
	start := u.first(i) || u.text(i-1) == "&&" || u.text(i-1) == "||" || u.text(i-1) == ";" || u.text(i-1) == "{" || u.text(i-1) == "!" || u.text(i-1) == "if" || u.text(i-1) == "then"
	if !start {
		return check{}, false
	}
	end := i
	for end < len(u.toks) && (end == i || !u.first(end)) && u.text(end) != ";" && (end == i || u.text(end) != "&&" && u.text(end) != "||" || u.up(end) != u.up(i)) && u.text(end) != "then" {
		end++
	}
	c := check{family: famValue, verb: t, to: end, text: u.norm(i, end)}
	switch {
	case t == "[":
		c.to = u.close(i) + 1
		if u.text(i+1) == "[" {
			c.verb = "[["
		}
		from, to := i+1, u.close(i)
		if c.verb == "[[" {
			from, to = i+2, to-1
		}
		c.text = u.norm(i, c.to)
		u.shellExpr(&c, from, to)
		u.invert(&c, i, from)
	case t == "test":
		u.shellExpr(&c, i+1, end)
		u.invert(&c, i, i+1)
	case strings.HasPrefix(t, "assert") || strings.HasPrefix(t, "refute") || u.homeMade(i, end):
		for k := i + 1; k < end; k++ {
			c.ops, c.opAt = append(c.ops, u.norm(k, k+1)), append(c.opAt, span{k, k + 1})
		}
		c.rank = u.shellVerb(&c, flat(t))
		u.batsAssert(&c, flat(t))
	case t == "The" && strings.HasSuffix(u.path, "_spec.sh"):
		c.rank = 90
		if hasAny(c.text, "include", "match", "start with", "end with") {
			c.rank = 70
		} else if hasAny(c.text, "be present", "be defined", "be blank") {
			c.rank = 40
		}
		c.ops = []string{specWords.Replace(u.norm(i, min(i+2, end))), specWords.Replace(u.norm(min(i+2, end), end))}
		if strings.Contains(c.text, "be failure") {
			c.rank = 50
		}
	case t == "diff" || t == "cmp":
		c.rank = 90
		c.ops = []string{u.norm(i+1, end)}
	case t == "grep" || t == "egrep" || t == "fgrep":
		c.rank = 70
		c.ops = []string{unheardRE.ReplaceAllString(u.norm(i+1, end), "")}
	case t == "run" && u.kind(i+1) == tkIdent && strings.HasPrefix(u.text(i+1), "-") || t == "run" && u.text(i+1) == "!":
		c.rank, c.verb = 60, "run"
		c.ops = []string{u.norm(i+1, end)}
		if t := u.text(i + 1); t == "!" {
			c.status(i, "")
		} else if digitsRE.MatchString(t[1:]) {
			c.status(i+1, t[1:])
		}
	case (t == "fail" || t == "flunk" || t == "false" || t == "die") && u.text(i+1) != "(":
		c.rank = 60
	case (t == "exit" || t == "return") && u.kind(i+1) == tkNumber && u.text(i+1) != "0":
		c.rank = 60
	default:
		return check{}, false
	}
	if u.text(end) == "||" && (u.text(end+1) == "true" || u.text(end+1) == ":" || u.text(end+1) == "return" && u.text(end+2) == "0" || u.text(end+1) == "echo" && !u.failsLater(end)) {
		c.soft, c.ctx = "its failure is dropped by ||", "|| "+u.text(end+1)
		c.text += "||" + u.text(end+1)
	}
	u.alternative(&c, i, end)
	return c, true
}

// specWords spells words of shellspec that mean the same in one way.
var specWords = strings.NewReplacer("stdout", "output", "be success", "equal 0", " eq ", " equal ")

// invert ranks a condition under which the test fails: it is what must not hold.
func (u *unit) invert(c *check, i, from int) {
	if u.text(i-1) != "if" || u.text(from) == "!" || c.soft != "" || !u.failsThen(c.to) {
		return
	}
	c.text = "fail if " + c.text
	switch c.rank {
	case 45, 50:
		c.rank = 90
	case 90:
		c.rank = 45
	case 40:
		c.rank = 75
	case 75:
		c.rank = 40
	}
}

// failWordRE is what fails a test of shell, at the beginning of a command.
var failWordRE = lazily(`^(exit|return) ?"?(\$|[1-9])|^(false|fail\w*|flunk|die|bail\w*|not_ok)\b|^\(?\(?\w*(fail|err|bad|rc|status|ret)\w*(=("?[1-9]|\$\(\()|\+\+|\+=)`)

// failsThen says whether the branch of an if whose condition ends at token i fails the test.
func (u *unit) failsThen(i int) bool {
	for ; i < len(u.toks); i++ {
		switch t := u.text(i); {
		case t == "else" || t == "elif" || t == "fi":
			return false
		case u.first(i) || u.text(i-1) == "then" || u.text(i-1) == ";":
			if failWordRE.MatchString(u.norm(i, min(i+4, len(u.toks)))) {
				return true
			}
		}
	}
	return false
}

// status makes c an assertion of the status that the last run ended with, which
// has several spellings: want is "" for any failure.
func (c *check) status(at int, want string) {
	c.verb, c.rank, c.opAt = "status", 90, []span{{at, at + 1}, {at, at + 1}}
	if c.ops = []string{`"$status"`, want}; want == "" {
		c.ops[1], c.rank = "0", 50
	}
}

var (
	digitsRE   = lazily(`^\d+$`)
	variableRE = lazily(`^"?\$\{?(\w+)\}?"?$`)
)

// shellOperand spells a variable in one way, quoted or not.
func shellOperand(s string) string {
	return variableRE.ReplaceAllString(s, `"$$$1"`)
}

// batsAssert gives the assertions of bats-assert the operands of what they stand for.
func (u *unit) batsAssert(c *check, verb string) {
	if !strings.HasSuffix(u.path, ".bats") {
		return
	}
	switch want := first(c.ops); {
	case verb == "assertsuccess":
		c.status(c.to-1, "0")
	case verb == "assertfailure" && (want == "" || digitsRE.MatchString(want)):
		c.status(c.to-1, want)
	case verb == "assertoutput" && len(c.ops) == 1 && c.rank == 90:
		c.ops, c.opAt = append([]string{`"$output"`}, c.ops...), append([]span{c.opAt[0]}, c.opAt...)
	}
}

// unheardRE is what keeps a search from printing what it found.
var unheardRE = lazily(`^(-q|--quiet|--silent)\b ?|>/dev/null( ?2>&1)?$`)

// homeMade says whether the words up to end call a check that the project wrote: check "trims" a "$out".
func (u *unit) homeMade(i, end int) bool {
	switch t := u.text(i); {
	case !strings.HasPrefix(t, "check") && !strings.HasPrefix(t, "expect") && !strings.HasPrefix(t, "verify") && t != "is" && t != "ok":
		return false
	}
	return end > i+2 && u.text(i+1) != "(" && strings.Contains(u.norm(i, end), "$")
}

// alternative weakens a check that another may stand in for: [ a ] || [ b ].
func (u *unit) alternative(c *check, i, end int) {
	test := func(k int) bool { return u.text(k) == "[" || u.text(k) == "test" || u.text(k) == "grep" }
	before := u.text(i-1) == "||" && u.line(i-1) == u.line(i) && c.verb != "exit" && c.verb != "return" && c.verb != "false" && c.verb != "fail"
	if c.soft == "" && (u.text(end) == "||" && test(end+1) || before && c.rank > 60) {
		c.rank -= 10
		c.verb += "||"
	}
	if c.soft == "" && u.text(i-1) == "&&" && u.line(i-1) == u.line(i) && u.text(u.lineStart(i)) == "[" && c.rank > 60 && !u.first(i) {
		c.ctx = "&&"
	}
}

// lineStart returns the first token of the line of token i.
func (u *unit) lineStart(i int) int {
	for i > 0 && !u.first(i) {
		i--
	}
	return i
}

// failsLater says whether the rest of the line ends in a failure.
func (u *unit) failsLater(i int) bool {
	for k := i + 1; k < len(u.toks) && !u.first(k); k++ {
		if t := u.text(k); t == "exit" || t == "return" || t == "false" || t == "fail" {
			return true
		}
		if strings.Contains(u.text(k), "=1") || u.text(k) == "1" {
			return true
		}
	}
	return false
}

// shellExpr ranks the inside of [ … ].
func (u *unit) shellExpr(c *check, from, to int) {
	c.rank = 40
	denied := u.text(from) == "!"
	for k := from; k < to; k++ {
		t := u.text(k)
		rank := 0
		switch t {
		case "=", "==", "-eq":
			rank = 90
			for j := k + 1; j < to; j++ {
				if c.verb == "[[" && strings.Contains(u.text(j), "*") && u.kind(j) != tkString {
					rank = 70
				}
			}
		case "!=", "-ne":
			rank = 45
			if k > from && (u.text(k+1) == "0" || u.text(k+1) == `""`) {
				rank = 50
			}
		case "=~":
			rank = 70
		case "-gt", "-lt", "-ge", "-le", "<", ">":
			rank = 65
		case "-f", "-d", "-x", "-s", "-L", "-r", "-w":
			rank = 60
		case "-e":
			rank = 55
		case "-z":
			rank = 75
		case "-n":
			rank = 40
		}
		if rank == 0 {
			continue
		}
		if denied && rank > 50 {
			rank, c.verb = 45, c.verb+"!"
		}
		c.rank = rank
		c.verb += t
		if k > from {
			c.ops = append(c.ops, shellOperand(u.norm(from, k)))
			c.opAt = append(c.opAt, span{from, k})
		}
		c.ops = append(c.ops, shellOperand(u.norm(k+1, to)))
		c.opAt = append(c.opAt, span{k + 1, to})
		break
	}
	if len(c.ops) == 0 {
		c.ops, c.opAt = []string{u.norm(from, to)}, []span{{from, to}}
	}
	if len(c.ops) == 2 && c.ops[0] == c.ops[1] && c.rank == 90 {
		c.rank, c.soft = 0, "both sides are the same"
	}
	if len(c.ops) == 1 && c.rank == 40 && isConst(c.ops[0]) && !strings.Contains(c.ops[0], "$") {
		c.rank, c.soft = 0, "the condition is constant"
	}
}

// shellVerb ranks the verbs of bats-assert and shunit2.
func (u *unit) shellVerb(c *check, v string) int {
	switch {
	case hasAny(v, "failure"):
		return 50
	case hasAny(v, "success"):
		return 60
	case hasAny(v, "notnull", "notequal", "notsame"):
		return 40
	case hasAny(v, "output", "line"):
		if strings.Contains(c.text, "--partial") || strings.Contains(c.text, "-p ") || strings.Contains(c.text, "--regexp") || strings.Contains(c.text, "-e ") {
			return 70
		}
		if len(c.ops) == 0 {
			return 40
		}
		return 90
	case hasAny(v, "contains", "match", "regex"):
		return 70
	case hasAny(v, "null"):
		return 75
	case hasAny(v, "true", "false"):
		return 55
	case v == "assert" || v == "refute":
		d := check{verb: "test"}
		from := 0
		if len(c.opAt) > 0 {
			from = c.opAt[0].from
			if u.text(from) == "[" {
				u.shellExpr(&d, from+1, u.close(from))
				c.ops, c.opAt, c.soft = d.ops, d.opAt, d.soft
				return d.rank
			}
		}
		return 60
	}
	return 90
}
