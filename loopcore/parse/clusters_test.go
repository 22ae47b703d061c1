package parse

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"fixloop/loopcore"
)

// shop is a small project: two modules, a helper that both use, their tests.
var shop = fstest.MapFS{
	"shop/money.py": {Data: []byte("RATE = 0.7\n\n\ndef gross(net):\n    return round(net * (1 + RATE), 2)\n")},
	"shop/text.py":  {Data: []byte("def heading(s):\n    return s.ljust(6, '=')\n")},
	"shop/cart.py": {Data: []byte("from shop.money import gross\n\n\nclass Cart:\n    def __init__(self):\n        self.nets = []\n\n" +
		"    def put(self, net):\n        self.nets.append(net)\n\n    def due(self):\n        return gross(sum(self.nets))\n")},
	"tests/test_money.py": {Data: []byte("from shop.money import gross\n\n\ndef test_gross():\n    assert gross(100) == 107\n\n\ndef test_gross_of_small():\n    assert gross(1) == 1.07\n")},
	"tests/test_cart.py": {Data: []byte("from shop.cart import Cart\n\n\ndef test_due():\n    cart = Cart()\n    cart.put(100)\n    assert cart.due() == 107\n\n\n" +
		"def test_put():\n    cart = Cart()\n    cart.put(1)\n    assert cart.nets == [1]\n")},
	"tests/test_text.py": {Data: []byte("from shop.text import heading\n\n\ndef test_heading():\n    assert heading('ab') == '==ab=='\n")},
}

// failed is a failing test with an id.
func failed(id, file string, line int, name, message string) loopcore.Failure {
	return loopcore.Failure{ID: id, Kind: loopcore.FailAssertion, Suite: file, Name: name, File: file, Line: line, Message: message}
}

func members(cs []loopcore.Cluster) string {
	var parts []string
	for _, c := range cs {
		parts = append(parts, strings.Join(c.Failures, "+"))
	}
	return strings.Join(parts, " ")
}

func TestFailuresOfOneFunctionAreOneCluster(t *testing.T) {
	r := loopcore.Report{Status: loopcore.StatusFail, Kind: loopcore.KindTest, Failures: []loopcore.Failure{
		failed("a", "tests/test_money.py", 5, "test_gross", "assert 170.0 == 107"),
		failed("b", "tests/test_text.py", 5, "test_heading", "assert 'ab====' == '==ab=='"),
		failed("c", "tests/test_cart.py", 7, "test_due", "assert 170.0 == 107"),
		failed("d", "tests/test_money.py", 9, "test_gross_of_small", "assert 1.7 == 1.07"),
	}}
	first := Clusters(r, shop)
	if got := members(first); got != "a+c+d b" {
		t.Errorf("got %q, want the three of gross together and the heading alone", got)
	}
	if !strings.Contains(first[0].Cause, "gross") && !strings.Contains(first[0].Cause, "RATE") {
		t.Errorf("the cause names neither function nor constant: %q", first[0].Cause)
	}
	for range 20 {
		if again := Clusters(r, shop); !reflect.DeepEqual(first, again) {
			t.Fatalf("the same report is clustered otherwise: %v, then %v", first, again)
		}
	}
}

func TestFailedBuildIsOneCluster(t *testing.T) {
	r := loopcore.Report{Status: loopcore.StatusBuildError, Kind: loopcore.KindBuild, Failures: []loopcore.Failure{
		{ID: "a", Kind: loopcore.FailCompile, File: "a.c", Line: 1, Message: "unknown type 'x'"},
		{ID: "b", Kind: loopcore.FailCompile, File: "a.c", Line: 9, Message: "unknown type 'x'"},
		{ID: "c", Kind: loopcore.FailCompile, File: "b.c", Line: 2, Message: "expected ';'"},
	}}
	cs := Clusters(r, nil)
	if len(cs) != 1 || len(cs[0].Failures) != 3 || len(cs[0].Causes) != 2 {
		t.Errorf("got %+v, want one cluster with two causes", cs)
	}
}

