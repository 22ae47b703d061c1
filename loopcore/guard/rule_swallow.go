package guard

import (
	"strings"

	"fixloop/loopcore"
)

// handler is one place that takes any failure, and what it answers.
type handler struct {
	at       int // the word that begins it
	from, to int // its answer
}

// swallows reports catch-alls of the implementation that give a failure no
// voice: R07. A handler that raises again, or says what it met, is none.
func (d *diff) swallows(f *fileDiff) {
	had := map[string]int{}
	for _, h := range f.oldU.catchAlls() {
		had[f.oldU.norm(h.at, h.to)]++
	}
	u := f.newU
	say := func(at int, text string) {
		d.report("R07", loopcore.SevHuman, f.path(), u.line(at), "errors are swallowed: "+clip(text, 120))
	}
	for _, h := range u.catchAlls() {
		text := u.norm(h.at, h.to)
		if had[text]--; had[text] >= 0 || !defaultAnswerRE.MatchString(toldRE.ReplaceAllString(u.norm(h.from, h.to), "")) {
			continue
		}
		say(h.at, text)
	}
	old := "" // of Rust, where a default may stand in the place of a failure
	if u.lang == langRust {
		old = f.oldU.norm(0, len(f.oldU.toks))
	}
	for _, l := range newLines(f) {
		if a, _, ok := strings.Cut(l.text, ".unwrap_or"); ok && (strings.Contains(old, a+"?") || strings.Contains(old, a+".unwrap()")) {
			say(l.at, l.text)
		}
		if swallowLineRE.MatchString(l.text) || u.lang == langShell && swallowShellRE.MatchString(l.text) {
			say(l.at, l.text)
		}
	}
}

var (
	// defaultAnswerRE is an answer that says nothing of what went wrong.
	defaultAnswerRE = lazily(`^(return ?)?(null|nil|undefined|None|-?[\d.]+|""|\[\]|\{\}|\(?\{\}\)?|false|False|true|True|:ok|Ok\(\(\)\)|Ok\([\d.]+\)|default|` +
		`Default::default\(\)|(new )?\w*[lL]ist(<\w*>)?\(\)|(list|map|set|array)Of\(\)|empty(List|Map|Set)\(\)|` +
		`(List|Map|Set|Array)\.(of|empty|Empty)(<\w*>)?\(\)|Collections\.empty\w+\(\)|Enumerable\.Empty<\w+>\(\)|vec!\[\]|` +
		`(Vec|String)::new\(\)|new \w+\[0\]|array\(\)|(new )?[A-Z]\w*<>\(\)|(new )?[A-Z]\w*\((-?[\d.]+\w?|""|null|None)?\)|Optional\.empty\(\))?$|` +
		`^(pass|continue|break|next|\.\.\.)$|^[\w.@$]+=(null|nil|undefined|None|[\d.]+[mMfFdDuUlL]?|""|\[\]|\{\}|[Ff]alse|[Tt]rue|` +
		`(new )?[A-Z]\w*\((-?[\d.]+\w?|""|null|None)?\))$`)
	// toldRE is a line of a log before the answer.
	toldRE = lazily(`^(\w+\.)*(log\w*|console|print\w*|puts|warn\w*|error_log|Logger|Log|NSLog|System\.(out|err))(\.\w+)*!?\("?[^()]*(\([^()]*\)[^()]*)*\) ?`)
	// swallowLineRE drops failures in one word.
	swallowLineRE = lazily(`\brunCatching ?\{.*\}\.get(OrNull|OrDefault|OrElse)\b|` +
		`\bcontextlib\.suppress\((Base)?Exception\)|\bsuppress\((Base)?Exception\)|\bErr\(_\w*\)=>(\{\}|\(\)|Ok\(\(\)\)|0(\.0)?|None|""|` +
		`Default::default\(\)|return( Ok\(\(\)\))?),?$|\bif let Err\(_\w*\)=.*\{\}$`)
	// swallowShellRE lets a command fail.
	swallowShellRE = lazily(`\|\| ?(true|:)$|^set ?\+e|^set ?\+o errexit`)
	broadCatchRE   = lazily(`^(\$\w+|[a-z_]\w*|\.\.\.|\\?(Exception|Throwable|Error)( \$?\w+)?|(final )?(\w+\.)*(Exception|Throwable|Error)( \w+)?|` +
		`\w+:(Exception|Throwable|Any|unknown|any)|(const )?std::exception&? ?\w*)?$`)
	broadExceptRE = lazily(`^\(?((Base)?Exception,?)?\)?( as \w+)?$`)
	broadRescueRE = lazily(`^(StandardError|Exception)?(=>\w+)?$`)
)

// catchAlls lists the handlers that take failures of every kind.
func (u *unit) catchAlls() []handler {
	var out []handler
	for i := range u.toks {
		if u.kind(i) != tkIdent {
			continue
		}
		switch t := u.text(i); {
		case t == "catch" && u.lang != langElixir:
			out = append(out, u.catchAt(i)...)
		case t == "except" && u.lang == langPython && u.first(i):
			out = append(out, u.exceptAt(i)...)
		case t == "rescue" && u.lang == langRuby:
			out = append(out, u.rescueAt(i)...)
		case (t == "rescue" || t == "catch") && u.lang == langElixir && u.first(i):
			out = append(out, u.clauseAt(i)...)
		}
	}
	return out
}

