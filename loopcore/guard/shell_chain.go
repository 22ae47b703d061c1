package guard

import "strings"

// chain reads pipelines joined by && and ||.
func (s *shellFlow) chain(under fate) {
	or := s.orAfter()
	var rest *tail // of the chain from its first || on
	for {
		if or > 0 && or <= s.at {
			or = s.orAfter()
		}
		f := under
		if or > 0 {
			if rest == nil {
				rest = s.tailOf(or, s.statementEnd(or))
			}
			f = s.alternative(or, rest, under)
		}
		s.pipeline(f)
		if s.at >= len(s.toks) || s.toks[s.at].text != "&&" && s.toks[s.at].text != "||" {
			return
		}
		s.at++
		for s.at < len(s.toks) && s.toks[s.at].text == "\n" {
			s.at++
		}
	}
}

// orAfter says where the other side of the next || begins in the chain at hand, 0 without one.
func (s *shellFlow) orAfter() int {
	at := 0
	s.operators(func(i int, op string) bool {
		if op == "||" {
			at = i + 1
		}
		return op != "||" && op != ";" && op != "\n" && op != "&"
	})
	return at
}

// tail is what stands last in the rest of a chain.
type tail struct {
	marks int // the token of the last command that marks a failure
	tool  int // the token of the last command that runs a tool
}

// tailOf reads the commands from token i to token end.
func (s *shellFlow) tailOf(i, end int) *tail {
	out := &tail{marks: -1, tool: -1}
	for end = min(end, len(s.toks)); i < end; i++ {
		from := i
		for i < end && !s.joins(i) {
			i++
		}
		cmd := s.words(from, i)
		if s.marksFailure(cmd) {
			out.marks = from
		}
		if len(toolRuns(shellWords(cmd))) > 0 {
			out.tool = from
		}
	}
	return out
}

// joins says whether token i stands between two commands.
func (s *shellFlow) joins(i int) bool {
	t := s.toks[i].text
	return s.toks[i].op && (t == "&&" || t == "||") || s.separator(i)
}

// alternative says what the other side of an ||, which begins at token i, makes of a failure.
func (s *shellFlow) alternative(i int, rest *tail, under fate) fate {
	if i >= len(s.toks) {
		return swallowed
	}
	if t := s.toks[i].text; t == "{" || t == "(" {
		rest = s.tailOf(i+1, s.blockEnd(i))
	}
	switch {
	case rest.marks >= i:
		return s.ending
	case rest.tool >= i: // another tool decides
		return under
	}
	return swallowed
}

// marksFailure says whether one of some commands fails, or notes a failure that is looked at later.
func (s *shellFlow) marksFailure(text string) bool {
	for _, c := range parts(text) {
		c = strings.Trim(c, " ;")
		if failingRE.MatchString(c) || notedRE.MatchString(c) && s.decides[notedName(c)] {
			return true
		}
	}
	return false
}

// parts are the commands of a text without structure.
func parts(text string) []string {
	return strings.FieldsFunc(strings.NewReplacer(" && ", "\n", " || ", "\n", " ; ", "\n").Replace(text), func(r rune) bool { return r == '\n' })
}
