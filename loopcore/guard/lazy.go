package guard

import (
	"regexp"
	"sync"
)

// lazyRE is a regular expression that is compiled when it is first asked: the
// tables hold hundreds, and most processes, a run's supervisor among them, need
// none. A fault in one shows in the test that compiles all of a table.
type lazyRE struct {
	src string
	get func() *regexp.Regexp
}

func lazily(src string) *lazyRE {
	return &lazyRE{src, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(src) })}
}

// The methods are those of regexp.Regexp.
func (l *lazyRE) MatchString(s string) bool                  { return l.get().MatchString(s) }
func (l *lazyRE) FindString(s string) string                 { return l.get().FindString(s) }
func (l *lazyRE) FindStringSubmatch(s string) []string       { return l.get().FindStringSubmatch(s) }
func (l *lazyRE) FindStringIndex(s string) []int             { return l.get().FindStringIndex(s) }
func (l *lazyRE) FindAllString(s string, n int) []string     { return l.get().FindAllString(s, n) }
func (l *lazyRE) FindAllStringIndex(s string, n int) [][]int { return l.get().FindAllStringIndex(s, n) }
func (l *lazyRE) ReplaceAllString(s, with string) string     { return l.get().ReplaceAllString(s, with) }
func (l *lazyRE) FindAllStringSubmatch(s string, n int) [][]string {
	return l.get().FindAllStringSubmatch(s, n)
}

// String is the expression as it was written.
func (l *lazyRE) String() string { return l.src }
