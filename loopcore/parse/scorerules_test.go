package parse_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"fixloop/loopcore"
)

// labelled is a failure that a case of the corpus holds, and what else is right
// to say of it. A nil is a fact that the output does not tell.
type labelled struct {
	Name     *string   `json:"name"`
	NameAlts []*string `json:"name_alts"`
	File     *string   `json:"file"`
	FilesOK  []string  `json:"files_ok"`
	Line     *int      `json:"line"`
	LinesOK  []int     `json:"lines_ok"`
	Message  string    `json:"message_contains"`
	Kind     string    `json:"kind"`
	KindsOK  []string  `json:"kinds_ok"`
	Optional bool      `json:"optional"` // right to report, no miss if left out
}

// names are all spellings of the name that are right.
func (l labelled) names() []*string { return append([]*string{l.Name}, l.NameAlts...) }

var (
	ansiCodes   = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]`)
	tookSuffix  = regexp.MustCompile(`[\s\p{Z}]*[(\[]\d+(?:\.\d+)?[\s\p{Z}]*(?:ms|s|sec|seconds|m)[)\]][\s\p{Z}]*$`)
	markPrefix  = regexp.MustCompile(`^[✗✘×✖●•\-*]+[\s\p{Z}]+`)
	separators  = regexp.MustCompile(`[\s\p{Z}]*(?:::|›|»|→|->|>|#|/|\.|:|\||,|[\s\p{Z}])[\s\p{Z}]*`)
	blanks      = regexp.MustCompile(`[\s\p{Z}]+`)
	parenSuffix = regexp.MustCompile(`[\s\p{Z}]*\([^()]*\)$`)
	unsaid      = regexp.MustCompile("[\\s\\p{Z}`'\"‘’]+")
	parents     = regexp.MustCompile(` > |::|/`)
	quotes      = strings.NewReplacer("`", "", "'", "", `"`, "")
)

// spelled makes one spelling of a test's name: separators are one space; times,
// marks, quotes and empty brackets go.
func spelled(s string) string {
	s = strings.TrimSpace(ansiCodes.ReplaceAllString(s, ""))
	s = tookSuffix.ReplaceAllString(s, "")
	s = markPrefix.ReplaceAllString(s, "")
	s = separators.ReplaceAllString(strings.ReplaceAll(s, "()", ""), " ")
	s = quotes.Replace(blanks.ReplaceAllString(s, " "))
	return strings.ToLower(strings.Trim(s, " -–—:."))
}

// fits reports whether one spelling is the end of the other, at a word.
func fits(a, b string) bool {
	return a == b || strings.HasSuffix(a, " "+b) || strings.HasSuffix(b, " "+a)
}

// sameSpelling compares two spelled names, with and without what stands in
// brackets at the end.
func sameSpelling(want, got string) bool {
	if want == "" || got == "" {
		return false
	}
	w, g := parenSuffix.ReplaceAllString(want, ""), parenSuffix.ReplaceAllString(got, "")
	return fits(got, want) || w != "" && g != "" && fits(g, w)
}

func nameRight(l labelled, got string) bool {
	if l.Name == nil {
		return true // the output names no test
	}
	g := spelled(got)
	return slices.ContainsFunc(l.names(), func(w *string) bool {
		if w == nil || got == "" {
			return w == nil && got == ""
		}
		return sameSpelling(spelled(*w), g)
	})
}

