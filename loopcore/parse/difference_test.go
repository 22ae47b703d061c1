package parse

import (
	"testing"
	"testing/fstest"

	"fixloop/loopcore"
)

// The same fault is off by the same amount, or by the same few characters, in
// other values; off by one, another value and another shape tell nothing.
func TestDifference(t *testing.T) {
	for _, c := range []struct{ message, detail, want string }{
		{"assert 25.0 == 50", "", "off by 25"},
		{"AssertionError: assert 145.0 == 170", "", "off by 25"},
		{"expect(received).toBe(expected) // Object.is equality Expected: \"12.50 €\" Received: \"12.5 €\"", "", "text 0 → "},
		{"strings differ", "- A1 Ada: 9.00 €\n+ A1 Ada: 9.0 €", "text 0 → "},
		{"Failed asserting that two strings are identical.", "--- Expected\n+++ Actual\n@@ @@\n-'1.0,2.5'\n+'1.0, 2.5'", "text  →  "},
		{"Failed asserting that two arrays are identical.", "--- Expected\n+++ Actual\n@@ @@\n Array &0 (\n-    0 => 'Bern: 46.9,7.4'\n+    0 => 'Bern: 46.9, 7.4'", "text  →  "},
		{`assertion left == right failed left: ["NL-2023-004 90.0", "BE-2019-017 80.0"] right: ["NL-2023-0004 90.0", "BE-2019-0017 80.0"]`, "", "text  → 0"},
		{`expected 'fern [shade]' to be 'fern (shade)'`, "", "text [ → (, text ] → )"},
		{"assert 2 == 3", "", ""},
		{"assert 3 == 3", "", ""},
		{`Expected: "08:05" Actual: "12:30"`, "", ""},
		{"left: Some(60.5) right: Some(82.0)", "", ""},
		{`expected 'A' to be 'something else entirely'`, "", ""},
		{"lists differ", "- Expected  - 2\n+ Received  + 1\n\n- Array [\n+ Array []", ""},
		{"no such thing", "", ""},
	} {
		if got := difference(loopcore.Failure{Message: c.message, Detail: c.detail}); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.message, c.detail, got, c.want)
		}
	}
}

// An error without a stack tells by its own words where it was made.
func TestErrorsByTheirWords(t *testing.T) {
	src := fstest.MapFS{
		"src/money.cpp":       &fstest.MapFile{Data: []byte("int parse_price(const std::string& text) {\n  if (text.find(',') == npos) {\n    throw std::runtime_error(\"no price: \" + text);\n  }\n  return 1;\n}\n\nstd::string show(int cents) {\n  return std::to_string(cents);\n}\n")},
		"test/money_test.cpp": &fstest.MapFile{Data: []byte("TEST(Money, Parses) {\n  EXPECT_EQ(load(\"a\"), 1);\n}\n\nTEST(Money, Sells) {\n  EXPECT_EQ(sell(\"b\"), 2);\n}\n\nTEST(Money, Shows) {\n  EXPECT_EQ(show(50), \"0.50\");\n}\n")},
	}
	fs := []loopcore.Failure{
		{ID: "a", Kind: loopcore.FailError, Suite: "Money", Name: "Parses", Message: `C++ exception with description "no price: 1.20" thrown in the test body.`},
		{ID: "b", Kind: loopcore.FailError, Suite: "Stock", Name: "Sells", Message: `C++ exception with description "no price: 2.50" thrown in SetUp().`},
		{ID: "c", Kind: loopcore.FailAssertion, Suite: "Money", Name: "Shows", File: "test/money_test.cpp", Line: 10, Message: `show(50) Which is: "0.5" "0.50"`},
	}
	cs := Clusters(loopcore.Report{Kind: loopcore.KindTest, Status: loopcore.StatusFail, Failures: fs}, src)
	if len(cs) != 2 || len(cs[0].Failures) != 2 || cs[0].Failures[0] != "a" || cs[0].Failures[1] != "b" {
		t.Fatalf("%+v", cs)
	}
	if want := "parse_price: " + fs[0].Message; cs[0].Cause != want {
		t.Errorf("cause %q, want %q", cs[0].Cause, want)
	}
}
