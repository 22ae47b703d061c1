package guard

import (
	"fmt"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// equality is one function that says how two values compare.
type equality struct {
	name     string // a method's name, or the operator
	at       int    // the token of that name
	params   []string
	self     string // the name of the own side, "" where the language reads it without one
	from, to int    // its answer
}

// equalityRules reports functions that call values equal which are not: R06.
func (d *diff) equalityRules() {
	had := map[string]bool{}
	for _, f := range d.files {
		for _, e := range f.oldU.equalities() {
			had[e.name+f.oldU.norm(e.from, e.to)] = true
		}
	}
	for _, f := range d.files {
		if f.new == nil || f.role != roleCode && !f.testSide() {
			continue
		}
		u := f.newU
		for _, e := range u.equalities() {
			body := u.norm(e.from, e.to)
			why, sev := u.lie(e, body)
			if why == "" || had[e.name+body] {
				continue
			}
			if why == typeAlone && f.hadValues(e.name) {
				sev = loopcore.SevBlock
			}
			if f.old == nil && why == everyValue && wildcardRE.MatchString(u.classAround(e.at)) && !d.inLoop() {
				sev = loopcore.SevHuman // a stand-in for any value, which the code names so
			}
			if e.name == "__bool__" && !d.inLoop() || f.testSide() && why != everyValue {
				sev = loopcore.SevHuman // a stand-in or a matcher of the tests
			}
			d.report("R06", sev, f.path(), u.line(e.at), fmt.Sprintf("%s %s: %s", e.name, why, clip(body, 120)))
		}
	}
}

// equalities lists the comparing functions and operators of a unit.
func (u *unit) equalities() []equality {
	var out []equality
	for _, x := range u.fns {
		if !x.class && isEquality(x.name, u.lang) {
			out = append(out, u.equalityOf(x.name, x.at, *x))
		}
	}
	for i := range u.toks {
		if name := u.text(i); u.lang == langPython && u.text(i+1) == "=" && isEquality(name, langPython) { // under the name of another function
			for _, x := range u.fns {
				if x.name == u.text(i+2) && !x.class {
					out = append(out, u.equalityOf(name, x.at, *x))
				}
			}
			continue
		}
		w := u.text(i)
		at := i + 1
		switch {
		case w == "Symbol" && u.lang == langJS && u.text(i+1) == "." && (u.text(i+2) == "toPrimitive" || u.text(i+2) == "hasInstance") && u.text(i+3) == "]":
			at = i + 3
		case w != "operator" && w != "func" && w != "def":
			continue
		case u.lang == langElixir && u.kind(at) == tkIdent: // def a == b
			at++
		}
		name := u.text(at)
		if name == "]" {
			name = u.text(at - 1)
		} else if !comparing[name] {
			continue
		}
		if x, ok := u.operatorBody(i, at); ok {
			out = append(out, u.equalityOf(name, at, x))
		}
	}
	return out
}

// comparing are the operators that a type may define.
var comparing = map[string]bool{"==": true, "===": true, "!=": true, "<=>": true, "~=": true}

// operatorBody finds the block of an operator whose symbol is token at; i is the word before it.
func (u *unit) operatorBody(i, at int) (fn, bool) {
	switch {
	case u.lang == langElixir:
		return fn{open: at, to: u.stmtEnd(at)}, true
	case u.lang == langRuby && u.isOpen(i):
		return fn{open: i, to: u.close(i) + 1}, true
	case u.lang == langRuby:
		return fn{open: at, to: u.stmtEnd(i)}, true
	}
	if u.text(at+1) == "=" && u.text(at+2) == "(" { // a property that holds a function
		return fn{open: u.close(at+2) + 1, to: u.stmtEnd(at)}, u.text(u.close(at+2)+1) == "=>"
	}
	return u.bodyAfter(at, u.close(at+1)+1)
}

// equalityOf reads the parameters and the answer of a function named at token at.
func (u *unit) equalityOf(name string, at int, x fn) equality {
	e := equality{name: name, at: at, from: x.open + 1, to: x.to}
	if e.to-1 > x.open && (u.text(e.to-1) == "}" || u.text(e.to-1) == "end") && u.close(x.open) == e.to-1 {
		e.to--
	}
	after := at + 1
	if u.isOpen(at+1) && u.text(at+1) == "(" {
		after = u.close(at+1) + 1
		for _, a := range u.args(at + 1) {
			e.params = append(e.params, u.paramName(a))
		}
	} else if u.lang == langRuby || u.lang == langElixir { // def == other
		for after < x.to && u.kind(after) == tkIdent && u.text(after) != "do" && !u.first(after) {
			e.params = append(e.params, u.text(after))
			after++
		}
	}
	e.from = max(e.from, after)
	for e.from < e.to && (contains([]string{"=", ",", ":", "=>"}, u.text(e.from)) || u.text(e.from) == "do" && u.lang == langElixir) {
		e.from++
	}
	for u.lang == langPython && u.kind(e.from) == tkString && u.first(e.from) && e.from+1 < e.to { // what the docstring says is no answer
		e.from++
	}
	e.self = u.selfOf(&e)
	return e
}

// paramName is the name that one parameter is read by, "" for a pattern.
func (u *unit) paramName(s span) string {
	name := ""
	for i := s.from; i < s.to; i++ {
		if t := u.text(i); t == "{" && u.isOpen(i) {
			return ""
		}
		if u.text(i) == "=" || u.text(i) == ":" && u.lang != langPHP {
			break
		}
		if u.kind(i) == tkIdent && (name == "" || u.lang != langGo) {
			name = u.text(i)
		}
	}
	return name
}

// selfOf takes the own side out of the parameters, or names it: what an answer
// must read where the language has a word for it.
func (u *unit) selfOf(e *equality) string {
	switch u.lang {
	case langPython, langRust:
		if len(e.params) < 2 {
			return ""
		}
		self := e.params[0]
		e.params = e.params[1:]
		return self
	case langPHP:
		return "$this"
	case langJS:
		return "this"
	case langGo:
		if r := u.prev(e.at); u.text(e.at-1) == ")" && u.close(r)-r > 2 {
			return u.text(r + 1)
		}
	}
	return ""
}

// isEquality says whether functions of a name compare in the language.
func isEquality(n string, l lang) bool {
	switch n {
	case "__eq__", "__ne__", "__bool__", "__contains__", "equals", "Equals", "eql?", "equal?", "isEqual", "hashCode", "__hash__",
		"GetHashCode", "compareTo", "CompareTo", "__cmp__", "asymmetricMatch", "Equal", "matches?", "is_equal", "__lt__", "__instancecheck__",
		"sameAs", "isEqualTo":
		return true
	case "__getattr__":
		return l == langPython
	case "eq", "ne", "cmp", "partial_cmp":
		return l == langRust
	case "valueOf":
		return l == langJS
	case "Is":
		return l == langGo
	case "coerce":
		return l == langRuby
	case "compare":
		return l == langElixir || l == langGo
	case "Compare", "Cmp":
		return l == langGo || l == langCSharp
	}
	return false
}

// everyValue is the plainest lie.
const everyValue = "holds for everything"

// wildcardRE is the name of a class that matches anything.
var wildcardRE = lazily(`(?i)^_?(any|anything|everything|wild_?card|ignore[ds]?|placeholder|match_?all|match_?any\w*|any_?value|whatever)$`)

// typeAlone is an answer that is right for types without values.
const typeAlone = "looks at the other's type alone"

// byValueRE declares a type that its language compares by value.
var byValueRE = lazily(`\bdata class\b|@dataclass\b|\brecord (class |struct )?[A-Z]|\bderive\([^)]*\bPartialEq\b|\bEquatable\b|\bNamedTuple\b|` +
	`\bStruct\.new\b|@(Data|Value|EqualsAndHashCode)\b`)

// hadValues says whether a type of the file was compared by its values before.
func (f *fileDiff) hadValues(name string) bool {
	for _, e := range f.oldU.equalities() {
		if why, _ := f.oldU.lie(e, f.oldU.norm(e.from, e.to)); e.name == name && why == "" {
			return true
		}
	}
	return byValueRE.MatchString(f.oldU.src)
}

var (
	trueBodyRE = lazily(`^(do)?(return )?\(?(true|True|!false|not False|1==1|(\w+ switch|match [\w.&*]+|when\(\w+\)|case \w+ do)\{?(_|else)(=>|` +
		`->)true,?\}?|:eq|0|1|Ordering::Equal|Some\(Ordering::Equal\)|std::cmp::Ordering::Equal|` +
		`(std::)?(strong|weak|partial)_ordering::(equal|equivalent))\)?[})]*(end)?$|\|\|(true|1)\b|\bor True\b|\|\|sizeof\(|\|\| ?!?0\b|` +
		`\|\|true`)
	// falseBodyRE is the body of an inequality that nothing differs for.
	falseBodyRE = lazily(`^(return )?\(?(false|False|0)\)?$`)
	// anyAnswerRE gives the same for every name that is asked.
	anyAnswerRE = lazily(`^return (self|True|lambda ?[^:]*:(True|self|None)|(\w+\.)?(Magic)?Mock\(\))$`)
	literalBody = lazily(`^(return )?\(?("[^"]*"|-?[\d.]+|true|false|null)\)?$`)
	// rescuedTrueRE calls what can not be compared equal.
	rescuedTrueRE = lazily(`\b(except( \w+)?( as \w+)?:|catch(\([^)]*\))?\{|rescue(=>\w+| \w+)?;?) ?(return )?(true|True)\b`)
	// answeredRE says yes to one value of the other side.
	answeredRE = lazily(`\bif[( ]*(\w+|\$\w+)(\.\w+)?(===?|\.equals\()("[^"]*"|\d+)[)]*[:{]*(return )(true|True)\b`)
	// orAnsweredRE does so beside a comparison.
	orAnsweredRE = lazily(`(?:\|\|| or )(\w+|\$\w+)(?:\.\w+)?===?(?:"[^"]*"|\d+)`)
	// typeOnlyRE is the body of an equality that asks for no value.
	typeOnlyRE = lazily(`^(do)?(return)?\(?(isinstance\(\w+,[\w.(),]+\)|\w+\.(is_a|kind_of)\?\(?[\w:]+\)?|\$?\w+instanceof\w+|\w+is\w+\??|` +
		`typeof\w+==="\w+"|\$?\w+!==?(null|nil|undefined)|\w+isnotNone)\)?;?$`)
	// anyTypeRE asks for a type that everything is of, or for presence alone.
	anyTypeRE = lazily(`,object\)|\?\(?(Basic)?Object\)?$|instanceof ?Object$|\bis ?(object|Any|NSObject)\b|!==?(null|nil|undefined)\)?$|is ?not ?None$`)
	// aspectRE compares one aspect of both sides: type, size, a part of enumerations.
	aspectRE = lazily(`^(return )?(type|len|mem::discriminant|std::mem::discriminant|hash|typeof|get_class|strlen|count|id\.class|` +
		`object_type)\(&?[\w.$>-]+\)(?:===?| ?is ?)(type|len|mem::discriminant|std::mem::discriminant|hash|typeof|get_class|strlen|` +
		`count)\(&?[\w.$>-]+\)$|^(return )?[\w.()@$>-]*\b(class|length|size|count|len\(\)|size\(\)|length\(\)|getClass\(\)|GetType\(\)|` +
		`constructor|__class__|hashCode\(\)|Count|Length)===?[\w.()@$>-]+\.(class|length|size|count|len\(\)|size\(\)|length\(\)|` +
		`getClass\(\)|GetType\(\)|constructor|__class__|hashCode\(\)|Count|Length)$`)
	memberRE  = lazily(`\b(in|includes|has|contains|in_array|Contains|containsKey|MapSet)\b|\b(include\?|member\?|matches!)`)
	nearRE    = lazily(`\b[fF]?abs\w*\(?.*<=?([\d_]+(\.\d+)?([eE]-?\d+)?|\w+)`)
	roundedRE = lazily(`\b(round|floor|trunc|int|intdiv|to_i|toInt|rounded|roundToInt)\b`)
	refusalRE = lazily(`\b(throw|raise|NotImplemented|unimplemented!|todo!|panic!?|super|arguments|fatalError|parent)\b`)
)

// lie says why an equality is none, and how sure that is.
func (u *unit) lie(e equality, body string) (string, loopcore.Severity) {
	if e.from >= e.to {
		return "", ""
	}
	switch e.name {
	case "hashCode", "__hash__", "GetHashCode":
		return "", ""
	case "!=", "__ne__", "ne":
		if falseBodyRE.MatchString(body) {
			return everyValue, loopcore.SevBlock
		}
		return "", ""
	case "__getattr__":
		if anyAnswerRE.MatchString(body) {
			return "answers whatever is asked", loopcore.SevHuman
		}
		return "", ""
	case "valueOf", "toPrimitive":
		if literalBody.MatchString(body) {
			return "gives one value for all", loopcore.SevBlock
		}
		return "", ""
	case "coerce":
		if len(e.params) == 1 && strings.Trim(body, "[]") == e.params[0]+","+e.params[0] {
			return everyValue, loopcore.SevBlock
		}
		return "", ""
	}
	if trueBodyRE.MatchString(strings.Trim(body, "()")) || onlyTrue(body) {
		return everyValue, loopcore.SevBlock
	}
	if u.unwraps(e) {
		return "", ""
	}
	return u.partLie(e, body)
}

// unwraps says whether a function is the method Is that Go's errors.Is asks:
// it names the errors that a value stands for, and need not read the value.
func (u *unit) unwraps(e equality) bool {
	return u.lang == langGo && e.name == "Is" && strings.Contains(u.norm(e.at, e.from), " error)")
}

// partLie judges an answer that is not the same for all.
func (u *unit) partLie(e equality, body string) (string, loopcore.Severity) {
	bare := strings.ReplaceAll(body, " ", "")
	if typeOnlyRE.MatchString(bare) {
		if anyTypeRE.MatchString(body) {
			return everyValue, loopcore.SevBlock
		}
		return typeAlone, loopcore.SevHuman
	}
	if aspectRE.MatchString(body) {
		return "compares one aspect of the two", loopcore.SevHuman
	}
	if rescuedTrueRE.MatchString(body) {
		return "calls what it can not compare equal", loopcore.SevBlock
	}
	if m := answeredRE.FindStringSubmatch(body); m != nil && contains(e.params, m[1]) {
		return "answers one value of its own", loopcore.SevBlock
	}
	if m := orAnsweredRE.FindStringSubmatch(body); m != nil && contains(e.params, m[1]) {
		return "answers one value of its own", loopcore.SevHuman // a wildcard is written so too
	}
	if len(e.params) == 0 || falseBodyRE.MatchString(body) {
		return "", ""
	}
	other := e.params[len(e.params)-1]
	switch e.name {
	case "matches?", "__bool__", "__contains__", "asymmetricMatch", "__instancecheck__", "isEqualTo":
		return "", ""
	}
	if other == "" {
		return "", ""
	}
	if !u.reads(e, other) {
		if refusalRE.MatchString(body) {
			return "", ""
		}
		return "ignores the other side", loopcore.SevBlock
	}
	own := e.self
	if len(e.params) > 1 {
		own = e.params[0]
	}
	if own != "" && !u.reads(e, own) && !refusalRE.MatchString(body) {
		if memberRE.MatchString(body) {
			return "asks a list for the other side", loopcore.SevBlock
		}
		return "reads the other side alone", loopcore.SevHuman
	}
	if own == "" && memberRE.MatchString(body) && u.namesOnly(e, other) {
		return "asks a list for the other side", loopcore.SevBlock
	}
	return loosely(body)
}

// reads says whether the answer reads a name.
func (u *unit) reads(e equality, name string) bool {
	for i := e.from; i < e.to; i++ {
		if u.text(i) == name && u.text(i-1) != "." || u.kind(i) == tkString && strings.Contains(u.text(i), name) {
			return true
		}
	}
	return false
}

// namesOnly says whether the answer of a language that reads its own side
// without a word names nothing but the other side, literals, types and calls.
func (u *unit) namesOnly(e equality, other string) bool {
	for i := e.from; i < e.to; i++ {
		t := u.text(i)
		if u.kind(i) != tkIdent || t == other || u.text(i-1) == "." || t[0] >= 'A' && t[0] <= 'Z' || u.text(i+1) == "(" {
			continue
		}
		switch t {
		case "return", "in", "new", "is", "as", "int", "true", "do", "java", "std":
		default:
			return false
		}
	}
	return true
}

// loosely judges answers that accept what is merely near.
func loosely(body string) (string, loopcore.Severity) {
	if m := nearRE.FindStringSubmatch(body); m != nil {
		v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
		switch {
		case err == nil && v >= 1:
			return "accepts what is near", loopcore.SevBlock
		case err == nil && v < 1e-3, err != nil && hasAny(strings.ToLower(m[1]), "eps"):
			return "", ""
		}
		return "accepts what is near", loopcore.SevHuman
	}
	if len(roundedRE.FindAllString(body, -1)) == 2 {
		return "compares what is rounded", loopcore.SevHuman
	}
	return "", ""
}

// onlyTrue says whether a body has several returns, and each returns true.
func onlyTrue(body string) bool {
	n := len(returnWordRE.FindAllString(body, -1))
	return n > 1 && n == len(returnTrueRE.FindAllString(body, -1))
}

var (
	returnWordRE = lazily(`\breturn\b`)
	returnTrueRE = lazily(`\breturn (True|true)\b`)
)
