package parse

import (
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"fixloop/loopcore"
)

// nameIndex finds tests by their folded names, which runners spell with the
// suites or without: one name is the end of the other, on a word's boundary.
type nameIndex struct {
	ends   map[string]int32 // by every end of the long name: the newest link
	shorts map[string]int32 // by the short name
	links  []nameLink       // the first is none
}

// nameLink is a test of the same key as the one that next links.
type nameLink struct{ test, next int32 }

func newNameIndex(n int) *nameIndex {
	return &nameIndex{ends: make(map[string]int32, 2*n), shorts: make(map[string]int32, n), links: make([]nameLink, 1, 4*n+1)}
}

// add takes up test k: short is its name alone, long has its suite.
func (x *nameIndex) add(k int, short, long string) {
	x.link(x.shorts, short, k)
	for end := range wordEnds(long) {
		x.link(x.ends, end, k)
	}
}

func (x *nameIndex) link(from map[string]int32, key string, k int) {
	x.links = append(x.links, nameLink{int32(k), from[key]})
	from[key] = int32(len(x.links) - 1)
}

// like are the tests of which one name may be the other's: all whose short name
// ends the long one given, or whose long one the short one given ends. One may
// come twice, and they come in no order.
func (x *nameIndex) like(short, long string) iter.Seq[int] {
	return func(yield func(int) bool) {
		follow := func(at int32) bool {
			for ; at > 0; at = x.links[at].next {
				if !yield(int(x.links[at].test)) {
					return false
				}
			}
			return true
		}
		if !follow(x.ends[short]) {
			return
		}
		for end := range wordEnds(long) {
			if !follow(x.shorts[end]) {
				return
			}
		}
	}
}

// maxNested bounds the bytes of a name that are taken apart: each part of it is
// a key of its own.
const maxNested = 4 << 10

// wordEnds are the ends of a folded name that begin with a word, itself first.
func wordEnds(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(s) {
			s = s[max(len(s)-maxNested, 0):]
			at := strings.IndexByte(s, ' ')
			if at < 0 {
				return
			}
			s = s[at+1:]
		}
	}
}

// parentNames are the names of the tests that a test of Go is a subtest of: a and
// a/b of a/b/c.
func parentNames(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range min(len(name), maxNested) {
			if name[k] == '/' && !yield(name[:k]) {
				return
			}
		}
	}
}

// endsWith reports whether a folded name ends with another, on a word's boundary.
func endsWith(long, short string) bool {
	cut := len(long) - len(short) - 1
	return cut >= 0 && long[cut] == ' ' && long[cut+1:] == short
}

// sameBase reports whether a short path is the end of a longer one.
func sameBase(short, long string) bool {
	cut := len(long) - len(short) - 1
	return cut >= 0 && long[cut] == '/' && long[cut+1:] == short
}

// foldName makes one spelling of the separators in a test's name: one blank
// between words.
func foldName(s string) string {
	if folded(s) {
		return s
	}
	out, apart := make([]byte, 0, len(s)), false
	for i := 0; i < len(s); i++ {
		if n := separator(s[i:]); n > 0 {
			apart = true
			i += n - 1
			continue
		}
		if apart && len(out) > 0 {
			out = append(out, ' ')
		}
		apart = false
		out = append(out, s[i])
	}
	return string(out)
}

