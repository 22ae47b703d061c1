package guard

import "strings"

// flat lowers a verb and drops what only joins words.
func flat(v string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", ".").Replace(v))
}

// hasWord says whether one of the words that a verb is made of is among names.
func hasWord(verb string, names ...string) bool {
	start := 0
	for i := 0; i <= len(verb); i++ {
		cut := i == len(verb) || !isNameStart(verb[i]) && !isDigit(verb[i]) || verb[i] == '_'
		hump := !cut && i > start && verb[i] >= 'A' && verb[i] <= 'Z' && !(verb[i-1] >= 'A' && verb[i-1] <= 'Z')
		if !cut && !hump {
			continue
		}
		w := strings.ToLower(verb[start:i])
		for _, n := range names {
			if w == n {
				return true
			}
		}
		start = i
		if cut {
			start = i + 1
		}
	}
	return false
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// judge gives an assertion its family, strength, exception type and tolerance
// from its verb and operands. A drop of it is what A04 in docs/guard.md tells:
// equality 90, a bound within a tolerance 85, containment and order 60-75, one
// predicate 55, presence and type 40, anything 0-30.
func (u *unit) judge(c *check) {
	if c.family == "" {
		c.family = famValue
	}
	v := flat(c.verb)
	not := hasAny(v, "not", "never", "refute", "wont", "doesnt", "didnot") && !hasAny(v, "notnull", "notnil", "notempty", "notblank", "nothrow", "notthrow", "notraise", "notification", "another", "annotat", "notnone")
	if u.lang == langSwift && len(c.ops) > 0 && strings.HasPrefix(c.ops[0], "throws:") {
		c.family, c.exc, c.rank = famThrow, strings.TrimPrefix(c.ops[0], "throws:"), 88
		if strings.HasSuffix(c.exc, ".self") {
			c.rank = 80
		}
		if hasAny(c.exc, "any Error", "(Error)", "Never") || c.exc == "Error.self" {
			c.rank = 50
		}
		return
	}
	if v == "succeed" && len(c.ops) == 0 {
		c.rank, c.soft = 0, "it always passes"
		return
	}
	if u.judgeMock(c, v, not) || u.judgeThrow(c, v, not) {
		return
	}
	c.rank = u.valueRank(c, v, not)
	if hasWord(c.verb, "or") && c.rank > 10 && (u.lang == langRuby || u.lang == langCSharp) {
		c.rank -= 10
		c.verb += "||"
	}
	if c.tol > 0 && c.rank == 90 {
		c.rank = 85
	}
	if c.rank == 85 && c.tol == 0 {
		u.findTolerance(c, v)
	}
	u.judgeOperands(c, v, not)
}

func (u *unit) judgeMock(c *check, v string, not bool) bool {
	if u.lang == langC && strings.HasPrefix(c.verb, "expect_") {
		c.family, c.rank = famMock, 80
		if hasAny(c.verb, "any") {
			c.rank = 10
		}
		return true
	}
	mock := c.family == famMock || hasAny(v, "called", "receive", "calls") || u.lang == langPHP && strings.HasPrefix(v, "expects") || strings.HasPrefix(v, "verify") || strings.HasPrefix(v, "coverify") || strings.HasPrefix(v, "expectcall")
	if !mock || hasAny(v, "recalled") {
		return false
	}
	c.family = famMock
	all := strings.ToLower(strings.Join(c.ops, " "))
	switch {
	case hasAny(v+all, "atleast(0)", "atleast(exactly(0)", "atleast=0", "anynumber", "anytimes", "times.atmost", "atmost", "between(0",
		"any_number", "anyexactly"):
		c.rank = 10
	case hasAny(all, "times.never", "never()", "times(0)", "exactly(0)") || not || hasAny(v, "nomore", "nointeractions", "never"):
		c.rank = 75
	case hasAny(v, "withanyargs"):
		c.rank = 50
	case hasAny(v+all, "atleastonce", "atleast(", "atleast=", "atleast"):
		c.rank = 50
	case hasAny(v, "verifysequence", "verifyall"): // these calls and no others
		c.rank = 85
	case hasAny(v, "calledwith", "calledoncewith", "calledexactlyoncewith", "haslastcalled", "anycall", "hascalls", "nthcalled", "lastcalled",
		"awaitedwith", "withargs", "calledtimes.with", "received.with", "with"):
		c.rank = 85
	case hasAny(v, "numberofcalls", "times", "once", "count", "exactly", "awaitedonce", "twice") || hasAny(all, "times(", "times.", "once", "exactly"):
		c.rank = 75
	case hasAny(v, "received", "verify", "coverify", "expectcall", "expects"):
		c.rank = 70
	case v == "assertcalled" && u.lang == langGo:
		c.rank = 75
	case hasAny(v, "receive"):
		c.rank = 60
	default:
		c.rank = 50
	}
	// loose argument matchers
	loose := strings.Count(all, "any()") + strings.Count(all, "any(") + strings.Count(all, "anything") + strings.Count(all, "any<") + strings.Count(all, "anystring") + strings.Count(all, "anyint") + strings.Count(all, "it.isany") + strings.Count(all, "mock.any") + strings.Count(all, "_)") + strings.Count(all, "arg.any") + strings.Count(all, "anyarg") + 5*strings.Count(all, "any_args")
	if u.lang == langElixir {
		for _, w := range wordRE.FindAllString(all, -1) {
			if w[0] == '_' && (len(w) == 1 || !isDigit(w[1])) {
				loose++
			}
		}
	}
	c.rank -= min(3*loose, 25)
	if u.lang == langPython && (c.verb == "called_with" || c.verb == "called_once_with") || v == "tohavebeencalled" && !strings.Contains(c.text, "(") {
		c.rank, c.soft = 0, "an attribute of that name checks nothing"
	}
	return true
}

var broadErrors = map[string]bool{"Exception": true, "BaseException": true, "Throwable": true, "Error": true, "StandardError": true,
	"RuntimeError": true, "std::exception": true, "exception": true, "System.Exception": true, "RuntimeException": true, "any Error": true,
	"ApplicationException": true, "SystemException": true}

// newErrorRE makes an error of Ruby with a message.
var newErrorRE = lazily(`^[A-Z][\w:]*\.new\(.`)

func (u *unit) judgeThrow(c *check, v string, not bool) bool {
	throw := u.lang == langCSharp && (v == "catch" || v == "catchasync") ||
		u.lang == langJava && (v == "expect" || v == "expectmessage" || v == "expectcause") || hasAny(v, "throw", "raise", "rejects", "rejected", "isfailure", "fails", "panic", "iserr", "errorspec", "death", "exit", "catching", "exception") || u.lang == langGo && hasAny(v, "error", "panics", "haveoccurred") && !hasAny(v, "errorf")
	if u.lang == langC && v == "fail" || hasAny(v, "failfast") {
		return false
	}
	if !throw {
		return false
	}
	if v == "fail" {
		return false
	}
	c.family = famThrow
	if u.lang == langJS && hasAny(v, "rejects.") && hasAny(v, "instanceof") && len(c.ops) > 1 {
		c.exc, c.rank = c.ops[1], 80
		return true
	}
	if u.lang == langJS && hasAny(v, "rejects.") && !hasAny(v, "throw") { // rejects.toEqual(…)
		c.family = famValue
		return false
	}
	if not && !hasAny(v, "error.not", "notnull") || hasAny(v, "noerror", "nothrow", "notthrow", "noexception", "notpanics", "succeed", "notraise", "doesnot", "donot") {
		c.rank = 35
		return true
	}
	c.exc = u.excType(c, v)
	msg := len(c.ops) > 1 && (strings.Contains(c.text, "match=") || strings.Contains(v, "message") || strings.Contains(v, "containing") || strings.Contains(v, "matching")) || hasAny(v, "raisesregex", "withmessage", "hasmessage", "errorcontains", "equalerror", "throwsmatches", "throwswith", "messageregex", "messagematches", "exceptionmessage", "exceptioncode", "raisesexactly")
	empty := false
	for k, op := range c.ops {
		empty = empty || (k > 0 || hasAny(v, "message", "matches")) && vacuous(op)
		if k > 0 && (strings.HasPrefix(op, `"`) || strings.HasPrefix(op, "/") || strings.HasPrefix(op, "~r") || strings.HasPrefix(op, "{") && u.lang == langJS || strings.HasPrefix(op, "new ") && strings.Contains(op, "(") && u.lang == langJS) && !u.isMessage(v) {
			msg = true
		}
		msg = msg || u.lang == langRuby && (k > 0 || !strings.HasPrefix(v, "to.")) && newErrorRE.MatchString(op)
	}
	msg = msg && !empty
	switch {
	case hasAny(v, "anythrow", "throwany", "throwsany", "recordexception",
		"catching") || v == "exceptionasync" || v == "exception" || v == "catch" || v == "catchasync" || u.lang == langGo && (v == "error" || v == "panics" || v == "toerror" || hasAny(v, "haveoccurred")):
		c.rank, c.exc = 50, ""
		if u.lang == langCSharp && hasAny(v, "throwsany", "catch") {
			c.rank = 60
		}
	case hasAny(v, "errorcontains", "panicserror"):
		c.rank = 75
	case c.exc == "" && !msg && u.lang != langGo && !hasAny(v, "erroris", "errormatch"):
		c.rank = 50
	case broadErrors[strings.TrimPrefix(c.exc, `\`)]:
		c.rank = 55
		if msg {
			c.rank = 78
		}
	default:
		c.rank = 80
		if msg {
			c.rank = 88
		}
		if hasAny(v, "exactly") {
			c.rank += 3
		}
	}
	return true
}

// isMessage says whether string arguments of the verb are only shown on failure.
func (u *unit) isMessage(v string) bool {
	switch u.lang {
	case langJava, langKotlin:
		return hasAny(v, "assertthrows", "assertfails", "assertdoes")
	case langGo:
		return !hasAny(v, "contains", "equalerror", "regexp", "panicswith", "errorcontains")
	case langCSharp:
		return hasAny(v, "throws")
	case langElixir:
		return false
	}
	return false
}

// excType picks the expected exception out of the operands.
func (u *unit) excType(c *check, v string) string {
	if c.exc != "" {
		return c.exc
	}
	if name, ok := strings.CutPrefix(c.verb, "Throws."); ok && u.lang == langCSharp && strings.HasSuffix(name, "Exception") { // NUnit's constraint
		return name
	}
	for k, op := range c.ops {
		name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(op, ".class"), "::class"), ".class.java"), "::class.java")
		if i := strings.IndexByte(name, '('); u.lang == langSwift && i > 0 && k > 0 { // an error with a value
			name = name[:i]
		}
		if u.lang == langSwift && strings.Contains(name, ".") && name[0] >= 'A' && name[0] <= 'Z' && !strings.ContainsAny(name, "( \"") {
			return name
		}
		name, made := strings.CutPrefix(name, "new ")
		if i := strings.IndexByte(name, '('); i > 0 && (made || strings.HasSuffix(name[:i], ".new")) {
			name = strings.TrimSuffix(name[:i], ".new")
		}
		if len(name) > 64 || strings.ContainsAny(name, "(){}\"/; =") {
			continue
		}
		last := name[strings.LastIndexAny(name, ".:\\")+1:]
		if last == "" || last[0] < 'A' || last[0] > 'Z' {
			continue
		}
		if k == 0 && (u.lang == langJS || u.lang == langGo || u.lang == langRuby && strings.HasPrefix(v, "to.")) {
			continue
		}
		if hasAny(last, "Error", "Exception", "Err", "Failure", "Throwable", "Interrupt", "Exit", "Unavailable", "NotFound", "Invalid", "Fault") || k == 0 && u.lang != langC || k > 0 && u.lang != langC {
			return name
		}
		if u.lang == langC && k == len(c.ops)-1 {
			return name
		}
	}
	if u.lang == langC && len(c.ops) > 1 && hasAny(v, "throwas", "throw") && !hasAny(v, "with") {
		return strings.TrimPrefix(c.ops[len(c.ops)-1], "const ")
	}
	_ = v
	return ""
}

// elementsRE is a comparison of C that is told how much to compare.
var elementsRE = lazily(`array|memory|mem|len|strn|each`)

// judgeOperands looks for operands that make the assertion empty.
func (u *unit) judgeOperands(c *check, v string, not bool) {
	if u.lang == langCSharp && c.rank == 90 && (hasAny(v, "equal") || v == "shouldbe") && len(c.opAt) > 2 && (u.kind(c.opAt[2].from) == tkNumber || strings.HasPrefix(c.ops[2], "tolerance:") || strings.HasPrefix(c.ops[2], "precision:")) {
		c.rank = 85
		u.findTolerance(c, v)
	}
	third := u.lang == langJava || u.lang == langSwift || u.lang == langPHP || u.lang == langKotlin || u.lang == langC && !elementsRE.MatchString(v)
	if third && c.rank == 90 && len(c.opAt) > 2 && c.tol == 0 {
		if t := u.tolerance(c.opAt[2:]...); t != 0 {
			c.rank, c.tol = 85, t
		} else if u.kind(c.opAt[2].from) == tkNumber {
			c.rank, c.tol = 85, u.number(c.opAt[2])
		}
	}
	if c.rank == 90 && c.tol == 0 {
		if t := u.tolerance(c.opAt...); t != 0 && hasAny(c.text, "within", "Within", "approx", "epsilon", "accuracy", "plusOrMinus") {
			c.rank, c.tol = 85, t
		}
	}
	if len(c.ops) < 2 || not || c.soft != "" || c.rank < 60 {
		return
	}
	a, b := c.ops[0], c.ops[1]
	if a == b && c.rank >= 85 {
		c.rank, c.soft = 0, "both sides are the same"
	}
	if isBool(b) || isBool(a) { // assertEquals(true, x) is a predicate
		k := 0
		if isBool(a) {
			k = 1
		}
		if c.rank == 90 && c.opAt[k].to > c.opAt[k].from {
			d := check{}
			u.judgeExpr(&d, c.opAt[k].from, c.opAt[k].to)
			c.rank = max(d.rank, 40)
			if d.rank == 55 || d.rank == 40 && !isTrue(a) && !isTrue(b) {
				c.rank = 55
			}
		}
	}
	if c.rank == 90 && (isNil(a) || isNil(b)) {
		c.rank = 75
	}
}

func isTrue(s string) bool { return s == "true" || s == "True" }
func isBool(s string) bool { return isTrue(s) || s == "false" || s == "False" }
