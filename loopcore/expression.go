package loopcore

import (
	"regexp"
	"sync"
)

// Expression is a regular expression that is compiled when it is first asked:
// the tables hold hundreds, and most processes, a run's supervisor among them,
// need none.
type Expression struct {
	src string
	get func() *regexp.Regexp
}

// Lazily is the expression of that source. A fault in it is a panic at its first
// use; a test compiles them all.
func Lazily(src string) *Expression {
	return &Expression{src, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(src) })}
}

// The methods are those of regexp.Regexp.

// MatchString reports whether s holds a match.
func (e *Expression) MatchString(s string) bool { return e.get().MatchString(s) }

// FindString is the first match.
func (e *Expression) FindString(s string) string { return e.get().FindString(s) }

// FindStringIndex is where the first match begins and ends.
func (e *Expression) FindStringIndex(s string) []int { return e.get().FindStringIndex(s) }

// FindStringSubmatch is the first match and its groups.
func (e *Expression) FindStringSubmatch(s string) []string { return e.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is where the first match and its groups begin and end.
func (e *Expression) FindStringSubmatchIndex(s string) []int {
	return e.get().FindStringSubmatchIndex(s)
}

// FindAllString is the first n matches, all for -1.
func (e *Expression) FindAllString(s string, n int) []string { return e.get().FindAllString(s, n) }

// FindAllStringIndex is where they begin and end.
func (e *Expression) FindAllStringIndex(s string, n int) [][]int {
	return e.get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is they and their groups.
func (e *Expression) FindAllStringSubmatch(s string, n int) [][]string {
	return e.get().FindAllStringSubmatch(s, n)
}

// FindAllSubmatch is FindAllStringSubmatch of bytes.
func (e *Expression) FindAllSubmatch(b []byte, n int) [][][]byte {
	return e.get().FindAllSubmatch(b, n)
}

// FindAllStringSubmatchIndex is where they and their groups begin and end.
func (e *Expression) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return e.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is s with every match replaced; $1 stands for a group.
func (e *Expression) ReplaceAllString(s, with string) string {
	return e.get().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is s with every match replaced by what with makes of it.
func (e *Expression) ReplaceAllStringFunc(s string, with func(string) string) string {
	return e.get().ReplaceAllStringFunc(s, with)
}

// Split is the text between the matches, in at most n parts; all for -1.
func (e *Expression) Split(s string, n int) []string { return e.get().Split(s, n) }

// String is the expression as it was written.
func (e *Expression) String() string { return e.src }
