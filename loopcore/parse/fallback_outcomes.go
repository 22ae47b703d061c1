package parse

import (
	"maps"
	"slices"
	"strings"
)

// A list of results is lines of one skeleton that differ in the name and in one
// word: `add -> passed`, `sub -> failed: a.c:7: 5 != 6`. Which skeleton a runner
// uses is read from the lines themselves: one that comes at least twice, with a
// test that failed among them.

// outcomeWords are the words for how a test ended: 'f' failed, 'p' passed, 's' was
// not run.
var outcomeWords = map[string]byte{
	"fail": 'f', "failed": 'f', "failure": 'f', "error": 'f', "errored": 'f', "broken": 'f', "crash": 'f', "crashed": 'f', "timeout": 'f', "bad": 'f', "ko": 'f',
	"pass": 'p', "passed": 'p', "ok": 'p', "success": 'p', "succeeded": 'p', "good": 'p',
	"skip": 's', "skipped": 's', "ignored": 's', "pending": 's', "todo": 's', "disabled": 's', "cancel": 's', "unimplemented": 's',
}

// outcomeBegins are what they begin with.
var outcomeBegins = byteSet("febctpogsidukFEBCTPOGSIDUK")

// outcomeSigns begin a line in lists whose results are a character each.
var outcomeSigns = map[byte]byte{'-': 'f', '!': 'f', 'x': 'f', 'X': 'f', 'F': 'f', 'E': 'f', '+': 'p', '.': 'p', 'o': 'p', '*': 's', '?': 's'}

// result is one line of such a list.
type result struct {
	at            int
	skeleton      string
	name, message string
	ended         byte
}

// results reads the lists of results of an output, for a runner that says that
// so many failed (0: it does not say).
func (s *shapes) results(total int) []result {
	by := map[string][]result{}
	for i, line := range s.l.Lines {
		if !s.free(i) || len(line) < 4 || len(line) > 400 || len(by) > maxSkeletons {
			continue
		}
		if r, ok := wordResult(line); ok {
			r.at = i
			by[r.skeleton] = append(by[r.skeleton], r)
		}
		if r, ok := signResult(line); ok {
			r.at = i
			by[r.skeleton] = append(by[r.skeleton], r)
		}
		if r, ok := firstResult(line); ok {
			r.at = i
			by[r.skeleton] = append(by[r.skeleton], r)
		}
	}
	var out []result
	for _, skeleton := range slices.Sorted(maps.Keys(by)) { // where a line fits several, the same one counts each time
		rs := by[skeleton]
		n := map[byte]int{}
		for _, r := range rs {
			n[r.ended]++
		}
		signs := strings.HasPrefix(skeleton, "sign")
		if n['f'] == 0 || len(rs) < 2 || signs && (n['f'] != total || n['p'] == 0) || (len(rs) == n['f'] || strings.HasPrefix(skeleton, "word"+bareSep) || strings.HasPrefix(skeleton, "first")) && n['f'] != total {
			continue
		}
		out = append(out, rs...)
	}
	slices.SortStableFunc(out, func(a, b result) int { return a.at - b.at })
	return slices.CompactFunc(out, func(a, b result) bool { return a.at == b.at })
}

// maxSkeletons bounds the different skeletons that are looked at.
const maxSkeletons = 2000

// resultSeps stand between a test's name and how it ended.
var resultSeps = []string{"->", "=>", "...", "..", " - ", " | ", "  ", "\t", ": ", ":", " [", bareSep}

// bareSep is all that stands before the word in `Test withdraw failed`: of a
// sentence, unless just as many say so as failed.
const bareSep = " "

// wordResult reads a name, a separator and a word for how it ended, with what
// else there is behind it.
func wordResult(line string) (result, bool) {
	t := strings.TrimSpace(line)
	for from := 0; from < len(t); {
		for from < len(t) && !letter(t[from]) {
			from++
		}
		end := from
		for end < len(t) && letter(t[end]) {
			end++
		}
		if from > 2 && end-from >= 2 && end-from <= 13 && outcomeBegins[t[from]] {
			if ended := outcomeWords[strings.ToLower(t[from:end])]; ended != 0 {
				if r, ok := resultAt(t, from, end); ok {
					r.ended = ended
					return r, true
				}
			}
		}
		from = end
	}
	return result{}, false
}