// filed makes one spelling of a path.
func filed(s string) string {
	s = strings.Trim(strings.TrimSpace(strings.ReplaceAll(ansiCodes.ReplaceAllString(s, ""), `\`, "/")), `"'`)
	s = strings.TrimPrefix(s, "file://")
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	return s
}

func samePath(want, got string) bool {
	return got == want || strings.HasSuffix(got, "/"+want) || strings.HasSuffix(want, "/"+got)
}

func fileRight(l labelled, got string) bool {
	if l.File == nil {
		return true
	}
	return got != "" && slices.ContainsFunc(append([]string{*l.File}, l.FilesOK...), func(w string) bool { return samePath(filed(w), filed(got)) })
}

func lineRight(l labelled, got int) bool {
	return l.Line == nil || got == *l.Line || slices.Contains(l.LinesOK, got)
}

// squeezed is a text without blanks and quotes, which runners place as they like.
func squeezed(s string) string {
	return unsaid.ReplaceAllString(ansiCodes.ReplaceAllString(s, ""), "")
}

// messageRight also tells whether a message is asked for at all.
func messageRight(l labelled, got string) (right, asked bool) {
	return l.Message != "" && strings.Contains(squeezed(got), squeezed(l.Message)), l.Message != ""
}

// pairing is a labelled failure and the reported one that stands for it.
type pairing struct {
	label, got int
	full       bool // name, file and line are all right
	points     int
}

// paired matches labelled and reported failures one to one, the best first.
func paired(labels []labelled, got []loopcore.Failure) []pairing {
	var all []pairing
	for i, l := range labels {
		for j, g := range got {
			if p, ok := pair(l, g); ok {
				p.label, p.got = i, j
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pairing) int { return cmp.Compare(b.points, a.points) })
	var out []pairing
	labelUsed, gotUsed := map[int]bool{}, map[int]bool{}
	for _, p := range all {
		if !labelUsed[p.label] && !gotUsed[p.got] {
			labelUsed[p.label], gotUsed[p.got] = true, true
			out = append(out, p)
		}
	}
	return out
}

// pair weighs whether g stands for l; a partial match needs a real fact in
// common, not only facts that nobody told.
func pair(l labelled, g loopcore.Failure) (pairing, bool) {
	n, f, at := nameRight(l, g.Name), fileRight(l, g.File), lineRight(l, g.Line)
	m, asked := messageRight(l, g.Message)
	points := 0
	add := func(yes bool, k int) {
		if yes {
			points += k
		}
	}
	add(l.Optional, -1)
	nothing := l.Name == nil && l.File == nil && l.Line == nil
	if n && f && at && !(nothing && asked && !m) {
		add(true, 100)
		add(m, 10)
		add(l.Name != nil, 5)
		return pairing{full: true, points: points}, true
	}
	if !(n && l.Name != nil || f && at && l.Line != nil || m) {
		return pairing{}, false
	}
	add(n, 4)
	add(f, 2)
	add(at, 1)
	add(m, 2)
	return pairing{points: points}, true
}

// repeated reports whether g is a second report of a labelled failure: runners
// print failures twice.
func repeated(labels []labelled, g loopcore.Failure) bool {
	return slices.ContainsFunc(labels, func(l labelled) bool {
		return (l.Name != nil || l.Line != nil) && nameRight(l, g.Name) && fileRight(l, g.File) && lineRight(l, g.Line)
	})
}

// encloses reports whether g names the suite, the parent test or the file of a
// labelled failure: neither a hit nor a false alarm.
func encloses(labels []labelled, g loopcore.Failure) bool {
	n := spelled(g.Name)
	if n == "" {
		return false
	}
	for _, l := range labels {
		if l.File != nil && *l.File != "" && fits(n, spelled(filed(*l.File))) {
			return true
		}
		for _, w := range l.names() {
			if w == nil {
				continue
			}
			parts := parents.Split(*w, -1)
			for k := 1; k < len(parts); k++ {
				c := spelled(strings.Join(parts[:k], " "))
				if c != "" && (fits(n, c) || n == spelled(parts[k-1])) {
					return true
				}
			}
		}
	}
	return false
}

// labelledCounts are counts that are right; nil = not told.
type labelledCounts struct {
	Passed  *int `json:"passed"`
	Failed  *int `json:"failed"`
	Skipped *int `json:"skipped"`
	Errors  *int `json:"errors"`
}

// agrees compares counts; failed and errors may be summed.
func (c labelledCounts) agrees(got loopcore.Counts) bool {
	if c.Passed != nil && *c.Passed != got.Passed || c.Skipped != nil && *c.Skipped != got.Skipped {
		return false
	}
	if c.Failed == nil && c.Errors == nil {
		return true
	}
	want := 0
	for _, n := range []*int{c.Failed, c.Errors} {
		if n != nil {
			want += *n
		}
	}
	return got.Failed+got.Errors == want || c.Errors == nil && got.Failed == want
}

func (c labelledCounts) empty() bool {
	return c == labelledCounts{}
}
