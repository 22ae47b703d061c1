package guard

import (
	"strings"

	"fixloop/loopcore"
)

// erasureRE are ways to switch the type checker off for one value.
var erasureRE = map[lang]*lazyRE{
	langJS:     lazily(`\bas any\b|:any\b|<any>|\bas unknown as\b|\bas never\b`),
	langPython: lazily(`\bcast\((typing\.)?Any\b|\bcast\(""|->(typing\.)?Any\b|:(typing\.)?Any\b`),
	langGo:     lazily(`\bunsafe\.Pointer\(|\binterface\{\}\)|\bany\(|\](interface\{\}|any)\b[{]?|\.\((int|float|string|bool)\w*\)`),
	langRust:   lazily(`\bunsafe\{|\btransmute\b|\bunreachable_unchecked\b|\bunwrap_unchecked\b`),
	langKotlin: lazily(`!!|\bas Any\b`),
	langSwift:  lazily(`\bas!|\btry!|\bunsafeBitCast\(`),
	langC:      lazily(`\breinterpret_cast<|\bconst_cast<|\(void\*\)&`),
	langCSharp: lazily(`\bdynamic \w|\(dynamic\)|\)!(?:$|[;,)\]}])|\bnull!|\)!\.|\w!\.|\w!;|default!`),
	langJava:   lazily(`\b(?:Map|List|Set|Collection|Iterator|Optional) \w+(?:[=,)]|$)|\(Object\)|\(List\)|\(Map\)\w|\braw\b`),
	langPHP:    lazily(`:mixed\b|\bmixed \$`),
	langRuby:   lazily(`\bT\.unsafe\(|\bT\.untyped\b`),
}

// annotationRE reads name: type of TypeScript and Python.
var annotationRE = lazily(`(\w+)\??:(\w[\w.\[\]<>|]*)`)

// erasedTypes reports types that became anything: L03.
func (d *diff) erasedTypes() {
	for _, f := range d.files {
		d.erasedResults(f)
		re := erasureRE[f.newU.lang]
		if re == nil || f.role != roleCode || f.new == nil || len(f.newU.toks) == 0 {
			continue
		}
		a, b := f.oldU.view(0, len(f.oldU.toks)), f.newU.view(0, len(f.newU.toks))
		had := map[string]int{}
		extra := 0
		was, is := map[string]int{}, map[string]int{}
		for _, l := range lines(a.text) {
			was[l.text]++
		}
		for _, l := range lines(b.text) {
			is[l.text]++
		}
		for t, n := range was {
			if n != is[t] && re.MatchString(t) {
				had[t] = n
				extra -= n
			}
		}
		for t, n := range is {
			if n != was[t] && re.MatchString(t) {
				extra += n
			}
		}
		if extra <= 0 {
			continue
		}
		for t, n := range was {
			if n == is[t] {
				had[t] = n
			}
		}
		d.newErasures(f, re, had, extra, annotations(a.text, f.newU.lang), b)
	}
}

// anyTypes are the types that say nothing.
var anyTypes = map[lang]*lazyRE{
	langGo:     lazily(`\bany\b|\binterface\{\}`),
	langKotlin: lazily(`:Any\b`),
	langSwift:  lazily(`->Any\b|:Any\b`),
	langJava:   lazily(`\bObject\b`),
	langCSharp: lazily(`\bdynamic\b|\bobject\b`),
	langRust:   lazily(`\bdyn Any\b`),
}

// erasedResults reports functions whose result came to say less: L03.
func (d *diff) erasedResults(f *fileDiff) {
	re := anyTypes[f.newU.lang]
	if re == nil || f.role != roleCode || f.old == nil || f.new == nil {
		return
	}
	old := map[string]string{}
	for _, x := range f.oldU.fns {
		old[x.name] += f.oldU.resultType(x) + ";"
	}
	for _, x := range f.newU.fns {
		now := f.newU.resultType(x)
		if was := old[x.name]; !x.class && strings.Count(was, ";") == 1 && was != now+";" && re.MatchString(now) && !re.MatchString(was) {
			d.report("L03", loopcore.SevHuman, f.path(), f.newU.line(x.at), "type erased: "+x.name+" gives "+clip(now, 120))
		}
	}
}

// resultType is what a function declares to give.
func (u *unit) resultType(x *fn) string {
	if u.lang == langJava || u.lang == langCSharp {
		return u.norm(x.head, x.at)
	}
	return u.norm(u.close(x.at+1)+1, x.open)
}

// newErasures reports at most extra lines that the old version does not have.
func (d *diff) newErasures(f *fileDiff, re *lazyRE, had map[string]int, extra int, types map[string]string, b view) {
	for _, l := range lines(b.text) {
		if had[l.text] > 0 {
			had[l.text]--
			continue
		}
		m := re.FindStringIndex(l.text)
		if m == nil {
			continue
		}
		if extra--; extra < 0 {
			return // an old one on an edited line
		}
		sev := loopcore.SevHuman
		for name, typ := range annotations(l.text, f.newU.lang) {
			if old := types[name]; (typ == "any" || typ == "Any") && old != "" && old != typ && old != "unknown" && old != "object" && f.old != nil {
				sev = d.doubtful()
			}
		}
		at := b.token(l.at + m[0])
		if f.newU.lang == langRust && f.newU.explained(at) {
			continue
		}
		d.report("L03", sev, f.path(), f.newU.line(at), "type erased: "+l.text[m[0]:m[1]])
	}
}

// explained says whether a comment right above token i says why it is safe.
func (u *unit) explained(i int) bool {
	line := u.line(i)
	for _, c := range u.comments {
		if int(c.line) < line && line-int(c.line) <= 4 && strings.Contains(u.src[c.start:c.end], "SAFETY") {
			return true
		}
	}
	return false
}

func annotations(s string, l lang) map[string]string {
	out := map[string]string{}
	if l != langJS && l != langPython {
		return out
	}
	for _, m := range annotationRE.FindAllStringSubmatch(s, -1) {
		out[m[1]] = m[2]
	}
	return out
}
