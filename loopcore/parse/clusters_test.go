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
