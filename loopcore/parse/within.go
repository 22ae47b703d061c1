package parse

import (
	"fmt"
	"math"
	"slices"

	"fixloop/loopcore"
)

// within gives a failed program that ctest ran the place and message of what
// failed in it: the first failure, read by the program's own reader, that has
// the same name, or else that was printed below the program's line. Those
// failures are optional, since ctest counts programs.
func within(l *Log, fs []loopcore.Failure) {
	below := !l.Has("Test command: ") // -V prints a program's output above its result
	p := programsOf(fs)
	for i := range fs {
		f := &fs[i]
		if f.Optional || f.File != "" || f.At == 0 || f.Name == "" {
			continue
		}
		inner, n := loopcore.Failure{}, 0
		if k, ok := p.named[f.Name]; ok {
			inner, n = fs[k], 1
			inner.Name = ""
		} else if below {
			if own := p.between(fs, f.At, p.following(f.At)); len(own) > 0 {
				inner, n = fs[slices.Min(own)], len(own)
			}
		}
		if n == 0 {
			continue
		}
		f.File, f.Line, f.Column, f.Frames = inner.File, inner.Line, inner.Column, inner.Frames
		f.Message = inner.Message
		if inner.Name != "" {
			f.Message = inner.Suite + "." + inner.Name + ": " + inner.Message
		}
		if n > 1 {
			f.Message = fmt.Sprintf("%d tests, first %s", n, f.Message)
		}
	}
}

// programs finds the failures inside of programs, which are optional.
type programs struct {
	named map[string]int // the first of each name, with its suite and without
	inner []int          // those with a file, in the order of the log
	outer []int          // the lines of the failures that count
}

func programsOf(fs []loopcore.Failure) programs {
	p := programs{named: map[string]int{}}
	for k := len(fs) - 1; k >= 0; k-- {
		switch o := &fs[k]; {
		case !o.Optional:
			p.outer = append(p.outer, o.At)
		case o.File != "":
			p.named[o.Name], p.named[o.Suite+"."+o.Name] = k, k
			p.inner = append(p.inner, k)
		}
	}
	slices.Sort(p.outer)
	slices.SortFunc(p.inner, func(a, b int) int { return fs[a].At - fs[b].At })
	return p
}

// following is the line of the next failure that counts, behind at.
func (p programs) following(at int) int {
	k, _ := slices.BinarySearch(p.outer, at+1)
	if k == len(p.outer) {
		return math.MaxInt
	}
	return p.outer[k]
}

// between are the failures inside that stand behind a line and before another.
func (p programs) between(fs []loopcore.Failure, from, to int) []int {
	find := func(line int) int {
		k, _ := slices.BinarySearchFunc(p.inner, line, func(k, line int) int { return fs[k].At - line })
		return k
	}
	return p.inner[find(from+1):find(to)]
}