// folded reports whether a name is as foldName makes them.
func folded(s string) bool {
	for i := range len(s) {
		if separators[s[i]] && (s[i] != ' ' || i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// separator is the length of the separator that s begins with, 0 for none.
func separator(s string) int {
	switch {
	case !separators[s[0]]:
		return 0
	case s[0] < utf8.RuneSelf:
		return 1
	case strings.HasPrefix(s, "›"):
		return len("›")
	case strings.HasPrefix(s, "»"):
		return len("»")
	}
	return 0
}

// separators are the first bytes of what stands between the parts of a name.
var separators = byteSet(" \t.,:/\\>#|-\xe2\xc2")

// failureIndex finds among failures the one that another report tells of too.
type failureIndex struct {
	fs     []loopcore.Failure
	used   []bool
	names  []foldedName
	tests  *nameIndex
	places map[spot][]int // of failures without a name
	cover  *coverage      // made when it is needed
}

// foldedName is a test's name without and with its suite, folded.
type foldedName struct{ short, long string }

// spot is a place in a file.
type spot struct {
	file      string
	line, col int
}

func folding(f *loopcore.Failure) foldedName {
	n := foldedName{short: foldName(f.Name)}
	n.long = n.short
	if f.Suite != "" {
		n.long = foldName(f.Suite + " " + f.Name)
	}
	return n
}

// same reports whether two spellings can be of one test: one may hold its suite.
func (n foldedName) same(o foldedName) bool {
	return n.short == o.short || n.long == o.long || endsWith(n.long, o.short) || endsWith(o.long, n.short)
}

func newFailureIndex(fs []loopcore.Failure) *failureIndex {
	x := &failureIndex{fs: fs, used: make([]bool, len(fs)), names: make([]foldedName, len(fs)), tests: newNameIndex(len(fs)), places: map[spot][]int{}}
	for k := range fs {
		switch f := &fs[k]; {
		case f.Name != "":
			x.names[k] = folding(f)
			x.tests.add(k, x.names[k].short, x.names[k].long)
		case f.Line > 0:
			at := spot{f.File, f.Line, f.Column}
			x.places[at] = append(x.places[at], k)
		}
	}
	return x
}

// take finds the failure that t is, the same test or the same place, and that
// was not taken yet; -1 if there is none.
func (x *failureIndex) take(t *loopcore.Failure) int {
	best, score := -1, 0
	consider := func(k int) {
		f, n := &x.fs[k], 2
		if x.used[k] {
			return
		}
		if f.File == t.File || sameBase(f.File, t.File) || sameBase(t.File, f.File) {
			n++
		}
		if f.Line == t.Line {
			n++
		}
		if n > score || n == score && k < best {
			best, score = k, n
		}
	}
	if t.Name == "" {
		for _, k := range x.places[spot{t.File, t.Line, t.Column}] {
			consider(k)
		}
	} else {
		name := folding(t)
		for k := range x.tests.like(name.short, name.long) {
			if x.names[k].same(name) {
				consider(k)
			}
		}
	}
	if best >= 0 {
		x.used[best] = true
	}
	return best
}

// coverage is what failures say of files and suites as a whole.
type coverage struct {
	files   map[string]bool
	parents map[string]bool // of the tests' names: Go's, with subtests
	lines   map[spot]bool   // by the file's base name, of all
	bare    map[spot]bool   // of those without a name
}

// covers reports whether t says only that a file, suite or line failed that one
// of the failures tells more of.
func (x *failureIndex) covers(t *loopcore.Failure) bool {
	if x.cover == nil {
		x.cover = newCoverage(x.fs)
	}
	c, at := x.cover, spot{path.Base(t.File), t.Line, 0}
	switch {
	case t.Name == "" && t.Line == 0 && t.File != "" && c.files[t.File]:
		return true
	case t.Name != "" && c.parents[t.Name]:
		return true
	case t.Line == 0:
		return false
	}
	return t.Name == "" && c.lines[at] || c.bare[at]
}

func newCoverage(fs []loopcore.Failure) *coverage {
	c := &coverage{files: map[string]bool{}, parents: map[string]bool{}, lines: map[spot]bool{}, bare: map[spot]bool{}}
	for i := range fs {
		f := &fs[i]
		c.files[f.File] = true
		for parent := range parentNames(f.Name) {
			c.parents[parent] = true
		}
		at := spot{path.Base(f.File), f.Line, 0}
		c.lines[at] = true
		if f.Name == "" {
			c.bare[at] = true
		}
	}
	return c
}
