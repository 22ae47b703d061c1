package parse

import "testing"

func TestStamp(t *testing.T) {
	for line, want := range map[string]string{
		"2024-05-01T12:00:00.1234567Z FAIL x":                     "FAIL x",
		"build\tRun tests\t2024-05-01T12:00:00.1234567Z not ok 1": "not ok 1",
		"2024-05-01T12:00:00.123456Z 00O 1 passing":               "1 passing",
		"2024-05-01T12:00:00Z ##[error]src/a.c:1:2: error: no":    "src/a.c:1:2: error: no",
		"[12:00:00][Step 1/2] 2 failed":                           "2 failed",
		"[12:00:00]W: careful":                                    "careful",
		"[2024-05-01T12:00:00.123Z] + make":                       "+ make",
		"2024-05-01 12:00:00,123 INFO x":                          "INFO x",
		"12:00:00 ok":                                             "ok",
		"12:00 ok":                                                "12:00 ok",
		"src/a.c:12:30: error: no":                                "src/a.c:12:30: error: no",
		"2024-05-01 is a day":                                     "2024-05-01 is a day",
	} {
		if got := line[stamp(line):]; got != want {
			t.Errorf("%q is stamped up to %q, want %q", line, got, want)
		}
	}
}

func TestPrefixes(t *testing.T) {
	for _, c := range []struct {
		style      func(string) int
		line, want string
	}{
		{bracketTag, "[web] FAIL x", "FAIL x"},
		{bracketTag, "[web]", ""},
		{bracketTag, "[       OK ] Suite.Test", "[       OK ] Suite.Test"},
		{taskTag, "@acme/web:test: 1 failed", "1 failed"},
		{taskTag, "src/a.c:12: error", "src/a.c:12: error"},
		{barTag, "api-1  | --- FAIL: TestX", "--- FAIL: TestX"},
		{barTag, "12 | code", "12 | code"},
		{scriptTag, "packages/a test: not ok 1", "not ok 1"},
		{scriptTag, "expected value: 3", "3"},
		{nameTag, "@acme/web: 1 failing", "1 failing"},
		{nameTag, "main.c: In function", "main.c: In function"},
		{nameTag, "AssertionError: no", "AssertionError: no"},
	} {
		if got := c.line[c.style(c.line):]; got != c.want {
			t.Errorf("%q without its prefix is %q, want %q", c.line, got, c.want)
		}
	}
}
