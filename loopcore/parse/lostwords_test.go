package parse

import (
	"bytes"
	"testing"
)

// Lines that lack a word, begin in the middle or end there: what a line starts
// and ends with is not two things in one that is cut, where a reader takes for
// granted that something lies between.
func TestLinesThatLackWords(t *testing.T) {
	everyFixture(t, func(t *testing.T, fx fixture) {
		for _, text := range withoutWords(fx.in.Text) {
			in := fx.in
			in.Text = text
			sound(t, in, Parse(in))
		}
	})
}

// withoutWords is the text with the first, second … word of each line left out,
// and with each line from there on, and up to there.
func withoutWords(text []byte) [][]byte {
	const depth = 8
	lines := bytes.Split(text[:min(len(text), 32<<10)], []byte("\n"))
	var out [][]byte
	for k := range depth {
		without, from, to := make([][]byte, len(lines)), make([][]byte, len(lines)), make([][]byte, len(lines))
		for i, line := range lines {
			words := bytes.SplitAfter(line, []byte(" "))
			at := min(k, len(words)-1)
			without[i] = bytes.Join(append(append([][]byte{}, words[:at]...), words[at+1:]...), nil)
			from[i], to[i] = bytes.Join(words[at:], nil), bytes.Join(words[:at], nil)
		}
		for _, v := range [][][]byte{without, from, to} {
			out = append(out, bytes.Join(v, []byte("\n")))
		}
	}
	return out
}
