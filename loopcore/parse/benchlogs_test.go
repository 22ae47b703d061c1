package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// benchLog is a kind of output of about n results, of which every k-th is a
// failure; which runner it is of, and how its command ended.
type benchLog struct {
	name  string
	exit  int
	write func(b *bytes.Buffer, n, k int)
}

// benchLogs are the outputs whose speed is published. Each is shaped as its
// runner prints it, with names, values and places of its own in every failure.
var benchLogs = []benchLog{
	{"plain", 0, writeServerLog},
	{"plain with a failing exit", 1, writeServerLog},
	{"build", 1, writeBuild},
	{"gotest", 1, writeGoTest},
	{"gotest json", 1, writeGoTestJSON},
	{"pytest", 1, writePytest},
	{"jest", 1, writeJest},
	{"vitest", 1, writeVitest},
	{"mocha", 1, writeMocha},
	{"cargo test", 101, writeCargoTest},
	{"surefire", 1, writeSurefire},
	{"eslint", 1, writeESLint},
	{"tsc", 2, writeTSC},
	{"unknown runner", 1, writeUnknown},
}

// of is the output that is about size bytes long.
func (l benchLog) of(size, k int) []byte {
	const probe = 1000
	each := len(written(l.write, probe, k)) / probe
	return written(l.write, max(k, size/each), k)
}

// written is n results of a kind of output.
func written(write func(b *bytes.Buffer, n, k int), n, k int) []byte {
	var b bytes.Buffer
	write(&b, n, k)
	return b.Bytes()
}

func writeServerLog(b *bytes.Buffer, n, _ int) {
	for i := range n {
		fmt.Fprintf(b, "2026-01-02T10:00:%02d INFO server: request %d served in %d ms from cache shard %d\n", i%60, i, i%90, i%7)
	}
}

// writeBuild is what a build prints that says nothing of why it failed but in
// every k-th line.
func writeBuild(b *bytes.Buffer, n, k int) {
	for i := range n {
		fmt.Fprintf(b, "[%d/%d] cc -O2 -Isrc/include -c src/module%d/file%d.c -o build/module%d/file%d.o\n", i+1, n, i%40, i, i%40, i)
		if i%k == k-1 {
			fmt.Fprintf(b, "src/module%d/file%d.c:%d:%d: error: 'x%d' undeclared (first use in this function)\n  %d |   return x%d + 1;\n      |          ^~~\n", i%40, i, i%900+1, i%70+1, i, i%900+1, i)
		}
	}
	b.WriteString("ninja: build stopped: subcommand failed.\n")
}

func writeGoTest(b *bytes.Buffer, n, k int) {
	for i := range n {
		if i%k == k-1 {
			fmt.Fprintf(b, "=== RUN   TestRow%d\n    row_test.go:%d: got %d, want %d\n--- FAIL: TestRow%d (0.00s)\n", i, i%500+1, i, i+1, i)
			continue
		}
		fmt.Fprintf(b, "=== RUN   TestRow%d\n--- PASS: TestRow%d (0.00s)\n", i, i)
	}
	b.WriteString("FAIL\nFAIL\texample.com/rows\t1.0s\nFAIL\n")
}

func writeGoTestJSON(b *bytes.Buffer, n, k int) {
	e := json.NewEncoder(b)
	emit := func(action, test, output string) {
		m := map[string]any{"Time": "2026-01-02T10:00:00Z", "Action": action, "Package": "example.com/rows"}
		if test != "" {
			m["Test"] = test
		}
		if output != "" {
			m["Output"] = output
		}
		_ = e.Encode(m) // a map of strings can be encoded
	}
	for i := range n {
		name := fmt.Sprintf("TestRow%d", i)
		emit("run", name, "")
		emit("output", name, "=== RUN   "+name+"\n")
		verdict := "pass"
		if i%k == k-1 {
			verdict = "fail"
			emit("output", name, fmt.Sprintf("    row_test.go:%d: got %d, want %d\n", i%500+1, i, i+1))
		}
		emit("output", name, fmt.Sprintf("--- %s: %s (0.01s)\n", strings.ToUpper(verdict), name))
		emit(verdict, name, "")
	}
	emit("output", "", "FAIL\nFAIL\texample.com/rows\t1.0s\n")
	emit("fail", "", "")
}

func writePytest(b *bytes.Buffer, n, k int) {
	fmt.Fprintf(b, "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, pytest-8.3.3, pluggy-1.5.0 -- /usr/bin/python3\nrootdir: /srv/app\ncollected %d items\n\n", n)
	for i := range n {
		verdict := "PASSED"
		if i%k == k-1 {
			verdict = "FAILED"
		}
		fmt.Fprintf(b, "tests/test_rows.py::test_row_%d %s %s [%3d%%]\n", i, verdict, strings.Repeat(" ", 20), (i+1)*100/n)
	}
	b.WriteString("\n=================================== FAILURES ===================================\n")
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, "________________________________ test_row_%d _________________________________\n\n    def test_row_%d():\n        total = sum(item.price for item in basket(%d))\n        # a comment that explains what is wanted\n>       assert total == %d\nE       assert %d == %d\n\ntests/test_rows.py:%d: AssertionError\n", i, i, i, i+1, i, i+1, i*6+5)
	}
	b.WriteString("=========================== short test summary info ============================\n")
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, "FAILED tests/test_rows.py::test_row_%d - assert %d == %d\n", i, i, i+1)
	}
	fmt.Fprintf(b, "========================= %d failed, %d passed in 1.23s =========================\n", n/k, n-n/k)
}