func TestWithoutSourcesTheFrameTells(t *testing.T) {
	at := func(f loopcore.Failure, file string, line int) loopcore.Failure {
		f.Frames = []loopcore.Frame{{File: file, Line: line}}
		return f
	}
	r := loopcore.Report{Status: loopcore.StatusFail, Failures: []loopcore.Failure{
		at(failed("a", "tests/test_a.py", 5, "test_a", "no stock"), "shop/stock.py", 3),
		at(failed("b", "tests/test_b.py", 6, "test_b", "no such item: tea"), "shop/stock.py", 3),
		at(failed("c", "tests/test_c.py", 7, "test_c", "no stock"), "shop/till.py", 8),
	}}
	if got := members(Clusters(r, nil)); got != "a+b c" {
		t.Errorf("got %q", got)
	}
}

// TestSourcesAreReadAsTheyAreWritten: what ties failures to a function must not
// depend on how a language writes it.
func TestSourcesAreReadAsTheyAreWritten(t *testing.T) {
	src := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, c := range []struct {
		name, want string
		root       fstest.MapFS
		failures   []loopcore.Failure
	}{
		{"the cases of one table", "a+b c", fstest.MapFS{
			"src/hall.js":       src("class Hall {\n  together(n) {\n    return [n];\n  }\n\n  free() {\n    return 1;\n  }\n}\n"),
			"test/hall.test.js": src("it.each([[2, [1]], [3, [2]]])('finds %i', (n, want) => {\n  expect(hall.together(n)).toEqual(want);\n});\n\nit('is free', () => {\n  expect(hall.free()).toBe(2);\n});\n"),
		}, []loopcore.Failure{
			failed("a", "test/hall.test.js", 2, "finds 2", "two seats are missing"),
			failed("b", "test/hall.test.js", 2, "finds 3", "all are taken"),
			failed("c", "test/hall.test.js", 6, "is free", "expected 1 to be 2"),
		}},
		{"functions that are exported one by one", "a+b c", fstest.MapFS{
			"lib/hops.js":       src("exports.ibu = (grams) => grams * 2;\n\nexports.sort = (list) => [...list];\n"),
			"test/hops.spec.js": src("it('is bitter', () => {\n  assert.equal(ibu(1), 3);\n});\n\nit('is very bitter', () => {\n  assert.equal(ibu(4), 12);\n});\n\nit('sorts', () => {\n  assert.deepEqual(sort([2, 1]), [1, 2]);\n});\n"),
		}, []loopcore.Failure{
			failed("a", "test/hops.spec.js", 2, "is bitter", "too mild"),
			failed("b", "test/hops.spec.js", 6, "is very bitter", "not bitter at all"),
			failed("c", "test/hops.spec.js", 10, "sorts", "[2, 1] should equal [1, 2]"),
		}},
		{"a method named by a word of the test frameworks", "a+b c", fstest.MapFS{
			"lib/timetable.rb":       src("class Timetable\n  def after(text)\n    text\n  end\n\n  def first\n    1\n  end\nend\n"),
			"test/timetable_test.rb": src("describe Timetable do\n  it 'finds the next' do\n    _(@table.after('8')).must_equal '9'\n  end\n\n  it 'finds the last' do\n    _(@table.after('9')).must_equal '10'\n  end\n\n  it 'knows the first' do\n    _(@table.first).must_equal 2\n  end\nend\n"),
		}, []loopcore.Failure{
			failed("a", "test/timetable_test.rb", 3, "finds the next", "it has gone"),
			failed("b", "test/timetable_test.rb", 7, "finds the last", "none is left"),
			failed("c", "test/timetable_test.rb", 11, "knows the first", "Expected: 2 Actual: 1"),
		}},
	} {
		r := loopcore.Report{Status: loopcore.StatusFail, Kind: loopcore.KindTest, Failures: c.failures}
		if got := members(Clusters(r, c.root)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhatAPanicEndedHasNotPassed(t *testing.T) {
	ix := &sourceIndex{tests: []sourceTest{
		{name: "TestA", file: "fare/a_test.go", from: 3}, {name: "TestB", file: "fare/b_test.go", from: 3},
		{name: "TestC", file: "fare/b_test.go", from: 9}, {name: "TestD", file: "trip/d_test.go", from: 3}}}
	if got := ix.passed([]loopcore.Failure{{Kind: loopcore.FailPanic}}, []int{1}); !reflect.DeepEqual(got, []int{0, 3}) {
		t.Errorf("got %v, want the test before the panic and that of the other package", got)
	}
}
