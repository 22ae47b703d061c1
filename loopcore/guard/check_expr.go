package guard

import (
	"strconv"
	"strings"
)

// functionWordRE is the word that begins a function without a name.
var functionWordRE = lazily(`^(lambda|fn|function|->)$`)

// judgeExpr ranks a boolean expression that must hold.
func (u *unit) judgeExpr(c *check, from, to int) {
	for from+1 < to && u.text(from) == "(" && u.close(from) == to-1 {
		if u.lang == langPython && len(u.args(from)) > 1 {
			c.rank, c.soft = 0, "a tuple is always true"
			return
		}
		from, to = from+1, to-1
	}
	if functionWordRE.MatchString(u.text(from)) {
		u.judgeUnary(c, from, to)
		c.rank, c.soft = 0, "a function is always true"
		return
	}
	if parts := u.splitBy(from, to, "||", "or"); len(parts) > 1 {
		best := 101
		for _, p := range parts {
			d := check{}
			u.judgeExpr(&d, p.from, p.to)
			best = min(best, d.rank)
			c.ops, c.opAt = append(c.ops, d.ops...), append(c.opAt, d.opAt...)
		}
		c.verb += "||"
		c.rank = max(best-10, 0)
		if u.coversAll(parts) {
			c.rank, c.soft = 0, "one side always holds"
		}
		return
	}
	if parts := u.splitBy(from, to, "&&", "and"); len(parts) > 1 {
		for _, p := range parts {
			d := check{}
			u.judgeExpr(&d, p.from, p.to)
			c.rank = max(c.rank, d.rank)
			c.ops, c.opAt = append(c.ops, d.ops...), append(c.opAt, d.opAt...)
			if d.tol > 0 {
				c.tol = d.tol
			}
		}
		c.verb += "&&"
		return
	}
	for j := from; j < to; j = u.next(j) {
		op := u.text(j)
		rank, ok := opRank(op, u, j)
		if !ok || j == from {
			continue
		}
		width := 1
		if op == "is" && u.text(j+1) == "not" || op == "not" && u.text(j+1) == "in" {
			width = 2
		}
		l, r := span{from, j}, span{j + width, to}
		c.ops, c.opAt = []string{u.norm(l.from, l.to), u.norm(r.from, r.to)}, []span{l, r}
		c.verb, c.rank = c.verb+op, rank
		u.refine(c, op, width)
		if c.ops[0] == c.ops[1] && c.rank >= 85 {
			c.rank, c.soft = 0, "both sides are the same"
		}
		return
	}
	u.judgeUnary(c, from, to)
}

// coversAll says whether the sides of an or leave nothing out: x || !x, is_ok || is_err.
func (u *unit) coversAll(parts []span) bool {
	for i, a := range parts {
		x := u.norm(a.from, a.to)
		if isConst(x) {
			return true
		}
		for _, b := range parts[i+1:] {
			y := u.norm(b.from, b.to)
			if x == "!"+y || y == "!"+x || x == "not "+y || y == "not "+x {
				return true
			}
			for _, pair := range [...][2]string{{"is_ok()", "is_err()"}, {"is_some()", "is_none()"}, {"==", "!="}, {">=", "<"}, {"<=", ">"},
				{"is None", "is not None"}, {"isEmpty()", "isNotEmpty()"}} {
				if strings.ReplaceAll(x, pair[0], "#") == strings.ReplaceAll(y, pair[1], "#") && strings.Contains(x, pair[0]) || strings.ReplaceAll(y, pair[0], "#") == strings.ReplaceAll(x, pair[1], "#") && strings.Contains(y, pair[0]) {
					return true
				}
			}
		}
	}
	return false
}

