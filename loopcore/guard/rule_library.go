package guard

import (
	"strings"

	"fixloop/loopcore"
)

// libraryHomes are the folders in which a test library keeps its own sources.
var libraryHomes = map[lang][]string{
	langGo:     {"assert/assertions.go", "gomega_dsl.go", "cmp/compare.go"},
	langJava:   {"org/junit/", "org/assertj/", "org/mockito/", "org/hamcrest/", "io/kotest/", "org/testng/", "com/google/common/truth/"},
	langKotlin: {"org/junit/", "org/assertj/", "org/mockito/", "io/kotest/", "kotlin/test/", "io/mockk/", "assertk/"},
	langC:      {"gtest/gtest.h", "catch2/", "doctest/parts/", "unity.h", "boost/test/"},
	langCSharp: {"xunit.assert/", "NUnitFramework/", "Shouldly/", "FluentAssertions/"},
	langPHP:    {"src/Framework/Assert.php"},
	langRuby:   {"lib/minitest/assertions.rb", "lib/rspec/matchers.rb", "lib/test/unit/assertions.rb"},
	langPython: {"_pytest/", "unittest/case.py", "testtools/", "hamcrest/core/"},
	langElixir: {"lib/ex_unit/"},
	langSwift:  {"Sources/XCTest/", "Sources/Testing/", "Sources/Nimble/"},
	langJS:     {"packages/expect/", "lib/chai/", "lib/assert.js"},
}

// vendored says whether a path lies in a copy of somebody else's project.
func vendored(p string) bool {
	return hasSeg(p, "third_party", "third-party", "thirdparty", "3rdparty", "vendored", "_vendor", "vendor", "extern", "external", "contrib", "submodules")
}

// providesLibrary says whether the baseline is the project of a test library
// itself: what would shadow the library elsewhere is its own code here.
func (d *diff) providesLibrary(l lang) bool {
	if known, ok := d.library[l]; ok {
		return known
	}
	d.library[l] = d.holdsLibrary(l)
	return d.library[l]
}

func (d *diff) holdsLibrary(l lang) bool {
	if d.in.Before == nil {
		return false
	}
	for _, p := range d.in.Before.List() {
		if isInstalled(p) || inTestDir(p) && l != langC || vendored(p) || l == langC && hasSeg(p, "lib", "libs") {
			continue
		}
		for _, home := range libraryHomes[l] {
			if strings.Contains(p, "/"+home) || strings.HasPrefix(p, home) {
				return true
			}
		}
	}
	return false
}

// libraryPackageRE declares a package of a test library of the JVM.
var libraryPackageRE = lazily(`(?m)^package (org\.junit|org\.assertj|org\.mockito|org\.hamcrest|io\.kotest|kotlin\.test)`)

// libraryNamespaceRE declares a namespace of a test library of .NET.
var libraryNamespaceRE = lazily(`(?m)^\s*namespace (Xunit|NUnit\.Framework|Microsoft\.VisualStudio\.TestTools)`)