// inFiles calls file for every ten results, and result for each of them.
func inFiles(n int, file func(f int), result func(f, i int)) {
	for i := range n {
		if i%10 == 0 {
			file(i / 10)
		}
		result(i/10, i)
	}
}

func writeJest(b *bytes.Buffer, n, k int) {
	for f := 0; f*10 < n; f++ {
		verdict := "PASS"
		if k <= 10 || f*10/k != (f*10+10)/k {
			verdict = "FAIL"
		}
		fmt.Fprintf(b, "%s test/rows%d.test.js\n  Rows\n", verdict, f)
		for i := f * 10; i < min(n, f*10+10); i++ {
			mark := "✓"
			if i%k == k-1 {
				mark = "✕"
			}
			fmt.Fprintf(b, "    %s adds up %d (%d ms)\n", mark, i, i%20)
		}
		b.WriteByte('\n')
		for i := f * 10; i < min(n, f*10+10); i++ {
			if i%k == k-1 {
				fmt.Fprintf(b, "  ● Rows › adds up %d\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: %d\n    Received: %d\n\n      %d | const { Cart } = require('../src/cart');\n    > %d |   it('adds up', () => { expect(c.total()).toBe(310); });\n        |                                           ^\n\n      at Object.toBe (test/rows%d.test.js:%d:77)\n\n", i, i+1, i, i%500+2, i%500+3, f, i%500+3)
			}
		}
	}
	fmt.Fprintf(b, "Test Suites: %d failed, %d total\nTests:       %d failed, %d passed, %d total\nSnapshots:   0 total\nTime:        4.177 s\nRan all test suites.\n", (n+9)/10, (n+9)/10, n/k, n-n/k, n)
}

func writeVitest(b *bytes.Buffer, n, k int) {
	b.WriteString("\n RUN  v4.1.12 /home/me/shop\n\n")
	inFiles(n, func(f int) { fmt.Fprintf(b, " ❯ test/rows%d.test.ts (10 tests | %d failed) 128ms\n", f, 10/k) }, func(_, i int) {
		mark := "✓"
		if i%k == k-1 {
			mark = "×"
		}
		fmt.Fprintf(b, "     %s adds up %d %dms\n", mark, i, i%30)
	})
	fmt.Fprintf(b, "\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests %d ⎯⎯⎯⎯⎯⎯⎯\n\n", n/k)
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, " FAIL  test/rows%d.test.ts > Rows > adds up %d\nAssertionError: expected %d to be %d // Object.is equality\n\n- Expected\n+ Received\n\n- %d\n+ %d\n\n ❯ test/rows%d.test.ts:%d:77\n      1| import { describe, it, expect } from 'vitest';\n      2|   it('adds up', () => { expect(c.total()).toBe(310); });\n       |                                           ^\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[%d/%d]⎯\n\n", i/10, i, i, i+1, i+1, i, i/10, i%500+3, i/k+1, n/k)
	}
	fmt.Fprintf(b, "\n Test Files  %d failed (%d)\n      Tests  %d failed | %d passed (%d)\n   Start at  15:20:07\n   Duration  1.58s (transform 117ms, setup 0ms, import 140ms, tests 128ms, environment 0ms)\n\n", (n+9)/10, (n+9)/10, n/k, n-n/k, n)
}

func writeMocha(b *bytes.Buffer, n, k int) {
	b.WriteString("\n\n")
	inFiles(n, func(f int) { fmt.Fprintf(b, "\n  Rows %d\n", f) }, func(_, i int) {
		if i%k == k-1 {
			fmt.Fprintf(b, "    %d) adds up %d\n", i/k+1, i)
			return
		}
		fmt.Fprintf(b, "    ✔ adds up %d\n", i)
	})
	fmt.Fprintf(b, "\n\n  %d passing (12ms)\n  %d failing\n\n", n-n/k, n/k)
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, "  %d) Rows %d\n       adds up %d:\n\n      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n%d !== %d\n\n      + expected - actual\n\n      -%d\n      +%d\n      \n      at Context.<anonymous> (test/rows%d.js:%d:66)\n      at process.processImmediate (node:internal/timers:483:21)\n\n", i/k+1, i/10, i, i, i+1, i, i+1, i/10, i%500+3)
	}
}