// opRank ranks comparison operators.
func opRank(op string, u *unit, j int) (int, bool) {
	switch op {
	case "==", "===", "<=>":
		return 90, true
	case "!=", "!==", "~=":
		return 45, true
	case "<", ">", "<=", ">=":
		return 65, u.lang != langSwift && u.lang != langKotlin && u.lang != langJava && u.lang != langCSharp && u.lang != langC && u.lang != langRust || u.toks[j].start > u.toks[j-1].end
	case "in", "=~", "include", "matches":
		return 70, u.lang != langRust || op != "in"
	case "is", "instanceof":
		return 75, true
	case "not":
		return 60, u.text(j+1) == "in"
	case "=":
		return 80, u.lang == langElixir
	}
	return 0, false
}

// ignoredNameRE is a name that stands for a value nobody looks at.
var ignoredNameRE = lazily(`\b_\w*`)

// wholePatternRE is a pattern of nothing but values, which only one value fits: no map among them.
var wholePatternRE = lazily(`^[\[\]{},\s]*((:\w+[?!]?|\^\w+|"[^"]*"|-?[0-9][0-9_.eE]*|\b(true|false|nil)\b)[\[\]{},\s]*)+$`)

// mapPatternRE is such a pattern with maps.
var mapPatternRE = lazily(`^([\[\]{},\s]|%([A-Z_][\w.]*)?|\w+: ?|:\w+[?!]?|\^\w+|"[^"]*"|-?[0-9][0-9_.eE]*|\b(true|false|nil)\b)+$`)

// refine corrects the rank of a comparison by what is compared.
func (u *unit) refine(c *check, op string, width int) {
	r := c.ops[1]
	u.spreadDiff(c)
	switch {
	case op == "is" && width == 2 || (op == "!=" || op == "!==") && isNil(r):
		c.rank = 40
	case op == "instanceof":
		c.rank = 40
	case strings.Contains(c.ops[0], "approx") || strings.Contains(r, "approx") || strings.Contains(r, "Approx") ||
		strings.Contains(c.ops[0], "Approx") || strings.Contains(r, "within(") || strings.Contains(r, "WithinAbs"):
		c.rank = 85
		c.tol = u.tolerance(c.opAt[0], c.opAt[1])
	case op == "<" || op == "<=" || op == ">" || op == ">=":
		near := c.ops[0]
		other := 1
		if op == ">" || op == ">=" {
			near, other = c.ops[1], 0
			if strings.Contains(strings.ToLower(c.ops[0]), "abs") {
				near, other = c.ops[0], 1
			}
		}
		if strings.Contains(strings.ToLower(near), "abs") {
			c.rank, c.tol = 85, u.number(c.opAt[other])
		}
	case (op == "==" || op == "===") && (u.sizeOf(c.opAt[0]) || u.sizeOf(c.opAt[1])):
		c.rank = rankSize
	case (op == "==" || op == "===") && (r == "true" || r == "True"):
		d := check{}
		u.judgeUnary(&d, c.opAt[0].from, c.opAt[0].to)
		c.rank = d.rank
	case op == "=" && wholePatternRE.MatchString(c.ops[0]):
		c.rank = 90
	case op == "=" && mapPatternRE.MatchString(c.ops[0]) && !strings.Contains(c.ops[0], "{}"): // the keys that it names
		c.rank = 80
	case op == "=" && ignoredNameRE.MatchString(c.ops[0]) && c.ops[0] != "_" && !isPlainName(c.ops[0]):
		c.rank = 65
		if !strings.ContainsAny(c.ops[0], `0123456789":`) {
			c.rank = 60
		}
	case op == "=" && !strings.ContainsAny(c.ops[0], `0123456789"`):
		c.rank = 60
		if c.ops[0] == "_" || isPlainName(c.ops[0]) {
			c.rank, c.soft = 0, "the pattern matches anything"
		}
	}
}

// spreadDiff takes what cmp.Diff and its like compare for the sides of a check
// that there is no difference.
func (u *unit) spreadDiff(c *check) {
	if u.lang != langGo || len(c.opAt) != 2 || c.ops[1] != `""` && !isNil(c.ops[1]) {
		return
	}
	s := c.opAt[0]
	open := u.prevOpen(s.to - 1)
	if open <= s.from || u.text(open-1) != "Diff" {
		return
	}
	if a := u.args(open); len(a) > 1 {
		c.ops, c.opAt = nil, nil
		for _, x := range a {
			c.ops, c.opAt = append(c.ops, u.norm(x.from, x.to)), append(c.opAt, x)
		}
	}
}

