package main

import (
	"encoding/json"
	"testing"
)

var oneWord = map[string]string{"command": "x"}

// TestInsertEntry adds to files of every shape, and refuses what it can not read.
func TestInsertEntry(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no file", "", "{\n  \"servers\": {\n    \"ours\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"empty object", "{}", "{\n  \"servers\": {\n    \"ours\": {\n      \"command\": \"x\"\n    }\n  }\n}"},
		{"other key on one line", `{"a": [1, {"servers": 2}]}`,
			"{\n  \"servers\": {\n    \"ours\": {\n      \"command\": \"x\"\n    }\n  },\n  \"a\": [1, {\"servers\": 2}]}"},
		{"empty servers", "{\n\t\"servers\": {}\n}\n", "{\n\t\"servers\": {\n\t\t\"ours\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n"},
		{"key in a comment and a string", "{\n  // \"servers\": {}\n  \"a\": \"\\\"servers\\\": {}\", /* } */\n}\n",
			"{\n  \"servers\": {\n    \"ours\": {\n      \"command\": \"x\"\n    }\n  },\n  // \"servers\": {}\n  \"a\": \"\\\"servers\\\": {}\", /* } */\n}\n"},
		{"there", `{"servers": {"ours": {"command": "y"}}}`, ""},
		{"cut", `{"servers": {`, "!"},
		{"a list", `[]`, "!"},
		{"servers is text", `{"servers": "x"}`, "!"},
		{"two documents", `{} {}`, "!"},
		{"text", `hello`, "!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, there, err := insertEntry([]byte(c.in), "servers", "ours", oneWord)
			switch {
			case c.want == "!":
				if err == nil {
					t.Errorf("not refused: %s", out)
				}
			case err != nil:
				t.Error(err)
			case c.want == "" && there != `{"command": "y"}`:
				t.Errorf("there: %q", there)
			case string(out) != c.want:
				t.Errorf("got\n%s\nwant\n%s", out, c.want)
			}
		})
	}
}

// FuzzInsertEntry: whatever is valid JSON stays so, with one entry more, and a
// second time finds it.
func FuzzInsertEntry(f *testing.F) {
	for _, s := range []string{"", "{}", `{"servers":{"a":1}}`, "{\n// c\n\"a\": 1,\n}", `{"servers": [`, "{\"a\":\"\\u00e9\\\\\"}", "/**/{}//"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, there, err := insertEntry(data, "servers", "ours", oneWord)
		if err != nil || there != "" {
			return
		}
		var was, is map[string]any
		if json.Unmarshal(data, &was) == nil {
			if err := json.Unmarshal(out, &is); err != nil {
				t.Fatalf("%q became %q: %v", data, out, err)
			}
		}
		if _, there, err := insertEntry(out, "servers", "ours", oneWord); err != nil || there == "" {
			t.Fatalf("%q: not found again in %q: %v", data, out, err)
		}
	})
}
