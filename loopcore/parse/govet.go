package parse

import (
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

// goVet reads go vet: plain lines `file.go:1:2: message`, with or without the
// package blocks of older releases, and -json.
var goVet = Reader{Name: "govet", Kind: loopcore.KindLint, Spot: func(l *Log) bool { return l.Has(".go:") }, Read: readGoVet}

func readGoVet(l *Log, c *Claims) loopcore.Report {
	r := loopcore.Report{Failures: goVetJSON(l, c)}
	for i, line := range l.Lines {
		if !c.Free("govet", i) {
			continue
		}
		line = strings.TrimPrefix(line, "vet: ")
		f, ok := goError(l, line, loopcore.FailLint)
		if !ok || f.Column == 0 {
			continue
		}
		if len(line) < len(l.Lines[i]) {
			f.Kind = loopcore.FailCompile
			r.Status = loopcore.StatusBuildError
		}
		f.At = l.Number(i)
		c.Take("govet", i, i+1)
		r.Failures = append(r.Failures, f)
	}
	return r
}

// goVetDocument is what go vet -json prints, as a report.
var goVetDocument = Reader{Name: "govet", Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.Has(`"posn":`) },
	Read: func(l *Log, c *Claims) loopcore.Report { return loopcore.Report{Failures: goVetJSON(l, c)} },
}

// goVetJSON reads the objects of go vet -json: package → analyser → findings.
func goVetJSON(l *Log, c *Claims) []loopcore.Failure {
	if !l.Has(`"posn":`) {
		return nil
	}
	var out []loopcore.Failure
	for i := 0; i < len(l.Lines); i++ {
		if l.Lines[i] != "{" {
			continue
		}
		end := i + 1
		for end < len(l.Lines) && l.Lines[end] != "}" {
			end++
		}
		doc := gjson.Parse(strings.Join(l.Lines[i:min(end+1, len(l.Lines))], "\n"))
		doc.ForEach(func(_, pkg gjson.Result) bool {
			pkg.ForEach(func(rule, finds gjson.Result) bool {
				for _, f := range finds.Array() {
					if v, ok := goError(l, f.Get("posn").String()+": "+f.Get("message").String(), loopcore.FailLint); ok {
						v.Rule, v.At = rule.String(), l.Number(i)
						out = append(out, v)
					}
				}
				return true
			})
			return true
		})
		c.Take("govet", i, end+1)
		i = end
	}
	return out
}