func writeCargoTest(b *bytes.Buffer, n, k int) {
	fmt.Fprintf(b, "   Compiling shop v0.1.0 (/home/me/shop)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 2.76s\n     Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)\n\nrunning %d tests\n", n)
	for i := range n {
		verdict := "ok"
		if i%k == k-1 {
			verdict = "FAILED"
		}
		fmt.Fprintf(b, "test rows::tests::row_%d ... %s\n", i, verdict)
	}
	b.WriteString("\nfailures:\n\n")
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, "---- rows::tests::row_%d stdout ----\n\nthread 'rows::tests::row_%d' (%d) panicked at src/rows.rs:%d:9:\nassertion `left == right` failed\n  left: %d\n right: %d\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n", i, i, 9000+i, i%900+1, i, i+1)
	}
	b.WriteString("\nfailures:\n")
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, "    rows::tests::row_%d\n", i)
	}
	fmt.Fprintf(b, "\ntest result: FAILED. %d passed; %d failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.52s\n\nerror: test failed, to rerun pass `--lib`\n", n-n/k, n/k)
}

func writeSurefire(b *bytes.Buffer, n, k int) {
	b.WriteString("[INFO] Scanning for projects...\n[INFO] \n[INFO] ---------------------------< com.acme:till >----------------------------\n[INFO] Building till 1.0\n[INFO] \n[INFO] --- maven-surefire-plugin:3.5.2:test (default-test) @ till ---\n[INFO] \n[INFO] -------------------------------------------------------\n[INFO]  T E S T S\n[INFO] -------------------------------------------------------\n")
	for f := 0; f*10 < n; f++ {
		fmt.Fprintf(b, "[INFO] Running com.acme.rows.Rows%dTest\n", f)
		bad := (f*10+10)/k - f*10/k
		if bad == 0 {
			fmt.Fprintf(b, "[INFO] Tests run: 10, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.005 s -- in com.acme.rows.Rows%dTest\n", f)
			continue
		}
		fmt.Fprintf(b, "[ERROR] Tests run: 10, Failures: %d, Errors: 0, Skipped: 0, Time elapsed: 0.005 s <<< FAILURE! -- in com.acme.rows.Rows%dTest\n", bad, f)
		for i := f * 10; i < min(n, f*10+10); i++ {
			if i%k == k-1 {
				fmt.Fprintf(b, "[ERROR] com.acme.rows.Rows%dTest.addsUp%d -- Time elapsed: 0.387 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <%d> but was: <%d>\n\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n\tat org.junit.jupiter.api.AssertEquals.failNotEqual(AssertEquals.java:197)\n\tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:598)\n\tat com.acme.rows.Rows%dTest.addsUp%d(Rows%dTest.java:%d)\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)\n\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)\n\n", f, i, i+1, i, f, i, f, i%500+9)
			}
		}
	}
	b.WriteString("[INFO] \n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n")
	for i := k - 1; i < n; i += k {
		fmt.Fprintf(b, "[ERROR]   Rows%dTest.addsUp%d:%d expected: <%d> but was: <%d>\n", i/10, i, i%500+9, i+1, i)
	}
	fmt.Fprintf(b, "[INFO] \n[ERROR] Tests run: %d, Failures: %d, Errors: 0, Skipped: 0\n[INFO] \n[INFO] ------------------------------------------------------------------------\n[INFO] BUILD FAILURE\n[INFO] ------------------------------------------------------------------------\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.5.2:test (default-test) on project till: There are test failures.\n", n, n/k)
}

// writeESLint has warnings between the errors.
func writeESLint(b *bytes.Buffer, n, k int) {
	inFiles(n, func(f int) { fmt.Fprintf(b, "\n/home/dev/app/src/rows/row%d.js\n", f) }, func(_, i int) {
		level := "warning"
		if i%k == k-1 {
			level = "error  "
		}
		fmt.Fprintf(b, "  %d:%d  %s  'row%d' is assigned a value but never used  no-unused-vars\n", i%10*7+1, i%60+1, level, i)
	})
	fmt.Fprintf(b, "\n✖ %d problems (%d errors, %d warnings)\n\n", n, n/k, n-n/k)
}

func writeTSC(b *bytes.Buffer, n, k int) {
	for i := range n {
		if i%k == k-1 {
			fmt.Fprintf(b, "src/rows/row%d.ts(%d,%d): error TS2339: Property 'row%d' does not exist on type '{ b: string; c: number; }'.\n", i/10, i%10*7+1, i%60+1, i)
			continue
		}
		fmt.Fprintf(b, "/home/dev/app/node_modules/@types/rows/row%d.d.ts\n", i)
	}
}

// writeUnknown is of a runner that no reader knows.
func writeUnknown(b *bytes.Buffer, n, k int) {
	for i := range n {
		if i%k == k-1 {
			fmt.Fprintf(b, "✗ row %d adds up (3 ms)\n    expected: %d\n      actual: %d\n    in tests/rows.xyz:%d\n\n", i, i+1, i, i%500+1)
			continue
		}
		fmt.Fprintf(b, "✓ row %d adds up (2 ms)\n", i)
	}
	fmt.Fprintf(b, "\n%d tests, %d failed\n", n, n/k)
}

// endless yields the same block until n bytes were read.
type endless struct {
	block []byte
	left  int64
	at    int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, e.block[e.at:])
	e.at = (e.at + n) % len(e.block)
	e.left -= int64(n)
	return n, nil
}
