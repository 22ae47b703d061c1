package guard

import (
	"strings"
	"testing"
)

// TestSwallowed holds handlers that drop a failure against those that pass it on.
func TestSwallowed(t *testing.T) {
	sources := map[string]string{
		"a.py":    "def f():\n    try:\n        g()\n    except Exception as e:\n        BODY\n",
		"a.js":    "function f() {\n  try {\n    g();\n  } catch (e) {\n    BODY\n  }\n}\n",
		"A.java":  "class A {\n  void f() {\n    try { g(); } catch (Exception e) {\n      BODY\n    }\n  }\n}\n",
		"a.kt":    "fun f() {\n  try { g() } catch (e: Exception) {\n    BODY\n  }\n}\n",
		"a.rb":    "def f\n  g\nrescue StandardError => e\n  BODY\nend\n",
		"a.php":   "<?php\nfunction f() {\n  try { g(); } catch (\\Throwable $e) {\n    BODY\n  }\n}\n",
		"a.cpp":   "void f() {\n  try { g(); } catch (...) {\n    BODY\n  }\n}\n",
		"A.cs":    "class A {\n  void F() {\n    try { G(); } catch (Exception e) {\n      BODY\n    }\n  }\n}\n",
		"a.swift": "func f() {\n  do { try g() } catch {\n    BODY\n  }\n}\n",
		"a.ex":    "defmodule A do\n  def f do\n    g()\n  rescue\n    _ -> BODY\n  end\nend\n",
	}
	bodies := map[string][2][]string{ // dropped, passed on
		"a.py":    {{"pass", "return None", "x = []", "log.warning(e)\n        return 0"}, {"raise", "raise Failed(str(e)) from e", "return Result(error=e)"}},
		"a.js":    {{"", "return null;", "return {};", "console.error(e);"}, {"throw e;", "reject(e);", "return { error: e };"}},
		"A.java":  {{"", "return;", "return Optional.empty();"}, {"throw e;", "throw new IllegalStateException(e);"}},
		"a.kt":    {{"", "return 0"}, {"throw e", "throw Failed(e)"}},
		"a.rb":    {{"nil", "[]"}, {"raise", "raise Failed, e.message"}},
		"a.php":   {{"", "return null;"}, {"throw $e;"}},
		"a.cpp":   {{"", "return;"}, {"throw;", "std::rethrow_exception(std::current_exception());"}},
		"A.cs":    {{"", "return;"}, {"throw;", "throw new Failed(e);"}},
		"a.swift": {{"", "return"}, {"throw error"}},
		"a.ex":    {{"nil", ":ok"}, {"reraise(e, __STACKTRACE__)"}},
	}
	for p, s := range sources {
		for side, want := range []bool{true, false} {
			for _, b := range bodies[p][side] {
				swallowed := false
				for _, f := range Check(Input{Changes: []Change{change(p, "", strings.Replace(s, "BODY", b, 1))}}) {
					swallowed = swallowed || f.Rule == "R07"
				}
				if swallowed != want {
					t.Errorf("%s %q: swallowed is %v", p, b, swallowed)
				}
			}
		}
	}
}