// catchAt reads catch (e) { … } and .catch(e => …).
func (u *unit) catchAt(i int) []handler {
	b := i + 1
	if u.text(b) == "(" && u.isOpen(b) {
		if u.text(i-1) == "." || u.text(i-1) == "?." {
			return u.promiseCatch(i)
		}
		if !broadCatchRE.MatchString(u.norm(b+1, u.close(b))) {
			return nil
		}
		b = u.close(b) + 1
	}
	if u.text(b) != "{" || !u.isOpen(b) {
		return nil
	}
	return []handler{{i, b + 1, u.close(b)}}
}

// promiseCatch reads .catch(() => answer).
func (u *unit) promiseCatch(i int) []handler {
	end := u.close(i + 1)
	for k := i + 2; k < end; k = u.next(k) {
		if u.text(k) != "=>" {
			continue
		}
		from, to := k+1, end
		if u.text(from) == "{" && u.close(from) == end-1 {
			from, to = from+1, end-1
		}
		return []handler{{i, from, to}}
	}
	return nil
}

// exceptAt reads except …: and its suite.
func (u *unit) exceptAt(i int) []handler {
	colon := i + 1
	for colon < len(u.toks) && u.text(colon) != ":" {
		if u.first(colon) {
			return nil
		}
		colon = u.next(colon)
	}
	if !broadExceptRE.MatchString(u.norm(i+1, colon)) {
		return nil
	}
	return []handler{{i, colon + 1, u.lineBlockEnd(colon)}}
}

// rescueAt reads a clause of a block, and the modifier after a statement.
func (u *unit) rescueAt(i int) []handler {
	eol := i + 1
	for eol < len(u.toks) && !u.first(eol) && u.text(eol) != ";" && u.text(eol) != "then" {
		eol++
	}
	if !u.first(i) {
		return []handler{{i, i + 1, eol}}
	}
	if !broadRescueRE.MatchString(u.norm(i+1, eol)) {
		return nil
	}
	end := eol
	for end < len(u.toks) && u.up(end) == u.up(i) && !u.isClose(end) {
		if w := u.text(end); u.first(end) && (w == "rescue" || w == "else" || w == "ensure") {
			break
		}
		end = u.next(end)
	}
	return []handler{{i, eol, end}}
}

// clauseAt reads the first clause after rescue or catch of Elixir, where it takes anything.
func (u *unit) clauseAt(i int) []handler {
	for k := i + 1; k < len(u.toks) && k < i+8; k++ {
		if u.text(k) == "->" {
			end := k + 1
			for end < len(u.toks) && !u.isClose(end) && !(u.first(end) && end > k+1) {
				end = u.next(end)
			}
			return []handler{{i, k + 1, end}}
		}
		if w := u.text(k); u.kind(k) == tkIdent && w[0] >= 'A' && w[0] <= 'Z' || w == "in" {
			return nil
		}
	}
	return nil
}

// softened reports functions of the implementation that used to raise an error
// and now give a default back: R07.
func (d *diff) softened(f *fileDiff) {
	if f.old == nil || f.new == nil || generated(f) {
		return
	}
	old := map[string]string{}
	for _, x := range f.oldU.fns {
		if !x.class {
			old[x.name] = f.oldU.norm(x.open, x.to)
		}
	}
	for _, x := range f.newU.fns {
		a, had := old[x.name]
		b := f.newU.norm(x.open, x.to)
		if x.class || !had || a == b {
			continue
		}
		grew := func(re *lazyRE) int { return len(re.FindAllString(b, -1)) - len(re.FindAllString(a, -1)) }
		switch {
		case grew(raiseRE) < 0 && (grew(defaultRE) > 0 || grew(returnWordRE) > 0 && !strings.Contains(b, "reject")):
			d.report("R07", loopcore.SevHuman, f.path(), f.newU.line(x.at), "an error is no longer raised in "+x.name)
		case grew(recoverRE) > 0:
			d.report("R07", loopcore.SevHuman, f.path(), f.newU.line(x.at), "errors are swallowed in "+x.name)
		}
	}
}

var (
	raiseRE   = lazily(`\b(throw|raise|panic!?|fatalError|errors\.New|fmt\.Errorf)\b|\bErr\(|\breturn (?:[\w.""]+,)*\w*[Ee]rr\w*\b|\{:error,`)
	defaultRE = lazily(`\breturn ?(0(\.0)?|""|null|nil|None|undefined|false|False|true|True|\[\]|\{\}|Ok\(\(\)\)|\{:ok,)([;})\s]|$)|` +
		`\breturn (?:[\w.""]+,)+nil\b|\breturn(}|$)|\?: ?(0(\.0)?|""|null|emptyList\(\))|\?\? ?(0|""|null|\[\])|->f\b|\[\]return}|` +
		`\breturn Ok\(`)
	recoverRE = lazily(`defer func\(\)\{ ?_?=?recover\(\)`)
)
