package parse

import (
	"fmt"

	"fixloop/loopcore"
)

// within gives a failed program that ctest ran the place and message of what
// failed in it: the first failure, read by the program's own reader, that has
// the same name, or else that was printed below the program's line. Those
// failures are optional, since ctest counts programs.
func within(l *Log, fs []loopcore.Failure) {
	below := !l.Has("Test command: ") // -V prints a program's output above its result
	for i := range fs {
		f := &fs[i]
		if f.Optional || f.File != "" || f.At == 0 || f.Name == "" {
			continue
		}
		end := following(fs, f.At)
		inner, n := loopcore.Failure{}, 0
		for _, o := range fs {
			if !o.Optional || o.File == "" {
				continue
			}
			if same := o.Suite+"."+o.Name == f.Name || o.Name == f.Name; same {
				inner, n = o, 1
				inner.Name = ""
				break
			}
			if below && o.At > f.At && o.At < end {
				if n == 0 {
					inner = o
				}
				n++
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

// following is the line of the next failure that counts, behind at.
func following(fs []loopcore.Failure, at int) int {
	end := int(^uint(0) >> 1)
	for _, f := range fs {
		if !f.Optional && f.At > at && f.At < end {
			end = f.At
		}
	}
	return end
}