// resultAt reads a result whose word stands at from..to.
func resultAt(t string, from, to int) (result, bool) {
	head := strings.TrimRight(t[:from], "*[(<!")
	tail := strings.TrimLeft(t[to:], "*])>!")
	adorned := len(head) < from
	for _, sep := range resultSeps {
		if sep == bareSep && (adorned || strings.ContainsAny(tail, ":([")) {
			continue
		}
		if adorned && sep == " [" {
			sep = " " // the bracket is the word's own
		}
		name, ok := strings.CutSuffix(strings.TrimRight(head, " "), strings.TrimRight(sep, " "))
		if sep == "  " || sep == "\t" || sep == " " {
			name, ok = strings.CutSuffix(head, sep)
		}
		if !ok || strings.TrimSpace(name) == "" {
			continue
		}
		if _, placed := findPlace(name + ":"); placed {
			return result{}, false // a diagnostic
		}
		message, said := strings.CutPrefix(strings.TrimLeft(tail, " "), ":")
		rest := strings.TrimSpace(strings.Trim(withoutTime("  "+tail), "[]() .-–—,"))
		if !said && rest != "" && !timeText(rest) {
			continue
		}
		upper := "a"
		if t[from:to] == strings.ToUpper(t[from:to]) {
			upper = "A"
		}
		return result{skeleton: "word" + sep + upper, name: strings.TrimRight(name, " .\t"), message: strings.TrimSpace(message)}, true
	}
	return result{}, false
}

// signResult reads a name behind a single character for how it ended, with a
// message behind a colon.
func signResult(line string) (result, bool) {
	t := strings.TrimLeft(line, " \t")
	if len(t) < 4 || t[1] != ' ' || outcomeSigns[t[0]] == 0 || !letter(t[2]) {
		return result{}, false
	}
	r := result{skeleton: "sign" + strings.Repeat(" ", len(line)-len(t)), ended: outcomeSigns[t[0]]}
	r.name, r.message, _ = strings.Cut(t[2:], ": ")
	return r, true
}

// firstResult reads a word for how a test ended before its name: ` KO  2 # a.adds`.
func firstResult(line string) (result, bool) {
	t := strings.TrimLeft(line, " \t")
	word, rest, ok := strings.Cut(t, " ")
	ended := outcomeWords[strings.ToLower(word)]
	name := strings.TrimLeft(rest, " ")
	if !ok || ended == 0 || name == "" || !letter(name[0]) && !hasDigit(name[:1]) || countsSomething(t) {
		return result{}, false
	}
	if before, after, ok := strings.Cut(name, " # "); ok && atoi(before) > 0 { // its number
		name = after
	}
	upper := "a"
	if word == strings.ToUpper(word) {
		upper = "A"
	}
	return result{skeleton: "first" + upper + strings.Repeat(" ", len(line)-len(t)), ended: ended, name: name}, true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// learned makes marks of the results that a runner lists in its own way.
func (s *shapes) learned(total int) map[int]mark {
	out := map[int]mark{}
	rs := s.results(total)
	for i, r := range rs {
		if i > 0 && r.ended == 'f' && rs[i-1].ended == 'f' && rs[i-1].skeleton == r.skeleton && indent(s.l.Lines[r.at]) < indent(s.l.Lines[rs[i-1].at]) {
			r.ended = 's' // a suite, below its tests
		}
		m := mark{at: r.at, to: r.at + 1, style: r.skeleton, strong: true, depth: indent(s.l.Lines[r.at])}
		if r.ended == 'f' {
			m.name, m.message = r.name, r.message
			if p, ok := findPlace(r.message); ok && p.from == 0 {
				m.place, m.message = p, strings.TrimLeft(r.message[p.to:], ": ")
			}
			if m, ok := m.clean(); ok {
				m.style = r.skeleton
				out[r.at] = m
			}
			continue
		}
		out[r.at] = m
	}
	return out
}
