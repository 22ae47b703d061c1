package parse

import (
	"strings"

	"fixloop/loopcore"
)

// clangTidy reads clang-tidy: Clang's layout, with the check in brackets.
var clangTidy = lineTool{
	name: "clang-tidy",
	kind: loopcore.KindLint,
	spot: []string{"clang-analyzer-", "clang-diagnostic-", "bugprone-", "modernize-", "readability-", "performance-", "cppcoreguidelines-",
		"google-", "misc-", "cert-", "llvm-", "hicpp-", "portability-", "concurrency-", "fuchsia-", "abseil-", "android-", "boost-", "altera-",
		"mpi-", "objc-", "openmp-", "zircon-", "darwin-", "linuxkernel-", "llvmlibc-"},
	match: func(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
		text, rule := takeRule(d.text, '[', ']')
		rule, _, _ = strings.Cut(rule, ",-warnings-as-errors")
		if d.severity != "error" && d.severity != "warning" || !strings.Contains(rule, "-") || strings.HasPrefix(rule, "-W") || !gccFile(d.file) {
			return loopcore.Failure{}, false
		}
		f := d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = text, rule
		if rule == "clang-diagnostic-error" {
			f.Kind = loopcore.FailCompile
		}
		return f, true
	},
}.reader()

// cppcheck reads cppcheck in its own, the gcc and the old layout.
var cppcheck = lineTool{
	name: "cppcheck",
	kind: loopcore.KindLint,
	spot: []string{" files checked ", "Checking ", "arrayIndexOutOfBounds]", "nullPointer]", "memleak]", "zerodiv]", "uninitvar]",
		"unusedFunction]", "]: (", "syntaxError]", "unusedVariable]", "variableScope]", "missingInclude", "Leak]", "unreadVariable]",
		"cstyleCast]", "passedByValue]", "constParameter"},
	match: func(l *Log, i int, d diagnostic) (loopcore.Failure, bool) {
		text, rule := takeRule(d.text, '[', ']')
		if d.severity == "" || d.severity == "note" || rule == "" && !cppcheckProgress(l) || strings.ContainsAny(rule, "-/=,") || !gccFile(d.file) {
			return loopcore.Failure{}, false
		}
		f := d.failure(l, i, loopcore.FailLint)
		f.Message, f.Rule = text, rule
		f.Optional = d.severity != "error" && d.severity != "warning"
		if rule == "syntaxError" {
			f.Kind = loopcore.FailCompile
		}
		return f, true
	},
}.reader()

// cppcheckProgress reports whether the log has lines like "Checking src/vat.cc
// ...": then what has no rule is cppcheck's too, in one of its older layouts.
func cppcheckProgress(l *Log) bool {
	return l.HasLine("Checking ") && l.HasAny(".c ...", ".cc ...", ".cpp ...", ".cxx ...", ".h ...", ".hpp ...")
}
