package parse

import (
	"strings"

	"fixloop/loopcore"
)

// maxNodeMessage bounds the lines of an error that are taken up above its stack.
const maxNodeMessage = 8

// nodeDied finds, in lines from..to, why Node could not run a file: the error
// that it printed with a stack through that file, or with the file's own line
// on top. In TAP each line is a comment.
func nodeDied(l *Log, from, to int, file string, f *loopcore.Failure) bool {
	for i := from; i < to; {
		s := strings.TrimSpace(uncommented(l.Lines[i]))
		if !strings.HasPrefix(s, "at ") {
			if src, no, _, ok := jsPlace(strings.TrimPrefix(s, "file://")); ok && l.Path(src) == file && nodeOnTop(l, i, to, f) {
				f.File, f.Line = file, no
				return true
			}
			i++
			continue
		}
		first := i
		var frames []loopcore.Frame
		through := false
		for ; i < to && strings.HasPrefix(strings.TrimSpace(uncommented(l.Lines[i])), "at "); i++ {
			if fr, ok := jsFrame(l, uncommented(l.Lines[i])); ok {
				frames = append(frames, fr)
				through = through || l.Path(fr.File) == file
			}
		}
		if !through {
			continue
		}
		head := first
		for head > from && first-head < maxNodeMessage && nodeSays(l.Lines[head-1]) {
			head--
		}
		if head == first {
			continue
		}
		var message []string
		for k := head; k < first; k++ {
			message = append(message, bound(strings.TrimSpace(uncommented(l.Lines[k])), maxMessage))
		}
		f.Message = strings.Join(message, " ")
		f.Kind = jsKind(f.Message)
		l.place(f, frames)
		return true
	}
	return false
}

// nodeOnTop reads the error below a line that names a file and where it can not
// be read: its source, a caret, and then what is wrong.
func nodeOnTop(l *Log, i, to int, f *loopcore.Failure) bool {
	for k := i + 1; k < i+12 && k < to; k++ {
		t := strings.TrimSpace(uncommented(l.Lines[k]))
		if strings.Contains(t, "Error") && pyException(strings.TrimPrefix(t, "Uncaught ")) {
			f.Message, f.Kind = t, jsKind(t)
			return true
		}
	}
	return false
}

// nodeSays reports whether a line above a stack is of its error's text, not of
// the source that Node quotes over it.
func nodeSays(line string) bool {
	s := strings.TrimSpace(uncommented(line))
	return s != "" && strings.Trim(s, "^~") != ""
}

// uncommented is a line without the mark that TAP has before what is no result.
func uncommented(line string) string {
	return strings.TrimPrefix(strings.TrimPrefix(line, "# "), "#")
}