func isPlainName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isNameStart(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}

// functionValueRE is an operand that is a function.
var functionValueRE = lazily(`^(lambda\b|->|\(?\w*\)?=>|function\b|proc\b)`)

// judgeUnary ranks an expression without a comparison.
func (u *unit) judgeUnary(c *check, from, to int) {
	if from >= to {
		return
	}
	text := u.norm(from, to)
	if a := u.equalityCall(from, to); len(a) == 2 {
		c.ops, c.opAt = append(c.ops, u.norm(a[0].from, a[0].to), u.norm(a[1].from, a[1].to)), append(c.opAt, a...)
	} else {
		c.ops, c.opAt = append(c.ops, text), append(c.opAt, span{from, to})
	}
	neg := strings.HasPrefix(text, "!") || strings.HasPrefix(text, "not ")
	last := u.lastName(from, to)
	rank := predicateRank(last)
	if last == "matches" && u.lang == langRust {
		rank = 80
		if strings.Contains(text, "Err(_)") || strings.Contains(text, "Ok(_)") || strings.Contains(text, "Some(_)") {
			rank = 50
		}
	}
	if rank == 55 && neg {
		rank = 55
	} else if neg && rank == 90 {
		rank = 45
	} else if neg && rank == 40 {
		rank = 55
	} else if neg && rank == 75 { // there is something
		rank = 40
	}
	if isConst(text) || functionValueRE.MatchString(text) {
		rank, c.soft = 0, "the condition is constant"
	}
	c.rank = rank
}

// equalityCall returns the arguments of a call that compares two values: reflect.DeepEqual(a, b).
func (u *unit) equalityCall(from, to int) []span {
	if u.text(from) == "!" {
		from++
	}
	open := u.prevOpen(to - 1)
	if open <= from || open == to-1 || u.text(open) != "(" || predicateRank(u.text(open-1)) != 90 {
		return nil
	}
	return u.args(open)
}

// lastName returns the last called or named word at the top level of [from, to).
func (u *unit) lastName(from, to int) string {
	name := ""
	for j := from; j < to; j = u.next(j) {
		if u.kind(j) == tkIdent {
			name = u.text(j)
			if k := j + 1; u.text(k) == "<" && u.text(u.afterAngles(k)) == "(" { // holds<T>(x)
				j = u.afterAngles(k) - 1
			}
		}
	}
	return name
}

func predicateRank(name string) int {
	n := strings.ToLower(strings.ReplaceAll(strings.TrimRight(name, "?!"), "_", ""))
	switch n {
	case "equals", "equal", "eql", "deepequal", "compareto", "equalfold", "strictequal", "isequal", "sequenceequal", "contentequals", "bytesequal":
		return 90
	case "isok", "issome", "ispresent", "isnotempty", "any", "isnotnull", "isdefined", "isinstance", "isa", "kindof", "nonempty", "hasvalue",
		"present", "isarray", "isstring", "isinteger", "isbinary", "ismap", "islist", "isnotblank", "notempty", "exists", "truthy", "respondto",
		"istype", "isinstanceof", "holdsalternative", "len", "count", "length":
		return 40
	case "iserr", "isfailure", "iserror":
		return 50
	case "isnone", "isempty", "empty", "isnull", "isnil", "nil":
		return 75
	}
	for _, w := range [...]string{"contain", "include", "startswith", "endswith", "startwith", "endwith", "match", "hasprefix", "hassuffix", "haskey",
		"containskey", "isclose", "allclose", "cover"} {
		if strings.Contains(n, w) {
			return 70
		}
	}
	return 55
}

