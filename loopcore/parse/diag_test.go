package parse

import "testing"

// Every way of saying where that compilers and linters share is taken apart
// the same, and sentences that look like one are left alone.
func TestScanDiagnostic(t *testing.T) {
	for _, c := range []struct {
		line string
		want diagnostic
		ok   bool
	}{
		{"src/a.c:3:4: error: no such thing [-Wfoo]", diagnostic{"src/a.c", 3, 4, "error", "no such thing [-Wfoo]"}, true},
		{"src/a.c:3: fatal error: x.h: No such file", diagnostic{"src/a.c", 3, 0, "fatal error", "x.h: No such file"}, true},
		{`C:\src\a.cs(3,4): error CS0103: no name`, diagnostic{`C:\src\a.cs`, 3, 4, "error", "CS0103: no name"}, true},
		{"src/a.ts(3,4,5,6): warning TS1005: text", diagnostic{"src/a.ts", 3, 4, "warning", "TS1005: text"}, true},
		{"src/a.ts:3:4 - error TS2322: text", diagnostic{"src/a.ts", 3, 4, "error", "TS2322: text"}, true},
		{"/x/A.java:[3,4] cannot find symbol", diagnostic{"/x/A.java", 3, 4, "", "cannot find symbol"}, true},
		{"/x/a.js: line 3, col 4, Error - text (rule)", diagnostic{"/x/a.js", 3, 4, "error", "text (rule)"}, true},
		{"    a.lua:3:4-9: (W211) unused", diagnostic{"a.lua", 3, 4, "", "(W211) unused"}, true},
		{"src/a.py:3:4:3:9: error: text", diagnostic{"src/a.py", 3, 4, "error", "text"}, true},
		{"a.c +3:4: error: text", diagnostic{"a.c", 3, 4, "error", "text"}, true},
		{"a.yml:3:4: [warning] text (rule)", diagnostic{"a.yml", 3, 4, "warning", "text (rule)"}, true},
		{"docs/a.md:3:4 error MD009/no-trailing text", diagnostic{"docs/a.md", 3, 4, "error", "MD009/no-trailing text"}, true},
		{"a.go:3:4: error strings should not be capitalized", diagnostic{"a.go", 3, 4, "", "error strings should not be capitalized"}, true},
		{"Makefile:3: *** missing separator.  Stop.", diagnostic{"Makefile", 3, 0, "", "*** missing separator.  Stop."}, true},
		{"Größe/mit Leerzeichen.c:3:4: error: text", diagnostic{"Größe/mit Leerzeichen.c", 3, 4, "error", "text"}, true},
		{"connecting to http://localhost:8080: refused", diagnostic{}, false},
		{"12:30:45 starting", diagnostic{}, false},
		{"note: see a.c:3:4: text", diagnostic{}, false},
		{"127.0.0.1:80: connection reset", diagnostic{}, false},
		{"::error file=a.js,line=3::a.js:3:4: text", diagnostic{}, false},
		{"", diagnostic{}, false},
	} {
		got, ok := scanDiagnostic(c.line)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: got %+v %v, want %+v %v", c.line, got, ok, c.want, c.ok)
		}
	}
}

func TestTakeRule(t *testing.T) {
	for _, c := range []struct{ in, text, rule string }{
		{"unused variable [-Wunused-variable]", "unused variable", "-Wunused-variable"},
		{"first use in this function (first use in this function)", "first use in this function (first use in this function)", ""},
		{"text (no-unused-vars)", "text", "no-unused-vars"},
		{"array [1, 2]", "array [1, 2]", ""},
	} {
		end := byte(']')
		open := byte('[')
		if c.in[len(c.in)-1] == ')' {
			open, end = '(', ')'
		}
		if text, rule := takeRule(c.in, open, end); text != c.text || rule != c.rule {
			t.Errorf("%q: got %q %q", c.in, text, rule)
		}
	}
}

func TestTakeCode(t *testing.T) {
	for _, c := range []struct{ in, text, code string }{
		{"F401 'os' imported", "'os' imported", "F401"},
		{"TS2322: Type", "Type", "TS2322"},
		{"[C0301(line-too-long), f] Line too long", "Line too long", "C0301"},
		{"MD022/blanks-around Headings", "Headings", "MD022"},
		{"Error 3 times", "Error 3 times", ""},
		{"HTTP 404", "HTTP 404", ""},
	} {
		if text, code := takeCode(c.in); text != c.text || code != c.code {
			t.Errorf("%q: got %q %q", c.in, text, code)
		}
	}
}
