package guard

import "testing"

// A word is what it is to the tool that knows it; a pattern takes any rest, a
// path in it too.
func TestFlagWords(t *testing.T) {
	for _, c := range []struct {
		set  wordSet
		word string
		want bool
	}{
		{narrowing, "--lf", true}, {narrowing, "-DskipTests=true", true}, {narrowing, "-Dit.skip.slow=1", true}, {narrowing, "-v", false},
		{narrowing, "--testPathIgnorePatterns=src/a", true}, {loosening, "--baseline=qa/base.xml", true}, {loosening, "--disable=", false},
		{loosening, "/p:NoWarn=CS0168", true}, {strict, "--deny-warnings", true}, {strict, "/warnaserror", true}, {strict, "--verbose", false},
	} {
		if got := c.set.has(c.word); got != c.want {
			t.Errorf("%s: %t", c.word, got)
		}
	}
}