// shadowModule reports a new local module of the name of a test library: R05.
func (d *diff) shadowModule(f *fileDiff) {
	if f.old != nil || f.new == nil || f.role == roleInstalled {
		return
	}
	p := f.path()
	stem := strings.TrimSuffix(baseName(p), ext(p))
	if stem == "__init__" || stem == "index" || stem == "mod" || stem == "lib" {
		stem = baseName(dirOf(p))
	}
	shadow := false
	switch f.newU.lang {
	case langPython:
		switch stem {
		case "pytest", "unittest", "hypothesis", "nose", "numpy", "mock", "_pytest", "pytest_asyncio", "testtools", "hamcrest", "assertpy":
			shadow = dirOf(p) == "." || dirOf(p) == "tests" || dirOf(p) == "test" || dirOf(p) == "src" || dirOf(dirOf(p)) == "."
		}
	case langRuby:
		shadow = (stem == "minitest" || stem == "rspec" || stem == "autorun") && hasSeg(p, "lib", "test", "spec")
	case langElixir:
		shadow = strings.Contains(f.newU.src, "defmodule ExUnit")
	case langPHP:
		shadow = strings.Contains(f.newU.src, `namespace PHPUnit\`)
	case langJava, langKotlin:
		shadow = libraryPackageRE.MatchString(f.newU.src)
	case langCSharp:
		shadow = libraryNamespaceRE.MatchString(f.newU.src)
	case langSwift:
		shadow = strings.Contains(p, "XCTest/") || strings.Contains(p, "Sources/Testing/")
	case langC:
		shadow = hasAny(p, "gtest/gtest.h", "catch2/", "catch.hpp", "doctest.h", "unity.h") || baseName(p) == "assert.h" || baseName(p) == "gtest.h"
		shadow = shadow && len(f.new.Data) < 20000
	}
	if shadow && !d.providesLibrary(f.newU.lang) {
		d.report("R05", loopcore.SevBlock, p, 1, "a local module takes the place of a test library")
	}
}

// assertAliasRE binds an assertion library, or what it exports, to names of the file.
var assertAliasRE = lazily(`\b(\w+|\{[\w,: ]+\})(?::\w+)?=(?:await )?(?:require|import)\("(?:node:)?(?:assert|assert/strict|test|chai|expect|vitest|` +
	`@jest/[\w-]+)"\)|\bimport (?:type )?(\* as \w+|\w+|\{[\w, ]+\}) ?from "(?:node:)?(?:assert|assert/strict|test|chai|expect|` +
	`@jest/[\w-]+)"|\bimport (?:unittest(?:\.\w+)?|pytest|_pytest\.\w+|numpy\.testing) as (\w+)|` +
	`\bfrom (?:unittest|_pytest|numpy)[\w.]* import ([\w, ]+)`)

// notOfLibrary are words beside the names in an import.
var notOfLibrary = map[string]bool{"as": true, "mock": true, "Mock": true, "patch": true, "default": true, "monkeypatch": true}

// patched reports assignments to members of an assertion library, whatever the
// file calls it: R05.
func (d *diff) patched(f *fileDiff) {
	u := f.newU
	if f.role != roleCode && !f.testSide() || !hasAny(u.src, "assert", "test", "chai", "expect", "vitest", "jest") {
		return
	}
	names := map[string]bool{}
	for _, l := range u.logical() {
		if m := assertAliasRE.FindStringSubmatch(assembled(l.text)); m != nil {
			for _, n := range wordRE.FindAllString(strings.Join(m[1:], " "), -1) {
				names[n] = !notOfLibrary[n]
			}
		}
	}
	for _, l := range newLines(f) {
		text := assembled(l.text)
		m := memberSetRE.FindStringSubmatch(text)
		if m != nil && names[m[1]+m[2]] && !strings.Contains(text, "assert.strict=") {
			d.report("R05", loopcore.SevBlock, f.path(), u.line(l.at), "a member of the assertion library is set: "+clip(text, 120))
		}
	}
}

// memberSetRE sets a member of a name, plainly or through a function for it.
var memberSetRE = lazily(`(?:^|[;{}()])(\w+)(?:\.\w+|\[[^\]]+\])+=[^=>]|\b(?:setattr|Reflect\.(?:set|defineProperty)|Object\.(?:assign|defineProperty|defineProperties))\((\w+)\b`)

// emptied reports local stand-ins of a library's class or of the test's own
// methods whose checks do nothing: R05.
func (d *diff) emptied(f *fileDiff) {
	u := f.newU
	if !f.testSide() || d.providesLibrary(u.lang) {
		return
	}
	for _, x := range u.fns {
		if u.lang == langShell && x.name == "run" && fakeRunRE.MatchString(u.norm(x.open, x.to)) && !f.oldU.defines("run") {
			d.report("R05", loopcore.SevBlock, f.path(), u.line(x.at), "run answers for the program: "+clip(u.norm(x.open, x.to), 120))
		}
		if x.class || f.oldU.defines(x.name) || !checking[x.name] {
			continue
		}
		e := u.equalityOf(x.name, x.at, *x)
		body := u.norm(e.from, e.to)
		switch owner := u.classAround(x.at); {
		case owner == "Assert" || owner == "Assertions" || owner == "Expect":
		case u.lang == langGo && u.text(x.at-1) == ")" && !gomockRE.MatchString(u.src): // a method
		default:
			continue
		}
		if emptyCheckRE.MatchString(body) {
			d.report("R05", loopcore.SevBlock, f.path(), u.line(x.at), x.name+" of a stand-in for the test library checks nothing")
		}
	}
}

// checking are methods that fail a test, of assertion classes and of Go's testing.T.
var checking = map[string]bool{"Equal": true, "AreEqual": true, "True": true, "False": true, "IsTrue": true, "IsFalse": true, "Same": true,
	"Throws": true, "Contains": true, "NotNull": true, "assertEquals": true, "assertTrue": true, "Error": true, "Errorf": true, "Fatal": true,
	"Fatalf": true, "Fail": true, "FailNow": true}

var (
	emptyCheckRE = lazily(`^(return ?)?(default!?(\(\w+\))?|null!?|true|nil)?$`)
	fakeRunRE    = lazily(`^\{[^$]*\bstatus=\d[^$]*\}$`)
	gomockRE     = lazily(`\bTestReporter\b|\bmockT\b|\bfakeT\b|\brecorder\b`)
)

// classAround is the name of the innermost class around a token, "" outside of any.
func (u *unit) classAround(i int) string {
	name, open := "", -1
	for _, x := range u.fns {
		if x.class && x.open < i && i < x.to && x.open > open {
			name, open = x.name, x.open
		}
	}
	return name
}

// libraryAssert says whether a name belongs to the assertion library of the language.
func libraryAssert(l lang, n string) (string, bool) {
	known := false
	switch l {
	case langPython:
		known = strings.HasPrefix(n, "assert") && hasAny(n, "assertEqual", "assertTrue", "assertRaises", "assertIn", "assertFalse", "assertAlmostEqual", "assertIs", "assert_called", "assertGreater", "assertLess", "assertDictEqual", "assertListEqual", "assertNotEqual", "assertRegex") || n == "assert_array_equal" || n == "assert_allclose"
	case langRuby:
		switch n {
		case "assert", "assert_equal", "assert_raises", "assert_nil", "assert_includes", "assert_in_delta", "refute", "refute_equal",
			"must_equal", "assert_match", "assert_operator", "assert_predicate", "assert_empty", "expect", "eq", "to":
			known = true
		}
	case langJava, langKotlin:
		switch n {
		case "assertEquals", "assertTrue", "assertFalse", "assertThrows", "assertNotNull", "assertNull", "assertThat", "assertSame",
			"assertArrayEquals", "verify", "shouldBe", "shouldThrow", "assertContentEquals", "assertFailsWith", "assertIterableEquals":
			known = true
		}
	case langPHP:
		known = strings.HasPrefix(n, "assert") && (hasAny(n, "assertSame", "assertEquals", "assertTrue", "assertFalse", "assertNull", "assertCount", "assertContains", "assertInstanceOf", "assertThat", "assertGreaterThan")) || n == "expectException"
	case langCSharp:
		switch n {
		case "AreEqual", "Throws", "IsTrue", "IsFalse", "NotNull":
			known = true
		}
	case langSwift:
		known = strings.HasPrefix(n, "XCTAssert") || n == "XCTFail" || n == "XCTUnwrap"
	case langElixir:
		switch n {
		case "assert", "refute", "assert_raise", "assert_receive", "assert_in_delta", "flunk":
			known = true
		}
	case langShell:
		switch n {
		case "[", "test", "assert_output", "assert_success", "assert_failure", "assert_equal", "assertEquals", "assertTrue", "refute", "assert",
			"diff", "cmp", "grep", "exit", "return", "false", "refute_output", "assert_line", "assertContains":
			known = true
		}
	case langJS:
		switch n {
		case "toBe", "toEqual", "toStrictEqual", "toThrow", "deepStrictEqual", "strictEqual", "deepEqual", "toHaveBeenCalledWith":
			known = true
		}
	case langC:
		return n, false
	}
	return n, known
}

// macroRE are definitions of what may be an assertion macro.
var macroRE = lazily(`^#\s*(define|undef)\s+(EXPECT_\w+|ASSERT_\w+|CHECK(_\w+)?|REQUIRE(_\w+)?|assert|TEST_ASSERT\w*|BOOST_(CHECK|REQUIRE|TEST)\w*|` +
	`ck_assert\w*|cr_assert\w*|NDEBUG|ASSERT|EXPECT|TEST|TEST_F|(DOCTEST|CATCH)_CONFIG_DISABLE)\b(.*)`)

// libraryMacroRE are those that test libraries bring; a macro of another name is
// the project's own, which nothing used before it was there.
var libraryMacroRE = lazily(`^((EXPECT|ASSERT)_(EQ|NE|LT|LE|GT|GE|TRUE|FALSE|STR\w+|FLOAT_EQ|DOUBLE_EQ|NEAR|THROW|ANY_THROW|NO_THROW|THAT|DEATH\w*|EXIT|` +
	`PRED\w*|NO_FATAL_FAILURE|HRESULT_\w+)|(CHECK|REQUIRE|WARN)(_FALSE|_THROWS\w*|_NOTHROW|_THAT|_NOFAIL|_EQ|_NE|_LT|_LE|_GT|_GE|` +
	`_UNARY\w*|_MESSAGE)?|assert|TEST_ASSERT\w*|BOOST_\w+|ck_assert\w*|cr_assert\w*|NDEBUG|ASSERT|EXPECT|TEST|TEST_F|` +
	`(DOCTEST|CATCH)_CONFIG_DISABLE)$`)

// controlRE gives a word by which a program is steered, or its entry, another meaning.
var controlRE = lazily(`^#\s*define\s+(if|else|for|while|do|switch|case|default|return|goto|break|continue|main)\b`)

// controlWords reports such words defined anew in C: R05. What a program's main
// is called while tests take its file in is for a person to see.
func (d *diff) controlWords(f *fileDiff) {
	u := f.newU
	for i := range u.toks {
		if u.kind(i) != tkDirective {
			continue
		}
		m := controlRE.FindStringSubmatch(u.text(i))
		if m == nil || strings.Contains(f.oldU.src, u.text(i)) {
			continue
		}
		sev := loopcore.SevBlock
		if m[1] == "main" && f.testSide() {
			sev = loopcore.SevHuman
		}
		d.report("R05", sev, f.path(), u.line(i), "a word of the language is defined anew: "+clip(u.text(i), 120))
	}
}

// macros reports assertion macros that are defined anew, and own ones whose body lost its failure: R05.
func (d *diff) macros(f *fileDiff) {
	if f.newU.lang != langC || d.providesLibrary(langC) {
		return
	}
	d.controlWords(f)
	had := map[string][]string{}
	each := func(u *unit, see func(name, body string, defined bool, line int)) {
		for i := range u.toks {
			if u.kind(i) != tkDirective {
				continue
			}
			if m := macroRE.FindStringSubmatch(strings.Join(strings.Fields(u.text(i)), " ")); m != nil {
				see(m[2], m[len(m)-1], m[1] == "define", u.line(i))
			}
		}
	}
	each(f.oldU, func(n, b string, _ bool, _ int) { had[n] = append(had[n], b) })
	each(f.newU, func(n, b string, defined bool, line int) {
		before, was := had[n]
		if n == "NDEBUG" && !defined {
			return // assertions are switched on
		}
		if contains(before, b) || !was && !libraryMacroRE.MatchString(n) {
			return
		}
		sev := loopcore.SevBlock
		if was && failing(b) {
			sev = loopcore.SevHuman
		}
		d.report("R05", sev, f.path(), line, "assertion macro "+n+" is defined anew: "+clip(b, 120))
	})
}