// isConst says whether an expression has no part that can change.
func isConst(s string) bool {
	switch strings.Trim(s, "()!") {
	case "true", "True", "TRUE", "1", ":ok", "yes":
		return true
	}
	s = strings.Trim(s, "()")
	if len(s) > 1 && s[0] == '"' && strings.Count(s, `"`) == 2 && s[len(s)-1] == '"' {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && s != "0"
}

// number evaluates a literal, or the constant or variable of that name in the file.
func (u *unit) number(s span) float64 {
	for j := s.from; j < s.to; j++ {
		if u.kind(j) == tkNumber {
			v := parseNumber(u.text(j))
			if u.text(j+1) == "**" || u.text(j+1) == "*" && u.text(j+2) == "*" {
				continue
			}
			return v
		}
	}
	if s.to-s.from >= 1 && u.kind(s.to-1) == tkIdent {
		return u.constant(u.text(s.to - 1))
	}
	return 0
}

func parseNumber(s string) float64 {
	s = strings.ReplaceAll(s, "_", "")
	for len(s) > 0 && !strings.HasPrefix(s, "0x") {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			return v
		}
		s = s[:len(s)-1]
	}
	return 0
}

// constant finds name = NUMBER in the file.
func (u *unit) constant(name string) float64 {
	for i := 0; i+2 < len(u.toks); i++ {
		if u.text(i) != name || u.kind(i) != tkIdent {
			continue
		}
		for j := i + 1; j < i+6 && j < len(u.toks) && u.line(j) == u.line(i); j++ {
			if t := u.text(j); t == "=" || t == ":=" {
				if v := u.chosenNumber(j+1, u.stmtEnd(i)); v > 0 {
					return v
				}
			}
		}
		if u.text(i-1) == "define" && u.kind(i+1) == tkNumber {
			return parseNumber(u.text(i + 1))
		}
	}
	for _, t := range u.toks { // #define EPS 1e-9
		if t.kind == tkDirective {
			f := strings.Fields(u.src[t.start:t.end])
			if len(f) == 3 && f[0] == "#define" && f[1] == name {
				return parseNumber(strings.Trim(f[2], "()"))
			}
		}
	}
	return 0
}

// chosenNumber is a number that stands alone, or the largest of a choice: ci ? 2000 : 20.
func (u *unit) chosenNumber(from, to int) float64 {
	if u.kind(from) == tkNumber {
		return parseNumber(u.text(from))
	}
	top := 0.0
	for _, s := range u.splitBy(from, to, "?", ":") {
		if s.to-s.from == 1 && u.kind(s.from) == tkNumber {
			top = max(top, parseNumber(u.text(s.from)))
		}
	}
	return top
}

// tolerance reads abs=, rel=, epsilon(…), within(…) and the like; larger is looser.
func (u *unit) tolerance(spans ...span) float64 {
	for _, s := range spans {
		for j := s.from; j < s.to; j++ {
			if u.kind(j) != tkIdent {
				continue
			}
			switch strings.ToLower(u.text(j)) {
			case "abs", "rel", "delta", "epsilon", "margin", "atol", "rtol", "tolerance", "accuracy", "max_relative", "abs_diff", "error", "within",
				"offset", "percent", "eps":
				if t := u.text(j + 1); t == "=" || t == ":" {
					return u.number(span{j + 2, min(j+4, s.to)})
				} else if t == "(" {
					return u.number(span{j + 2, u.close(j + 1)})
				}
			case "plusorminus":
				return u.number(span{j + 1, min(j+3, s.to)})
			case "places", "digits", "decimal":
				if t := u.text(j + 1); t == "=" || t == ":" {
					return pow10(-u.number(span{j + 2, j + 3}))
				}
			case "withinabs", "withinrel", "withinulp", "closeto", "becloseto", "bewithin", "be_within", "be_close_to":
				if a := u.args(j + 1); len(a) > 0 {
					return u.number(a[len(a)-1])
				}
			}
		}
	}
	return 0
}

func pow10(x float64) float64 {
	v := 1.0
	for ; x > 0.5; x-- {
		v *= 10
	}
	for ; x < -0.5; x++ {
		v /= 10
	}
	return v
}
