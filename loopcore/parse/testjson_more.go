package parse

import (
	"strings"

	"github.com/tidwall/gjson"

	"fixloop/loopcore"
)

func (j *jsonTests) rspec(v gjson.Result) {
	v.Get("examples").ForEach(each(func(e gjson.Result) {
		name, full := e.Get("description").String(), e.Get("full_description").String()
		c := jsonCase{suite: strings.TrimSpace(strings.TrimSuffix(full, name)), name: name, file: e.Get("file_path").String(),
			line: int(e.Get("line_number").Int()), status: jsonStatus(e.Get("status").String())}
		c.message = e.Get("exception.message").String()
		if class := e.Get("exception.class").String(); class != "" && !strings.Contains(class, "Expectation") {
			c.message, c.isError = class+": "+c.message, true
		}
		c.text = c.message + "\n" + joinLines(e.Get("exception.backtrace"))
		j.add(c)
	}))
	if n := v.Get("summary.errors_outside_of_examples_count").Int(); n > 0 {
		v.Get("messages").ForEach(each(func(m gjson.Result) {
			if s := m.String(); strings.Contains(s, "rror") && strings.Contains(s, "\n") {
				j.add(jsonCase{status: loopcore.TestFailed, isError: true, message: rspecOutside(s), text: s})
			}
		}))
	}
}

// rspecOutside is the error in what RSpec says of one outside of examples.
func rspecOutside(s string) string {
	text, _ := clean([]byte(s))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if t := strings.TrimSpace(line); strings.HasSuffix(t, "Error:") && i+1 < len(lines) {
			return t + " " + strings.TrimSpace(lines[i+1])
		}
	}
	return strings.TrimSpace(text)
}

func joinLines(v gjson.Result) string {
	var b strings.Builder
	v.ForEach(each(func(s gjson.Result) { b.WriteString(s.String() + "\n") }))
	return b.String()
}

func (j *jsonTests) pytest(t gjson.Result) {
	file, name, _ := strings.Cut(t.Get("nodeid").String(), "::")
	c := jsonCase{suite: file, name: name, file: file, status: jsonStatus(t.Get("outcome").String())}
	for _, phase := range []string{"setup", "call", "teardown"} {
		if m := t.Get(phase + ".crash.message"); m.Exists() && c.message == "" {
			c.message = m.String()
			c.text = t.Get(phase + ".longrepr").String()
			c.file, c.line = t.Get(phase+".crash.path").String(), int(t.Get(phase+".crash.lineno").Int())
			c.isError = phase != "call"
		}
	}
	j.add(c)
}

func (j *jsonTests) ctrf(t gjson.Result) {
	c := jsonCase{name: t.Get("name").String(), file: t.Get("filePath").String(), line: int(t.Get("line").Int()),
		status: jsonStatus(t.Get("status").String()), message: t.Get("message").String(), text: t.Get("trace").String()}
	if s := t.Get("suite"); s.IsArray() {
		c.suite = strings.ReplaceAll(strings.TrimSpace(joinLines(s)), "\n", " > ")
	} else {
		c.suite = s.String()
	}
	j.add(c)
}

func (j *jsonTests) googletest(t gjson.Result) {
	c := jsonCase{suite: t.Get("classname").String(), name: t.Get("name").String(), file: t.Get("file").String(),
		line: int(t.Get("line").Int()), status: loopcore.TestPassed}
	if t.Get("failures").IsArray() {
		c.status = loopcore.TestFailed
		c.text = t.Get("failures.0.failure").String()
		if _, rest, ok := strings.Cut(c.text, "\n"); ok {
			c.message = rest
		}
	} else if r := t.Get("result").String(); r == "SKIPPED" || t.Get("status").String() == "NOTRUN" {
		c.status = loopcore.TestSkipped
	}
	j.add(c)
}

// nodeTap reads node-tap's nested document; its cases are the assertions.
func (j *jsonTests) nodeTap(v gjson.Result, path []string) {
	v.Get("suites").ForEach(each(func(s gjson.Result) {
		under := path
		if name := s.Get("name").String(); !tapFile(name) {
			under = append(path[:len(path):len(path)], name)
		}
		j.nodeTap(s, under)
	}))
	v.Get("cases").ForEach(each(func(t gjson.Result) { j.nodeTapCase(t, path) }))
}

// nodeTapCase reads one assertion.
func (j *jsonTests) nodeTapCase(t gjson.Result, path []string) {
	c := jsonCase{suite: strings.Join(path, " > "), name: t.Get("name").String(), status: loopcore.TestPassed, message: t.Get("name").String()}
	d := t.Get("diag")
	c.file, c.line = d.Get("at.fileName").String(), int(d.Get("at.lineNumber").Int())
	c.isError = strings.HasSuffix(d.Get("type").String(), "Error")
	if file, _, ok := strings.Cut(t.Get("fullname").String(), " > "); ok && c.file == "" && tapFile(file) {
		c.file = file
	}
	switch {
	case t.Get("skip").Exists() || t.Get("todo").Exists():
		c.status = loopcore.TestSkipped
	case !t.Get("ok").Bool():
		c.status = loopcore.TestFailed
	}
	j.add(c)
}

func (j *jsonTests) meson(t gjson.Result) {
	c := jsonCase{name: t.Get("name").String(), status: loopcore.TestFailed, text: t.Get("stderr").String()}
	switch result := t.Get("result").String(); result {
	case "OK", "EXPECTEDFAIL":
		c.status = loopcore.TestPassed
	case "SKIP", "IGNORED":
		c.status = loopcore.TestSkipped
	default:
		c.message = strings.ToLower(result)
		if n := t.Get("returncode").Int(); n != 0 {
			c.message += ": exit status " + t.Get("returncode").String()
		}
	}
	j.add(c)
}

// libtest reads one line of `--format json`.
func (j *jsonTests) libtest(v gjson.Result) bool {
	if v.Get("type").String() == "suite" {
		return true
	}
	if v.Get("type").String() != "test" {
		return false
	}
	c := jsonCase{name: v.Get("name").String()}
	if suite, name, ok := strings.Cut(c.name, "$"); ok { // nextest: crate::binary$test
		c.suite, c.name = suite, name
	}
	switch v.Get("event").String() {
	case "ok":
		c.status = loopcore.TestPassed
	case "ignored":
		c.status = loopcore.TestSkipped
	case "failed", "timeout":
		s := j.l.sub(v.Get("stdout").String())
		f := cargoFailure(s, c.name, 0, len(s.Lines))
		f.Suite, f.At = c.suite, j.at
		j.r.Failures = append(j.r.Failures, f)
		j.r.Counts.Failed++
		j.r.Tests = append(j.r.Tests, loopcore.TestCase{Suite: c.suite, Name: c.name, Status: loopcore.TestFailed})
		return true
	default:
		return true
	}
	j.add(c)
	return true
}
