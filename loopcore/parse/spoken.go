package parse

import (
	"math"
	"strings"

	"fixloop/loopcore"
)

// weightSpoken is what it tells that a failure holds a text of a definition's.
const weightSpoken = 0.9

// leastSpoken is how long a text must be to tell one definition from others.
const leastSpoken = 6

// spokenText is a fixed part of a literal, and the definition that holds it.
type spokenText struct {
	text string
	def  int
}

// spoken finds the definitions whose own words a failure holds: the error that
// they make, what they were to say. An error needs no stack to tell so.
type spoken map[string][]spokenText // by the longest word

// spokenParts stand in a literal for what is put into it.
var spokenParts = loopcore.Lazily(`[$#]\{[^}]*\}|\{[^}]*\}|%[-+ #0-9.]*[a-zA-Z]|\\[nrt]|\$\w+`)

// speaks reads the literals of the code that is no test.
func (ix *sourceIndex) speaks() spoken {
	s := spoken{}
	for p, code := range ix.files {
		if code.test {
			continue
		}
		for n, line := range code.lines {
			if !strings.ContainsAny(line, "\"'`") || len(line) > 500 || ix.isTest(loopcore.Frame{File: p, Line: n + 1}) {
				continue
			}
			k := ix.defAt(p, n+1)
			if k < 0 {
				continue
			}
			for _, lit := range literals(line) {
				for _, part := range spokenParts.Split(lit, -1) {
					if part = strings.TrimSpace(part); len(part) >= leastSpoken && strings.Contains(part, " ") {
						word := longestWord(part)
						s[word] = append(s[word], spokenText{part, k})
					}
				}
			}
		}
	}
	return s
}

// literals are the texts in quotes of a line.
func literals(line string) []string {
	var out []string
	for i := 0; i < len(line); i++ {
		q := line[i]
		if q != '"' && q != '\'' && q != '`' {
			continue
		}
		end := i + 1
		for end < len(line) && line[end] != q {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			return out
		}
		out = append(out, line[i+1:end])
		i = end
	}
	return out
}

func longestWord(s string) string {
	best := ""
	for _, w := range strings.Fields(s) {
		if len(w) > len(best) {
			best = w
		}
	}
	return best
}

// in adds the definitions whose longest text a message holds.
func (s spoken) in(message string, put func(k int, w float64)) {
	most := 0
	var defs []int
	for _, w := range strings.Fields(message) {
		for _, t := range s[strings.Trim(w, "\"'`")] {
			switch {
			case len(t.text) < most || !strings.Contains(message, t.text):
			case len(t.text) > most:
				most, defs = len(t.text), []int{t.def}
			default:
				defs = append(defs, t.def)
			}
		}
	}
	for _, k := range defs {
		put(k, weightSpoken/math.Sqrt(float64(len(defs))))
	}
}
