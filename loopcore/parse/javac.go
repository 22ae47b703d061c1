package parse

import (
	"strings"

	"fixloop/loopcore"
)

// javac reads javac's text and raw diagnostics, kotlinc's, scalac's and
// groovyc's, and those that Maven repeats in its own dress.
var javac = Reader{
	Name: "javac",
	Kind: loopcore.KindBuild,
	Spot: func(l *Log) bool { return l.HasAny(".java:", ".kt:", ".kts:", ".scala:", ".groovy:") },
	Read: readJavac,
}

func readJavac(l *Log, c *Claims) loopcore.Report {
	const me = "javac"
	var r loopcore.Report
	total, told := 0, false
	for i := 0; i < len(l.Lines); i++ {
		if !c.Free(me, i) {
			continue
		}
		if n, rest := number(l.Lines[i]); n > 0 && (rest == " error" || rest == " errors") {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		f, ok := javaDiagnostic(l, i)
		if !ok {
			continue
		}
		end := i + 1
		if strings.TrimSpace(l.Line(end+1)) == "^" {
			end += 2 // the source and its caret
		}
		for end < len(l.Lines) && end < i+12 && javaMore(l.Lines[end]) {
			if s := mavenText(l.Lines[end]); hasAnyPrefix(strings.TrimSpace(s), []string{"symbol:", "location:", "required:", "found:", "reason:"}) {
				f.Message += " " + strings.Join(strings.Fields(s), " ")
			}
			end++
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, end)
		i = end - 1
	}
	r.Failures = sameDiagnostics(r.Failures)
	return diagnosticReport(r, total, told)
}

// mavenText is a line without Maven's level in front.
func mavenText(line string) string {
	for _, p := range []string{"[ERROR] ", "[WARNING] ", "[INFO] "} {
		if s, ok := strings.CutPrefix(line, p); ok {
			return s
		}
	}
	return line
}

// javaDiagnostic reads one diagnostic of any of the family's compilers.
func javaDiagnostic(l *Log, i int) (loopcore.Failure, bool) {
	line := mavenText(l.Lines[i])
	level := strings.TrimSuffix(l.Lines[i], line)
	for _, p := range []string{"e: ", "w: ", "[error] ", "[warn] ", "error: "} {
		if s, ok := strings.CutPrefix(line, p); ok && strings.Contains(s, ".") {
			line, level = s, p
			break
		}
	}
	line = strings.TrimPrefix(line, "file://")
	if slash := strings.IndexByte(line, '/'); slash > 0 && line[0] == ':' {
		line = line[slash:] // Gradle's ":compileJava", which it does not end
	}
	d, ok := scanDiagnostic(line)
	if !ok || !javaFile(d.file) || indent(line) > 0 {
		return loopcore.Failure{}, false
	}
	f := d.failure(l, i, loopcore.FailCompile)
	raw := strings.HasPrefix(d.text, "compiler.")
	switch {
	case d.severity == "error", strings.HasPrefix(d.text, "compiler.err."), level == "e: ":
	case d.severity == "warning", strings.HasPrefix(d.text, "compiler.warn."), level == "w: ", level == "[WARNING] ", level == "[warn] ":
		f.Kind, f.Optional = loopcore.FailLint, true
	case level == "[ERROR] ", level == "[error] ":
	default:
		return f, false
	}
	if raw {
		f.Message, f.Rule = d.text, strings.TrimRight(strings.Fields(d.text)[0], ":")
	}
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(f.Message, "["), "] "); ok && strings.HasPrefix(f.Message, "[") && ruleLike(inner) {
		f.Rule, f.Message = inner, rest
	}
	return f, f.Message != ""
}

func javaFile(p string) bool {
	for _, e := range []string{".java", ".kt", ".kts", ".scala", ".groovy", ".gradle"} {
		if strings.HasSuffix(p, e) {
			return true
		}
	}
	return false
}

// javaMore reports whether a line continues a diagnostic: the source, the
// caret, "symbol:" and "location:".
func javaMore(line string) bool {
	s := mavenText(line)
	return indent(s) > 0 && strings.TrimSpace(s) != "" && !strings.HasPrefix(strings.TrimSpace(s), "at ")
}

// sameDiagnostics drops repeats of one place and one text: Maven lists the
// compiler's errors twice, the second time in more lines.
func sameDiagnostics(fs []loopcore.Failure) []loopcore.Failure {
	type key struct {
		file      string
		line, col int
		head      string
	}
	seen := map[key]bool{}
	out := fs[:0:0]
	for _, f := range fs {
		k := key{f.File, f.Line, f.Column, firstWords(f.Message)}
		if f.Column == 0 { // javac's own, where symbols tell two on one line apart
			k.head = f.Message
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}

func firstWords(s string) string {
	w := strings.Fields(s)
	return strings.Join(w[:min(4, len(w))], " ")
}
